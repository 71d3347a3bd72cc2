//! `#[receive]` on an enum: a receivable that is one of several message types. On a struct: a message type that is
//! receivable itself.
//!
//! What an enum's variants hold is mentioned once more in what is generated for it, and rustc must have the same to say
//! of a misspelt name there: see [`crate::protocol`].

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Fields, Generics, Ident, ItemEnum, ItemStruct, Path, Type, Variant};

use crate::beside::{self, Macro};
use crate::cfg::Condition;
use crate::fallback::{self, Errors};
use crate::owned::{self, Owner, owned, static_params, without_lifetimes};
use crate::path::{self, Typed, same_type, without_arguments};
use crate::protocol::{self, Messages, Protocol, Written};

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

pub fn of_enum(mut item: ItemEnum, krate: impl FnOnce(&Ident) -> Path) -> TokenStream {
    let mut errors = Errors::default();
    let krate = &krate(&item.ident);
    beside::refuse(Macro::Receive, &mut item.attrs, &mut errors);
    without_lifetimes(&item.generics, Owner::Message, &mut errors);
    let without = item.generics.lifetimes().next().is_none();
    let fields = item
        .variants
        .iter_mut()
        .flat_map(|variant| &mut variant.fields);
    for field in fields.filter(|_| without) {
        if owned::message(held(&mut field.ty), &mut errors)
            && !owned(&field.ty, Owner::Message, &mut errors)
        {
            fallback::mend_type(&mut field.ty);
        }
    }
    let fields: TokenStream = item
        .variants
        .iter()
        .map(|variant| variant.fields.to_token_stream())
        .collect();
    static_params(
        &mut item.generics,
        &fields,
        Owner::Message,
        false,
        &mut errors,
    );
    let item = &item;
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
    let types = Types::of(&choices, &item.generics);
    let aliases = types.aliases();
    let wants = wants(&choices, &types, krate);
    let matchers = choices
        .iter()
        .enumerate()
        .map(|(index, choice)| matcher(index, choice, &types, krate));
    if broken {
        let body = fallback::diverging();
        let broken = self::broken(&item.ident, &item.generics, &item.attrs, &body, krate);
        return quote!(#item #errors #broken);
    }
    let wants = quote!({ #aliases #wants });
    let take = quote!(#aliases #(#matchers)* ::core::option::Option::None);
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
        item: item.ident.span(),
        condition: Condition::of(&item.attrs),
    };
    let mut messages = Messages::default();
    for choice in &choices {
        if let Takes::Message(ty, typed) = &choice.takes {
            let written = match typed {
                Some(_) => Written::Wrapped,
                None => Written::Plain,
            };
            let conditions = crate::cfg::predicates(&choice.variant.attrs);
            messages.add(ty.clone(), written, &conditions);
        }
    }
    let receives = protocol.receives(messages.as_slice());
    quote!(#item #receivable #receives)
}

pub fn of_struct(mut item: ItemStruct, krate: impl FnOnce(&Ident) -> Path) -> TokenStream {
    let mut errors = Errors::default();
    let krate = &krate(&item.ident);
    beside::refuse(Macro::Receive, &mut item.attrs, &mut errors);
    without_lifetimes(&item.generics, Owner::Message, &mut errors);
    if let Some(last) = item.fields.iter_mut().last() {
        owned::sized(&mut last.ty, Owner::Message, &mut errors);
    }
    let fields = item.fields.to_token_stream();
    static_params(
        &mut item.generics,
        &fields,
        Owner::Message,
        false,
        &mut errors,
    );
    if !errors.is_empty() {
        let errors = errors.into_tokens();
        let broken = broken(
            &item.ident,
            &item.generics,
            &item.attrs,
            &fallback::diverging(),
            krate,
        );
        return quote!(#item #errors #broken);
    }
    let item = &item;
    let (name, (_, arguments, _)) = (&item.ident, item.generics.split_for_impl());
    let ty: Type = syn::parse_quote_spanned!(path::place(name)=> #name #arguments);
    let here = path::place(name);
    let wants = quote_spanned!(here=> #krate::__private::Wants::Types(&[::core::any::TypeId::of::<Self>()]));
    let take = quote_spanned!(here=> #krate::__private::Slot::take_if::<Self, _>(slot, ::core::result::Result::Ok));
    let receivable = receivable(
        &item.ident,
        &item.generics,
        &item.attrs,
        krate,
        &wants,
        &take,
    );
    let mut messages = Messages::default();
    messages.add(ty, Written::Plain, &[]);
    let protocol = Protocol {
        name,
        generics: &item.generics,
        krate,
        item: item.ident.span(),
        condition: Condition::of(&item.attrs),
    };
    let receives = protocol.receives(messages.as_slice());
    quote!(#item #receivable #receives)
}

/// For an enum or a struct that can't be parsed, what type-checks as its code would. `body` is of any type.
pub fn unread(name: &Ident, body: &TokenStream, krate: &Path) -> TokenStream {
    broken(name, &Generics::default(), &[], body, krate)
}

/// The same for one that is wrong otherwise.
fn broken(
    name: &Ident,
    generics: &Generics,
    attrs: &[syn::Attribute],
    body: &TokenStream,
    krate: &Path,
) -> TokenStream {
    let wants = quote!(#krate::__private::Wants::Types(&[]));
    let receivable = receivable(name, generics, attrs, krate, &wants, body);
    let protocol = Protocol {
        name,
        generics,
        krate,
        item: name.span(),
        condition: Condition::of(attrs),
    };
    let receives = protocol.receives_everything();
    quote!(#receivable #receives)
}

/// The message that a variant's field holds: the `T` of a `Typed<T>`.
fn held(field: &mut Type) -> &mut Type {
    if !matches!(field, Type::Path(of) if matches!(path::typed(&of.path), Typed::Of(_))) {
        return field;
    }
    path::argument(field).expect("`Typed` has just been seen to have one")
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

/// The names of the choices' types in what is generated.
struct Types<'a>(Vec<Option<(&'a Type, Condition)>>);

impl<'a> Types<'a> {
    fn of(choices: &'a [Choice<'a>], generics: &Generics) -> Self {
        let alias = |choice: &'a Choice<'a>| match &choice.takes {
            Takes::Message(ty, None)
                if !path::in_brackets(ty) && !protocol::names_parameter(ty, generics) =>
            {
                Some((ty, Condition::of(&choice.variant.attrs)))
            }
            _ => None,
        };
        Self(choices.iter().map(alias).collect())
    }

    /// For what is written outside of angle brackets.
    fn aliases(&self) -> TokenStream {
        let aliases = self.0.iter().enumerate().filter_map(|(index, known)| {
            let (ty, condition) = known.as_ref()?;
            let alias = path::alias(index, ty.span());
            Some(quote_spanned!(at(ty)=> #condition #[allow(dead_code)] type #alias = #ty;))
        });
        aliases.collect()
    }

    fn mention(&self, index: usize, ty: &Type) -> TokenStream {
        match &self.0[index] {
            Some((ty, _)) => path::alias(index, ty.span()).into_token_stream(),
            None => ty.to_token_stream(),
        }
    }
}

fn wants(choices: &[Choice<'_>], types: &Types<'_>, krate: &Path) -> TokenStream {
    let wants = quote!(#krate::__private::Wants);
    let mut any = Condition::default();
    let mut ids = Vec::new();
    for (index, choice) in choices.iter().enumerate() {
        match &choice.takes {
            Takes::Envelope(_) => any.or_all(&crate::cfg::predicates(&choice.variant.attrs)),
            Takes::Message(ty, _) => {
                let condition = Condition::of(&choice.variant.attrs);
                let mention = types.mention(index, ty);
                ids.push(quote_spanned!(at(ty)=> #condition ::core::any::TypeId::of::<#mention>()));
            }
        }
    }
    let types = quote!(#wants::Types(&[#(#ids),*]));
    let takes_any = choices
        .iter()
        .any(|choice| matches!(choice.takes, Takes::Envelope(_)));
    match any.predicate() {
        _ if !takes_any => types,
        None => quote!(#wants::Any),
        Some(any) => quote!(if ::core::cfg!(#any) { #wants::Any } else { #types }),
    }
}

fn matcher(index: usize, choice: &Choice<'_>, types: &Types<'_>, krate: &Path) -> TokenStream {
    let (variant, condition) = (&choice.variant.ident, Condition::of(&choice.variant.attrs));
    let message = Ident::new("message", Span::mixed_site());
    let (take, value) = match &choice.takes {
        Takes::Message(ty, None) => {
            let mention = types.mention(index, ty);
            (
                quote_spanned!(at(ty)=> take_if::<#mention, _>),
                quote!(#message),
            )
        }
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
    let (_, arguments, bounds) = generics.split_for_impl();
    let params = path::params(generics, name.span());
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
