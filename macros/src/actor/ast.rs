//! The attribute's options, and the function with all that is read off it.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{
    Error, FnArg, Ident, Item, ItemFn, Macro, Path, Result, StmtMacro, Token, Type, parenthesized,
};

use crate::body;
use crate::fallback::Errors;
use crate::owned::{self, Owner, static_params};
use crate::protocol::{Anchors, Messages, Written};
use crate::{options, path};

/// What stands in the parentheses of `#[actor(..)]`.
#[derive(Default)]
pub struct Options {
    pub krate: Option<Path>,
    /// `name = Ident`.
    pub name: Option<Ident>,
    /// `protocol = Type`.
    pub protocol: Option<Type>,
    /// `receives(Type, ..)`, and the word itself.
    pub receives: Option<(Ident, Vec<Type>)>,
    pub local: bool,
}

impl Options {
    pub fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut options = Self::default();
        options::each(input, |name, input| {
            match name.to_string().as_str() {
                "crate" => options.krate = Some(options::crate_path(name, input)?),
                "name" => options.name = Some(options::name(name, input)?),
                "protocol" => options.protocol = Some(options::name(name, input)?),
                "local" => {
                    options::flag(name, input)?;
                    options.local = true;
                }
                "receives" => {
                    if !input.peek(syn::token::Paren) {
                        return Err(Error::new(name.span(), "write `receives(Message, ..)`"));
                    }
                    let list;
                    parenthesized!(list in input);
                    let types = Punctuated::<Type, Token![,]>::parse_terminated_with(
                        &list,
                        options::unquoted,
                    )?;
                    options.receives = Some((name.clone(), types.into_iter().collect()));
                }
                _ => {
                    let takes = "`#[actor]` takes `name = ..`, `receives(..)`, `protocol = ..`, `local` and `crate = ..`";
                    return Err(options::unknown(name, takes));
                }
            }
            Ok(())
        })?;
        Ok(options)
    }

    /// The types in `receives(..)`.
    pub fn received(&mut self, errors: &mut Errors) -> &[Type] {
        let Some((_, types)) = &mut self.receives else {
            return &[];
        };
        for ty in types.iter_mut() {
            owned::message(ty, errors);
        }
        types
    }
}

/// An actor whose body is rewritten already.
pub struct Actor {
    pub krate: Path,
    pub options: Options,
    pub item: ItemFn,
    pub messages: Messages,
    pub protocol: Protocol,
    is_method: bool,
}

pub enum Protocol {
    /// The type that is generated.
    New(Ident),
    /// `protocol = Type`.
    Given(Box<Type>),
    /// The function's name gives none, which is an error.
    Nameless,
}

impl Actor {
    pub fn new(mut options: Options, mut item: ItemFn, errors: &mut Errors) -> Self {
        let arguments = item.sig.inputs.to_token_stream();
        static_params(
            &mut item.sig.generics,
            &arguments,
            Owner::Actor,
            options.local,
            errors,
        );
        let default = || options::default_crate(path::place(&item.sig.ident));
        let krate = options.krate.clone().unwrap_or_else(default);
        let protocol = match (&options.protocol, &options.name) {
            (Some(given), _) => Protocol::Given(Box::new(given.clone())),
            (None, Some(name)) => Protocol::New(name.clone()),
            (None, None) => {
                path::upper_camel_case(&item.sig.ident).map_or(Protocol::Nameless, Protocol::New)
            }
        };
        let anchors = match &protocol {
            Protocol::New(name) => Some(Anchors {
                protocol: name.clone(),
                generics: item.sig.generics.clone(),
                krate: krate.clone(),
            }),
            Protocol::Given(_) | Protocol::Nameless => None,
        };
        // With a protocol of its own it may stand in an `impl`, whose parameters are not seen here.
        let bare = anchors
            .as_ref()
            .and_then(|_| body::bare(item.sig.ident.span(), &item.sig.generics));
        let is_method = mentions_self(&item);
        let mut messages =
            body::rewrite_anchored(&mut item.block, bare, &krate, anchors.as_ref(), errors);
        for ty in options.received(errors) {
            messages.add(ty.clone(), Written::Plain, &[]);
        }
        Self {
            krate,
            options,
            item,
            messages,
            protocol,
            is_method,
        }
    }

    /// Whether the function is seen to stand in an `impl` block or a trait, so that no type may stand beside it.
    pub fn is_method(&self) -> bool {
        self.is_method
    }
}

/// Whether the function mentions what is around it: `self`, or `Self` outside of items of its own.
fn mentions_self(item: &ItemFn) -> bool {
    struct Find(bool);
    impl VisitMut for Find {
        fn visit_ident_mut(&mut self, ident: &mut Ident) {
            self.0 |= ident == "Self";
        }

        fn visit_item_mut(&mut self, _: &mut Item) {}

        // It may be an item.
        fn visit_stmt_macro_mut(&mut self, _: &mut StmtMacro) {}

        fn visit_macro_mut(&mut self, of: &mut Macro) {
            self.0 |= occurs(of.tokens.clone());
        }
    }
    fn occurs(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => ident == "Self",
            TokenTree::Group(group) => occurs(group.stream()),
            _ => false,
        })
    }
    let mut find = Find(matches!(item.sig.inputs.first(), Some(FnArg::Receiver(_))));
    let (mut sig, mut block) = (item.sig.clone(), item.block.clone());
    find.visit_signature_mut(&mut sig);
    find.visit_block_mut(&mut block);
    find.0
}
