//! The variables that an arm's pattern and guard bind and its body sees.

use proc_macro2::{Literal, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Pat, PatIdent, Token};

use super::pattern::{Accepts, is_variable};
use crate::fallback::Errors;

/// A variable that a pattern binds and the arm's body sees.
pub struct Binding {
    pub ident: Ident,
    pub mutability: Option<Token![mut]>,
    /// The guard mentions it, so it is not unused if the body does not.
    pub in_guard: bool,
}

/// Takes the variables out of an arm's patterns, in the order in which they are written. The patterns lose their
/// `mut`s: they only carry values to the arm's body, where the variables are bound again. What a guard binds may
/// borrow from the message, so it is carried only if the body mentions it.
pub fn bindings(
    accepts: &mut Accepts,
    guard: Option<&mut Expr>,
    body: &Expr,
    errors: &mut Errors,
) -> Vec<Binding> {
    let mut bound = match accepts {
        Accepts::Messages(alternatives) => {
            let mut alternatives = alternatives.iter_mut();
            let first = alternatives
                .next()
                .map_or_else(Vec::new, |first| of_pattern(&mut first.pat, errors));
            for alternative in alternatives {
                let other = of_pattern(&mut alternative.pat, errors);
                for (has, lacks) in [(&first, &other), (&other, &first)] {
                    for binding in has
                        .iter()
                        .filter(|binding| !lacks.iter().any(|it| it.ident == binding.ident))
                    {
                        errors.at(
                            &binding.ident,
                            format!("`{}` is not bound in all alternatives", binding.ident),
                        );
                    }
                }
            }
            first
        }
        Accepts::Anything(pat) => of_pattern(pat, errors),
        Accepts::Timeout(_) => Vec::new(),
    };
    if let Some(guard) = guard {
        let mut of_its_own = Vec::new();
        of_guard(guard, &mut of_its_own, errors);
        let body = body.to_token_stream();
        of_its_own.retain(|binding| mentions(body.clone(), &binding.ident.to_string()));
        bound.extend(of_its_own);
        let guard = guard.to_token_stream();
        for binding in &mut bound {
            binding.in_guard = mentions(guard.clone(), &binding.ident.to_string());
        }
    }
    bound
}

fn of_pattern(pat: &mut Pat, errors: &mut Errors) -> Vec<Binding> {
    let mut collect = Collect {
        bound: Vec::new(),
        errors,
    };
    collect.visit_pat_mut(pat);
    collect.bound
}

/// The variables of `if let Some(x) = ..` in a guard.
fn of_guard(guard: &mut Expr, bound: &mut Vec<Binding>, errors: &mut Errors) {
    match guard {
        Expr::Let(condition) => bound.extend(of_pattern(&mut condition.pat, errors)),
        Expr::Binary(both) if matches!(both.op, syn::BinOp::And(_)) => {
            of_guard(&mut both.left, bound, errors);
            of_guard(&mut both.right, bound, errors);
        }
        _ => {}
    }
}

struct Collect<'e> {
    bound: Vec<Binding>,
    errors: &'e mut Errors,
}

impl VisitMut for Collect<'_> {
    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        if let Some(by_ref) = &pat.by_ref {
            self.errors.at(
                by_ref,
                "a received message is moved into the arm: bind it by value, without `ref`",
            );
        }
        if is_variable(pat) {
            let mutability = pat.mutability.take();
            match self
                .bound
                .iter_mut()
                .find(|binding| binding.ident == pat.ident)
            {
                Some(binding) => binding.mutability = binding.mutability.or(mutability),
                None => self.bound.push(Binding {
                    ident: pat.ident.clone(),
                    mutability,
                    in_guard: false,
                }),
            }
        }
        visit_mut::visit_pat_ident_mut(self, pat);
    }

    fn visit_expr_mut(&mut self, _: &mut Expr) {}
}

/// The variable as it stands in one of several alternatives, where errors about its type show.
pub fn as_in(pat: TokenStream, name: &Ident) -> Ident {
    find(pat, name).unwrap_or_else(|| name.clone())
}

fn find(tokens: TokenStream, name: &Ident) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == *name => Some(ident),
        TokenTree::Group(group) => find(group.stream(), name),
        _ => None,
    })
}

/// Whether `name` occurs in `tokens`, be it in a format string.
fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Literal(literal) => formats(&literal, name),
        TokenTree::Punct(_) => false,
    })
}

fn formats(literal: &Literal, name: &str) -> bool {
    let text = literal.to_string();
    text.match_indices('{').any(|(at, _)| {
        text[at + 1..]
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with([':', '}']))
    })
}

#[cfg(test)]
mod tests {
    use super::super::pattern::accepts;
    use super::*;
    use syn::parse::Parser;
    use syn::parse_quote;

    fn read(text: &str) -> (Vec<Binding>, Vec<String>) {
        let mut errors = Errors::default();
        let pat = Pat::parse_multi.parse_str(text).unwrap();
        let accepts = accepts(pat, &parse_quote!(::uproar), &mut errors);
        let bound =
            accepts.map(|mut accepts| bindings(&mut accepts, None, &parse_quote!({}), &mut errors));
        (bound.unwrap_or_default(), errors.messages())
    }

    fn names(text: &str) -> Vec<String> {
        read(text).0.iter().map(|it| it.ident.to_string()).collect()
    }

    #[test]
    fn variables_are_found_wherever_they_are_bound() {
        assert_eq!(names("Add(n, Some(m), None, MAX)"), ["n", "m"]);
        assert_eq!(names("Add { mut a, b: c, d: E, .. }"), ["a", "c"]);
        assert_eq!(names("whole @ Add(n @ 1..=3)"), ["whole", "n"]);
        assert_eq!(names("Cmd::A(n) | Cmd::B(n)"), ["n"]);
        assert_eq!(
            names("Typed::<[u8; 4]>([first, rest @ ..])"),
            ["first", "rest"]
        );
        assert!(read("Add(mut n)").0[0].mutability.is_some());
        assert_eq!(read("A(ref n)").1.len(), 1);
        assert_eq!(read("A(n) | B(m)").1.len(), 2);
    }

    #[test]
    fn format_strings_mention_variables() {
        assert!(mentions(quote::quote!(f(format!("{id:?}"))), "id"));
        assert!(!mentions(
            quote::quote!(f(format!("{idle}"), identity)),
            "id"
        ));
    }
}
