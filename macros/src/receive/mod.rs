//! `#[receive]`: on a `match`, on the `async fn` around one, and on the enum or struct that stands for one.

mod ast;
mod binding;
mod expand;
mod form;
mod guard;
mod item;
mod matcher;
pub mod pattern;
mod types;
mod valid;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Expr, ExprMatch, Ident, Item, ItemFn, Path, Result, Type};

use crate::beside::{self, Macro};
use crate::body::{self, Bare, Written};
use crate::fallback::{self, Errors};
use crate::options;
use crate::path::place;
use crate::unread;
use pattern::{Accepts, Alternative};

/// `#[receive]` as an item's attribute.
pub fn door(args: TokenStream, input: TokenStream) -> TokenStream {
    if let Some(TokenTree::Ident(word)) = input.clone().into_iter().next()
        && word == "match"
    {
        return lonely(&word);
    }
    try_door(args, input.clone()).unwrap_or_else(|error| {
        let error = error.into_compile_error();
        quote!(#error #input)
    })
}

fn try_door(args: TokenStream, input: TokenStream) -> Result<TokenStream> {
    let krate = options.parse2(args)?;
    if let Some((with_body, semicolon)) = fallback::with_body(&input) {
        let message = "`#[receive]` goes on an `async fn` that has a body";
        let error = Error::new_spanned(semicolon, message).into_compile_error();
        return Ok(quote!(#error #with_body));
    }
    let krate = |name: &Ident| krate.unwrap_or_else(|| options::default_crate(place(name)));
    let item = match syn::parse2::<Item>(input.clone()) {
        Ok(item) => item,
        Err(error) => {
            if let Some(unread) = unread::read(&input, &error, "#[receive]") {
                return Ok(unread.tokens);
            }
            let name = unread::type_name(&input).ok_or_else(|| error.clone())?;
            let code = item::unread(&name, &unread::body(&error, "#[receive]"), &krate(&name));
            // Behind a syntax error the compiler drops what follows.
            return Ok(quote!(#code #input));
        }
    };
    match item {
        Item::Fn(item) => Ok(function(item, krate)),
        Item::Enum(item) => Ok(item::of_enum(item, krate)),
        Item::Struct(item) => Ok(item::of_struct(item, krate)),
        other => Err(Error::new_spanned(
            first_token(&other),
            "`#[receive]` goes on a `match receive().await`, an `async fn` that has one, an enum or a struct",
        )),
    }
}

fn options(input: ParseStream<'_>) -> Result<Option<Path>> {
    let mut krate = None;
    options::each(input, |name, input| match name.to_string().as_str() {
        "crate" => {
            krate = Some(options::crate_path(name, input)?);
            Ok(())
        }
        "timeout" => Err(Error::new(
            name.span(),
            "`timeout = ..` goes on `#[receive] match`",
        )),
        _ => Err(options::unknown(
            name,
            "on an item, `#[receive]` takes `crate = ..`",
        )),
    })?;
    Ok(krate)
}

/// rustc has its own error for an attribute on an expression; it does not say what is missing.
fn lonely(match_word: &Ident) -> TokenStream {
    let message = "the function around this has no `#[receive]`: write it on the `async fn` too, or `#[actor]`";
    let error = Error::new_spanned(match_word, message).into_compile_error();
    quote!({ #error })
}

fn first_token(item: &impl ToTokens) -> TokenStream {
    item.to_token_stream()
        .into_iter()
        .next()
        .into_iter()
        .collect()
}

fn function(mut item: ItemFn, krate: impl FnOnce(&Ident) -> Path) -> TokenStream {
    let mut errors = Errors::default();
    let attrs = item.attrs.clone();
    beside::refuse(Macro::Receive, &mut item.attrs, &mut errors);
    if !errors.is_empty() {
        // The other one goes on.
        let errors = errors.into_tokens();
        item.attrs = attrs;
        while beside::take(Macro::Receive, &mut item.attrs).is_some() {}
        return quote!(#errors #item);
    }
    if item.sig.asyncness.is_none() {
        errors.at(item.sig.fn_token, "`#[receive]` needs an `async fn`");
    }
    let krate = krate(&item.sig.ident);
    // In an `impl` there may be parameters that are not seen here.
    body::rewrite(&mut item.block, None, &krate, &mut errors);
    if errors.is_empty() {
        return item.into_token_stream();
    }
    let (errors, diverging) = (errors.into_tokens(), fallback::diverging());
    let ItemFn {
        attrs, vis, sig, ..
    } = item;
    quote!(#errors #(#attrs)* #[allow(unused)] #vis #sig { #diverging })
}

/// The code for a `#[receive] match` whose arms' bodies are rewritten already; `None` after an error. `items` go
/// before it.
pub fn expand_match(
    attr: &Attribute,
    of: ExprMatch,
    items: &TokenStream,
    bare: Bare,
    krate: &Path,
    errors: &mut Errors,
) -> Option<Expr> {
    let mut here = Errors::default();
    let receive = ast::Receive::parse(attr, of, krate, &mut here).map(|mut receive| {
        let complete = here.is_empty();
        valid::check(&mut receive, complete, &mut here);
        receive
    });
    let sound = here.is_empty();
    errors.append(here);
    receive
        .filter(|_| sound)
        .map(|receive| expand::expand(receive, items, bare, krate))
}

/// The message types that a `#[receive] match` takes, each with the `#[cfg]`s of its arm; what is wrong with the match
/// is `expand_match`'s to report.
pub fn message_types(
    of: &ExprMatch,
    bare: Bare,
    krate: &Path,
) -> Vec<(Type, Written, Vec<TokenStream>)> {
    let mut all = Vec::new();
    for arm in &of.arms {
        let pat = match &arm.pat {
            syn::Pat::Guard(guarded) => (*guarded.pat).clone(),
            pat => pat.clone(),
        };
        if let Some(Accepts::Messages(alternatives)) =
            pattern::accepts(pat, krate, &mut Errors::default())
        {
            let conditions = crate::cfg::predicates(&arm.attrs);
            let with_conditions = |alternative| (alternative, conditions.clone());
            all.extend(alternatives.into_iter().map(with_conditions));
        }
    }
    let imported: Vec<_> = all
        .iter()
        .filter(|(alternative, _)| types::imports(&alternative.pat, &alternative.ty, bare))
        .map(|(alternative, _)| alternative.ty.clone())
        .collect();
    all.into_iter()
        .map(|(Alternative { ty, .. }, conditions)| {
            let written = match imported.iter().any(|imported| pattern::same(imported, &ty)) {
                true => Written::Imported,
                false => Written::Plain,
            };
            (ty, written, conditions)
        })
        .collect()
}
