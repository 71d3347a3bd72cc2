//! A subscriber that keeps what it is told.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// An event, or a span's making.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    pub target: &'static str,
    pub level: String,
    /// The message of an event, or the name of a span.
    pub message: String,
    pub fields: BTreeMap<&'static str, String>,
    /// The name of the thread.
    pub thread: String,
    /// The innermost span it is in.
    pub span: Option<Arc<Line>>,
}

impl Line {
    fn of(metadata: &'static Metadata<'static>, record: impl FnOnce(&mut Line)) -> Line {
        let mut line = Line {
            target: metadata.target(),
            level: metadata.level().to_string().to_lowercase(),
            message: metadata.name().to_owned(),
            fields: BTreeMap::new(),
            thread: thread::current().name().unwrap_or("-").to_owned(),
            span: STACK.with_borrow(|stack| stack.last().cloned()),
        };
        record(&mut line);
        line
    }

    pub fn get(&self, field: &str) -> &str {
        self.fields.get(field).map_or("-", String::as_str)
    }

    /// The message, and the values of these fields.
    pub fn with(&self, fields: &[&str]) -> String {
        let mut text = self.message.clone();
        for field in fields {
            text += &format!(" {field}={}", self.get(field));
        }
        text
    }
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let value = format!("{value:?}");
        if field.name() == "message" {
            self.message = value;
        } else {
            let before = self.fields.insert(field.name(), value);
            assert_eq!(before, None, "a field is recorded once");
        }
    }
}

thread_local! {
    static STACK: RefCell<Vec<Arc<Line>>> = const { RefCell::new(Vec::new()) };
}

/// Keeps what there is of some targets, down to some level.
#[derive(Clone)]
pub struct Recorder {
    targets: &'static str,
    level: LevelFilter,
    kept: Arc<Kept>,
}

#[derive(Default)]
struct Kept {
    events: Mutex<Vec<Line>>,
    spans: Mutex<BTreeMap<u64, Arc<Line>>>,
    ids: AtomicU64,
    entered: AtomicU64,
    left: AtomicU64,
    closed: AtomicU64,
}

impl Recorder {
    /// Of targets that begin so.
    pub fn new(targets: &'static str, level: LevelFilter) -> Recorder {
        Recorder {
            targets,
            level,
            kept: Arc::default(),
        }
    }

    /// What has been traced since the last call.
    pub fn take(&self) -> Vec<Line> {
        std::mem::take(&mut *self.kept.events.lock().unwrap())
    }

    /// What has been traced on threads whose names begin so.
    pub fn of_threads(&self, prefix: &str) -> Vec<Line> {
        let mut lines = self.kept.events.lock().unwrap().clone();
        lines.retain(|line| line.thread.starts_with(prefix));
        lines
    }

    /// Spans that have been made, entered, left, closed.
    pub fn spans(&self) -> [u64; 4] {
        let kept = &self.kept;
        [&kept.ids, &kept.entered, &kept.left, &kept.closed].map(|n| n.load(Ordering::SeqCst))
    }

    /// What `body` leaves.
    pub fn record(&self, body: impl FnOnce()) -> Vec<Line> {
        tracing::subscriber::with_default(self.clone(), body);
        self.take()
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with(self.targets) && *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn event(&self, event: &Event<'_>) {
        let line = Line::of(event.metadata(), |line| event.record(line));
        self.kept.events.lock().unwrap().push(line);
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let line = Line::of(span.metadata(), |line| span.record(line));
        let id = self.kept.ids.fetch_add(1, Ordering::SeqCst) + 1;
        self.kept.spans.lock().unwrap().insert(id, Arc::new(line));
        Id::from_u64(id)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, id: &Id) {
        self.kept.entered.fetch_add(1, Ordering::SeqCst);
        let line = Arc::clone(&self.kept.spans.lock().unwrap()[&id.into_u64()]);
        STACK.with_borrow_mut(|stack| stack.push(line));
    }

    fn exit(&self, id: &Id) {
        self.kept.left.fetch_add(1, Ordering::SeqCst);
        let line = STACK.with_borrow_mut(|stack| stack.pop().unwrap());
        assert!(Arc::ptr_eq(
            &line,
            &self.kept.spans.lock().unwrap()[&id.into_u64()]
        ));
    }

    fn try_close(&self, id: Id) -> bool {
        self.kept.closed.fetch_add(1, Ordering::SeqCst);
        self.kept.spans.lock().unwrap().remove(&id.into_u64());
        true
    }
}
