//! What an arm's pattern says about the messages it takes.

use proc_macro2::TokenStream;
use syn::{Pat, PatIdent, Path, Token, Type, punctuated::Punctuated};

use crate::fallback::Errors;
use crate::owned;
pub use crate::path::same_type as same;
use crate::path::{self, Typed, is_timeout, is_upper, message_type, same_type};

/// What an arm takes.
pub enum Accepts {
    /// Messages of these types, each with the part of the pattern that is about it.
    Messages(Vec<Alternative>),
    /// Any message.
    Anything(Pat),
    /// None: the arm for the end of the timeout.
    Timeout(Path),
}

/// One message type of an arm.
pub struct Alternative {
    pub ty: Type,
    pub pat: Pat,
    /// The `Typed::<T>` that named the type; it must be mentioned, else its import would count as unused.
    pub typed: Option<Path>,
}

/// Reads the arm's pattern; what can't be read is reported and left out.
pub fn accepts(pat: Pat, krate: &Path, errors: &mut Errors) -> Option<Accepts> {
    match peel(pat) {
        Pat::Wild(wild) => Some(Accepts::Anything(Pat::Wild(wild))),
        Pat::Ident(name) if is_variable(&name) && binds_anything(&name) => {
            Some(Accepts::Anything(Pat::Ident(name)))
        }
        Pat::Ident(name)
            if !is_variable(&name) && is_timeout(&name.ident.clone().into(), krate) =>
        {
            Some(Accepts::Timeout(name.ident.into()))
        }
        Pat::Path(name) if name.qself.is_none() && is_timeout(&name.path, krate) => {
            Some(Accepts::Timeout(name.path))
        }
        pat => {
            let mut cases = Vec::new();
            flatten(pat, &mut cases);
            let several = cases.len() > 1;
            let mut alternatives: Vec<Alternative> = Vec::new();
            let mut complete = true;
            for case in cases {
                match alternative(case, several, krate, errors) {
                    Some(case) => merge(&mut alternatives, case),
                    None => complete = false,
                }
            }
            complete.then_some(Accepts::Messages(alternatives))
        }
    }
}

fn peel(mut pat: Pat) -> Pat {
    while let Pat::Paren(paren) = pat {
        pat = *paren.pat;
    }
    pat
}

fn flatten(pat: Pat, cases: &mut Vec<Pat>) {
    match peel(pat) {
        Pat::Or(or) => or.cases.into_iter().for_each(|case| flatten(case, cases)),
        pat => cases.push(pat),
    }
}

/// `name`, `mut name`, `name @ ..`; `Stop` is a unit struct.
pub fn is_variable(pat: &PatIdent) -> bool {
    pat.subpat.is_some()
        || pat.by_ref.is_some()
        || pat.mutability.is_some()
        || !is_upper(&pat.ident)
}

fn binds_anything(pat: &PatIdent) -> bool {
    match &pat.subpat {
        None => true,
        Some((_, sub)) => match peel((**sub).clone()) {
            Pat::Wild(_) => true,
            Pat::Ident(sub) => is_variable(&sub) && binds_anything(&sub),
            _ => false,
        },
    }
}

fn alternative(pat: Pat, several: bool, krate: &Path, errors: &mut Errors) -> Option<Alternative> {
    if let Pat::TupleStruct(of) = &pat {
        match path::typed(&of.path) {
            Typed::No => {}
            Typed::Bare => {
                errors.at(&of.path, "say which type: `Typed::<T>(..)`");
                return None;
            }
            Typed::Of(ty) if path::has_placeholder(&ty) => {
                errors.at(&of.path, "say which type: `Typed::<T>(..)`, without `_`");
                return None;
            }
            Typed::Of(mut ty) if of.elems.len() == 1 => {
                if !owned::message(&mut ty, errors) {
                    return None;
                }
                return Some(Alternative {
                    ty: *ty,
                    pat: of.elems[0].clone(),
                    typed: Some(of.path.clone()),
                });
            }
            Typed::Of(_) => {
                errors.at(&of.elems, "`Typed` has one field, the message");
                return None;
            }
        }
    }
    if let Pat::TupleStruct(of) = &pat
        && let Some(name) = of.path.get_ident()
        && (path::is_primitive(name) || name == "str")
    {
        let name = match name.to_string() {
            text if text == "str" => "String".to_owned(),
            sized => sized,
        };
        errors.at(&pat, format!("write `Typed::<{name}>(..)`"));
        return None;
    }
    let anything = matches!(&pat, Pat::Wild(_))
        || matches!(&pat, Pat::Ident(name) if is_variable(name) && binds_anything(name));
    if several && anything {
        errors.at(
            &pat,
            "this takes any message, so it needs an arm of its own",
        );
        return None;
    }
    if several && names_timeout(&pat, krate) {
        errors.at(
            &pat,
            "`Timeout` is not a message: give it an arm of its own",
        );
        return None;
    }
    match type_of(&pat) {
        Some(ty) => Some(Alternative {
            ty,
            pat,
            typed: None,
        }),
        None => {
            errors.at(
                &pat,
                "this pattern does not name its message's type: write `Typed::<T>(..)` around it",
            );
            None
        }
    }
}

fn names_timeout(pat: &Pat, krate: &Path) -> bool {
    match pat {
        Pat::Ident(name) => !is_variable(name) && is_timeout(&name.ident.clone().into(), krate),
        Pat::Path(name) => is_timeout(&name.path, krate),
        _ => false,
    }
}

fn type_of(pat: &Pat) -> Option<Type> {
    match pat {
        Pat::Ident(name) if !is_variable(name) => {
            Some(message_type(None, &name.ident.clone().into()))
        }
        Pat::Ident(name) => {
            let mut cases = Vec::new();
            flatten((*name.subpat.as_ref()?.1).clone(), &mut cases);
            let first = type_of(cases.first()?)?;
            let all = cases
                .iter()
                .all(|case| type_of(case).is_some_and(|ty| same_type(&ty, &first)));
            all.then_some(first)
        }
        Pat::Path(name) => Some(message_type(name.qself.as_ref(), &name.path)),
        Pat::Struct(of) => Some(message_type(of.qself.as_ref(), &of.path)),
        Pat::TupleStruct(of) => match path::typed(&of.path) {
            Typed::No => Some(message_type(of.qself.as_ref(), &of.path)),
            Typed::Bare | Typed::Of(_) => None,
        },
        _ => None,
    }
}

/// `Command::Go | Command::Stop` stays one pattern, so that rustc sees it whole.
fn merge(alternatives: &mut Vec<Alternative>, new: Alternative) {
    match alternatives
        .iter_mut()
        .find(|old| same_type(&old.ty, &new.ty))
    {
        None => alternatives.push(new),
        Some(old) => {
            old.typed = old.typed.take().or(new.typed);
            let mut cases = Punctuated::new();
            flatten_into(
                &mut cases,
                std::mem::replace(&mut old.pat, Pat::Verbatim(TokenStream::new())),
            );
            flatten_into(&mut cases, new.pat);
            old.pat = Pat::Or(syn::PatOr {
                attrs: Vec::new(),
                leading_vert: None,
                cases,
            });
        }
    }
}

fn flatten_into(cases: &mut Punctuated<Pat, Token![|]>, pat: Pat) {
    let mut flat = Vec::new();
    flatten(pat, &mut flat);
    cases.extend(flat);
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;
    use syn::parse::Parser;
    use syn::parse_quote;

    fn read(text: &str) -> (Option<Accepts>, Vec<String>) {
        let mut errors = Errors::default();
        let pat = Pat::parse_multi.parse_str(text).unwrap();
        let accepts = accepts(pat, &parse_quote!(::uproar), &mut errors);
        (accepts, errors.messages())
    }

    fn types(text: &str) -> Vec<String> {
        match read(text).0 {
            Some(Accepts::Messages(all)) => all
                .iter()
                .map(|it| it.ty.to_token_stream().to_string())
                .collect(),
            Some(Accepts::Anything(_)) => vec!["any".into()],
            Some(Accepts::Timeout(_)) => vec!["timeout".into()],
            None => Vec::new(),
        }
    }

    #[test]
    fn patterns_name_their_types() {
        assert_eq!(types("Add(n)"), ["Add"]);
        assert_eq!(types("(Stop)"), ["Stop"]);
        assert_eq!(types("m::Add { n, .. }"), ["m :: Add"]);
        assert_eq!(types("whole @ Add(_)"), ["Add"]);
        assert_eq!(types("Typed::<Vec<u8>>([first, ..])"), ["Vec < u8 >"]);
        assert_eq!(types("A(n) | B(n) | A2::X"), ["A", "B", "A2"]);
        assert_eq!(types("Command::Go | Command::Stop"), ["Command"]);
        assert_eq!(types("_"), ["any"]);
        assert_eq!(types("mut other @ _"), ["any"]);
        assert_eq!(types("Timeout"), ["timeout"]);
        assert_eq!(types("Timeout(_)"), ["Timeout"]);
    }

    #[test]
    fn patterns_that_name_none_are_reported_once() {
        for text in [
            "7",
            "\"text\"",
            "1..=2",
            "(a, b)",
            "[a, ..]",
            "&x",
            "n @ 1",
            "Typed(n)",
            "A(_) | _",
            "A | Timeout",
        ] {
            assert_eq!(read(text).1.len(), 1, "{text}");
        }
    }
}
