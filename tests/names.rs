//! Registered names: who gets one, who finds it, and when it is free again.

#[macro_use]
mod support;

use std::future::pending;

use support::{DropCounter, OnDrop, Stop, dead, down_of, gone, queued, some_slices, until_stop};
use uproar::Actor;
use uproar::prelude::*;

fn failed() -> ExitReason {
    ExitReason::error("failed")
}

fn is_taken(error: &RegisterError, expected: &str, of: Pid) -> bool {
    matches!(error, RegisterError::Taken { name, by, .. } if **name == *expected && *by == of)
}

fn is_named(error: &RegisterError, expected: &str) -> bool {
    matches!(error, RegisterError::AlreadyNamed { name, .. } if **name == *expected)
}

/// The names that there are.
fn names() -> Vec<String> {
    let names = registered().into_iter();
    names.map(|(name, _)| name.to_string()).collect()
}

struct Get(ReplyTo<u64>);
struct Never;

#[actor]
async fn counter(total: u64) {
    loop {
        #[receive]
        match receive().await {
            Get(reply_to) => reply_to.send(total),
        }
    }
}

#[actor(protocol = Wanted)]
async fn wants() {
    let _: Wanted = receive().await;
}

#[receive]
enum Wanted {
    #[expect(dead_code)]
    Get(Get),
}

#[actor(receives(T))]
async fn generic<T: Send + 'static>() {
    let Typed(value) = receive::<Typed<T>>().await;
    drop(value);
}

struct Account;

#[actor]
impl Account {
    #[receive]
    async fn never(&mut self, _: Never) {}
}

/// Ways to end, and whether they are a failure.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    Return,
    Fail,
    Panic,
    Exit,
    Signal,
    Shutdown,
    Kill,
    KillItself,
    Link,
    BeforeItHasRun,
}

const WAYS: [Way; 10] = [
    Way::Return,
    Way::Fail,
    Way::Panic,
    Way::Exit,
    Way::Signal,
    Way::Shutdown,
    Way::Kill,
    Way::KillItself,
    Way::Link,
    Way::BeforeItHasRun,
];

async fn ends(way: Way) -> Result<(), &'static str> {
    let Typed(Stop) = receive().await;
    match way {
        Way::Return => return Ok(()),
        Way::Fail => return Err("failed"),
        Way::Panic => panic!("as an example"),
        Way::Exit => exit(failed()).await,
        Way::Signal => send_exit(self_pid(), failed()),
        Way::Shutdown => send_exit(self_pid(), ExitReason::Shutdown),
        Way::Kill | Way::BeforeItHasRun => {}
        Way::KillItself => kill(self_pid()),
        Way::Link => drop(spawn_link(async { Err::<(), _>("failed") })),
    }
    pending().await
}

both! {
    // [R43] the first stays.
    async fn a_name_has_one_actor_and_an_actor_one_name() {
        let [a, b] = [(); 2].map(|()| spawn(until_stop()));
        assert_eq!(where_is("x"), None);
        assert_eq!(register("x", &a), Ok(()));
        assert!(register("x", &b).is_err_and(|error| is_taken(&error, "x", a.pid())));
        assert!(register("x", &a).is_err_and(|error| is_taken(&error, "x", a.pid())));
        assert!(register("y", &a).is_err_and(|error| is_named(&error, "x")));
        assert_eq!(register("y", &b), Ok(()));
        assert_eq!((where_is("x"), where_is("y")), (Some(a.pid()), Some(b.pid())));
        let named = |of: &Address<Anything>| process_info(of).unwrap().name.unwrap();
        assert_eq!((&*named(&a), &*named(&b)), ("x", "y"));
        assert_eq!(process_info(self_pid()).unwrap().name, None);
        assert_eq!(registered(), [("x".into(), a.pid()), ("y".into(), b.pid())]);

        // One that has lost its name is as new, and so is the name.
        assert_eq!(unregister("x"), Some(a.pid()));
        assert_eq!(unregister("x"), None);
        assert_eq!((where_is("x"), process_info(&a).unwrap().name), (None, None));
        assert!(a.is_alive());
        assert_eq!(register("z", &a), Ok(()));
        assert_eq!(register("x", self_pid()), Ok(()));
        assert_eq!(names(), ["x", "y", "z"]);
    }

    // [R43] [R31]
    async fn nobody_who_is_dead_is_registered() {
        let ended = dead().await;
        assert_eq!(register("x", ended), Err(RegisterError::NoProcess));
        let other = uproar::Runtime::builder().manual();
        let stranger = other.spawn(pending::<()>());
        assert_eq!(register("x", &stranger), Err(RegisterError::NoProcess));
        // Of a runtime that is no more; and one that has been killed this moment.
        drop(other);
        assert_eq!(register("x", &stranger), Err(RegisterError::NoProcess));
        let killed = spawn(until_stop());
        kill(&killed);
        assert_eq!(register("x", &killed), Err(RegisterError::NoProcess));
        assert_eq!((where_is("x"), names()), (None, vec![]));
    }

    // [R29] [R43] On every way out: when the `Down` comes the name is free, and the last one that
    // had it is not in the way.
    async fn every_way_out_frees_the_name_before_the_down() {
        for way in WAYS {
            for by_spawn in [false, true] {
                let (actor, watch) = if by_spawn {
                    Spawn::new().name("x").spawn_monitor(ends(way)).unwrap()
                } else {
                    let spawned = spawn_monitor(ends(way));
                    register("x", &spawned.0).unwrap();
                    spawned
                };
                assert_eq!(where_is("x"), Some(actor.pid()), "{way:?}");
                match way {
                    Way::BeforeItHasRun => {}
                    _ => some_slices().await,
                }
                match way {
                    Way::Kill | Way::BeforeItHasRun => kill(&actor),
                    _ => actor.send(Stop),
                }
                let reason = down_of(watch).await;
                assert_eq!(reason.is_failure(), !matches!(way, Way::Return | Way::Shutdown));
                assert_eq!((where_is("x"), names()), (None, vec![]), "{way:?}");
                assert_eq!(register("x", self_pid()), Ok(()), "{way:?}");
                assert_eq!(unregister("x"), Some(self_pid()));
            }
        }
    }

    // [R29] The same with an `Exit`.
    async fn the_name_is_free_before_an_exit() {
        trap_exit(true);
        for _ in 0..10 {
            let how = Spawn::new().name("x").link();
            let child = how.spawn(async { Err::<(), _>("failed") }).unwrap();
            let Exit { from, .. } = receive().await;
            assert_eq!((from, where_is("x")), (child.pid(), None));
        }
    }

    // [R29] [R31] From the call on it is dead for the caller, who need not wait for a `Down`.
    async fn a_name_is_free_from_the_kill_on() {
        let drops = DropCounter::new();
        let token = drops.token();
        let first = Spawn::new().name("x").spawn(async move {
            let _token = token;
            pending::<()>().await
        });
        let first = first.unwrap();
        some_slices().await;
        kill(&first);
        assert_eq!((where_is("x"), names()), (None, vec![]));
        assert_eq!(send_named("x", 1), Err(SendError::Gone(1)));
        assert_eq!(unregister("x"), None);
        let late = monitor(&first);
        assert_eq!(down_of(late).await, ExitReason::NoProcess);
        assert_eq!(register("x", self_pid()), Ok(()));
        while drops.count() == 0 {
            yield_now().await;
        }
        gone(&first).await;
        some_slices().await;
        // Its end has left the new one alone.
        assert_eq!(where_is("x"), Some(self_pid()));
    }

    // [R3] The message comes back, and is no dead letter.
    async fn a_send_to_a_free_name_gives_the_message_back() {
        let drops = DropCounter::new();
        let error = send_named("nobody", drops.token()).unwrap_err();
        assert!(matches!(error, SendError::Gone(_)));
        assert_eq!(error.to_string(), "the actor is gone");
        assert_eq!(drops.count(), 0);
        drop(error.into_inner());

        let how = Spawn::new().name("small").mailbox(Mailbox::bounded(1));
        let small = how.spawn(until_stop()).unwrap();
        assert_eq!(send_named("small", 1), Ok(()));
        assert_eq!(send_named("small", 2), Err(SendError::Full(2)));
        kill(&small);
        assert_eq!(send_named("small", Stop).map_err(|_| ()), Err(()));
    }

    // [R1] By name, by address and by pid it is one way.
    async fn messages_by_name_keep_their_order() {
        let me = self_address::<Anything>();
        register("main", &me).unwrap();
        let sender = spawn(async move {
            for n in (0..30).step_by(3) {
                send_named("main", n).unwrap();
                me.send(n + 1);
                send(&me, n + 2);
            }
        });
        gone(&sender).await;
        let got: Vec<i32> = queued::<Typed<i32>>().into_iter().map(|Typed(n)| n).collect();
        assert_eq!(got, (0..30).collect::<Vec<_>>());
        send_named("main", "to myself").unwrap();
        assert_eq!(receive::<Typed<_>>().await, Typed("to myself"));
    }

    // The protocol is the actor's, whoever registers it and as what.
    async fn the_protocol_is_that_of_the_actor() {
        async fn under<A>(actor: A) -> Address<A::Protocol>
        where
            A: Actor<Future: Send + 'static, Output: uproar::Outcome>,
        {
            unregister("x");
            Spawn::new().name("x").spawn(actor).unwrap()
        }

        let plain = under(until_stop()).await;
        assert_eq!(where_is_as("x"), Some(plain));
        assert_eq!(where_is_as::<Counter>("x"), None);
        let wants = under(wants()).await;
        assert_eq!(where_is_as("x"), Some(wants));
        let account = under(Account).await;
        assert_eq!(where_is_as("x"), Some(account));
        assert_eq!(where_is_as::<Anything>("x"), None);
        let generic = under(generic::<u8>()).await;
        assert_eq!(where_is_as("x"), Some(generic));
        assert_eq!(where_is_as::<Generic<u16>>("x"), None);

        // By pid, by recipient, by address.
        let counter = spawn(counter(7));
        for by in [counter.pid(), Pid::from(&counter.recipient::<Get>()), Pid::from(&counter)] {
            unregister("x");
            register("x", by).unwrap();
            let found = where_is_as::<Counter>("x").expect("it is one");
            assert_eq!(found.ask(Get).await, Ok(7));
            assert_eq!(where_is_as::<Account>("x"), None);
        }
        // By an address that says something else.
        register("main", &self_address::<Account>()).unwrap();
        assert_eq!(where_is_as("main"), Some(self_address::<Anything>()));
        assert_eq!(where_is_as::<Account>("main"), None);
        assert_eq!(where_is_as::<Anything>("nobody"), None);
        let local = Spawn::new().name("local").spawn_local(pending::<()>).unwrap();
        assert_eq!(where_is_as::<Anything>("local"), Some(local));
    }

    // [R35] case 19: at once, and it is usable after that.
    async fn an_actor_that_asks_its_own_name() {
        register("main", self_pid()).unwrap();
        let me = where_is_as::<Anything>("main").unwrap();
        assert_eq!(me.ask(Get).await, Err(AskError::CallingSelf));
        let limited = me.ask(Get).timeout(Duration::from_secs(3600));
        assert_eq!(limited.await, Err(AskError::CallingSelf));
        assert!(try_receive::<Envelope>().is_none());
        send_named("main", 1u8).unwrap();
        assert_eq!(receive::<Typed<u8>>().await, Typed(1));
    }

    // [R27] What destructors may do when the end is decided: they find others, and register them; the
    // one that ends has no name any more, and can't have one. (As its code returns, it has.)
    async fn destructors_use_names() {
        for by_kill in [false, true] {
            let main = self_address::<Anything>();
            let [helper, heir] = [(); 2].map(|()| spawn(until_stop()));
            let (other, successor) = (helper.pid(), heir.pid());
            let (actor, watch) = Spawn::new()
                .name("x")
                .spawn_monitor(async move {
                    let _guard = OnDrop(move || {
                        let seen = (
                            where_is("x"),
                            register("y", self_pid()),
                            register("x", successor),
                            unregister("x"),
                            register("x", successor),
                            register("helper", other),
                            send_named("main", "last words"),
                        );
                        main.send(seen);
                    });
                    pending::<()>().await
                })
                .unwrap();
            register("main", self_pid()).unwrap();
            some_slices().await;
            match by_kill {
                true => kill(&actor),
                false => send_exit(&actor, failed()),
            }
            assert!(down_of(watch).await.is_failure());
            type Seen = (
                Option<Pid>,
                Result<(), RegisterError>,
                Result<(), RegisterError>,
                Option<Pid>,
                Result<(), RegisterError>,
                Result<(), RegisterError>,
                Result<(), SendError<&'static str>>,
            );
            let Typed(seen) = receive::<Typed<Seen>>().await;
            let expected = (
                None,
                Err(RegisterError::NoProcess),
                Ok(()),
                Some(successor),
                Ok(()),
                Ok(()),
                Ok(()),
            );
            assert_eq!(seen, expected);
            assert_eq!(receive::<Typed<&str>>().await, Typed("last words"));
            // What it has handed on stays with the heir.
            assert_eq!(where_is("x"), Some(successor));
            assert_eq!(names(), ["helper", "main", "x"]);
            for actor in [helper, heir] {
                actor.send(Stop);
                gone(&actor).await;
            }
            assert_eq!(names(), ["main"]);
            assert_eq!(unregister("main"), Some(self_pid()));
        }
    }

    async fn any_text_is_a_name() {
        let long = "x".repeat(1 << 20);
        let texts = ["", " ", "a\0b", "\u{e9}", "e\u{301}", "🦀", &long];
        let actors = texts.map(|text| Spawn::new().name(text).spawn(until_stop()).unwrap());
        for (text, actor) in texts.iter().zip(&actors) {
            assert_eq!(where_is(text), Some(actor.pid()));
            send_named(text, 1).unwrap();
        }
        assert_eq!(names().len(), texts.len());
        let mut sorted = texts.map(str::to_owned);
        sorted.sort();
        assert_eq!(names(), sorted);
        let owned: String = "as a String".into();
        register(owned.clone(), self_pid()).unwrap();
        assert_eq!(unregister(owned), Some(self_pid()));
        for actor in &actors {
            kill(actor);
        }
        assert_eq!(names(), [""; 0]);
    }
}
