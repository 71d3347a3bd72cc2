//! The guide: how to think in actors, and what `uproar` promises.
//!
//! To read in this order, or by need:
//!
//! 1. [`concepts`]: process, pid, address, mailbox, slice, worker, reactor.
//! 2. [`receiving`]: selective receive, its patterns, guards and timeouts.
//! 3. [`asking`]: requests, replies, and everything that can come instead.
//! 4. [`handlers`]: actors as structs, calls, a graceful stop.
//! 5. [`bounds`]: mailboxes that are full, and how to slow a producer down.
//! 6. [`life`]: how actors end, and how runtimes do.
//! 7. [`links`]: links, monitors, exit signals: how actors learn of each other's ends.
//! 8. [`names`]: how actors find each other without having been told.
//! 9. [`panics`]: what a panic is and is not, and what all panic messages mean.
//! 10. [`scheduling`]: who runs when, what is fair, what is not.
//! 11. [`placement`]: actors on one worker, actors that are not `Send`, actors that block; CPUs.
//! 12. [`time`]: clocks, timeouts, simulation under seeds.
//! 13. [`io`]: sockets, other sources, and what waits for them.
//! 14. [`cancelling`]: what is lost when a future is dropped, for each future.
//! 15. [`observing`]: events, the span of an actor, figures, the mailbox alarm.
//! 16. [`rules`]: every promise, numbered. The numbers stand in the docs as "Source".
//! 17. [`limits`]: what there is not, how many there can be, where it runs.
//! 18. [`comparison`]: beside other actor libraries, and beside Erlang.
//!
//! The examples of the repository are a course in the same order, from `01_hello` to
//! `word_count`.

#[doc = include_str!("concepts.md")]
pub mod concepts {}

#[doc = include_str!("receiving.md")]
pub mod receiving {}

#[doc = include_str!("asking.md")]
pub mod asking {}

#[doc = include_str!("handlers.md")]
pub mod handlers {}

#[doc = include_str!("bounds.md")]
pub mod bounds {}

#[doc = include_str!("life.md")]
pub mod life {}

#[doc = include_str!("links.md")]
pub mod links {}

#[doc = include_str!("names.md")]
pub mod names {}

#[doc = include_str!("panics.md")]
pub mod panics {}

#[doc = include_str!("scheduling.md")]
pub mod scheduling {}

#[doc = include_str!("placement.md")]
pub mod placement {}

#[doc = include_str!("time.md")]
pub mod time {}

#[doc = include_str!("io.md")]
pub mod io {}

#[doc = include_str!("cancelling.md")]
pub mod cancelling {}

#[doc = include_str!("observing.md")]
pub mod observing {}

#[doc = include_str!("rules.md")]
pub mod rules {}

#[doc = include_str!("limits.md")]
pub mod limits {}

#[doc = include_str!("comparison.md")]
pub mod comparison {}

/// Programs of the 2021 edition use the macros as well.
#[cfg(doctest)]
#[doc = concat!("```edition2021\n", include_str!("../../tests/ui/actor/pass/edition_2021.rs"), "```")]
struct Edition2021;

/// The code in the README runs too.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
