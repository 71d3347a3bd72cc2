// A receive with guards, an enum's variants, a time, a catch-all.
use uproar::prelude::*;

#[receive]
async fn reply(wanted: u64) -> Result<String, &'static str> {
    #[receive(timeout = Duration::from_secs(5))]
    match receive().await {
        Reply { id, body } if id == wanted => Ok(body),
        Command::Stop => Err("stopped"),
        Command::Say(text) => Ok(text),
        Typed::<String>(text) => Ok(text),
        other => Err(other.type_name()),
        Timeout => Err("too late"),
    }
}
