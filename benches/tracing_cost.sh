#!/usr/bin/env bash
# What events and the span of an actor cost where nobody listens, in instructions: the same
# program as it is, and built with tracing's `max_level_off`, which leaves all of it out.
#
#   benches/tracing_cost.sh
#
# Needs valgrind; without it there is nothing to count with, and that is all it says.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v valgrind >/dev/null; then
    echo "valgrind is not installed: nothing is counted"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

build() {
    local built
    built=$(cargo bench --quiet --bench tracing_cost --no-run --message-format=json "${@:2}" |
        sed -n 's/.*"executable":"\([^"]*tracing_cost[^"]*\)".*/\1/p')
    cp "$built" "$work/$1"
}

# Instructions of the worker, the first thread, in a run with so many messages and actors.
count() {
    rm -f "$work"/out*
    valgrind --quiet --tool=callgrind --separate-threads=yes \
        --callgrind-out-file="$work/out" "$@"
    sed -n 's/^totals: //p' "$work/out-01"
}

# Of one more of either: what is the same for all goes out of the difference.
each() {
    local none messages actors
    none=$(count "$work/$1" 1000 1000)
    messages=$(count "$work/$1" 101000 1000)
    actors=$(count "$work/$1" 1000 21000)
    echo "$1 $(((messages - none) / 1000)) $(((actors - none) / 200))" |
        awk '{ printf "| %s | %.1f | %.1f |\n", $1, $2 / 100, $3 / 100 }'
}

build as_it_is
build left_out --features tracing/max_level_off
echo "| build | a message, with its slice | an actor: spawn, message, exit |"
echo "|---|--:|--:|"
each as_it_is
each left_out
