use uproar::prelude::*;

#[receive]
union Union {
    a: u8,
}

fn main() {
    let _ = Union { a: 1 };
}
