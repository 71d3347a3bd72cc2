//! The same for both twins.

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::{Interest, Watch};

const NOW: Option<Duration> = Some(Duration::ZERO);
const BOTH: Watch = Watch::Once(Interest::NOTHING);

macro_rules! twins {
    ($($twin:ident),*) => {$(
        mod $twin {
            use super::*;
            use crate::reactor::io::poller::$twin::{Events, Poller};

            fn ready(poller: &Poller) -> Vec<(usize, Interest)> {
                let mut events = Events::new();
                poller.wait(&mut events, NOW).unwrap();
                events.iter().map(|event| (event.key, event.ready)).collect()
            }

            #[test]
            fn once_is_once() {
                let (poller, (here, mut there)) = (Poller::new().unwrap(), UnixStream::pair().unwrap());
                let raw = here.as_raw_fd();
                poller.add(raw, 7, Watch::Once(Interest::READABLE)).unwrap();
                assert_eq!(ready(&poller), []);
                there.write_all(b"x").unwrap();
                assert_eq!(ready(&poller), [(7, Interest::READABLE)]);
                assert_eq!(ready(&poller), []);
                there.write_all(b"x").unwrap();
                assert_eq!(ready(&poller), [], "[I3]");
                poller.modify(raw, 8, Watch::Once(Interest::READABLE)).unwrap();
                assert_eq!(ready(&poller), [(8, Interest::READABLE)], "it is ready still");
                poller.modify(raw, 9, Watch::Once(Interest::WRITABLE)).unwrap();
                assert_eq!(ready(&poller), [(9, Interest::WRITABLE)]);
                poller.modify(raw, 9, BOTH).unwrap();
                drop(there);
                assert!(ready(&poller).len() <= 1);
                assert_eq!(ready(&poller), [], "a hang-up is not told for ever");
                poller.delete(raw).unwrap();
                assert!(poller.modify(raw, 9, BOTH).is_err());
                assert!(poller.delete(raw).is_err());
            }

            #[test]
            fn an_edge_each_time() {
                let (poller, (mut here, mut there)) =
                    (Poller::new().unwrap(), UnixStream::pair().unwrap());
                assert!(poller.has_edges());
                poller.add(here.as_raw_fd(), 7, Watch::Edge).unwrap();
                assert_eq!(ready(&poller), [(7, Interest::WRITABLE)]);
                for _ in 0..3 {
                    assert_eq!(ready(&poller), []);
                    there.write_all(b"x").unwrap();
                    let events = ready(&poller);
                    assert!(events.len() == 1 && events[0].1.is_readable());
                }
                here.read_exact(&mut [0; 3]).unwrap();
                drop(there);
                let mut events = Events::new();
                poller.wait(&mut events, NOW).unwrap();
                assert!(events.iter().all(|event| event.more));
                assert_eq!(events.iter().count(), 1);
                assert_eq!(ready(&poller), []);
            }

            #[test]
            fn a_notification_ends_the_wait_that_comes() {
                let poller = Poller::new().unwrap();
                let mut events = Events::new();
                for _ in 0..3 {
                    poller.notify();
                    poller.wait(&mut events, None).unwrap();
                    assert_eq!(events.iter().count(), 0);
                }
                let start = Instant::now();
                let limit = Duration::from_micros(1500);
                poller.wait(&mut events, Some(limit)).unwrap();
                assert!(start.elapsed() >= limit, "no limit is rounded down");
            }
        }
    )*};
}

twins!(epoll, portable);
