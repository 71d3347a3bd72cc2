//! Whether a pattern has the form of its type: all that is in it, and no more.
//!
//! A pattern that is written with an alias is a pattern of fields with numbers or names. Of one that names a field which
//! there is not, rustc says that too, and in the same breath that others are missing. And of a `Down` that does not end in
//! `..` it says so twice. So such a pattern gets a `..` in the receive, and what may be missing is looked for beside it,
//! where nothing else is wrong:
//!
//! ```text
//! const _: () = {
//!     const FITS: usize = {
//!         let _ = |message: &__UproarM0| { let __UproarM0 { 0: _, 1: _, .. } = message; };
//!         0
//!     };
//!     type Whole = <Fits<__UproarM0, FITS> as Known>::Type;     // nothing to speak of if the above is wrong
//!     let _ = |message: &Whole| { let Whole { 0: _, 1: _ } = message; };
//! };
//! ```

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Pat, PatStruct, PatWild, Path, Token};

use super::ast::Arm;
use super::pattern::Accepts;
use super::types::{Types, is_open};
use crate::path::shown_at;

/// The checks, as items.
pub fn checks(arms: &[Arm], types: &Types<'_>, krate: &Path) -> TokenStream {
    let check = |index| {
        let mut patterns = Vec::new();
        for arm in arms {
            let Accepts::Messages(alternatives) = &arm.accepts else {
                continue;
            };
            for alternative in alternatives {
                if types.index(&alternative.ty) == index {
                    types.completed(&alternative.pat, index, &mut patterns);
                }
            }
        }
        (!patterns.is_empty()).then(|| one(index, &patterns, types, krate))
    };
    let all = types.iter().filter_map(|(index, condition)| {
        let check = check(index);
        check.map(|check| quote!(#condition #check))
    });
    all.collect()
}

fn one(index: usize, patterns: &[PatStruct], types: &Types<'_>, krate: &Path) -> TokenStream {
    let ty = types.mention(index);
    let here = Span::mixed_site();
    let whole = Ident::new("__UproarWhole", here);
    let parts = patterns.iter().map(|pat| {
        let mut pat = blank(pat.clone());
        pat.rest = Some(rest());
        pat.path = path_at(&ty, &pat.path);
        pat
    });
    let open = open(patterns, &whole, krate);
    let last = match open {
        Some(_) => ended(),
        None => whole.clone(),
    };
    let wholes = patterns.iter().map(|pat| {
        let mut pat = blank(pat.clone());
        pat.path = path_at(&last.to_token_stream(), &pat.path);
        pat
    });
    quote_spanned! {here=>
        #[allow(deprecated, unused_variables, clippy::allow_attributes)]
        const _: () = {
            const FITS: usize = {
                let _ = |message: &#ty| {
                    #(let #parts = message;)*
                };
                0
            };
            type #whole = <#krate::__private::Fits<#ty, FITS> as #krate::__private::Known>::Type;
            #open
            let _ = |message: &#last| {
                #(let #wholes = message;)*
            };
        };
    }
}

/// The type of a message whose patterns end as they should.
fn ended() -> Ident {
    Ident::new("__UproarEnded", Span::mixed_site())
}

/// That the patterns of a type which may get more fields end in `..`: asked about the type where all fields are there,
/// and in the same way.
fn open(patterns: &[PatStruct], whole: &Ident, krate: &Path) -> Option<TokenStream> {
    let here = Span::mixed_site();
    let open: Vec<_> = patterns
        .iter()
        .filter(|pat| is_open(&pat.path))
        .map(|pat| {
            let at = pat.span().resolved_at(here);
            let krate = shown_at(krate, at);
            quote_spanned!(at=> #krate::__private::may_end(#krate::__private::Pattern::of(message).whole());)
        })
        .collect();
    if open.is_empty() {
        return None;
    }
    let ended = ended();
    Some(quote_spanned! {here=>
        const ENDS: usize = {
            #[allow(unused_imports)]
            use #krate::__private::Closed as _;
            let _ = |message: &#whole| {
                #(#open)*
            };
            0
        };
        type #ended = <#krate::__private::Fits<#whole, ENDS> as #krate::__private::Known>::Type;
    })
}

/// A `..` that nobody has written.
pub fn rest() -> syn::PatRest {
    syn::PatRest {
        attrs: Vec::new(),
        dot2_token: Token![..](Span::mixed_site()),
    }
}

/// The pattern with nothing in its fields.
fn blank(mut pat: PatStruct) -> PatStruct {
    for field in &mut pat.fields {
        if field.colon_token.is_some() {
            let span = field.pat.span();
            *field.pat = Pat::Wild(PatWild {
                attrs: Vec::new(),
                underscore_token: Token![_](span),
            });
        }
    }
    pat
}

/// `name` where `path` stands.
fn path_at(name: &TokenStream, path: &Path) -> Path {
    let span = path.span();
    let at = |token: proc_macro2::TokenTree| {
        let mut token = token;
        token.set_span(span);
        token
    };
    let tokens: TokenStream = name.clone().into_iter().map(at).collect();
    syn::parse_quote!(#tokens)
}
