use std::any::{TypeId, type_name};

/// What kind of actor one is, as the types say: a pointer to a function that knows them, so
/// that the record has to keep one word.
#[derive(Clone, Copy)]
pub(crate) struct Kind(fn() -> (&'static str, TypeId));

impl Kind {
    /// That of an actor whose protocol is `P` and whose future is an `F`.
    pub(crate) fn of<P: 'static, F>() -> Kind {
        Kind(|| (type_name::<F>(), TypeId::of::<P>()))
    }

    /// The same, from the future itself.
    pub(crate) fn with<P: 'static, F>(_: &F) -> Kind {
        Kind::of::<P, F>()
    }

    /// That of a job of the runtime's own, which nobody can address.
    pub(crate) fn job() -> Kind {
        Kind(|| ("(work of the runtime)", TypeId::of::<()>()))
    }

    /// The name of its future's type.
    pub(crate) fn type_name(self) -> &'static str {
        (self.0)().0
    }

    /// Whether this is its protocol.
    pub(crate) fn is<P: 'static>(self) -> bool {
        (self.0)().1 == TypeId::of::<P>()
    }
}
