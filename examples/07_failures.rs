//! 7. Failures: an actor that fails ends alone, and for a reason.
//!
//! An actor ends by returning, or by a panic, which ends that actor and nothing
//! else. How it ended is its `ExitReason`: an asker gets it instead of a reply, and
//! `run` returns that of the main actor.

use uproar::{Runtime, prelude::*};

struct Read {
    key: &'static str,
    reply_to: ReplyTo<u32>,
}

#[derive(Debug, PartialEq)]
struct NoSuchKey(String);

impl std::fmt::Display for NoSuchKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no such key: {}", self.0)
    }
}

impl std::error::Error for NoSuchKey {}

/// An actor may end with `Err`: any error, and `?` works.
#[actor]
async fn store() -> Result<(), NoSuchKey> {
    loop {
        #[receive]
        match receive().await {
            Read {
                key: "answer",
                reply_to,
            } => reply_to.send(42),
            Read { key: "index", .. } => {
                let empty: [u32; 0] = [];
                let index = empty.len();
                println!("{}", empty[index]);
            }
            Read { key, .. } => return Err(NoSuchKey(key.to_owned())),
        }
    }
}

fn read(key: &'static str) -> impl FnOnce(ReplyTo<u32>) -> Read {
    move |reply_to| Read { key, reply_to }
}

/// How an actor that is asked this ends.
async fn end_by(key: &'static str) -> ExitReason {
    match spawn(store()).ask(read(key)).await {
        Err(AskError::Gone(reason)) => reason,
        other => unreachable!("it ends: {other:?}"),
    }
}

fn main() {
    // The panic's own message is on stderr, as the program's panic hook has it.
    let reason = uproar::run(async {
        let error = end_by("nothing").await;
        println!("store: {error}");
        assert!(error.is_failure());
        // The reason holds the error itself.
        let ExitReason::Error(error) = error else {
            unreachable!("it returns `Err`")
        };
        let error = error.as_error().downcast_ref::<NoSuchKey>();
        assert_eq!(error, Some(&NoSuchKey("nothing".into())));

        // A panic: with its message, and the place in the source.
        let panic = end_by("index").await;
        println!("store: {panic}");
        let ExitReason::Panic(panic) = panic else {
            unreachable!("it panics")
        };
        assert!(panic.message().contains("out of bounds"));
        assert!(
            panic
                .location()
                .is_some_and(|at| at.contains("07_failures.rs"))
        );

        // What was sent to an actor before it failed and is still in its mailbox goes
        // with it. No asker waits in vain.
        let store = spawn(store());
        let first = store.ask(read("nothing"));
        let second = store.ask(read("answer"));
        assert!(matches!(
            first.await,
            Err(AskError::Gone(ExitReason::Error(_)))
        ));
        assert!(matches!(
            second.await,
            Err(AskError::Gone(ExitReason::Error(_)))
        ));
        assert!(!store.is_alive());

        // This actor has had no part in all that, and goes on. Here it fails too, by
        // handing on its own `Err`.
        Err::<(), _>("that will do")
    });
    println!("main: {reason}");
    assert_eq!(reason, ExitReason::error("that will do"));

    // The ends without failure: a return, and whatever reason an actor names itself.
    assert_eq!(uproar::run(async {}), ExitReason::Normal);
    assert_eq!(
        uproar::run(async { ExitReason::Shutdown }),
        ExitReason::Shutdown
    );

    // When the main actor ends, the others are asked to: their futures are dropped at
    // the await where they wait, destructors and all.
    let (told, dropped) = std::sync::mpsc::channel();
    let runtime = Runtime::builder().workers(1);
    runtime.run(async move {
        let patient = spawn(async move {
            let _tell = OnDrop(Some(told));
            std::future::pending::<()>().await;
        });
        assert!(patient.is_alive());
        yield_now().await;
    });
    assert_eq!(dropped.recv(), Ok("dropped"));
    println!("the one that waited for ever was dropped");
}

struct OnDrop(Option<std::sync::mpsc::Sender<&'static str>>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        if let Some(told) = self.0.take() {
            let _ = told.send("dropped");
        }
    }
}
