use concurrent_queue::ConcurrentQueue;

use super::task::Task;

/// Tasks without an allocation; more of them go to blocks of the heap.
const ROOM: usize = 256;

/// The part of a run queue that any thread puts into and takes from.
///
/// Its first places are a ring, so that a worker that is woken by others time and
/// again allocates nothing. While there are more tasks than that, new ones line up
/// behind those in the overflow.
pub(super) struct Inbox {
    ring: ConcurrentQueue<Task>,
    overflow: ConcurrentQueue<Task>,
}

impl Inbox {
    pub(super) fn new() -> Self {
        Inbox {
            ring: ConcurrentQueue::bounded(ROOM),
            overflow: ConcurrentQueue::unbounded(),
        }
    }

    /// Puts a task at the back.
    pub(super) fn push(&self, mut task: Task) {
        if self.overflow.is_empty() {
            match self.ring.push(task) {
                Ok(()) => return,
                Err(full) => task = full.into_inner(),
            }
        }
        if let Err(closed) = self.overflow.push(task) {
            drop(closed.into_inner());
        }
    }

    /// Takes the oldest task.
    pub(super) fn pop(&self) -> Option<Task> {
        self.ring.pop().or_else(|_| self.overflow.pop()).ok()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ring.is_empty() && self.overflow.is_empty()
    }

    /// A hint.
    pub(super) fn len(&self) -> usize {
        self.ring.len() + self.overflow.len()
    }
}
