//! `#[uproar::main]`: outputs as `main` has them, receives in the body, what is around it.
#![deny(warnings)]

use std::process::{ExitCode, Termination};

use uproar::prelude::*;

struct Add(u8);

mod outputs {
    use super::*;

    #[uproar::main]
    pub async fn unit() {}

    /// Attributes and visibility are kept.
    #[uproar::main(workers = 1 + 1)]
    #[must_use]
    pub(crate) async fn code() -> ExitCode {
        ExitCode::from(3)
    }

    #[uproar::main]
    pub async fn question() -> Result<(), Box<dyn std::error::Error>> {
        let _: u8 = "none".parse()?;
        Ok(())
    }

    /// The output need not be `Send`, nor the body.
    #[uproar::main]
    pub async fn shared() -> std::rc::Rc<u8> {
        let shared = std::rc::Rc::new(1);
        yield_now().await;
        shared
    }

    #[uproar::main]
    pub async fn opaque() -> impl Termination {
        yield_now().await;
        ExitCode::SUCCESS
    }
}

/// Gone without `--test`, but read.
#[uproar::test(seeds = 1_000, workers = 4)]
#[should_panic(expected = "as told")]
#[ignore]
async fn test() {
    #[receive]
    match receive().await {
        Add(_) => panic!("as told"),
    }
}

#[uproar::main]
async fn main() -> Result<(), AskError> {
    let me = self_address::<Anything>();
    spawn(async move { me.send(Add(5)) });
    let n = #[receive(timeout = Duration::from_secs(60))]
    match receive().await {
        Add(n) => n,
        Timeout => return Err(AskError::NoReply),
    };
    assert_eq!(n, 5);
    let others = std::thread::spawn(|| {
        outputs::unit();
        assert_eq!(
            format!("{:?}", outputs::code()),
            format!("{:?}", ExitCode::from(3))
        );
        let error = outputs::question().unwrap_err();
        assert_eq!(error.to_string(), "invalid digit found in string");
        assert_eq!(*outputs::shared(), 1);
        let _ = outputs::opaque().report();
    });
    assert!(others.join().is_ok());
    Ok(())
}
