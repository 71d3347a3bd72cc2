//! From the tree to the code.
//!
//! ```text
//! {
//!     type __UproarM0 = Add; ..                         // the message types
//!     enum __UproarArm<B0, ..> { A0(B0, ..), .. }       // which arm, with the values of its variables
//!     let arm = {
//!         let mut scan = Scan::new(/* the message types */);
//!         loop {
//!             match Scan::step(&mut scan, |slot| { /* a matcher per message type */ }) {
//!                 Step::Taken(arm) => break arm,
//!                 ..
//!             }
//!             Scan::wait(&mut scan).await;
//!         }
//!     };
//!     match arm {
//!         __UproarArm::A0(..) => { let __UproarArm::A0(n, ..) = ({ arm }) else { unreachable!() }; /* the user's body */ }
//!     }
//! }
//! ```
//!
//! Functions are called by their paths: a trait of the user's may have methods of the same names. The closure lives
//! within one synchronous step, so nothing that a guard borrows is held while the actor waits. And `arm` is moved as a
//! whole: moved in part it would stay in the future, beside the variables, while the body waits.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Path, parse_quote};

use super::ast::{Arm, Receive};
use super::binding::Binding;
use super::form;
use super::matcher;
use super::pattern::Accepts;
use super::types::Types;
use crate::body::Bare;
use crate::cfg::Condition;
use crate::path::{shown_at, without_arguments};

/// The receive as a block expression that begins with `items`.
pub fn expand(receive: Receive, items: &TokenStream, bare: Bare, krate: &Path) -> Expr {
    let match_token = receive.match_token;
    let (timeout, function) = (&receive.timeout, &receive.function);
    let others = quote!(#timeout #function #krate);
    let types = Types::of(&receive.arms, &others, bare);
    let aliases = types.aliases();
    let (checks, choice) = (
        form::checks(&receive.arms, &types, krate),
        choice(&receive.arms),
    );
    let scan = scan(&receive, &types, krate);
    let attrs = &receive.attrs;
    let arms = receive
        .arms
        .iter()
        .enumerate()
        .map(|(index, arm)| body(index, arm, krate));
    let arm = arm_name();
    let chosen: TokenStream = quote_spanned! {Span::mixed_site()=>
        // A matcher hands back what it refuses, however large it is.
        #[allow(clippy::result_large_err)]
        let #arm = { #scan };
        #match_token #arm {
            #(#arms)*
        }
    };
    let chosen = Expr::Verbatim(chosen);
    parse_quote!(#(#attrs)* { #items #aliases #checks #choice #chosen })
}

/// An item can't be hygienic, so its name is one that nobody else has.
pub fn choice_name() -> Ident {
    Ident::new("__UproarArm", Span::mixed_site())
}

/// What the scan has chosen.
fn arm_name() -> Ident {
    Ident::new("arm", Span::mixed_site())
}

pub fn variant_name(index: usize) -> Ident {
    Ident::new(&format!("A{index}"), Span::mixed_site())
}

/// The enum of the arms. It is generic over the variables, whose types are inferred.
fn choice(arms: &[Arm]) -> TokenStream {
    let name = choice_name();
    let mut generics = Vec::new();
    let mut variants = Vec::new();
    for (index, arm) in arms.iter().enumerate() {
        let condition = Condition::of(&arm.attrs);
        let variant = variant_name(index);
        let types: Vec<_> = (0..arm.bindings.len())
            .map(|binding| format_ident!("A{index}B{binding}"))
            .collect();
        generics.extend(types.iter().map(|ty| quote!(#condition #ty)));
        let fields = (!types.is_empty()).then(|| quote!((#(#types),*)));
        variants.push(quote!(#condition #variant #fields));
    }
    quote! {
        #[allow(dead_code, clippy::allow_attributes)]
        enum #name<#(#generics),*> { #(#variants),* }
    }
}

fn scan(receive: &Receive, types: &Types<'_>, krate: &Path) -> TokenStream {
    let private = quote!(#krate::__private);
    let mentions = mentions(receive, krate);
    let wants = wants(&receive.arms, types, krate);
    let (before, matchers) = matcher::matchers(&receive.arms, types, krate);
    let wait = quote_spanned!(receive.await_span=> await);
    let (new, timed_out) = match &receive.timeout {
        None => (
            quote!(#private::Scan::new(#wants)),
            quote!(#private::Step::TimedOut | #private::Step::Wait => {}),
        ),
        Some(timeout) => {
            let name = choice_name();
            let at = timeout.span().resolved_at(Span::mixed_site());
            let krate = shown_at(krate, at);
            let timeouts = receive.arms.iter().enumerate().filter_map(|(index, arm)| {
                let condition = Condition::of(&arm.attrs);
                let variant = variant_name(index);
                matches!(arm.accepts, Accepts::Timeout(_))
                    .then(|| quote!(#condition #private::Step::TimedOut => break #name::#variant,))
            });
            (
                quote_spanned!(at=> #krate::__private::Scan::with_timeout(#wants, #timeout)),
                quote!(#(#timeouts)* #private::Step::Wait => {}),
            )
        }
    };
    let shown = types.shown();
    quote_spanned! {Span::mixed_site()=>
        #shown
        #mentions
        #before
        let mut scan = #new;
        loop {
            match #private::Scan::step(&mut scan, |slot| {
                #matchers
                ::core::option::Option::None
            }) {
                #private::Step::Taken(arm) => break arm,
                #timed_out
            }
            #private::Scan::wait(&mut scan).#wait;
        }
    }
}

/// Names that the user wrote and the expansion does not need. Without a mention their imports would be reported as
/// unused, and a misspelt one would not be reported at all.
fn mentions(receive: &Receive, krate: &Path) -> TokenStream {
    let function = &receive.function;
    let function = quote_spanned!(function.span().resolved_at(Span::mixed_site())=> #function::<#krate::Envelope>);
    let others = receive.arms.iter().flat_map(|arm| {
        let condition = Condition::of(&arm.attrs);
        let paths = match &arm.accepts {
            Accepts::Messages(alternatives) => alternatives
                .iter()
                .filter_map(|alternative| alternative.typed.as_ref())
                .map(|typed| {
                    let typed = without_arguments(typed);
                    quote!(#condition let _ = #typed::<()>;)
                })
                .collect(),
            Accepts::Timeout(path) => {
                vec![quote!(#condition let _ = ::core::marker::PhantomData::<#path>;)]
            }
            Accepts::Anything(_) => Vec::new(),
        };
        paths.into_iter()
    });
    quote!(let _ = #function; #(#others)*)
}

/// The message types that the mailbox needs to look at, each once, known at compile time.
fn wants(arms: &[Arm], types: &Types<'_>, krate: &Path) -> TokenStream {
    let private = quote!(#krate::__private);
    let mut any = None;
    for arm in arms {
        if let Accepts::Anything(_) = arm.accepts {
            any.get_or_insert_with(Condition::default)
                .or_all(&crate::cfg::predicates(&arm.attrs));
        }
    }
    let all = quote!(#private::Wants::Any);
    let any = match any.map(|condition| condition.predicate()) {
        Some(None) => return all,
        Some(Some(predicate)) => Some(predicate),
        None => None,
    };
    let ids: Vec<_> = types
        .iter()
        .map(|(index, condition)| {
            let id = quote_spanned!(types.place(index)=> id(message));
            let id = types.with_pointer(index, &id);
            quote!(#condition #id)
        })
        .collect();
    if ids.is_empty() && any.is_none() {
        return quote!(#private::Wants::Types(&[]));
    }
    let id = quote_spanned! {Span::mixed_site()=>
        const fn id<T: 'static>(_: *const T) -> ::core::any::TypeId {
            ::core::any::TypeId::of::<T>()
        }
    };
    let types = quote!(#private::Wants::Types(&[#(#ids),*]));
    match any {
        Some(any) => quote!(const { #id if ::core::cfg!(#any) { #all } else { #types } }),
        None => quote!(const { #id #types }),
    }
}

fn body(index: usize, arm: &Arm, krate: &Path) -> TokenStream {
    let (name, variant) = (choice_name(), variant_name(index));
    let (attrs, fat_arrow, body) = (&arm.attrs, arm.fat_arrow, &arm.body);
    let fields = match arm.bindings.as_slice() {
        [] => None,
        [binding] => return body_of_one(index, arm, binding, krate),
        bindings if bindings.iter().any(|binding| binding.in_guard) => {
            let fields = bindings.iter().enumerate().map(|(at, binding)| {
                let at = syn::Index::from(at);
                let variable = variable(binding);
                // The guard uses it; whether the body does too is nobody's business.
                let allow = binding.in_guard.then(|| quote!(#[allow(unused_variables)]));
                quote!(#allow #at: #variable)
            });
            Some(quote!({ #(#fields),* }))
        }
        bindings => {
            let variables = bindings.iter().map(variable);
            Some(quote!((#(#variables),*)))
        }
    };
    let Some(fields) = fields else {
        return quote!(#(#attrs)* #name::#variant #fat_arrow #body,);
    };
    bound(index, arm, &fields, &TokenStream::new())
}

/// The body of an arm with one variable, which travels as a `Whole`.
fn body_of_one(index: usize, arm: &Arm, binding: &Binding, krate: &Path) -> TokenStream {
    let variable = variable(binding);
    let allow = binding.in_guard.then(|| quote!(#[allow(unused_variables)]));
    let bind = quote_spanned! {Span::mixed_site()=>
        #allow
        let #variable = #krate::__private::Whole::into_inner(whole);
    };
    bound(
        index,
        arm,
        &quote_spanned!(Span::mixed_site()=> (whole)),
        &bind,
    )
}

/// The arm with the `fields` of its variant bound, and what follows from that.
fn bound(index: usize, arm: &Arm, fields: &TokenStream, then: &TokenStream) -> TokenStream {
    let (name, variant, chosen) = (choice_name(), variant_name(index), arm_name());
    let (attrs, fat_arrow, body) = (&arm.attrs, arm.fat_arrow, &arm.body);
    let body = quote_spanned! {Span::mixed_site()=> {
        #[allow(irrefutable_let_patterns)]
        let #name::#variant #fields = ({ #chosen }) else { ::core::unreachable!() };
        #then
        #body
    }};
    quote!(#(#attrs)* #name::#variant { .. } #fat_arrow #body)
}

fn variable(binding: &Binding) -> TokenStream {
    let (mutability, ident) = (binding.mutability, &binding.ident);
    quote!(#mutability #ident)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fallback::Errors;
    use quote::ToTokens;

    fn expanded(attr: &syn::Attribute, of: syn::ExprMatch) -> String {
        let (krate, mut errors) = (parse_quote!(::uproar), Errors::default());
        let receive = Receive::parse(attr, of, &krate, &mut errors).unwrap();
        assert!(errors.is_empty());
        expand(receive, &TokenStream::new(), None, &krate)
            .into_token_stream()
            .to_string()
    }

    fn count(code: &str, what: &TokenStream) -> usize {
        code.matches(&what.to_string()).count()
    }

    #[test]
    fn a_type_has_one_matcher_between_two_catch_alls() {
        let code = expanded(
            &parse_quote!(#[receive]),
            parse_quote!(match receive().await {
                Add(0) => {}
                Sub(n) | Add(n) => f(n),
                other if g(&other) => {}
                Add(n) => f(n),
                _ => {}
            }),
        );
        assert_eq!(
            count(&code, &quote!(|message: __UproarM0| match message)),
            2
        );
        assert_eq!(
            count(&code, &quote!(|message: __UproarM1| match message)),
            1
        );
        assert_eq!(count(&code, &quote!(take_any_if)), 2);
        assert_eq!(count(&code, &quote!(Wants::Any)), 1);
        assert_eq!(count(&code, &quote!(TypeId)), 0);
    }

    #[test]
    fn each_type_is_wanted_once() {
        let code = expanded(
            &parse_quote!(#[receive(timeout = t)]),
            parse_quote!(match receive().await {
                Cmd::Go => {}
                Add(n) => f(n),
                Cmd::Stop => {}
                Timeout => {}
            }),
        );
        assert_eq!(
            count(
                &code,
                &quote!(
                    type __UproarM0 = Cmd;
                )
            ),
            1
        );
        assert_eq!(
            count(&code, &quote!(|message: __UproarM0| match message)),
            1
        );
        assert_eq!(count(&code, &quote!(Cmd::Go =>)), 1);
        assert_eq!(
            count(&code, &quote!(|message: __UproarM1| match message)),
            1
        );
        assert_eq!(count(&code, &quote!(Scan::with_timeout)), 1);
        assert_eq!(count(&code, &quote!(TimedOut => break __UproarArm::A3)), 1);
    }
}
