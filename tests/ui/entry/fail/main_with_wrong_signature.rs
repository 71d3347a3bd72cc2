mod not_async {
    #[uproar::main]
    pub fn main() {}
}

mod with_argument {
    #[uproar::main]
    pub async fn main(argument: u8) -> Result<(), String> {
        drop(argument);
        Ok(())
    }
}

mod not_plain {
    #[uproar::main]
    pub async unsafe fn main<T>() {}
}

#[uproar::main]
struct Main;

fn main() {
    not_async::main();
    let _ = with_argument::main();
    not_plain::main();
}
