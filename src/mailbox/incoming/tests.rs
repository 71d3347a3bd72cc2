use super::{Batch, Incoming, Park, Peek, Pushed, Taken};
use crate::mailbox::node::NodeBox;
use crate::signals::Signal;

fn message(number: u32) -> NodeBox {
    NodeBox::message(number)
}

fn control() -> NodeBox {
    NodeBox::control(Signal::Kill)
}

/// What is in a batch: messages by number, `None` for control signals.
fn contents(mut batch: Batch) -> Vec<Option<u32>> {
    std::iter::from_fn(|| batch.pop_node().map(|mut node| node.take())).collect()
}

fn messages(numbers: impl IntoIterator<Item = u32>) -> Vec<Option<u32>> {
    numbers.into_iter().map(Some).collect()
}

fn batch(nodes: impl IntoIterator<Item = NodeBox>) -> Batch {
    let mut batch = Batch::default();
    nodes.into_iter().for_each(|node| batch.push(node));
    batch
}

#[test]
fn what_is_pushed_is_taken_in_order() {
    let queue = Incoming::new();
    for round in 0..3 {
        assert!(!queue.has_signals());
        assert!(queue.take().is_empty());
        for number in 0..round * 2 {
            assert!(matches!(queue.push(message(number)), Ok(Pushed::Queued)));
        }
        assert_eq!(queue.has_signals(), round > 0);
        assert_eq!(contents(queue.take()), messages(0..round * 2));
    }
}

#[test]
fn a_taken_list_says_whether_control_signals_are_in_it() {
    let queue = Incoming::new();
    assert!(queue.push(message(1)).is_ok());
    assert!(!queue.take_counted().control);
    for node in [message(1), control(), message(2)] {
        assert!(queue.push(node).is_ok());
    }
    let Taken { batch, control, .. } = queue.take_counted();
    assert!(control);
    assert_eq!(contents(batch), [Some(1), None, Some(2)]);
    assert!(!queue.take_counted().control);
}

#[test]
fn the_first_push_after_a_park_wakes() {
    let queue = Incoming::new();
    assert_eq!(queue.peek(), Peek::Nothing);
    assert_eq!(queue.park(), Park::Parked);
    assert_eq!(queue.park(), Park::Parked);
    assert!(queue.is_parked());
    assert_eq!(queue.peek(), Peek::Nothing);
    assert!(queue.take().is_empty());
    assert!(
        queue.is_parked(),
        "a take that finds nothing changes nothing"
    );
    assert!(matches!(queue.push(message(1)), Ok(Pushed::Wake)));
    assert!(!queue.is_parked());
    assert_eq!(queue.peek(), Peek::Signals);
    assert_eq!(queue.park(), Park::Signals);
    assert!(matches!(queue.push(message(2)), Ok(Pushed::Queued)));
    assert_eq!(contents(queue.take()), messages([1, 2]));
}

#[test]
fn a_park_can_be_taken_back() {
    let queue = Incoming::new();
    queue.unpark();
    assert_eq!(queue.park(), Park::Parked);
    queue.unpark();
    assert!(!queue.is_parked());
    assert!(matches!(queue.push(message(1)), Ok(Pushed::Queued)));
    queue.unpark();
    assert_eq!(contents(queue.take()), messages([1]));
}

#[test]
fn a_closed_queue_gives_everything_back() {
    let queue = Incoming::new();
    assert!(queue.push(message(1)).is_ok());
    assert!(queue.push(message(2)).is_ok());
    assert_eq!(contents(queue.close().unwrap()), messages([1, 2]));
    assert!(queue.close().is_none());
    assert!(queue.is_closed());
    assert_eq!(queue.peek(), Peek::Closed);
    assert_eq!(queue.park(), Park::Closed);
    queue.unpark();
    let mut back = queue.push(message(3)).unwrap_err();
    assert_eq!(back.take(), Some(3u32));
    assert!(queue.take().is_empty());
    assert!(queue.is_closed());
}

#[test]
fn a_close_is_the_same_whatever_the_receiver_does() {
    for parked in [false, true] {
        let queue = Incoming::new();
        if parked {
            assert_eq!(queue.park(), Park::Parked);
        }
        assert!(queue.close().unwrap().is_empty());
        assert!(queue.push(message(1)).is_err());
    }
}

#[test]
fn what_is_left_is_dropped_with_the_queue() {
    let content = std::sync::Arc::new(());
    let queue = Incoming::new();
    for _ in 0..3 {
        assert!(queue.push(NodeBox::message(content.clone())).is_ok());
    }
    drop(queue.take().pop_node());
    drop(queue.push(NodeBox::message(content.clone())));
    drop(queue);
    assert_eq!(std::sync::Arc::strong_count(&content), 1);
}

#[test]
fn batches_append_and_keep_their_order() {
    let mut empty = Batch::default();
    let mut first = Batch::default();
    first.append(&mut empty);
    assert!(first.is_empty());
    first.append(&mut batch([message(1), message(2)]));
    first.append(&mut empty);
    let mut second = batch([message(3)]);
    first.append(&mut second);
    assert!(second.is_empty());
    second.push(message(9));
    first.append_all(batch([message(4)]));
    first.push(message(5));
    assert_eq!(contents(first), messages(1..=5));
    assert_eq!(contents(second), messages([9]));
}

#[test]
fn an_emptied_batch_can_be_filled_again() {
    let mut batch = batch([message(1)]);
    assert!(batch.pop_node().is_some());
    assert!(batch.pop_node().is_none());
    assert!(batch.is_empty());
    batch.push(message(2));
    batch.push(message(3));
    assert_eq!(contents(batch), messages([2, 3]));
}

#[test]
fn the_first_message_is_taken_from_among_the_signals() {
    let mut mixed = batch([control(), control(), message(1), control(), message(2)]);
    assert_eq!(mixed.take_first_message().unwrap().take(), Some(1u32));
    mixed.push(message(3));
    assert_eq!(mixed.take_first_message().unwrap().take(), Some(2u32));
    assert_eq!(mixed.take_first_message().unwrap().take(), Some(3u32));
    assert!(mixed.take_first_message().is_none());
    mixed.push(message(4));
    assert_eq!(contents(mixed), [None, None, None, Some(4)]);
    assert!(Batch::default().take_first_message().is_none());
}

#[test]
fn a_long_batch_and_one_whose_destructors_panic_are_dropped_whole() {
    struct Panics(#[expect(dead_code, reason = "it is dropped")] std::sync::Arc<()>);
    impl Drop for Panics {
        fn drop(&mut self) {
            std::panic::resume_unwind(Box::new("in a destructor"));
        }
    }

    drop(batch((0..300_000).map(message)));
    let content = std::sync::Arc::new(());
    drop(batch(
        (0..5).map(|_| NodeBox::message(Panics(content.clone()))),
    ));
    assert_eq!(std::sync::Arc::strong_count(&content), 1);
}
