use uproar::prelude::*;

struct Add(u8);

async fn check() -> bool {
    true
}

#[actor]
async fn counter() -> Result<(), std::num::ParseIntError> {
    'outer: loop {
        #[receive]
        match receive().await {
            Add(n) if check().await => drop(n),
            Add(n) if "1".parse::<u8>()? == n => {}
            Add(1) if return Ok(()) => {}
            Add(2) if { break 'outer } => {}
            Add(3) if { continue } => {}
            Add(4)
                if {
                    loop {
                        break true;
                    }
                } => {}
            Add(5) if (|| -> Option<u8> { Some(None? + 1u8) })().is_some() => {}
            Add(_) => {}
        }
    }
}

#[uproar::main]
async fn main() {
    spawn(counter());
}
