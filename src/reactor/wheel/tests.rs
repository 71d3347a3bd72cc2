//! The wheel against a sorted list.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// What the wheel is to do, done simply.
#[derive(Default)]
struct Model {
    pending: BTreeMap<(Moment, u64), Key>,
    gone: Vec<Key>,
    started: u64,
}

impl Model {
    fn tick(at: Moment, resolution: u64) -> Moment {
        at.div_ceil(resolution.into())
    }

    fn end(tick: Moment, resolution: u64) -> Moment {
        tick * Moment::from(resolution)
    }

    fn comes(at: Moment, resolution: u64) -> bool {
        Self::end(Self::tick(at, resolution), resolution) < NEVER
    }

    /// What expires up to `now`, in order.
    fn expire(&mut self, now: Moment, resolution: u64) -> Vec<u64> {
        let due: Vec<_> = self
            .pending
            .iter()
            .filter(|((at, _), _)| {
                Self::comes(*at, resolution)
                    && Self::tick(*at, resolution) <= now / Moment::from(resolution)
            })
            .map(|(&order, &key)| (order, key))
            .collect();
        due.into_iter()
            .map(|(order, key)| {
                self.pending.remove(&order);
                self.gone.push(key);
                order.1
            })
            .collect()
    }

    fn next(&self, now: Moment, resolution: u64) -> Option<Moment> {
        let &(at, _) = self.pending.keys().next()?;
        let tick = Self::tick(at, resolution).max(now / Moment::from(resolution));
        Self::comes(at, resolution).then(|| Self::end(tick, resolution))
    }
}

struct Pair {
    wheel: Wheel<u64>,
    model: Model,
    resolution: u64,
    now: Moment,
}

impl Pair {
    fn new(resolution: u64) -> Pair {
        Pair {
            wheel: Wheel::new(resolution),
            model: Model::default(),
            resolution,
            now: 0,
        }
    }

    fn start(&mut self, at: Moment) -> Key {
        self.model.started += 1;
        let number = self.model.started;
        let (key, expires) = self.wheel.start(at, self.now, number);
        if Model::comes(at, self.resolution) {
            assert_eq!(
                expires,
                Model::end(Model::tick(at, self.resolution), self.resolution)
            );
        } else {
            assert_eq!(expires, NEVER);
        }
        assert!(self.model.pending.insert((at, number), key).is_none());
        key
    }

    fn cancel(&mut self, pick: usize) {
        let pending = self.model.pending.len();
        if pending == 0 {
            return;
        }
        let (&order, &key) = self.model.pending.iter().nth(pick % pending).unwrap();
        self.model.pending.remove(&order);
        self.model.gone.push(key);
        assert_eq!(self.wheel.get_mut(key).copied(), Some(order.1));
        assert_eq!(self.wheel.cancel(key), Some(order));
    }

    fn advance(&mut self, by: Moment) {
        self.now = (self.now + by).min(NEVER);
        let mut expired = Vec::new();
        self.wheel.expire(self.now, &mut expired);
        assert!(expired.iter().all(|e| e.at <= self.now), "early");
        assert!(expired.iter().all(|e| e.number == e.value));
        let expired: Vec<u64> = expired.into_iter().map(|e| e.value).collect();
        assert_eq!(expired, self.model.expire(self.now, self.resolution));
    }

    /// Turns the wheel only when it says so, up to the next expiry.
    fn step(&mut self) {
        let Some(goal) = self.wheel.next_expiry() else {
            return;
        };
        if goal <= self.now {
            return self.advance(0);
        }
        let mut turns = 0;
        while self.now < goal {
            let turn = self.wheel.next_turn().expect("something is pending");
            assert!(turn <= goal, "sleeps past a deadline");
            assert!(turn > self.now || turn == goal, "spins");
            self.advance(turn.saturating_sub(self.now));
            turns += 1;
            assert!(turns <= LEVELS * LEVELS, "turned in vain");
        }
    }

    fn check(&mut self) {
        assert_eq!(self.wheel.len(), self.model.pending.len());
        let next = self.wheel.next_expiry();
        assert_eq!(next, self.model.next(self.now, self.resolution));
        let turn = self.wheel.next_turn();
        assert_eq!(turn.is_some(), next.is_some());
        assert!(turn <= next);
        // Stale keys hit nobody, whatever has their place now.
        for &key in self.model.gone.iter().rev().take(4) {
            assert_eq!(self.wheel.get_mut(key), None);
            assert_eq!(self.wheel.cancel(key), None);
        }
    }
}

#[derive(Clone, Debug)]
enum Op {
    Start(Moment),
    StartAt(Moment),
    Cancel(usize),
    Advance(Moment),
    Step,
}

/// Spans of any magnitude, a nanosecond to centuries, and the edges of slots.
fn span() -> impl Strategy<Value = Moment> {
    prop_oneof![
        4 => (32u32..128, any::<Moment>()).prop_map(|(bits, n)| n >> bits),
        2 => (0u32..96, 0..3).prop_map(|(bits, n)| ((1 << bits) + n as Moment - 1).min(NEVER)),
        2 => 0..200 as Moment,
        1 => Just(0),
        1 => Just(NEVER),
        1 => Just(NEVER - 1),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => span().prop_map(Op::Start),
        1 => span().prop_map(Op::StartAt),
        3 => any::<usize>().prop_map(Op::Cancel),
        2 => span().prop_map(|n| Op::Advance(n >> 12)),
        1 => span().prop_map(Op::Advance),
        4 => Just(Op::Step),
    ]
}

fn run(resolution: u64, ops: Vec<Op>) {
    let mut pair = Pair::new(resolution);
    for op in ops {
        match op {
            Op::Start(after) => {
                let at = (pair.now + after).min(NEVER);
                pair.start(at);
            }
            Op::StartAt(at) => {
                pair.start(at);
            }
            Op::Cancel(pick) => pair.cancel(pick),
            Op::Advance(by) => pair.advance(by),
            Op::Step => pair.step(),
        }
        pair.check();
    }
    let mut left = pair.wheel.len();
    while pair.wheel.next_expiry().is_some() {
        pair.step();
        assert!(pair.wheel.len() < left, "a step is an expiry");
        left = pair.wheel.len();
        pair.check();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn it_does_what_a_sorted_list_does(
        resolution in prop_oneof![Just(1), Just(7), Just(1000), Just(1_000_000), 1u64..1 << 40],
        ops in prop::collection::vec(op(), 0..120),
    ) {
        run(resolution, ops);
    }
}

/// All positions of a deadline against all positions of now, around the edges of the
/// lower levels' slots.
#[test]
fn every_distance_from_every_place() {
    let edges = [
        0, 1, 62, 63, 64, 65, 127, 4094, 4095, 4096, 4097, 262_143, 262_144,
    ];
    for from in edges {
        for via in edges {
            for distance in edges {
                let mut pair = Pair::new(1);
                pair.advance(from);
                pair.start(from + distance);
                pair.start(from + via + distance);
                pair.check();
                pair.advance(via);
                pair.start(from + via + distance);
                pair.check();
                while pair.wheel.next_expiry().is_some() {
                    pair.step();
                    pair.check();
                }
                assert_eq!(pair.wheel.len(), 0);
            }
        }
    }
}

// [R41]
#[test]
fn it_goes_round_for_centuries() {
    const YEAR: Moment = 365 * 86_400 * 1_000_000_000;
    let mut pair = Pair::new(1_000_000);
    for century in 0..5 {
        for years in [0, 1, 10, 80] {
            pair.start(century * 100 * YEAR + years * YEAR + 5_000_000);
        }
        pair.start(NEVER);
        pair.step();
        pair.step();
        pair.advance(99 * YEAR);
        pair.check();
        // Meanwhile near ones come and go, each in time.
        for _ in 0..1000 {
            pair.start(pair.now + 1);
            pair.start(pair.now + 70_000_000);
            pair.step();
            pair.check();
        }
        pair.advance(YEAR);
    }
    assert_eq!(pair.wheel.len(), 5, "those that never come");
}

// [R41] what is far away when it begins costs a near one nothing.
#[test]
fn a_million_pending_are_not_touched() {
    let mut wheel = Wheel::new(1_000_000);
    let hour = 3600 * 1_000_000_000;
    let keys: Vec<Key> = (0..1_000_000)
        .map(|n| wheel.start(hour + Moment::from(n), 0, n).0)
        .collect();
    let mut expired = Vec::new();
    for n in 1..=1000u64 {
        let at = Moment::from(n) * 1_000_000;
        wheel.start(at, at - 1_000_000, n);
        assert!(wheel.next_turn().unwrap() <= at);
        wheel.expire(at, &mut expired);
        assert_eq!(expired.pop().map(|e| e.value), Some(n));
    }
    for (n, key) in keys.into_iter().enumerate() {
        assert_eq!(wheel.cancel(key), Some((hour + n as Moment, n as u64)));
    }
    assert_eq!(wheel.len(), 0);
    assert!(wheel.entries.capacity() <= KEPT, "memory goes back");
}

#[test]
fn what_is_cleared_comes_in_the_order_of_the_starts() {
    let mut wheel = Wheel::new(1);
    let keys: Vec<Key> = [50, 3, NEVER, 1 << 80, 0]
        .into_iter()
        .enumerate()
        .map(|(n, at)| wheel.start(at, 0, n).0)
        .collect();
    wheel.cancel(keys[1]);
    assert_eq!(wheel.clear(), [0, 2, 3, 4]);
    assert_eq!((wheel.len(), wheel.next_turn()), (0, None));
    assert_eq!(wheel.cancel(keys[0]), None);
    wheel.start(9, 0, 9);
    assert_eq!(wheel.next_expiry(), Some(9));
}
