//! What the checks of a pattern's form are made of. None of it runs.
//!
//! `#[receive]` looks in a constant whether the fields that a pattern names are there, and then whether it names all. The
//! second is asked about `<Fits<M, FITS> as Known>::Type`, which is `M`; but where the constant does not compile, it is
//! nothing that the compiler would say more about.

use std::marker::PhantomData;

use crate::signals::{Down, Exit};

/// Names `M` by way of a constant.
pub struct Fits<M, const FITS: usize>(PhantomData<M>);

/// What is known of a [`Fits`].
pub trait Known {
    /// The message.
    type Type;
}

impl<M, const FITS: usize> Known for Fits<M, FITS> {
    type Type = M;
}

/// A pattern of an `M` that does not end in `..`.
///
/// The inherent methods are for types that may get more fields; for all others the compiler finds that of [`Closed`].
pub struct Pattern<M>(PhantomData<M>);

impl<M> Pattern<M> {
    /// A pattern of this one.
    pub fn of(_: &M) -> Self {
        Pattern(PhantomData)
    }
}

impl Pattern<Down> {
    /// What is open.
    pub fn whole(&self) -> PhantomData<Down> {
        PhantomData
    }
}

impl Pattern<Exit> {
    /// What is open.
    pub fn whole(&self) -> PhantomData<Exit> {
        PhantomData
    }
}

/// Types whose patterns may end without `..`.
pub trait Closed {
    /// Nothing is open.
    fn whole(&self) {}
}

impl<M> Closed for Pattern<M> {}

/// Takes what a pattern without `..` leaves open: nothing.
pub fn may_end<T: Whole>(_: T) {}

/// That nothing is open.
#[diagnostic::on_unimplemented(
    message = "this message may get more fields, so its pattern ends in `..`",
    label = "write `, ..` before the closing brace"
)]
pub trait Whole {}

impl Whole for () {}
