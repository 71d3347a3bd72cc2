//! What outlives everybody's borrows: actors, messages, replies.

use syn::visit_mut::VisitMut;
use syn::{GenericParam, Generics, Lifetime, PathArguments, Type, TypeReference};

use crate::fallback::Errors;

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
