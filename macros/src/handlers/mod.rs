//! `#[actor]` on an `impl` block: its `#[receive]` methods become the handlers of a struct actor.

mod ast;
mod expand;
mod valid;

use proc_macro2::TokenStream;
use syn::ItemImpl;

use crate::actor::Options;
use crate::fallback::Errors;
use ast::Handlers;

/// The block as it was, and what makes its type an actor.
pub fn actor(options: Options, item: ItemImpl, mut errors: Errors) -> TokenStream {
    let handlers = Handlers::new(options, item, &mut errors);
    let sound = valid::check(&handlers, &mut errors);
    if errors.is_empty() {
        expand::expand(&handlers)
    } else {
        expand::fallback(handlers, sound, errors)
    }
}
