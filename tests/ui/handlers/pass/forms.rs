//! Every form of a handler, a hook, and the `impl` around them.
#![deny(warnings)]
#![allow(clippy::needless_arbitrary_self_type)]
use std::marker::PhantomData;

use uproar::prelude::*;
use uproar::Runtime;

mod messages {
    pub struct Deposit(pub u64);
    pub struct Withdraw {
        pub amount: u64,
    }
    #[derive(Debug, PartialEq)]
    pub struct Overdrawn {
        pub by: u64,
    }
    pub struct Rename<T>(pub T);
    pub enum Query {
        Balance,
        Twice(u64),
    }
}

use messages::{Deposit, Overdrawn, Query};

pub struct Log(Vec<String>);

#[derive(Clone)]
struct Entries;

struct Account {
    balance: u64,
    names: Vec<String>,
    trace: Vec<&'static str>,
}

/// Docs stay.
#[actor]
impl Account {
    const START: u64 = 1;

    fn new() -> Self {
        Self {
            balance: Self::START,
            names: Vec::new(),
            trace: Vec::new(),
        }
    }

    /// Patterns bind in the argument.
    #[receive]
    async fn deposit(&mut self, Deposit(n): Deposit) {
        self.add(n).await;
    }

    // A plain fn, a path, a named struct, `mut`, and a `Result` as the reply.
    #[receive]
    pub(crate) fn withdraw(
        &mut self,
        messages::Withdraw { mut amount }: messages::Withdraw,
    ) -> Result<u64, Overdrawn> {
        amount += 1;
        amount -= 1;
        let left = self.balance.checked_sub(amount);
        self.balance = left.ok_or_else(|| Overdrawn {
            by: amount - self.balance,
        })?;
        Ok(self.balance)
    }

    // A generic message type, a `&self`, an attribute.
    #[must_use]
    #[receive]
    async fn rename(&mut self, message: messages::Rename<String>) -> usize {
        let messages::Rename(name) = message;
        self.names.push(name);
        self.names.len()
    }

    #[uproar::receive]
    fn query(&self, query: Query) -> u64 {
        match query {
            Query::Balance => self.balance,
            Query::Twice(n) => 2 * n,
        }
    }

    // Types that are no structs; `Typed` stands for what is in it.
    #[receive]
    async fn text(self: &mut Self, text: &'static str) -> (usize, &'static str) {
        (text.len(), text)
    }

    #[receive]
    async fn pair(&mut self, Typed((a, b)): Typed<(u8, u8)>) -> [u8; 2] {
        [b, a]
    }

    #[receive]
    fn closure(&mut self, Typed(make): Typed<Box<dyn FnOnce(&str) -> u64 + Send>>) -> u64 {
        make("text")
    }

    // A message that carries its own way back.
    #[receive]
    async fn log(&mut self, Typed(reply_to): Typed<ReplyTo<Log>>) {
        reply_to.send(Log(self.names.clone()));
    }

    #[receive]
    #[allow(clippy::unused_unit)]
    async fn entries<'a>(&'a mut self, _: Entries) -> () {
        self.trace.push("entries");
    }

    #[cfg(all(unix, not(unix)))]
    #[receive]
    async fn never_there(&mut self, _: NoSuchType) {}

    #[cfg(any(unix, not(unix)))]
    #[receive]
    async fn there(&mut self, _: i128) -> &'static str {
        "there"
    }

    #[cfg(not(any(unix, not(unix))))]
    #[receive]
    async fn other_form(&mut self, _: i128) -> u8 {
        1
    }

    // Any message that nothing else takes.
    #[receive]
    async fn other(&mut self, any: Envelope) {
        assert!(any.is::<i8>());
        self.trace.push("other");
    }

    async fn on_start(&mut self) {
        self.trace.push("start");
    }

    fn on_stop(&mut self, reason: &ExitReason) {
        assert_eq!(*reason, ExitReason::Shutdown);
        assert_eq!(self.trace, ["start", "entries", "other"]);
    }

    // No handlers: left alone.
    async fn add(&mut self, n: u64) {
        self.balance += n;
    }

    #[allow(dead_code)]
    fn consume(self) -> u64 {
        self.balance
    }
}

/// Generics, a const, bounds in both places, a lifetime in a handler.
#[derive(Default)]
pub struct Ring<T, const N: usize>
where
    T: Clone,
{
    items: Vec<T>,
}

pub struct Push<T>(pub T);
pub struct Last<T>(PhantomData<T>);

#[actor]
impl<T: Clone + Send + 'static, const N: usize> Ring<T, N>
where
    T: PartialEq,
{
    #[receive]
    async fn push(&mut self, Push(item): Push<T>) -> Option<T> {
        self.items.push(item);
        (self.items.len() > N).then(|| self.items.remove(0))
    }

    #[receive]
    fn last(&mut self, _: Last<T>) -> Option<T> {
        self.items.last().cloned()
    }

    #[receive]
    fn plain(&mut self, item: T) -> bool {
        self.items.contains(&item)
    }
}

/// An enum is an actor too, and may fail to start.
enum Door {
    Open,
    Shut,
}

struct Toggle;

#[actor]
impl Door {
    #[receive]
    fn toggle(&mut self, _: Toggle) {
        *self = match self {
            Self::Open => Self::Shut,
            Self::Shut => Self::Open,
        };
    }

    async fn on_start(&mut self) -> Result<(), &'static str> {
        match self {
            Self::Open => Err("open"),
            Self::Shut => Ok(()),
        }
    }
}

/// Never replies.
struct Sink;

#[actor]
impl Sink {
    #[receive]
    async fn end(&mut self, Typed(message): Typed<String>) -> ! {
        panic!("{message}")
    }

    #[receive]
    fn end_now(&mut self, message: u8) -> ! {
        panic!("{message}")
    }

    async fn on_stop(&mut self, _: &ExitReason) -> Result<(), String> {
        Err("never called".into())
    }
}

/// Not `Send` while it waits.
struct Local;

#[actor(local)]
impl Local {
    #[receive]
    async fn shared(&mut self, n: u32) -> u32 {
        let shared = std::rc::Rc::new(n);
        yield_now().await;
        *shared
    }

    async fn on_start(&mut self) {
        let shared = std::rc::Rc::new(1);
        yield_now().await;
        assert_eq!(*shared, 1);
        let me = self_address::<Self>();
        spawn(async move {
            assert_eq!(me.call(5u32).await, Ok(5));
            std::process::exit(0);
        });
    }
}

mod private {
    use uproar::prelude::*;

    pub struct Public(pub u8);
    struct Hidden(u8);
    #[derive(PartialEq, Debug)]
    struct Answer(u8);

    #[actor]
    impl Public {
        #[receive]
        async fn hidden(&mut self, Hidden(n): Hidden) -> u8 {
            Answer(self.0 + n).0
        }
    }

    pub async fn ask(address: &Address<Public>) -> u8 {
        address.call(Hidden(1)).await.unwrap()
    }
}

async fn sum<P: Handles<Query, Reply = u64>>(of: &[Address<P>]) -> u64 {
    let mut sum = 0;
    for address in of {
        address.send(Query::Balance);
        sum += address.call(Query::Twice(1)).await.unwrap();
        sum += address.call(Query::Balance).await.unwrap();
    }
    sum
}

pub trait Store: Send + 'static {
    fn put(&mut self, n: u8);
}

impl Store for Vec<u8> {
    fn put(&mut self, n: u8) {
        self.push(n);
    }
}

/// The bounds only imply that the parameter is no borrow, or leave that to whoever spawns it.
pub struct Stored<S>(S);

#[actor]
impl<S: Store> Stored<S> {
    #[receive]
    fn put(&mut self, Push(n): Push<u8>) {
        self.0.put(n);
    }
}

pub struct Kept<T>(Option<T>);

#[actor]
impl<T> Kept<T>
where
    T: Send,
{
    #[receive]
    fn keep(&mut self, value: T) -> bool {
        self.0.replace(value).is_some()
    }
}

fn spawn_stored<S: Store>(store: S) -> Address<Stored<S>> {
    spawn(Stored(store))
}

#[uproar::main]
async fn main() {
    assert_eq!(spawn_stored(Vec::new()).call(Push(1)).await, Ok(()));
    assert_eq!(spawn(Kept(Some(1u8))).call(2u8).await, Ok(true));

    let account: Address<Account> = spawn(Account::new());
    account.send(Deposit(10));
    account.call(Deposit(1)).await.unwrap();
    let withdraw = |amount| account.call(messages::Withdraw { amount });
    assert_eq!(withdraw(2).await, Ok(Ok(10)));
    assert_eq!(withdraw(12).await, Ok(Err(Overdrawn { by: 2 })));
    assert_eq!(account.call(messages::Rename("a".to_owned())).await, Ok(1));
    let text = account.call("text").timeout(Duration::from_secs(60));
    assert_eq!(text.await, Ok((4, "text")));
    assert_eq!(account.call((1u8, 2u8)).await, Ok([2, 1]));
    let make: Box<dyn FnOnce(&str) -> u64 + Send> = Box::new(|text| text.len() as u64);
    assert_eq!(account.call(make).await, Ok(4));
    let Log(names) = account.ask(|reply_to: ReplyTo<Log>| reply_to).await.unwrap();
    assert_eq!(names, ["a"]);
    account.recipient().send(Entries);
    assert_eq!(account.call(1i128).await, Ok("there"));
    send(&account, 1i8);
    assert_eq!(sum(std::slice::from_ref(&account)).await, 12);

    let ring = spawn(Ring::<u8, 1> { items: Vec::new() });
    assert_eq!(ring.call(Push(1)).await, Ok(None));
    assert_eq!(ring.call(Push(2)).await, Ok(Some(1)));
    assert_eq!(ring.call(Last(PhantomData)).await, Ok(Some(2)));
    assert_eq!(ring.call(1u8).await, Ok(false));

    let shut = spawn(Door::Shut);
    assert_eq!(shut.call(Toggle).await, Ok(()));
    let open = spawn(Door::Open);
    assert!(matches!(open.call(Toggle).await, Err(AskError::Gone(_))));

    let sink = spawn(Sink);
    let Err(AskError::Gone(reason)) = sink.call("over".to_owned()).await else {
        panic!("it ends")
    };
    assert!(reason.to_string().contains("over"));
    assert!(matches!(spawn(Sink).call(1u8).await, Err(AskError::Gone(_))));

    assert_eq!(private::ask(&spawn(private::Public(1))).await, 2);

    std::thread::spawn(|| {
        let runtime = Runtime::builder().workers(1).start().unwrap();
        let account = runtime.spawn(Account::new());
        assert_eq!(account.call("text").wait(), Ok((4, "text")));
        let text = account.call("text").timeout(Duration::from_secs(60));
        assert_eq!(text.wait(), Ok((4, "text")));
        drop(account.call(Entries).wait());
        runtime.send(&account, 1i8);
        assert_eq!(account.call("text").wait(), Ok((4, "text")));
        runtime.shutdown(Duration::from_secs(60));
    })
    .join()
    .unwrap();

    std::thread::spawn(|| uproar::run(Local)).join().unwrap();
    unreachable!("the local actor ends the program");
}
