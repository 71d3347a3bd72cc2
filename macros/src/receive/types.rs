//! The message types of a receive, and the names that they have in the expansion.
//!
//! A type that is the path of a pattern gets an alias, `type __UproarM0 = Add;`, and the pattern is written with it,
//! `__UproarM0 { 0: n }`. So a name that does not exist is mentioned once, and reported once.
//!
//! Not all can be written so. The number of a field after a `..` is not known, a pattern without fields would be told
//! to be wrong about the alias, and an item can't use the parameters of the function around. There the alias is an
//! import, `use m::Pair as __UproarM0;`, and the pattern keeps its form, `__UproarM0::<T>(.., b)`. For what does not
//! exist rustc then has fewer words, so an import is the second choice. The protocol does the same, for the sake of the
//! same words. So a type that has the name of a parameter, `T`, but is none, has an alias even where no pattern needs it:
//! rustc would see that one is missing in the function, and not where the protocol is.

use proc_macro2::extra::DelimSpan;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    FieldPat, Index, Member, Pat, PatRest, PatStruct, PatTupleStruct, Path, PathSegment, Token,
    Type, token,
};

use super::ast::Arm;
use super::form;
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
    /// What the user calls it, where the patterns of the scan can have that name for it.
    shown: Option<Ident>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Alias {
    Type,
    Import,
}

impl<'a> Types<'a> {
    /// Beside the arms' patterns and guards, `others` are what the user has written for the scan.
    pub fn of(arms: &'a [Arm], others: &TokenStream, bare: Bare) -> Self {
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
                        shown: None,
                    });
                    types.len() - 1
                });
                types[at].condition.or_all(&cfg::predicates(&arm.attrs));
                if imports(pat, ty, bare) {
                    types[at].alias = Some(Alias::Import);
                } else if is_plain(ty, bare) && renames(pat, ty)
                    || bare.is_some() && path::may_be_parameter(ty)
                {
                    types[at].alias.get_or_insert(Alias::Type);
                }
            }
        }
        let mut all = Self { all: types, bare };
        for index in 0..all.all.len() {
            all.all[index].shown = all.name_to_show(index, arms, others);
        }
        all
    }

    /// The last word of a type, if nothing in the scan has that word but the patterns of this type.
    fn name_to_show(&self, index: usize, arms: &[Arm], others: &TokenStream) -> Option<Ident> {
        let Known { ty, alias, .. } = &self.all[index];
        let name = last_word(ty).filter(|_| alias.is_some())?;
        let mut uses = 0;
        let mut mentions = count(others.clone(), name);
        for arm in arms {
            let guard = arm.guard.as_ref().map(|guard| &guard.condition);
            mentions += count(arm.written.to_token_stream(), name);
            mentions += count(guard.to_token_stream(), name);
            let Accepts::Messages(alternatives) = &arm.accepts else {
                continue;
            };
            for Alternative { pat, .. } in alternatives {
                occurs(pat, &mut |pat| {
                    let path = match pat {
                        Pat::TupleStruct(of) => &of.path,
                        Pat::Struct(of) => &of.path,
                        Pat::Path(of) => &of.path,
                        _ => return false,
                    };
                    uses += usize::from(names(path, ty));
                    false
                });
            }
        }
        (uses == mentions).then(|| name.clone())
    }

    /// These names, as items.
    pub fn shown(&self) -> TokenStream {
        let shown = self.all.iter().enumerate().filter_map(|(index, known)| {
            let (name, condition) = (known.shown.as_ref()?, &known.condition);
            let alias = path::alias(index, known.ty.span());
            Some(match known.alias? {
                Alias::Type => quote_spanned! {Span::mixed_site()=>
                    #condition
                    #[allow(dead_code, non_camel_case_types, clippy::allow_attributes)]
                    type #name = #alias;
                },
                Alias::Import => quote_spanned! {Span::mixed_site()=>
                    #condition
                    #[allow(unused_imports, non_camel_case_types, clippy::allow_attributes)]
                    use #alias as #name;
                },
            })
        });
        shown.collect()
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

    /// The patterns in `pat` that get a `..` when they are renamed, without it.
    pub fn completed(&self, pat: &Pat, index: usize, found: &mut Vec<PatStruct>) {
        let Known { ty, alias, .. } = &self.all[index];
        if *alias != Some(Alias::Type) {
            return;
        }
        occurs(pat, &mut |pat| {
            match pat {
                Pat::Struct(of)
                    if is_completed(of)
                        && names(&of.path, ty)
                        && variant(&of.path, ty).is_none() =>
                {
                    found.push(of.clone());
                }
                Pat::TupleStruct(of)
                    if names(&of.path, ty)
                        && variant(&of.path, ty).is_none()
                        && !has_named_fields(&of.path) =>
                {
                    if let Some((fields, None)) = fields(of) {
                        let span = of.paren_token.span;
                        found.push(struct_pattern(of.path.clone(), span, fields, None));
                    }
                }
                _ => {}
            }
            false
        });
    }

    /// `pat`, a pattern of the type with this index, with the alias in the place of the type.
    pub fn renamed(&self, pat: &Pat, index: usize) -> Pat {
        let mut pat = pat.clone();
        let known = &self.all[index];
        if let Some(alias) = known.alias {
            rename(&mut pat, known, index, alias);
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
    occurs(pat, &mut |pat| match pat {
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
        && occurs(pat, &mut |pat| match pat {
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
fn occurs(pat: &Pat, fit: &mut impl FnMut(&Pat) -> bool) -> bool {
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

/// The last word of a type's path.
fn last_word(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(of) => of.path.segments.last().map(|last| &last.ident),
        _ => None,
    }
}

/// How often `name` occurs in `tokens`.
fn count(tokens: TokenStream, name: &Ident) -> usize {
    let of = |token| match token {
        TokenTree::Ident(ident) => usize::from(ident == *name),
        TokenTree::Group(group) => count(group.stream(), name),
        _ => 0,
    };
    tokens.into_iter().map(of).sum()
}

/// Whether the path is that of a struct which everyone knows, and which is no tuple.
fn has_named_fields(path: &Path) -> bool {
    let last = path.segments.last().map(|last| &last.ident);
    is_open(path) || last.is_some_and(|last| last == "String")
}

/// Whether the path is that of a struct of ours that may get more fields.
pub fn is_open(path: &Path) -> bool {
    let last = path.segments.last().map(|last| &last.ident);
    last.is_some_and(|last| last == "Down" || last == "Exit")
}

fn is_completed(of: &PatStruct) -> bool {
    of.rest.is_none() && is_open(&of.path)
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

fn rename(pat: &mut Pat, known: &Known<'_>, index: usize, alias: Alias) {
    let ty = known.ty;
    match pat {
        Pat::Paren(of) => rename(&mut of.pat, known, index, alias),
        Pat::Or(of) => of
            .cases
            .iter_mut()
            .for_each(|case| rename(case, known, index, alias)),
        Pat::Ident(of) => {
            if let Some((_, sub)) = &mut of.subpat {
                rename(sub, known, index, alias);
            }
        }
        Pat::Struct(of) if of.qself.is_none() && names(&of.path, ty) => {
            if alias == Alias::Type && variant(&of.path, ty).is_none() && is_completed(of) {
                of.rest = Some(form::rest());
            }
            of.path = renamed(&of.path, known, index, alias);
        }
        Pat::TupleStruct(of) if has_named_fields(&of.path) => {}
        Pat::TupleStruct(of) if of.qself.is_none() && names(&of.path, ty) => {
            let path = renamed(&of.path, known, index, alias);
            if alias == Alias::Import || variant(&of.path, ty).is_some() {
                of.path = path;
            } else if let Some((fields, rest)) = fields(of) {
                let rest = rest.unwrap_or_else(form::rest);
                let pattern = struct_pattern(path, of.paren_token.span, fields, Some(rest));
                *pat = Pat::Struct(pattern);
            }
        }
        Pat::Path(of) if of.qself.is_none() && names(&of.path, ty) => {
            let path = renamed(&of.path, known, index, alias);
            *pat = if alias == Alias::Import || variant(&of.path, ty).is_some() {
                syn::parse_quote!(#path)
            } else {
                // A unit struct, by another name of its type.
                let mut braces = Group::new(Delimiter::Brace, TokenStream::new());
                braces.set_span(of.path.span());
                Pat::Struct(struct_pattern(
                    path,
                    braces.delim_span(),
                    Fields::new(),
                    None,
                ))
            };
        }
        _ => {}
    }
}

fn struct_pattern(path: Path, span: DelimSpan, fields: Fields, rest: Option<PatRest>) -> PatStruct {
    PatStruct {
        attrs: Vec::new(),
        qself: None,
        path,
        brace_token: token::Brace { span },
        fields,
        rest,
    }
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

fn renamed(path: &Path, known: &Known<'_>, index: usize, alias: Alias) -> Path {
    let (ty, span) = (known.ty, message_type(None, path).span());
    let name = path::alias(index, span);
    let name = known.shown.as_ref().map_or(name, |shown| {
        let mut shown = shown.clone();
        shown.set_span(span);
        shown
    });
    let mut new = match alias {
        Alias::Type => name.into(),
        Alias::Import => path::under_alias(ty, name),
    };
    if let Some(variant) = variant(path, ty) {
        new.segments.push(variant.clone());
    }
    new
}
