//! What the macros accept, and what they say to what they don't.
//!
//! A case in a `pass` folder is built and run. A case in a `fail` folder is named after a mistake; the `.stderr` beside
//! it holds all that the compiler says, in the words of the oldest supported Rust. After a change,
//! `TRYBUILD=overwrite cargo test --test ui` writes them anew: read each one before keeping it.

#[test]
#[cfg_attr(miri, ignore = "starts compilers")]
fn accepted() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/*/pass/*.rs");
}

/// Apart from `accepted`, so that they are only checked, all in one go.
#[test]
#[cfg_attr(miri, ignore = "starts compilers")]
fn refused() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*/fail/*.rs");
}
