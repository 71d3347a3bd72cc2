//! `syscall`: waiting for sources, several at once, and nothing for the wrong one.
#![cfg(unix)]

#[macro_use]
mod support;

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use futures::stream::{FuturesUnordered, StreamExt};
use futures::{FutureExt, join, poll};
use support::{polled, watchdog};
use uproar::prelude::*;
use uproar::{ProcessState, Runtime, WaitsFor, net};

const MS: Duration = Duration::from_millis(1);

/// Two that are connected, in non-blocking mode.
fn pair() -> (UnixStream, UnixStream) {
    let (one, other) = UnixStream::pair().unwrap();
    one.set_nonblocking(true).unwrap();
    other.set_nonblocking(true).unwrap();
    (one, other)
}

fn fill(mut stream: &UnixStream) {
    while stream.write(&[0; 4096]).is_ok() {}
}

fn empty(mut stream: &UnixStream) {
    while matches!(stream.read(&mut [0; 4096]), Ok(n) if n > 0) {}
}

both! {
    async fn readable_when_something_comes() {
        let (here, mut there) = pair();
        assert!(syscall(&here, Interest::READABLE).now_or_never().is_none());
        let (ready, _) = join!(syscall(&here, Interest::READABLE), async {
            yield_now().await;
            there.write_all(b"x").unwrap();
        });
        assert_eq!(ready.unwrap(), Interest::READABLE);
        // A state: it is ready until somebody reads.
        assert_eq!(syscall(&here, Interest::READABLE).await.unwrap(), Interest::READABLE);
        empty(&here);
        assert!(syscall(&here, Interest::READABLE).now_or_never().is_none());
    }

    async fn writable_when_there_is_room() {
        let (here, there) = pair();
        assert_eq!(syscall(&here, Interest::WRITABLE).await.unwrap(), Interest::WRITABLE);
        fill(&here);
        assert!(syscall(&here, Interest::WRITABLE).now_or_never().is_none());
        let (ready, _) = join!(syscall(&here, Interest::WRITABLE), async {
            yield_now().await;
            empty(&there);
        });
        assert_eq!(ready.unwrap(), Interest::WRITABLE);
    }

    async fn either_of_both() {
        let (here, mut there) = pair();
        let both = Interest::READABLE | Interest::WRITABLE;
        assert_eq!(syscall(&here, both).await.unwrap(), Interest::WRITABLE);
        there.write_all(b"x").unwrap();
        assert_eq!(syscall(&here, both).await.unwrap(), both);
        fill(&here);
        assert_eq!(syscall(&here, both).await.unwrap(), Interest::READABLE);
    }

    async fn a_hang_up_is_ready_for_all() {
        let (here, there) = pair();
        fill(&here);
        let both = join!(
            syscall(&here, Interest::READABLE),
            syscall(&here, Interest::WRITABLE),
            async { drop(there) },
        );
        both.0.unwrap();
        both.1.unwrap();
    }

    // [R63] several futures of several actors, in both directions, at one source.
    async fn many_at_one_source() {
        let (here, mut there) = pair();
        let here = Arc::new(here);
        fill(&here);
        let me = self_address::<Anything>();
        for n in 0..6u32 {
            let (here, me) = (Arc::clone(&here), me.clone());
            spawn(async move {
                let reads = (0..3).map(|_| syscall(&here, Interest::READABLE).boxed());
                let writes = (0..3).map(|_| syscall(&here, Interest::WRITABLE).boxed());
                let mut all: FuturesUnordered<_> = reads.chain(writes).collect();
                while let Some(ready) = all.next().await {
                    me.send((n, ready.unwrap()));
                }
            });
        }
        for _ in 0..8 {
            yield_now().await;
        }
        assert!(try_receive::<Envelope>().is_none());
        there.write_all(b"x").unwrap();
        for _ in 0..18 {
            let Typed((_, ready)) = receive::<Typed<(u32, Interest)>>().await;
            assert_eq!(ready, Interest::READABLE);
        }
        assert!(try_receive::<Envelope>().is_none());
        empty(&there);
        for _ in 0..18 {
            let Typed((_, ready)) = receive::<Typed<(u32, Interest)>>().await;
            assert_eq!(ready, Interest::WRITABLE);
        }
    }

    // Each is polled when it is begun and when it is ready, and no more.
    async fn exact_polls() {
        let (here, mut there) = pair();
        let (wait, polls) = polled(syscall(&here, Interest::READABLE));
        let (ready, ()) = join!(wait, async {
            yield_now().await;
            there.write_all(b"x").unwrap();
        });
        ready.unwrap();
        // `join!` polls both when it is woken for one.
        assert!(polls.load(Ordering::SeqCst) <= 3);
    }

    // A future that moves from one waker to another is woken under the second.
    async fn polled_under_two_wakers() {
        let (here, mut there) = pair();
        let mut wait = pin!(syscall(&here, Interest::READABLE));
        {
            let mut group = FuturesUnordered::new();
            group.push(async { poll!(wait.as_mut()).is_pending() });
            assert_eq!(group.next().await, Some(true));
        }
        assert!(poll!(wait.as_mut()).is_pending());
        there.write_all(b"x").unwrap();
        wait.await.unwrap();
    }

    // Case 29 [R61] a number that is used again wakes nobody who waits for its new owner.
    async fn a_reused_number() {
        let mut reused = 0;
        for _ in 0..50 {
            let (here, mut there) = pair();
            let (other, mut other_there) = pair();
            let number = other.as_raw_fd();
            {
                let mut waits = pin!(syscall(&here, Interest::READABLE));
                let mut abandoned = pin!(syscall(&other, Interest::READABLE));
                assert!(poll!(waits.as_mut()).is_pending());
                assert!(poll!(abandoned.as_mut()).is_pending());
                // Both come in one batch.
                there.write_all(b"x").unwrap();
                other_there.write_all(b"x").unwrap();
                waits.await.unwrap();
            }
            drop(other);
            let (fresh, mut fresh_there) = pair();
            reused += usize::from(fresh.as_raw_fd() == number);
            let mut waits = pin!(syscall(&fresh, Interest::READABLE));
            for _ in 0..3 {
                assert!(poll!(waits.as_mut()).is_pending(), "it is not ready yet");
                yield_now().await;
            }
            fresh_there.write_all(b"y").unwrap();
            waits.await.unwrap();
        }
        assert!(reused > 0);
    }

    // A source is closed behind its waiters' backs; its number is another's.
    async fn closed_while_it_is_waited_for() {
        for keep in [false, true] {
            let (here, _there) = pair();
            let duplicate = keep.then(|| here.try_clone().unwrap());
            let number = here.into_raw_fd();
            // SAFETY: what is waited for is about to be somebody else's. That is the test.
            let dangling = unsafe { BorrowedFd::borrow_raw(number) };
            let mut old = pin!(syscall(&dangling, Interest::READABLE));
            assert!(poll!(old.as_mut()).is_pending());
            // SAFETY: it was ours.
            drop(unsafe { OwnedFd::from_raw_fd(number) });
            let mut others: Vec<(UnixStream, UnixStream)> = Vec::new();
            while others.last().is_none_or(|last| last.0.as_raw_fd() != number) {
                others.push(pair());
                if others.len() > 100 {
                    // Another test has taken it.
                    return;
                }
            }
            let (fresh, mut fresh_there) = others.pop().unwrap();
            let mut waits = pin!(syscall(&fresh, Interest::READABLE));
            assert!(poll!(waits.as_mut()).is_pending());
            let error = old.await.unwrap_err();
            assert!(error.to_string().contains("closed while"), "{error}");
            assert!(poll!(waits.as_mut()).is_pending());
            fresh_there.write_all(b"x").unwrap();
            waits.await.unwrap();
            drop(duplicate);
        }
    }

    async fn what_can_not_be_polled() {
        let file = File::open("Cargo.toml").unwrap();
        let error = syscall(&file, Interest::READABLE).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("can't be polled, as a regular file"), "{error}");
        // A pipe, a device.
        let (reader, mut writer) = io::pipe().unwrap();
        assert!(syscall(&reader, Interest::READABLE).now_or_never().is_none());
        writer.write_all(b"x").unwrap();
        syscall(&reader, Interest::READABLE).await.unwrap();
        // SAFETY: nobody has it open; the call that is tested says so.
        let closed = unsafe { BorrowedFd::borrow_raw(999_999) };
        assert!(syscall(&closed, Interest::READABLE).await.is_err());
    }
}

/// Case 29, on threads: sockets of `net` whose readers are killed with events under way,
/// and sources whose waits are dropped, so often that numbers are used again and again.
#[uproar::test]
async fn ten_thousand_reused_numbers() {
    let _watchdog = watchdog(120);
    let false_alarms = Arc::new(AtomicUsize::new(0));
    for round in 0..10_000 {
        let (here, mut there) = net::UnixStream::pair().unwrap();
        let reader = spawn(async move {
            let mut here = here;
            futures::AsyncReadExt::read(&mut here, &mut [0; 8])
                .await
                .map(|_| ())
        });
        if round % 3 == 0 {
            yield_now().await;
        }
        futures::AsyncWriteExt::write(&mut there, b"x")
            .await
            .unwrap();
        if round % 2 == 0 {
            kill(&reader);
        }
        drop(there);
        let (fresh, mut fresh_there) = pair();
        let mut waits = pin!(syscall(&fresh, Interest::READABLE));
        if poll!(waits.as_mut()).is_ready() {
            false_alarms.fetch_add(1, Ordering::SeqCst);
            continue;
        }
        yield_now().await;
        if poll!(waits.as_mut()).is_ready() {
            false_alarms.fetch_add(1, Ordering::SeqCst);
            continue;
        }
        if round % 5 == 0 {
            fresh_there.write_all(b"y").unwrap();
            waits.await.unwrap();
        }
    }
    assert_eq!(false_alarms.load(Ordering::SeqCst), 0);
}

/// [R61] A limit is no ready source, and takes the wait back.
#[test]
fn limits_and_drops_leave_nothing() {
    let _watchdog = watchdog(60);
    for seed in 0..100 {
        let runtime = Runtime::builder().seed(seed).jump_over_io(true).manual();
        runtime.block_on(async {
            let (here, _there) = pair();
            let start = now();
            let wait = syscall(&here, Interest::READABLE).timeout(5 * MS);
            assert_eq!(wait.await.unwrap_err().kind(), ErrorKind::TimedOut);
            assert!(now() - start >= 5 * MS);
            for limit in [Duration::ZERO, Duration::MAX] {
                let wait = syscall(&here, Interest::READABLE).timeout(limit);
                assert_eq!(wait.now_or_never().is_some(), limit.is_zero());
            }
            // Dropped with the actor that waits.
            let here = Arc::new(here);
            let waiters: Vec<_> = (0..5)
                .map(|_| {
                    let here = Arc::clone(&here);
                    spawn(async move { syscall(&*here, Interest::READABLE).await.map(|_| ()) })
                })
                .collect();
            for _ in 0..5 {
                yield_now().await;
            }
            waiters.iter().for_each(kill);
        });
        runtime.run_until_idle();
        let stats = runtime.stats();
        let left = (stats.io_waits, stats.io_sources, stats.timers, stats.live);
        assert_eq!(left, (0, 0, 0, 0), "{seed}");
    }
}

/// Wakes somebody who looks at the runtime, and so needs its locks.
struct Curious {
    runtime: uproar::Handle,
    woken: AtomicBool,
}

impl Wake for Curious {
    fn wake(self: Arc<Self>) {
        assert!(self.runtime.stats().workers.len() == 2);
        self.woken.store(true, Ordering::SeqCst);
    }
}

/// A waker of somebody else's is woken with no lock held.
#[test]
fn a_foreign_waker_may_do_anything() {
    let _watchdog = watchdog(60);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let curious = Arc::new(Curious {
        runtime: runtime.handle(),
        woken: AtomicBool::new(false),
    });
    let (told, ends) = std::sync::mpsc::channel();
    let (here, mut there) = pair();
    let seen = Arc::clone(&curious);
    runtime.spawn(async move {
        let waker = Waker::from(Arc::clone(&seen));
        let mut wait = pin!(syscall(&here, Interest::READABLE));
        assert!(
            wait.as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_pending()
        );
        there.write_all(b"x").unwrap();
        while !seen.woken.load(Ordering::SeqCst) {
            yield_now().await;
        }
        let ready = wait.as_mut().poll(&mut Context::from_waker(&waker));
        told.send(matches!(ready, Poll::Ready(Ok(_)))).unwrap();
    });
    assert!(ends.recv().unwrap());
}

/// Case 7: I/O and time go on while workers are stuck, as long as one is free.
#[test]
fn stuck_workers_do_not_stop_io() {
    let _watchdog = watchdog(120);
    let runtime = Runtime::builder().workers(4).start().unwrap();
    let (echoes, ticks) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (here, there) = net::UnixStream::pair().unwrap();
    runtime.spawn(async move {
        let (read, mut write) = there.into_split();
        futures::io::copy(read, &mut write).await.map(|_| ())
    });
    let count = Arc::clone(&echoes);
    runtime.spawn(async move {
        use futures::{AsyncReadExt, AsyncWriteExt};
        let mut here = here;
        loop {
            here.write_all(b"x").await?;
            here.read_exact(&mut [0]).await?;
            count.fetch_add(1, Ordering::SeqCst);
            sleep(MS).await;
        }
        #[allow(unreachable_code)]
        io::Result::Ok(())
    });
    let count = Arc::clone(&ticks);
    runtime.spawn(async move {
        let mut ticks = interval(10 * MS);
        loop {
            ticks.tick().await;
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    let more = |count: &AtomicUsize, by: usize| {
        let target = count.load(Ordering::SeqCst) + by;
        while count.load(Ordering::SeqCst) < target {
            thread::sleep(MS);
        }
    };
    more(&echoes, 20);
    let over = Arc::new(AtomicBool::new(false));
    for _ in 0..3 {
        let over = Arc::clone(&over);
        runtime.spawn(async move {
            while !over.load(Ordering::SeqCst) {
                std::hint::spin_loop();
            }
        });
        more(&echoes, 20);
        more(&ticks, 3);
    }
    over.store(true, Ordering::SeqCst);
    more(&echoes, 50);
}

/// All workers are busy with short slices: I/O is looked for in between.
#[uproar::test(workers = 2)]
async fn busy_workers_do_not_stop_io() {
    use futures::{AsyncReadExt, AsyncWriteExt};
    let _watchdog = watchdog(60);
    let busy: Vec<_> = (0..8)
        .map(|_| {
            spawn(async {
                loop {
                    yield_now().await;
                }
            })
        })
        .collect();
    let (mut here, mut there) = net::UnixStream::pair().unwrap();
    let echo = spawn(async move {
        loop {
            let mut byte = [0];
            there.read_exact(&mut byte).await?;
            there.write_all(&byte).await?;
        }
        #[allow(unreachable_code)]
        io::Result::Ok(())
    });
    for n in 0..100 {
        here.write_all(&[n]).await.unwrap();
        let mut back = [0];
        here.read_exact(&mut back).await.unwrap();
        assert_eq!(back, [n]);
    }
    busy.iter().for_each(kill);
    kill(&echo);
}

/// A blocking actor waits for I/O off its lane, while all workers sleep.
#[test]
fn io_on_a_lane() {
    use futures::{AsyncReadExt, AsyncWriteExt};
    let _watchdog = watchdog(60);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let (told, done) = std::sync::mpsc::channel();
    for round in 0..50u8 {
        let (mut here, mut there) = net::UnixStream::pair().unwrap();
        let (plain, mut other) = pair();
        let told = told.clone();
        runtime.spawn_blocked(async move {
            let mut byte = [0];
            here.read_exact(&mut byte).await?;
            syscall(&plain, Interest::READABLE).await?;
            told.send(byte[0]).unwrap();
            io::Result::Ok(())
        });
        // So that the workers, of which none has run anything, sleep.
        thread::sleep(MS);
        support::block_on(there.write_all(&[round])).unwrap();
        thread::sleep(MS);
        other.write_all(b"x").unwrap();
        assert_eq!(done.recv().unwrap(), round);
    }
}

/// What an actor waits for is told.
#[test]
fn waiting_for_io_is_a_state() {
    let runtime = Runtime::builder().manual();
    let (here, _there) = pair();
    let waits = runtime.spawn(async move { syscall(&here, Interest::READABLE).await.map(|_| ()) });
    runtime.run_until_idle();
    let info = runtime.process_info(&waits).expect("it is alive");
    assert_eq!(info.state, ProcessState::Waiting(WaitsFor::Io));
}
