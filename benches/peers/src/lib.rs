//! Side-by-side benchmark of actor systems.
//!
//! The workloads ([`workloads`]) are written once, generic over [`Sys`]. A
//! contender is one file in `src/bin`: it implements [`Sys`] (and [`Bounded`]
//! where the system has a bounded mailbox) with the system's own fast path and
//! calls [`harness::main`]. A workload that the common form can't express comes
//! through [`Sys::own`]. All of it is monomorphised: no adapter is left at run
//! time but a match on [`Flow`].

pub mod echo;
pub mod harness;
pub mod sys;
pub mod workloads;

pub use echo::{Net, echo};
pub use harness::{Latch, Out, Params, latch, main, main_bounded};
pub use sys::{Answer, Behavior, Bounded, Flow, Place, Sys, now};

#[cfg(feature = "mimalloc")]
#[global_allocator]
static GLOBAL: mimalloc::MiMalloc = mimalloc::MiMalloc;
