//! sled panics on damaged files. This module turns such a panic into an error, without output on
//! standard error.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Runs a call into sled, and returns the panic message if it panics. After a panic, do not use
/// its data again.
pub(crate) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| match GUARDED.get() {
            true => tracing::debug!(%panic, "sled panicked"),
            false => before(panic),
        }));
    });
    let was = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    GUARDED.set(was);
    result.map_err(|panic| {
        let text =
            panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        text.unwrap_or_else(|| "a panic without a message".to_owned())
    })
}
