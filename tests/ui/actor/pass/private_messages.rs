//! The protocol and the function may be as private as the messages, or less.
#![deny(warnings, private_interfaces, private_bounds)]
use uproar::prelude::*;

pub mod outer {
    use super::*;

    struct Secret(u8);

    #[actor]
    async fn hidden(done: Address<Public>) {
        #[receive]
        match receive().await {
            Secret(n) => done.send(Secret(n + 1)),
        }
    }

    /// A public actor may receive what only its module can send.
    #[actor]
    pub async fn public() {
        let hidden: Address<Hidden> = spawn(hidden(self_address::<Public>()));
        hidden.send(Secret(3));
        #[receive]
        match receive().await {
            Secret(n) => assert_eq!(n, 4),
        }
    }

    pub(super) mod inner {
        use super::super::*;

        pub(in super::super) struct Shared;

        #[actor]
        pub(in super::super) async fn restricted() {
            #[receive]
            match receive().await {
                Shared => {}
            }
        }
    }
}

#[uproar::main]
async fn main() {
    let public: Address<outer::Public> = spawn(outer::public());
    let restricted: Address<outer::inner::Restricted> = spawn(outer::inner::restricted());
    restricted.send(outer::inner::Shared);
    while public.is_alive() || restricted.is_alive() {
        yield_now().await;
    }
}
