//! `#[receive]` on functions: methods that borrow and are generic, and methods of traits.
#![deny(warnings)]
use uproar::prelude::*;

struct Add(u64);

struct Receiver<'a, T> {
    text: &'a str,
    seen: Vec<T>,
}

impl<T: Clone + PartialEq + Send + 'static> Receiver<'_, T> {
    #[receive]
    async fn next<const N: usize>(&mut self, limit: &T) -> Result<usize, String> {
        for _ in 0..N {
            #[receive]
            match receive().await {
                Typed::<T>(value) if value == *limit => return Ok(self.seen.len()),
                Typed::<T>(value) => self.seen.push(value),
                Add(n) => return Err(format!("{}{n}", self.text)),
            }
        }
        Ok(N)
    }
}

trait Next {
    async fn next(&self) -> u64;

    #[receive]
    async fn default(&self) -> u64 {
        #[receive]
        match receive().await {
            Add(n) => n,
        }
    }
}

impl Next for Add {
    #[receive]
    async fn next(&self) -> u64 {
        #[receive(timeout = Duration::ZERO)]
        match receive().await {
            Self(n) if n == self.0 => n,
            Self(mut n) => {
                n += 1;
                n
            }
            Timeout => 0,
        }
    }
}

#[actor]
async fn functions() -> Result<(), String> {
    let me = self_address::<Anything>();
    let text = String::from("add ");
    let mut receiver = Receiver {
        text: &text,
        seen: Vec::<u8>::new(),
    };
    for n in [1u8, 2, 3] {
        me.send(n);
    }
    me.send(Add(7));
    assert_eq!(receiver.next::<9>(&3).await?, 2);
    assert_eq!(receiver.next::<9>(&3).await, Err("add 7".into()));
    assert_eq!(receiver.next::<0>(&3).await?, 0);
    assert_eq!(receiver.seen, [1, 2]);
    me.send(Add(3));
    me.send(Add(4));
    assert_eq!(Next::next(&Add(4)).await, 4);
    assert_eq!(Add(4).next().await, 4);
    assert_eq!(Add(4).next().await, 0);
    me.send(Add(5));
    assert_eq!(Add(4).default().await, 5);
    Ok(())
}

fn main() {
    assert_eq!(uproar::run(functions()), ExitReason::Normal);
}
