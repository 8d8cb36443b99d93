//! Pages in files, packed or not.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::read::MultiGzDecoder;
use tsrec_core::html::sniff::not_html;
use url::Url;

/// What every gzip file begins with.
pub const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The bytes of a page in a file, which is called so where it cannot be read, as [`page_of`] has
/// them.
pub fn page_in(path: &Path, called: &str, most: usize) -> Result<Vec<u8>> {
    let file = File::open(path).with_context(|| format!("{called} cannot be read"))?;
    page_of(file, called, most)
}

/// The bytes of a page of a set, unpacked where they are packed, however long it is.
///
/// # Errors
///
/// What cannot be read or unpacked.
pub fn whole_page(path: &Path) -> Result<Vec<u8>> {
    page_in(path, &path.display().to_string(), u32::MAX as usize)
}

/// The bytes of a page, unpacked where they are packed by gzip; no more than `most` and one: a page
/// that is longer is cut by the parser, which says so.
///
/// # Errors
///
/// What cannot be read or unpacked.
pub fn page_of(mut from: impl Read, called: &str, most: usize) -> Result<Vec<u8>> {
    let most = most as u64 + 1;
    let mut bytes = Vec::new();
    from.by_ref().take(most).read_to_end(&mut bytes).with_context(|| format!("{called} cannot be read"))?;
    if !bytes.starts_with(&GZIP) {
        return Ok(bytes);
    }
    let mut page = Vec::new();
    let unpacked = MultiGzDecoder::new(bytes.as_slice().chain(from)).take(most).read_to_end(&mut page);
    unpacked.with_context(|| format!("{called} cannot be unpacked"))?;
    Ok(page)
}

/// A page as it was read.
pub struct Input {
    /// What it was called on the command line.
    pub name: String,
    /// The page, unpacked.
    pub bytes: Vec<u8>,
    /// The charset of the HTTP header, for a page that was fetched.
    pub charset: Option<String>,
    /// Where the page was fetched from.
    pub url: Option<Url>,
}

impl Input {
    /// A page that was at hand. The client sees to it that what is fetched is HTML.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Input> {
        if let Some(what) = not_html(&bytes, None) {
            bail!("page {name:?} is no HTML but {what}: unpack or convert it first");
        }
        Ok(Input { name: name.to_owned(), bytes, charset: None, url: None })
    }
}
