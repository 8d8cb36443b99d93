//! JSON Lines.

use std::io::Write;

use anyhow::Result;

/// Writes a line of JSON Lines. It makes the text first, so that a broken pipe is an I/O error
/// and not a JSON error.
pub fn json_line(out: &mut impl Write, value: &impl serde::Serialize) -> Result<()> {
    let line = serde_json::to_string(value)?;
    writeln!(out, "{line}")?;
    Ok(())
}
