use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A runtime's clock: the machine's monotonic one, or a virtual one that moves
/// only when it is told to.
#[derive(Debug)]
pub(crate) enum Clock {
    Real,
    /// The moment that it is. It reaches as far as any deadline can be.
    Virtual(Mutex<Instant>),
}

fn read(now: &Mutex<Instant>) -> MutexGuard<'_, Instant> {
    now.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Clock {
    pub(crate) fn new_virtual() -> Clock {
        Clock::Virtual(Mutex::new(Instant::now()))
    }

    pub(crate) fn now(&self) -> Instant {
        match self {
            Clock::Real => Instant::now(),
            Clock::Virtual(now) => *read(now),
        }
    }

    /// Moves a virtual clock forward; a real one moves by itself.
    pub(crate) fn advance_to(&self, to: Instant) {
        if let Clock::Virtual(now) = self {
            let mut now = read(now);
            *now = to.max(*now);
        }
    }
}

#[cfg(all(test, not(uproar_loom)))]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_virtual_clock_moves_forward_when_told_and_only_then() {
        let clock = Clock::new_virtual();
        let start = clock.now();
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(clock.now(), start);
        let later = start + Duration::from_secs(3600);
        clock.advance_to(later);
        assert_eq!(clock.now(), later);
        clock.advance_to(start);
        clock.advance_to(start - Duration::from_nanos(1));
        assert_eq!(clock.now(), later, "never back");
        clock.advance_to(later + Duration::from_nanos(1));
        assert_eq!(clock.now() - later, Duration::from_nanos(1));
    }

    #[test]
    fn a_real_clock_moves_by_itself() {
        let before = Instant::now();
        Clock::Real.advance_to(before + Duration::from_secs(3600));
        let now = Clock::Real.now();
        assert!(now >= before && now < before + Duration::from_secs(3600));
    }
}
