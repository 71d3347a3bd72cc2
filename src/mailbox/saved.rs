//! Saved messages: what a selective receive skipped, in arrival order.
//!
//! Two doubly linked lists run through one slab: all saved messages, and those
//! of each type. So a receive walks only messages of its own types however many
//! others wait, a receive of any message walks all, and taking one out of the
//! middle costs the same wherever it stands.
//!
//! `[S1]` Each list is ordered by arrival number.

use std::any::TypeId;

use slab::Slab;

use super::incoming::Batch;
use super::node::NodeBox;

/// The end of a list.
const NONE: u32 = u32::MAX;

/// So many types are compared one by one faster than they are searched.
const FEW_TYPES: usize = 4;

/// A place in the slab.
pub(crate) type Place = u32;

struct Entry {
    /// `None` while a matcher has the message in hand.
    node: Option<NodeBox>,
    arrival: u64,
    /// Where its type stands in `types`.
    kind: u32,
    all: Link,
    same: Link,
}

#[derive(Clone, Copy)]
struct Link {
    prev: u32,
    next: u32,
}

#[derive(Clone, Copy)]
struct Ends {
    head: u32,
    tail: u32,
}

impl Ends {
    const NONE: Ends = Ends {
        head: NONE,
        tail: NONE,
    };
}

struct Type {
    id: TypeId,
    ends: Ends,
}

/// Which messages a receive wants.
#[derive(Clone, Copy, Debug)]
pub enum Wants {
    /// Those of these types.
    Types(&'static [TypeId]),
    /// Those of all other types. By a thin pointer, so that all of it has two words: every
    /// actor that receives has room for one.
    AllBut(&'static &'static [TypeId]),
}

const _: () = assert!(size_of::<Wants>() == 2 * size_of::<usize>());

impl Wants {
    /// All.
    #[expect(non_upper_case_globals, reason = "it stands beside the variants")]
    pub const Any: Wants = Wants::AllBut(&(&[] as &[TypeId]));

    #[inline]
    pub(crate) fn wants(self, id: TypeId) -> bool {
        match self {
            Wants::Types(types) => types.contains(&id),
            Wants::AllBut(types) => !types.contains(&id),
        }
    }
}

#[derive(Default)]
pub(crate) struct Saved {
    entries: Slab<Entry>,
    /// In order of first appearance; entries refer to it by index.
    types: Vec<Type>,
    /// Indices into `types`, ordered by type id.
    order: Vec<u32>,
    all: Option<Ends>,
    /// Messages that matchers have in hand.
    lent: u32,
}

/// Which of an entry's two links to follow.
#[derive(Clone, Copy)]
enum Lane {
    All,
    Same,
}

impl Saved {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether a message of a wanted type is saved.
    pub(crate) fn has_any(&self, wants: Wants) -> bool {
        match wants {
            Wants::AllBut([]) => !self.is_empty(),
            Wants::Types(types) if self.types.len() > FEW_TYPES => types.iter().any(|&id| {
                self.find_type(id)
                    .is_ok_and(|kind| self.types[kind as usize].ends.head != NONE)
            }),
            _ => self
                .types
                .iter()
                .any(|saved| saved.ends.head != NONE && wants.wants(saved.id)),
        }
    }

    fn find_type(&self, id: TypeId) -> Result<u32, usize> {
        self.order
            .binary_search_by(|&i| self.types[i as usize].id.cmp(&id))
            .map(|at| self.order[at])
    }

    fn intern(&mut self, id: TypeId) -> u32 {
        match self.find_type(id) {
            Ok(kind) => kind,
            Err(at) => {
                let kind = u32::try_from(self.types.len()).expect("fewer types than 2^32");
                self.types.push(Type {
                    id,
                    ends: Ends::NONE,
                });
                self.order.insert(at, kind);
                kind
            }
        }
    }

    fn link(&mut self, place: Place, lane: Lane) -> &mut Link {
        let entry = &mut self.entries[place as usize];
        match lane {
            Lane::All => &mut entry.all,
            Lane::Same => &mut entry.same,
        }
    }

    fn ends(&mut self, kind: u32, lane: Lane) -> &mut Ends {
        match lane {
            Lane::All => self.all.get_or_insert(Ends::NONE),
            Lane::Same => &mut self.types[kind as usize].ends,
        }
    }

    /// Saves a message with its arrival number.
    ///
    /// Nearly always it is the newest. A receive inside a matcher may have saved
    /// newer ones meanwhile; then its place is looked for from the end.
    pub(crate) fn insert(&mut self, node: NodeBox, arrival: u64) {
        let kind = self.intern(node.vtable().type_id);
        let unlinked = Link {
            prev: NONE,
            next: NONE,
        };
        let place = self.entries.insert(Entry {
            node: Some(node),
            arrival,
            kind,
            all: unlinked,
            same: unlinked,
        });
        let place = u32::try_from(place).expect("fewer saved messages than 2^32");
        for lane in [Lane::All, Lane::Same] {
            let mut next = NONE;
            let mut prev = self.ends(kind, lane).tail;
            while prev != NONE && self.entries[prev as usize].arrival > arrival {
                next = prev;
                prev = self.link(prev, lane).prev;
            }
            *self.link(place, lane) = Link { prev, next };
            match prev {
                NONE => self.ends(kind, lane).head = place,
                _ => self.link(prev, lane).next = place,
            }
            match next {
                NONE => self.ends(kind, lane).tail = place,
                _ => self.link(next, lane).prev = place,
            }
        }
    }

    /// Takes an entry out, with its message unless a matcher has that.
    pub(crate) fn remove(&mut self, place: Place) -> Option<NodeBox> {
        let node = self.take_out(place);
        self.shrink();
        node
    }

    fn take_out(&mut self, place: Place) -> Option<NodeBox> {
        let kind = self.entries[place as usize].kind;
        for lane in [Lane::All, Lane::Same] {
            let Link { prev, next } = *self.link(place, lane);
            match prev {
                NONE => self.ends(kind, lane).head = next,
                _ => self.link(prev, lane).next = next,
            }
            match next {
                NONE => self.ends(kind, lane).tail = prev,
                _ => self.link(next, lane).prev = prev,
            }
        }
        let node = self.entries.remove(place as usize).node;
        self.lent -= u32::from(node.is_none());
        node
    }

    /// Gives memory back when a backlog is gone, or nearly: what is left moves to the
    /// front. Not while a matcher's message has a place to come back to.
    fn shrink(&mut self) {
        let (len, capacity) = (self.entries.len(), self.entries.capacity());
        if capacity <= 1024 || len * 8 > capacity || self.lent > 0 {
            return;
        }
        let mut rest = Vec::with_capacity(len);
        let mut at = self.all.map_or(NONE, |all| all.head);
        while at != NONE {
            let entry = self.entries.remove(at as usize);
            at = entry.all.next;
            rest.extend(entry.node.map(|node| (node, entry.arrival)));
        }
        self.entries = Slab::new();
        self.all = None;
        for kind in &mut self.types {
            kind.ends = Ends::NONE;
        }
        for (node, arrival) in rest {
            self.insert(node, arrival);
        }
    }

    /// Lends the message of an entry to a matcher; the entry keeps its place.
    pub(crate) fn lend(&mut self, place: Place) -> Option<NodeBox> {
        let node = self.entries[place as usize].node.take();
        self.lent += u32::from(node.is_some());
        node
    }

    /// Takes a lent message back.
    pub(crate) fn give_back(&mut self, place: Place, node: NodeBox) {
        self.entries[place as usize].node = Some(node);
        self.lent -= 1;
    }

    /// Moves the messages that `wanted` says to `to`, oldest first: of one type, or of all.
    pub(super) fn extract(
        &mut self,
        of: Option<TypeId>,
        wanted: &dyn Fn(&NodeBox) -> bool,
        to: &mut Batch,
    ) {
        let mut at = match of {
            None => self.all.map_or(NONE, |all| all.head),
            Some(id) => self
                .find_type(id)
                .map_or(NONE, |kind| self.types[kind as usize].ends.head),
        };
        let mut found = Vec::new();
        while at != NONE {
            let entry = &self.entries[at as usize];
            if entry.node.as_ref().is_some_and(wanted) {
                found.push(at);
            }
            at = match of {
                None => entry.all.next,
                Some(_) => entry.same.next,
            };
        }
        for place in found {
            to.push(self.take_out(place).expect("no matcher has it"));
        }
        self.shrink();
    }

    /// The oldest wanted message that no matcher has.
    pub(crate) fn oldest(&self, wanted: impl Fn(&NodeBox) -> bool) -> Option<Place> {
        let mut at = self.all?.head;
        while at != NONE {
            let entry = &self.entries[at as usize];
            if entry.node.as_ref().is_some_and(&wanted) {
                return Some(at);
            }
            at = entry.all.next;
        }
        None
    }

    /// The arrival number of an entry.
    pub(crate) fn arrival(&self, place: Place) -> u64 {
        self.entries[place as usize].arrival
    }

    /// The first in a list that arrived after `after`: found from the old end
    /// for a scan that starts, from the new end for one that goes on.
    fn first_after(&self, ends: Ends, lane: Lane, after: u64) -> u32 {
        let link = |at: u32| match lane {
            Lane::All => self.entries[at as usize].all,
            Lane::Same => self.entries[at as usize].same,
        };
        if ends.head == NONE || self.entries[ends.head as usize].arrival > after {
            return ends.head;
        }
        let mut found = NONE;
        let mut at = ends.tail;
        while at != NONE && self.entries[at as usize].arrival > after {
            found = at;
            at = link(at).prev;
        }
        found
    }

    fn next_after(&self, ends: Ends, lane: Lane, hint: u32, hint_arrival: u64, after: u64) -> u32 {
        // The hint is where this scan stood. User code may have taken that entry
        // out, and another may have its place by now: then start again.
        let valid = hint != NONE
            && self
                .entries
                .get(hint as usize)
                .is_some_and(|e| e.arrival == hint_arrival);
        if !valid {
            return self.first_after(ends, lane, after);
        }
        let mut at = hint;
        while at != NONE && self.entries[at as usize].arrival <= after {
            let entry = &self.entries[at as usize];
            at = match lane {
                Lane::All => entry.all.next,
                Lane::Same => entry.same.next,
            };
        }
        at
    }

    /// The next message that `cursor`'s receive has to test, oldest first.
    pub(crate) fn next(&self, wants: Wants, cursor: &mut Cursor) -> Option<Place> {
        let mut best = NONE;
        let mut best_arrival = u64::MAX;
        let mut consider = |ends, lane, cursor: &mut Cursor, i| {
            let at = self.seek(ends, lane, cursor, i);
            if at != NONE && self.arrival(at) < best_arrival {
                best = at;
                best_arrival = self.arrival(at);
            }
        };
        match wants {
            Wants::AllBut([]) => consider(self.all?, Lane::All, cursor, 0),
            Wants::Types(types) => {
                for (i, &id) in types.iter().enumerate() {
                    if let Ok(kind) = self.find_type(id) {
                        consider(self.types[kind as usize].ends, Lane::Same, cursor, i);
                    }
                }
            }
            Wants::AllBut(_) => {
                for (i, kind) in self.types.iter().enumerate() {
                    if wants.wants(kind.id) {
                        consider(kind.ends, Lane::Same, cursor, i);
                    }
                }
            }
        }
        if best == NONE {
            return None;
        }
        cursor.after = self.arrival(best);
        Some(best)
    }

    /// The first entry of a list behind the cursor that no matcher has.
    fn seek(&self, ends: Ends, lane: Lane, cursor: &mut Cursor, i: usize) -> u32 {
        let (hint, hint_arrival) = cursor.hint(i);
        let mut at = self.next_after(ends, lane, hint, hint_arrival, cursor.after);
        while at != NONE && self.entries[at as usize].node.is_none() {
            let entry = &self.entries[at as usize];
            at = match lane {
                Lane::All => entry.all.next,
                Lane::Same => entry.same.next,
            };
        }
        if at != NONE {
            cursor.set_hint(i, at, self.arrival(at));
        }
        at
    }
}

/// Types whose position a cursor remembers; a receive of more types looks the
/// rest up anew for each message it tests.
const HINTS: usize = 8;

/// How far one scan has come: it has tested all that arrived up to `after`.
pub(crate) struct Cursor {
    after: u64,
    hints: [(u32, u64); HINTS],
}

impl Cursor {
    pub(crate) fn new(after: u64) -> Self {
        Cursor {
            after,
            hints: [(NONE, 0); HINTS],
        }
    }

    fn hint(&self, i: usize) -> (u32, u64) {
        self.hints.get(i).copied().unwrap_or((NONE, 0))
    }

    fn set_hint(&mut self, i: usize, at: u32, arrival: u64) {
        if let Some(hint) = self.hints.get_mut(i) {
            *hint = (at, arrival);
        }
    }
}

#[cfg(all(test, not(uproar_loom)))]
mod tests {
    use super::*;

    fn drain(saved: &mut Saved, wants: Wants) -> Vec<u64> {
        let mut cursor = Cursor::new(0);
        let mut seen = Vec::new();
        while let Some(place) = saved.next(wants, &mut cursor) {
            seen.push(saved.arrival(place));
        }
        seen
    }

    const NUMBERS: Wants = Wants::Types(&[TypeId::of::<u64>()]);
    const BOTH: Wants = Wants::Types(&[TypeId::of::<u64>(), TypeId::of::<bool>()]);
    const NO_NUMBERS: Wants = Wants::AllBut(&(&[TypeId::of::<u64>()] as &[TypeId]));

    fn fill() -> Saved {
        let mut saved = Saved::default();
        for n in 1..=9u64 {
            let node = match n % 3 {
                0 => NodeBox::message(n),
                1 => NodeBox::message(n == 1),
                _ => NodeBox::message("text"),
            };
            saved.insert(node, n);
        }
        saved
    }

    #[test]
    fn lists_are_in_arrival_order() {
        let mut saved = fill();
        assert_eq!(drain(&mut saved, NUMBERS), [3, 6, 9]);
        assert_eq!(drain(&mut saved, BOTH), [1, 3, 4, 6, 7, 9]);
        assert_eq!(drain(&mut saved, NO_NUMBERS), [1, 2, 4, 5, 7, 8]);
        assert_eq!(drain(&mut saved, Wants::Any), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        for n in [1, 2, 4, 5, 7, 8] {
            assert!(saved.has_any(NO_NUMBERS), "before {n}");
            let place = saved.next(NO_NUMBERS, &mut Cursor::new(0)).expect("one");
            assert_eq!(saved.arrival(place), n);
            drop(saved.remove(place));
        }
        assert!(!saved.has_any(NO_NUMBERS) && saved.has_any(NUMBERS));
    }

    #[test]
    fn a_late_save_finds_its_place() {
        let mut saved = Saved::default();
        for n in [1, 4, 5, 2, 3] {
            saved.insert(NodeBox::message(n), n);
        }
        assert_eq!(drain(&mut saved, NUMBERS), [1, 2, 3, 4, 5]);
        assert_eq!(drain(&mut saved, Wants::Any), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_lent_message_is_passed_over_and_keeps_its_place() {
        let mut saved = fill();
        let mut cursor = Cursor::new(0);
        let place = saved.next(NUMBERS, &mut cursor).expect("three");
        let node = saved.lend(place).expect("not lent before");
        assert_eq!(drain(&mut saved, NUMBERS), [6, 9]);
        saved.give_back(place, node);
        assert_eq!(drain(&mut saved, NUMBERS), [3, 6, 9]);
    }

    #[test]
    fn the_last_of_a_long_backlog_keep_order_and_little_memory() {
        let mut saved = Saved::default();
        for n in 1..=100_000u64 {
            saved.insert(NodeBox::message(n), n);
        }
        for _ in 0..99_990 {
            let oldest = saved.oldest(|_| true).expect("more are there");
            drop(saved.remove(oldest));
        }
        assert_eq!(
            drain(&mut saved, NUMBERS),
            (99_991..=100_000).collect::<Vec<_>>()
        );
        assert!(saved.entries.capacity() <= 1024);
    }

    #[test]
    fn a_cursor_survives_removals_under_it() {
        let mut saved = fill();
        let mut cursor = Cursor::new(0);
        let place = saved.next(Wants::Any, &mut cursor).expect("nine");
        saved.remove(place);
        let second = saved.next(Wants::Any, &mut cursor).expect("eight");
        assert_eq!(saved.arrival(second), 2);
        // Another message takes the place that the hint points to.
        saved.remove(second);
        saved.insert(NodeBox::message(10u64), 10);
        let third = saved.next(Wants::Any, &mut cursor).expect("seven");
        assert_eq!(saved.arrival(third), 3);
    }
}
