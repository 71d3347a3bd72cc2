//! An `impl` block as handlers, hooks, and the rest.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{
    Attribute, FnArg, GenericParam, Ident, ImplItem, ImplItemFn, ItemImpl, Path, ReturnType, Type,
};

use crate::actor::Options;
use crate::beside::{self, Macro};
use crate::body::{self, Messages, Written};
use crate::cfg::{self, Condition};
use crate::fallback::{self, Errors};
use crate::options;
use crate::owned::{self, Owner, static_params};
use crate::path::{self, Typed};
use crate::protocol;
use crate::spelling::take_misspelt;

/// An `impl` block whose methods are rewritten already: it compiles without the macro.
pub struct Handlers {
    pub krate: Path,
    pub options: Options,
    pub item: ItemImpl,
    pub handlers: Vec<Handler>,
    pub on_start: Option<Hook>,
    pub on_stop: Option<Hook>,
    /// What is received inside of methods, and what `receives(..)` adds.
    pub inside: Messages,
}

/// A method with `#[receive]`.
pub struct Handler {
    pub method: Method,
    pub takes: Takes,
}

/// The message that a handler takes.
pub enum Takes {
    /// Of this type; the path is that of the `Typed` around it.
    Message(Box<Type>, Option<Path>),
    /// Any that nothing else in the actor takes.
    Envelope,
}

/// A method as its caller sees it.
pub struct Method {
    pub sig: syn::Signature,
    pub attrs: Vec<Attribute>,
}

/// `on_start` or `on_stop`.
pub struct Hook(pub Method);

impl Method {
    fn of(item: &ImplItemFn) -> Self {
        Self {
            sig: item.sig.clone(),
            attrs: item.attrs.clone(),
        }
    }

    pub fn name(&self) -> &Ident {
        &self.sig.ident
    }

    pub fn condition(&self) -> Condition {
        Condition::of(&self.attrs)
    }

    /// The arguments after `self`.
    pub fn arguments(&self) -> impl Iterator<Item = &syn::PatType> {
        self.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(argument) => Some(argument),
            FnArg::Receiver(_) => None,
        })
    }
}

impl Handlers {
    pub fn new(options: Options, mut item: ItemImpl, errors: &mut Errors) -> Self {
        let state = item.self_ty.to_token_stream();
        static_params(
            &mut item.generics,
            &state,
            Owner::Actor,
            options.local,
            errors,
        );
        let default = || options::default_crate(place_of(&item));
        let krate = options.krate.clone().unwrap_or_else(default);
        let mut read = Self {
            krate,
            options,
            handlers: Vec::new(),
            on_start: None,
            on_stop: None,
            inside: Messages::default(),
            item: item.clone(),
        };
        for part in &mut item.items {
            if let ImplItem::Verbatim(tokens) = part
                && let Some(handler) = declared(tokens, errors)
            {
                *part = ImplItem::Fn(handler);
            }
            match part {
                ImplItem::Fn(method) => read.method(method, errors),
                other => {
                    if let Some(attr) = take_receive(attrs(other)) {
                        errors.at(attr, "`#[receive]` goes on the methods of this actor");
                    }
                }
            }
        }
        for ty in read.options.received(errors) {
            read.inside.add(ty.clone(), Written::Plain, &[]);
        }
        read.item = item;
        read
    }

    /// Whether the compiler may have found nothing but syntax errors where there are handlers: there are no other methods
    /// either, but hooks.
    pub fn may_be_cut_off(&self) -> bool {
        let is_hook = |method: &ImplItemFn| is_hook(&method.sig.ident);
        let mut parts = self.item.items.iter();
        self.handlers.is_empty()
            && parts.all(|part| !matches!(part, ImplItem::Fn(method) if !is_hook(method)))
    }

    /// The parameters of the `impl` that are mentioned nowhere but in its methods.
    pub fn unconstrained(&self) -> Vec<Ident> {
        let (generics, self_ty) = (&self.item.generics, &self.item.self_ty);
        let bounds = &generics.where_clause;
        let is_mentioned = |name: &Ident| {
            let is_other = |param: &&GenericParam| parameter(param) != Some(name);
            let others = generics.params.iter().filter(is_other);
            protocol::mentions(quote!(#self_ty #bounds #(#others)*), &|ident| ident == name)
        };
        let names = generics.params.iter().filter_map(parameter);
        names.filter(|name| !is_mentioned(name)).cloned().collect()
    }

    /// Leaves those parameters away, and the handlers of messages that only they name.
    pub fn drop_unconstrained(&mut self) {
        let unconstrained = self.unconstrained();
        if unconstrained.is_empty() {
            return;
        }
        let is_there = |param: &GenericParam| {
            !parameter(param).is_some_and(|name| unconstrained.contains(name))
        };
        let params = std::mem::take(&mut self.item.generics.params);
        self.item.generics.params = params.into_iter().filter(is_there).collect();
        self.handlers.clear();
    }

    /// Whether the block can do without the trait that it should not have: its methods seem to be the actor's own.
    /// Those of a `Handler<M>` may be there for other messages too, and an associated type is nothing without its trait.
    pub fn may_drop_trait(&self) -> bool {
        let Some((of_trait, _)) = &self.item.trait_ else {
            return false;
        };
        let is_generic = of_trait
            .segments
            .iter()
            .any(|segment| !segment.arguments.is_none());
        let has_type = self
            .item
            .items
            .iter()
            .any(|part| matches!(part, ImplItem::Type(_)));
        !self.handlers.is_empty() && !is_generic && !has_type && self.has_own_methods()
    }

    /// Whether the type may have methods: it is named, and neither a primitive nor a parameter.
    fn has_own_methods(&self) -> bool {
        let Type::Path(of) = &*self.item.self_ty else {
            return false;
        };
        let mut params = self.item.generics.type_params();
        !of.path.get_ident().is_some_and(|name| {
            path::is_primitive(name) || params.any(|param| param.ident == *name)
        })
    }

    /// Leaves the trait away. Whoever saw it sees the methods.
    pub fn drop_trait(&mut self) {
        self.item.trait_ = None;
        self.item.unsafety = None;
        self.item.modifiers = syn::ImplModifiers::default();
        for part in &mut self.item.items {
            if let ImplItem::Fn(method) = part {
                method.vis = syn::parse_quote!(pub);
            }
        }
    }

    fn method(&mut self, item: &mut ImplItemFn, errors: &mut Errors) {
        let receive =
            body::take_receive(&mut item.attrs).or_else(|| take_misspelt(&mut item.attrs, errors));
        if let Some(FnArg::Receiver(_)) = item.sig.inputs.first()
            && let Some(attr) = beside::take(Macro::Actor, &mut item.attrs)
        {
            errors.at(
                attr,
                "`#[actor]` stands on the `impl`; on a handler, write `#[receive]`",
            );
            return;
        }
        let hook = is_hook(&item.sig.ident);
        let is_actors = receive.is_some() || hook || has_receive(item.block.to_token_stream());
        if is_actors {
            let conditions = cfg::predicates(&item.attrs);
            let bare = body::bare(self.item.impl_token.span, &self.item.generics);
            let bare = bare.filter(|_| item.sig.generics.params.is_empty());
            let inside = body::rewrite_method(&mut item.block, bare, &self.krate, errors);
            self.inside.append(inside, &conditions);
        }
        if receive.is_some() || hook {
            item.attrs.insert(0, formal());
        }
        if receive.is_some() && !sized(&mut item.sig, errors) {
            item.block = syn::parse2(fallback::diverging()).expect("it is a block");
        }
        match (receive, hook) {
            (Some(attr), false) => {
                match super::valid::handler(Method::of(item), &attr, errors) {
                    Some(handler) => self.handlers.push(handler),
                    // What is wrong has been said, and lifetimes that nobody has declared are part of it.
                    None => item.sig.inputs.iter_mut().for_each(|input| match input {
                        FnArg::Typed(argument) => fallback::mend_type(&mut argument.ty),
                        FnArg::Receiver(_) => {}
                    }),
                }
            }
            (Some(attr), true) => errors.at(
                attr,
                format!(
                    "`{}` is called by the actor itself: remove `#[receive]`, or rename the handler",
                    item.sig.ident
                ),
            ),
            (None, true) => {
                let hook = super::valid::hook(Method::of(item), errors);
                match (item.sig.ident == "on_start", hook) {
                    (_, None) => {}
                    (true, hook) => self.on_start = hook,
                    (false, hook) => self.on_stop = hook,
                }
            }
            (None, false) => {}
        }
    }
}

impl Takes {
    /// Reads the type of a handler's argument.
    pub fn read(ty: &Type) -> Self {
        let Type::Path(of) = ty else {
            return Self::Message(Box::new(ty.clone()), None);
        };
        let last = of.path.segments.last();
        if last.is_some_and(|last| last.ident == "Envelope" && last.arguments.is_none()) {
            return Self::Envelope;
        }
        match path::typed(&of.path) {
            Typed::Of(message) => {
                let mut typed = of.path.clone();
                if let Some(last) = typed.segments.last_mut() {
                    last.arguments = syn::PathArguments::None;
                }
                Self::Message(message, Some(typed))
            }
            Typed::No | Typed::Bare => Self::Message(Box::new(ty.clone()), None),
        }
    }
}

/// A handler that is only declared, with a body that makes it one for the rest of the crate.
fn declared(part: &TokenStream, errors: &mut Errors) -> Option<ImplItemFn> {
    let (with_body, semicolon) = fallback::with_body(part)?;
    let handler: ImplItemFn = syn::parse2(with_body).ok()?;
    take_receive(Some(&mut handler.attrs.clone()))?;
    let name = &handler.sig.ident;
    errors.at(
        semicolon,
        format!("a handler has a body: write `{{ .. }}` in the place of this, for `{name}`"),
    );
    Some(handler)
}

/// Where what concerns the actor as a whole is shown: at the type.
pub fn place_of(item: &ItemImpl) -> proc_macro2::Span {
    item.self_ty
        .span()
        .resolved_at(proc_macro2::Span::mixed_site())
}

/// Its role gives such a method its form, whatever it needs of it.
fn formal() -> Attribute {
    syn::parse_quote! {
        #[allow(
            clippy::missing_const_for_fn,
            clippy::needless_pass_by_ref_mut,
            clippy::needless_pass_by_value,
            clippy::unused_async,
            clippy::unused_self,
        )]
    }
}

/// The name of a parameter that is no lifetime.
fn parameter(param: &GenericParam) -> Option<&Ident> {
    match param {
        GenericParam::Type(of) => Some(&of.ident),
        GenericParam::Const(of) => Some(&of.ident),
        GenericParam::Lifetime(_) => None,
    }
}

fn is_hook(name: &Ident) -> bool {
    name == "on_start" || name == "on_stop"
}

/// Whether a handler's message and its reply have a size. If not, that is mended.
fn sized(sig: &mut syn::Signature, errors: &mut Errors) -> bool {
    let mut sized = true;
    let message = sig.inputs.iter_mut().find_map(|input| match input {
        FnArg::Typed(argument) => Some(argument),
        FnArg::Receiver(_) => None,
    });
    if let Some(message) = message {
        sized &= owned::sized(&mut message.ty, Owner::Message, errors);
    }
    if let ReturnType::Type(_, reply) = &mut sig.output {
        sized &= owned::sized(reply, Owner::Reply, errors);
    }
    sized
}

fn has_receive(body: TokenStream) -> bool {
    body::hidden_receive(body).is_some()
}

fn take_receive(attrs: Option<&mut Vec<Attribute>>) -> Option<Attribute> {
    body::take_receive(attrs?)
}

fn attrs(item: &mut ImplItem) -> Option<&mut Vec<Attribute>> {
    match item {
        ImplItem::Const(of) => Some(&mut of.attrs),
        ImplItem::Type(of) => Some(&mut of.attrs),
        ImplItem::Macro(of) => Some(&mut of.attrs),
        _ => None,
    }
}
