//! Events that are traced, as a subscriber sees them.

mod support;

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use uproar::Runtime;
use uproar::prelude::*;

/// Keeps the events of one target as text.
struct Keep {
    target: &'static str,
    events: Arc<Mutex<Vec<String>>>,
}

impl Subscriber for Keep {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == self.target
    }

    fn event(&self, event: &Event<'_>) {
        struct Text(String);
        impl Visit for Text {
            fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
                if !matches!(field.name(), "pid" | "actor" | "to") {
                    write!(self.0, " {}={value:?}", field.name()).unwrap();
                }
            }
        }
        let mut text = Text(event.metadata().level().to_string());
        event.record(&mut text);
        self.events.lock().unwrap().push(text.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn events(target: &'static str, body: impl AsyncFnOnce()) -> Vec<String> {
    let events = Arc::default();
    let keep = Keep {
        target,
        events: Arc::clone(&events),
    };
    tracing::subscriber::with_default(keep, || {
        let runtime = Runtime::builder().workers(1).manual();
        runtime.block_on(body());
    });
    std::mem::take(&mut *events.lock().unwrap())
}

struct Withdraw(u64);
struct Reset(u64);
struct Get;

#[derive(Debug)]
struct Overdrawn {
    #[expect(dead_code, reason = "read by `Debug`")]
    by: u64,
}

/// An error without `Debug`, and an alias of `Result`.
struct Mute;
type Outcome<T> = Result<T, Mute>;

struct Account(u64);

#[actor]
impl Account {
    #[receive]
    async fn withdraw(&mut self, Withdraw(n): Withdraw) -> Result<u64, Overdrawn> {
        match self.0.checked_sub(n) {
            Some(left) => {
                self.0 = left;
                Ok(left)
            }
            None => Err(Overdrawn { by: n - self.0 }),
        }
    }

    #[receive]
    fn reset(&mut self, Reset(n): Reset) -> Outcome<u64> {
        if n == 0 { Err(Mute) } else { Ok(n) }
    }

    #[receive]
    fn get(&mut self, _: Get) -> u64 {
        self.0
    }
}

// An error that nobody waits for is traced; a reply, an `Ok`, a number are not.
#[test]
fn an_unheard_error_is_traced() {
    let events = events("uproar::handler", async || {
        let account = spawn(Account(10));
        account.send(Withdraw(1));
        account.send(Get);
        account.send(Withdraw(12));
        account.send(Reset(0));
        assert!(account.call(Withdraw(13)).await.unwrap().is_err());
        assert!(account.call(Reset(0)).await.unwrap().is_err());
        assert_eq!(account.call(Get).await, Ok(9));
    });
    assert_eq!(
        events,
        [
            "WARN message=a handler failed, and nobody waits for its reply handler=\"withdraw\" error=Overdrawn { by: 3 }"
        ]
    );
}

// What nobody receives is traced by its type.
#[test]
fn a_stray_is_traced() {
    let events = events("uproar::dead_letter", async || {
        let account = spawn(Account(10));
        send(&account, "text");
        assert_eq!(account.call(Get).await, Ok(10));
    });
    assert_eq!(events, ["DEBUG message=dead letter message=\"&str\""]);
}
