use std::sync::atomic::AtomicUsize;

use super::*;

#[derive(Default)]
struct Count(AtomicUsize);

impl Tied for Count {
    fn target_ended(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Count {
    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

// [J1]
#[test]
fn each_tie_is_told_once_unless_taken_back() {
    let ties = Ties::new();
    let [kept, untied, late] = std::array::from_fn(|_| Arc::new(Count::default()));
    ties.tie(kept.clone()).expect("alive");
    let tie = ties.tie(untied.clone()).expect("alive");
    ties.untie(tie);
    ties.untie(tie);
    let mut cut = ties.end().expect("the first end");
    assert_eq!(ties.tie(late.clone()), None);
    assert!(ties.end().is_none(), "[J5]");
    ties.untie(0);
    cut.tell_timers();
    assert_eq!((kept.get(), untied.get(), late.get()), (1, 0, 0));
    assert!(
        [&kept, &untied, &late]
            .iter()
            .all(|t| Arc::strong_count(t) == 1)
    );
}

#[test]
fn an_actor_without_ties_ends_without_a_block() {
    let ties = Ties::new();
    ties.untie(0);
    assert!(ties.end().is_some());
    assert!(ties.end().is_none(), "[J5]");
    assert_eq!(ties.tie(Arc::new(Count::default())), None);
    assert!(ties.get().is_none());
}
