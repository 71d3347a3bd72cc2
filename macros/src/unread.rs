//! Items that can't be parsed.
//!
//! The compiler parses an item before it hands it to a macro, and it recovers from most syntax errors. Of these it has
//! told the user then, in better words than `syn` has, so there is nothing to add: such an item is expanded as after
//! any other error, and so reported once.
//!
//! It may also drop parts of an `impl` block, and go on with the rest.
//!
//! But the compiler may know syntax that `syn` does not, and then it has reported nothing. So the bodies hold what a lint
//! refuses: lints of this kind are looked for last, and only where there have been no errors. Where a crate's lints are
//! capped, as those of a dependency are, a constant that can't be evaluated does the same. That is seen when code is
//! generated, which is only done where there are no errors either.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::{Error, Ident, ImplItem, Item};

/// A function or an `impl` block with syntax that `syn` does not know.
pub struct Unread {
    /// With other bodies where they can't be parsed, if all else in it can. Of an `impl` block those parts that can.
    pub item: Option<Item>,
    /// The function as far as it is known otherwise.
    pub head: Option<Head>,
    /// With other bodies.
    pub tokens: TokenStream,
    /// What these bodies are: an expression of any type.
    pub body: TokenStream,
}

/// A function without generic parameters, of which nothing can be parsed but its name.
pub struct Head {
    /// What comes before it, without `async`.
    pub before: TokenStream,
    pub name: Ident,
    pub arguments: TokenTree,
}

/// Reads again what could not be read for `error`. `None` if it is no function or `impl` block.
pub fn read(input: &TokenStream, error: &Error, macro_name: &str) -> Option<Unread> {
    let body = body(error, macro_name);
    let mut words = input.clone().into_iter();
    let first = words.find(|token| is_word(token, "fn") || is_word(token, "impl"))?;
    let (tokens, head) = match is_word(&first, "impl") {
        false => (replace(input.clone(), &body), head(input)),
        true => (in_braces(input, |parts| known(parts, &body)), None),
    };
    Some(Unread {
        item: syn::parse2(tokens.clone()).ok(),
        head,
        tokens,
        body,
    })
}

/// A body, or an expression, of any type, that does not compile if nothing else is wrong.
pub fn body(error: &Error, macro_name: &str) -> TokenStream {
    let message = format!("the compiler knows syntax here that `{macro_name}` does not: {error}");
    let what = Ident::new("SyntaxUnknownToTheMacro", Span::call_site());
    silent(&what, &message, Span::call_site())
}

/// The same for another reason, which is shown at `here`.
pub fn silent(what: &Ident, message: &str, here: Span) -> TokenStream {
    quote_spanned! {here=>
        {
            #[deny(unused_must_use)]
            {
                #[must_use = #message]
                struct #what;
                // In an array, so that rustc does not say how to ignore it.
                [#what];
            }
            const { ::core::panic!("{}", #message) };
            ::core::panic!("{}", #message)
        }
    }
}

/// The name of an enum or struct without generic parameters.
pub fn type_name(item: &TokenStream) -> Option<Ident> {
    let is_kind = |token: &TokenTree| is_word(token, "enum") || is_word(token, "struct");
    let mut tokens = item.clone().into_iter();
    tokens.find(is_kind)?;
    match (tokens.next()?, tokens.next()?) {
        (TokenTree::Ident(name), TokenTree::Group(_)) => Some(name),
        _ => None,
    }
}

fn head(item: &TokenStream) -> Option<Head> {
    let mut tokens = item.clone().into_iter();
    let before = tokens
        .by_ref()
        .take_while(|token| !is_word(token, "fn"))
        .filter(|token| !is_word(token, "async"))
        .collect();
    let name = tokens.find(|token| !is_word(token, "async"))?;
    let arguments = tokens.next()?;
    match (&name, &arguments) {
        (TokenTree::Ident(name), TokenTree::Group(group))
            if group.delimiter() == Delimiter::Parenthesis =>
        {
            let name = name.clone();
            Some(Head {
                before,
                name,
                arguments,
            })
        }
        _ => None,
    }
}

/// The parts of an `impl` block that can be parsed, if need be with another body.
fn known(block: TokenStream, body: &TokenStream) -> TokenStream {
    let mut known = TokenStream::new();
    let mut part: Vec<TokenTree> = Vec::new();
    for token in block {
        let ends = match &token {
            TokenTree::Group(group) => {
                group.delimiter() == Delimiter::Brace
                    && part.iter().any(has_block)
                    && !part.last().is_some_and(opens_brackets)
            }
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        part.push(token);
        if ends {
            let part: TokenStream = part.drain(..).collect();
            let with_other_body = replace(part.clone(), body);
            let parts = [part, with_other_body];
            known.extend(parts.into_iter().find(is_impl_item));
        }
    }
    known
}

fn is_impl_item(part: &TokenStream) -> bool {
    syn::parse2::<ImplItem>(part.clone()).is_ok()
}

fn in_braces(item: &TokenStream, change: impl Fn(TokenStream) -> TokenStream) -> TokenStream {
    let one = |token| match token {
        TokenTree::Group(block) if block.delimiter() == Delimiter::Brace => {
            let mut new = Group::new(Delimiter::Brace, change(block.stream()));
            new.set_span(block.span());
            TokenTree::Group(new)
        }
        other => other,
    };
    item.clone().into_iter().map(one).collect()
}

/// Puts `body` in the place of every function's body.
fn replace(items: TokenStream, body: &TokenStream) -> TokenStream {
    let mut of_fn = false;
    let mut in_brackets = false;
    let one = |token: TokenTree| {
        of_fn |= is_word(&token, "fn");
        let is_body = matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
            && of_fn
            && !in_brackets;
        in_brackets = opens_brackets(&token);
        if is_body {
            of_fn = false;
            return body.clone();
        }
        token.into()
    };
    items.into_iter().map(one).collect()
}

/// Whether this token is in a function or a macro call, which a block ends.
fn has_block(token: &TokenTree) -> bool {
    is_word(token, "fn") || matches!(token, TokenTree::Punct(punct) if punct.as_char() == '!')
}

/// Whether a block after this token is an argument, as in `Foo<{ N }>`.
fn opens_brackets(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if matches!(punct.as_char(), '<' | ','))
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn blank(item: &TokenStream) -> Option<String> {
        let error = Error::new(proc_macro2::Span::call_site(), "expected `,`");
        let item = read(item, &error, "#[actor]")?.item?;
        let text = quote!(#item).to_string();
        assert!(text.contains("expected `,`"), "{text}");
        Some(text)
    }

    #[test]
    fn bodies_are_left_out() {
        for item in [
            quote!(pub async fn f<T>(_: Foo<{ N }>) -> Foo<T, { N }> where T: X { a b }),
            quote!(impl<T> A<T> where T: X { const N: u8 = { 1 }; fn f() -> Foo<{ N }> { a b } #[receive] async fn g(&mut self) { match x { a => b c => d } } }),
        ] {
            let text = blank(&item).unwrap();
            assert!(!text.contains("a b"), "{text}");
            assert!(text.contains("{ N }"), "{text}");
        }
    }

    #[test]
    fn the_other_parts_of_an_impl_are_known() {
        let text = blank(&quote!(impl A {
            const N: u8 = { 1 };
            fn f(&mut self) { a b }
            n: u8,
            fn g(&mut self) { bad() }
            fn h(&mut self, _: Foo<{ N }>) { good() }
        }));
        let text = text.unwrap();
        assert!(
            text.contains("const N") && text.contains("good ()"),
            "{text}"
        );
        assert!(!text.contains("bad ()"), "{text}");
    }

    #[test]
    fn the_name_of_a_function_is_known() {
        let error = Error::new(proc_macro2::Span::call_site(), "");
        let head = |item| read(&item, &error, "").unwrap().head;
        let known = head(quote!(#[doc = "a"] pub async fn f(a b) -> c d {})).unwrap();
        assert_eq!(
            known.before.to_string(),
            quote!(#[doc = "a"] pub).to_string()
        );
        assert_eq!(known.name, "f");
        assert!(head(quote!(fn async f(a) {})).is_some());
        assert!(head(quote!(fn f<T>(a) {})).is_none());
    }

    #[test]
    fn what_is_wrong_elsewhere_stays_wrong() {
        for item in [
            quote!(async fn f(A(x)) {}),
            quote!(impl A B { fn f(&mut self) {} }),
            quote!(struct A { a b }),
        ] {
            assert!(blank(&item).is_none());
        }
    }
}
