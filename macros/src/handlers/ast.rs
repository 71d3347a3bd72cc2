//! An `impl` block as handlers, hooks, and the rest.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, Ident, ImplItem, ImplItemFn, ItemImpl, Path, Type};

use crate::actor::Options;
use crate::beside::{self, Macro};
use crate::body::{self, Messages, Written};
use crate::cfg::{self, Condition};
use crate::fallback::{self, Errors};
use crate::options;
use crate::owned::static_params;
use crate::path::{self, Typed};

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
        static_params(&mut item.generics, &state, options.local, errors);
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
        for ty in read.options.receives.iter().flat_map(|(_, types)| types) {
            read.inside.add(ty.clone(), Written::Plain, &[]);
        }
        read.item = item;
        read
    }

    fn method(&mut self, item: &mut ImplItemFn, errors: &mut Errors) {
        let receive = take_receive(Some(&mut item.attrs));
        if let Some(FnArg::Receiver(_)) = item.sig.inputs.first()
            && let Some(attr) = beside::take(Macro::Actor, &mut item.attrs)
        {
            errors.at(
                attr,
                "`#[actor]` stands on the `impl`; on a handler, write `#[receive]`",
            );
            return;
        }
        let hook = item.sig.ident == "on_start" || item.sig.ident == "on_stop";
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
        match (receive, hook) {
            (Some(attr), false) => {
                if let Some(handler) = super::valid::handler(Method::of(item), &attr, errors) {
                    self.handlers.push(handler);
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
