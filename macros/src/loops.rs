//! Loops that wait spend a reduction at each turn, so that an actor whose loop never has to wait still makes room.
//!
//! The turn is taken at the loop's head, before the pattern is bound: further down it would hold the user's variables
//! over an await that he did not write.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Expr, ExprAsync, ExprAwait, ExprClosure, ExprForLoop, ExprLoop, ExprWhile, Item, Macro, Path,
    parse_quote,
};

/// Whether `expr` is a loop that may wait at each turn.
pub fn waits(expr: &mut Expr) -> bool {
    let mut awaits = Awaits(false);
    match expr {
        Expr::Loop(of) => awaits.visit_block_mut(&mut of.body),
        Expr::ForLoop(of) => awaits.visit_block_mut(&mut of.body),
        Expr::While(of) => {
            awaits.visit_expr_mut(&mut of.cond);
            awaits.visit_block_mut(&mut of.body);
        }
        _ => {}
    }
    awaits.0
}

/// Makes the loop take its turns.
pub fn take_turns(expr: &mut Expr, krate: &Path) {
    *expr = match std::mem::replace(expr, Expr::PLACEHOLDER) {
        Expr::Loop(of) => of_loop(of, krate),
        Expr::While(of) => of_while(of, krate),
        Expr::ForLoop(of) => of_for(of, krate),
        other => other,
    };
}

fn turn(krate: &Path) -> TokenStream {
    quote_spanned!(Span::mixed_site()=> #krate::__private::turn().await;)
}

fn of_loop(mut of: ExprLoop, krate: &Path) -> Expr {
    let turn = turn(krate);
    of.body
        .stmts
        .insert(0, syn::Stmt::Expr(Expr::Verbatim(turn), None));
    Expr::Loop(of)
}

/// `while c { b }` is `loop { turn; if c { b } else { break } }`.
fn of_while(of: ExprWhile, krate: &Path) -> Expr {
    let ExprWhile {
        attrs,
        label,
        while_token,
        cond,
        body,
        ..
    } = of;
    let (turn, span) = (
        turn(krate),
        while_token.span().resolved_at(Span::mixed_site()),
    );
    let (head, condition) = (quote_spanned!(span=> loop), quote_spanned!(span=> if));
    parse_quote!(#(#attrs)* #label #head { #turn #condition #cond #body else { break } })
}

/// `for p in e { b }` is what rustc makes of it, with a turn.
fn of_for(of: ExprForLoop, krate: &Path) -> Expr {
    let ExprForLoop {
        attrs,
        label,
        for_token,
        pat,
        expr,
        body,
        ..
    } = of;
    let span = for_token.span().resolved_at(Span::mixed_site());
    let (turn, head) = (turn(krate), quote_spanned!(span=> loop));
    // All that needs an iterator stands in one place, so that rustc reports what is none once. For an argument it would
    // show the whole expression, for the rest its first token.
    let place = principal(&expr).resolved_at(Span::mixed_site());
    let items = Ident::new("items", place);
    let into_iter = quote_spanned!(place=> ::core::iter::IntoIterator::into_iter(#items));
    let next = quote_spanned!(place=> ::core::iter::Iterator::next(&mut #items));
    let some = quote_spanned!(pat.span().resolved_at(Span::mixed_site())=> ::core::option::Option::Some(#pat));
    parse_quote! {
        #(#attrs)*
        match #expr {
            #items => match #into_iter {
                mut #items => #label #head {
                    #turn
                    match #next {
                        #some => #body
                        ::core::option::Option::None => break,
                    }
                }
            }
        }
    }
}

/// The token that gives an expression its type, as far as one can tell.
fn principal(expr: &Expr) -> Span {
    match expr {
        Expr::Await(of) => principal(&of.base),
        Expr::Field(of) => of.member.span(),
        Expr::Group(of) => principal(&of.expr),
        Expr::MethodCall(of) => of.method.span(),
        Expr::Reference(of) => principal(&of.expr),
        Expr::Try(of) => principal(&of.expr),
        other => other.span(),
    }
}

/// Looks for an `.await` of the function itself.
struct Awaits(bool);

impl VisitMut for Awaits {
    fn visit_expr_await_mut(&mut self, _: &mut ExprAwait) {
        self.0 = true;
    }

    fn visit_macro_mut(&mut self, of: &mut Macro) {
        self.0 |= has_await(of.tokens.clone());
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if !self.0 {
            visit_mut::visit_expr_mut(self, expr);
        }
    }

    fn visit_expr_async_mut(&mut self, _: &mut ExprAsync) {}

    fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// A macro's tokens may be anything; a turn too many does no harm.
fn has_await(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "await",
        TokenTree::Group(group) => has_await(group.stream()),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn turned(text: &str) -> Option<String> {
        let mut expr = syn::parse_str(text).unwrap();
        waits(&mut expr).then(|| {
            take_turns(&mut expr, &parse_quote!(::uproar));
            expr.to_token_stream().to_string()
        })
    }

    #[test]
    fn loops_that_wait_take_turns() {
        let turn = "::uproar::__private::turn().await;";
        for (written, expected) in [
            (
                "'a: loop { f().await; }",
                format!("'a: loop {{ {turn} f().await; }}"),
            ),
            (
                "while c() { f().await; }",
                format!("loop {{ {turn} if c() {{ f().await; }} else {{ break }} }}"),
            ),
            (
                "while f().await {}",
                format!("loop {{ {turn} if f().await {{}} else {{ break }} }}"),
            ),
            (
                "loop { assert_eq!(f().await, 1) }",
                format!("loop {{ {turn} assert_eq!(f().await, 1) }}"),
            ),
        ] {
            let expected: TokenStream = expected.parse().unwrap();
            assert_eq!(turned(written), Some(expected.to_string()));
        }
        assert!(
            turned("'a: for (a, b) in list { f(a, b).await }")
                .unwrap()
                .contains("'a : loop")
        );
    }

    #[test]
    fn loops_that_do_not_wait_are_left_alone() {
        for text in [
            "loop { f(); }",
            "for x in f().await { g(x) }",
            "loop { g(async { f().await }) }",
            "loop { g(async || f().await) }",
            "{ f().await }",
        ] {
            assert_eq!(turned(text), None, "{text}");
        }
    }
}
