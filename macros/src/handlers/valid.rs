//! What handlers, hooks, and the `impl` block around them must be.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{
    Attribute, FnArg, GenericParam, Meta, ReceiverKind, ReturnType, Safety, Signature, Type,
    TypeImplTrait,
};

use super::ast::{Handler, Handlers, Hook, Method, Takes};
use crate::fallback::Errors;
use crate::owned::{Owner, owned, without_lifetimes};
use crate::path::is_primitive;
use crate::receive::pattern::same;

/// What is wrong with an actor that has no handlers.
pub const NOTHING: &str = "this actor receives nothing: write `#[receive]` on its handlers, `#[receive] async fn name(&mut self, message: Message) { .. }`";

const STATE: &str = "this is the state of the actor: a struct or an enum";

/// Reports every broken rule about the block as a whole. Whether an actor can be made of it at all.
pub fn check(of: &Handlers, errors: &mut Errors) -> bool {
    options(of, errors);
    if let Some((of_trait, _)) = &of.item.trait_ {
        errors.at(
            of_trait,
            "handlers are a type's own methods: write `#[actor] impl Type { .. }`, without a trait",
        );
        if !of.may_drop_trait() {
            return false;
        }
    }
    let Type::Path(self_ty) = &*of.item.self_ty else {
        errors.at(&of.item.self_ty, STATE);
        return false;
    };
    if self_ty.path.get_ident().is_some_and(is_primitive) {
        errors.at(&of.item.self_ty, STATE);
        return false;
    }
    let sound = borrows(of, self_ty, errors);
    if of.handlers.is_empty() && errors.is_empty() && !of.may_be_cut_off() {
        errors.at(&of.item.self_ty, NOTHING);
    }
    twice(of, errors);
    sound
}

fn options(of: &Handlers, errors: &mut Errors) {
    if let Some(name) = &of.options.name {
        errors.at(
            name,
            "the protocol of a struct actor is its own type: remove `name = ..`",
        );
    }
    if let Some(protocol) = &of.options.protocol {
        errors.at(
            protocol,
            "the protocol of a struct actor is its own type: remove `protocol = ..`",
        );
    }
}

/// Lifetimes other than `'static` in the actor's own type.
fn borrows(of: &Handlers, self_ty: &syn::TypePath, errors: &mut Errors) -> bool {
    let mut sound = without_lifetimes(&of.item.generics, Owner::Actor, errors);
    if sound {
        sound = owned(&Type::Path(self_ty.clone()), Owner::Actor, errors);
    }
    sound
}

/// One handler for each message.
fn twice(of: &Handlers, errors: &mut Errors) {
    for (index, handler) in of.handlers.iter().enumerate() {
        let always = |handler: &Handler| handler.method.condition().predicate().is_none();
        let before = of.handlers[..index].iter().find(|before| {
            always(before)
                && always(handler)
                && match (&before.takes, &handler.takes) {
                    (Takes::Message(one, _), Takes::Message(other, _)) => same(one, other),
                    (Takes::Envelope, Takes::Envelope) => true,
                    _ => false,
                }
        });
        if let (Some(before), Some(argument)) = (before, handler.method.arguments().next()) {
            errors.at(
                &argument.ty,
                format!(
                    "`{}` handles this message already: an actor has one handler for each type",
                    before.method.name()
                ),
            );
        }
    }
}

/// A method with `#[receive]` as a handler. `None` after an error that leaves no message to handle.
pub fn handler(method: Method, attr: &Attribute, errors: &mut Errors) -> Option<Handler> {
    if !matches!(attr.meta, Meta::Path(_)) {
        errors.at(
            &attr.meta,
            "on a handler, `#[receive]` takes no options: it has one message and waits for nothing",
        );
    }
    let name = method.name().clone();
    let called = plain(&method.sig, "a handler", errors);
    let receiver = receiver(&method.sig, "a handler", errors);
    let mut arguments = method.arguments();
    let Some(argument) = arguments.next() else {
        errors.at(
            &name,
            format!(
                "a handler takes a message: write `fn {name}(&mut self, message: Message)`; a method that is no handler has no `#[receive]`"
            ),
        );
        return None;
    };
    let mut single = true;
    for further in arguments {
        errors.at(
            further,
            "a handler takes one message: put what belongs together into one struct",
        );
        single = false;
    }
    let owned = owned(&argument.ty, Owner::Actor, errors);
    let takes = Takes::read(&argument.ty);
    let replies = reply(&method.sig, &takes, errors);
    (called && receiver && single && owned && replies).then_some(Handler { method, takes })
}

/// `on_start` or `on_stop`. `None` after an error.
pub fn hook(method: Method, errors: &mut Errors) -> Option<Hook> {
    let name = method.name().to_string();
    let quoted = format!("`{name}`");
    let called = plain(&method.sig, &quoted, errors);
    let receiver = receiver(&method.sig, &quoted, errors);
    let arguments: Vec<_> = method.arguments().collect();
    let fits = match (name == "on_start", arguments.as_slice()) {
        (true, []) => true,
        (true, [first, ..]) => {
            errors.at(
                first,
                "`on_start` takes nothing but `&mut self`: what the actor starts with is in its fields",
            );
            false
        }
        (false, [argument]) if matches!(&*argument.ty, Type::Reference(of) if of.mutability.is_none()) => {
            true
        }
        (false, []) => {
            errors.at(
                method.name(),
                "`on_stop` is told why: write `on_stop(&mut self, reason: &ExitReason)`",
            );
            false
        }
        (false, [argument]) => {
            errors.at(
                &argument.ty,
                "`on_stop` is told why: write `on_stop(&mut self, reason: &ExitReason)`",
            );
            false
        }
        (false, [_, second, ..]) => {
            errors.at(
                second,
                "`on_stop` is told why, and nothing else: write `on_stop(&mut self, reason: &ExitReason)`",
            );
            false
        }
    };
    let mut named = true;
    if let Some(opaque) = opaque(&method.sig.output) {
        errors.push(syn::Error::new(
            opaque,
            format!("{quoted} returns `()` or a `Result<(), E>`"),
        ));
        named = false;
    }
    (called && receiver && fits && named).then_some(Hook(method))
}

/// A method that generated code can call.
fn plain(sig: &Signature, what: &str, errors: &mut Errors) -> bool {
    let mut plain = true;
    if let Safety::Unsafe(safety) = &sig.safety {
        errors.at(safety, format!("{what} is called by the actor's loop, which can't know what makes it safe: remove `unsafe`"));
        plain = false;
    }
    for param in &sig.generics.params {
        let at = match param {
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(param) => &param.ident,
            GenericParam::Const(param) => &param.ident,
        };
        errors.at(
            at,
            format!("{what} is not generic: write the parameters on the `impl`"),
        );
        plain = false;
    }
    for input in &sig.inputs {
        if let FnArg::Typed(argument) = input
            && let Some(at) = find_opaque(&argument.ty)
        {
            errors.push(syn::Error::new(
                at,
                format!("{what} is not generic: write the type"),
            ));
            plain = false;
        }
    }
    plain
}

fn receiver(sig: &Signature, what: &str, errors: &mut Errors) -> bool {
    let name = &sig.ident;
    let message = format!("{what} borrows its actor: write `fn {name}(&mut self, ..)`");
    match sig.inputs.first() {
        Some(FnArg::Receiver(receiver)) => {
            let borrows = match &receiver.kind {
                ReceiverKind::Value => false,
                ReceiverKind::Reference(..) => true,
                ReceiverKind::Typed(_, ty) => match &**ty {
                    Type::Reference(of) => {
                        matches!(&*of.elem, Type::Path(of) if of.path.is_ident("Self"))
                    }
                    _ => false,
                },
                _ => false,
            };
            if !borrows {
                errors.at(receiver, message);
            }
            borrows
        }
        _ => {
            errors.at(name, message);
            false
        }
    }
}

/// Whether what the handler returns can be a reply.
fn reply(sig: &Signature, takes: &Takes, errors: &mut Errors) -> bool {
    let mut replies = true;
    if let Some(at) = opaque(&sig.output) {
        let message = "a reply's type has a name: write it, and `async fn` if it is a future";
        errors.push(syn::Error::new(at, message));
        replies = false;
    }
    if let (Takes::Message(..), ReturnType::Type(_, ty)) = (takes, &sig.output) {
        replies &= owned(ty, Owner::Reply, errors);
    }
    if let (Takes::Envelope, ReturnType::Type(_, ty)) = (takes, &sig.output)
        && !matches!(&**ty, Type::Tuple(unit) if unit.elems.is_empty())
    {
        errors.at(
            ty,
            "a handler of any message replies nothing: nobody can `call` it",
        );
        replies = false;
    }
    replies
}

fn opaque(output: &ReturnType) -> Option<Span> {
    match output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => find_opaque(ty),
    }
}

fn find_opaque(ty: &Type) -> Option<Span> {
    struct Find(Option<Span>);
    impl VisitMut for Find {
        fn visit_type_impl_trait_mut(&mut self, of: &mut TypeImplTrait) {
            self.0 = self.0.or(Some(of.span()));
        }
    }
    let mut find = Find(None);
    find.visit_type_mut(&mut ty.clone());
    find.0
}
