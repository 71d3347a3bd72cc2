#!/usr/bin/env bash
# How long an actor takes to compile: crates of 100 actors by macro and by hand, each
# with three messages, spawned and sent to, built by `cargo build` without optimization.
#
#   benches/compile_time.sh [ACTORS [RUNS]]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
actors=${1:-100}
runs=${2:-5}
target=${CARGO_TARGET_DIR:-$root/target}/compile_time
# A whole build is measured, as after `cargo clean -p`.
export CARGO_INCREMENTAL=0 CARGO_TERM_COLOR=never CARGO_TARGET_DIR="$target/target"

# What all actors have in common: the messages, and a main that uses them.
messages() {
    cat <<END
pub struct Add(pub u64);
pub struct Sub(pub u64);
pub struct Get(pub ReplyTo<u64>);
END
}

by_macro() {
    messages
    cat <<END
#[actor]
pub async fn counter(mut total: u64) {
    loop {
        #[receive]
        match receive().await {
            Add(n) => total += n,
            Sub(n) => total -= n,
            Get(reply_to) => reply_to.send(total),
        }
    }
}
pub fn start() -> Address<Counter> {
    spawn(counter(0))
}
END
}

by_handlers() {
    messages
    cat <<END
pub struct Counter {
    total: u64,
}
#[actor]
impl Counter {
    #[receive]
    async fn add(&mut self, Add(n): Add) {
        self.total += n;
    }
    #[receive]
    async fn sub(&mut self, Sub(n): Sub) {
        self.total -= n;
    }
    #[receive]
    async fn get(&mut self, Get(reply_to): Get) {
        reply_to.send(self.total);
    }
}
pub fn start() -> Address<Counter> {
    spawn(Counter { total: 0 })
}
END
}

# What \`#[actor]\` and \`#[receive]\` save one from writing.
by_hand() {
    messages
    cat <<END
pub struct Counter;
impl Receives<Add> for Counter {}
impl Receives<Sub> for Counter {}
impl Receives<Get> for Counter {}
enum Next {
    Add(Add),
    Sub(Sub),
    Get(Get),
}
pub fn counter(mut total: u64) -> uproar::ActorFn<Counter, impl Future<Output = ()> + Send + 'static> {
    use std::any::TypeId;
    use uproar::__private::{Scan, Step, Wants, turn};
    const WANTS: Wants =
        Wants::Types(&[TypeId::of::<Add>(), TypeId::of::<Sub>(), TypeId::of::<Get>()]);
    uproar::ActorFn::new(async move {
        loop {
            turn().await;
            let mut scan = Scan::new(WANTS);
            let next = loop {
                let step = scan.step(|slot| {
                    if let Some(next) = slot.take_if(|message| Ok(Next::Add(message))) {
                        return Some(next);
                    }
                    if let Some(next) = slot.take_if(|message| Ok(Next::Sub(message))) {
                        return Some(next);
                    }
                    slot.take_if(|message| Ok(Next::Get(message)))
                });
                if let Step::Taken(next) = step {
                    break next;
                }
                scan.wait().await;
            };
            match next {
                Next::Add(Add(n)) => total += n,
                Next::Sub(Sub(n)) => total -= n,
                Next::Get(Get(reply_to)) => reply_to.send(total),
            }
        }
    })
}
pub fn start() -> Address<Counter> {
    spawn(counter(0))
}
END
}

# One future that takes any message and looks what it is.
by_envelope() {
    messages
    cat <<END
pub async fn counter(mut total: u64) {
    loop {
        let any: Envelope = receive().await;
        let any = match any.downcast() {
            Ok(Add(n)) => {
                total += n;
                continue;
            }
            Err(any) => any,
        };
        let any = match any.downcast() {
            Ok(Sub(n)) => {
                total -= n;
                continue;
            }
            Err(any) => any,
        };
        if let Ok(Get(reply_to)) = any.downcast() {
            reply_to.send(total);
        }
    }
}
pub fn start() -> Address<Anything> {
    spawn(counter(0))
}
END
}

nothing() {
    echo "pub fn start() {}"
}

# Writes the crate of one kind: each actor in a module, \`main\` starts and uses all.
crate() {
    local kind=$1 dir=$target/$1 n
    mkdir -p "$dir/src"
    cat >"$dir/Cargo.toml" <<END
[package]
name = "compile-time-${kind//_/-}"
version = "0.0.0"
edition = "2024"
[dependencies]
uproar = { path = "$root" }
[profile.dev]
debug = "line-tables-only"
[workspace]
END
    {
        echo "#![allow(dead_code)]"
        for ((n = 0; n < actors; n++)); do
            echo "mod actor_$n {"
            [ "$kind" = nothing ] || echo "use uproar::prelude::*;"
            "$kind"
            echo "}"
        done
        echo "#[uproar::main]"
        echo "async fn main() {"
        for ((n = 0; n < actors; n++)); do
            if [ "$kind" = nothing ]; then
                echo "    actor_$n::start();"
            else
                echo "    let actor = actor_$n::start();"
                echo "    actor.send(actor_$n::Add(2));"
                echo "    actor.send(actor_$n::Sub(1));"
                echo "    assert_eq!(actor.ask(actor_$n::Get).await, Ok(1));"
            fi
        done
        echo "}"
    } >"$dir/src/main.rs"
    cargo build --quiet --manifest-path "$dir/Cargo.toml"
    # The program does what it says.
    "$CARGO_TARGET_DIR/debug/compile-time-${kind//_/-}"
}

# The least of the times of some builds, on the clock and on all cores: each is
# disturbed by whatever else the machine does, and only ever prolonged.
measure() {
    local dir=$target/$1 run
    local TIMEFORMAT='%R %U %S'
    for ((run = 0; run < runs; run++)); do
        touch "$dir/src/main.rs"
        { time cargo build --quiet --offline --manifest-path "$dir/Cargo.toml"; } 2>&1
    done | awk '{
        cpu = $2 + $3
        if (NR == 1 || $1 < wall) wall = $1
        if (NR == 1 || cpu < least) least = cpu
    } END { print wall, least }'
}

kinds=(nothing by_hand by_envelope by_macro by_handlers)
for kind in "${kinds[@]}"; do crate "$kind"; done
echo "| $actors actors of three messages, least of $runs builds | s | ms each | CPU s | CPU ms each |"
echo "|---|--:|--:|--:|--:|"
read -r empty empty_cpu < <(measure nothing)
for kind in "${kinds[@]}"; do
    read -r wall cpu < <(measure "$kind")
    awk -v kind="$kind" -v n="$actors" -v w="$wall" -v c="$cpu" -v ew="$empty" -v ec="$empty_cpu" 'BEGIN {
        printf "| %s | %.2f | %.1f | %.2f | %.1f |\n", kind, w, 1000 * (w - ew) / n, c, 1000 * (c - ec) / n
    }'
done
