//! What an actor's function must be.

use syn::visit_mut::{self, VisitMut};
use syn::{
    BoundLifetimes, FnArg, GenericParam, Lifetime, ParenthesizedGenericArguments, TypeFnPtr,
    TypeReference,
};

use super::ast::{Actor, Protocol};
use crate::fallback::{self, Errors};
use crate::owned::{Owner, sized};

const OWNS: &str = "an actor outlives its spawner's borrows, so it owns what it is given";

/// Reports every broken rule at its place.
pub fn check(actor: &mut Actor, errors: &mut Errors) {
    let sig = &actor.item.sig;
    if sig.asyncness.is_none() {
        errors.at(sig.fn_token, "`#[actor]` needs an `async fn`");
    }
    fallback::refuse_qualifiers(sig, "#[actor]", errors);
    options(actor, errors);
    if let Some(FnArg::Receiver(receiver)) = actor.item.sig.inputs.first() {
        errors.at(
            receiver,
            "an actor has no `self`: write a free `async fn`, or an associated one without `self` and `#[actor(protocol = ..)]`",
        );
    } else if actor.is_method() && actor.options.protocol.is_none() {
        errors.at(
            &actor.item.sig.ident,
            "an actor in an `impl` block needs `#[actor(protocol = ..)]`: no protocol type can be generated here",
        );
    }
    borrows(actor, errors);
}

fn options(actor: &Actor, errors: &mut Errors) {
    if matches!(actor.protocol, Protocol::Nameless) {
        errors.at(
            &actor.item.sig.ident,
            "this name gives no type name: write `#[actor(name = ..)]`",
        );
    }
    if actor.options.protocol.is_some() {
        if let Some(name) = &actor.options.name {
            errors.at(
                name,
                "`protocol = ..` uses a type that has a name: remove `name = ..`",
            );
        }
        if let Some((receives, _)) = &actor.options.receives {
            errors.at(
                receives,
                "the type in `protocol = ..` says what it receives: remove `receives(..)`",
            );
        }
    }
}

/// Lifetimes other than `'static`: those with a name where they are declared, the others where they stand.
fn borrows(actor: &mut Actor, errors: &mut Errors) {
    let sig = &mut actor.item.sig;
    for param in &sig.generics.params {
        if let GenericParam::Lifetime(lifetime) = param {
            errors.at(
                &lifetime.lifetime,
                format!("{OWNS}: no lifetimes here but `'static`"),
            );
        }
    }
    let mut search = Borrows { errors };
    for input in &mut sig.inputs {
        if let FnArg::Typed(argument) = input {
            sized(&mut argument.ty, Owner::Actor, search.errors);
            search.visit_type_mut(&mut argument.ty);
        }
    }
}

struct Borrows<'e> {
    errors: &'e mut Errors,
}

impl VisitMut for Borrows<'_> {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if reference.lifetime.is_none() {
            let message =
                format!("{OWNS}: take the value itself, an `Arc` or a `&'static` reference");
            self.errors.at(reference.and_token, message);
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            self.errors.at(
                &*lifetime,
                format!("{OWNS}: no lifetimes here but `'static`"),
            );
        }
    }

    // `Fn(&str)`, `fn(&str)` and `for<'a> ..` borrow from their callers.
    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut ParenthesizedGenericArguments) {
    }

    fn visit_type_fn_ptr_mut(&mut self, _: &mut TypeFnPtr) {}

    fn visit_bound_lifetimes_mut(&mut self, _: &mut BoundLifetimes) {}
}
