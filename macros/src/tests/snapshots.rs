//! What the macros make of three typical programs, in `macros/snapshots`, for the reader.
//!
//! After a change, `UPDATE=1 cargo test -p uproar-macros snapshots` writes the files anew; read what has changed.

use std::fs;
use std::path::Path;

use quote::ToTokens;
use syn::visit_mut::VisitMut;

/// Puts the macros' code in the place of the items that have our attributes.
struct Expand;

impl VisitMut for Expand {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        let items = std::mem::take(&mut file.items);
        for item in items {
            let mut one = syn::File {
                shebang: None,
                frontmatter: None,
                attrs: Vec::new(),
                items: vec![item.clone()],
            };
            match super::cases(&mut one).pop() {
                None => file.items.push(item),
                Some(case) => {
                    let code = super::expand(&case.name, case.args, case.item);
                    let code: syn::File = syn::parse2(code).expect("it is code");
                    file.items.extend(code.items);
                }
            }
        }
    }
}

#[test]
fn snapshots() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    for name in ["actor", "matcher", "protocol"] {
        let input = fs::read_to_string(folder.join(format!("{name}.in.rs"))).expect("it is there");
        let mut file = syn::parse_file(&input).expect("it is code");
        Expand.visit_file_mut(&mut file);
        // Through text, as the macros' tokens go to the compiler.
        let file: syn::File = syn::parse2(file.into_token_stream()).expect("it is code");
        let now = prettyplease::unparse(&file);
        let path = folder.join(format!("{name}.out.rs"));
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &now).expect("the folder is writable");
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            now == kept,
            "`{}` is out of date; `UPDATE=1 cargo test -p uproar-macros snapshots` writes\n{now}",
            path.display()
        );
    }
}
