//! Messages with type parameters, told apart by their arguments.
#![deny(warnings)]
use uproar::prelude::*;

struct Set<K, V>(K, V);
struct Get<K, V> {
    key: K,
    reply_to: ReplyTo<Option<V>>,
}
enum Bulk<K> {
    Clear,
    Remove(K),
}

#[actor]
async fn store<K, V>()
where
    K: PartialEq + Send + 'static,
    V: Clone + Send + 'static,
{
    let mut entries: Vec<(K, V)> = Vec::new();
    loop {
        #[receive]
        match receive().await {
            Typed::<Set<K, V>>(Set(key, value)) => entries.push((key, value)),
            Typed::<Get<K, V>>(Get { key, reply_to }) => {
                let found = entries.iter().find(|(known, _)| *known == key);
                reply_to.send(found.map(|(_, value)| value.clone()));
            }
            Bulk::<K>::Clear => entries.clear(),
            Bulk::<K>::Remove(key) => entries.retain(|(known, _)| *known != key),
        }
    }
}

#[uproar::main]
async fn main() {
    let store: Address<Store<u8, &str>> = spawn(store());
    store.send(Set(1, "one"));
    store.send(Set(2, "two"));
    store.send(Bulk::Remove(1));
    let get = |key| store.ask(move |reply_to| Get { key, reply_to });
    assert_eq!(get(1).await, Ok(None));
    assert_eq!(get(2).await, Ok(Some("two")));
    store.send(Bulk::Clear);
    assert_eq!(get(2).await, Ok(None));
}
