//! The message types of a receive, and the names that they have in the expansion.
//!
//! A type that is the path of a pattern gets an alias, `type __UproarM0 = Add;`, and the pattern is written with it,
//! `__UproarM0 { 0: n }`. So a name that does not exist is mentioned once, and reported once.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    FieldPat, Index, Member, Pat, PatRest, PatStruct, PatTupleStruct, Path, PathSegment, Token,
    Type, token,
};

use super::ast::Arm;
use super::pattern::{Accepts, Alternative};
use crate::cfg::{self, Condition};
use crate::path::{self, message_type, same_type};

/// The types, each once.
pub struct Types<'a>(Vec<Known<'a>>);

struct Known<'a> {
    ty: &'a Type,
    condition: Condition,
    has_alias: bool,
}

impl<'a> Types<'a> {
    pub fn of(arms: &'a [Arm]) -> Self {
        let mut types: Vec<Known<'a>> = Vec::new();
        for arm in arms {
            let Accepts::Messages(alternatives) = &arm.accepts else {
                continue;
            };
            for Alternative { ty, pat, .. } in alternatives {
                let known = types.iter().position(|known| same_type(known.ty, ty));
                let at = known.unwrap_or_else(|| {
                    types.push(Known {
                        ty,
                        condition: Condition::default(),
                        has_alias: false,
                    });
                    types.len() - 1
                });
                types[at].condition.or_all(&cfg::predicates(&arm.attrs));
                types[at].has_alias |= is_plain(ty) && renames(pat, ty);
            }
        }
        Self(types)
    }

    pub fn index(&self, ty: &Type) -> usize {
        self.0
            .iter()
            .position(|known| same_type(known.ty, ty))
            .expect("the types of all arms are here")
    }

    /// The aliases, as items.
    pub fn aliases(&self) -> TokenStream {
        let named = self
            .0
            .iter()
            .enumerate()
            .filter(|(_, known)| known.has_alias);
        named
            .map(|(index, Known { ty, condition, .. })| {
                let alias = path::alias(index, ty.span());
                quote_spanned!(ty.span().resolved_at(Span::mixed_site())=> #condition type #alias = #ty;)
            })
            .collect()
    }

    /// The type, shown at `span`.
    pub fn mention(&self, index: usize) -> TokenStream {
        let known = &self.0[index];
        match known.has_alias {
            true => path::alias(index, known.ty.span()).into_token_stream(),
            false => known.ty.to_token_stream(),
        }
    }

    /// An expression in which `message` is a null pointer to the type: a mention outside of angle brackets. In them
    /// rustc would suggest, for a type that does not exist, a generic parameter of the function, and so report it once
    /// more than the protocol does.
    pub fn with_pointer(&self, index: usize, expression: &TokenStream) -> TokenStream {
        let (ty, at) = (self.mention(index), self.0[index].ty.span());
        quote_spanned! {at.resolved_at(Span::mixed_site())=>
            {
                let message: *const #ty = ::core::ptr::null();
                #expression
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (usize, &Condition)> {
        self.0
            .iter()
            .enumerate()
            .map(|(index, known)| (index, &known.condition))
    }

    /// `pat`, a pattern of the type with this index, with the alias in the place of the type.
    pub fn renamed(&self, pat: &Pat, index: usize) -> Pat {
        let mut pat = pat.clone();
        let known = &self.0[index];
        if known.has_alias {
            rename(&mut pat, known.ty, index);
        }
        pat
    }
}

/// Whether an item can name the type: it has no arguments, which may be generic parameters of the function, and is
/// not relative to `Self`.
fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Path(of) if of.qself.is_none() => {
            let mut segments = of.path.segments.iter();
            of.path.segments[0].ident != "Self"
                && segments.all(|segment| segment.arguments.is_none())
        }
        _ => false,
    }
}

/// Whether the type is named by paths in `pat` that can be written with an alias.
fn renames(pat: &Pat, ty: &Type) -> bool {
    match pat {
        Pat::Paren(of) => renames(&of.pat, ty),
        Pat::Or(of) => of.cases.iter().any(|case| renames(case, ty)),
        Pat::Ident(of) => of.subpat.as_ref().is_some_and(|(_, sub)| renames(sub, ty)),
        Pat::TupleStruct(of) if of.qself.is_none() => {
            names(&of.path, ty) && (variant(&of.path, ty).is_some() || fields(of).is_some())
        }
        Pat::Struct(of) if of.qself.is_none() => names(&of.path, ty),
        Pat::Path(of) if of.qself.is_none() => {
            names(&of.path, ty) && variant(&of.path, ty).is_some()
        }
        _ => false,
    }
}

fn names(path: &Path, ty: &Type) -> bool {
    same_type(&message_type(None, path), ty)
}

/// The `Stop` of `Command::Stop`.
fn variant<'p>(path: &'p Path, ty: &Type) -> Option<&'p PathSegment> {
    match ty {
        Type::Path(of) if of.path.segments.len() < path.segments.len() => path.segments.last(),
        _ => None,
    }
}

fn rename(pat: &mut Pat, ty: &Type, index: usize) {
    match pat {
        Pat::Paren(of) => rename(&mut of.pat, ty, index),
        Pat::Or(of) => of.cases.iter_mut().for_each(|case| rename(case, ty, index)),
        Pat::Ident(of) => {
            if let Some((_, sub)) = &mut of.subpat {
                rename(sub, ty, index);
            }
        }
        pat if !renames(pat, ty) => {}
        Pat::Struct(of) => of.path = renamed(&of.path, ty, index),
        Pat::TupleStruct(of) if variant(&of.path, ty).is_some() => {
            of.path = renamed(&of.path, ty, index);
        }
        Pat::TupleStruct(of) => {
            if let Some((fields, rest)) = fields(of) {
                let path = renamed(&of.path, ty, index);
                let brace_token = token::Brace {
                    span: of.paren_token.span,
                };
                *pat = struct_pattern(path, brace_token, fields, rest);
            }
        }
        Pat::Path(of) => {
            let path = renamed(&of.path, ty, index);
            *pat = syn::parse_quote!(#path);
        }
        _ => {}
    }
}

fn struct_pattern(
    path: Path,
    brace_token: token::Brace,
    fields: Fields,
    rest: Option<PatRest>,
) -> Pat {
    Pat::Struct(PatStruct {
        attrs: Vec::new(),
        qself: None,
        path,
        brace_token,
        fields,
        rest,
    })
}

type Fields = Punctuated<FieldPat, Token![,]>;

/// `0: a, 1: b` of `(a, b)`; what follows a `..` has no number. Without any field rustc would call the struct by its
/// alias.
fn fields(of: &PatTupleStruct) -> Option<(Fields, Option<PatRest>)> {
    let mut fields = Fields::new();
    if of.elems.is_empty() {
        return None;
    }
    for (index, pat) in of.elems.iter().enumerate() {
        if let Pat::Rest(rest) = pat {
            let is_last = index + 1 == of.elems.len();
            return is_last.then(|| (fields, Some(rest.clone())));
        }
        let span = pat.span();
        fields.push(FieldPat {
            attrs: Vec::new(),
            member: Member::Unnamed(Index {
                index: u32::try_from(index).ok()?,
                span,
            }),
            colon_token: Some(Token![:](span)),
            pat: Box::new(pat.clone()),
        });
        // A struct pattern needs the comma before its `..`.
        fields.push_punct(Token![,](span));
    }
    Some((fields, None))
}

fn renamed(path: &Path, ty: &Type, index: usize) -> Path {
    let alias = path::alias(index, message_type(None, path).span());
    match variant(path, ty) {
        Some(variant) => syn::parse_quote!(#alias::#variant),
        None => alias.into(),
    }
}
