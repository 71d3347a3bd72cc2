//! `#[actor]`: an `async fn` becomes a plain `fn` whose value can be spawned, and gets a protocol.

mod ast;
mod expand;
mod fold;
mod valid;

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::Item;
use syn::parse::Parser;

use crate::beside::{self, Macro};
use crate::fallback::{self, Errors};
use crate::handlers;
use crate::unread::{self, Head, Unread};
use ast::Actor;
pub use ast::Options;
#[cfg(test)]
pub use fold::all_unfolded;
pub use fold::unfold;

/// `#[actor]`.
pub fn door(args: TokenStream, input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = Options::parse.parse2(args).unwrap_or_else(|error| {
        errors.push(error);
        Options::default()
    });
    let mut item = match syn::parse2::<Item>(input.clone()) {
        Ok(Item::Fn(item)) => item,
        Ok(Item::Impl(item)) => return handlers::actor(options, item, errors),
        Ok(_) => return refuse(errors, &input),
        Err(error) => {
            return match unread::read(&input, &error, "#[actor]") {
                Some(unread) => expand_unread(options, unread, errors),
                None => refuse(errors, &input),
            };
        }
    };
    beside::refuse(Macro::Actor, &mut item.attrs, &mut errors);
    let mut actor = Actor::new(options, item, &mut errors);
    valid::check(&mut actor, &mut errors);
    if errors.is_empty() {
        let items = expand::expand(&actor);
        fold::fold(&actor, &items)
    } else {
        expand_broken(actor, &fallback::diverging(), errors)
    }
}

fn expand_broken(mut actor: Actor, body: &TokenStream, errors: Errors) -> TokenStream {
    let errors = errors.into_tokens();
    let items = expand::fallback(&mut actor, body);
    let folded = fold::fold(&actor, &items);
    quote!(#errors #folded)
}

fn expand_unread(options: Options, unread: Unread, mut errors: Errors) -> TokenStream {
    match unread.item {
        Some(Item::Fn(item)) => {
            let mut actor = Actor::new(options, item, &mut errors);
            valid::check(&mut actor, &mut errors);
            expand_broken(actor, &unread.body, errors)
        }
        Some(Item::Impl(item)) => handlers::broken_actor(options, item, &unread.body, errors),
        _ => match unread.head {
            Some(head) => expand_head(options, head, &unread.body, errors),
            None => unread.tokens,
        },
    }
}

/// The function with its arguments as they are written, which the compiler makes what it can of.
fn expand_head(
    options: Options,
    head: Head,
    body: &TokenStream,
    mut errors: Errors,
) -> TokenStream {
    let Head {
        before,
        name,
        arguments,
    } = head;
    let Ok(item) = syn::parse2(quote!(#before async fn #name() {})) else {
        return quote!(#before async fn #name #arguments #body);
    };
    let mut actor = Actor::new(options, item, &mut errors);
    let mut after_name = false;
    let items: TokenStream = expand::fallback(&mut actor, body)
        .into_iter()
        .map(|token| {
            let is_name = matches!(&token, TokenTree::Ident(ident) if *ident == name);
            match (std::mem::replace(&mut after_name, is_name), &token) {
                (true, TokenTree::Group(_)) => arguments.clone(),
                _ => token,
            }
        })
        .collect();
    let (errors, folded) = (errors.into_tokens(), fold::fold(&actor, &items));
    quote!(#errors #folded)
}

fn refuse(mut errors: Errors, input: &TokenStream) -> TokenStream {
    let declared = fallback::with_body(input);
    let message = match declared {
        Some(_) => "an actor is a function with a body; none can be declared in a trait",
        None => "`#[actor]` goes on an `async fn`, or on an `impl` block with handlers",
    };
    let first: TokenStream = input.clone().into_iter().next().into_iter().collect();
    errors.at(first, message);
    let errors = errors.into_tokens();
    let item = declared.map_or_else(|| input.clone(), |(with_body, _)| with_body);
    quote!(#errors #item)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(args: TokenStream, input: TokenStream) -> String {
        let code = fold::all_unfolded(door(args, input));
        syn::parse2::<syn::File>(code.clone()).unwrap();
        code.to_string()
    }

    fn count(code: &str, what: &TokenStream) -> usize {
        code.matches(&what.to_string()).count()
    }

    #[test]
    fn a_protocol_has_every_message_once() {
        let code = expanded(
            quote!(receives(Foo, Add)),
            quote! {
                pub async fn word_count<T: Send + 'static>(mut n: u64) {
                    loop { #[receive] match receive().await { Add(m) => n += m, Typed::<T>(_) | Add(0) => {}, _ => {} } }
                }
            },
        );
        assert!(code.contains("pub struct WordCount < T : Send + 'static >"));
        let list = quote!((__UproarM0, T, __UproarM2));
        for message in [quote!(__UproarM0), quote!(T), quote!(__UproarM2)] {
            let include = quote!(::uproar::__private::Include<#message, WordCount<T>, #list> +);
            assert_eq!(count(&code, &include), 1, "{message}");
        }
        assert_eq!(count(&code, &quote!(turn().await)), 1);
        assert_eq!(count(&code, &quote!(compile_error)), 0);
    }

    #[test]
    fn an_existing_protocol_is_used() {
        let code = expanded(
            quote!(protocol = Wanted, local, crate = crate::lib),
            quote!(
                async fn f() -> ! {
                    loop {}
                }
            ),
        );
        assert_eq!(count(&code, &quote!(struct)), 0);
        assert_eq!(count(&code, &quote!(crate::lib::ActorFn < Wanted,)), 1);
        assert_eq!(count(&code, &quote!(::core::marker::Send)), 0);
    }

    #[test]
    fn after_an_error_everything_is_received() {
        for (args, input, errors) in [
            (
                quote!(),
                quote!(
                    fn f() {}
                ),
                1,
            ),
            (
                quote!(),
                quote!(
                    const async unsafe fn f<'a>(x: &str, y: &'a u8) {}
                ),
                4,
            ),
            (
                quote!(name = F, name = G),
                quote!(
                    async fn f() {}
                ),
                1,
            ),
            (
                quote!(nothing),
                quote!(
                    async fn f() {}
                ),
                1,
            ),
            (
                quote!(),
                quote!(
                    async fn __() {}
                ),
                1,
            ),
            (
                quote!(),
                quote!(
                    async fn f() {
                        #[receive]
                        match receive().await {
                            1 => {}
                            2 => {}
                        }
                    }
                ),
                2,
            ),
        ] {
            let code = expanded(args, input);
            assert_eq!(
                count(&code, &quote!(::core::compile_error)),
                errors,
                "{code}"
            );
            assert_eq!(
                count(&code, &quote!(::uproar::Receives<__Message> for)),
                1,
                "{code}"
            );
        }
    }

    #[test]
    fn what_may_stand_in_an_impl_is_no_struct() {
        for (args, input, folded) in [
            (
                quote!(),
                quote!(
                    async fn f() {}
                ),
                1,
            ),
            (
                quote!(protocol = P),
                quote!(
                    async fn f() {}
                ),
                0,
            ),
            (
                quote!(),
                quote!(
                    async fn f(&self) {}
                ),
                0,
            ),
            (
                quote!(),
                quote!(
                    async fn f(_: Self) {}
                ),
                0,
            ),
            (
                quote!(),
                quote!(
                    async fn f() {
                        m!([Self::g()])
                    }
                ),
                0,
            ),
            (
                quote!(),
                quote!(
                    async fn f() {
                        impl A {
                            const B: Self = A;
                        }
                    }
                ),
                1,
            ),
        ] {
            let code = door(args, input).to_string();
            assert_eq!(count(&code, &quote!(unfold)), folded, "{code}");
        }
    }

    #[test]
    fn items_that_are_no_actors_stay() {
        let input = quote!(
            struct X;
        );
        let code = expanded(quote!(), input.clone());
        assert_eq!(count(&code, &quote!(::core::compile_error)), 1);
        assert!(code.ends_with(&input.to_string()));
    }
}
