//! `#[recieve]`. To the compiler a misspelt attribute is one that there is not, and what should have been received is not;
//! an actor can tell what is meant.

use syn::Attribute;

use crate::fallback::Errors;

const RIGHT: &str = "receive";

/// Takes out, and reports, an attribute that was meant to be `#[receive]`.
pub fn take_misspelt(attrs: &mut Vec<Attribute>, errors: &mut Errors) -> Option<Attribute> {
    let is_misspelt = |attr: &Attribute| {
        let name = attr
            .path()
            .segments
            .last()
            .map(|last| last.ident.to_string());
        name.is_some_and(|name| is_misspelt(&name))
    };
    let at = attrs.iter().position(is_misspelt)?;
    let attr = attrs.remove(at);
    errors.at(attr.path(), "this is misspelt: write `#[receive]`");
    Some(attr)
}

/// Whether one letter is missing, is another, or is there twice, or two have changed places. The first is right: there are
/// such words as "deceive".
fn is_misspelt(name: &str) -> bool {
    let (right, name) = (RIGHT.as_bytes(), name.as_bytes());
    if name.first() != right.first() || name == right {
        return false;
    }
    let without = |word: &[u8], at: usize| [&word[..at], &word[at + 1..]].concat();
    let swapped = |at: usize| {
        let mut word = right.to_vec();
        word.swap(at, at + 1);
        word
    };
    let doubled = |at: usize| name[at] == name[at - 1] && without(name, at) == right;
    let others = || name.iter().zip(right).filter(|(is, ought)| is != ought);
    (1..right.len()).any(|at| without(right, at) == name)
        || (1..right.len() - 1).any(|at| swapped(at) == name)
        || (1..name.len()).any(doubled)
        || name.len() == right.len() && others().count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_misspelt() {
        for name in [
            "recieve", "recive", "receve", "receivve", "receiev", "reveive", "receice",
        ] {
            assert!(is_misspelt(name), "{name}");
        }
        for name in [
            "receive", "receiver", "received", "receives", "deceive", "retrieve", "r", "inline",
        ] {
            assert!(!is_misspelt(name), "{name}");
        }
    }
}
