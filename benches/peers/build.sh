#!/bin/sh
# build.sh [NAME...]: builds every contender (or only these) by itself into
# target/bin. MI=0 leaves out the second build of each with mimalloc (NAME-mi).
set -eu
cd "$(dirname "$0")"
mkdir -p target/bin
only=" $* "
wanted() { [ "$only" = "  " ] || case $only in *" $1 "*) ;; *) return 1 ;; esac }
one() { # feature binary name [extra features]
    wanted "$3" || return 0
    cargo build --release --quiet --features "$1${4:-}" --bin "$2"
    cp "target/release/$2" "target/bin/$3"
}
all() { # suffix extra
    one c-uproar p-uproar "uproar$1" "$2"
    [ -n "$1" ] || one c-uproar-plain p-uproar uproar-plain ""
    one c-tokio p-tokio "tokio$1" "$2"
    one c-smol p-smol "smol$1" "$2"
    one c-actix p-actix "actix$1" "$2"
    one c-kameo-default p-kameo "kameo$1" "$2"
    [ -n "$1" ] || one c-kameo p-kameo kameo-lean ""
    one c-ractor-default p-ractor "ractor$1" "$2"
    [ -n "$1" ] || one c-ractor p-ractor ractor-lean ""
    one c-xtra p-xtra "xtra$1" "$2"
}
all "" ""
[ "${MI:-1}" = 0 ] || all -mi ,mimalloc
for tool in floor report; do
    wanted $tool || continue
    cargo build --release --quiet --bin $tool
    cp target/release/$tool target/bin/
done
if wanted erlang; then
    if command -v erlc >/dev/null; then
        erlc +inline -o target/bin erlang/peers.erl
    else
        echo "erlang: skipped, no erlc (Debian: erlang-base)"
    fi
fi
if wanted caf; then
    if echo '#include <caf/all.hpp>' | g++ -std=c++17 -E -x c++ - >/dev/null 2>&1; then
        g++ -O3 -DNDEBUG -std=c++17 caf/peers.cpp -o target/bin/caf -lcaf_core -pthread
    else
        echo "caf: skipped, no g++ or no CAF 0.17 (Debian: g++ libcaf-dev)"
    fi
fi
if wanted go; then
    if command -v go >/dev/null; then
        go build -o target/bin/go go/peers.go
    else
        echo "go: skipped, no go (Debian: golang-go)"
    fi
fi
