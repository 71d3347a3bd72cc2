use uproar::prelude::*;

struct Add(u64);

#[actor]
async fn counter() -> ExitReson {
    #[receive]
    match receive().await {
        Add(_) => ExitReason::Normal,
    }
}

#[actor]
async fn other() -> Result<(), Strin> {
    Ok(())
}

fn main() {}
