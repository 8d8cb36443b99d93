//! Listings, which come some entries at a time: each asked for with what to go on after.

use std::io::{BufWriter, Write};

use anyhow::Result;
use serde::Serialize;

/// Some entries, and what to go on after; `None` at the end.
pub(super) type ListingPart<T> = (Vec<T>, Option<String>);

/// Writes all entries to standard output as they come, a line each: a JSON object, or what `row`
/// makes of it.
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

/// Each entry, in no more memory than a part takes.
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
