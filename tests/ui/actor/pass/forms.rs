//! Every form of an actor's function: arguments, generics, outputs, options, places.
#![deny(warnings)]

use std::fmt::Display;
use std::marker::PhantomData;
use std::rc::Rc;

use uproar::prelude::*;

struct Msg<T>(T);
struct Tick;
struct Pair {
    a: u8,
    b: u8,
}
struct Get(ReplyTo<u32>);

mod arguments {
    use super::*;

    /// Generic over a type and a constant; its arguments are patterns.
    #[actor]
    pub async fn holder<T, const N: usize>(
        items: [T; N],
        _: Tick,
        Pair { a, mut b }: Pair,
    ) -> Result<(), String>
    where
        T: Display + Send + 'static,
    {
        let mut sum = String::new();
        for item in items {
            sum.push_str(&item.to_string());
            yield_now().await;
        }
        b += a;
        for _ in 0..2 {
            #[receive]
            match receive().await {
                Typed::<Msg<T>>(Msg(item)) if b > 1 => sum.push_str(&item.to_string()),
                Typed::<[T; N]>(items) => sum.push_str(&items.len().to_string()),
                Tick => unreachable!(),
            }
        }
        assert_eq!(sum, "12393");
        Ok(())
    }

    #[actor]
    pub async fn with_impl(mut f: impl FnMut(&str) -> u8 + Send + 'static, g: fn(&str) -> &str) {
        assert_eq!(f(g("xx")), 1);
    }

    /// As in any `async fn`, what is not used lives as long as the body.
    #[actor(local)]
    pub async fn unused(
        #[allow(unused_variables)] n: Rc<u8>,
        _m: Rc<u8>,
        _: Rc<u8>,
        weak: std::rc::Weak<u8>,
    ) {
        assert_eq!(weak.strong_count(), 4);
    }

    #[actor]
    pub async fn unsized_type<T: ?Sized + Send + 'static>(_: PhantomData<fn() -> Box<T>>) {}

    #[actor(local)]
    pub async fn local(n: Rc<u8>) {
        self_address::<Local>().send(Tick);
        #[receive]
        match receive().await {
            Tick if *n == 1 => {}
            Tick => unreachable!(),
        }
    }
}

mod families {
    use super::*;

    /// Spawns itself.
    #[actor]
    pub async fn tree(depth: u32) {
        let mut size = 1;
        if depth > 0 {
            for _ in 0..2 {
                let child: Address<Tree> = spawn(tree(depth - 1));
                size += child.ask(Get).await.unwrap();
            }
        }
        #[receive]
        match receive().await {
            Get(reply_to) => reply_to.send(size),
        }
    }

    /// The two spawn each other.
    #[actor]
    pub async fn ping(n: u32, done: Address<Anything>) {
        let _: Address<Back> = spawn(pong(n, done));
    }

    #[actor(name = Back)]
    pub async fn pong(n: u32, done: Address<Anything>) {
        if n > 0 {
            let _: Address<Ping> = spawn(ping(n - 1, done));
        } else {
            done.send(Tick);
        }
    }
}

mod outputs {
    use super::*;

    #[actor]
    pub async fn endless() -> ! {
        let mut seen = 0;
        loop {
            #[receive]
            match receive().await {
                Tick => seen += 1,
                Get(reply_to) => reply_to.send(seen),
            }
        }
    }

    #[actor]
    pub async fn panics() -> ! {
        panic!("as told")
    }

    #[actor]
    pub async fn question(text: &'static str) -> Result<(), std::num::ParseIntError> {
        let n: u8 = text.parse()?;
        if n == 1 {
            return Ok(());
        }
        "none".parse::<u8>().map(drop)
    }

    #[actor]
    pub async fn text(fails: bool) -> Result<(), &'static str> {
        if fails { Err("as told") } else { Ok(()) }
    }

    #[actor]
    pub async fn boxed() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Err("boxed")?
    }

    #[actor]
    pub async fn reason(reason: ExitReason) -> ExitReason {
        yield_now().await;
        reason
    }
}

mod protocols {
    use super::*;

    #[receive]
    pub enum Wanted {
        Tick(Tick),
        Text(Typed<String>),
    }

    pub struct Account(u32);

    impl Account {
        pub fn new() -> Self {
            Account(7)
        }

        /// An associated function uses a protocol that exists.
        #[actor(protocol = Wanted)]
        pub async fn run(mut account: Self, done: Address<Anything>) {
            loop {
                match receive::<Wanted>().await {
                    Wanted::Tick(Tick) => account.0 += 1,
                    Wanted::Text(Typed(text)) => break done.send((text, account.0)),
                }
            }
        }
    }

    #[actor(receives(Pair, Msg<u8>, Tick))]
    pub async fn with_helper(done: Address<Anything>) {
        #[receive]
        match receive().await {
            Tick => done.send(helper().await),
        }
    }

    #[receive]
    async fn helper() -> u8 {
        let n = #[receive]
        match receive().await {
            Pair { a, b } => a + b,
        };
        #[receive]
        match receive().await {
            Typed::<Msg<u8>>(Msg(m)) => n + m,
        }
    }
}

/// The protocol and the function may be as private as the messages.
mod private {
    use super::*;

    struct Secret(u8);

    #[actor]
    async fn hidden(done: Address<Anything>) {
        #[receive]
        match receive().await {
            Secret(n) => done.send(n),
        }
    }

    /// A public actor may receive what only its module can send.
    #[actor]
    pub async fn public() {
        let hidden: Address<Hidden> = spawn(hidden(self_address::<Anything>()));
        hidden.send(Secret(3));
        let Typed(n) = receive::<Typed<u8>>().await;
        self_address::<Public>().send(Secret(n));
        #[receive]
        match receive().await {
            Secret(n) => assert_eq!(n, 3),
        }
    }

    pub(super) mod inner {
        use super::super::*;

        #[actor]
        pub(in super::super) async fn restricted() {
            #[receive]
            match receive().await {
                crate::Tick => {}
            }
        }
    }
}

/// Actors that a macro writes, and one that stands in another's body.
mod places {
    use super::*;

    macro_rules! adder {
        ($name:ident, $ty:ty, $pattern:pat, $path:path, $guard:expr, $body:expr) => {
            #[actor]
            pub async fn $name(mut sum: u64) {
                let least = 1;
                loop {
                    #[receive]
                    match receive().await {
                        Pair { a, .. } if a > least && $guard => sum += 10,
                        Typed::<$ty>(n) => sum += u64::from(n),
                        $path(reply_to) => {
                            reply_to.send(sum as u32);
                            $body
                        }
                        $pattern => sum += 100,
                    }
                }
            }
        };
    }
    adder!(adder, u16, Tick, Get, true, break);

    #[actor]
    pub async fn outer() {
        #[actor]
        async fn inner(outer: Address<Outer>) {
            #[receive]
            match receive().await {
                Tick => outer.send(Tick),
            }
        }
        let inner: Address<Inner> = spawn(inner(self_address::<Outer>()));
        inner.send(Tick);
        #[receive]
        match receive().await {
            Tick => {}
        }
    }
}

#[actor]
async fn all() {
    let me = self_address::<Anything>();

    let holder: Address<arguments::Holder<i32, 3>> =
        spawn(arguments::holder([1, 2, 3], Tick, Pair { a: 1, b: 2 }));
    holder.send(Msg(9));
    holder.send([1, 2, 3]);
    spawn(arguments::unsized_type::<str>(PhantomData));
    let _: Address<private::inner::Restricted> = spawn(private::inner::restricted());

    assert_eq!(spawn(families::tree(4)).ask(Get).await, Ok(31));
    spawn(families::ping(20, me.clone()));
    let Typed(Tick) = receive::<Typed<Tick>>().await;

    let adder: Address<places::Adder> = spawn(places::adder(1000));
    adder.send(Tick);
    adder.send(Pair { a: 2, b: 0 });
    adder.send(7u16);
    assert_eq!(adder.ask(Get).await, Ok(1117));

    let endless: Address<outputs::Endless> = spawn(outputs::endless());
    endless.send(Tick);
    assert_eq!(endless.ask(Get).await, Ok(1));

    let account: Address<protocols::Wanted> = spawn(protocols::Account::run(
        protocols::Account::new(),
        me.clone(),
    ));
    account.send(Tick);
    account.send(String::from("sum"));
    let Typed((text, sum)) = receive::<Typed<(String, u32)>>().await;
    assert_eq!((text.as_str(), sum), ("sum", 8));

    let with_helper = spawn(protocols::with_helper(me));
    with_helper.send(Msg(1u8));
    with_helper.send(Pair { a: 2, b: 3 });
    with_helper.send(Tick);
    let Typed(sum) = receive::<Typed<u8>>().await;
    assert_eq!(sum, 6);
}

fn main() {
    use ExitReason::{Normal, Shutdown};
    use uproar::run;

    assert_eq!(run(all()), Normal);
    assert_eq!(run(private::public()), Normal);
    assert_eq!(run(places::outer()), Normal);
    assert_eq!(
        run(arguments::with_impl(
            |text| text.len() as u8,
            |text| &text[1..]
        )),
        Normal
    );
    assert_eq!(run(arguments::local(Rc::new(1))), Normal);
    let n = Rc::new(1);
    assert_eq!(
        run(arguments::unused(
            n.clone(),
            n.clone(),
            n.clone(),
            Rc::downgrade(&n)
        )),
        Normal
    );
    assert_eq!(run(outputs::question("1")), Normal);
    assert_eq!(
        run(outputs::question("2")).to_string(),
        "error: invalid digit found in string"
    );
    assert_eq!(
        run(outputs::question("x")).to_string(),
        "error: invalid digit found in string"
    );
    assert_eq!(run(outputs::text(false)), Normal);
    assert_eq!(run(outputs::text(true)).to_string(), "error: as told");
    assert_eq!(run(outputs::boxed()).to_string(), "error: boxed");
    assert_eq!(run(outputs::reason(Shutdown)), Shutdown);
    let ExitReason::Panic(panicked) = run(outputs::panics()) else {
        panic!("it panics");
    };
    assert_eq!(panicked.message(), "as told");
}
