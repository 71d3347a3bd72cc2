use std::sync::Arc;

use super::{Incoming, SINGLES, Stream};
use crate::mailbox::incoming::{Batch, Pushed};
use crate::mailbox::node::NodeBox;
use crate::mailbox::queued::Queued;

/// What was in a message: they are of four sizes in turn, the largest one boxed.
enum Message {
    Bare,
    One(u64),
    Three([u64; 3]),
    Boxed([u64; 9]),
}

/// The receiver is awake.
fn send(stream: &Stream, queue: &Incoming, number: u64) {
    let pushed = match number % 4 {
        0 => stream.push(queue, (number,)).map_err(|_| ()),
        1 => stream.push(queue, [number; 3]).map_err(|_| ()),
        2 => stream.push(queue, [number; 9]).map_err(|_| ()),
        _ => stream.push(queue, ()).map_err(|_| ()),
    };
    assert_eq!(pushed, Ok(Pushed::Queued));
}

fn open(mut node: NodeBox) -> Message {
    if let Some((number,)) = node.take() {
        Message::One(number)
    } else if let Some(numbers) = node.take() {
        Message::Three(numbers)
    } else if let Some(numbers) = node.take() {
        Message::Boxed(numbers)
    } else {
        node.take::<()>().expect("nothing else is sent");
        Message::Bare
    }
}

fn check(batch: &mut Batch, mut number: u64) -> u64 {
    while let Some(queued) = batch.pop() {
        match (number % 4, open(queued.into_node())) {
            (0, Message::One(n)) => assert_eq!(n, number),
            (1, Message::Three(n)) => assert_eq!(n, [number; 3]),
            (2, Message::Boxed(n)) => assert_eq!(n, [number; 9]),
            (3, Message::Bare) => {}
            _ => panic!("message {number} is another one"),
        }
        number += 1;
    }
    number
}

/// Links in a batch, and how many of them are bundles.
fn bundles(batch: &mut Batch) -> usize {
    let mut items = 0;
    while let Some(queued) = batch.pop() {
        items += usize::from(matches!(queued, Queued::Item(_)));
    }
    items
}

#[test]
fn messages_of_every_size_arrive_in_order() {
    let (stream, queue) = (Stream::new(), Incoming::new());
    let mut received = 0;
    let mut sent = 0;
    for round in 1..200 {
        for _ in 0..round {
            send(&stream, &queue, sent);
            sent += 1;
        }
        received = check(&mut queue.take(), received);
        assert_eq!(received, sent);
    }
    stream.let_go();
}

#[test]
fn only_a_sender_that_is_ahead_makes_bundles() {
    let (stream, queue) = (Stream::new(), Incoming::new());
    for _ in 0..100 {
        send(&stream, &queue, 0);
        assert_eq!(bundles(&mut queue.take()), 0);
    }
    for _ in 0..SINGLES {
        send(&stream, &queue, 0);
    }
    assert_eq!(bundles(&mut queue.take()), 0);
    for _ in 0..100 {
        send(&stream, &queue, 0);
    }
    assert!(bundles(&mut queue.take()) > 90);
    stream.let_go();
}

#[test]
fn what_another_sends_in_between_keeps_its_place() {
    let (a, b, queue) = (Stream::new(), Stream::new(), Incoming::new());
    for number in 0..1000 {
        send(if number % 100 == 99 { &b } else { &a }, &queue, number);
    }
    assert_eq!(check(&mut queue.take(), 0), 1000);
    a.let_go();
    b.let_go();
}

#[test]
fn a_stream_to_two_queues_is_two_streams() {
    let stream = Stream::new();
    let queues = [Incoming::new(), Incoming::new()];
    for run in 0..100 {
        for number in run * 10..run * 10 + 10 {
            send(&stream, &queues[0], number);
        }
        for number in run * 10..run * 10 + 10 {
            send(&stream, &queues[1], number);
        }
    }
    for queue in &queues {
        assert_eq!(check(&mut queue.take(), 0), 1000);
    }
    stream.let_go();
}

#[test]
fn nothing_is_appended_to_what_has_been_taken() {
    let (stream, queue) = (Stream::new(), Incoming::new());
    for number in 0..20 {
        send(&stream, &queue, number);
    }
    let mut first = queue.take();
    for number in 20..40 {
        send(&stream, &queue, number);
    }
    assert_eq!(check(&mut first, 0), 20);
    assert_eq!(check(&mut queue.take(), 20), 40);
    stream.let_go();
}

#[test]
fn a_closed_queue_gives_the_message_back() {
    let (stream, queue) = (Stream::new(), Incoming::new());
    let count = Arc::new(());
    for _ in 0..20 {
        assert!(stream.push(&queue, count.clone()).is_ok());
    }
    let rest = queue.close().expect("it was open");
    for _ in 0..20 {
        assert!(stream.push(&queue, count.clone()).is_err());
    }
    assert_eq!(Arc::strong_count(&count), 21);
    drop(rest);
    assert_eq!(Arc::strong_count(&count), 1);
    // An open one is served as before.
    let queue = Incoming::new();
    for _ in 0..20 {
        assert!(stream.push(&queue, count.clone()).is_ok());
    }
    drop(queue);
    assert_eq!(Arc::strong_count(&count), 1);
    stream.let_go();
}

#[test]
fn an_item_may_outlast_the_ones_behind_it() {
    let (stream, queue) = (Stream::new(), Incoming::new());
    let count = Arc::new(());
    for _ in 0..SINGLES + 3 {
        assert!(stream.push(&queue, count.clone()).is_ok());
    }
    let mut batch = queue.take();
    for _ in 0..SINGLES {
        assert!(matches!(batch.pop(), Some(Queued::Node(_))));
    }
    // A guard that receives while it looks at a message.
    let mut outer = batch.pop().expect("there are three");
    let refused = outer.take_if(|count: Arc<()>| {
        drop(batch.pop());
        drop(batch.pop());
        assert!(batch.pop().is_none());
        Err::<(), _>(count)
    });
    assert!(refused.is_none());
    stream.let_go();
    assert_eq!(Arc::strong_count(&count), 2);
    drop(outer);
    assert_eq!(Arc::strong_count(&count), 1);
}

#[test]
fn a_destructor_that_panics_leaves_the_rest() {
    struct Bomb {
        _count: Arc<()>,
    }
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let (stream, queue) = (Stream::new(), Incoming::new());
    let count = Arc::new(());
    for _ in 0..30 {
        assert!(
            stream
                .push(
                    &queue,
                    Bomb {
                        _count: count.clone()
                    }
                )
                .is_ok()
        );
    }
    drop(queue.take());
    assert_eq!(Arc::strong_count(&count), 1);
    stream.let_go();
}
