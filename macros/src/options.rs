//! The options in an attribute's parentheses: `flag`, `key = value`, `key(list)`, separated by commas.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Ident, LitStr, Path, Result, Token};

/// Calls `option` with each option's name; it parses what follows the name.
pub fn each(
    input: ParseStream,
    mut option: impl FnMut(&Ident, ParseStream) -> Result<()>,
) -> Result<()> {
    let mut seen = Vec::new();
    while !input.is_empty() {
        let name = input.call(Ident::parse_any)?;
        if seen.contains(&name) {
            return Err(Error::new(name.span(), format!("`{name}` is given twice")));
        }
        option(&name, input)?;
        seen.push(name);
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(())
}

/// The type or name in `name = Value`.
pub fn name<T: Parse>(name: &Ident, input: ParseStream) -> Result<T> {
    equals(name, input)?;
    unquoted(input)
}

/// A type or a name, which is not a string.
pub fn unquoted<T: Parse>(input: ParseStream) -> Result<T> {
    if input.peek(LitStr) {
        return Err(input.error("write this without quotes"));
    }
    input.parse()
}

/// Refuses `name = ..` and `name(..)`.
pub fn flag(name: &Ident, input: ParseStream) -> Result<()> {
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(());
    }
    Err(Error::new(
        name.span(),
        format!("`{name}` takes no value: write `{name}` alone"),
    ))
}

/// The value in `name = value`.
pub fn value<T: Parse>(name: &Ident, input: ParseStream) -> Result<T> {
    equals(name, input)?;
    input.parse()
}

/// The path in `crate = path`.
pub fn crate_path(name: &Ident, input: ParseStream) -> Result<Path> {
    equals(name, input)?;
    input.call(Path::parse_mod_style)
}

fn equals(name: &Ident, input: ParseStream) -> Result<()> {
    if !input.peek(Token![=]) {
        return Err(Error::new(name.span(), format!("write `{name} = ..`")));
    }
    input.parse::<Token![=]>()?;
    Ok(())
}

/// The error for an option that does not exist.
pub fn unknown(name: &Ident, takes: &str) -> Error {
    Error::new(name.span(), format!("no option `{name}` here: {takes}"))
}

/// Where the library is, unless `crate = path` says otherwise. The span is where errors about it show.
pub fn default_crate(span: Span) -> Path {
    syn::parse_quote_spanned!(span=> ::uproar)
}
