//! `#[uproar::main]` and `#[uproar::test]`: an `async fn` that runs as the main actor of a runtime of its own.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{AttrStyle, Attribute, Error, Expr, Ident, Item, ItemFn, Path, Result};

use crate::beside::{self, Macro};
use crate::fallback::{self, Errors};
use crate::output::Output;
use crate::path::place;
use crate::unread::{self, Unread};
use crate::{body, options};

/// `#[uproar::main]`.
pub fn main(args: TokenStream, input: TokenStream) -> TokenStream {
    let config = |input: ParseStream<'_>| Config::parse(input, Door::Main);
    door(config.parse2(args), input, Door::Main)
}

/// `#[uproar::test]`.
pub fn test(args: TokenStream, input: TokenStream) -> TokenStream {
    let config = |input: ParseStream<'_>| Config::parse(input, Door::Test);
    door(config.parse2(args), input, Door::Test)
}

#[derive(Clone, Copy, PartialEq)]
enum Door {
    Main,
    Test,
}

impl Door {
    fn as_macro(self) -> Macro {
        match self {
            Self::Main => Macro::Main,
            Self::Test => Macro::Test,
        }
    }

    fn name(self) -> &'static str {
        self.as_macro().name()
    }
}

struct Config {
    krate: Option<Path>,
    workers: Option<Expr>,
    plan: Plan,
}

/// How a test runs.
enum Plan {
    Threads,
    Simulate,
    Seeds(Expr),
    Seed(Expr),
}

impl Config {
    fn new() -> Self {
        Self {
            krate: None,
            workers: None,
            plan: Plan::Threads,
        }
    }

    fn parse(input: ParseStream<'_>, door: Door) -> Result<Self> {
        let mut config = Self::new();
        options::each(input, |name, input| {
            match (name.to_string().as_str(), door) {
                ("crate", _) => config.krate = Some(options::crate_path(name, input)?),
                ("workers", _) => config.workers = Some(options::value(name, input)?),
                ("simulate", Door::Test) => {
                    options::flag(name, input)?;
                    config.plan.set(name, Plan::Simulate)?;
                }
                ("seeds", Door::Test) => config
                    .plan
                    .set(name, Plan::Seeds(options::value(name, input)?))?,
                ("seed", Door::Test) => config
                    .plan
                    .set(name, Plan::Seed(options::value(name, input)?))?,
                (_, Door::Main) => {
                    let takes = "`#[uproar::main]` takes `workers = ..` and `crate = ..`";
                    return Err(options::unknown(name, takes));
                }
                (_, Door::Test) => {
                    let takes = "`#[uproar::test]` takes `simulate`, `seeds = ..`, `seed = ..`, `workers = ..` and `crate = ..`";
                    return Err(options::unknown(name, takes));
                }
            }
            Ok(())
        })?;
        Ok(config)
    }
}

impl Plan {
    fn set(&mut self, name: &Ident, plan: Self) -> Result<()> {
        if !matches!(self, Self::Threads) {
            let message = "a test runs one way: `simulate`, `seeds = ..` or `seed = ..` (the seeds simulate too)";
            return Err(Error::new(name.span(), message));
        }
        *self = plan;
        Ok(())
    }

    fn expand(&self, private: &TokenStream) -> TokenStream {
        let plan = quote!(#private::TestPlan);
        match self {
            Self::Threads => quote!(#plan::Threads),
            Self::Simulate => quote!(#plan::Simulate),
            Self::Seeds(seeds) => quote!(#plan::Seeds(#seeds)),
            Self::Seed(seed) => quote!(#plan::Seed(#seed)),
        }
    }
}

fn door(config: Result<Config>, input: TokenStream, door: Door) -> TokenStream {
    if let Some((with_body, semicolon)) = fallback::with_body(&input) {
        let message = format!("`{}` goes on an `async fn` that has a body", door.name());
        let error = Error::new_spanned(semicolon, message).into_compile_error();
        let function = self::door(config, with_body, door);
        return quote!(#error #function);
    }
    let mut unread_body = None;
    let mut item: ItemFn = match syn::parse2(input.clone()) {
        Ok(item) => item,
        Err(error) => match unread::read(&input, &error, door.name()) {
            Some(Unread {
                item: Some(Item::Fn(item)),
                body,
                ..
            }) => {
                unread_body = Some(body);
                item
            }
            Some(Unread {
                item: None, tokens, ..
            }) => return tokens,
            _ => {
                let error = Error::new_spanned(
                    first(&input),
                    format!("`{}` goes on an `async fn`", door.name()),
                );
                let error = error.into_compile_error();
                return quote!(#error #input);
            }
        },
    };
    let mut errors = Errors::default();
    let config = config.unwrap_or_else(|error| {
        errors.push(error);
        Config::new()
    });
    let krate = config
        .krate
        .clone()
        .unwrap_or_else(|| options::default_crate(place(&item.sig.ident)));
    beside::refuse(door.as_macro(), &mut item.attrs, &mut errors);
    signature(&item, door, &mut errors);
    let inner: Vec<Attribute> = item
        .attrs
        .extract_if(.., |attr| matches!(attr.style, AttrStyle::Inner(_)))
        .collect();
    let bare = body::bare(item.sig.ident.span(), &item.sig.generics);
    body::rewrite(&mut item.block, bare, &krate, &mut errors);
    let output = Output::new(&item.sig.output, &krate);
    let sound = errors.is_empty() && unread_body.is_none();
    let body = match unread_body {
        Some(body) => body,
        None if sound => run(&item, &config, &krate, &output, door),
        None => fallback::diverging(),
    };
    let errors = errors.into_tokens();
    fallback::mend(&mut item.sig);
    item.sig.asyncness = None;
    item.sig.inputs.clear();
    item.sig.generics = syn::Generics::default();
    item.attrs
        .retain(|attr| door == Door::Main || !attr.path().is_ident("test"));
    let ItemFn {
        attrs, vis, sig, ..
    } = item;
    let test = (door == Door::Test).then(|| quote!(#[::core::prelude::v1::test]));
    let allow = (!sound).then(|| quote!(#[allow(unused)]));
    quote!(#errors #test #(#attrs)* #allow #vis #sig { #(#inner)* #body })
}

fn first(input: &TokenStream) -> TokenStream {
    input.clone().into_iter().next().into_iter().collect()
}

fn signature(item: &ItemFn, door: Door, errors: &mut Errors) {
    let (name, sig) = (door.name(), &item.sig);
    if sig.asyncness.is_none() {
        errors.at(sig.fn_token, format!("`{name}` needs an `async fn`"));
    }
    fallback::refuse_qualifiers(sig, name, errors);
    if !sig.inputs.is_empty() {
        errors.at(
            &sig.inputs,
            format!("the function of `{name}` takes no arguments"),
        );
    }
    if !sig.generics.params.is_empty() {
        errors.at(
            &sig.generics,
            format!("the function of `{name}` is not generic"),
        );
    }
    if door == Door::Test
        && let Some(test) = item.attrs.iter().find(|attr| attr.path().is_ident("test"))
    {
        errors.at(
            test,
            "`#[uproar::test]` makes this a test already: remove `#[test]`",
        );
    }
}

fn run(item: &ItemFn, config: &Config, krate: &Path, output: &Output, door: Door) -> TokenStream {
    let private = quote!(#krate::__private);
    let workers = match &config.workers {
        Some(workers) => {
            let here = workers.span().resolved_at(Span::mixed_site());
            quote_spanned!(here=> ::core::option::Option::Some::<usize>(#workers))
        }
        None => quote!(::core::option::Option::None),
    };
    let ty = output.inferable();
    let fix = output.fix();
    let body = body::nested(&item.block);
    let span = place(&item.sig.ident);
    let future = quote_spanned!(span=> async move { #fix #body });
    match door {
        Door::Main => quote_spanned!(span=> #private::run_main::<#ty, _>(#workers, #future)),
        Door::Test => {
            let plan = config.plan.expand(&private);
            quote_spanned!(span=> #private::run_test::<#ty, _, _>(#plan, #workers, || #future))
        }
    }
}
