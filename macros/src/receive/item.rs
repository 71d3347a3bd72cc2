//! `#[receive]` on an enum: a receivable that is one of several message types. On a struct: a message type that is
//! receivable itself.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Fields, Generics, Ident, ItemEnum, ItemStruct, Path, Type, Variant};

use crate::cfg::Condition;
use crate::fallback::Errors;
use crate::path::{self, Typed, same_type, without_arguments};
use crate::protocol::{Messages, Protocol};

/// A variant and what it takes.
struct Choice<'a> {
    variant: &'a Variant,
    takes: Takes,
}

enum Takes {
    /// A message of this type; the second is the path of the `Typed` around it.
    Message(Type, Option<Path>),
    /// Any message.
    Envelope(Type),
}

pub fn of_enum(item: &ItemEnum, krate: &Path) -> TokenStream {
    let mut errors = Errors::default();
    if item.variants.is_empty() {
        errors.at(
            &item.ident,
            "this receives nothing: it needs at least one variant",
        );
    }
    let choices: Vec<_> = item
        .variants
        .iter()
        .filter_map(|variant| parse(variant, &mut errors))
        .collect();
    check(&choices, &mut errors);
    let broken = !errors.is_empty();
    let errors = errors.into_tokens();
    let wants = wants(&choices, krate);
    let matchers = choices.iter().map(|choice| matcher(choice, krate));
    let take = if broken {
        crate::fallback::diverging()
    } else {
        quote!(#(#matchers)* ::core::option::Option::None)
    };
    let receivable = receivable(
        &item.ident,
        &item.generics,
        &item.attrs,
        krate,
        &wants,
        &take,
    );
    let protocol = Protocol {
        name: &item.ident,
        generics: &item.generics,
        krate,
        condition: Condition::of(&item.attrs),
    };
    let receives = if broken {
        protocol.receives_everything()
    } else {
        let mut messages = Messages::default();
        for choice in &choices {
            if let Takes::Message(ty, _) = &choice.takes {
                messages.add(ty.clone(), &crate::cfg::predicates(&choice.variant.attrs));
            }
        }
        protocol.receives(messages.as_slice())
    };
    quote!(#item #errors #receivable #receives)
}

pub fn of_struct(item: &ItemStruct, krate: &Path) -> TokenStream {
    let (name, (_, arguments, _)) = (&item.ident, item.generics.split_for_impl());
    let ty: Type = syn::parse_quote_spanned!(path::place(name)=> #name #arguments);
    let wants = quote!(#krate::__private::Wants::Types(&[::core::any::TypeId::of::<Self>()]));
    let take = quote_spanned!(Span::mixed_site()=> #krate::__private::Slot::take_if::<Self, _>(slot, ::core::result::Result::Ok));
    let receivable = receivable(
        &item.ident,
        &item.generics,
        &item.attrs,
        krate,
        &wants,
        &take,
    );
    let mut messages = Messages::default();
    messages.add(ty, &[]);
    let protocol = Protocol {
        name,
        generics: &item.generics,
        krate,
        condition: Condition::of(&item.attrs),
    };
    let receives = protocol.receives(messages.as_slice());
    quote!(#item #receivable #receives)
}

fn parse<'a>(variant: &'a Variant, errors: &mut Errors) -> Option<Choice<'a>> {
    let field = match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => &fields.unnamed[0].ty,
        _ => {
            let name = &variant.ident;
            errors.at(
                variant,
                format!("a variant holds the message that it receives: write `{name}(Message)`"),
            );
            return None;
        }
    };
    let takes = match field {
        Type::Path(of)
            if of
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "Envelope") =>
        {
            Takes::Envelope(field.clone())
        }
        Type::Path(of) => match path::typed(&of.path) {
            Typed::Of(ty) => Takes::Message(*ty, Some(without_arguments(&of.path))),
            // A `Typed` without its type is rustc's to report.
            Typed::No | Typed::Bare => Takes::Message(field.clone(), None),
        },
        _ => Takes::Message(field.clone(), None),
    };
    Some(Choice { variant, takes })
}

/// Every variant must be able to get a message.
fn check(choices: &[Choice<'_>], errors: &mut Errors) {
    let always = |choice: &Choice<'_>| Condition::of(&choice.variant.attrs).predicate().is_none();
    for (index, choice) in choices.iter().enumerate() {
        let shadowed = choices[..index]
            .iter()
            .filter(|above| always(above))
            .find_map(|above| match (&above.takes, &choice.takes) {
                (Takes::Envelope(_), _) => Some("takes any message"),
                (Takes::Message(one, _), Takes::Message(other, _)) if same_type(one, other) => {
                    Some("takes this type")
                }
                _ => None,
            });
        if let Some(shadowed) = shadowed {
            errors.at(
                choice.variant,
                format!("nothing reaches this variant: one above it {shadowed}"),
            );
        }
    }
}

fn wants(choices: &[Choice<'_>], krate: &Path) -> TokenStream {
    let wants = quote!(#krate::__private::Wants);
    let mut any = Condition::default();
    let mut types = Vec::new();
    for choice in choices {
        match &choice.takes {
            Takes::Envelope(_) => any.or_all(&crate::cfg::predicates(&choice.variant.attrs)),
            Takes::Message(ty, _) => {
                let condition = Condition::of(&choice.variant.attrs);
                types.push(quote_spanned!(at(ty)=> #condition ::core::any::TypeId::of::<#ty>()));
            }
        }
    }
    let types = quote!(#wants::Types(&[#(#types),*]));
    let takes_any = choices
        .iter()
        .any(|choice| matches!(choice.takes, Takes::Envelope(_)));
    match any.predicate() {
        _ if !takes_any => types,
        None => quote!(#wants::Any),
        Some(any) => quote!(if ::core::cfg!(#any) { #wants::Any } else { #types }),
    }
}

fn matcher(choice: &Choice<'_>, krate: &Path) -> TokenStream {
    let (variant, condition) = (&choice.variant.ident, Condition::of(&choice.variant.attrs));
    let message = Ident::new("message", Span::mixed_site());
    let (take, value) = match &choice.takes {
        Takes::Message(ty, None) => (quote_spanned!(at(ty)=> take_if::<#ty, _>), quote!(#message)),
        Takes::Message(ty, Some(typed)) => (
            quote_spanned!(at(ty)=> take_if::<#ty, _>),
            quote!(#typed(#message)),
        ),
        Takes::Envelope(ty) => (quote_spanned!(at(ty)=> take_any_if::<_>), quote!(#message)),
    };
    quote_spanned! {Span::mixed_site()=>
        #condition
        if let ::core::option::Option::Some(#message) = #krate::__private::Slot::#take(slot, ::core::result::Result::Ok) {
            return ::core::option::Option::Some(Self::#variant(#value));
        }
    }
}

fn at(ty: &Type) -> Span {
    ty.span().resolved_at(Span::mixed_site())
}

fn receivable(
    name: &Ident,
    generics: &Generics,
    attrs: &[syn::Attribute],
    krate: &Path,
    wants: &TokenStream,
    take: &TokenStream,
) -> TokenStream {
    let condition = Condition::of(attrs);
    let (params, arguments, bounds) = generics.split_for_impl();
    let private = quote!(#krate::__private);
    quote_spanned! {Span::mixed_site()=>
        #condition
        #[automatically_derived]
        impl #params #private::Receivable for #name #arguments #bounds {
            const WANTS: #private::Wants = #wants;

            #[allow(unused_variables)]
            fn take(slot: &mut #private::Slot) -> ::core::option::Option<Self> {
                #take
            }
        }
    }
}
