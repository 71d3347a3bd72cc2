//! Addresses, and the names that stand for them.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::net::{
    IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6,
    ToSocketAddrs as StdToSocketAddrs,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Poll, Waker};
use std::thread;

use crate::reactor::with_reactor;

/// What stands for socket addresses: an address, an IP address and a port, or a name and
/// a port as `"localhost:80"` or `("localhost", 80)`.
///
/// As std's trait of this name, for calls that must not block: a name is looked up by the
/// system on a thread of its own. At most four look-ups go on at once in a program; others
/// wait in line. Sealed.
pub trait ToSocketAddrs: sealed::ToSocketAddrs {}

mod sealed {
    pub trait ToSocketAddrs {
        fn look_up(&self) -> super::LookUp;
    }
}

/// What there is to do for addresses.
pub enum LookUp {
    /// Nothing.
    Known(Vec<SocketAddr>),
    /// The system is to be asked.
    Name(String, u16),
    /// There is no way.
    Bad(io::Error),
}

macro_rules! known {
    ($($address:ty),*) => {$(
        impl ToSocketAddrs for $address {}
        impl sealed::ToSocketAddrs for $address {
            fn look_up(&self) -> LookUp {
                LookUp::Known(vec![(*self).into()])
            }
        }
    )*};
}

known!(
    SocketAddr,
    SocketAddrV4,
    SocketAddrV6,
    (IpAddr, u16),
    (Ipv4Addr, u16),
    (Ipv6Addr, u16)
);

impl ToSocketAddrs for [SocketAddr] {}
impl sealed::ToSocketAddrs for [SocketAddr] {
    fn look_up(&self) -> LookUp {
        LookUp::Known(self.to_vec())
    }
}

impl ToSocketAddrs for Vec<SocketAddr> {}
impl sealed::ToSocketAddrs for Vec<SocketAddr> {
    fn look_up(&self) -> LookUp {
        LookUp::Known(self.clone())
    }
}

impl<const N: usize> ToSocketAddrs for [SocketAddr; N] {}
impl<const N: usize> sealed::ToSocketAddrs for [SocketAddr; N] {
    fn look_up(&self) -> LookUp {
        LookUp::Known(self.to_vec())
    }
}

impl ToSocketAddrs for str {}
impl sealed::ToSocketAddrs for str {
    fn look_up(&self) -> LookUp {
        if let Ok(address) = self.parse() {
            return LookUp::Known(vec![address]);
        }
        let parts = self.rsplit_once(':');
        match parts.and_then(|(host, port)| Some((host, port.parse().ok()?))) {
            Some(address) => address.look_up(),
            None => LookUp::Bad(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("uproar: `{self}` is not an address; write `host:port`"),
            )),
        }
    }
}

impl ToSocketAddrs for String {}
impl sealed::ToSocketAddrs for String {
    fn look_up(&self) -> LookUp {
        self.as_str().look_up()
    }
}

impl ToSocketAddrs for (&str, u16) {}
impl sealed::ToSocketAddrs for (&str, u16) {
    fn look_up(&self) -> LookUp {
        match self.0.parse::<IpAddr>() {
            Ok(ip) => (ip, self.1).look_up(),
            Err(_) => LookUp::Name(self.0.to_owned(), self.1),
        }
    }
}

impl ToSocketAddrs for (String, u16) {}
impl sealed::ToSocketAddrs for (String, u16) {
    fn look_up(&self) -> LookUp {
        (self.0.as_str(), self.1).look_up()
    }
}

impl<A: ToSocketAddrs + ?Sized> ToSocketAddrs for &A {}
impl<A: sealed::ToSocketAddrs + ?Sized> sealed::ToSocketAddrs for &A {
    fn look_up(&self) -> LookUp {
        (**self).look_up()
    }
}

/// The addresses that `what` stands for, at least one.
pub(super) async fn resolve(what: LookUp) -> io::Result<Vec<SocketAddr>> {
    let addresses = match what {
        LookUp::Known(addresses) => addresses,
        LookUp::Name(host, port) => ask_system(host, port).await?,
        LookUp::Bad(error) => return Err(error),
    };
    if addresses.is_empty() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "uproar: there is no address to use",
        ));
    }
    Ok(addresses)
}

/// A look-up at the system. When it is dropped before its turn, it is left out.
async fn ask_system(host: String, port: u16) -> io::Result<Vec<SocketAddr>> {
    let answer = Arc::new(Mutex::new(Answer::default()));
    let _pending = Pending::begin();
    submit(Question {
        host,
        port,
        answer: Arc::downgrade(&answer),
    })?;
    poll_fn(|cx| {
        let mut answer = lock(&answer);
        if let Some(result) = answer.result.take() {
            return Poll::Ready(result);
        }
        let before = answer.waker.replace(cx.waker().clone());
        drop((answer, before));
        Poll::Pending
    })
    .await
}

/// Something is under way outside: a virtual clock does not jump over it.
struct Pending(u32);

impl Pending {
    fn begin() -> Pending {
        let runtime = crate::reactor::here();
        with_reactor(runtime, |reactor| {
            reactor.map(|reactor| reactor.io.begin_wait())
        });
        Pending(runtime)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        with_reactor(self.0, |reactor| {
            reactor.map(|reactor| reactor.io.end_waits(1))
        });
    }
}

/// Threads that ask the system at once.
const THREADS: usize = 4;

struct Question {
    host: String,
    port: u16,
    answer: Weak<Mutex<Answer>>,
}

#[derive(Default)]
struct Answer {
    result: Option<io::Result<Vec<SocketAddr>>>,
    waker: Option<Waker>,
}

struct Line {
    questions: VecDeque<Question>,
    threads: usize,
}

static LINE: Mutex<Line> = Mutex::new(Line {
    questions: VecDeque::new(),
    threads: 0,
});

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts a question into the line, and sees to it that a thread comes to it.
fn submit(question: Question) -> io::Result<()> {
    let mut line = lock(&LINE);
    line.questions.push_back(question);
    if line.threads == THREADS {
        return Ok(());
    }
    line.threads += 1;
    let named = thread::Builder::new().name("uproar-names".into());
    match named.spawn(answer_all) {
        Ok(_) => Ok(()),
        Err(error) => {
            line.threads -= 1;
            if line.threads > 0 {
                return Ok(());
            }
            line.questions.pop_back();
            Err(error)
        }
    }
}

/// A thread: answers until the line is empty.
fn answer_all() {
    loop {
        let question = {
            let mut line = lock(&LINE);
            match line.questions.pop_front() {
                Some(question) => question,
                None => {
                    line.threads -= 1;
                    return;
                }
            }
        };
        if question.answer.strong_count() == 0 {
            continue;
        }
        let result = (question.host.as_str(), question.port).to_socket_addrs();
        if let Some(answer) = question.answer.upgrade() {
            let mut answer = lock(&answer);
            answer.result = Some(result.map(Iterator::collect));
            let waker = answer.waker.take();
            drop(answer);
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}
