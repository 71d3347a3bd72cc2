//! Names: the protocol's from the function's, the message's from its pattern's path.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{GenericArgument, Generics, Ident, Path, PathArguments, QSelf, Type, TypePath};

const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32",
    "u64", "u128", "usize",
];

pub fn is_primitive(name: &Ident) -> bool {
    PRIMITIVES.iter().any(|primitive| name == primitive)
}

/// Whether the type may well be one of the standard library's, which has no methods and traits of ours.
pub fn may_be_std(ty: &Type) -> bool {
    const KNOWN: &[&str] = &[
        "Arc", "BTreeMap", "BTreeSet", "Box", "Cell", "HashMap", "HashSet", "Mutex", "Option",
        "Rc", "RefCell", "Result", "RwLock", "String", "Vec", "VecDeque",
    ];
    let Type::Path(of) = ty else { return false };
    let (first, last) = (of.path.segments.first(), of.path.segments.last());
    first.is_some_and(|first| first.ident == "std" || first.ident == "core")
        || last.is_some_and(|last| KNOWN.iter().any(|known| last.ident == known))
}

/// Whether there is a `_` in the type.
pub fn has_placeholder(ty: &Type) -> bool {
    fn any(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => ident == "_",
            TokenTree::Group(group) => any(group.stream()),
            _ => false,
        })
    }
    any(ty.to_token_stream())
}

/// The function's name in UpperCamelCase: `word_count` gives `WordCount`. `None` if that is no name.
pub fn upper_camel_case(name: &Ident) -> Option<Ident> {
    let mut camel = String::new();
    for word in name.unraw().to_string().split('_') {
        let mut letters = word.chars();
        if let Some(first) = letters.next() {
            camel.extend(first.to_uppercase());
            camel.push_str(letters.as_str());
        }
    }
    let mut ident = syn::parse_str::<Ident>(&camel).ok()?;
    ident.set_span(name.span());
    Some(ident)
}

/// A name of the user's as the place of what is generated for it: errors show there.
pub fn place(name: &Ident) -> Span {
    name.span().resolved_at(Span::mixed_site())
}

/// The name of a message type in the expansion, at a place of the user's. It is one that nobody else has, for an item
/// can't be hygienic.
pub fn alias(index: usize, span: Span) -> Ident {
    Ident::new(&format!("__UproarM{index}"), span)
}

/// Whether a name in the type stands in angle brackets. Of such a one that does not exist rustc says that it may be a
/// missing parameter of the item around.
pub fn in_brackets(ty: &Type) -> bool {
    fn any(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Punct(punct) => punct.as_char() == '<',
            TokenTree::Group(group) => any(group.stream()),
            _ => false,
        })
    }
    any(ty.to_token_stream())
}

/// Whether there is a name like `T` in the type, which rustc takes for that of a missing parameter.
pub fn may_be_parameter(ty: &Type) -> bool {
    fn any(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => is_letter(&ident),
            TokenTree::Group(group) => any(group.stream()),
            _ => false,
        })
    }
    any(ty.to_token_stream())
}

/// Whether the name is one upper-case letter.
pub fn is_letter(name: &Ident) -> bool {
    name.to_string().chars().count() == 1 && is_upper(name)
}

/// `use m::Pair as Alias;` for `m::Pair<u8>`. rustc shows what it can't import from the path's first to the alias.
pub fn import(ty: &Type, index: usize) -> Option<TokenStream> {
    let path = importable(ty)?;
    let alias = alias(index, path.segments.last()?.ident.span());
    Some(quote_spanned!(ty.span().resolved_at(Span::mixed_site())=> use #path as #alias;))
}

/// `m::Pair` of `m::Pair<u8>`, if that is something to import.
pub fn importable(ty: &Type) -> Option<Path> {
    let Type::Path(of) = ty else { return None };
    if of.qself.is_some() || of.path.segments[0].ident == "Self" {
        return None;
    }
    let path = without_arguments(&of.path);
    let plain = path
        .segments
        .iter()
        .all(|segment| segment.arguments.is_none());
    plain.then_some(path)
}

/// `Alias<u8>` of `m::Pair<u8>`.
pub fn under_alias(ty: &Type, alias: Ident) -> Path {
    let mut path = Path::from(alias);
    if let Type::Path(of) = ty
        && let (Some(new), Some(old)) = (path.segments.last_mut(), of.path.segments.last())
    {
        new.arguments = old.arguments.clone();
    }
    path
}

/// The parameters of an `impl` whose types the user has written in another item. If that has none, those that rustc
/// suggests would stand at `place`.
pub fn params(generics: &Generics, place: Span) -> TokenStream {
    if generics.params.is_empty() {
        return quote_spanned!(place=> <>);
    }
    generics.split_for_impl().0.into_token_stream()
}

/// Whether two types are written alike.
pub fn same_type(one: &Type, other: &Type) -> bool {
    one.to_token_stream().to_string() == other.to_token_stream().to_string()
}

/// The type as its author would write it.
pub fn written(ty: &Type) -> String {
    written_tokens(&ty.to_token_stream())
}

/// The same for bounds.
pub fn written_tokens(tokens: &TokenStream) -> String {
    let mut text = String::new();
    write_tokens(tokens.clone(), &mut text);
    text
}

fn write_tokens(tokens: TokenStream, text: &mut String) {
    for token in tokens {
        let is_word =
            |token: &TokenTree| matches!(token, TokenTree::Ident(_) | TokenTree::Literal(_));
        let after_word = text.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        match &token {
            word if is_word(word) => {
                if after_word {
                    text.push(' ');
                }
                text.push_str(&word.to_string());
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                text.push_str(open);
                write_tokens(group.stream(), text);
                text.push_str(close);
            }
            TokenTree::Punct(punct) => match punct.as_char() {
                ',' | ';' => text.extend([punct.as_char(), ' ']),
                '+' | '=' => text.extend([' ', punct.as_char(), ' ']),
                '-' => text.push_str(" -"),
                '>' if text.ends_with(" -") => text.push_str("> "),
                '\'' if after_word => text.push_str(" '"),
                other => text.push(other),
            },
            _ => {}
        }
    }
}

/// The path, as it is found where it was written; errors show at `span`.
pub fn shown_at(path: &Path, span: Span) -> TokenStream {
    let tokens = path.to_token_stream().into_iter();
    tokens
        .map(|mut token| {
            token.set_span(span.resolved_at(token.span()));
            token
        })
        .collect()
}

/// Whether `ident` is written like a type, a variant or a constant, not like a variable or a module.
pub fn is_upper(ident: &Ident) -> bool {
    ident
        .unraw()
        .to_string()
        .trim_start_matches('_')
        .starts_with(char::is_uppercase)
}

/// The type of the messages that a pattern with this path matches.
pub fn message_type(qself: Option<&QSelf>, path: &Path) -> Type {
    let named_from = qself.map_or(0, |qself| qself.position);
    let named = path.segments.iter().skip(named_from).count();
    let mut path = path.clone();
    if named == 1
        && let Some(qself) = qself
        && named_from == 0
    {
        // `<T>::Stop`, a variant of `T`.
        return (*qself.ty).clone();
    }
    if named > 1 {
        let owner = &path.segments[path.segments.len() - 2].ident;
        if is_upper(owner) || is_primitive(owner) {
            path.segments.pop();
            path.segments.pop_punct();
        }
    }
    Type::Path(TypePath {
        attrs: Vec::new(),
        qself: qself.cloned(),
        path,
    })
}

/// What a pattern's or a type's path says about `Typed`.
pub enum Typed {
    /// It is not `Typed`.
    No,
    /// It is `Typed` without a type.
    Bare,
    /// It is `Typed<T>`.
    Of(Box<Type>),
}

/// Reads `Typed::<T>`, whatever module it is named through.
pub fn typed(path: &Path) -> Typed {
    let Some(last) = path.segments.last() else {
        return Typed::No;
    };
    if last.ident != "Typed" {
        return Typed::No;
    }
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) if arguments.args.len() == 1 => {
            match &arguments.args[0] {
                GenericArgument::Type(ty) => Typed::Of(Box::new(ty.clone())),
                _ => Typed::Bare,
            }
        }
        _ => Typed::Bare,
    }
}

/// `T` of `Typed<T>`.
pub fn argument(ty: &mut Type) -> Option<&mut Type> {
    let Type::Path(of) = ty else { return None };
    match &mut of.path.segments.last_mut()?.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first_mut()? {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        },
        _ => None,
    }
}

/// `Typed` of `Typed<T>`.
pub fn without_arguments(path: &Path) -> Path {
    let mut path = path.clone();
    if let Some(last) = path.segments.last_mut() {
        last.arguments = PathArguments::None;
    }
    path
}

/// Whether `path` is `Timeout`, alone or named through the library.
pub fn is_timeout(path: &Path, krate: &Path) -> bool {
    let is = |segments: &[&Ident], name: &str| segments.len() == 1 && segments[0] == name;
    let names: Vec<_> = path.segments.iter().map(|segment| &segment.ident).collect();
    if path
        .segments
        .last()
        .is_none_or(|last| !last.arguments.is_none())
    {
        return false;
    }
    if path.leading_colon.is_none() && is(&names, "Timeout") {
        return true;
    }
    let library: Vec<_> = krate
        .segments
        .iter()
        .map(|segment| &segment.ident)
        .collect();
    match names.strip_prefix(library.as_slice()) {
        Some([prelude, rest @ ..]) if *prelude == "prelude" => is(rest, "Timeout"),
        Some(rest) => is(rest, "Timeout"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::format_ident;
    use syn::parse_quote;

    fn camel(name: &str) -> Option<String> {
        upper_camel_case(&syn::parse_str(name).unwrap()).map(|ident| ident.to_string())
    }

    #[test]
    fn protocols_are_named_after_functions() {
        assert_eq!(camel("counter").as_deref(), Some("Counter"));
        assert_eq!(camel("word_count").as_deref(), Some("WordCount"));
        assert_eq!(camel("r#move").as_deref(), Some("Move"));
        assert_eq!(camel("_private_2d").as_deref(), Some("Private2d"));
        assert_eq!(camel("self_"), None);
        assert_eq!(camel("__"), None);
        assert_eq!(camel("_2d"), None);
    }

    #[test]
    fn upper_case_is_not_a_variable() {
        assert!(is_upper(&format_ident!("Stop")));
        assert!(is_upper(&format_ident!("_MAX")));
        assert!(!is_upper(&format_ident!("other")));
        assert!(!is_upper(&format_ident!("_")) && !is_upper(&format_ident!("r#type")));
    }

    #[test]
    fn the_message_type_is_the_path_or_its_owner() {
        let ty = |path: syn::ExprPath| {
            message_type(path.qself.as_ref(), &path.path)
                .to_token_stream()
                .to_string()
        };
        assert_eq!(ty(parse_quote!(Add)), "Add");
        assert_eq!(ty(parse_quote!(m::Add)), "m :: Add");
        assert_eq!(ty(parse_quote!(Command::Stop)), "Command");
        assert_eq!(
            ty(parse_quote!(m::Command::<T>::Stop)),
            "m :: Command :: < T >"
        );
        assert_eq!(ty(parse_quote!(u64::MAX)), "u64");
        assert_eq!(ty(parse_quote!(<Command>::Stop)), "Command");
        assert_eq!(
            ty(parse_quote!(<T as Trait>::Message)),
            "< T as Trait > :: Message"
        );
        assert_eq!(
            ty(parse_quote!(<T as Trait>::Message::Stop)),
            "< T as Trait > :: Message"
        );
    }

    #[test]
    fn types_are_shown_as_they_are_written() {
        for text in [
            "Vec<u8>",
            "m::Reply<&'static str, [u8; 4]>",
            "&'static mut dyn Fn(u8) -> (u8, String)",
            "Box<dyn Any + Send>",
            "Foo<{ N }>",
            "<T as Trait>::Message",
            "Get",
        ] {
            assert_eq!(written(&syn::parse_str(text).unwrap()), text);
        }
    }

    #[test]
    fn timeout_is_the_librarys() {
        let krate = parse_quote!(::uproar);
        assert!(is_timeout(&parse_quote!(Timeout), &krate));
        assert!(is_timeout(&parse_quote!(uproar::Timeout), &krate));
        assert!(is_timeout(
            &parse_quote!(::uproar::prelude::Timeout),
            &krate
        ));
        assert!(!is_timeout(&parse_quote!(mine::Timeout), &krate));
        assert!(!is_timeout(&parse_quote!(Timeout<T>), &krate));
    }
}
