//! Arguments that do not fit together in a way that clap cannot tell: they end as those that clap
//! refuses.

use std::fmt;

use anyhow::Result;

/// The exit code of wrong arguments: clap's own.
pub const WRONG_ARGUMENTS: u8 = 2;

/// What is wrong with the arguments, and the way out.
#[derive(Debug)]
pub struct Usage(String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// An error of this kind.
pub fn wrong(what: impl Into<String>) -> anyhow::Error {
    Usage(what.into()).into()
}

/// Refuses arguments that do not fit together.
pub fn ensure(fits: bool, what: &str) -> Result<()> {
    if fits { Ok(()) } else { Err(wrong(what)) }
}

/// True where nobody reads what is printed any more, as behind `head`.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.into_iter().any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
