//! What the blocks of a body declare: a message type that is named there means nothing outside.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Block, Ident, Item, Stmt, Type, UseTree};

/// The types and modules that one block declares or imports.
#[derive(Default)]
pub struct Names {
    named: Vec<Ident>,
    /// Those that are declared: they mean nothing outside for sure.
    declared: Vec<Ident>,
    /// There is a `use m::*`.
    any: bool,
}

impl Names {
    pub fn of(block: &Block) -> Self {
        let mut names = Self::default();
        for stmt in &block.stmts {
            if let Stmt::Item(item) = stmt {
                names.declare(item);
            }
        }
        names
    }

    fn declare(&mut self, item: &Item) {
        let name = match item {
            Item::Enum(of) => &of.ident,
            Item::Mod(of) => &of.ident,
            Item::Struct(of) => &of.ident,
            Item::Trait(of) => &of.ident,
            Item::Type(of) => &of.ident,
            Item::Union(of) => &of.ident,
            Item::ExternCrate(of) => of.rename.as_ref().map_or(&of.ident, |(_, name)| name),
            Item::Use(of) => return self.import(&of.tree),
            _ => return,
        };
        self.named.push(name.clone());
        self.declared.push(name.clone());
    }

    fn import(&mut self, tree: &UseTree) {
        match tree {
            UseTree::Path(of) => {
                self.import(&of.tree);
                // `use m::{self}`.
                if let UseTree::Group(group) = &*of.tree
                    && group.items.iter().any(is_self)
                {
                    self.named.push(of.ident.clone());
                }
            }
            UseTree::Name(of) => self.named.push(of.ident.clone()),
            UseTree::Rename(of) => self.named.push(of.rename.clone()),
            UseTree::Glob(_) => self.any = true,
            UseTree::Group(of) => of.items.iter().for_each(|item| self.import(item)),
        }
    }

    /// Whether a name in `ty` may be one of these.
    pub fn may_name(&self, ty: &Type) -> bool {
        self.any || self.occur(ty.to_token_stream())
    }

    /// Whether `ty` begins with a name that is declared here.
    pub fn declares(&self, ty: &Type) -> bool {
        match ty {
            Type::Path(of) if of.qself.is_none() && of.path.leading_colon.is_none() => {
                self.declared.contains(&of.path.segments[0].ident)
            }
            _ => false,
        }
    }

    fn occur(&self, tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => self.named.contains(&ident),
            TokenTree::Group(group) => self.occur(group.stream()),
            _ => false,
        })
    }
}

fn is_self(tree: &UseTree) -> bool {
    matches!(tree, UseTree::Name(of) if of.ident == "self")
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn what_a_block_declares_is_its_own() {
        let names = Names::of(&parse_quote!({
            use a::{self, B, c::D as E};
            struct Local;
            let x = Other;
        }));
        for own in [
            parse_quote!(a::X),
            parse_quote!(B),
            parse_quote!(Vec<E>),
            parse_quote!(Local),
        ] {
            assert!(names.may_name(&own));
        }
        assert!(names.declares(&parse_quote!(Local<u8>)));
        assert!(!names.declares(&parse_quote!(B)) && !names.declares(&parse_quote!(Vec<Local>)));
        for other in [parse_quote!(D), parse_quote!(Other), parse_quote!(c::D2)] {
            assert!(!names.may_name(&other));
        }
        let names = Names::of(&parse_quote!({
            use m::*;
        }));
        assert!(names.may_name(&parse_quote!(Anything)));
    }
}
