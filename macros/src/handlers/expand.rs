//! From the tree to the code.
//!
//! ```text
//! impl Account { /* as it was written */ }
//! const _: () = {
//!     type __UproarM0 = Deposit; ..
//!     impl Handles<__UproarM0> for Account { type Reply = (); }   // for each handler, at the place of its message
//!     impl<ItsMessage> Receives<ItsMessage> for Account where Self: Handles<ItsMessage> {}
//! };
//! impl Actor for Account {
//!     fn into_send_future(mut self) -> impl Future<Output = ExitReason> + Send + 'static {
//!         async move {
//!             enum __UproarNext<A0, ..> { A0(A0), .. }
//!             stop_gracefully();
//!             /* on_start */
//!             loop {
//!                 let Some(next) = next(Wants::Any, |slot| {
//!                     if let Some(message) = take::<Self, _>(slot) { return Some(__UproarNext::A0(message)) }
//!                     ..
//!                     discard(slot);
//!                     None
//!                 }).await else { break };
//!                 match next {
//!                     __UproarNext::A0(_) => {
//!                         let __UproarNext::A0((message, caller)) = ({ next }) else { unreachable!() };
//!                         reply(caller, Self::deposit(&mut self, message).await);
//!                     }
//!                     ..
//!                 }
//!             }
//!             /* on_stop */
//!             ExitReason::Shutdown
//!         }
//!     }
//! }
//! ```
//!
//! `self` stays where the future has captured it, and `next` is moved as a whole: of a local that is moved in part,
//! or of an argument that becomes a local, the future would hold two copies while a handler waits.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, ReturnType, Type, TypeParamBound, WhereClause};

use super::ast::{Handler, Handlers, Hook, Takes, place_of};
use super::messages::{inside, protocol, protocol_of_everything};
use crate::cfg::Condition;
use crate::fallback::{Errors, mend, mend_generics, mend_type};
use crate::path::{self, place, shown_at};
use crate::protocol::{Message, Written, mentions};

/// The block, and the actor.
pub fn expand(of: &Handlers) -> TokenStream {
    let (item, protocol) = (&of.item, protocol(of));
    let actor = actor(of, &body(of));
    quote!(#item #protocol #actor)
}

/// What type-checks in the rest of the crate as the actor would, as far as there is a type to be one.
pub fn fallback(mut of: Handlers, body: &TokenStream, sound: bool, errors: Errors) -> TokenStream {
    let errors = errors.into_tokens();
    of.item.attrs.push(syn::parse_quote!(#[allow(unused)]));
    if of.may_drop_trait() {
        of.drop_trait();
        of.item
            .attrs
            .push(syn::parse_quote!(#[allow(private_interfaces, unreachable_pub)]));
    }
    let item = &of.item;
    if !sound {
        // Without a type of its own, rustc would have the same to say once more.
        let is_own = matches!(&*item.self_ty, Type::Path(of) if !of.path.get_ident().is_some_and(path::is_primitive));
        let item = is_own.then(|| item.to_token_stream());
        let actor = (is_own && of.item.trait_.is_none()).then(|| borrowing(of));
        return quote!(#errors #item #actor);
    }
    let item = item.to_token_stream();
    of.drop_unconstrained();
    let protocol = protocol_of_everything(&of);
    let actor = actor(&of, body);
    quote!(#errors #item #protocol #actor)
}

/// The same for a type with lifetimes, whatever they are where it is spawned: in the protocol they are `'static`.
fn borrowing(mut of: Handlers) -> TokenStream {
    let params = path::params(&of.item.generics, of.item.impl_token.span);
    let bounds = of.item.generics.where_clause.clone();
    let self_ty = of.item.self_ty.clone();
    mend_generics(&mut of.item.generics);
    mend_type(&mut of.item.self_ty);
    for handler in &mut of.handlers {
        mend(&mut handler.method.sig);
        if let Takes::Message(message, _) = &mut handler.takes {
            mend_type(message);
        }
    }
    let (protocol, its_ty, krate) = (protocol_of_everything(&of), &of.item.self_ty, &of.krate);
    let condition = Condition::of(&of.item.attrs);
    let future = quote!(impl ::core::future::Future<Output = #krate::ExitReason>);
    quote! {
        #protocol
        #condition
        impl #params #krate::Actor for #self_ty #bounds {
            type Protocol = #its_ty;
            type Output = #krate::ExitReason;
            type Future = ::core::future::Pending<#krate::ExitReason>;

            fn into_future(self) -> #future + 'static {
                ::core::future::pending()
            }

            fn into_send_future(self) -> #future + ::core::marker::Send + 'static {
                ::core::future::pending()
            }
        }
    }
}

fn actor(of: &Handlers, body: &TokenStream) -> TokenStream {
    let (krate, self_ty) = (&of.krate, &of.item.self_ty);
    let private = quote!(#krate::__private::handlers);
    // In here are the messages that methods receive.
    let params = path::params(&of.item.generics, of.item.impl_token.span);
    let bounds = bounds(of);
    let condition = Condition::of(&of.item.attrs);
    let here = place_of(&of.item);
    let future = quote_spanned!(here=> impl ::core::future::Future<Output = #krate::ExitReason>);
    let body = quote_spanned! {here=>
        #[allow(unused_mut)]
        async move { #body }
    };
    let (like, futures) = if of.options.local {
        let like = quote_spanned!(here=> #private::Handling<Self, dyn #private::LocalActor>);
        let futures = quote_spanned! {here=>
            fn into_future(mut self) -> #future + 'static { #body }

            fn into_send_future(self) -> #future + ::core::marker::Send + 'static {
                #private::never_send()
            }
        };
        (like, futures)
    } else {
        let like = quote_spanned!(here=> #private::Handling<Self>);
        let futures = quote_spanned! {here=>
            fn into_future(self) -> #future + 'static {
                <Self as #krate::Actor>::into_send_future(self)
            }

            fn into_send_future(mut self) -> #future + ::core::marker::Send + 'static { #body }
        };
        (like, futures)
    };
    quote_spanned! {here=>
        #condition
        #[automatically_derived]
        #[allow(unused_mut, clippy::unused_async)]
        impl #params #krate::Actor for #self_ty #bounds {
            type Protocol = Self;
            type Output = #krate::ExitReason;
            type Future = #like;

            #futures
        }
    }
}

/// When the type is an actor. Of a parameter whose bounds only imply that it is no borrow, if they do, rustc would say that
/// it may be one once for each place in the `impl` where that matters. So these take it for granted: there are no borrows
/// where an actor is spawned.
fn bounds(of: &Handlers) -> Option<WhereClause> {
    let mut generics = of.item.generics.clone();
    let self_ty = of.item.self_ty.to_token_stream();
    let may_be_borrow = |param: &&syn::TypeParam| {
        let is_lifetime = |bound: &TypeParamBound| matches!(bound, TypeParamBound::Lifetime(_));
        mentions(self_ty.clone(), &|name| *name == param.ident)
            && !param.bounds.iter().any(is_lifetime)
    };
    let params = of.item.generics.type_params().filter(may_be_borrow);
    for name in params.map(|param| &param.ident) {
        let predicates = &mut generics.make_where_clause().predicates;
        predicates.push(syn::parse_quote!(#name: 'static));
    }
    generics.where_clause
}

/// An item can't be hygienic, so its name is one that nobody else has.
fn next_name() -> Ident {
    Ident::new("__UproarNext", Span::mixed_site())
}

fn variant_name(index: usize) -> Ident {
    Ident::new(&format!("A{index}"), Span::mixed_site())
}

fn body(of: &Handlers) -> TokenStream {
    let krate = &of.krate;
    let private = quote!(#krate::__private::handlers);
    let name = next_name();
    let variants = of.handlers.iter().enumerate().map(|(index, handler)| {
        let (condition, variant) = (handler.method.condition(), variant_name(index));
        (
            quote!(#condition #variant),
            quote!(#condition #variant(#variant)),
        )
    });
    let (params, variants): (Vec<_>, Vec<_>) = variants.unzip();
    let takes = of
        .handlers
        .iter()
        .enumerate()
        .filter(|(_, handler)| matches!(handler.takes, Takes::Message(..)))
        .chain(
            of.handlers
                .iter()
                .enumerate()
                .filter(|(_, handler)| matches!(handler.takes, Takes::Envelope)),
        )
        .map(|(index, handler)| take(index, handler, krate));
    let arms = of
        .handlers
        .iter()
        .enumerate()
        .map(|(index, handler)| arm(index, handler, krate));
    let wants = wants(of);
    let start = of
        .on_start
        .as_ref()
        .map(|hook| call_hook(hook, krate, &quote!()));
    let stop = of
        .on_stop
        .as_ref()
        .map(|hook| call_hook(hook, krate, &reason_of(hook)));
    quote_spanned! {Span::mixed_site()=>
        #[allow(dead_code, clippy::allow_attributes)]
        enum #name<#(#params),*> { #(#variants),* }
        #[allow(unused_imports)]
        use #private::Unremarkable as _;

        #private::stop_gracefully();
        #start
        loop {
            let ::core::option::Option::Some(next) = #private::next(#wants, |slot| {
                #(#takes)*
                #private::discard(slot);
                ::core::option::Option::None
            })
            .await else { break };
            match next { #(#arms)* }
        }
        let reason = #krate::ExitReason::Shutdown;
        #stop
        reason
    }
}

fn take(index: usize, handler: &Handler, krate: &Path) -> TokenStream {
    let (name, variant, condition) = (next_name(), variant_name(index), handler.method.condition());
    let at = argument_place(handler);
    let krate = shown_at(krate, at);
    let taken = match &handler.takes {
        Takes::Message(..) => {
            quote_spanned!(at=> #krate::__private::handlers::take::<Self, _>(slot))
        }
        Takes::Envelope => {
            quote_spanned!(at=> #krate::__private::Slot::take_any_if(slot, ::core::result::Result::Ok))
        }
    };
    quote_spanned! {Span::mixed_site()=>
        #condition
        if let ::core::option::Option::Some(message) = #taken {
            return ::core::option::Option::Some(#name::#variant(message));
        }
    }
}

fn arm(index: usize, handler: &Handler, krate: &Path) -> TokenStream {
    let private = quote!(#krate::__private::handlers);
    let (name, variant, condition) = (next_name(), variant_name(index), handler.method.condition());
    let method = handler.method.name();
    let here = place(method);
    let wait = handler
        .method
        .sig
        .asyncness
        .map(|_| quote_spanned!(here=> .await));
    let message = match &handler.takes {
        Takes::Message(_, Some(typed)) => quote_spanned!(Span::mixed_site()=> #typed(message)),
        _ => quote_spanned!(Span::mixed_site()=> message),
    };
    let call = quote_spanned!(here=> Self::#method(&mut self, #message) #wait);
    let taken = match &handler.takes {
        Takes::Envelope => quote_spanned!(Span::mixed_site()=> message),
        Takes::Message(..) => quote_spanned!(Span::mixed_site()=> (message, caller)),
    };
    let handled = match (&handler.takes, &handler.method.sig.output) {
        (Takes::Envelope, _) => quote!(#call;),
        (Takes::Message(..), ReturnType::Default) => {
            quote_spanned!(Span::mixed_site()=> #private::reply(caller, #call);)
        }
        (Takes::Message(..), ReturnType::Type(_, ty)) if matches!(**ty, Type::Never(_)) => {
            // It takes what it knows of its caller with it.
            quote_spanned!(Span::mixed_site()=> let _caller = caller; #call)
        }
        (Takes::Message(..), ReturnType::Type(_, _)) => {
            let text = method.to_string();
            quote_spanned! {Span::mixed_site()=>
                if let ::core::option::Option::Some(unheard) = #private::reply(caller, #call) {
                    #private::Unheard(unheard).report_unheard(#text);
                }
            }
        }
    };
    quote_spanned! {Span::mixed_site()=>
        #condition
        #name::#variant(_) => {
            #[allow(irrefutable_let_patterns)]
            let #name::#variant(#taken) = ({ next }) else {
                ::core::unreachable!()
            };
            #handled
        }
    }
}

/// Calls a hook; an `Err` ends the actor.
fn call_hook(hook: &Hook, krate: &Path, reason: &TokenStream) -> TokenStream {
    let method = hook.0.name();
    let here = place(method);
    let condition = hook.0.condition();
    let wait = hook.0.sig.asyncness.map(|_| quote_spanned!(here=> .await));
    let returns_at = match &hook.0.sig.output {
        ReturnType::Default => here,
        ReturnType::Type(_, ty) => at(ty),
    };
    let call = quote_spanned!(here=> Self::#method(&mut self #reason) #wait);
    let krate = shown_at(krate, returns_at);
    let into_end = quote_spanned!(returns_at=> #krate::__private::handlers::Hook::into_end);
    quote_spanned! {Span::mixed_site()=>
        #condition
        if let ::core::result::Result::Err(reason) = #into_end(#call) {
            return reason;
        }
    }
}

/// The argument of `on_stop`.
fn reason_of(hook: &Hook) -> TokenStream {
    let argument = hook.0.arguments().next();
    let at = argument.map_or_else(Span::mixed_site, |argument| at(&argument.ty));
    quote_spanned!(at=> , &reason)
}

/// Which messages the loop looks at: all but those that methods receive themselves.
fn wants(of: &Handlers) -> TokenStream {
    let krate = &of.krate;
    let wants = quote!(#krate::__private::Wants);
    let types: Vec<_> = inside(of)
        .enumerate()
        .map(|(index, message)| {
            let Message { ty, condition, .. } = message;
            let import = match message.written {
                Written::Imported => path::import(ty, index),
                _ => None,
            };
            let name = match import {
                Some(_) => path::under_alias(ty, path::alias(index, ty.span())).into_token_stream(),
                None => ty.to_token_stream(),
            };
            quote_spanned! {at(ty)=>
                #condition {
                    #import
                    let message: *const #name = ::core::ptr::null();
                    id(message)
                }
            }
        })
        .collect();
    if types.is_empty() {
        return quote!(#wants::Any);
    }
    quote_spanned! {Span::mixed_site()=>
        const {
            const fn id<T: 'static>(_: *const T) -> ::core::any::TypeId {
                ::core::any::TypeId::of::<T>()
            }
            #wants::AllBut(&(&[#(#types),*] as &[::core::any::TypeId]))
        }
    }
}

fn argument_place(handler: &Handler) -> Span {
    handler
        .method
        .arguments()
        .next()
        .map_or_else(Span::mixed_site, |argument| at(&argument.ty))
}

pub fn at(tokens: &(impl ToTokens + Spanned)) -> Span {
    tokens.span().resolved_at(Span::mixed_site())
}
