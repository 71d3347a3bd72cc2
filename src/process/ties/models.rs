//! Ties against ends, in every order of their steps. [J1] [J2] [J3] [J5]
//!
//! A signal that is on its way is a value that a thread returns: it is received when all
//! threads are through, which is the last moment that it can be.

use std::num::NonZeroU64;
use std::sync::Arc;

use loom::thread;

use super::{Cut, Link, Pid, Side, Ties, link, lock, unlink, watch};
use crate::mailbox::{Incoming, NodeBox};
use crate::sync::explore;

/// An actor, as far as its ties go.
struct Actor {
    pid: Pid,
    ties: Ties,
}

fn actor(number: u32) -> Arc<Actor> {
    Arc::new(Actor {
        pid: Pid::new(0, number, NonZeroU64::MIN),
        ties: Ties::new(),
    })
}

impl Actor {
    fn side(&self) -> Side<'_> {
        (self.pid, &self.ties)
    }

    /// Links, as the runtime does. The number of the signal `NoProcess`, if there is one.
    fn links(&self, peer: &Actor) -> Option<u64> {
        if link(self.side(), peer.side()).is_some() {
            return None;
        }
        self.ties.link_to_dead(peer.pid)
    }

    fn unlinks(&self, peer: &Actor) {
        unlink(self.side(), peer.side());
    }

    /// Monitors, as the runtime does. The number, and whether there is a `Down` at once.
    fn monitors(&self, target: &Actor) -> Option<(u64, bool)> {
        let number = self.ties.watch(target.pid)?;
        Some((number, !watch(self.side(), number, &target.ties)))
    }

    fn demonitors(&self, number: u64, target: &Actor) {
        if self.ties.unwatch(number).is_some() {
            target.ties.be_unwatched(self.pid, number);
        }
    }

    /// Exit signals that count, of those that have come from `peer`.
    fn exits(&self, peer: &Actor, numbers: impl IntoIterator<Item = u64>) -> usize {
        let counts = |&number: &u64| self.ties.end_link(peer.pid, number);
        numbers.into_iter().filter(counts).count()
    }

    fn downs(&self, numbers: impl IntoIterator<Item = u64>) -> usize {
        let counts = |&number: &u64| self.ties.unwatch(number).is_some();
        numbers.into_iter().filter(counts).count()
    }

    fn link_with(&self, peer: &Actor) -> Option<Link> {
        let block = lock(self.ties.get()?);
        block.links.get(&peer.pid).copied()
    }

    fn watchers(&self) -> usize {
        self.ties.with(|block| block.watchers.len()).unwrap_or(0)
    }
}

/// The numbers of the exit signals to `to`.
fn exits_to(cut: &Cut, to: &Actor) -> Vec<u64> {
    let to_it = cut.links.iter().filter(|(pid, _)| *pid == to.pid);
    to_it.map(|&(_, number)| number).collect()
}

fn downs_to(cut: &Cut, to: &Actor) -> Vec<u64> {
    let to_it = cut.watchers.iter().filter(|(pid, _)| *pid == to.pid);
    to_it.map(|&(_, number)| number).collect()
}

/// Both have a link, with each other's numbers, or neither has.
fn assert_agree(a: &Actor, b: &Actor) {
    match (a.link_with(b), b.link_with(a)) {
        (None, None) => {}
        (Some(a), Some(b)) => assert_eq!((a.own, a.peers), (b.peers, b.own), "[J2]"),
        (a, b) => panic!("[J2] {:?} {:?}", a.is_some(), b.is_some()),
    }
}

/// The smaller pid's lock is the first: from either side.
fn from_either_side(model: fn(Arc<Actor>, Arc<Actor>)) {
    for numbers in [[1, 2], [2, 1]] {
        explore(3, move || {
            let [a, b] = numbers.map(actor);
            model(a, b);
        });
    }
}

#[test]
fn loom_a_link_against_an_exit_gives_one_exit_signal() {
    from_either_side(|a, b| {
        let ender = {
            let b = b.clone();
            thread::spawn(move || b.ties.end().expect("[J5]"))
        };
        let at_once = a.links(&b);
        let cut = ender.join().unwrap();
        assert_eq!(
            a.exits(&b, exits_to(&cut, &a).into_iter().chain(at_once)),
            1
        );
        assert!(a.link_with(&b).is_none());
    });
}

#[test]
fn loom_two_that_link_each_other_have_one_link() {
    from_either_side(|a, b| {
        let other = {
            let (a, b) = (a.clone(), b.clone());
            thread::spawn(move || b.links(&a))
        };
        assert_eq!(a.links(&b), None);
        assert_eq!(other.join().unwrap(), None);
        assert!(a.link_with(&b).is_some());
        assert_agree(&a, &b);
    });
}

#[test]
fn loom_a_link_against_an_unlink_leaves_both_or_neither() {
    from_either_side(|a, b| {
        assert_eq!(a.links(&b), None);
        let other = {
            let (a, b) = (a.clone(), b.clone());
            thread::spawn(move || b.unlinks(&a))
        };
        a.unlinks(&b);
        assert_eq!(a.links(&b), None);
        other.join().unwrap();
        assert_agree(&a, &b);
        let cut = b.ties.end().expect("[J5]");
        let linked = usize::from(a.link_with(&b).is_some());
        assert_eq!(a.exits(&b, exits_to(&cut, &a)), linked);
    });
}

#[test]
fn loom_after_an_unlink_no_exit_signal_counts_but_a_newer_link_s() {
    for relinks in [false, true] {
        explore(3, move || {
            let [a, b] = [1, 2].map(actor);
            assert_eq!(a.links(&b), None);
            let ender = {
                let b = b.clone();
                thread::spawn(move || b.ties.end().expect("[J5]"))
            };
            a.unlinks(&b);
            let at_once = if relinks { a.links(&b) } else { None };
            let cut = ender.join().unwrap();
            let signals = exits_to(&cut, &a).into_iter().chain(at_once);
            assert_eq!(a.exits(&b, signals), usize::from(relinks), "[J3]");
        });
    }
}

#[test]
fn loom_what_an_ended_actor_unlinks_is_told_all_the_same() {
    explore(3, || {
        let [a, b] = [1, 2].map(actor);
        assert_eq!(a.links(&b), None);
        // It is given up in the middle of its code, which goes on.
        let cut = b.ties.end().expect("[J5]");
        let code = {
            let (a, b) = (a.clone(), b.clone());
            thread::spawn(move || b.unlinks(&a))
        };
        assert_eq!(a.exits(&b, exits_to(&cut, &a)), 1);
        code.join().unwrap();
    });
}

#[test]
fn loom_a_monitor_against_an_exit_gives_one_down() {
    explore(3, || {
        let [a, b] = [1, 2].map(actor);
        let ender = {
            let b = b.clone();
            thread::spawn(move || b.ties.end().expect("[J5]"))
        };
        let (number, at_once) = a.monitors(&b).expect("alive");
        let cut = ender.join().unwrap();
        let told = downs_to(&cut, &a);
        assert_eq!(told.len() + usize::from(at_once), 1);
        let at_once = at_once.then_some(number);
        assert_eq!(a.downs(told.into_iter().chain(at_once)), 1);
    });
}

#[test]
fn loom_after_a_demonitor_no_down_counts() {
    explore(3, || {
        let [a, b] = [1, 2].map(actor);
        let ender = {
            let b = b.clone();
            thread::spawn(move || b.ties.end().expect("[J5]"))
        };
        let (number, at_once) = a.monitors(&b).expect("alive");
        a.demonitors(number, &b);
        let cut = ender.join().unwrap();
        let at_once = at_once.then_some(number);
        assert_eq!(a.downs(downs_to(&cut, &a).into_iter().chain(at_once)), 0);
        assert_eq!(b.watchers(), 0);
    });
}

#[test]
fn loom_a_watcher_that_is_given_up_leaves_no_entry() {
    explore(3, || {
        let [a, b] = [1, 2].map(actor);
        let killer = {
            let (a, b) = (a.clone(), b.clone());
            thread::spawn(move || {
                for (number, _) in a.ties.end().expect("[J5]").watching {
                    b.ties.be_unwatched(a.pid, number);
                }
            })
        };
        // Its code goes on.
        let _ = a.monitors(&b);
        killer.join().unwrap();
        assert_eq!(b.watchers(), 0);
    });
}

/// The actor's own end and its giving up: each closes, and ends the ties.
#[test]
fn loom_a_kill_against_a_stuck_actor_tells_its_ties_once() {
    explore(3, || {
        let [stuck, peer] = [1, 2].map(actor);
        assert_eq!(peer.links(&stuck), None);
        let incoming = Arc::new(Incoming::new());
        let pushed = incoming.push(NodeBox::message(7));
        assert!(pushed.is_ok());
        let killer = {
            let (stuck, incoming) = (stuck.clone(), incoming.clone());
            thread::spawn(move || {
                let cut = stuck.ties.end()?;
                Some((cut, incoming.close()))
            })
        };
        let watcher = {
            let (stuck, peer) = (stuck.clone(), peer.clone());
            thread::spawn(move || peer.monitors(&stuck).expect("alive"))
        };
        // It comes back from its code at this moment.
        let own_rest = incoming.close();
        let own_cut = stuck.ties.end();
        let (number, at_once) = watcher.join().unwrap();
        let killed = killer.join().unwrap();
        assert!(own_cut.is_some() ^ killed.is_some(), "[J5] [Y1]");
        let (cut, rest) = match killed {
            Some((cut, rest)) => (cut, rest),
            None => (own_cut.expect("one of the two"), None),
        };
        let rests = [own_rest, rest].into_iter().flatten();
        let messages = rests.filter(|rest| !rest.is_empty()).count();
        assert_eq!(messages, 1, "[I3]");
        assert_eq!(peer.exits(&stuck, exits_to(&cut, &peer)), 1);
        let at_once = at_once.then_some(number);
        let downs = downs_to(&cut, &peer).into_iter().chain(at_once);
        assert_eq!(peer.downs(downs), 1);
    });
}
