//! Actors that are found by name: a directory of rooms, each opened by whoever comes first, and one
//! that is replaced while others go on talking to it.
//!
//! `cargo run --example 14_names`

use uproar::prelude::*;

struct Say(&'static str);
struct Lines(ReplyTo<usize>);
struct Close;

/// Ends when it is closed, or when nobody has said anything for a while.
#[actor]
async fn room() {
    let mut lines = 0;
    loop {
        #[receive(timeout = Duration::from_secs(60))]
        match receive().await {
            Say(_) => lines += 1,
            Lines(reply_to) => reply_to.send(lines),
            Close => return,
            Timeout => return,
        }
    }
}

/// The room of that name, which is opened if it is not there. Two that come at once get the same one.
fn enter(name: &str) -> Result<Address<Room>, SpawnError> {
    loop {
        if let Some(room) = where_is_as(name) {
            return Ok(room);
        }
        match Spawn::new().name(name).spawn(room()) {
            // Somebody was faster: look again.
            Err(SpawnError::NameTaken { .. }) => {}
            opened => return opened,
        }
    }
}

#[uproar::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Many come to few rooms, from all workers.
    let guests: Vec<_> = (0..30)
        .map(|n| {
            spawn_monitor(async move {
                let room = enter(["lobby", "kitchen", "attic"][n % 3])?;
                room.send(Say("hello"));
                Ok::<_, SpawnError>(())
            })
        })
        .collect();
    for (_, monitor) in guests {
        receive_if(move |down: &Down| down.monitor == monitor).await;
    }
    for (name, pid) in registered() {
        let room = where_is_as::<Room>(&*name).ok_or("a room")?;
        println!("{name} is {pid}, with {} lines", room.ask(Lines).await?);
    }

    // A message to a name goes to whoever has it now; if nobody has, it comes back.
    let attic = enter("attic")?;
    let monitor = monitor(&attic);
    send_named("attic", Close)?;
    receive_if(move |down: &Down| down.monitor == monitor).await;
    let returned = send_named("attic", Say("is anybody there?")).unwrap_err();
    println!("nobody hears {:?}", returned.into_inner().0);

    // Whoever has seen the end can have the name.
    let second = enter("attic")?;
    send_named("attic", Say("hello again"))?;
    println!("the new attic has {} line", second.ask(Lines).await?);
    assert_ne!(second, attic);
    Ok(())
}
