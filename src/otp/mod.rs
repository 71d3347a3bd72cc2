//! What actors are to each other beyond messages and ties: names.
//!
//! Words over the runtime: what they need of an actor's end is done there, in its order.

mod names;

pub use names::{
    RegisterError, register, registered, send_named, unregister, where_is, where_is_as,
};
