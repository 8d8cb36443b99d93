//! Lists of pages that sites publish: sitemaps (sitemaps.org 0.9) and their indexes, RSS, RDF and
//! Atom feeds, and plain lists of URLs, each gzipped or not.
//!
//! Each entry gives its URL and the date of its last change. One reader finds both in all formats.
//! It reads XML as a stream of events, without recursion and without a tree. It expands only XML's
//! five entities and character references, so that a document cannot grow when read. Elements count
//! by their namespace: an `image:loc` is no page. `xml:base` counts, and so do alternates
//! (`xhtml:link`), which are pages, too. The encoding is that of the mark, or of the XML
//! declaration.
//!
//! Listings are not trusted: a URL may be on any host, and a date in any year. The crawl decides
//! which URLs it follows.
//!
//! # Bounds
//! [`MAX_LISTING_BYTES`] after decompression, [`MAX_ENTRIES`] entries, [`MAX_DEPTH`] elements open
//! at once. The rest is left out, and [`ListingEnd::cut`] says so. Time is linear in the bytes. Of
//! an answer, [`ENTRIES_AT_A_TIME`] entries are in memory, and as many again on their way: entries
//! can be longer than their bytes in the listing, by its `xml:base`.

mod encoding;
mod xml;

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use jiff::Timestamp;
use tokio::sync::mpsc;
use tokio::time::Instant;
use url::Url;

use self::xml::Xml;
use super::Error;
use super::cause::Cause;
use super::client::{Success, is_blank};
use super::dates::date;
use super::failure::Failure;
use tsrec_core::html::sniff::is_text;

/// Bytes read of a listing, unpacked: what the sitemap protocol allows.
pub const MAX_LISTING_BYTES: u64 = 50 << 20;

/// Entries read of a listing: what the sitemap protocol allows. As many alternates of its pages are
/// read beside them.
pub const MAX_ENTRIES: usize = 50_000;

/// Elements open at once. The formats need five.
pub const MAX_DEPTH: usize = 64;

/// Longest URL or date, in bytes: what the sitemap protocol allows for `loc`.
const MAX_VALUE_BYTES: usize = 2048;

/// Entries handed on together as a listing arrives. Judgement: as many URLs as a page may link to
/// elsewhere; 2 MB at most.
pub const ENTRIES_AT_A_TIME: usize = 1_000;

/// Takes the entries of a listing as they arrive, some at a time. While it is full, no more bytes
/// are read. Once its receiver is dropped, the rest of the listing is left out.
pub type EntrySender = mpsc::Sender<Vec<ListingEntry>>;

/// The end of a listing whose entries were handed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListingEnd {
    /// Whether the listing was longer than the limits, or its end was broken.
    pub cut: bool,
}

/// The contents of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteListing {
    /// Pages, in the order of the listing.
    pub pages: Vec<ListingEntry>,
    /// Other versions of the pages, such as in other languages.
    pub alternates: Vec<ListingEntry>,
    /// Further sitemaps; only an index has any.
    pub sitemaps: Vec<ListingEntry>,
    /// Whether the listing was longer than the limits, or its end was broken.
    pub cut: bool,
}

/// An entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingEntry {
    /// What it leads to.
    pub kind: EntryKind,
    /// The URL: http or https, without fragment, user name and password.
    pub url: Url,
    /// When the page last changed, or was published, according to the listing.
    pub modified: Option<Timestamp>,
}

/// What an entry of a listing leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A page.
    Page,
    /// Another version of the page before it, such as in another language.
    Alternate,
    /// A further sitemap.
    Sitemap,
}

impl SiteListing {
    pub(super) async fn collect(mut entries: mpsc::Receiver<Vec<ListingEntry>>) -> SiteListing {
        let mut listing = SiteListing::default();
        while let Some(some) = entries.recv().await {
            some.into_iter().for_each(|entry| listing.add(entry));
        }
        listing
    }

    fn add(&mut self, entry: ListingEntry) {
        match entry.kind {
            EntryKind::Page => self.pages.push(entry),
            EntryKind::Alternate => self.alternates.push(entry),
            EntryKind::Sitemap => self.sitemaps.push(entry),
        }
    }
}

/// The bytes are no sitemap, no feed, and no list of URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is neither a sitemap nor a feed, nor a list of URLs")]
pub struct NoListing;

/// The Accept header for listings.
pub(super) const ACCEPT: &str = "application/xml,text/xml;q=0.9,application/rss+xml,application/atom+xml,*/*;q=0.1";

/// Chunks of a body on their way to the reader. Judgement: one is read while the next comes.
const CHUNKS: usize = 2;

/// Reads an answer with a success status as it comes, on a thread of its own so that it blocks no
/// other task. Neither the body nor its entries are ever in memory as a whole. The time for which
/// the sender is full does not count towards the time-outs of the body.
pub(super) async fn read_answer(url: &Url, mut answer: Success, entries: &EntrySender) -> Result<ListingEnd, Error> {
    answer.check_status()?;
    let (sender, chunks) = mpsc::channel(CHUNKS);
    let (base, entries) = (url.clone(), entries.clone());
    let end = tokio::task::spawn_blocking(move || {
        let bytes = ChunkReader { chunks, chunk: Vec::new(), at: 0 };
        hand_on(bytes, &base, |some| entries.blocking_send(some).is_ok())
    });
    let (mut left, mut is_blank_so_far) = (MAX_LISTING_BYTES as usize, true);
    while left > 0 {
        let Some(chunk) = answer.next(left).await? else { break };
        if is_blank_so_far && answer.unknown_encoding().is_some() && !is_text(&chunk) {
            return Err(Error::encoding(url, answer.unknown_encoding().unwrap_or_default()));
        }
        left = left.saturating_sub(chunk.len());
        is_blank_so_far &= is_blank(&chunk);
        let full_since = Instant::now();
        // The reader has ended at a limit of its own.
        if sender.send(chunk).await.is_err() {
            break;
        }
        answer.pause(full_since.elapsed());
    }
    drop(sender);
    let failed = |failure| Error::failed(url, failure);
    let end = end.await.map_err(|error| failed(Failure::new(Cause::Interrupted, error)))?;
    if is_blank_so_far {
        return Err(Error::blank(url, answer.status));
    }
    let end = end.map_err(|error| failed(Failure::new(Cause::NotListing, error)))?;
    Ok(ListingEnd { cut: end.cut || left == 0 || answer.is_cut() })
}

/// Reads a listing, and hands on its entries some at a time, until `takes` says no.
fn hand_on(
    bytes: impl Read,
    base: &Url,
    mut takes: impl FnMut(Vec<ListingEntry>) -> bool,
) -> Result<ListingEnd, NoListing> {
    let mut some = Vec::new();
    let end = read_entries(bytes, base, &mut |entry| {
        some.push(entry);
        some.len() < ENTRIES_AT_A_TIME || takes(std::mem::take(&mut some))
    })?;
    let is_whole = some.is_empty() || takes(some);
    Ok(ListingEnd { cut: end.cut || !is_whole })
}

/// A body as it comes.
struct ChunkReader {
    chunks: mpsc::Receiver<Vec<u8>>,
    chunk: Vec<u8>,
    at: usize,
}

impl Read for ChunkReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.chunk.len() {
            match self.chunks.blocking_recv() {
                Some(chunk) => (self.chunk, self.at) = (chunk, 0),
                None => return Ok(0),
            }
        }
        let length = out.len().min(self.chunk.len() - self.at);
        out[..length].copy_from_slice(&self.chunk[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

/// Reads a listing that came from `base` as a whole.
///
/// # Errors
/// The bytes are something else. A listing that breaks off is no error: the entries before count.
pub fn read(bytes: impl Read, base: &Url) -> Result<SiteListing, NoListing> {
    let mut listing = SiteListing::default();
    let end = read_entries(bytes, base, &mut |entry| {
        listing.add(entry);
        true
    })?;
    Ok(SiteListing { cut: end.cut, ..listing })
}

/// Takes an entry; `false` if it takes no more.
type Take<'t> = dyn FnMut(ListingEntry) -> bool + 't;

fn read_entries(bytes: impl Read, base: &Url, take: &mut Take<'_>) -> Result<ListingEnd, NoListing> {
    let (begin, stream) = begin(bytes).map_err(|_| NoListing)?;
    if !begin.starts_with(b"\x1F\x8B\x08") {
        return read_plain(stream, base, take);
    }
    // Text packed twice is not unpacked twice: the inner one is no XML and no URL.
    let unpacked = MultiGzDecoder::new(BufReader::new(stream)).take(MAX_LISTING_BYTES);
    read_plain(unpacked, base, take)
}

/// Bytes looked at to tell the format and the encoding. Judgement: an XML declaration has a tenth.
const BEGIN: u64 = 1024;

/// The beginning of a stream, and the stream with it. An error after the first bytes comes again
/// when the rest is read.
fn begin(mut bytes: impl Read) -> io::Result<(Vec<u8>, impl Read)> {
    let mut begin = Vec::new();
    let read = bytes.by_ref().take(BEGIN).read_to_end(&mut begin);
    if begin.is_empty() {
        read?;
    }
    Ok((begin.clone(), io::Cursor::new(begin).chain(bytes)))
}

fn read_plain(bytes: impl Read, base: &Url, take: &mut Take<'_>) -> Result<ListingEnd, NoListing> {
    let (begin, stream) = begin(bytes).map_err(|_| NoListing)?;
    let encoding = encoding::of_listing(&begin);
    let stream = encoding::Utf8::new(stream, encoding);
    read_stream(BufReader::new(stream).take(MAX_LISTING_BYTES), base, take)
}

fn read_stream(mut stream: io::Take<impl BufRead>, base: &Url, take: &mut Take<'_>) -> Result<ListingEnd, NoListing> {
    let is_xml = loop {
        let begin = stream.fill_buf().map_err(|_| NoListing)?;
        let Some(blanks) = begin.iter().position(|byte| !byte.is_ascii_whitespace()) else {
            let length = begin.len();
            stream.consume(length);
            if length == 0 {
                return Err(NoListing);
            }
            continue;
        };
        let is_xml = begin[blanks] == b'<';
        stream.consume(blanks);
        break is_xml;
    };
    let end = match is_xml {
        true => Xml::new(base, take).read(&mut stream)?,
        false => read_lines(&mut stream, take)?,
    };
    Ok(ListingEnd { cut: end.cut || stream.limit() == 0 })
}

/// One URL a line, absolute by the protocol. The first line must be a URL, since a page of text is
/// no listing.
fn read_lines(stream: &mut impl BufRead, take: &mut Take<'_>) -> Result<ListingEnd, NoListing> {
    let mut kept = 0;
    for line in stream.split(b'\n') {
        let Ok(line) = line else { return Ok(ListingEnd { cut: true }) };
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match Url::parse(line).ok().and_then(|url| entry(EntryKind::Page, url, None)) {
            Some(listed) => {
                if kept >= MAX_ENTRIES || !take(listed) {
                    return Ok(ListingEnd { cut: true });
                }
                kept += 1;
            }
            None if kept == 0 => return Err(NoListing),
            None => {}
        }
    }
    match kept {
        0 => Err(NoListing),
        _ => Ok(ListingEnd::default()),
    }
}

/// An entry, if its URL can be fetched.
fn entry(kind: EntryKind, mut url: Url, modified: Option<&str>) -> Option<ListingEntry> {
    if !matches!(url.scheme(), "http" | "https") || url.as_str().len() > MAX_VALUE_BYTES {
        return None;
    }
    url.set_fragment(None);
    // Both calls fail only for URLs that cannot have a user name, and so have none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(ListingEntry { kind, url, modified: modified.and_then(date) })
}

#[cfg(test)]
mod tests;
