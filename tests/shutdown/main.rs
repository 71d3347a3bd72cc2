//! The end of a runtime.

#[path = "../support/mod.rs"]
mod support;

mod calls;
mod destructors;
mod ends;
mod runtimes;

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::Poll;
use std::thread;
use std::time::Instant;

use support::{DropCounter, OnDrop, Token, block_on, end_of, panic_of, until_stop};
use uproar::prelude::*;
use uproar::{Handle, Runtime};

struct Counted(#[expect(dead_code)] Token);

const HOUR: Duration = Duration::from_secs(3600);

type Ends = mpsc::Sender<Pin<Box<dyn Future<Output = ExitReason> + Send>>>;

/// An actor that stays in its own code until it is let go.
async fn stuck(inside: Arc<AtomicBool>, let_go: Arc<AtomicBool>, _token: Token) {
    inside.store(true, Ordering::SeqCst);
    while !let_go.load(Ordering::SeqCst) {
        thread::yield_now();
    }
    yield_now().await;
    unreachable!("it has been given up");
}

fn flag() -> Arc<AtomicBool> {
    Arc::default()
}

fn wait_for(flag: &AtomicBool) {
    while !flag.load(Ordering::SeqCst) {
        thread::yield_now();
    }
}
