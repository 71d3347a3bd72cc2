//! From the tree to the code.
//!
//! ```text
//! {
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
//! Functions are called by their paths: a trait of the user's may have methods of the same names. The closure lives within one synchronous step, so nothing that a guard borrows is held while the actor waits. And `arm` is moved as a
//! whole: moved in part it would stay in the future, beside the variables, while the body waits.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Pat, Path, Type, parse_quote};

use super::ast::{Arm, Receive};
use super::binding::Binding;
use super::pattern::{Accepts, same};
use crate::cfg::Condition;
use crate::path::shown_at;

/// The receive as a block expression.
pub fn expand(receive: Receive, krate: &Path) -> Expr {
    let match_token = receive.match_token;
    let choice = choice(&receive.arms);
    let scan = scan(&receive, krate);
    let attrs = &receive.attrs;
    let arms = receive
        .arms
        .iter()
        .enumerate()
        .map(|(index, arm)| body(index, arm));
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
    parse_quote!(#(#attrs)* { #choice #chosen })
}

/// An item can't be hygienic, so its name is one that nobody else has.
fn choice_name() -> Ident {
    Ident::new("__UproarArm", Span::mixed_site())
}

/// What the scan has chosen.
fn arm_name() -> Ident {
    Ident::new("arm", Span::mixed_site())
}

fn variant_name(index: usize) -> Ident {
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

fn scan(receive: &Receive, krate: &Path) -> TokenStream {
    let private = quote!(#krate::__private);
    let mentions = mentions(receive, krate);
    let wants = wants(&receive.arms, krate);
    let matchers = matchers(&receive.arms, krate);
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
    quote_spanned! {Span::mixed_site()=>
        #mentions
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
                .map(|typed| quote!(#condition let _ = #typed;))
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
fn wants(arms: &[Arm], krate: &Path) -> TokenStream {
    let private = quote!(#krate::__private);
    let mut types: Vec<(&Type, Condition)> = Vec::new();
    let mut any = Condition::default();
    let mut takes_any = false;
    for arm in arms {
        let predicates = crate::cfg::predicates(&arm.attrs);
        match &arm.accepts {
            Accepts::Messages(alternatives) => {
                for ty in alternatives.iter().map(|alternative| &alternative.ty) {
                    let known = types.iter().position(|(known, _)| same(known, ty));
                    let at = known.unwrap_or_else(|| {
                        types.push((ty, Condition::default()));
                        types.len() - 1
                    });
                    types[at].1.or_all(&predicates);
                }
            }
            Accepts::Anything(_) => {
                takes_any = true;
                any.or_all(&predicates);
            }
            Accepts::Timeout(_) => {}
        }
    }
    let all = quote!(#private::Wants::Any);
    if takes_any && any.predicate().is_none() {
        return all;
    }
    if types.is_empty() && any.predicate().is_none() {
        return quote!(#private::Wants::Types(&[]));
    }
    // No type stands in angle brackets, here as in `matcher`: for one that does not exist rustc would suggest a generic
    // parameter of the function, and so report it once more than the protocol does.
    let types = types.iter().map(|(ty, condition)| {
        quote_spanned! {ty.span().resolved_at(Span::mixed_site())=>
            #condition {
                let message: *const #ty = ::core::ptr::null();
                id(message)
            }
        }
    });
    let id = quote_spanned! {Span::mixed_site()=>
        const fn id<T: 'static>(_: *const T) -> ::core::any::TypeId {
            ::core::any::TypeId::of::<T>()
        }
    };
    let types = quote!(#private::Wants::Types(&[#(#types),*]));
    match any.predicate() {
        Some(any) => quote!(const { #id if ::core::cfg!(#any) { #all } else { #types } }),
        None => quote!(const { #id #types }),
    }
}

/// Arms of one message type that no catch-all separates, in one `match`: so rustc sees which of them can't be
/// reached.
struct Group<'a> {
    /// `None` takes a message of any type.
    ty: Option<&'a Type>,
    cases: Vec<(usize, &'a Arm, &'a Pat)>,
}

fn groups(arms: &[Arm]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut run = 0;
    for (index, arm) in arms.iter().enumerate() {
        match &arm.accepts {
            Accepts::Messages(alternatives) => {
                for alternative in alternatives {
                    let case = (index, arm, &alternative.pat);
                    let of_type = |group: &&mut Group<'_>| {
                        group.ty.is_some_and(|ty| same(ty, &alternative.ty))
                    };
                    match groups[run..].iter_mut().find(of_type) {
                        Some(group) => group.cases.push(case),
                        None => groups.push(Group {
                            ty: Some(&alternative.ty),
                            cases: vec![case],
                        }),
                    }
                }
            }
            Accepts::Anything(pat) => {
                groups.push(Group {
                    ty: None,
                    cases: vec![(index, arm, pat)],
                });
                run = groups.len();
            }
            Accepts::Timeout(_) => {}
        }
    }
    groups
}

fn matchers(arms: &[Arm], krate: &Path) -> TokenStream {
    groups(arms)
        .iter()
        .map(|group| matcher(group, krate))
        .collect()
}

fn matcher(group: &Group<'_>, krate: &Path) -> TokenStream {
    let mut condition = Condition::default();
    let mut cases = TokenStream::new();
    for (index, arm, pat) in &group.cases {
        condition.or_all(&crate::cfg::predicates(&arm.attrs));
        let attrs = matcher_attrs(&arm.attrs);
        let guard = arm.guard.as_ref().map(|guard| {
            let (if_token, condition) = (guard.if_token, &guard.condition);
            quote!(#if_token #condition)
        });
        let (name, variant) = (choice_name(), variant_name(*index));
        let values = arm.bindings.iter().map(|binding| &binding.ident);
        // The user does not use his `_name`; the values' way to the body does.
        let underscored = arm
            .bindings
            .iter()
            .any(|binding| binding.ident.to_string().starts_with('_'));
        let allow = underscored.then(|| quote!(#[allow(clippy::used_underscore_binding)]));
        let values = (!arm.bindings.is_empty()).then(|| quote!((#(#values),*)));
        let here = pat.span().resolved_at(Span::mixed_site());
        let taken = quote_spanned!(here=> ::core::result::Result::Ok(#name::#variant #values));
        cases.extend(quote!(#(#attrs)* #allow #pat #guard => #taken,));
    }
    let here = group
        .cases
        .first()
        .map_or_else(Span::mixed_site, |(_, _, pat)| pat.span());
    let here = here.resolved_at(Span::mixed_site());
    let (at, take, ty) = match group.ty {
        Some(ty) => {
            let at = ty.span().resolved_at(Span::mixed_site());
            (at, "take_if", Some(quote_spanned!(at=> : #ty)))
        }
        None => (here, "take_any_if", None),
    };
    let (krate, take) = (shown_at(krate, at), Ident::new(take, at));
    let take = quote_spanned!(at=> #krate::__private::Slot::#take);
    let (arm, message) = (Ident::new("arm", here), Ident::new("message", here));
    let slot = Ident::new("slot", Span::mixed_site());
    quote_spanned! {here=>
        #condition
        if let ::core::option::Option::Some(#arm) = #take(#slot, |#message #ty| match #message {
            #cases
            #[allow(unreachable_patterns)]
            #message => ::core::result::Result::Err(#message),
        }) {
            return ::core::option::Option::Some(#arm);
        }
    }
}

/// An arm becomes two arms. What is expected of it would be missing from one of them.
fn matcher_attrs(attrs: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attrs.iter().filter(|attr| !attr.path().is_ident("expect"))
}

fn body(index: usize, arm: &Arm) -> TokenStream {
    let (name, variant) = (choice_name(), variant_name(index));
    let (attrs, fat_arrow, body) = (&arm.attrs, arm.fat_arrow, &arm.body);
    let fields = match arm.bindings.as_slice() {
        [] => None,
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
    let chosen = arm_name();
    let bind = quote_spanned! {Span::mixed_site()=>
        #[allow(irrefutable_let_patterns)]
        let #name::#variant #fields = ({ #chosen }) else { ::core::unreachable!() };
    };
    let body = quote_spanned!(Span::mixed_site()=> { #bind #body });
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

    fn expanded(attr: &Attribute, of: syn::ExprMatch) -> String {
        let (krate, mut errors) = (parse_quote!(::uproar), Errors::default());
        let receive = Receive::parse(attr, of, &krate, &mut errors).unwrap();
        assert!(errors.is_empty());
        expand(receive, &krate).into_token_stream().to_string()
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
        assert_eq!(count(&code, &quote!(|message: Add|)), 2);
        assert_eq!(count(&code, &quote!(|message: Sub|)), 1);
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
        assert_eq!(count(&code, &quote!(*const Cmd)), 1);
        assert_eq!(count(&code, &quote!(id(message))), 2);
        assert_eq!(count(&code, &quote!(Scan::with_timeout)), 1);
        assert_eq!(count(&code, &quote!(TimedOut => break __UproarArm::A3)), 1);
    }
}
