//! Lists of pages that sites publish: sitemaps (sitemaps.org 0.9) and their indexes, RSS, RDF and
//! Atom feeds, and plain lists of URLs, each gzipped or not.
//!
//! Of each entry two things are wanted, where it is and when it changed last; one reader finds them
//! in all formats. XML is read as a stream of events: nothing recurses, no tree is built, and no
//! entity is expanded but the five of XML and character references, so that a document cannot grow
//! by being read.
//!
//! What is listed is not to be trusted: a URL may be on any host, and a date in any year. Which of
//! them are followed is the crawl's business.
//!
//! # Bounds
//! [`MAX_LISTING_BYTES`] after decompression, [`MAX_ENTRIES`] entries, [`MAX_DEPTH`] elements open
//! at once. What lies beyond is left out, and [`SiteListing::cut`] says so. Time is linear in the
//! bytes.

mod xml;

use std::io::{BufRead, BufReader, Read};

use encoding_rs::{UTF_16BE, UTF_16LE};
use flate2::bufread::MultiGzDecoder;
use jiff::Timestamp;
use url::Url;

use self::xml::Xml;
use super::Error;
use super::cause::Cause;
use super::client::Success;
use super::failure::Failure;
use super::headers::date;

/// Bytes read of a listing. Judgement: the sitemap protocol allows 50 MB, and lists of 50,000 URLs
/// have 5 to 10; a single hostile token is held in memory whole.
pub const MAX_LISTING_BYTES: u64 = 20 << 20;

/// Entries read of a listing: what the sitemap protocol allows.
pub const MAX_ENTRIES: usize = 50_000;

/// Elements open at once. The formats need five.
pub const MAX_DEPTH: usize = 64;

/// Longest URL or date, in bytes: what the sitemap protocol allows for `loc`.
const MAX_VALUE_BYTES: usize = 2048;

/// What a listing lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteListing {
    /// Pages, in its order.
    pub pages: Vec<ListingEntry>,
    /// Further sitemaps: not empty for an index only.
    pub sitemaps: Vec<ListingEntry>,
    /// Whether there was more than is read, or its end was broken.
    pub cut: bool,
}

/// An entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingEntry {
    /// Where it is: http or https, without fragment, user name and password.
    pub url: Url,
    /// When it changed last, or was published, by its own account.
    pub modified: Option<Timestamp>,
}

/// The bytes are no sitemap, no feed, and no list of URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is neither a sitemap nor a feed, nor a list of URLs")]
pub struct NoListing;

/// What listings are asked for with.
pub(super) const ACCEPT: &str = "application/xml,text/xml;q=0.9,application/rss+xml,application/atom+xml,*/*;q=0.1";

/// Reads an answer with a success status, on a thread where it holds up nobody.
pub(super) async fn read_answer(url: &Url, mut answer: Success, max_body_bytes: usize) -> Result<SiteListing, Error> {
    // One byte more than wanted shows that there was more.
    let most = max_body_bytes.saturating_add(1);
    let mut bytes = std::mem::take(answer.read(most, most).await?);
    let truncated = bytes.len() > max_body_bytes;
    bytes.truncate(max_body_bytes);
    let base = url.clone();
    let listing = tokio::task::spawn_blocking(move || read(&bytes, &base)).await;
    let failed = |failure| Error::failed(url, failure);
    let mut listing = listing
        .map_err(|error| failed(Failure::new(Cause::Interrupted, error)))?
        .map_err(|error| failed(Failure::new(Cause::NotListing, error)))?;
    listing.cut |= truncated;
    Ok(listing)
}

/// Reads a listing that came from `base`.
///
/// # Errors
/// It is something else. One that is broken in the middle is no error: what stands before counts.
pub fn read(bytes: &[u8], base: &Url) -> Result<SiteListing, NoListing> {
    if !bytes.starts_with(b"\x1F\x8B\x08") {
        return read_plain(bytes, base);
    }
    // Twice packed is a trick: the inner one is no XML, and no URL.
    read_stream(BufReader::new(MultiGzDecoder::new(bytes)).take(MAX_LISTING_BYTES), base)
}

fn read_plain(bytes: &[u8], base: &Url) -> Result<SiteListing, NoListing> {
    let encoding = match bytes {
        [0xFF, 0xFE, ..] => UTF_16LE,
        [0xFE, 0xFF, ..] => UTF_16BE,
        _ => return read_stream(bytes.take(MAX_LISTING_BYTES), base),
    };
    let window = &bytes[..bytes.len().min(MAX_LISTING_BYTES as usize)];
    read_stream(encoding.decode_with_bom_removal(window).0.as_bytes().take(MAX_LISTING_BYTES), base)
}

fn read_stream(mut stream: std::io::Take<impl BufRead>, base: &Url) -> Result<SiteListing, NoListing> {
    let begin = stream.fill_buf().map_err(|_| NoListing)?;
    let begin = begin.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(begin).trim_ascii_start();
    let is_xml = begin.first() == Some(&b'<');
    let mut listing = match is_xml {
        true => Xml::new(base).read(&mut stream)?,
        false => read_lines(&mut stream)?,
    };
    listing.cut |= stream.limit() == 0;
    Ok(listing)
}

/// A URL a line, absolute by the protocol. The first must be one: a page of text is no listing.
fn read_lines(stream: &mut impl BufRead) -> Result<SiteListing, NoListing> {
    let mut listing = SiteListing::default();
    for line in stream.split(b'\n') {
        let Ok(line) = line else {
            listing.cut = true;
            break;
        };
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match Url::parse(line).ok().and_then(|url| entry(url, None)) {
            Some(listed) if listing.pages.len() < MAX_ENTRIES => listing.pages.push(listed),
            Some(_) => {
                listing.cut = true;
                break;
            }
            None if listing.pages.is_empty() => return Err(NoListing),
            None => {}
        }
    }
    match listing.pages.is_empty() {
        true => Err(NoListing),
        false => Ok(listing),
    }
}

/// An entry, if its URL is one that can be fetched.
fn entry(mut url: Url, modified: Option<&str>) -> Option<ListingEntry> {
    if !matches!(url.scheme(), "http" | "https") || url.as_str().len() > MAX_VALUE_BYTES {
        return None;
    }
    url.set_fragment(None);
    // Both fail only for URLs that cannot have a user name, and so have none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(ListingEntry { url, modified: modified.and_then(date) })
}

#[cfg(test)]
mod tests;
