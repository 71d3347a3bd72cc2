//! Generic over constants.
#![deny(warnings)]
use uproar::prelude::*;

struct Chunk<const N: usize>([u8; N]);

#[actor]
async fn sum<const N: usize, const TWICE: bool>(done: Recipient<u8>) {
    let mut sum = 0;
    for _ in 0..N {
        sum += #[receive]
        match receive().await {
            Typed::<Chunk<N>>(Chunk(bytes)) if TWICE => 2 * bytes.iter().sum::<u8>(),
            Typed::<Chunk<N>>(Chunk(bytes)) if N == 1 => bytes[0],
            Typed::<Chunk<N>>(Chunk(_)) | Typed::<[(); N]>(_) => 0,
        };
    }
    done.send(sum);
}

#[uproar::main]
async fn main() {
    let me = self_address::<Anything>();
    let sum: Address<Sum<2, true>> = spawn(sum(me.recipient()));
    sum.send(Chunk([1, 2]));
    sum.send([(); 2]);
    assert_eq!(receive::<Typed<u8>>().await, Typed(6));
}
