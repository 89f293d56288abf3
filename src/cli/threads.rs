//! The threads that long files and many files are worked on with.

use rayon::ThreadPoolBuilder;

/// Bytes of a file that are worth more than one thread.
pub const WORTH: usize = 512 << 10;

/// Makes the calling thread one of the workers, so that it need not wait for another one to wake up.
pub fn start() {
    // where there are workers already, they do
    let _ = ThreadPoolBuilder::new().use_current_thread().build_global();
}
