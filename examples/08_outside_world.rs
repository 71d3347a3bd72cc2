//! 8. The outside world: threads and other executors beside a runtime.
//!
//! A runtime need not own the program. Start it in the background; spawn into it,
//! send and ask from anywhere; receive from it through an `Inbox`.

use futures::StreamExt;
use uproar::{Handle, Inbox, Runtime, prelude::*};

struct Reverse(String, ReplyTo<String>);

struct Shout(String);

#[actor]
async fn scribe(to: Recipient<String>) {
    loop {
        #[receive]
        match receive().await {
            Reverse(text, reply_to) => reply_to.send(text.chars().rev().collect()),
            Shout(text) => to.send(text.to_uppercase()),
        }
    }
}

/// A plain thread: an ask blocks it with `wait`, never with `.await`.
fn ask_from_a_thread(scribe: Address<Scribe>) -> Result<String, AskError> {
    std::thread::spawn(move || {
        scribe
            .ask(|reply_to| Reverse("desserts".into(), reply_to))
            .timeout(Duration::from_secs(10))
            .wait()
    })
    .join()
    .expect("the thread does not panic")
}

/// Another executor: futures of this crate are ordinary futures. Any executor polls
/// an ask, a deliver, an inbox.
fn on_another_executor(scribe: &Address<Scribe>, inbox: &mut Inbox<String>) -> Vec<String> {
    async_io::block_on(async {
        let reversed = scribe
            .ask(|reply_to| Reverse("live".into(), reply_to))
            .await;
        scribe.send(Shout("one".into()));
        scribe.send(Shout("two".into()));
        // An inbox is a `Stream`, one that never ends.
        let mut all: Vec<String> = inbox.take(2).collect().await;
        all.extend(reversed);
        all
    })
}

/// Actors that hand work to a thread of their own, and wait for it as for any
/// message. This is the way to block, for now: never within an actor.
fn spawn_reading_actor(handle: &Handle, done: Recipient<usize>) {
    handle.spawn(async move {
        let me = self_address::<Anything>();
        std::thread::spawn(move || {
            let manifest =
                std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
            me.send(manifest.map_err(|error| error.to_string()));
        });
        let Typed(manifest) = receive::<Typed<Result<String, String>>>().await;
        done.send(manifest.map_or(0, |text| text.lines().count()));
    });
}

fn main() -> std::io::Result<()> {
    let runtime = Runtime::builder().workers(2).start()?;

    let mut inbox = runtime.inbox::<String>();
    let scribe = runtime.spawn(scribe(inbox.address()));

    let stressed = ask_from_a_thread(scribe.clone());
    println!("{stressed:?}");
    assert_eq!(stressed.as_deref(), Ok("stressed"));

    let all = on_another_executor(&scribe, &mut inbox);
    println!("{all:?}");
    assert_eq!(all, ["ONE", "TWO", "evil"]);

    let lines = runtime.inbox();
    spawn_reading_actor(&runtime.handle(), lines.address());
    let lines = lines.recv_timeout(Duration::from_secs(10));
    println!("{lines:?} lines");
    assert!(lines.is_ok_and(|lines| lines > 0));

    // Everyone gets the exit signal `Shutdown`, and a second to obey.
    let report = runtime.shutdown(Duration::from_secs(1));
    println!("ended: {}, killed: {}", report.ended, report.killed);
    assert!(report.ended && report.stuck.is_empty());

    // A handle or an address outlives the runtime; its calls find nobody.
    assert!(!scribe.is_alive());
    assert_eq!(
        scribe
            .ask(|reply_to| Reverse(String::new(), reply_to))
            .wait(),
        Err(AskError::Gone(ExitReason::NoProcess))
    );
    Ok(())
}
