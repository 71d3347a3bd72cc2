//! The matchers: what is done with one message.
//!
//! Arms of one message type are in one `match`, so that rustc sees which of them can't be reached. Where arms of
//! another type lie between them, the two types may still be one, by another name or through a generic parameter.
//! Arms must be tried in their order then, so the message goes through the matchers once for each of these arms:
//!
//! ```text
//! let mixed = same_message(Add, m::Add);            // known at compile time; hardly ever true
//! for round in if mixed { 0 } else { 2 }..=2 {
//!     if let Some(arm) = take_if(slot, |message: Add| match message {
//!         Add(0) => Ok(A0),
//!         message if mixed && round < 2 => Err(message),
//!         Add(n) => Ok(A2(n)),
//!         message => Err(message),
//!     }) { return Some(arm) }
//!     if let Some(arm) = take_if(slot, |message: m::Add| match message { .. A1 .. }) { return Some(arm) }
//! }
//! ```

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Pat, Path};

use super::ast::Arm;
use super::binding;
use super::expand::{choice_name, variant_name};
use super::pattern::Accepts;
use super::types::Types;
use crate::cfg::{self, Condition};
use crate::path::shown_at;

/// A part of an arm, for one message type.
struct Case<'a> {
    index: usize,
    arm: &'a Arm,
    pat: Pat,
}

/// Cases of one message type that no catch-all separates.
struct Group<'a> {
    /// Its place among the receive's types; `None` takes a message of any type.
    ty: Option<usize>,
    cases: Vec<Case<'a>>,
}

impl Group<'_> {
    fn first(&self) -> usize {
        self.cases.first().map_or(0, |case| case.index)
    }

    fn last(&self) -> usize {
        self.cases.last().map_or(0, |case| case.index)
    }
}

/// Groups between two catch-alls, or one catch-all.
type Run<'a> = Vec<Group<'a>>;

/// What comes before the search, and what is done with each message in it.
pub fn matchers(arms: &[Arm], types: &Types<'_>, krate: &Path) -> (TokenStream, TokenStream) {
    let (mut before, mut matchers) = (TokenStream::new(), TokenStream::new());
    if arms.iter().any(Arm::binds_in_several_types) {
        let same_arm = same_arm();
        matchers.extend(quote!(let #same_arm = ::core::marker::PhantomData;));
    }
    for (number, run) in runs(arms, types).iter().enumerate() {
        let rounds = Rounds::of(run, number);
        let groups: TokenStream = run
            .iter()
            .map(|group| matcher(group, rounds.as_ref(), types, krate))
            .collect();
        match rounds {
            None => matchers.extend(groups),
            Some(rounds) => {
                before.extend(rounds.mixed(run, types, krate));
                matchers.extend(rounds.around(&groups));
            }
        }
    }
    (before, matchers)
}

fn runs<'a>(arms: &'a [Arm], types: &Types<'_>) -> Vec<Run<'a>> {
    let mut runs: Vec<Run<'a>> = vec![Vec::new()];
    for (index, arm) in arms.iter().enumerate() {
        match &arm.accepts {
            Accepts::Messages(alternatives) => {
                for alternative in alternatives {
                    let ty = types.index(&alternative.ty);
                    let case = Case {
                        index,
                        arm,
                        pat: types.renamed(&alternative.pat, ty),
                    };
                    let run = runs.last_mut().expect("it begins with one");
                    match run.iter_mut().find(|group| group.ty == Some(ty)) {
                        Some(group) => group.cases.push(case),
                        None => run.push(Group {
                            ty: Some(ty),
                            cases: vec![case],
                        }),
                    }
                }
            }
            Accepts::Anything(pat) => {
                let case = Case {
                    index,
                    arm,
                    pat: pat.clone(),
                };
                let any = Group {
                    ty: None,
                    cases: vec![case],
                };
                runs.extend([vec![any], Vec::new()]);
            }
            Accepts::Timeout(_) => {}
        }
    }
    runs
}

/// How often a message goes through a run's matchers.
struct Rounds {
    /// Whether types of this run are one, as the code calls it.
    mixed: Ident,
    /// The first arm that comes before its turn: one of another type stands above it, and is tried later.
    first: usize,
    last: usize,
}

impl Rounds {
    fn of(run: &Run<'_>, number: usize) -> Option<Self> {
        let early = run.iter().enumerate().flat_map(|(at, group)| {
            let below = run[at + 1..].iter().map(Group::first).min();
            let early = move |index: &usize| below.is_some_and(|below| below < *index);
            group.cases.iter().map(|case| case.index).filter(early)
        });
        Some(Self {
            mixed: Ident::new(&format!("mixed{number}"), Span::mixed_site()),
            first: early.min()?,
            last: run.iter().map(Group::last).max()?,
        })
    }

    fn round() -> Ident {
        Ident::new("round", Span::mixed_site())
    }

    /// Whether any two types, whose arms do not simply follow each other, are one.
    fn mixed(&self, run: &Run<'_>, types: &Types<'_>, krate: &Path) -> TokenStream {
        let mut same = Vec::new();
        for (at, one) in run.iter().enumerate() {
            for other in &run[at + 1..] {
                if other.first() < one.last()
                    && let (Some(one), Some(other)) = (one.ty, other.ty)
                {
                    let condition = condition(run, one, other);
                    let message = quote_spanned!(Span::mixed_site()=> message);
                    let one = types.with_pointer(one, &message);
                    let other = types.with_pointer(other, &message);
                    same.push(quote_spanned! {Span::mixed_site()=>
                        #condition { mixed |= #krate::__private::same_message(#one, #other); }
                    });
                }
            }
        }
        let mixed = &self.mixed;
        quote_spanned! {Span::mixed_site()=>
            let #mixed = {
                #[allow(unused_mut)]
                let mut mixed = false;
                #(#same)*
                mixed
            };
        }
    }

    fn around(&self, matchers: &TokenStream) -> TokenStream {
        let (mixed, round) = (&self.mixed, Self::round());
        let first = Literal::usize_unsuffixed(self.first - 1);
        let last = Literal::usize_unsuffixed(self.last);
        quote_spanned! {Span::mixed_site()=>
            let mut #round = if #mixed { #first } else { #last };
            while #round <= #last {
                #matchers
                #round += 1;
            }
        }
    }

    /// What keeps the arm with this index from being tried before its turn.
    fn stop(&self, index: usize, here: Span) -> Option<TokenStream> {
        if index < self.first {
            return None;
        }
        let (mixed, round) = (&self.mixed, Self::round());
        let message = Ident::new("message", here);
        let index = Literal::usize_unsuffixed(index);
        Some(quote_spanned! {here=>
            #[allow(unreachable_patterns)]
            #message if #mixed && #round < #index => ::core::result::Result::Err(#message),
        })
    }
}

/// When arms of both types are compiled.
fn condition(run: &Run<'_>, one: usize, other: usize) -> Option<TokenStream> {
    let predicates: Vec<_> = [one, other]
        .into_iter()
        .filter_map(|ty| {
            let mut condition = Condition::default();
            let group = run.iter().find(|group| group.ty == Some(ty))?;
            for case in &group.cases {
                condition.or_all(&cfg::predicates(&case.arm.attrs));
            }
            condition.predicate()
        })
        .collect();
    (!predicates.is_empty()).then(|| quote!(#[cfg(all(#(#predicates),*))]))
}

fn matcher(
    group: &Group<'_>,
    rounds: Option<&Rounds>,
    types: &Types<'_>,
    krate: &Path,
) -> TokenStream {
    let here = group
        .cases
        .first()
        .map_or_else(Span::mixed_site, |case| case.pat.span());
    let here = here.resolved_at(Span::mixed_site());
    let mut condition = Condition::default();
    let mut cases = TokenStream::new();
    for Case { index, arm, pat } in &group.cases {
        let predicates = cfg::predicates(&arm.attrs);
        condition.or_all(&predicates);
        if let Some(stop) = rounds.and_then(|rounds| rounds.stop(*index, here)) {
            let condition = Condition::of_all(&predicates);
            cases.extend(quote!(#condition #stop));
        }
        let attrs = matcher_attrs(&arm.attrs);
        let guard = arm.guard.as_ref().map(|guard| {
            let (if_token, condition) = (guard.if_token, &guard.condition);
            quote!(#if_token #condition)
        });
        let (name, variant) = (choice_name(), variant_name(*index));
        let names = arm.bindings.iter().map(|binding| &binding.ident);
        let values = names.map(|name| binding::as_in(pat.to_token_stream(), name));
        // The user does not use his `_name`; the values' way to the body does.
        let underscored = arm
            .bindings
            .iter()
            .any(|binding| binding.ident.to_string().starts_with('_'));
        let allow = underscored.then(|| quote!(#[allow(clippy::used_underscore_binding)]));
        let at = pat.span().resolved_at(Span::mixed_site());
        let values = match arm.bindings.len() {
            0 => None,
            1 => {
                let krate = shown_at(krate, at);
                Some(quote_spanned!(at=> (#krate::__private::Whole::new(#(#values)*))))
            }
            _ => Some(quote!((#(#values),*))),
        };
        let mut taken = quote_spanned!(at=> #name::#variant #values);
        if arm.binds_in_several_types() {
            let (krate, arm) = (shown_at(krate, at), same_arm());
            taken = quote_spanned!(at=> #krate::__private::same_arm(#arm, #taken));
        }
        let taken = quote_spanned!(at=> ::core::result::Result::Ok(#taken));
        cases.extend(quote!(#(#attrs)* #allow #pat #guard => #taken,));
    }
    let (at, take, ty) = match group.ty {
        Some(ty) => {
            let ty = types.mention(ty);
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

/// Stands for the type of the arms, while it is being inferred.
fn same_arm() -> Ident {
    Ident::new("same_arm", Span::mixed_site())
}

/// An arm becomes two arms. What is expected of it would be missing from one of them.
fn matcher_attrs(attrs: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attrs.iter().filter(|attr| !attr.path().is_ident("expect"))
}
