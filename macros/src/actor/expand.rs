//! From the tree to the code.
//!
//! ```text
//! struct Counter { .. }                      // the protocol
//! const _: () = { .. };                      // that it receives `Add`
//! fn counter(total: u64) -> ActorFn<Counter, impl Future<Output = ()> + Send + 'static> {
//!     ActorFn::new(async move {
//!         if false { .. }                    // fixes the output's type for `?` and `return`
//!         let mut total = total;             // patterns are bound in here
//!         { /* the user's body */ }
//!     })
//! }
//! ```
//!
//! The declared bounds of the future are what lets actors spawn themselves and each other.
//!
//! In an `impl` block without `protocol = ..` this does not compile: see [`super::fold`].

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{AttrStyle, Attribute, FnArg, Generics, ItemFn, Pat, Signature};

use super::ast::{Actor, Protocol};
use crate::body;
use crate::cfg::Condition;
use crate::fallback;
use crate::output::Output;
use crate::path::{self, place};
use crate::protocol;

/// The protocol and the function.
pub fn expand(actor: &Actor) -> TokenStream {
    let mut item = actor.item.clone();
    let generics = item.sig.generics.clone();
    let inner: Vec<_> = item
        .attrs
        .extract_if(.., |attr| matches!(attr.style, AttrStyle::Inner(_)))
        .collect();
    let output = Output::new(&item.sig.output, &actor.krate);
    let returns = returns(actor, &output);
    let bound_inside = arguments(&mut item.sig);
    let (beside, inside) = match &actor.protocol {
        Protocol::New(name) => {
            let ty = protocol(actor, name, &generics);
            let receives = receives(actor, name, &generics).receives(actor.messages.as_slice());
            // Where the body names messages of its own, the anchors of these are in its sight only.
            match actor.messages.are_anchored() {
                true => (ty, receives),
                false => (quote!(#ty #receives), TokenStream::new()),
            }
        }
        Protocol::Given(_) | Protocol::Nameless => (TokenStream::new(), TokenStream::new()),
    };
    let (krate, fix, body) = (&actor.krate, output.fix(), body::nested(&item.block));
    let at = place(&item.sig.ident);
    let head = head(&item, &returns);
    let value =
        quote_spanned!(at=> #krate::ActorFn::new(async move { #fix #(#bound_inside)* #body }));
    quote!(#beside #head { #(#inner)* #inside #value })
}

/// What type-checks in the rest of the crate as the actor would: a function of that name, and a protocol that
/// receives everything. `body` is of any type.
pub fn fallback(actor: &mut Actor, body: &TokenStream) -> TokenStream {
    let method = actor.is_method();
    fallback::mend(&mut actor.item.sig);
    if matches!(actor.protocol, Protocol::Nameless) {
        actor.protocol = Protocol::New(Ident::new("__UproarNameless", Span::mixed_site()));
    }
    let mut item = actor.item.clone();
    item.attrs
        .retain(|attr| matches!(attr.style, AttrStyle::Outer));
    let output = Output::new(&item.sig.output, &actor.krate);
    let protocol = match &actor.protocol {
        Protocol::New(name) if !method => {
            let generics = &item.sig.generics;
            let ty = protocol(actor, name, generics);
            let everything = receives(actor, name, generics).receives_everything();
            Some(quote!(#ty #everything))
        }
        _ => None,
    };
    let returns = if method && !matches!(actor.protocol, Protocol::Given(_)) {
        let krate = &actor.krate;
        let ty = output.ty();
        quote!(#krate::ActorFn<(), impl ::core::future::Future<Output = #ty>>)
    } else {
        returns(actor, &output)
    };
    let (krate, fix) = (&actor.krate, output.fix());
    arguments(&mut item.sig);
    let head = head(&item, &returns);
    quote!(#protocol #[allow(unused)] #head { #krate::ActorFn::new(async move { #fix #body }) })
}

/// The function up to its body.
fn head(item: &ItemFn, returns: &TokenStream) -> TokenStream {
    let ItemFn {
        attrs, vis, sig, ..
    } = item;
    let mut sig = sig.clone();
    sig.asyncness = None;
    // With its output it is one piece of code, and shown as that.
    sig.fn_token.span = sig.fn_token.span.resolved_at(Span::mixed_site());
    sig.output = syn::parse_quote_spanned!(place(&sig.ident)=> -> #returns);
    quote!(#(#attrs)* #vis #sig)
}

fn returns(actor: &Actor, output: &Output) -> TokenStream {
    let krate = &actor.krate;
    let protocol = match &actor.protocol {
        Protocol::New(name) => {
            let (_, arguments, _) = actor.item.sig.generics.split_for_impl();
            quote!(#name #arguments)
        }
        Protocol::Given(ty) => ty.to_token_stream(),
        Protocol::Nameless => quote!(()),
    };
    let ty = output.ty();
    let send = (!actor.options.local).then(|| quote!(+ ::core::marker::Send));
    quote_spanned! {place(&actor.item.sig.ident)=>
        #krate::ActorFn<#protocol, impl ::core::future::Future<Output = #ty> #send + 'static>
    }
}

/// Replaces the arguments' patterns by names, and returns the statements that bind the patterns inside. As in any
/// `async fn`, an argument that is not used lives as long as the actor.
fn arguments(sig: &mut Signature) -> Vec<TokenStream> {
    let typed = sig
        .inputs
        .iter_mut()
        .enumerate()
        .filter_map(|(index, input)| match input {
            FnArg::Typed(argument) => Some((index, argument)),
            FnArg::Receiver(_) => None,
        });
    let bind = |(index, argument): (usize, &mut syn::PatType)| {
        let attrs = argument.attrs.clone();
        let pat = (*argument.pat).clone();
        let simple = match &pat {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                Some(name.ident.clone())
            }
            _ => None,
        };
        let name = simple
            .clone()
            .unwrap_or_else(|| Ident::new(&format!("argument{index}"), Span::mixed_site()));
        *argument.pat = syn::parse_quote!(#name);
        let allow = name.to_string().starts_with('_').then(|| {
            quote!(#[allow(clippy::used_underscore_binding, clippy::no_effect_underscore_binding)])
        });
        let moved = simple
            .is_none()
            .then(|| quote_spanned!(Span::mixed_site()=> #(#attrs)* let #name = #name;));
        quote_spanned!(Span::mixed_site()=> #moved #(#attrs)* #allow let #pat = #name;)
    };
    typed.map(bind).collect()
}

/// What says that the type `name` receives its messages.
fn receives<'a>(
    actor: &'a Actor,
    name: &'a Ident,
    generics: &'a Generics,
) -> protocol::Protocol<'a> {
    protocol::Protocol {
        name,
        generics,
        krate: &actor.krate,
        item: actor.item.sig.ident.span(),
        condition: Condition::of(&actor.item.attrs),
    }
}

/// The type. It lives in the type namespace only, so it never clashes with the function.
fn protocol(actor: &Actor, name: &Ident, generics: &Generics) -> TokenStream {
    let ItemFn {
        attrs, vis, sig, ..
    } = &actor.item;
    let conditions = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let hidden = attrs.iter().filter(|attr| is_doc_hidden(attr));
    let doc = doc(actor, &sig.ident);
    let (params, bounds) = (&generics.params, &generics.where_clause);
    let params = (!params.is_empty()).then(|| quote!(<#params>));
    let used = generics.type_params().map(|param| {
        let ident = &param.ident;
        quote!(fn() -> ::core::marker::PhantomData<#ident>)
    });
    quote_spanned! {place(&sig.ident)=>
        #(#conditions)*
        #doc
        #(#hidden)*
        #[allow(dead_code, unreachable_pub, missing_debug_implementations, missing_copy_implementations)]
        #vis struct #name #params #bounds {
            __protocol: ::core::marker::PhantomData<(#(#used,)*)>,
        }
    }
}

fn is_doc_hidden(attr: &Attribute) -> bool {
    attr.path().is_ident("doc")
        && attr
            .parse_args::<Ident>()
            .is_ok_and(|word| word == "hidden")
}

/// The messages are listed here, for the `impl` that receives them says nothing to a reader.
fn doc(actor: &Actor, function: &Ident) -> TokenStream {
    let plain = function.unraw();
    let link = if plain == *function {
        format!("[`{plain}`](fn@{plain})")
    } else {
        format!("`{plain}`")
    };
    let title = format!("The protocol of {link}: the messages it receives.");
    let mut lines = vec![quote!(#[doc = #title] #[doc = ""])];
    for (ty, condition) in actor.messages.iter() {
        let line = format!("* `{}`", path::written(ty));
        lines.push(match condition.predicate() {
            None => quote!(#[doc = #line]),
            Some(predicate) => quote!(#[cfg_attr(#predicate, doc = #line)]),
        });
    }
    lines.into_iter().collect()
}
