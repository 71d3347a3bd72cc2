use std::any::TypeId;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::{Body, Kind, NodeBox, Payload, WORDS, inline};

const fn is_inline<T>() -> bool {
    inline::<T>()
}

impl NodeBox {
    fn take_if<T: Send + 'static, A>(&mut self, test: impl FnOnce(T) -> Result<A, T>) -> Option<A> {
        // SAFETY: a node's body is valid, and the node stays borrowed.
        unsafe { Body::take_if(self.body(), test) }
    }
}

/// Aligned to more than a node is.
#[derive(Clone, PartialEq, Debug)]
#[repr(align(64))]
struct Wide(u8);

#[derive(Clone, PartialEq, Debug)]
#[repr(align(64))]
struct WideNothing;

/// A message that tells how many of it there are.
#[derive(Clone)]
struct Counted<const N: usize> {
    count: Arc<()>,
    _ballast: [usize; N],
}

fn counted<const N: usize>() -> (Counted<N>, Arc<()>) {
    let count = Arc::new(());
    let message = Counted {
        count: count.clone(),
        _ballast: [7; N],
    };
    (message, count)
}

fn alive(count: &Arc<()>) -> usize {
    Arc::strong_count(count) - 1
}

fn there_and_back<T: Clone + PartialEq + std::fmt::Debug + Send + 'static>(value: T) {
    let mut node = NodeBox::message(value.clone());
    assert!(node.is::<T>());
    assert!(!node.is::<Arc<()>>());
    assert_eq!(node.vtable().kind, Kind::Message);
    assert_eq!(node.vtable().type_id, TypeId::of::<T>());
    assert_eq!((node.vtable().type_name)(), std::any::type_name::<T>());
    assert!(node.take::<Arc<()>>().is_none());
    assert!(node.take_if(Ok::<Arc<()>, _>).is_none());
    assert!(node.take_if(|v: T| Err::<(), T>(v)).is_none());
    assert_eq!(node.take_if(|v: T| Ok(v)), Some(value.clone()));
    assert!(node.take::<T>().is_none());
    let mut node = NodeBox::message(value.clone());
    assert_eq!(node.take(), Some(value.clone()));
    assert!(!node.is::<T>());
    // Dropped full.
    drop(NodeBox::message(value));
}

#[test]
fn messages_of_every_size_and_alignment_come_back_as_they_were() {
    assert!(is_inline::<()>() && is_inline::<[usize; WORDS]>());
    assert!(!is_inline::<[usize; WORDS + 1]>() && !is_inline::<Wide>());
    assert!(!is_inline::<WideNothing>());
    there_and_back(());
    there_and_back(1u8);
    there_and_back([1usize; WORDS]);
    there_and_back([2usize; WORDS + 1]);
    there_and_back([3u8; 10_000]);
    there_and_back(String::from("text"));
    there_and_back(Box::new(4u64));
    there_and_back(Wide(5));
    there_and_back([Wide(6), Wide(7)]);
    there_and_back(WideNothing);
    there_and_back(u128::MAX);
}

#[test]
fn an_aligned_message_is_aligned() {
    let mut node = NodeBox::message(Wide(1));
    // SAFETY: the payload of a boxed message is its pointer.
    let at = unsafe {
        (&raw const (*node.body()).payload)
            .cast::<*const Wide>()
            .read()
    };
    assert!(at.is_aligned());
    assert_eq!(node.take(), Some(Wide(1)));
}

#[test]
fn each_message_is_dropped_once() {
    fn check<const N: usize>() {
        let (message, count) = counted::<N>();
        drop(NodeBox::message(message));
        assert_eq!(alive(&count), 0);

        let (message, count) = counted::<N>();
        let mut node = NodeBox::message(message);
        let taken = node.take::<Counted<N>>();
        drop(node);
        assert_eq!(alive(&count), 1);
        drop(taken);
        assert_eq!(alive(&count), 0);

        let (message, count) = counted::<N>();
        let mut node = NodeBox::message(message);
        for _ in 0..3 {
            assert!(node.take_if(Err::<(), Counted<N>>).is_none());
        }
        assert_eq!(alive(&count), 1);
        assert!(node.is::<Counted<N>>());
        let kept = node.take_if(|m: Counted<N>| Ok::<_, Counted<N>>(m.count));
        drop(node);
        assert_eq!(alive(&count), 1);
        drop(kept);
        assert_eq!(alive(&count), 0);
    }
    check::<0>();
    check::<20>();
}

#[test]
fn a_test_that_panics_takes_the_message_with_it() {
    fn check<const N: usize>() {
        let (message, count) = counted::<N>();
        let mut node = NodeBox::message(message);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            node.take_if(|_: Counted<N>| -> Result<(), _> {
                std::panic::resume_unwind(Box::new("in a guard"))
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(alive(&count), 0);
        assert!(!node.is::<Counted<N>>());
        assert_eq!((node.vtable().type_name)(), "(taken)");
        assert!(node.take::<Counted<N>>().is_none());
        drop(node);
        assert_eq!(alive(&count), 0);
    }
    check::<0>();
    check::<20>();
}

#[test]
fn a_refused_message_goes_back_changed_and_to_where_it_was() {
    type Large = [usize; 10];
    let boxed_at = |node: &NodeBox| {
        // SAFETY: the payload of a boxed message is its pointer.
        unsafe {
            (&raw const (*node.body()).payload)
                .cast::<*const Large>()
                .read()
        }
    };
    let mut node = NodeBox::message([1usize; 10]);
    let before = boxed_at(&node);
    let refused = node.take_if(|mut m: Large| {
        m[5] = 2;
        Err::<(), Large>(m)
    });
    assert!(refused.is_none());
    assert_eq!(boxed_at(&node), before);
    assert_eq!(node.take::<Large>().unwrap()[4..7], [1, 2, 1]);
}

#[test]
fn a_destructor_that_panics_does_not_lose_the_node() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            std::panic::resume_unwind(Box::new("in a destructor"));
        }
    }
    for _ in 0..100 {
        let node = NodeBox::message(Panics);
        assert!(catch_unwind(AssertUnwindSafe(|| drop(node))).is_err());
    }
}

#[test]
fn a_control_node_is_not_a_message() {
    let mut node = NodeBox::control(5u8);
    assert_eq!(node.vtable().kind, Kind::Control);
    assert_eq!(node.take::<u8>(), Some(5));
    assert_eq!(size_of::<Payload>(), WORDS * size_of::<usize>());
    assert_eq!(size_of::<super::Node>(), (WORDS + 2) * size_of::<usize>());
}
