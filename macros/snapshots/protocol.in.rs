// A generic protocol, with a variant that is not always there.
use uproar::prelude::*;

#[receive]
enum Wanted<T: Send + 'static> {
    Value(Typed<T>),
    #[cfg(unix)]
    Signal(Signal),
    Down(Down),
}
