//! Pages in files, with or without gzip.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::read::MultiGzDecoder;
use tsrec_core::html::sniff::not_html;
use url::Url;

/// The first bytes of every gzip file.
pub const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The bytes of a page in a file, as by [`page_of`]. `called` names the file in errors.
pub fn page_in(path: &Path, called: &str, most: usize) -> Result<Vec<u8>> {
    let file = File::open(path).with_context(|| format!("{called} cannot be read"))?;
    page_of(file, called, most)
}

/// The unpacked bytes of a set's page, of any length.
///
/// # Errors
///
/// If the file cannot be read or unpacked.
pub fn whole_page(path: &Path) -> Result<Vec<u8>> {
    page_in(path, &path.display().to_string(), u32::MAX as usize)
}

/// The bytes of a page, unpacked if gzipped; at most `most` and one more. The parser cuts a
/// longer page and reports it.
///
/// # Errors
///
/// If the page cannot be read or unpacked.
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

/// An input page.
pub struct Input {
    /// Its name on the command line.
    pub name: String,
    /// The page, unpacked.
    pub bytes: Vec<u8>,
    /// The charset of the HTTP header, if the page was fetched.
    pub charset: Option<String>,
    /// The URL of the page, if it was fetched.
    pub url: Option<Url>,
}

impl Input {
    /// A page given as bytes. The client ensures that fetched pages are HTML.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Input> {
        if let Some(what) = not_html(&bytes, None) {
            bail!("page {name:?} is no HTML but {what}: unpack or convert it first");
        }
        Ok(Input { name: name.to_owned(), bytes, charset: None, url: None })
    }
}
