#!/bin/bash
# run.sh [RUNS]: builds, runs every contender on every workload, one process at
# a time, RUNS times (5), into results/results.jsonl and results/results.csv,
# and prints Markdown tables (also results/results.tables.md).
#
# CONTENDERS="uproar tokio" and WORKLOADS='pingpong|ask' (a regular expression)
# narrow it; BUILD=0 skips the build; OUT=name changes results/results; MI=1
# adds the mimalloc builds (NAME-mi); SMOKE=1 makes every job small: does it run?
# NAME/1 runs a contender with one worker thread.
set -u
cd "$(dirname "$0")"
RUNS=${1:-5}
OUT=results/${OUT:-results}
CONTENDERS=${CONTENDERS:-uproar uproar/1 tokio smol actix kameo ractor xtra erlang caf go kameo-lean ractor-lean tokio/1 actix/1 erlang/1 caf/1 go/1}
WORKLOADS=${WORKLOADS:-.}
SMOKE=${SMOKE:-0}
[ "${BUILD:-1}" = 0 ] || MI=${MI:-0} ./build.sh || exit 1
mkdir -p results

# One job a line: RUNS-cap : contenders it is for (a regular expression) : job
jobs() {
    cat <<'J'
9:.:pingpong n=1000000
9:^go(/1)?$:pingpong n=1000000 cap=0
9:.:pingpong pairs=1000 n=2000000
9:^actix$:pingpong n=20000 split=1
9:.:ask n=500000
9:^actix$:ask n=20000 split=1
9:^go(/1)?$:ask n=500000 reuse=1
9:.:tell n=3000000
9:.:fan_in producers=8 n=250000
9:^(uproar|tokio|smol|kameo|kameo-lean|xtra|go)(/1)?$:tell_bounded cap=64 n=1000000
9:^(uproar|tokio|smol|kameo|kameo-lean|xtra|go)(/1)?$:tell_bounded cap=64 producers=8 n=125000
9:.:ring tokens=1 n=2000000
9:.:ring tokens=100 n=4000000
9:.:spawn batch=1000 n=1000000
9:.:spawn batch=1 n=200000
3:.:idle n=1000000
3:^erlang$:idle n=1000000 hibernate=1
5:.:skynet n=1000000
5:^go(/1)?$:skynet n=1000000 start=1
9:.:big n=20000
5:.:timers n=100000
5:^(uproar(/1)?|erlang|tokio|kameo|caf)$:selective k=0 n=20000
5:^(uproar(/1)?|erlang|tokio|kameo|caf)$:selective k=1000 n=20000
3:^(uproar(/1)?|erlang|tokio|kameo|caf)$:selective k=100000 n=2000
3:^(uproar(/1)?|erlang)$:selective k=1000000 n=2000
5:^uproar(/1)?$:selective k=0 n=500000
5:^uproar(/1)?$:selective k=100000 n=500000
5:^uproar(/1)?$:selective k=1000000 n=500000
5:^uproar$:selective k=0 n=20000 stash=1
3:^uproar$:selective k=100000 n=2000 stash=1
3:^(uproar|erlang)$:selective k=0 n=20000 client=1
3:^(uproar|erlang)$:selective k=1000 n=20000 client=1
3:^(uproar|erlang)$:selective k=100000 n=20000 client=1
3:^(uproar|erlang)$:selective k=1000000 n=20000 client=1
5:.:chain busy=0 n=10000
5:.:chain busy=100 n=1000
3:^erlang$:chain busy=100 n=30 yield=0
9:^(uproar|tokio|smol)(/1)?$:echo conns=1 n=60000
9:^(uproar|tokio|smol)(/1)?$:echo conns=100 n=200000
9:^(uproar|tokio|smol)(/1)?$:echo conns=1000 n=200000
5:^uproar$:echo conns=1 n=60000 async_io=1
5:^uproar$:echo conns=1000 n=200000 async_io=1
J
}

# A job with its n a thousandth, at least 20 (skynet: a power of ten), and no
# more than 10,000 messages in the way.
small() {
    local a out=()
    for a in $1; do
        case $a in
        n=*) a=$((${a#n=} / 1000)) && a=n=$((a < 20 ? 20 : a)) ;;
        k=*) a=${a#k=} && a=k=$((a > 10000 ? 10000 : a)) ;;
        esac
        out+=("$a")
    done
    echo "${out[@]}"
}

run() { # contender job...
    local c=$1; shift
    local w=()
    case $c in */1) w=(workers=1); c=${c%/1} ;; esac
    case $c in
    erlang) timeout 120 erlang/run "$@" "${w[@]}" ;;
    *) timeout 120 "target/bin/$c" "$@" "${w[@]}" ;;
    esac
}

: >"$OUT.jsonl"
: >"$OUT.err"
for ((r = 1; r <= RUNS; r++)); do
    while IFS=: read -r cap for job; do
        [ "$r" -le "$cap" ] && [[ $job =~ $WORKLOADS ]] || continue
        if [ "$SMOKE" = 0 ]; then
            # How far apart the two cores were when this row was run.
            target/bin/floor quick >>"$OUT.jsonl"
        else
            job=$(small "$job")
        fi
        for c in $CONTENDERS; do
            [[ ${c/-mi/} =~ $for ]] || continue
            # shellcheck disable=SC2086
            line=$(run "$c" $job 2>>"$OUT.err" </dev/null | grep '^{') ||
                echo "$c $job: failed" >>"$OUT.err"
            [ -n "$line" ] && echo "$line" >>"$OUT.jsonl"
        done
    done < <(jobs)
done
{
    echo contender,workload,params,ops,seconds,ns_per_op,peak_rss_kib,cpu_s
    while IFS= read -r l; do
        f() { sed -nE "s/.*\"$1\":\"?([^\",}]*).*/\1/p" <<<"$l"; }
        echo "$(f contender),$(f workload),$(f params),$(f ops),$(f seconds),$(f ns_per_op),$(f peak_rss_kib),$(f cpu_s)"
    done <"$OUT.jsonl"
} >"$OUT.csv"
target/bin/report "$OUT.jsonl" | tee "$OUT.tables.md"
if grep ': failed$' "$OUT.err" >&2; then
    echo "(what they said: $OUT.err)" >&2
    exit 1
fi
