//! Tests of the macros as a whole, from tokens to tokens.

mod fuzz;
mod snapshots;

use proc_macro2::TokenStream;

/// The macros by their attributes' names.
fn expand(name: &str, args: TokenStream, item: TokenStream) -> TokenStream {
    match name {
        "actor" => crate::actor::all_unfolded(crate::actor::door(args, item)),
        "receive" => crate::receive::door(args, item),
        "main" => crate::entry::main(args, item),
        "test" => crate::entry::test(args, item),
        other => panic!("no macro `{other}`"),
    }
}

/// An item, and the one of our attributes that stands on it.
struct Case {
    name: String,
    args: TokenStream,
    item: TokenStream,
}

/// The cases in a file, those in modules, functions and `impl` blocks included.
fn cases(file: &mut syn::File) -> Vec<Case> {
    let mut find = Find(Vec::new());
    syn::visit_mut::VisitMut::visit_file_mut(&mut find, file);
    find.0
}

struct Find(Vec<Case>);

impl Find {
    fn look<T: quote::ToTokens + Clone>(
        &mut self,
        item: &T,
        attrs: impl Fn(&mut T) -> &mut Vec<syn::Attribute>,
    ) {
        let mut item = item.clone();
        let of_ours = |attr: &syn::Attribute| {
            let last = attr
                .path()
                .segments
                .last()
                .map(|last| last.ident.to_string());
            last.filter(|name| ["actor", "receive", "main", "test"].contains(&name.as_str()))
        };
        let attrs = attrs(&mut item);
        let Some(at) = attrs.iter().position(|attr| of_ours(attr).is_some()) else {
            return;
        };
        let attr = attrs.remove(at);
        let args = match &attr.meta {
            syn::Meta::List(list) => list.tokens.clone(),
            _ => TokenStream::new(),
        };
        self.0.push(Case {
            name: of_ours(&attr).expect("it has just been looked at"),
            args,
            item: item.into_token_stream(),
        });
    }
}

impl syn::visit_mut::VisitMut for Find {
    fn visit_item_fn_mut(&mut self, item: &mut syn::ItemFn) {
        self.look(item, |item| &mut item.attrs);
        syn::visit_mut::visit_item_fn_mut(self, item);
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut syn::ImplItemFn) {
        self.look(item, |item| &mut item.attrs);
        syn::visit_mut::visit_impl_item_fn_mut(self, item);
    }

    fn visit_item_enum_mut(&mut self, item: &mut syn::ItemEnum) {
        self.look(item, |item| &mut item.attrs);
    }

    fn visit_item_struct_mut(&mut self, item: &mut syn::ItemStruct) {
        self.look(item, |item| &mut item.attrs);
    }

    fn visit_item_impl_mut(&mut self, item: &mut syn::ItemImpl) {
        self.look(item, |item| &mut item.attrs);
        syn::visit_mut::visit_item_impl_mut(self, item);
    }
}
