//! Types with lifetimes live in the body, across awaits; arguments hold `'static` borrows.
#![deny(warnings)]
use uproar::prelude::*;

struct Add(u8);

struct Cursor<'a, 'b: 'a> {
    text: &'a str,
    seen: &'a mut Vec<&'b str>,
}

impl<'b> Cursor<'_, 'b> {
    #[receive]
    async fn step(&mut self, word: &'b str) -> usize {
        #[receive]
        match receive().await {
            Add(n) if usize::from(n) <= self.text.len() => {
                self.seen.push(word);
                usize::from(n)
            }
        }
    }
}

#[actor(receives(Add))]
async fn reader(
    text: &'static str,
    words: &'static [&'static str],
    name: std::borrow::Cow<'static, str>,
) {
    let mut seen = Vec::new();
    let owned = name.into_owned();
    let mut cursor = Cursor {
        text,
        seen: &mut seen,
    };
    assert_eq!(cursor.step(words[0]).await, 2);
    assert_eq!(cursor.step(&owned).await, 1);
    assert_eq!(seen, ["one", "two"]);
}

fn main() {
    let end = uproar::run(async {
        let reader = spawn(reader("text", &["one"], "two".into()));
        reader.send(Add(9));
        reader.send(Add(2));
        reader.send(Add(1));
        while reader.is_alive() {
            yield_now().await;
        }
    });
    assert_eq!(end, ExitReason::Normal);
}
