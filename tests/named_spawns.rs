//! Spawns under a name: one step, and of several one.

#[macro_use]
mod support;

use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use support::{
    DropCounter, OnDrop, Stop, Token, down_of, downs, exits, polled, some_slices, until_stop,
};
use uproar::prelude::*;

type Ways = Vec<(&'static str, fn(Spawn, Held) -> Result<Pid, SpawnError>)>;

/// What the actor of a spawn holds.
struct Held {
    /// Polls, and for a local one that it has been built.
    polls: Arc<AtomicUsize>,
    token: Token,
}

impl Held {
    async fn run(self) {
        self.polls.fetch_add(1, Ordering::SeqCst);
        let _token = &self.token;
        until_stop().await;
    }
}

/// All ways to spawn under a name.
fn ways_to_spawn() -> Ways {
    fn plain(how: Spawn, held: Held) -> Result<Pid, SpawnError> {
        how.spawn(held.run()).map(|actor| actor.pid())
    }
    fn local(how: Spawn, held: Held) -> Result<Pid, SpawnError> {
        let spawned = how.spawn_local(move || {
            held.polls.fetch_add(1, Ordering::SeqCst);
            let not_send = Rc::new(held);
            async move {
                let held = Rc::into_inner(not_send).expect("one");
                held.run().await;
            }
        });
        spawned.map(|actor| actor.pid())
    }
    vec![
        ("spawn", plain),
        ("link", |how, held| plain(how.link(), held)),
        ("monitor", |how, held| {
            how.spawn_monitor(held.run()).map(|(actor, _)| actor.pid())
        }),
        ("both", |how, held| {
            how.link()
                .spawn_monitor(held.run())
                .map(|(actor, _)| actor.pid())
        }),
        ("bounded", |how, held| {
            plain(how.mailbox(Mailbox::bounded(4)), held)
        }),
        ("pinned", |how, held| plain(how.pinned(), held)),
        ("pinned on", |how, held| {
            plain(how.pinned_on(WorkerId::new(0)), held)
        }),
        ("blocked", |how, held| plain(how.blocked(), held)),
        ("dedicated", |how, held| plain(how.dedicated(), held)),
        ("local", local),
        ("local on", |how, held| {
            local(how.pinned_on(WorkerId::new(0)), held)
        }),
        ("local dedicated", |how, held| local(how.dedicated(), held)),
        ("local monitor", |how, held| {
            how.spawn_local_monitor(move || held.run())
                .map(|(actor, _)| actor.pid())
        }),
    ]
}

both! {
    // [R43] The loser is nowhere: no code of it runs, it is in no table and no count, and nobody is
    // told of it. Its future has been dropped, once, when the spawn returns.
    async fn a_spawn_under_a_taken_name_leaves_nothing() {
        trap_exit(true);
        register("x", self_pid()).unwrap();
        let drops = DropCounter::new();
        for (n, (way, spawns)) in ways_to_spawn().into_iter().enumerate() {
            let polls = Arc::default();
            let held = Held { polls: Arc::clone(&polls), token: drops.token() };
            let before = processes();
            let error = spawns(Spawn::new().name("x"), held).unwrap_err();
            assert_eq!(error.to_string(), format!("the name \"x\" is taken by {}", self_pid()));
            let SpawnError::NameTaken { name, by, .. } = error else { panic!("{way}") };
            assert_eq!((&*name, by), ("x", self_pid()));
            assert_eq!(drops.count(), n + 1, "{way}");
            assert_eq!(processes(), before, "{way}");
            some_slices().await;
            assert_eq!(polls.load(Ordering::SeqCst), 0, "{way}");
        }
        assert_eq!((exits(), downs()), (vec![], vec![]));
        assert_eq!(where_is("x"), Some(self_pid()));
        assert_eq!(process_info(self_pid()).unwrap().links, []);
    }

    // [R5] [R43] Others find the winner before it has run.
    async fn a_spawn_under_a_free_name_has_it_at_once() {
        trap_exit(true);
        for (way, spawns) in ways_to_spawn() {
            let drops = DropCounter::new();
            let held = Held { polls: Default::default(), token: drops.token() };
            let pid = spawns(Spawn::new().name("x"), held).unwrap();
            assert_eq!(where_is("x"), Some(pid), "{way}");
            assert_eq!(process_info(pid).unwrap().name.as_deref(), Some("x"), "{way}");
            let watch = monitor(pid);
            send_named("x", Stop).unwrap();
            assert_eq!(down_of(watch).await, ExitReason::Normal, "{way}");
            assert_eq!((where_is("x"), drops.count()), (None, 1), "{way}");
        }
    }

    // Its destructors run with no lock held, as code of the spawner.
    async fn the_loser_s_destructors_use_names() {
        register("x", self_pid()).unwrap();
        let me = self_address::<Anything>();
        let guard = OnDrop(move || {
            me.send((where_is("x"), unregister("x"), register("x", self_pid())));
        });
        let (future, polls) = polled(async move {
            let _guard = guard;
            unreachable!("it never runs");
        });
        assert!(Spawn::new().name("x").spawn(future).is_err());
        type Seen = (Option<Pid>, Option<Pid>, Result<(), RegisterError>);
        let Typed((found, lost, again)) = receive::<Typed<Seen>>().await;
        assert_eq!((found, lost), (Some(self_pid()), Some(self_pid())));
        // Whoever was never accepted is nobody.
        assert_eq!(again, Err(RegisterError::NoProcess));
        assert_eq!(polls.load(Ordering::SeqCst), 0);
    }

    // One that panics while it is dropped is contained.
    async fn a_loser_that_panics_when_it_is_dropped() {
        register("x", self_pid()).unwrap();
        let bomb = OnDrop(|| panic!("as an example"));
        let spawns = AssertUnwindSafe(|| {
            Spawn::new().name("x").spawn(async move {
                let _bomb = bomb;
            })
        });
        let spawned = std::panic::catch_unwind(spawns).expect("contained");
        assert!(matches!(spawned, Err(SpawnError::NameTaken { .. })));
    }
}
