//! `#[cfg]`s inside a function body. An attribute macro sees them before they are resolved, so what it generates
//! for a piece of code must carry the conditions of that piece.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Meta};

/// When some code is compiled: always, or if any of some lists of predicates holds as a whole.
#[derive(Default)]
pub struct Condition {
    always: bool,
    any: Vec<TokenStream>,
}

impl Condition {
    /// Adds code that is compiled when all of `predicates` hold.
    pub fn or_all(&mut self, predicates: &[TokenStream]) {
        match predicates {
            [] => self.always = true,
            [one] => self.any.push(one.clone()),
            several => self.any.push(quote!(all(#(#several),*))),
        }
    }

    /// The condition of code that stands under these attributes.
    pub fn of(attrs: &[Attribute]) -> Self {
        Self::of_all(&predicates(attrs))
    }

    /// The condition that all of `predicates` hold.
    pub fn of_all(predicates: &[TokenStream]) -> Self {
        let mut condition = Self::default();
        condition.or_all(predicates);
        condition
    }

    /// The attribute of what stands for the code where it is not compiled.
    pub fn negated(&self) -> Option<TokenStream> {
        let predicate = self.predicate()?;
        Some(quote!(#[cfg(not(#predicate))]))
    }

    /// The predicate, unless it is always true.
    pub fn predicate(&self) -> Option<TokenStream> {
        match self.any.as_slice() {
            _ if self.always => None,
            [one] => Some(one.clone()),
            several => Some(quote!(any(#(#several),*))),
        }
    }
}

/// As the attribute, if there is need of one.
impl ToTokens for Condition {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        if let Some(predicate) = self.predicate() {
            tokens.extend(quote!(#[cfg(#predicate)]));
        }
    }
}

/// `P` of every `#[cfg(P)]`.
pub fn predicates(attrs: &[Attribute]) -> Vec<TokenStream> {
    let list = |attr: &Attribute| match &attr.meta {
        Meta::List(list) if list.path.is_ident("cfg") => Some(list.tokens.clone()),
        _ => None,
    };
    attrs.iter().filter_map(list).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn conditions_join() {
        let mut condition = Condition::of(&[
            parse_quote!(#[cfg(unix)]),
            parse_quote!(#[cfg(test)]),
            parse_quote!(#[doc(hidden)]),
        ]);
        assert_eq!(
            condition.to_token_stream().to_string(),
            quote!(#[cfg(all(unix, test))]).to_string()
        );
        condition.or_all(&[quote!(windows)]);
        assert_eq!(
            condition.to_token_stream().to_string(),
            quote!(#[cfg(any(all(unix, test), windows))]).to_string()
        );
        condition.or_all(&[]);
        assert!(condition.to_token_stream().is_empty());
    }
}
