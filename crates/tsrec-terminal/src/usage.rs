//! Errors for argument combinations that clap cannot check. They end the program as clap's own
//! errors do.

use std::fmt;

use anyhow::Result;

/// The exit code for wrong arguments, same as clap's.
pub const WRONG_ARGUMENTS: u8 = 2;

/// What is wrong with the arguments, and how to fix it.
#[derive(Debug)]
pub struct Usage(String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A usage error.
pub fn wrong(what: impl Into<String>) -> anyhow::Error {
    Usage(what.into()).into()
}

/// Fails if the arguments do not fit together.
pub fn ensure(fits: bool, what: &str) -> Result<()> {
    if fits { Ok(()) } else { Err(wrong(what)) }
}

/// Whether the reader of our output has gone, as with `head`.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.into_iter().any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
