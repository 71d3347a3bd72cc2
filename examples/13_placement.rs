//! 13. Placement: who stays on one worker, who is not `Send`, and who may block.
//!
//! A little archive. Its index is made of `Rc` and `RefCell`, so it is pinned to a worker
//! and built there. Files are read by blocking actors, on threads of their own, while the
//! one worker goes on. The journal keeps one thread for life, as a library that is bound
//! to its thread would want it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use uproar::{Affinity, Runtime, prelude::*};

/// What a reader found.
struct Found {
    file: &'static str,
    lines: usize,
}

struct Total(ReplyTo<usize>);

/// Keeps what is known, in parts that share it without a lock.
#[actor(local)]
async fn index() {
    let files: Rc<RefCell<BTreeMap<&'static str, usize>>> = Rc::default();
    let total = {
        let files = Rc::clone(&files);
        move || files.borrow().values().sum()
    };
    loop {
        #[receive]
        match receive().await {
            Found { file, lines } => {
                files.borrow_mut().insert(file, lines);
            }
            Total(reply_to) => reply_to.send(total()),
        }
    }
}

struct Write(String);
struct Written(ReplyTo<u32>);

thread_local! {
    /// Stands for a library that knows its caller by the thread.
    static ENTRIES: Cell<u32> = const { Cell::new(0) };
}

#[actor]
async fn journal() {
    loop {
        #[receive]
        match receive().await {
            Write(text) => {
                assert!(!text.is_empty());
                ENTRIES.set(ENTRIES.get() + 1);
            }
            Written(reply_to) => reply_to.send(ENTRIES.get()),
        }
    }
}

fn main() {
    let here = Runtime::capabilities();
    println!(
        "CPUs {:?}, hard affinity: {}",
        here.cpus, here.hard_affinity
    );

    let runtime = Runtime::builder()
        .workers(1)
        .blocking_threads(2)
        .affinity(Affinity::BestEffort);
    let reason = runtime.run(async {
        let index: Address<Index> = spawn_pinned_local(index);
        let journal = Spawn::new().dedicated().link().spawn(journal())?;

        let files = ["Cargo.toml", "README.md", "CHANGELOG.md", "src/lib.rs"];
        let mut readers = Vec::new();
        for file in files {
            let (index, journal) = (index.clone(), journal.clone());
            let (_, reader) = Spawn::new().blocked().spawn_monitor(async move {
                let text = std::fs::read_to_string(file)?; // two at a time, no worker waits
                let lines = text.lines().count();
                index.send(Found { file, lines });
                journal.send(Write(format!("{file}: {lines}")));
                Ok::<_, std::io::Error>(())
            })?;
            readers.push(reader);
        }
        for _ in &readers {
            let Down {
                monitor, reason, ..
            } = receive().await;
            assert!(readers.contains(&monitor) && reason == ExitReason::Normal);
        }
        let total = index.ask(Total).await?;
        let entries = journal.ask(Written).await?;
        println!("{total} lines in {entries} files");
        assert_eq!(entries, 4);
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
    });
    assert_eq!(reason, ExitReason::Normal);
}
