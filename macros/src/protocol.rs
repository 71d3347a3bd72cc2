//! A protocol: the messages that a type receives, and what the compiler says of all others.
//!
//! ```text
//! const _: () = {
//!     type List = (Add, m::Add);
//!     trait MessagesOfCounter: Include<Add, Counter, List> + Include<m::Add, Counter, List> + .. {}
//!     impl<ItsMessage> Receives<ItsMessage> for Counter
//!         where dyn MessagesOfCounter: Include<ItsMessage, Counter, List> {}
//! };
//! ```
//!
//! The messages are the supertraits of one trait because those may be equal: an `impl` for each message would
//! conflict where one type is written in two ways, or where a generic actor's `T` may be another message of it.
//! The protocol and its list are arguments of `Include` for the sake of its error, which shows them, if below a line that
//! `Include` is not implemented: rustc leaves that out for type parameters only. And with two that
//! nobody can send, no protocol has one message only: for such a one rustc would take that type for granted, and call
//! any other a mismatched argument.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, Path, Type, parse_quote, parse_quote_spanned};

use crate::cfg::Condition;
use crate::path::{self, place};

/// A message type.
pub struct Message {
    pub ty: Type,
    pub condition: Condition,
    /// The number of the anchor that names it, if the name means something in a block of the body only.
    pub anchor: Option<usize>,
    pub written: Written,
}

/// How the user has written a message type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// As a type, or as what the expansion mentions as one.
    Plain,
    /// As a type within `Typed<..>`, in an item that stays as it is.
    Wrapped,
    /// As a pattern that can only be written with an import: see `receive::types`.
    Imported,
}

/// The message types that a body receives, in the order in which they are written, each once.
#[derive(Default)]
pub struct Messages {
    all: Vec<Message>,
    anchors: usize,
}

impl Messages {
    /// Adds a type that is received where all of `conditions` hold.
    pub fn add(&mut self, ty: Type, written: Written, conditions: &[TokenStream]) {
        let known =
            |message: &&mut Message| message.anchor.is_none() && path::same_type(&message.ty, &ty);
        match self.all.iter_mut().find(known) {
            Some(message) => message.condition.or_all(conditions),
            None => self.push(ty, written, conditions, None),
        }
    }

    /// Adds a type whose name is declared or imported in the body, and returns the number of its anchor.
    pub fn add_anchored(&mut self, ty: Type, conditions: &[TokenStream]) -> usize {
        let anchor = self.anchors;
        self.anchors += 1;
        self.push(ty, Written::Plain, conditions, Some(anchor));
        anchor
    }

    fn push(
        &mut self,
        ty: Type,
        written: Written,
        conditions: &[TokenStream],
        anchor: Option<usize>,
    ) {
        let mut condition = Condition::default();
        condition.or_all(conditions);
        self.all.push(Message {
            ty,
            condition,
            anchor,
            written,
        });
    }

    /// Whether the protocol must stand where the anchors are seen.
    pub fn are_anchored(&self) -> bool {
        self.anchors > 0
    }

    /// Adds those of a part that is compiled where all of `conditions` hold.
    pub fn append(&mut self, part: Self, conditions: &[TokenStream]) {
        for part in part.all {
            let predicate = part.condition.predicate();
            let all: Vec<_> = conditions.iter().cloned().chain(predicate).collect();
            self.add(part.ty, part.written, &all);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Type, &Condition)> {
        self.all
            .iter()
            .map(|message| (&message.ty, &message.condition))
    }

    pub fn as_slice(&self) -> &[Message] {
        &self.all
    }
}

/// The type that receives.
pub struct Protocol<'a> {
    pub name: &'a Ident,
    pub generics: &'a Generics,
    pub krate: &'a Path,
    /// The name of the item in which the messages are written.
    pub item: Span,
    /// When the type itself is compiled.
    pub condition: Condition,
}

/// What a block of the body must know to name its messages for the protocol.
#[derive(Clone)]
pub struct Anchors {
    pub protocol: Ident,
    pub generics: Generics,
    pub krate: Path,
}

impl Anchors {
    /// The type that keeps anchors private, so that they may name private types.
    fn site() -> Ident {
        Ident::new("__UproarSite", Span::mixed_site())
    }

    /// Says, where `ty` is known, that it is the message with this number.
    pub fn anchor(&self, number: usize, ty: &Type, condition: &Condition) -> TokenStream {
        let (params, arguments, bounds) = self.generics.split_for_impl();
        let (name, krate, site) = (&self.protocol, &self.krate, Self::site());
        quote_spanned! {ty.span().resolved_at(Span::mixed_site())=>
            #condition
            #[allow(non_local_definitions)]
            const _: () = {
                #[automatically_derived]
                impl #params #krate::__private::Anchor<#site, #number> for #name #arguments #bounds {
                    type Message = #ty;
                }
            };
        }
    }
}

impl Protocol<'_> {
    /// That it receives `messages`.
    pub fn receives(&self, messages: &[Message]) -> TokenStream {
        let anchored = messages.iter().any(|message| message.anchor.is_some());
        let site = Anchors::site();
        let site = anchored.then(|| quote!(enum #site {}));
        let aliases = self.aliases(messages);
        let names = Names::new(self, messages);
        let mut list = self.list(messages);
        // An item can't use the generic parameters.
        let mut list_alias = None;
        if self.generics.params.is_empty()
            && let Some(types) = &list
        {
            let name = &names.list;
            list_alias = Some(quote_spanned!(place(self.name)=> type #name = #types;));
            list = Some(name.to_token_stream());
        }
        let (all, message) = (&names.all, &names.message);
        let (params, arguments, bounds) = self.generics.split_for_impl();
        let (name, krate) = (self.name, self.krate);
        let include = |message: &TokenStream| match &list {
            Some(list) => quote_spanned! {place(name)=>
                #krate::__private::Include<#message, #name #arguments, #list>
            },
            None => quote_spanned! {place(name)=>
                #krate::__private::IncludeInEmpty<#message, #name #arguments>
            },
        };
        let mut conditional = TokenStream::new();
        let mut supertraits = Vec::new();
        for (index, known) in messages.iter().enumerate() {
            let one = include(&self.mention(index, known));
            if known.condition.predicate().is_none() {
                supertraits.push(one);
                continue;
            }
            // A bound has no attributes, so that an arm under `#[cfg]` takes a trait of its own.
            let only = &names.conditional[index];
            let (there, not_there) = (&known.condition, known.condition.negated());
            conditional.extend(quote_spanned! {place(name)=>
                #there
                trait #only #params: #one #bounds {}
                #not_there
                trait #only #params #bounds {}
            });
            supertraits.push(quote!(#only #arguments));
        }
        supertraits.push(include(&quote!(#krate::__private::Nothing)));
        supertraits.push(include(&quote!(#krate::__private::OthersUnderCfg)));
        let mut generics = self.generics.clone();
        // What rustc says of a name that may be a missing parameter is about the last of these.
        generics.params.insert(0, parse_quote!(#message));
        let received = include(&message.to_token_stream());
        generics
            .make_where_clause()
            .predicates
            .push(parse_quote_spanned!(place(name)=> dyn #all #arguments: #received));
        let (with_message, _, received) = generics.split_for_impl();
        let condition = &self.condition;
        quote_spanned! {place(name)=>
            #site
            #condition
            #[allow(non_local_definitions)]
            const _: () = {
                #aliases
                #list_alias
                #conditional
                trait #all #params: #(#supertraits)+* #bounds {}
                #[automatically_derived]
                #[doc(hidden)]
                impl #with_message #krate::Receives<#message> for #name #arguments #received {}
            };
        }
    }

    /// The messages as the compiler shows them: a tuple, or the one that it is. Those that may not exist are not in it.
    fn list(&self, messages: &[Message]) -> Option<TokenStream> {
        let krate = self.krate;
        let always = |message: &Message| message.condition.predicate().is_none();
        let mut shown: Vec<_> = messages
            .iter()
            .enumerate()
            .filter(|(_, message)| always(message))
            .map(|(index, message)| self.mention(index, message))
            .collect();
        if !messages.iter().all(always) {
            shown.push(quote!(#krate::__private::OthersUnderCfg));
        }
        match shown.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            several => Some(quote!((#(#several),*))),
        }
    }

    /// After an error: that it receives everything.
    pub fn receives_everything(&self) -> TokenStream {
        let mut with_message = self.generics.clone();
        with_message.params.push(parse_quote!(__Message));
        let (params, _, _) = with_message.split_for_impl();
        let (_, arguments, bounds) = self.generics.split_for_impl();
        let (name, krate, condition) = (self.name, self.krate, &self.condition);
        quote!(#condition impl #params #krate::Receives<__Message> for #name #arguments #bounds {})
    }

    /// Each type is named as the user has named it, or rustc would report a misspelt one here and once more in other
    /// words. So where he has written it in angle brackets, it is in such here too, and the parameter that rustc
    /// suggests then is one of the same item. It is not otherwise.
    fn aliases(&self, messages: &[Message]) -> TokenStream {
        let messages = messages.iter().enumerate();
        let aliases = messages.filter(|(_, message)| self.has_alias(message)).map(
            |(index, Message { ty, condition, written, .. })| {
                let at = ty.span().resolved_at(Span::mixed_site());
                let krate = path::shown_at(self.krate, at);
                let alias = path::alias(index, ty.span());
                let suggested_at = path::alias(index, self.item);
                match written {
                    Written::Imported => {
                        let import = path::import(ty, index);
                        quote!(#condition #import)
                    }
                    Written::Wrapped => {
                        quote_spanned!(at=> #condition type #suggested_at = #krate::__private::Plain<#ty>;)
                    }
                    Written::Plain if path::in_brackets(ty) => {
                        quote_spanned!(at=> #condition type #suggested_at = #ty;)
                    }
                    Written::Plain => quote_spanned!(at=> #condition type #alias = #ty;),
                }
            },
        );
        aliases.collect()
    }

    /// An alias can't use the protocol's generic parameters.
    fn has_alias(&self, message: &Message) -> bool {
        let in_brackets = match message.written {
            Written::Imported => return true,
            Written::Wrapped => true,
            Written::Plain => path::in_brackets(&message.ty),
        };
        message.anchor.is_none()
            && !(in_brackets && self.generics.lt_token.is_some())
            && !names_parameter(&message.ty, self.generics)
    }

    fn mention(&self, index: usize, message: &Message) -> TokenStream {
        let ty = &message.ty;
        if let Some(anchor) = message.anchor {
            let (_, arguments, _) = self.generics.split_for_impl();
            let (name, krate, site) = (self.name, self.krate, Anchors::site());
            return quote!(<#name #arguments as #krate::__private::Anchor<#site, #anchor>>::Message);
        }
        if message.written == Written::Imported {
            return path::under_alias(ty, path::alias(index, ty.span())).into_token_stream();
        }
        if self.has_alias(message) {
            return path::alias(index, ty.span()).into_token_stream();
        }
        ty.to_token_stream()
    }
}

/// Whether no item but the one with these parameters can name the type.
pub fn names_parameter(ty: &Type, generics: &Generics) -> bool {
    mentions(ty.to_token_stream(), &|ident| {
        let mut params = generics.params.iter();
        ident == "Self"
            || params.any(|param| match param {
                GenericParam::Lifetime(of) => of.lifetime.ident == *ident,
                GenericParam::Type(of) => of.ident == *ident,
                GenericParam::Const(of) => of.ident == *ident,
            })
    })
}

/// Names for the items, readable in errors, that none of the names used there is hidden by.
struct Names {
    list: Ident,
    all: Ident,
    message: Ident,
    conditional: Vec<Ident>,
}

impl Names {
    fn new(protocol: &Protocol<'_>, messages: &[Message]) -> Self {
        let (params, _, bounds) = protocol.generics.split_for_impl();
        let types = messages.iter().map(|message| &message.ty);
        let (name, krate) = (protocol.name, protocol.krate);
        let used = quote!(#name #krate #params #bounds #(#types)*);
        let free = |wanted: &str| {
            let mut name = wanted.to_owned();
            while mentions(used.clone(), &|ident| ident == name.as_str()) {
                name.push('_');
            }
            Ident::new(&name, place(protocol.name))
        };
        Self {
            list: free("List"),
            all: free(&format!("MessagesOf{}", protocol.name.unraw())),
            message: free("ItsMessage"),
            conditional: (0..messages.len())
                .map(|index| free(&format!("If{index}")))
                .collect(),
        }
    }
}

/// Whether there is such a name in the tokens.
pub fn mentions(tokens: TokenStream, is: &dyn Fn(&Ident) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => is(&ident),
        TokenTree::Group(group) => mentions(group.stream(), is),
        _ => false,
    })
}
