//! `#[actor]` on an `impl` block: its `#[receive]` methods become the handlers of a struct actor.

mod ast;
mod expand;
mod messages;
mod valid;

use proc_macro2::{Ident, Span, TokenStream};
use syn::ItemImpl;

use crate::actor::Options;
use crate::beside::{self, Macro};
use crate::fallback::{self, Errors};
use crate::unread;
use ast::Handlers;

/// The block as it was, and what makes its type an actor.
pub fn actor(options: Options, mut item: ItemImpl, mut errors: Errors) -> TokenStream {
    beside::refuse(Macro::Actor, &mut item.attrs, &mut errors);
    let handlers = Handlers::new(options, item, &mut errors);
    let sound = valid::check(&handlers, &mut errors);
    if !errors.is_empty() {
        expand::fallback(handlers, &fallback::diverging(), sound, errors)
    } else if let Some((what, message)) = compilers_to_report(&handlers) {
        let what = Ident::new(what, Span::call_site());
        let body = unread::silent(&what, message, ast::place_of(&handlers.item));
        expand::fallback(handlers, &body, sound, errors)
    } else {
        expand::expand(&handlers)
    }
}

/// What the compiler has reported, or will, without our help; if it does not, this is the error.
fn compilers_to_report(of: &Handlers) -> Option<(&'static str, &'static str)> {
    if of.may_be_cut_off() {
        Some(("AnActorWithoutHandlers", valid::NOTHING))
    } else if !of.unconstrained().is_empty() {
        let message = "a parameter of this `impl` is none of its type";
        Some(("AnUnconstrainedParameter", message))
    } else {
        None
    }
}

/// The same after an error that has been reported. `body` is of any type.
pub fn broken_actor(
    options: Options,
    item: ItemImpl,
    body: &TokenStream,
    mut errors: Errors,
) -> TokenStream {
    let handlers = Handlers::new(options, item, &mut errors);
    let sound = valid::check(&handlers, &mut errors);
    expand::fallback(handlers, body, sound, errors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::{ToTokens, quote};
    use syn::parse::Parser;
    use syn::parse_quote;

    fn expanded(args: TokenStream, item: ItemImpl) -> String {
        let options = Options::parse.parse2(args).unwrap();
        let code = actor(options, item, Errors::default());
        syn::parse2::<syn::File>(code.clone()).unwrap();
        code.to_string()
    }

    fn count(code: &str, what: &TokenStream) -> usize {
        code.matches(&what.to_string()).count()
    }

    fn account() -> ItemImpl {
        parse_quote! {
            impl<T: Send + 'static> Account<T> {
                #[receive]
                async fn deposit(&mut self, Deposit(n): Deposit) {
                    while self.busy().await {}
                }

                #[cfg(unix)]
                #[receive]
                fn item(&self, item: T) -> Result<T, Full> {
                    #[receive]
                    match receive().await {
                        Deposit(_) | More => {}
                    }
                }

                #[receive]
                fn other(&mut self, _: Envelope) {}

                async fn on_start(&mut self) {}

                #[cfg(test)]
                fn on_stop(&mut self, why: &ExitReason) {}

                async fn busy(&self) -> bool {
                    loop {
                        f().await;
                    }
                }
            }
        }
    }

    #[test]
    fn a_message_has_one_handler_and_is_received() {
        let code = expanded(quote!(receives(Reply)), account());
        for handled in [quote!(__UproarM0), quote!(T), quote!(ItsMessage)] {
            let handles = quote!(::uproar::Handles<#handled>);
            assert_eq!(count(&code, &handles), 1, "{handles}");
        }
        for inside in [quote!(__UproarM2), quote!(__UproarM3)] {
            let receives = quote!(::uproar::Receives<#inside> for);
            assert_eq!(count(&code, &receives), 1, "{receives}");
            let handles = quote!(::uproar::Handles<#inside>);
            assert_eq!(count(&code, &handles), 0, "{handles}");
        }
        // What a method receives waits for it; what has a handler does not.
        assert_eq!(count(&code, &quote!(AllBut)), 1);
        // Two of them in the receive itself.
        assert_eq!(count(&code, &quote!(id(message))), 4);
        assert_eq!(count(&code, &quote!(take_any_if)), 1);
        assert_eq!(count(&code, &quote!(compile_error)), 0);
    }

    #[test]
    fn only_the_actors_methods_are_rewritten() {
        let code = expanded(quote!(), account());
        // The loop of `deposit`, not that of `busy`.
        assert_eq!(count(&code, &quote!(turn().await)), 1);
        assert_eq!(count(&code, &quote!(#[receive])), 0);
        assert_eq!(
            count(&code, &quote!(Self::deposit(&mut self, message).await)),
            1
        );
        assert_eq!(count(&code, &quote!(Self::item(&mut self, message))), 1);
        assert_eq!(count(&code, &quote!(Self::on_stop(&mut self, &reason))), 1);
    }

    #[test]
    fn a_local_actor_is_not_send() {
        let code = expanded(quote!(local, crate = crate::lib), account());
        assert_eq!(count(&code, &quote!(never_send)), 1);
        assert_eq!(
            count(
                &code,
                &quote!(dyn crate::lib::__private::handlers::LocalActor)
            ),
            1
        );
        assert_eq!(count(&code, &quote!(::uproar)), 0);
    }

    #[test]
    fn after_an_error_everything_is_received() {
        let good: syn::ImplItemFn = parse_quote!(
            #[receive]
            fn get(&mut self, _: Get) -> u8 {
                7
            }
        );
        let broken: [(TokenStream, usize); 12] = [
            (
                quote!(
                    #[receive]
                    fn f(&mut self) {}
                ),
                1,
            ),
            (
                quote!(
                    #[receive]
                    fn f(&mut self, _: A, _: B, _: C) {}
                ),
                2,
            ),
            (
                quote!(
                    #[receive]
                    fn f(_: A) {}
                ),
                1,
            ),
            (
                quote!(
                    #[receive]
                    fn f(self: Rc<Self>, _: A) {}
                ),
                1,
            ),
            (
                quote!(
                    #[receive]
                    fn f() {}
                ),
                2,
            ),
            (
                quote!(
                    #[receive]
                    unsafe fn f<T, const N: usize>(&mut self, _: &mut [T; N]) -> impl X {}
                ),
                5,
            ),
            (
                quote!(
                    #[receive]
                    fn f(&mut self, _: Get) {}
                ),
                1,
            ),
            (
                quote!(
                    #[receive]
                    type F = u8;
                ),
                1,
            ),
            (
                quote!(
                    #[receive]
                    on_start! {}
                ),
                1,
            ),
            (
                quote!(
                    #[receive(a)]
                    fn on_stop(&mut self) {}
                ),
                1,
            ),
            (
                quote!(
                    fn on_stop() -> impl X {}
                ),
                3,
            ),
            (
                quote!(
                    fn on_start(self, x: impl X) {}
                ),
                3,
            ),
        ];
        for (part, errors) in broken {
            let code = expanded(quote!(), parse_quote!(impl A { #part #good }));
            assert_eq!(
                count(&code, &quote!(::core::compile_error)),
                errors,
                "{part}"
            );
            let everything = quote!(::uproar::Receives<__Message> for A);
            assert_eq!(count(&code, &everything), 1, "{part}");
            assert_eq!(count(&code, &quote!(= Get;)), 1, "{part}");
            assert!(code.contains("Handles < __UproarM"), "{part}");
            assert_eq!(count(&code, &quote!(::uproar::Actor for A)), 1, "{part}");
        }
    }

    #[test]
    fn what_is_no_actor_stays() {
        for item in [
            quote!(
                impl Clone for A {
                    fn clone(&self) -> A {
                        A
                    }
                }
            ),
            quote!(impl Handler<B> for A { #[receive] fn f(&mut self, _: B) {} }),
            quote!(impl Handler for A { type B = u8; #[receive] fn f(&mut self, _: B) {} }),
        ] {
            let item: ItemImpl = syn::parse2(item).unwrap();
            let (head, code) = (item.self_ty.to_token_stream(), expanded(quote!(), item));
            assert_eq!(count(&code, &quote!(::core::compile_error)), 1, "{code}");
            assert_eq!(count(&code, &quote!(::uproar::Actor for)), 0, "{code}");
            assert!(code.contains(&format!("{head} {{")), "{code}");
        }
    }

    #[test]
    fn a_trait_that_should_not_be_there_is_left_away() {
        let code = expanded(
            quote!(),
            parse_quote!(
                unsafe impl Handler for A {
                    #[receive]
                    fn f(&mut self, _: B) {}
                }
            ),
        );
        assert_eq!(count(&code, &quote!(::core::compile_error)), 1, "{code}");
        assert_eq!(count(&code, &quote!(Handler)), 0, "{code}");
        assert!(code.contains("impl A { "), "{code}");
        assert_eq!(count(&code, &quote!(::uproar::Actor for A)), 1, "{code}");
    }

    #[test]
    fn nothing_received_may_be_the_compilers_doing() {
        for (part, errors) in [
            (quote!(), 0),
            (
                quote!(
                    fn on_start(&mut self) {}
                ),
                0,
            ),
            (
                quote!(
                    fn f(&mut self, _: B) {}
                ),
                1,
            ),
        ] {
            let code = expanded(quote!(), parse_quote!(impl A { #part }));
            assert_eq!(
                count(&code, &quote!(::core::compile_error)),
                errors,
                "{code}"
            );
            assert_eq!(code.matches("must_use =").count(), 1 - errors, "{code}");
            assert_eq!(count(&code, &quote!(::uproar::Actor for A)), 1, "{code}");
        }
    }

    #[test]
    fn a_borrowing_type_has_a_protocol_without_borrows() {
        for item in [
            quote!(
                impl<'a> A<'a> {
                    #[receive]
                    fn f(&mut self, _: B) {}
                }
            ),
            quote!(impl A<&str> { #[receive] fn f(&mut self, _: B) {} }),
        ] {
            let item: ItemImpl = syn::parse2(item).unwrap();
            let code = expanded(quote!(), item);
            assert_eq!(count(&code, &quote!(::core::compile_error)), 1, "{code}");
            assert_eq!(count(&code, &quote!(::uproar::Actor for)), 1, "{code}");
            let of_protocol = code.split("type Protocol = ").nth(1).unwrap();
            assert!(of_protocol.starts_with("A < "), "{code}");
            assert!(of_protocol.contains("'static"), "{code}");
        }
    }
}
