#[uproar::test]
#[test]
async fn twice() {}

#[uproar::test]
struct Test;

#[uproar::test]
fn not_async() {}

fn main() {}
