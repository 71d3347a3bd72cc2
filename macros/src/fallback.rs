//! Errors, gathered so that every mistake is reported, and once.
//!
//! After an error each macro still emits an item of the same name and signature. Without it the rest of the
//! crate would not find the actor or the function, and the one real error would drown.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{
    BoundLifetimes, Error, GenericParam, Generics, ItemFn, Lifetime, Signature, TypeReference,
};

/// The mistakes found so far in one item.
#[derive(Default)]
pub struct Errors(Option<Error>);

impl Errors {
    /// Reports `message` at `at`.
    pub fn at(&mut self, at: impl ToTokens, message: impl std::fmt::Display) {
        self.push(Error::new_spanned(at, message));
    }

    pub fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            None => self.0 = Some(error),
        }
    }

    pub fn append(&mut self, others: Self) {
        if let Some(error) = others.0 {
            self.push(error);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The `compile_error!`s.
    pub fn into_tokens(self) -> TokenStream {
        self.0.map(Error::into_compile_error).unwrap_or_default()
    }

    /// What was reported, one message a line.
    #[cfg(test)]
    pub fn messages(self) -> Vec<String> {
        self.0
            .into_iter()
            .flatten()
            .map(|error| error.to_string())
            .collect()
    }
}

/// A body, or an expression, of any type. In braces it may stand wherever a `match` may.
pub fn diverging() -> TokenStream {
    quote!({ ::core::panic!("this does not compile") })
}

/// A function that is only declared with a body of any type, and the semicolon in whose place that stands.
pub fn with_body(declared: &TokenStream) -> Option<(TokenStream, TokenTree)> {
    let mut tokens: Vec<_> = declared.clone().into_iter().collect();
    let semicolon = tokens.pop()?;
    if !matches!(&semicolon, TokenTree::Punct(punct) if punct.as_char() == ';') {
        return None;
    }
    let (head, body) = (tokens.into_iter().collect::<TokenStream>(), diverging());
    let function: ItemFn = syn::parse2(quote!(#head #body)).ok()?;
    let function = quote!(#[allow(unused)] #function);
    Some((function, semicolon))
}

/// Reports `const`, `unsafe` and `extern`.
pub fn refuse_qualifiers(sig: &Signature, macro_name: &str, errors: &mut Errors) {
    if let Some(constness) = &sig.constness {
        errors.at(
            constness,
            format!("`{macro_name}` needs a plain `async fn`, not a `const` one"),
        );
    }
    if let syn::Safety::Unsafe(safety) = &sig.safety {
        errors.at(
            safety,
            format!("`{macro_name}` needs a plain `async fn`, not an `unsafe` one"),
        );
    }
    if let Some(abi) = &sig.abi {
        errors.at(
            abi,
            format!("`{macro_name}` needs a plain `async fn`, not an `extern` one"),
        );
    }
}

/// Makes `sig` one that an actor could have: no lifetimes but `'static`, and none of the qualifiers that
/// `#[actor]`, `#[main]` and `#[test]` refuse.
pub fn mend(sig: &mut Signature) {
    sig.constness = None;
    sig.safety = syn::Safety::Default;
    sig.abi = None;
    sig.variadic = None;
    drop_lifetimes(&mut sig.generics);
    ToStatic.visit_signature_mut(sig);
}

/// Makes parameters those that an actor could have: no lifetimes, and none in their bounds.
pub fn mend_generics(generics: &mut Generics) {
    drop_lifetimes(generics);
    ToStatic.visit_generics_mut(generics);
}

/// Makes a type one that borrows nothing but `'static`.
pub fn mend_type(ty: &mut syn::Type) {
    ToStatic.visit_type_mut(ty);
}

fn drop_lifetimes(generics: &mut Generics) {
    let params = std::mem::take(&mut generics.params);
    generics.params = params
        .into_iter()
        .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
        .collect();
}

struct ToStatic;

impl VisitMut for ToStatic {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        *lifetime = Lifetime::new("'static", lifetime.span());
    }

    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        reference.lifetime = Some(Lifetime::new("'static", reference.and_token.span));
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_bound_lifetimes_mut(&mut self, _: &mut BoundLifetimes) {}
}
