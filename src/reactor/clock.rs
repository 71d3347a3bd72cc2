use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A runtime's clock: the machine's monotonic one, or a virtual one that moves
/// only when it is told to.
#[derive(Debug)]
pub(crate) enum Clock {
    Real,
    Virtual {
        start: Instant,
        /// Nanoseconds since the start: 584 years.
        passed: AtomicU64,
    },
}

impl Clock {
    pub(crate) fn new_virtual() -> Clock {
        Clock::Virtual {
            start: Instant::now(),
            passed: AtomicU64::new(0),
        }
    }

    pub(crate) fn now(&self) -> Instant {
        match self {
            Clock::Real => Instant::now(),
            Clock::Virtual { start, passed } => {
                *start + Duration::from_nanos(passed.load(Ordering::Relaxed))
            }
        }
    }

    /// Moves a virtual clock forward; a real one moves by itself.
    pub(crate) fn advance_to(&self, to: Instant) {
        if let Clock::Virtual { start, passed } = self {
            let nanos = to.saturating_duration_since(*start).as_nanos();
            let nanos = u64::try_from(nanos).unwrap_or(u64::MAX);
            passed.fetch_max(nanos, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(uproar_loom)))]
mod tests {
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
