use super::{Affinity, Bound, cpus_for};

const SPARSE: [usize; 2] = [2, 4];

fn workers(affinity: &Affinity, count: usize) -> Vec<Option<Vec<usize>>> {
    (0..count)
        .map(|k| cpus_for(affinity, &SPARSE, Bound::Worker(k)))
        .collect()
}

// Case 33: the k-th CPU is the k-th that is allowed.
#[test]
fn best_effort_counts_the_allowed_cpus() {
    let bound = workers(&Affinity::BestEffort, 3);
    assert_eq!(bound, [Some(vec![2]), Some(vec![4]), Some(vec![2])]);
    let lanes = cpus_for(&Affinity::BestEffort, &SPARSE, Bound::Lane);
    assert_eq!(lanes, Some(vec![2, 4]));
}

#[test]
fn fixed_takes_the_list_as_it_is() {
    let fixed = Affinity::Fixed(vec![4, 9]);
    assert_eq!(
        workers(&fixed, 3),
        [Some(vec![4]), Some(vec![9]), Some(vec![4])]
    );
    let caller = cpus_for(&fixed, &SPARSE, Bound::Caller);
    assert_eq!(caller, Some(vec![4]));
    // A lane keeps to those that there are.
    assert_eq!(cpus_for(&fixed, &SPARSE, Bound::Lane), Some(vec![4]));
    let none = Affinity::Fixed(vec![7]);
    assert_eq!(cpus_for(&none, &SPARSE, Bound::Lane), Some(vec![7]));
}

#[test]
fn without_a_wish_nothing_is_bound() {
    assert_eq!(workers(&Affinity::None, 2), [None, None]);
}
