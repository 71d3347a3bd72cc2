use uproar::prelude::*;

struct Go;
struct Runner;

#[actor]
impl Runner {
    #[receive]
    async fn go(&mut self, _: Go) {
        struct Stop;
        send(self_pid(), Stop);
        #[receive]
        match receive().await {
            Stop => {}
        }
    }
}

#[uproar::main]
async fn main() {
    spawn(Runner).send(Go);
}
