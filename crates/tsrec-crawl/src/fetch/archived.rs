//! Pages of web archives, as the client would have had them from their servers: the same content
//! types, the same sniffing, the same directives.

use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;
use url::Url;

use super::directives::directives;
use super::media_type::MediaType;
use crate::warc;
use crate::warc::{Kind, Originals, Response, WarcReader, WarcRecord, is_of_others, response};
use tsrec_core::html::directives::Directives;
use tsrec_core::html::sniff::{RESOURCE_HEADER_BYTES, is_no_text, not_html};

/// Bytes of a record beside its body that are read: a head. A packed body is shorter than what is
/// in it.
const HEAD: usize = 1 << 20;

/// A page that an archive has.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchivedPage {
    /// The URL that was asked for, without fragment.
    pub url: Url,
    /// When it came; `None` where the archive does not say.
    pub date: Option<Timestamp>,
    /// 200 to 299.
    pub status: u16,
    /// The charset parameter of the content type, as given.
    pub charset: Option<String>,
    /// The body, its chunks and content encoding undone.
    pub body: Vec<u8>,
    /// Whether the body went on.
    pub truncated: bool,
    /// What `X-Robots-Tag` asks for.
    pub directives: Directives,
}

/// What a record of an archive is to a crawl.
#[derive(Debug)]
pub enum Archived {
    /// A page.
    Page(Box<ArchivedPage>),
    /// Something else that came from a server: what, in a word for counts.
    Other(&'static str),
    /// What should be an answer and is none: why.
    Broken(String),
    /// What is about other records.
    About,
}

/// Reads the record that the reader has come to, with a body of at most `most` bytes: of a revisit
/// that of the answer before that it was the same as.
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

/// A page that was the same as one before: what that was, at this address and date.
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
    // It has a head at most.
    let block = reader.block(HEAD)?;
    reader.finish()?;
    let head = response(&block, 0);
    // 304 says that it was asked whether it was the same.
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
        // Where that is damaged, this file can be read on all the same.
        Err(error) => return Ok(Archived::Broken(format!("{target} was the same as what cannot be read: {error}"))),
    };
    (page.url, page.date) = (url, date(record));
    // What a 304 does not say again holds on (RFC 9111, section 4.3.4).
    if let Some(head) = head.filter(|head| head.status != 304 || head.header("X-Robots-Tag").is_some()) {
        page.directives = directives(&robots_tags(&head), product_token, page.date.unwrap_or_else(Timestamp::now));
    }
    Ok(Archived::Page(page))
}

/// The address that a record is about, as it stands there and as a URL.
fn address(record: &WarcRecord) -> Result<(&str, Url), Archived> {
    let is_web = |target: &&str| target.starts_with("http:") || target.starts_with("https:");
    let target = record.target().filter(is_web).ok_or(Archived::Other("other-scheme"))?;
    let mut url = Url::parse(target).map_err(|error| Archived::Broken(format!("{target:?} is no URL: {error}")))?;
    url.set_fragment(None);
    Ok((target, url))
}

fn date(record: &WarcRecord) -> Option<Timestamp> {
    record.field("WARC-Date").and_then(|date| date.parse().ok())
}

fn robots_tags(answer: &Response) -> HeaderMap {
    let values = answer.headers("X-Robots-Tag").filter_map(|value| HeaderValue::from_str(value).ok());
    values.map(|value| (HeaderName::from_static("x-robots-tag"), value)).collect()
}

/// What a server answered.
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
    // Before anything is made of it: a page that damage changed is no page.
    reader.finish()?;
    let is_whole = block.len() as u64 == record.length;
    if is_whole && record.field("WARC-Block-Digest").is_some_and(|said| is_of_others(said, &block)) {
        return Ok(Archived::Broken(format!("{target}: the record is damaged: its block is not what its digest says")));
    }
    let date = date(record);
    let mut headers = HeaderMap::new();
    let (status, content_type, body, truncated) = match record.kind {
        Kind::Response => match response(&block, most) {
            None => return Ok(Archived::Broken(format!("{target}: the record holds no HTTP response"))),
            Some(answer) if !(200..300).contains(&answer.status) => return Ok(Archived::Other("status")),
            Some(answer) => {
                headers = robots_tags(&answer);
                (answer.status, answer.header("Content-Type").map(str::to_owned), answer.body, answer.truncated)
            }
        },
        _ => {
            let truncated = block.len() > most;
            let mut body = block;
            body.truncate(most);
            (200, record.field("Content-Type").map(str::to_owned), body, truncated)
        }
    };
    let media_type = content_type.and_then(|value| MediaType::parse(value.as_bytes()));
    if media_type.as_ref().is_some_and(|media_type| !media_type.is_html()) {
        return Ok(Archived::Other("content-type"));
    }
    let charset = media_type.and_then(|media_type| media_type.charset);
    let header = &body[..body.len().min(RESOURCE_HEADER_BYTES)];
    if not_html(header, charset.as_deref()).is_some() || is_no_text(&body, charset.as_deref()) {
        return Ok(Archived::Other("content-type"));
    }
    let directives = directives(&headers, product_token, date.unwrap_or_else(Timestamp::now));
    let truncated = truncated || record.field("WARC-Truncated").is_some();
    Ok(Archived::Page(Box::new(ArchivedPage { url, date, status, charset, body, truncated, directives })))
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

    /// The bodies of its pages, as far as it can be read, and whether anything was wrong with it.
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

    /// In an archive packed by gzip any damage is seen; in others, that of a page is.
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
