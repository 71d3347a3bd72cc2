//! The output of an async function whose body has become an `async` block.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Path, ReturnType, Type, TypeImplTrait};

use crate::path::shown_at;

/// What comes out, and where it is written.
pub struct Output {
    ty: TokenStream,
    span: Span,
    /// `impl Trait` occurs in it, so it has no name within the body.
    opaque: bool,
    /// Where the library is, if the type is written.
    krate: Option<Path>,
}

impl Output {
    pub fn new(output: &ReturnType, krate: &Path) -> Self {
        let ReturnType::Type(_, ty) = output else {
            return Self {
                ty: quote!(()),
                span: Span::mixed_site(),
                opaque: false,
                krate: None,
            };
        };
        let mut ty = (**ty).clone();
        let span = ty.span().resolved_at(Span::mixed_site());
        let mut opaque = Opaque(false);
        opaque.visit_type_mut(&mut ty);
        let ty = match ty {
            // Stable Rust has `!` as the output of a function only.
            Type::Never(never) => {
                quote_spanned!(span=> <fn() -> #never as #krate::__private::FnOutput>::Output)
            }
            ty => ty.into_token_stream(),
        };
        Self {
            ty,
            span,
            opaque: opaque.0,
            krate: Some(krate.clone()),
        }
    }

    /// The type, for a signature.
    pub fn ty(&self) -> &TokenStream {
        &self.ty
    }

    /// The type, for an expression.
    pub fn inferable(&self) -> TokenStream {
        if self.opaque {
            quote!(_)
        } else {
            self.ty.clone()
        }
    }

    /// The type as the signature has it, that is in angle brackets. Of one that does not exist rustc has less to say
    /// elsewhere, and so would report it twice.
    fn in_brackets(&self) -> TokenStream {
        let Some(krate) = &self.krate else {
            return self.ty.clone();
        };
        let (ty, krate) = (&self.ty, shown_at(krate, self.span));
        quote_spanned!(self.span=> #krate::__private::Plain<#ty>)
    }

    /// A statement that makes this the type of the `async` block around, as `?` and `return` need it.
    pub fn fix(&self) -> Option<TokenStream> {
        if self.opaque {
            return None;
        }
        let (ty, span) = (self.in_brackets(), self.span);
        let output = Ident::new("output", Span::mixed_site());
        Some(quote_spanned! {span=>
            #[allow(
                unreachable_code,
                clippy::diverging_sub_expression,
                clippy::empty_loop,
                clippy::let_unit_value,
                clippy::needless_return,
                clippy::unreachable,
                clippy::unused_unit,
            )]
            if false {
                let #output: #ty = loop {};
                return #output;
            }
        })
    }
}

struct Opaque(bool);

impl VisitMut for Opaque {
    fn visit_type_impl_trait_mut(&mut self, of: &mut TypeImplTrait) {
        self.0 = true;
        visit_mut::visit_type_impl_trait_mut(self, of);
    }
}
