//! What events cost where nobody listens, for `tracing_cost.sh`, which counts the
//! instructions of this program.
//!
//! `tracing_cost MESSAGES ACTORS`: two actors send each other so many messages, and so many
//! are spawned, say so, and end, one by one. Without arguments it does nothing.

use uproar::{Runtime, prelude::*};

struct Ball(Recipient<Ball>);

/// Sends each ball back.
async fn player(left: u32, done: Recipient<()>) {
    let me = self_address::<Anything>().recipient();
    for _ in 0..left {
        let Typed(Ball(back)) = receive().await;
        back.send(Ball(me.clone()));
    }
    done.send(());
}

fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|n| n.parse::<u32>().ok());
    let (Some(messages), Some(actors)) = (numbers.next(), numbers.next()) else {
        return;
    };
    let reason = Runtime::builder().workers(1).run(async move {
        let me = self_address::<Anything>().recipient::<()>();
        let players: [Address<Anything>; 2] =
            [0; 2].map(|_| spawn(player(messages / 2, me.clone())));
        players[0].send(Ball(players[1].recipient()));
        for _ in players {
            let Typed(()) = receive().await;
        }
        for _ in 0..actors {
            let parent = me.clone();
            spawn(async move { parent.send(()) });
            let Typed(()) = receive().await;
        }
    });
    assert_eq!(reason, ExitReason::Normal);
}
