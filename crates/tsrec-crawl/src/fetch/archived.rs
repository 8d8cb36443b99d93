//! Pages of web archives, as the client would have received them from their servers. Content types,
//! sniffing and directives work the same.

use jiff::Timestamp;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::client::{has_whole_page, is_blank};
use super::directives::directives;
use super::headers;
use super::link_header::canonical;
use super::media_type::MediaType;
use crate::warc;
use crate::warc::{Kind, Originals, Response, WarcReader, WarcRecord, is_of_others, response};
use tsrec_core::html::directives::Directives;
use tsrec_core::html::refresh::Refresh;
use tsrec_core::html::sniff::{RESOURCE_HEADER_BYTES, is_no_text, is_xhtml, not_html};

/// Bytes read of a record for its head, in addition to the body. A packed body is shorter than its
/// content.
const HEAD: usize = 1 << 20;

/// A page in an archive.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchivedPage {
    /// The URL that was asked for, without fragment.
    pub url: Url,
    /// When the page was fetched; `None` if the archive does not say.
    pub date: Option<Timestamp>,
    /// 200 to 299.
    pub status: u16,
    /// The charset parameter of the content type, as given.
    pub charset: Option<String>,
    /// The body, with chunks and content encoding undone.
    pub body: Vec<u8>,
    /// Whether the body is cut off.
    pub truncated: bool,
    /// What `X-Robots-Tag` asks for.
    pub directives: Directives,
    /// The address that the `Link` header calls canonical.
    pub canonical: Option<Url>,
    /// What its `Refresh` header asks for.
    pub refresh: Option<Refresh>,
}

/// What a record of an archive means to a crawl.
#[derive(Debug)]
pub enum Archived {
    /// A page.
    Page(Box<ArchivedPage>),
    /// Something else from a server. Holds a word for counts.
    Other(&'static str),
    /// A record that should be an answer and is not. Holds the reason.
    Broken(String),
    /// A record about other records.
    About,
}

/// Reads the record at which the reader stands, with a body of at most `most` bytes. For a revisit
/// record, this is the body of the earlier answer that it refers to.
///
/// # Errors
///
/// The archive cannot be read on.
pub fn archived(
    reader: &mut WarcReader,
    record: &WarcRecord,
    originals: &mut Originals,
    most: usize,
    product_token: &str,
) -> Result<Archived, warc::Error> {
    originals.pass(record);
    match record.kind {
        Kind::Other => Ok(Archived::About),
        Kind::Conversion => Ok(Archived::Other("conversion")),
        Kind::Response | Kind::Resource => answered(reader, record, most, product_token),
        Kind::Revisit => revisited(reader, record, originals, most, product_token),
    }
}

/// A revisit record's page: the earlier page, at this address and date.
fn revisited(
    reader: &mut WarcReader,
    record: &WarcRecord,
    originals: &mut Originals,
    most: usize,
    product_token: &str,
) -> Result<Archived, warc::Error> {
    let (target, url) = match address(record) {
        Ok(address) => address,
        Err(archived) => return Ok(archived),
    };
    // The block holds a head at most.
    let block = reader.block(HEAD)?;
    reader.finish()?;
    let head = response(&block, 0);
    // 304 shows that the request was conditional.
    if head.as_ref().is_some_and(|head| !(200..300).contains(&head.status) && head.status != 304) {
        return Ok(Archived::Other("status"));
    }
    let original = originals.find(record).and_then(|found| match found {
        Some((mut reader, original)) => answered(&mut reader, &original, most, product_token),
        None => Ok(Archived::Other("revisit")),
    });
    let mut page = match original {
        Ok(Archived::Page(page)) => page,
        Ok(Archived::Broken(why)) => return Ok(Archived::Broken(format!("{target} was the same as {why}"))),
        Ok(archived) => return Ok(archived),
        // If the earlier record is damaged, this file can still be read on.
        Err(error) => return Ok(Archived::Broken(format!("{target} was the same as what cannot be read: {error}"))),
    };
    (page.url, page.date) = (url, date(record));
    // Headers that a 304 leaves out keep their values (RFC 9111, section 4.3.4).
    if let Some(head) = head.filter(|head| head.status != 304 || head.header("X-Robots-Tag").is_some()) {
        page.directives = directives(&kept_headers(&head), product_token, page.date.unwrap_or_else(Timestamp::now));
    }
    Ok(Archived::Page(page))
}

/// The address that a record is about, as written and as a URL.
fn address(record: &WarcRecord) -> Result<(&str, Url), Archived> {
    let is_web = |target: &&str| target.starts_with("http:") || target.starts_with("https:");
    let target = record.target().filter(is_web).ok_or(Archived::Other("other-scheme"))?;
    let mut url = Url::parse(target).map_err(|error| Archived::Broken(format!("{target:?} is no URL: {error}")))?;
    url.set_fragment(None);
    Ok((target, url))
}

fn date(record: &WarcRecord) -> Option<Timestamp> {
    record.field("WARC-Date").and_then(warc::date)
}

/// The headers of an answer that speak of its page.
fn kept_headers(answer: &Response) -> HeaderMap {
    let of_name = |name: &'static str| {
        let values = answer.headers(name).filter_map(|value| HeaderValue::from_str(value).ok());
        values.map(move |value| (HeaderName::from_static(name), value))
    };
    ["x-robots-tag", "link", "refresh"].into_iter().flat_map(of_name).collect()
}

/// Reads the answer of a server.
fn answered(
    reader: &mut WarcReader,
    record: &WarcRecord,
    most: usize,
    product_token: &str,
) -> Result<Archived, warc::Error> {
    let (target, url) = match address(record) {
        Ok(address) => address,
        Err(archived) => return Ok(archived),
    };
    let block = reader.block(most.saturating_add(HEAD))?;
    // Check first: a page with a damaged record is not a page.
    reader.finish()?;
    let is_whole = block.len() as u64 == record.length;
    if is_whole && record.field("WARC-Block-Digest").is_some_and(|said| is_of_others(said, &block)) {
        return Ok(Archived::Broken(format!("{target}: the record is damaged: its block is not what its digest says")));
    }
    let date = date(record);
    let mut headers = HeaderMap::new();
    let (status, content_types, body, truncated) = match record.kind {
        Kind::Response => match response(&block, most) {
            None => return Ok(Archived::Broken(format!("{target}: the record holds no HTTP response"))),
            Some(answer) if !has_whole_page(answer.status) => return Ok(Archived::Other("status")),
            Some(answer) => {
                headers = kept_headers(&answer);
                let types = answer.headers("Content-Type").map(str::to_owned).collect::<Vec<_>>();
                (answer.status, types, answer.body, answer.truncated)
            }
        },
        _ => {
            let truncated = block.len() > most;
            let mut body = block;
            body.truncate(most);
            (200, record.field("Content-Type").map(str::to_owned).into_iter().collect(), body, truncated)
        }
    };
    let media_type = MediaType::parse(content_types.iter().map(String::as_bytes));
    let header = &body[..body.len().min(RESOURCE_HEADER_BYTES)];
    let is_page = |media_type: &MediaType| media_type.is_html() || media_type.is_xml() && is_xhtml(header);
    if !media_type.as_ref().is_none_or(is_page) {
        return Ok(Archived::Other("content-type"));
    }
    if is_blank(&body) {
        return Ok(Archived::Other("no-content"));
    }
    let charset = media_type.and_then(|media_type| media_type.charset);
    if not_html(header, charset.as_deref()).is_some() || is_no_text(&body, charset.as_deref()) {
        return Ok(Archived::Other("content-type"));
    }
    let directives = directives(&headers, product_token, date.unwrap_or_else(Timestamp::now));
    let truncated = truncated || record.field("WARC-Truncated").is_some();
    let (canonical, refresh) = (canonical(&url, &headers), headers::refresh(&url, &headers));
    let page = ArchivedPage { url, date, status, charset, body, truncated, directives, canonical, refresh };
    Ok(Archived::Page(Box::new(page)))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use flate2::read::MultiGzDecoder;

    use super::*;
    use crate::warc::{NewRecord, Packing, WarcWriter};

    const PAGES: usize = 3;

    /// An archive of some pages, each with the digest of its block.
    fn archive(packing: Packing) -> Vec<u8> {
        let mut writer = WarcWriter::new(Vec::new(), packing);
        for number in 0..PAGES {
            let story: String =
                (0..40).map(|at| format!("<p>{} boats left at {}.", number * 97 + at, at * 31)).collect();
            let answer =
                format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Page {number}</title>{story}");
            let mut record = NewRecord::new("response", "2026-11-21T00:00:00Z".parse().unwrap());
            record.content_type = "application/http;msgtype=response";
            record.fields.push(("WARC-Target-URI", format!("http://a.example/{number}")));
            record.block = answer.as_bytes().into();
            writer.write(&record).unwrap();
        }
        writer.into_inner()
    }

    /// The bodies of the pages that can be read, and whether there was any error.
    fn read(bytes: &[u8]) -> (Vec<Vec<u8>>, bool) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let (mut bodies, mut wrong) = (Vec::new(), false);
        let Ok(mut reader) = WarcReader::open(file.path()) else { return (bodies, true) };
        let mut originals = Originals::default();
        loop {
            let read = match reader.next_record() {
                Ok(None) => return (bodies, wrong),
                Ok(Some(record)) => archived(&mut reader, &record, &mut originals, 1 << 20, "test"),
                Err(error) => Err(error),
            };
            match read {
                Ok(Archived::Page(page)) => bodies.push(page.body),
                Ok(Archived::Broken(_)) => wrong = true,
                Ok(_) => {}
                Err(_) => return (bodies, true),
            }
        }
    }

    /// An archive packed by gzip shows any damage. Others show only damage to a page.
    #[test]
    fn a_page_that_damage_changed_is_no_page() {
        let mut plain = Vec::new();
        MultiGzDecoder::new(&archive(Packing::Gzip)[..]).read_to_end(&mut plain).unwrap();
        let archives = [("gzip", archive(Packing::Gzip)), ("zstd", archive(Packing::Zstd)), ("plain", plain)];
        for (packing, good) in archives {
            let (bodies, wrong) = read(&good);
            assert!(bodies.len() == PAGES && !wrong);
            for at in (0..good.len()).step_by(3) {
                let mut bad = good.clone();
                bad[at] ^= 1 << (at % 8);
                let (read, wrong) = read(&bad);
                assert!(read.iter().all(|body| bodies.contains(body)), "{packing}: byte {at} changed a page");
                assert!(wrong || read.len() == PAGES || packing != "gzip", "{packing}: byte {at} lost a page");
            }
        }
    }
}
