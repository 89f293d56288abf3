//! A panic is a bug: it is told as one, with the file that brought it about.

use std::any::Any;

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where the last panic happened. A panic of a worker thread is caught in another one, so this is no thread local.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

fn place() -> MutexGuard<'static, Option<String>> {
    PLACE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the default message away: [`caught`] tells it better. With RUST_BACKTRACE set both come.
pub fn quiet_panics() {
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        *place() = info.location().map(ToString::to_string);
        if super::is_set("RUST_BACKTRACE") {
            default(info);
        }
    }));
}

/// Runs `work`; a panic in it becomes a message that names `input`.
pub fn caught<T>(input: &str, work: impl FnOnce() -> T) -> Result<T, String> {
    // What the closure touches is dropped or not looked at again after a panic.
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let place = place().take().unwrap_or_else(|| "an unknown place".to_string());
        format!(
            "cvtlower has a bug: it stopped at '{input}' with \"{}\" ({place}).\n\
             Please report this with the input file and `cvtlower --version`.",
            message(payload.as_ref()),
        )
    })
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_names_the_input() {
        let text = caught("k.ptx", || -> () { panic!("oh {}", 1) }).unwrap_err();
        assert!(text.contains("'k.ptx' with \"oh 1\""), "{text}");
        assert!(text.contains("report"), "{text}");
        assert_eq!(caught("k.ptx", || 1), Ok(1));
    }
}
