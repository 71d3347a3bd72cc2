//! What says which messages the actor handles and receives.
//!
//! That what is handled is received is said once for all, so that two handlers of one message are one mistake. A second
//! block for one type conflicts there too, and not in `Actor` only; but where `Receives` has no conflict, rustc asks for
//! the type of every address of such an actor. Of a type that is not the user's, rustc would refuse this beside all else:
//! it is said of each message then. And of messages, rustc has the same to say here as in the user's block:
//! see [`crate::protocol`].

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ReturnType, Type, parse_quote};

use super::ast::{Handler, Handlers, Takes, place_of};
use super::expand::at;
use crate::cfg::Condition;
use crate::output::Output;
use crate::path;
use crate::protocol::{self, Message, Written};
use crate::receive::pattern::same;

/// The names of the messages here: aliases, so that of a name which is misspelt rustc has nothing to say but what it says
/// of the user's.
struct Aliases<'a> {
    of: &'a Handlers,
    items: TokenStream,
    number: usize,
}

impl<'a> Aliases<'a> {
    fn new(of: &'a Handlers) -> Self {
        Self {
            of,
            items: TokenStream::new(),
            number: 0,
        }
    }

    fn add(&mut self, ty: &Type, written: Written, condition: &Condition) -> Option<TokenStream> {
        let index = self.number;
        self.number += 1;
        let name = path::alias(index, ty.span());
        if written == Written::Imported {
            let import = path::import(ty, index);
            self.items.extend(quote!(#condition #import));
            return Some(path::under_alias(ty, name).into_token_stream());
        }
        if path::in_brackets(ty) || protocol::names_parameter(ty, &self.of.item.generics) {
            return None;
        }
        self.items
            .extend(quote_spanned!(at(ty)=> #condition type #name = #ty;));
        Some(name.into_token_stream())
    }

    /// The name of the message that a handler takes.
    fn handled(&mut self, handler: &Handler) -> Option<TokenStream> {
        match &handler.takes {
            Takes::Message(ty, None) => self.add(ty, Written::Plain, &handler.method.condition()),
            _ => None,
        }
    }

    /// They and the `impls` that use them.
    fn around(&self, impls: &TokenStream) -> TokenStream {
        let (aliases, actor_is_there) = (&self.items, Condition::of(&self.of.item.attrs));
        quote_spanned! {place_of(&self.of.item)=>
            #actor_is_there
            #[allow(non_local_definitions)]
            const _: () = {
                #aliases
                #impls
            };
        }
    }
}

/// The messages: handled, and received inside of methods.
pub fn protocol(of: &Handlers) -> TokenStream {
    let mut aliases = Aliases::new(of);
    let mut impls = TokenStream::new();
    let one_by_one = may_lack_a_parameter(of) || path::may_be_std(&of.item.self_ty);
    for handler in &of.handlers {
        if let Takes::Message(ty, _) = &handler.takes {
            let name = aliases.handled(handler);
            impls.extend(handles_impl(of, handler, name.clone()));
            if one_by_one {
                impls.extend(receives_impl(of, ty, name, &handler.method.condition()));
            }
        }
    }
    for Message {
        ty,
        condition,
        written,
        ..
    } in inside(of)
    {
        let name = aliases.add(ty, *written, condition);
        impls.extend(receives_impl(of, ty, name, condition));
    }
    let handled = of
        .handlers
        .iter()
        .any(|handler| matches!(handler.takes, Takes::Message(..)));
    impls.extend((handled && !one_by_one).then(|| receives_handled(of)));
    aliases.around(&impls)
}

/// After an error: what is handled, and that everything is received.
pub fn protocol_of_everything(of: &Handlers) -> TokenStream {
    let mut aliases = Aliases::new(of);
    let mut impls = TokenStream::new();
    for (index, handler) in of.handlers.iter().enumerate() {
        let is_first = of.handlers[..index]
            .iter()
            .all(|before| !takes_same(before, handler));
        if is_first {
            let name = aliases.handled(handler);
            impls.extend(handles_impl(of, handler, name));
        }
    }
    let (krate, bounds) = (&of.krate, &of.item.generics.where_clause);
    let mut generics = of.item.generics.clone();
    generics.params.push(parse_quote!(__Message));
    let (params, _, _) = generics.split_for_impl();
    let (alias, self_ty) = with_more_parameters(of);
    impls.extend(quote! {
        #alias
        impl #params #krate::Receives<__Message> for #self_ty #bounds {}
    });
    aliases.around(&impls)
}

fn takes_same(one: &Handler, other: &Handler) -> bool {
    match (&one.takes, &other.takes) {
        (Takes::Message(one, _), Takes::Message(other, _)) => same(one, other),
        _ => false,
    }
}

/// The messages that are received inside of methods and have no handler.
pub fn inside(of: &Handlers) -> impl Iterator<Item = &Message> {
    of.inside.as_slice().iter().filter(|message| {
        !of.handlers.iter().any(|handler| {
            matches!(&handler.takes, Takes::Message(handled, _) if same(handled, &message.ty))
        })
    })
}

/// The actor's type, as an `impl` that has more parameters than the user's names it, and what comes before it. Of a name
/// that may be a missing parameter rustc says where to write it, and so it has the same to say here.
fn with_more_parameters(of: &Handlers) -> (TokenStream, TokenStream) {
    let (self_ty, generics) = (&of.item.self_ty, &of.item.generics);
    if !generics.params.is_empty() || !path::in_brackets(self_ty) {
        return (TokenStream::new(), self_ty.to_token_stream());
    }
    let alias = Ident::new("__UproarSelf", of.item.impl_token.span);
    let item = quote_spanned!(place_of(&of.item)=> type #alias = #self_ty;);
    (item, alias.into_token_stream())
}

/// Whether the `impl` may lack a parameter `T`. Of a name with one letter rustc says so in an `impl` that has no
/// parameters at all, and not in an alias.
fn may_lack_a_parameter(of: &Handlers) -> bool {
    let Type::Path(self_ty) = &*of.item.self_ty else {
        return false;
    };
    let mut arguments = self_ty
        .path
        .segments
        .iter()
        .map(|segment| &segment.arguments);
    of.item.generics.params.is_empty()
        && arguments.any(|of| protocol::mentions(of.to_token_stream(), &path::is_letter))
}

/// That all that is handled is received.
fn receives_handled(of: &Handlers) -> TokenStream {
    let krate = &of.krate;
    let (alias, self_ty) = with_more_parameters(of);
    let here = place_of(&of.item);
    let message = Ident::new("ItsMessage", here);
    let mut generics = of.item.generics.clone();
    generics.params.insert(0, parse_quote!(#message));
    generics
        .make_where_clause()
        .predicates
        .push(parse_quote!(Self: #krate::Handles<#message>));
    let (params, _, bounds) = generics.split_for_impl();
    quote_spanned! {here=>
        #alias
        #[automatically_derived]
        #[doc(hidden)]
        impl #params #krate::Receives<#message> for #self_ty #bounds {}
    }
}

fn receives_impl(
    of: &Handlers,
    message: &Type,
    name: Option<TokenStream>,
    condition: &Condition,
) -> TokenStream {
    let (krate, self_ty) = (&of.krate, &of.item.self_ty);
    let params = path::params(&of.item.generics, of.item.impl_token.span);
    let bounds = &of.item.generics.where_clause;
    let name = name.unwrap_or_else(|| message.to_token_stream());
    quote_spanned! {at(message)=>
        #condition
        #[automatically_derived]
        impl #params #krate::Receives<#name> for #self_ty #bounds {}
    }
}

fn handles_impl(of: &Handlers, handler: &Handler, name: Option<TokenStream>) -> TokenStream {
    let Takes::Message(message, _) = &handler.takes else {
        return TokenStream::new();
    };
    let (krate, self_ty) = (&of.krate, &of.item.self_ty);
    let params = path::params(&of.item.generics, of.item.impl_token.span);
    let bounds = &of.item.generics.where_clause;
    let condition = handler.method.condition();
    let output = Output::new(&handler.method.sig.output, krate);
    let reply = output.ty();
    let reply_at = match &handler.method.sig.output {
        ReturnType::Default => at(&**message),
        ReturnType::Type(_, ty) => at(ty),
    };
    let reply = quote_spanned!(reply_at=> type Reply = #reply;);
    let name = name.unwrap_or_else(|| message.to_token_stream());
    quote_spanned! {at(&**message)=>
        #condition
        #[automatically_derived]
        impl #params #krate::Handles<#name> for #self_ty #bounds { #reply }
    }
}
