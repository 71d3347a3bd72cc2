use uproar::prelude::*;

struct Get;
struct Named;
struct Given;
struct Unknown;

#[actor(name = Ledger)]
impl Named {
    #[receive]
    fn get(&mut self, _: Get) {}
}

#[actor(protocol = Anything)]
impl Given {
    #[receive]
    fn get(&mut self, _: Get) {}
}

#[actor(mailbox = 64)]
impl Unknown {
    #[receive]
    fn get(&mut self, _: Get) {}
}

#[uproar::main]
async fn main() {
    spawn(Named).send(Get);
    spawn(Given).send(Get);
    spawn(Unknown).send(Get);
}
