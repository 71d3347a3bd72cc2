//! The report of a runtime in which nothing can happen any more: who waits for what, and
//! who waits in a circle. (R37, R59)
//!
//! Where such a report may be asked for, in a manual runtime and with `exit_when_idle`, an
//! ask that has no reply yet is noted. A note is good while its actor has run no slice
//! since, so an ask that is dropped needs no care.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Shared;
use crate::observe::ProcessState;
use crate::process::{Pid, Placement, Process};

#[derive(Default)]
pub(super) struct Asks(Mutex<BTreeMap<Pid, Asked>>);

struct Asked {
    /// Slices that the asker had finished.
    slices: u64,
    of: Vec<Pid>,
}

impl Asks {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Pid, Asked>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    fn notes_asks(&self) -> bool {
        self.config.manual || self.config.exit_when_idle
    }

    /// Notes that an actor waits for a reply of `to`.
    pub(crate) fn note_ask(&self, asker: &Process, to: Pid) {
        if !self.notes_asks() {
            return;
        }
        let slices = asker.beyond().tally.slices;
        let mut asks = self.asks.lock();
        let asked = asks.entry(asker.pid()).or_insert(Asked {
            slices,
            of: Vec::new(),
        });
        if asked.slices != slices {
            asked.slices = slices;
            asked.of.clear();
        }
        if !asked.of.contains(&to) {
            asked.of.push(to);
        }
    }

    /// Forgets an actor that has ended.
    pub(super) fn forget_asks(&self, pid: Pid) {
        if self.notes_asks() {
            self.asks.lock().remove(&pid);
        }
    }

    /// Who waits for what, for people.
    pub(super) fn waiting_report(&self) -> String {
        let mut report = String::from("deadlock: all actors wait and nothing is pending");
        let asks = self.asks.lock();
        let mut waits = BTreeMap::new();
        for process in self.table.all() {
            if process.placement == Placement::Outside {
                continue;
            }
            let pid = process.pid();
            let _ = write!(report, "\n  {pid} {} ", process.type_name());
            let beyond = process.beyond();
            if let Some(name) = beyond.name {
                let _ = write!(report, "{name:?} ");
            }
            let slices = beyond.tally.slices;
            let of = match asks.get(&pid) {
                Some(asked) if asked.slices + 1 == slices => asked.of.as_slice(),
                _ => &[],
            };
            if of.is_empty() {
                let _ = write!(report, "is {}", ProcessState::of(&process));
            } else {
                let of: Vec<_> = of.iter().map(Pid::to_string).collect();
                let _ = write!(report, "waits for a reply of {}", of.join(", "));
            }
            waits.insert(pid, of);
        }
        for circle in circles(&waits) {
            let names: Vec<_> = circle.iter().map(Pid::to_string).collect();
            let _ = write!(
                report,
                "\n  in a circle: {} → {}",
                names.join(" → "),
                names[0]
            );
        }
        report
    }
}

/// The circles of a graph, each once, from its smallest pid on.
fn circles(waits: &BTreeMap<Pid, &[Pid]>) -> Vec<Vec<Pid>> {
    let mut circles = Vec::new();
    let mut seen = BTreeMap::new();
    for &start in waits.keys() {
        // Along the edges from `start`, depth first: what stands on the path closes a circle.
        let mut path: Vec<(Pid, usize)> = Vec::new();
        seen.entry(start).or_insert_with(|| {
            path.push((start, 0));
            true
        });
        while let Some((at, next)) = path.last_mut() {
            let edge = waits.get(at).and_then(|of| of.get(*next)).copied();
            *next += 1;
            match edge {
                None => {
                    seen.insert(*at, false);
                    path.pop();
                }
                Some(to) if !seen.contains_key(&to) => {
                    seen.insert(to, true);
                    path.push((to, 0));
                }
                Some(to) if seen[&to] => {
                    let from = path.iter().position(|&(pid, _)| pid == to);
                    let mut circle: Vec<_> = path[from.expect("on the path")..]
                        .iter()
                        .map(|&(pid, _)| pid)
                        .collect();
                    let smallest = circle.iter().enumerate().min_by_key(|&(_, pid)| pid);
                    let first = smallest.map_or(0, |(i, _)| i);
                    circle.rotate_left(first);
                    circles.push(circle);
                }
                Some(_) => {}
            }
        }
    }
    circles
}

#[cfg(all(test, not(uproar_loom)))]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    fn pid(n: u32) -> Pid {
        Pid::new(1, n, NonZeroU64::MIN)
    }

    fn circles_of(edges: &[(u32, &[u32])]) -> Vec<Vec<Pid>> {
        let edges: Vec<(Pid, Vec<Pid>)> = edges
            .iter()
            .map(|&(from, to)| (pid(from), to.iter().map(|&n| pid(n)).collect()))
            .collect();
        circles(
            &edges
                .iter()
                .map(|(from, to)| (*from, to.as_slice()))
                .collect(),
        )
    }

    #[test]
    fn circles_are_found_once() {
        assert!(circles_of(&[(1, &[2]), (2, &[3]), (3, &[])]).is_empty());
        assert_eq!(
            circles_of(&[(0, &[2]), (1, &[3]), (2, &[1]), (3, &[2]), (4, &[3, 4])]),
            [vec![pid(1), pid(3), pid(2)], vec![pid(4)]]
        );
        // To someone who is not there.
        assert!(circles_of(&[(1, &[7])]).is_empty());
    }
}
