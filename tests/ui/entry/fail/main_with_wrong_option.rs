mod misspelt {
    #[uproar::main(wrokers = 1)]
    pub async fn main() {}
}

mod of_tests {
    #[uproar::main(seeds = 1)]
    pub async fn main() {}
}

mod of_another_type {
    #[uproar::main(workers = "2")]
    pub async fn main() {}
}

fn main() {
    misspelt::main();
    of_tests::main();
    of_another_type::main();
}
