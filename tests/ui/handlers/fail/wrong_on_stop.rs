use uproar::prelude::*;

struct Get;
struct WithoutReason;
struct OtherArgument;
struct OtherReason;
struct ByValue;
struct Two;

#[actor]
impl WithoutReason {
    #[receive]
    fn get(&mut self, _: Get) {}

    async fn on_stop(&mut self) {}
}

#[actor]
impl OtherArgument {
    #[receive]
    fn get(&mut self, _: Get) {}

    async fn on_stop(&mut self, _: u8) {}
}

#[actor]
impl OtherReason {
    #[receive]
    fn get(&mut self, _: Get) {}

    async fn on_stop(&mut self, _: &String) {}
}

#[actor]
impl ByValue {
    #[receive]
    fn get(&mut self, _: Get) {}

    async fn on_stop(self, _: &ExitReason) {}
}

#[actor]
impl Two {
    #[receive]
    fn get(&mut self, _: Get) {}

    async fn on_stop(&mut self, _: &ExitReason, hard: bool) {
        drop(hard);
    }
}

#[uproar::main]
async fn main() {
    spawn(WithoutReason).send(Get);
    spawn(OtherArgument).send(Get);
    spawn(OtherReason).send(Get);
    spawn(ByValue).send(Get);
    spawn(Two).send(Get);
}
