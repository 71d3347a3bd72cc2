//! The message types of a receive, and the names that they have in the expansion.
//!
//! A type that is the path of a pattern gets an alias, `type __UproarM0 = Add;`, and the pattern is written with it,
//! `__UproarM0 { 0: n }`. So a name that does not exist is mentioned once, and reported once.
//!
//! Not all can be written so. The number of a field after a `..` is not known, a pattern without fields would be told
//! to be wrong about the alias, and an item can't use the parameters of the function around. There the alias is an
//! import, `use m::Pair as __UproarM0;`, and the pattern keeps its form, `__UproarM0::<T>(.., b)`. For what does not
//! exist rustc then has fewer words, so an import is the second choice. The protocol does the same, for the sake of the
//! same words.

use proc_macro2::extra::DelimSpan;
use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    FieldPat, Index, Member, Pat, PatRest, PatStruct, PatTupleStruct, Path, PathSegment, Token,
    Type, token,
};

use super::ast::Arm;
use super::pattern::{Accepts, Alternative};
use crate::body::Bare;
use crate::cfg::{self, Condition};
use crate::path::{self, message_type, same_type};

/// The types, each once.
pub struct Types<'a> {
    all: Vec<Known<'a>>,
    bare: Bare,
}

struct Known<'a> {
    ty: &'a Type,
    condition: Condition,
    alias: Option<Alias>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Alias {
    Type,
    Import,
}

impl<'a> Types<'a> {
    pub fn of(arms: &'a [Arm], bare: Bare) -> Self {
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
                        alias: None,
                    });
                    types.len() - 1
                });
                types[at].condition.or_all(&cfg::predicates(&arm.attrs));
                if imports(pat, ty, bare) {
                    types[at].alias = Some(Alias::Import);
                } else if is_plain(ty, bare) && renames(pat, ty) {
                    types[at].alias.get_or_insert(Alias::Type);
                }
            }
        }
        Self { all: types, bare }
    }

    pub fn index(&self, ty: &Type) -> usize {
        self.all
            .iter()
            .position(|known| same_type(known.ty, ty))
            .expect("the types of all arms are here")
    }

    /// The aliases, as items.
    pub fn aliases(&self) -> TokenStream {
        let named = self
            .all
            .iter()
            .enumerate()
            .filter_map(|(index, known)| Some((index, known, known.alias?)));
        named
            .map(|(index, Known { ty, condition, .. }, alias)| {
                let at = ty.span().resolved_at(Span::mixed_site());
                match alias {
                    Alias::Import => {
                        let import = path::import(ty, index);
                        quote!(#condition #import)
                    }
                    // Where rustc suggests a parameter, it is one of the function.
                    Alias::Type => {
                        let suggested_at = self.bare.filter(|_| path::in_brackets(ty));
                        let alias = path::alias(index, suggested_at.unwrap_or_else(|| ty.span()));
                        quote_spanned!(at=> #condition type #alias = #ty;)
                    }
                }
            })
            .collect()
    }

    /// The type, shown at `span`.
    pub fn mention(&self, index: usize) -> TokenStream {
        let known = &self.all[index];
        let alias = path::alias(index, known.ty.span());
        match known.alias {
            Some(Alias::Type) => alias.into_token_stream(),
            Some(Alias::Import) => path::under_alias(known.ty, alias).into_token_stream(),
            None => known.ty.to_token_stream(),
        }
    }

    /// Where errors about the type show.
    pub fn place(&self, index: usize) -> Span {
        self.all[index].ty.span().resolved_at(Span::mixed_site())
    }

    /// An expression in which `message` is a null pointer to the type: a mention outside of angle brackets. In them
    /// rustc would suggest, for a type that does not exist, a generic parameter of the function, and so report it once
    /// more than the protocol does.
    pub fn with_pointer(&self, index: usize, expression: &TokenStream) -> TokenStream {
        let ty = self.mention(index);
        quote_spanned! {self.place(index)=>
            {
                let message: *const #ty = ::core::ptr::null();
                #expression
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (usize, &Condition)> {
        self.all
            .iter()
            .enumerate()
            .map(|(index, known)| (index, &known.condition))
    }

    /// `pat`, a pattern of the type with this index, with the alias in the place of the type.
    pub fn renamed(&self, pat: &Pat, index: usize) -> Pat {
        let mut pat = pat.clone();
        let known = &self.all[index];
        if let Some(alias) = known.alias {
            rename(&mut pat, known.ty, index, alias);
        }
        pat
    }
}

/// Whether an item can name the type: it has no arguments, or there are no parameters of the function that these may
/// be; and it is not relative to `Self`.
fn is_plain(ty: &Type, bare: Bare) -> bool {
    match ty {
        Type::Path(of) if of.qself.is_none() => {
            let mut segments = of.path.segments.iter();
            of.path.segments[0].ident != "Self"
                && (bare.is_some() || segments.all(|segment| segment.arguments.is_none()))
        }
        _ => false,
    }
}

/// Whether the type is named by paths in `pat` that can be written with an alias.
fn renames(pat: &Pat, ty: &Type) -> bool {
    occurs(pat, &|pat| match pat {
        // rustc has one error for this, and four for what a struct by another name would be.
        Pat::TupleStruct(of) if has_named_fields(&of.path) => false,
        Pat::TupleStruct(of) => {
            names(&of.path, ty) && (variant(&of.path, ty).is_some() || fields(of).is_some())
        }
        Pat::Struct(of) => names(&of.path, ty),
        Pat::Path(of) => names(&of.path, ty),
        _ => false,
    })
}

/// Whether the type is named by paths in `pat` that can only be written with an import.
pub fn imports(pat: &Pat, ty: &Type, bare: Bare) -> bool {
    path::importable(ty).is_some()
        && occurs(pat, &|pat| match pat {
            Pat::TupleStruct(of) if variant(&of.path, ty).is_none() && fields(of).is_none() => {
                names(&of.path, ty)
            }
            Pat::TupleStruct(of) => names(&of.path, ty) && !is_plain(ty, bare),
            Pat::Struct(of) => names(&of.path, ty) && !is_plain(ty, bare),
            Pat::Path(of) => names(&of.path, ty) && !is_plain(ty, bare),
            _ => false,
        })
}

/// Whether one of the paths that may name the message's type does `fit`.
fn occurs(pat: &Pat, fit: &impl Fn(&Pat) -> bool) -> bool {
    match pat {
        Pat::Paren(of) => occurs(&of.pat, fit),
        Pat::Or(of) => of.cases.iter().any(|case| occurs(case, fit)),
        Pat::Ident(of) => of.subpat.as_ref().is_some_and(|(_, sub)| occurs(sub, fit)),
        Pat::TupleStruct(of) => of.qself.is_none() && fit(pat),
        Pat::Struct(of) => of.qself.is_none() && fit(pat),
        Pat::Path(of) => of.qself.is_none() && fit(pat),
        _ => false,
    }
}

/// Whether the path is that of a struct which everyone knows, and which is no tuple.
fn has_named_fields(path: &Path) -> bool {
    let last = path.segments.last().map(|last| &last.ident);
    last.is_some_and(|last| last == "Down" || last == "Exit" || last == "String")
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

fn rename(pat: &mut Pat, ty: &Type, index: usize, alias: Alias) {
    match pat {
        Pat::Paren(of) => rename(&mut of.pat, ty, index, alias),
        Pat::Or(of) => of
            .cases
            .iter_mut()
            .for_each(|case| rename(case, ty, index, alias)),
        Pat::Ident(of) => {
            if let Some((_, sub)) = &mut of.subpat {
                rename(sub, ty, index, alias);
            }
        }
        Pat::Struct(of) if of.qself.is_none() && names(&of.path, ty) => {
            of.path = renamed(&of.path, ty, index, alias);
        }
        Pat::TupleStruct(of) if has_named_fields(&of.path) => {}
        Pat::TupleStruct(of) if of.qself.is_none() && names(&of.path, ty) => {
            let path = renamed(&of.path, ty, index, alias);
            if alias == Alias::Import || variant(&of.path, ty).is_some() {
                of.path = path;
            } else if let Some((fields, rest)) = fields(of) {
                *pat = struct_pattern(path, of.paren_token.span, fields, rest);
            }
        }
        Pat::Path(of) if of.qself.is_none() && names(&of.path, ty) => {
            let path = renamed(&of.path, ty, index, alias);
            *pat = if alias == Alias::Import || variant(&of.path, ty).is_some() {
                syn::parse_quote!(#path)
            } else {
                // A unit struct, by another name of its type.
                let mut braces = Group::new(Delimiter::Brace, TokenStream::new());
                braces.set_span(of.path.span());
                struct_pattern(path, braces.delim_span(), Fields::new(), None)
            };
        }
        _ => {}
    }
}

fn struct_pattern(path: Path, span: DelimSpan, fields: Fields, rest: Option<PatRest>) -> Pat {
    let brace_token = token::Brace { span };
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

fn renamed(path: &Path, ty: &Type, index: usize, alias: Alias) -> Path {
    let name = path::alias(index, message_type(None, path).span());
    let mut new = match alias {
        Alias::Type => name.into(),
        Alias::Import => path::under_alias(ty, name),
    };
    if let Some(variant) = variant(path, ty) {
        new.segments.push(variant.clone());
    }
    new
}
