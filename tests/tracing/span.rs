//! The span of an actor, and subscribers that misbehave.

use tracing::level_filters::LevelFilter;
use uproar::Runtime;
use uproar::prelude::*;

use super::recorder::{Line, Recorder};
use super::{Account, Get, table};

/// Says where it is when it is dropped.
struct Says(&'static str);

impl Drop for Says {
    fn drop(&mut self) {
        tracing::info!(target: "test", "{}", self.0);
    }
}

/// What actors say of themselves, to a recorder of everything down to `level`.
fn said(level: LevelFilter) -> ([u64; 4], Vec<Line>) {
    let recorder = Recorder::new("", level);
    let mut lines = recorder.record(|| {
        let runtime = Runtime::builder().workers(1).manual();
        runtime.block_on(async {
            tracing::info!(target: "test", "main");
            let child = spawn(async {
                let _says = Says("dropped");
                tracing::info!(target: "test", "first slice");
                yield_now().await;
                tracing::info!(target: "test", "second slice");
                let inner = Runtime::builder().workers(1).manual();
                inner.block_on(async { tracing::info!(target: "test", "inner") });
                tracing::info!(target: "test", "back");
                std::future::pending::<()>().await
            });
            yield_now().await;
            yield_now().await;
            yield_now().await;
            kill(&child);
            while child.is_alive() {
                yield_now().await;
            }
            // One that has not begun is dropped with its runtime.
            let says = Says("never run");
            spawn(async move {
                let _says = says;
            });
        });
        tracing::info!(target: "test", "outside");
    });
    lines.retain(|line| line.target == "test");
    (recorder.spans(), lines)
}

#[test]
fn what_an_actor_says_is_in_its_span() {
    let ([made, entered, left, closed], lines) = said(LevelFilter::DEBUG);
    assert!(made > 4);
    assert_eq!([entered, left, closed], [made; 3]);
    let mut pids = Vec::new();
    for line in &lines {
        let Some(span) = &line.span else {
            assert_eq!(line.message, "outside");
            continue;
        };
        assert_eq!((span.target, &*span.level, &*span.message), table::SPAN);
        assert_eq!(
            span.fields.keys().copied().collect::<Vec<_>>(),
            ["actor", "pid", "worker"]
        );
        assert_eq!(span.get("worker"), "0");
        assert!(span.get("actor").contains("said") || line.message == "inner");
        pids.push((&*line.message, span.get("pid")));
    }
    let pid = |of| pids.iter().find(|(message, _)| *message == of).unwrap().1;
    assert_ne!(pid("main"), pid("first slice"));
    for message in ["second slice", "back", "dropped"] {
        assert_eq!(pid(message), pid("first slice"), "{message}");
    }
    assert_ne!(pid("never run"), pid("first slice"));
    let inner = lines.iter().find(|line| line.message == "inner").unwrap();
    let outer = inner.span.as_ref().unwrap().span.as_ref().unwrap();
    assert_eq!(
        outer.get("pid"),
        pid("first slice"),
        "a runtime within an actor"
    );
}

// The span is debug: who asks for less does not pay for it.
#[test]
fn a_subscriber_for_info_makes_no_spans() {
    let (spans, lines) = said(LevelFilter::INFO);
    assert_eq!(spans, [0; 4]);
    assert!(lines.len() > 5 && lines.iter().all(|line| line.span.is_none()));
}

/// A subscriber that panics at everything.
struct Sore;

impl tracing::Subscriber for Sore {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        panic!("no span")
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        if event.metadata().target().starts_with("uproar") {
            panic!("no event")
        }
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

// [V2]
#[test]
fn a_subscriber_that_panics_stops_nobody() {
    tracing::subscriber::with_default(Sore, || {
        let runtime = Runtime::builder().manual();
        let answer = runtime.block_on(async {
            let account = spawn(Account(7));
            monitor(&account);
            sleep(Duration::from_secs(1)).await;
            send(&account, "lost");
            let answer = account.call(Get).await;
            kill(&account);
            let Down { .. } = receive().await;
            answer
        });
        assert_eq!(answer, Ok(7));
        assert_eq!(runtime.stats().live, 0);
    });
}
