//! The actors of a program, and what they have learned.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use uproar::prelude::*;

use crate::ops::{Event, Id, Op, Reason};

#[derive(Default)]
pub struct World {
    pub actors: Vec<Address<Anything>>,
    /// By maker and number.
    pub monitors: BTreeMap<(Id, usize), MonitorRef>,
    pub targets: BTreeMap<(Id, usize), Id>,
    pub logs: BTreeMap<Id, Vec<Event>>,
}

#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<World>>);

impl Shared {
    pub fn with<R>(&self, f: impl FnOnce(&mut World) -> R) -> R {
        f(&mut self.0.lock().unwrap())
    }

    fn log(&self, own: Id, event: Event) {
        self.with(|world| world.logs.entry(own).or_default().push(event));
    }

    fn pid(&self, id: Id) -> Option<Pid> {
        self.with(|world| world.actors.get(id).map(Address::pid))
    }

    fn id_of(&self, pid: Pid) -> Id {
        let at = |world: &mut World| world.actors.iter().position(|actor| actor.pid() == pid);
        // The runtime itself is none of them.
        self.with(at).unwrap_or(usize::MAX)
    }

    /// Enters what `spawn` spawns under its pid before it can say anything.
    pub fn enter(&self, spawn: impl FnOnce() -> Option<Address<Anything>>) -> Id {
        self.with(|world| {
            world.actors.extend(spawn());
            world.actors.len() - 1
        })
    }

    fn new_monitor(&self, own: Id, target: Id, monitor: MonitorRef) {
        self.with(|world| {
            let number = world.monitors.range((own, 0)..(own + 1, 0)).count();
            world.monitors.insert((own, number), monitor);
            world.targets.insert((own, number), target);
        });
    }
}

pub struct Commands(pub Vec<Op>);

#[receive]
enum Next {
    Commands(Typed<Commands>),
    Message(Typed<u8>),
    Exit(Exit),
    Down(Down),
}

pub async fn run(world: Shared) -> ExitReason {
    let own = world.id_of(self_pid());
    let mut holds = false;
    loop {
        let next = if holds {
            Next::Commands(receive().await)
        } else {
            receive().await
        };
        match next {
            Next::Commands(Typed(Commands(ops))) => {
                let mut sleeps = false;
                for op in ops {
                    match op {
                        Op::Exit(reason) => exit(reason.real()).await,
                        Op::Return(reason) => return reason.real(),
                        Op::Hold(hold) => holds = hold,
                        Op::Sleep => sleeps = true,
                        op => act(&world, own, op),
                    }
                }
                if sleeps {
                    sleep(Duration::from_secs(1)).await;
                }
            }
            Next::Message(Typed(n)) => world.log(own, Event::Message(n)),
            Next::Exit(Exit { from, reason, .. }) => {
                world.log(own, Event::Exit(world.id_of(from), Reason::of(&reason)));
            }
            Next::Down(Down {
                monitor,
                pid,
                reason,
                ..
            }) => {
                let number = world.with(|world| {
                    let monitors = world.monitors.range((own, 0)..(own + 1, 0));
                    let mut monitors = monitors.map(|(_, known)| *known);
                    monitors
                        .position(|known| known == monitor)
                        .expect("its own")
                });
                let (of, reason) = (world.id_of(pid), Reason::of(&reason));
                world.log(own, Event::Down(number, of, reason));
            }
        }
    }
}

fn act(world: &Shared, own: Id, op: Op) {
    let of = |id| world.pid(id);
    match op {
        Op::Spawn { link, monitor } => {
            let child = run(world.clone());
            let mut made = None;
            let how = if link {
                Spawn::new().link()
            } else {
                Spawn::new()
            };
            // A runtime that shuts down takes none.
            let id = world.enter(|| {
                if !monitor {
                    return how.spawn(child).ok();
                }
                let (child, monitor) = how.spawn_monitor(child).ok()?;
                made = Some(monitor);
                Some(child)
            });
            if let Some(monitor) = made {
                world.new_monitor(own, id, monitor);
            }
        }
        Op::Link(id) => of(id).into_iter().for_each(link),
        Op::Unlink(id) => of(id).into_iter().for_each(unlink),
        Op::Monitor(id) => {
            if let Some(pid) = of(id) {
                let monitor = monitor(pid);
                world.new_monitor(own, id, monitor);
            }
        }
        Op::Demonitor(n) => {
            let count = world.with(|w| w.monitors.range((own, 0)..(own + 1, 0)).count());
            if count > 0 {
                let number = n % count;
                let monitor = world.with(|w| w.monitors[&(own, number)]);
                let was_up = demonitor(monitor);
                world.log(own, Event::Demonitored(number, was_up));
            }
        }
        Op::DemonitorOf(id, n) => {
            let monitor = world.with(|world| world.monitors.get(&(id, n)).copied());
            if let Some(monitor) = monitor.filter(|_| id != own) {
                assert!(!demonitor(monitor), "another's");
            }
        }
        Op::Trap(trap) => {
            let before = trap_exit(trap);
            world.log(own, Event::WasTrapping(before));
        }
        Op::Send(id, n) => of(id).into_iter().for_each(|pid| send(pid, n)),
        Op::SendExit(id, reason) => {
            of(id)
                .into_iter()
                .for_each(|pid| send_exit(pid, reason.real()));
        }
        Op::Kill(id) => of(id).into_iter().for_each(kill),
        Op::Exit(_) | Op::Return(_) | Op::Hold(_) | Op::Sleep => unreachable!("done above"),
    }
}
