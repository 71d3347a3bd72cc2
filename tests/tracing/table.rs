//! The guide's table of events.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::recorder::Line;

const GUIDE: &str = include_str!("../../src/guide/observing.md");

/// Target, level and name of the span of an actor.
pub const SPAN: (&str, &str, &str) = ("uproar::actor", "debug", "actor");

#[derive(Debug)]
pub struct Row {
    pub target: String,
    pub level: String,
    pub message: String,
    /// Those that end with a `?` may be missing.
    pub fields: Vec<String>,
}

/// All rows but that of the span.
pub fn rows() -> Vec<Row> {
    let lines = GUIDE.lines().filter(|line| line.starts_with("| `uproar::"));
    let rows = lines.map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, target, level, message, fields, _] = cells[..] else {
            panic!("a row has four cells: {line}");
        };
        Row {
            target: target.trim_matches('`').to_owned(),
            level: level.to_owned(),
            message: message.to_owned(),
            fields: fields
                .split(", ")
                .map(|field| field.trim_matches('`').to_owned())
                .collect(),
        }
    });
    rows.filter(|row| row.target != SPAN.0).collect()
}

thread_local! {
    static SEEN: RefCell<BTreeSet<String>> = RefCell::default();
}

/// Messages of the table that this thread has not checked a line of.
pub fn not_seen() -> Vec<String> {
    let messages = rows().into_iter().map(|row| row.message);
    SEEN.with_borrow(|seen| messages.filter(|message| !seen.contains(message)).collect())
}

/// Whether the guide has all of these, as they are.
pub fn check(lines: &[Line]) {
    let rows = rows();
    for line in lines {
        let row = rows
            .iter()
            .find(|row| (&*row.target, &*row.message) == (line.target, &*line.message));
        let row = row.unwrap_or_else(|| panic!("not in the table: {line:?}"));
        assert_eq!(line.level, row.level, "{line:?}");
        SEEN.with_borrow_mut(|seen| seen.insert(line.message.clone()));
        for field in &row.fields {
            let optional = field.ends_with('?');
            let there = line.fields.contains_key(field.trim_end_matches('?'));
            assert!(there || optional, "without {field}: {line:?}");
        }
        for field in line.fields.keys() {
            let known = row.fields.iter().any(|f| f.trim_end_matches('?') == *field);
            assert!(known, "{field} is not in the table: {line:?}");
        }
    }
}
