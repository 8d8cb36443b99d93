//! Listings that come in parts. Each request says where to continue.

use std::io::{BufWriter, Write};

use anyhow::Result;
use serde::Serialize;

/// Some entries, and the position to continue from; `None` at the end.
pub(super) type ListingPart<T> = (Vec<T>, Option<String>);

/// Writes all entries to standard output as they come, one per line: a JSON object, or the line
/// that `row` makes.
pub(super) async fn write<T: Serialize>(
    json: bool,
    row: impl Fn(&mut dyn Write, &T) -> std::io::Result<()>,
    mut part: impl AsyncFnMut(Option<String>) -> Result<ListingPart<T>>,
) -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut after = None;
    loop {
        let (entries, next) = part(after).await?;
        for entry in &entries {
            match json {
                true => tsrec_terminal::json::json_line(&mut out, entry)?,
                false => row(&mut out, entry)?,
            }
        }
        out.flush()?;
        if next.is_none() {
            return Ok(());
        }
        after = next;
    }
}

/// All entries.
pub(super) async fn all<T>(part: impl AsyncFnMut(Option<String>) -> Result<ListingPart<T>>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    each(part, |entry| {
        all.push(entry);
        Ok(())
    })
    .await?;
    Ok(all)
}

/// Calls a function for each entry. Memory holds one part.
pub(super) async fn each<T>(
    mut part: impl AsyncFnMut(Option<String>) -> Result<ListingPart<T>>,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let mut after = None;
    loop {
        let (entries, next) = part(after).await?;
        entries.into_iter().try_for_each(&mut take)?;
        if next.is_none() {
            return Ok(());
        }
        after = next;
    }
}
