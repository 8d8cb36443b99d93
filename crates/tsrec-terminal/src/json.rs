//! JSON Lines.

use std::io::Write;

use anyhow::Result;

/// Writes a line of JSON Lines. The text is made first, so that a broken pipe stays an I/O error
/// and is not one of JSON.
pub fn json_line(out: &mut impl Write, value: &impl serde::Serialize) -> Result<()> {
    let line = serde_json::to_string(value)?;
    writeln!(out, "{line}")?;
    Ok(())
}
