//! What outlives everybody's borrows: actors, messages, replies. It owns what is in it, and has a size.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::VisitMut;
use syn::{
    GenericParam, Generics, Lifetime, PathArguments, Type, TypeImplTrait, TypeParamBound,
    TypeReference,
};

use crate::fallback::Errors;
use crate::path;

/// What owns all that is in it.
#[derive(Clone, Copy)]
pub enum Owner {
    Actor,
    Message,
    Reply,
}

impl Owner {
    fn owns(self) -> &'static str {
        match self {
            Self::Actor => "an actor outlives its spawner's borrows, so it owns what it is given",
            Self::Message => "a message outlives its sender's borrows, so it owns what is in it",
            Self::Reply => "a reply outlives the borrows of its handler, so it owns what is in it",
        }
    }

    fn subject(self) -> &'static str {
        match self {
            Self::Actor => "what an actor is given",
            Self::Message => "a message",
            Self::Reply => "a reply",
        }
    }

    fn refuse(self, lifetime: &Lifetime, errors: &mut Errors) {
        let why = self.owns();
        errors.at(lifetime, format!("{why}: no lifetimes here but `'static`"));
    }
}

/// Whether there are no lifetimes among the parameters of an item.
pub fn without_lifetimes(generics: &Generics, what: Owner, errors: &mut Errors) -> bool {
    let mut without = true;
    for param in &generics.params {
        if let GenericParam::Lifetime(lifetime) = param {
            what.refuse(&lifetime.lifetime, errors);
            without = false;
        }
    }
    without
}

/// Reports, and mends, type parameters that may be borrows for all that their bounds say. Other bounds than these may
/// well imply that they are not.
pub fn static_params(
    generics: &mut Generics,
    used: &TokenStream,
    what: Owner,
    local: bool,
    errors: &mut Errors,
) {
    const TELL_NOTHING: [&str; 14] = [
        "Send",
        "Sync",
        "Unpin",
        "Sized",
        "Clone",
        "Copy",
        "Debug",
        "Display",
        "Default",
        "PartialEq",
        "Eq",
        "PartialOrd",
        "Ord",
        "Hash",
    ];
    let bounds = generics.where_clause.to_token_stream();
    for param in generics.type_params_mut() {
        let tells_nothing = |bound: &TypeParamBound| match bound {
            TypeParamBound::Trait(of) => {
                let last = of.path.segments.last();
                last.is_some_and(|last| TELL_NOTHING.iter().any(|name| last.ident == name))
            }
            _ => false,
        };
        let name = &param.ident;
        if param.bounds.iter().all(tells_nothing)
            && mentions(used.clone(), name)
            && !mentions(bounds.clone(), name)
        {
            let why = what.owns();
            let mut written = param.bounds.clone();
            let is_send = mentions(written.to_token_stream(), &Ident::new("Send", name.span()));
            if !local && !is_send {
                written.push(syn::parse_quote!(Send));
            }
            written.push(syn::parse_quote!('static));
            let written = written.to_token_stream();
            errors.at(
                name,
                format!("{why}: write `{name}: {}`", path::written_tokens(&written)),
            );
            param.bounds.push(syn::parse_quote!('static));
        }
    }
}

fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        _ => false,
    })
}

/// Whether a type borrows nothing but `'static`.
pub fn owned(ty: &Type, what: Owner, errors: &mut Errors) -> bool {
    struct Borrows<'e> {
        what: Owner,
        errors: &'e mut Errors,
        found: bool,
    }
    impl VisitMut for Borrows<'_> {
        fn visit_type_reference_mut(&mut self, of: &mut TypeReference) {
            match &mut of.lifetime {
                None => {
                    self.found = true;
                    let message = "take the value itself, an `Arc` or a `&'static` reference";
                    let why = self.what.owns();
                    self.errors.at(of.and_token, format!("{why}: {message}"));
                }
                Some(lifetime) => self.visit_lifetime_mut(lifetime),
            }
            self.visit_type_mut(&mut of.elem);
        }

        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            if lifetime.ident != "static" {
                self.found = true;
                self.what.refuse(lifetime, self.errors);
            }
        }

        // `Fn(&str)`, `fn(&str)` and `for<'a> ..` borrow from their callers.
        fn visit_path_arguments_mut(&mut self, of: &mut PathArguments) {
            if let PathArguments::AngleBracketed(of) = of {
                self.visit_angle_bracketed_generic_arguments_mut(of);
            }
        }

        fn visit_type_fn_ptr_mut(&mut self, _: &mut syn::TypeFnPtr) {}

        fn visit_type_param_bound_mut(&mut self, of: &mut syn::TypeParamBound) {
            if let syn::TypeParamBound::Lifetime(lifetime) = of {
                self.visit_lifetime_mut(lifetime);
            }
        }
    }
    let mut search = Borrows {
        what,
        errors,
        found: false,
    };
    search.visit_type_mut(&mut ty.clone());
    !search.found
}

/// Whether a type has a size, as far as one can see. If not, that is reported and mended: rustc would say so wherever the
/// type is named, by the user or not.
pub fn sized(ty: &mut Type, what: Owner, errors: &mut Errors) -> bool {
    let (mended, write): (Type, _) = match ty {
        Type::Group(of) => return sized(&mut of.elem, what, errors),
        Type::Paren(of) => return sized(&mut of.elem, what, errors),
        Type::Path(of) if of.path.is_ident("str") => (
            syn::parse_quote!(::std::string::String),
            "`String` or `&'static str`".to_owned(),
        ),
        Type::Slice(of) => {
            let elem = &of.elem;
            let write = format!("`Vec<{}>`", path::written(elem));
            (syn::parse_quote!(::std::vec::Vec<#elem>), write)
        }
        Type::TraitObject(of) => {
            let mut of = of.clone();
            let is_send = Ident::new("Send", proc_macro2::Span::call_site());
            if !mentions(of.to_token_stream(), &is_send) {
                of.bounds.push(syn::parse_quote!(Send));
            }
            let write = format!("`Box<{}>`", path::written_tokens(&of.to_token_stream()));
            (syn::parse_quote!(::std::boxed::Box<#of>), write)
        }
        _ => return true,
    };
    let subject = what.subject();
    errors.at(
        &*ty,
        format!("{subject} has a size that is known: write {write}"),
    );
    *ty = mended;
    false
}

/// Whether a type is one that a message can have, wherever it is named: it has a size, and a name.
pub fn message(ty: &mut Type, errors: &mut Errors) -> bool {
    struct Find(Option<TokenStream>);
    impl VisitMut for Find {
        fn visit_type_impl_trait_mut(&mut self, of: &mut TypeImplTrait) {
            self.0.get_or_insert_with(|| of.to_token_stream());
        }
    }
    let mut opaque = Find(None);
    opaque.visit_type_mut(ty);
    if let Some(opaque) = opaque.0 {
        errors.at(opaque, "a message's type has a name: write the type");
        *ty = syn::parse_quote!(());
        return false;
    }
    sized(ty, Owner::Message, errors)
}
