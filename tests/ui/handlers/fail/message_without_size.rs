use uproar::prelude::*;

trait Shape {}
struct Get;
struct Log;

#[actor(receives(str))]
impl Log {
    #[receive]
    async fn line(&mut self, line: str) {
        println!("{line}");
    }

    #[receive]
    async fn bytes(&mut self, bytes: [u8]) {
        println!("{}", bytes.len());
    }

    #[receive]
    async fn shape(&mut self, _: dyn Shape) {}

    #[receive]
    async fn get(&mut self, _: Get) -> str {
        "text"
    }
}

#[uproar::main]
async fn main() -> Result<(), AskError> {
    let log = spawn(Log);
    log.send("text".to_owned());
    log.send(vec![1u8]);
    println!("{}", log.call(Get).await?);
    Ok(())
}
