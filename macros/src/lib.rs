//! The macros of [`uproar`](https://docs.rs/uproar). Use them through that crate, which re-exports them: what they
//! generate names its items.

#![warn(missing_docs)]

mod actor;
mod beside;
mod body;
mod cfg;
mod entry;
mod fallback;
mod handlers;
mod loops;
mod options;
mod output;
mod owned;
mod path;
mod protocol;
mod receive;
mod scope;
mod spelling;
#[cfg(test)]
mod tests;
mod unread;

use proc_macro::TokenStream;

/// Makes an `async fn`, or a struct with handlers, an actor: something that can be spawned and has a typed address.
///
/// # On an `async fn`
///
/// The function becomes a plain `fn` whose value is handed to one of the `spawn` functions. Beside it appears a type
/// of the same name in UpperCamelCase, with the same visibility and generics: the actor's *protocol*, the set of
/// messages it receives. The macro reads them off the `#[receive]` matches in the body, so sending anything else to
/// an `Address` of that protocol does not compile. Message types may be declared or imported in the body.
///
/// ```ignore
/// struct Add(u64);
/// struct Get(ReplyTo<u64>);
///
/// #[actor]
/// async fn counter(mut total: u64) {
///     loop {
///         #[receive]
///         match receive().await {
///             Add(n) => total += n,
///             Get(reply_to) => reply_to.send(total),
///         }
///     }
/// }
///
/// let counter: Address<Counter> = spawn(counter(0));
/// ```
///
/// Arguments may be any patterns and `impl Trait`; they are owned by the actor and dropped when it ends, so they hold
/// no borrows but `'static` ones. Generics, where clauses, attributes and visibility are kept. An actor may spawn
/// itself. Every loop with an `.await` in it spends one reduction a turn, so an actor that never has to wait still
/// makes room for others.
///
/// # On an `impl`
///
/// ```ignore
/// struct Account { balance: u64 }
///
/// #[actor]
/// impl Account {
///     #[receive]
///     async fn deposit(&mut self, Deposit(n): Deposit) { self.balance += n; }
///
///     #[receive]
///     fn balance(&mut self, _: Balance) -> u64 { self.balance }
///
///     async fn on_start(&mut self) {}
///
///     async fn on_stop(&mut self, _: &ExitReason) {}
/// }
///
/// let account: Address<Account> = spawn(Account { balance: 0 });
/// account.send(Deposit(1));
/// let balance: u64 = account.call(Balance).await?;
/// ```
///
/// The type itself is the protocol. Each method with `#[receive]` is the handler of one message type: it borrows the
/// actor, takes the message by any pattern, may be `async` or not, and what it returns is the reply to a `call`; an
/// `Err` is a reply too. A handler of `Envelope` takes what nothing else in the block receives. `#[receive] match`
/// works in every method, and its messages belong to the protocol. Methods without `#[receive]` stay as they are.
///
/// `on_start` runs before the first message, and its `Err` ends the actor. On the exit signal `Shutdown` the actor
/// finishes what it is in, runs `on_stop`, and ends with `Shutdown`. See the guide's chapter on handlers.
///
/// There is one `#[actor] impl` for a type, without a trait. Generic parameters stand on the `impl`.
///
/// # Options
///
/// * `name = Ident` names the protocol, where the function's name does not do. Not on an `impl`.
/// * `receives(A, B<u8>)` adds messages that helper functions receive for the actor.
/// * `protocol = Type` uses a protocol that exists, say a `#[receive]` enum, and generates none. An associated
///   function in an `impl` block needs it. Not on an `impl`.
/// * `local` makes an actor whose future need not be `Send`, such as the main actor of `run` may be.
/// * `crate = path` says where `uproar` is, for crates that rename or re-export it.
///
/// # Errors
///
/// Not an `async fn`, a `const`, `unsafe` or `extern` one, a `self` argument, a lifetime other than `'static`, a type
/// parameter of an argument that may be a borrow, an argument, message or reply without a size, `#[receive]` or another
/// attribute of this library beside `#[actor]`, or a `#[receive]` match that breaks one of the rules of
/// [`receive`](macro@receive). In an `impl`: a trait; a handler that has not one message, does not borrow its actor, is
/// generic or `unsafe`, or returns an `impl Trait` or a borrow; two handlers of one message; a message type that is
/// declared in a method; hooks of another form; a lifetime other than `'static`; a misspelt `#[receive]`.
///
/// An associated function without `protocol = ..` is an error of the compiler's, that a `struct` can't be declared
/// there.
#[proc_macro_attribute]
pub fn actor(args: TokenStream, input: TokenStream) -> TokenStream {
    actor::door(args.into(), input.into()).into()
}

/// Receives messages by pattern: the oldest message in the mailbox that some arm accepts.
///
/// # On a `match`
///
/// ```ignore
/// #[receive(timeout = Duration::from_secs(5))]
/// match receive().await {
///     Reply { id, body } if id == wanted => return Ok(body),
///     Command::Stop => break,
///     Typed::<String>(text) => println!("{text}"),
///     Timeout => continue,
/// }
/// ```
///
/// Messages that no arm accepts stay in the mailbox, in order. Arms are tried from top to bottom for each message. A
/// message is moved out only when its arm is chosen, and bindings are by value. The arms' bodies are ordinary code
/// after the receive: `.await`, `?`, `break`, `continue` and `return` work in them, and the `match` has a value.
///
/// An arm's message type is read off its pattern. `Add(n)`, `m::Add { .. }` and the unit struct `Stop` are of the type
/// that the path names; in `Command::Stop` the type is `Command`. `Typed::<T>(pattern)` names the type where the
/// pattern does not. A variable, as in `other =>`, or `_` takes any message, as an `Envelope`, and adds nothing to
/// the actor's protocol. An arm may have alternatives of several types: `Add(n) | Sub(n)`. Arms are tried in their
/// order also where one type has two names, or a generic actor's `T` turns out to be another arm's type; but rustc
/// sees arms that can't be reached only among those that name their type alike. A variant that is imported by name is
/// written with its enum all the same: `Command::Stop`.
///
/// With `timeout = ..` the receive gives up after that time, counted from its start, and takes the `Timeout` arm.
/// The time is evaluated once.
///
/// A guard is run for every message that fits its pattern, while the mailbox is searched. It sees the variables of
/// its pattern and of the function around, but it can't wait, return, or leave a loop. It may bind variables of its
/// own, `if let Some(rest) = text.strip_prefix("x")`.
///
/// Such a `match` is read by the macro on the function around it: `#[actor]`, `#[uproar::main]`, `#[uproar::test]`,
/// or `#[receive]`.
///
/// # On an `async fn`
///
/// Makes `#[receive]` matches work in a function that is no actor but is called by one. Its loops spend reductions
/// as an actor's do. Name its messages in the actor's `#[actor(receives(..))]`.
///
/// # On an enum
///
/// ```ignore
/// #[receive]
/// enum Wanted {
///     Add(Add),
///     Text(Typed<String>),
/// }
///
/// let next: Wanted = receive().await;
/// ```
///
/// Each variant holds the one message type it receives; `Typed<T>` stands for a `T`, and a last variant that holds an
/// `Envelope` takes any other message. The enum can be an actor's protocol too.
///
/// # On a struct
///
/// Makes a message type receivable itself: `let Add(n) = receive().await`.
///
/// # On a method
///
/// Within `#[actor] impl`: makes the method a handler. See [`actor`](macro@actor).
///
/// # Options
///
/// `timeout = ..` on a `match`; `crate = path` elsewhere, for crates that rename or re-export `uproar`.
#[proc_macro_attribute]
pub fn receive(args: TokenStream, input: TokenStream) -> TokenStream {
    receive::door(args.into(), input.into()).into()
}

/// Runs an `async fn main` as the main actor of a runtime, on the calling thread.
///
/// ```ignore
/// #[uproar::main(workers = 4)]
/// async fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let counter = spawn(counter(0));
///     println!("{}", counter.ask(Get).await?);
///     Ok(())
/// }
/// ```
///
/// The output is whatever `main` may return. `#[receive] match` works in the body; the main actor's protocol is
/// `Anything`.
///
/// # Options
///
/// * `workers = ..`: the number of workers, a `usize`. The default is the runtime's.
/// * `crate = path`: where `uproar` is, for crates that rename or re-export it.
#[proc_macro_attribute]
pub fn main(args: TokenStream, input: TokenStream) -> TokenStream {
    entry::main(args.into(), input.into()).into()
}

/// Makes an `async fn` a test that runs as the main actor of a runtime of its own.
///
/// ```ignore
/// #[uproar::test]
/// async fn on_threads() {}
///
/// #[uproar::test(seeds = 1_000)]
/// async fn under_a_thousand_schedules() {}
/// ```
///
/// The output is whatever a `#[test]` may return, and `#[should_panic]`, `#[ignore]` and other attributes are kept.
/// `#[receive] match` works in the body.
///
/// # Options
///
/// At most one of the first three; without them the test runs on real threads.
///
/// * `simulate`: one seeded schedule, with a virtual clock.
/// * `seeds = ..`: that many schedules, each with a fresh future; the seed of one that fails is printed.
/// * `seed = ..`: the schedule of this seed.
/// * `workers = ..`: the number of workers, a `usize`.
/// * `crate = path`: where `uproar` is, for crates that rename or re-export it.
#[proc_macro_attribute]
pub fn test(args: TokenStream, input: TokenStream) -> TokenStream {
    entry::test(args.into(), input.into()).into()
}

/// Puts the items in their place that `#[actor]` has made one of.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn unfold(_: TokenStream, folded: TokenStream) -> TokenStream {
    actor::unfold(folded.into()).into()
}
