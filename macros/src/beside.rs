//! Attributes of ours that stand beside each other on one item.

use proc_macro2::Span;
use syn::{Attribute, Error, Path};

use crate::fallback::Errors;

/// The macros, by how errors name them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Macro {
    Actor,
    Receive,
    Main,
    Test,
}

impl Macro {
    pub fn name(self) -> &'static str {
        match self {
            Self::Actor => "#[actor]",
            Self::Receive => "#[receive]",
            Self::Main => "#[uproar::main]",
            Self::Test => "#[uproar::test]",
        }
    }

    /// The macro of that path. `main` and `test` are ours if a module is named.
    fn of(path: &Path) -> Option<Self> {
        let last = path.segments.last()?;
        match last.ident.to_string().as_str() {
            "actor" => Some(Self::Actor),
            "receive" => Some(Self::Receive),
            "main" if path.segments.len() > 1 => Some(Self::Main),
            "test" if path.segments.len() > 1 && path.segments[0].ident == "uproar" => {
                Some(Self::Test)
            }
            _ => None,
        }
    }
}

/// Takes out and reports what does not go together with the macro `this`, whose attribute is gone already.
pub fn refuse(this: Macro, attrs: &mut Vec<Attribute>, errors: &mut Errors) {
    for attr in attrs.extract_if(.., |attr| Macro::of(attr.path()).is_some()) {
        let Some(other) = Macro::of(attr.path()) else {
            continue;
        };
        let (this, other_name) = (this.name(), other.name());
        let message = match other {
            _ if this == other_name => format!("`{this}` is given twice"),
            Macro::Receive => {
                format!(
                    "`{this}` reads the `#[receive]` matches by itself: remove `#[receive]` here"
                )
            }
            _ if this == Macro::Receive.name() => {
                format!(
                    "`{other_name}` reads the `#[receive]` matches by itself: remove `#[receive]` here"
                )
            }
            _ => format!("`{this}` and `{other_name}` don't go together: write one of them"),
        };
        match this == Macro::Receive.name() && this != other_name {
            // What is to be removed stands above the other one.
            true => errors.push(Error::new(Span::call_site(), message)),
            false => errors.at(attr, message),
        }
    }
}

/// Takes out the attribute of `this`.
pub fn take(this: Macro, attrs: &mut Vec<Attribute>) -> Option<Attribute> {
    let at = attrs
        .iter()
        .position(|attr| Macro::of(attr.path()) == Some(this))?;
    Some(attrs.remove(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn others_of_ours_are_taken_out() {
        let mut attrs = vec![
            parse_quote!(#[doc = "actor"]),
            parse_quote!(#[uproar::actor]),
            parse_quote!(#[receive(crate = a)]),
            parse_quote!(#[test]),
            parse_quote!(#[tokio::test]),
            parse_quote!(#[uproar::test]),
        ];
        let mut errors = Errors::default();
        refuse(Macro::Actor, &mut attrs, &mut errors);
        assert_eq!(attrs.len(), 3);
        let messages = errors.messages();
        assert_eq!(messages.len(), 3, "{messages:#?}");
        assert!(messages[0].contains("twice"), "{messages:#?}");
    }
}
