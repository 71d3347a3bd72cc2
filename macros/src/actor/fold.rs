//! The protocol and the function as one item.
//!
//! ```text
//! #[uproar::__private::unfold]
//! struct Counter([(); { struct Counter { .. } .. fn counter(..) .. }]);
//! ```
//!
//! A macro is not told where its item stands, and a `struct` can't stand in an `impl` block or a trait. There the
//! compiler drops this one, all that is in it included, before its attribute is expanded: it reports one error instead
//! of one for each item and for each mention of what is not there; and one for each use of the function, which is not
//! there either. A function that stays could not name its protocol. Anywhere else the attribute gives the items their
//! place. They are not the attribute's arguments, for editors look into items only.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::{Ident, Path};

use super::ast::{Actor, Protocol};
use crate::path::place;

/// The items of an actor that gets a protocol as one `struct`, called like that.
pub fn fold(actor: &Actor, items: &TokenStream) -> TokenStream {
    match &actor.protocol {
        Protocol::New(name) if !actor.is_method() => {
            folded(name, &actor.item.sig.ident, &actor.krate, items)
        }
        _ => items.clone(),
    }
}

fn folded(name: &Ident, function: &Ident, krate: &Path, items: &TokenStream) -> TokenStream {
    quote_spanned! {place(function)=>
        #[#krate::__private::unfold]
        struct #name([(); { #items }]);
    }
}

/// The items in such a `struct`.
pub fn unfold(folded: TokenStream) -> TokenStream {
    let within = |tokens: TokenStream, delimiter| {
        let last = |group: &TokenTree| matches!(group, TokenTree::Group(of) if of.delimiter() == delimiter);
        match tokens.into_iter().filter(last).last() {
            Some(TokenTree::Group(group)) => group.stream(),
            _ => TokenStream::new(),
        }
    };
    let array = within(folded, Delimiter::Parenthesis);
    let length = within(array, Delimiter::Bracket);
    within(length, Delimiter::Brace)
}

/// The code with all folded items in their places, as the compiler sees it in the end.
#[cfg(test)]
pub fn all_unfolded(code: TokenStream) -> TokenStream {
    use quote::ToTokens;

    // What is not code has not been accepted, and stays as it is.
    let Ok(file) = syn::parse2::<syn::File>(code.clone()) else {
        return code;
    };
    let items = file.items.into_iter().map(|item| match item {
        syn::Item::Struct(of) if of.attrs.iter().any(is_unfold) => unfold(of.into_token_stream()),
        other => other.into_token_stream(),
    });
    items.collect()
}

#[cfg(test)]
fn is_unfold(attr: &syn::Attribute) -> bool {
    let last = attr.path().segments.last();
    last.is_some_and(|last| last.ident == "unfold")
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::{format_ident, quote};
    use syn::parse_quote;

    #[test]
    fn what_is_folded_comes_out() {
        let items = quote!(
            struct Counter;
            fn counter(_: [(); { 1 }]) {
                {}
            }
        );
        let (name, function) = (format_ident!("Counter"), format_ident!("counter"));
        let folded = folded(&name, &function, &parse_quote!(::uproar), &items);
        assert!(syn::parse2::<syn::ItemStruct>(folded.clone()).is_ok());
        assert_eq!(unfold(folded).to_string(), items.to_string());
    }

    #[test]
    fn nothing_is_in_anything_else() {
        assert!(
            unfold(quote!(
                struct Other {
                    a: [(); { 1 }],
                }
            ))
            .is_empty()
        );
    }
}
