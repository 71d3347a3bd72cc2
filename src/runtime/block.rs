use std::future::Future;

use crate::scheduler::context;

/// Blocks a plain thread, or a lane, on a future.
pub(crate) fn block_thread<F: Future>(future: F) -> F::Output {
    assert!(
        context::worker().is_none() && !context::is_manual(),
        "uproar: `wait` and blocking receives would stop this worker and every actor on it; \
         use `.await` inside actors"
    );
    async_io::block_on(future)
}
