//! No tokens make a macro panic: it would show as a panic of the compiler, at no place.
//!
//! The corpus is every case of `tests/ui`. Each run mutates it in the same way. To look further,
//! `UPROAR_FUZZ_SEED=7 UPROAR_FUZZ_CASES=1000000 cargo test -p uproar-macros fuzz`.

use std::fs;
use std::panic;
use std::path::Path;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

use super::Case;

const SEED: u64 = 0x5EED;
const CASES: usize = 10_000;

/// A sequence that a seed determines (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n.max(1) as u64).unwrap_or(0)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}

fn corpus() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ui");
    let mut files = Vec::new();
    for kind in ["actor", "receive", "entry", "handlers"] {
        for outcome in ["pass", "fail"] {
            let folder = folder.join(kind).join(outcome);
            let entries = fs::read_dir(&folder).expect("the cases are beside this crate");
            files.extend(entries.map(|entry| entry.expect("it is readable").path()));
        }
    }
    // The same order on every machine.
    files.sort();
    let rust = files
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"));
    rust.flat_map(|path| {
        let text = fs::read_to_string(path).expect("it is readable");
        syn::parse_file(&text).map_or_else(|_| Vec::new(), |mut file| super::cases(&mut file))
    })
    .collect()
}

/// All tokens, those in groups too.
fn pool(tokens: TokenStream, pool: &mut Vec<TokenTree>) {
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            self::pool(group.stream(), pool);
        }
        pool.push(token);
    }
}

/// Tokens that are special to the macros or to the language.
fn special() -> Vec<TokenTree> {
    let mut special = Vec::new();
    let words = "Typed Timeout Envelope Self self r#match crate super _ mut ref if let match loop while for async \
        await receive cfg return break dyn impl const unsafe static where fn";
    for word in words.split_whitespace() {
        special.push(match word.strip_prefix("r#") {
            Some(raw) => Ident::new_raw(raw, Span::call_site()).into(),
            None => Ident::new(word, Span::call_site()).into(),
        });
    }
    for punct in "#|@&<>=:,;.?!'*+-$".chars() {
        special.push(Punct::new(punct, Spacing::Alone).into());
        special.push(Punct::new(punct, Spacing::Joint).into());
    }
    for delimiter in [
        Delimiter::Parenthesis,
        Delimiter::Brace,
        Delimiter::Bracket,
        Delimiter::None,
    ] {
        special.push(Group::new(delimiter, TokenStream::new()).into());
    }
    special.push(Literal::string("{n}").into());
    special.push(Literal::u128_unsuffixed(u128::MAX).into());
    special
}

/// Changes one place somewhere in `tokens`.
fn mutate(tokens: TokenStream, random: &mut Random, pool: &[TokenTree]) -> TokenStream {
    let mut tokens: Vec<_> = tokens.into_iter().collect();
    let at = random.below(tokens.len());
    // Most tokens are in groups.
    if let Some(TokenTree::Group(group)) = tokens.get(at)
        && random.below(4) > 0
    {
        let mut inner = Group::new(group.delimiter(), mutate(group.stream(), random, pool));
        inner.set_span(group.span());
        tokens[at] = inner.into();
        return tokens.into_iter().collect();
    }
    // A token of the same kind often leaves code that parses, and so goes deeper.
    if let Some(old) = tokens.get(at)
        && random.below(2) == 0
    {
        let kind = std::mem::discriminant(old);
        let like = (0..64).find_map(|_| {
            let token = random.pick(pool)?;
            (std::mem::discriminant(token) == kind).then(|| token.clone())
        });
        tokens.splice(at..=at, like).for_each(drop);
        return tokens.into_iter().collect();
    }
    let new = random.pick(pool).cloned();
    match (random.below(8), tokens.get(at).cloned()) {
        (0, Some(_)) => drop(tokens.remove(at)),
        (1, Some(old)) => tokens.insert(at, old),
        (2, Some(_)) => {
            let other = random.below(tokens.len());
            tokens.swap(at, other);
        }
        (3, Some(_)) => tokens.truncate(at),
        (4, Some(TokenTree::Group(group))) => {
            tokens.splice(at..=at, group.stream());
        }
        (5, Some(_)) => {
            let end = (at + 1 + random.below(4)).min(tokens.len());
            let delimiters = [Delimiter::Parenthesis, Delimiter::Brace, Delimiter::None];
            let delimiter = delimiters[random.below(delimiters.len())];
            let inner = tokens.drain(at..end).collect();
            tokens.insert(at, Group::new(delimiter, inner).into());
        }
        (6, Some(_)) => tokens.splice(at..=at, new).for_each(drop),
        _ => tokens.splice(at..at, new).for_each(drop),
    }
    tokens.into_iter().collect()
}

#[test]
fn fuzz() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seed = number("UPROAR_FUZZ_SEED").unwrap_or(SEED);
    let cases = number("UPROAR_FUZZ_CASES").map_or(CASES, |n| usize::try_from(n).unwrap_or(CASES));
    let corpus = corpus();
    assert!(corpus.len() > 100, "few cases: {}", corpus.len());
    let mut tokens = special();
    for case in &corpus {
        pool(case.item.clone(), &mut tokens);
    }
    let mut random = Random(seed);
    let (mut parsed, mut accepted) = (0, 0);
    for number in 0..cases {
        let case = &corpus[random.below(corpus.len())];
        let (mut args, mut item) = (case.args.clone(), case.item.clone());
        for _ in 0..=random.below(3) {
            match random.below(6) {
                0 => args = mutate(args, &mut random, &tokens),
                _ => item = mutate(item, &mut random, &tokens),
            }
        }
        parsed += usize::from(syn::parse2::<syn::Item>(item.clone()).is_ok());
        let (text, name) = (format!("({args})] {item}"), case.name.as_str());
        let expanded = panic::catch_unwind(move || super::expand(name, args, item));
        let expanded = expanded.unwrap_or_else(|_| {
            panic!("case {number} of UPROAR_FUZZ_SEED={seed} panics:\n#[{name}{text}")
        });
        accepted += usize::from(!expanded.to_string().contains("compile_error"));
    }
    println!(
        "seed {seed}: {cases} mutations of {} cases; {parsed} parse, {accepted} expand without an error",
        corpus.len()
    );
    // Otherwise the mutations would only ever reach the first check.
    assert!(parsed > cases / 10, "{parsed} of {cases}");
}
