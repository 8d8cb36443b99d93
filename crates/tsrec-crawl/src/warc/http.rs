//! An HTTP response from an archive: its head, and its body with chunks and content encoding
//! undone.

use std::io::Read;

use brotli_decompressor::Decompressor;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// The longest head that is read. Judgement: browsers allow a quarter of it.
const LONGEST_HEAD: usize = 1 << 20;
/// Working memory of a brotli decoder.
const BROTLI_BUFFER: usize = 4096;

/// The answer of a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// Such as 200.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// The body as a browser would see it: chunks and content encoding undone, up to the requested
    /// length.
    pub body: Vec<u8>,
    /// Whether the body is longer, or could not be decoded to its end.
    pub truncated: bool,
}

impl Response {
    /// The first header with a name, in any case of letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// All headers with a name.
    pub fn headers(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// Reads the block of a response record, with a body of at most `most` bytes. `None` if it does not
/// begin like an answer.
///
/// A body that cannot be decoded is taken as it is, up to `most`: archives hold bodies that are
/// already decoded, under headers that say otherwise.
pub fn response(block: &[u8], most: usize) -> Option<Response> {
    let (head, body) = split(block)?;
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines();
    let status_line = lines.next()?;
    if !status_line.starts_with("HTTP/") {
        return None;
    }
    let status = status_line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect();
    let mut response = Response { status, headers, ..Response::default() };
    let is = |name: &str, value: &str| {
        response.headers(name).flat_map(|list| list.split(',')).any(|given| given.trim().eq_ignore_ascii_case(value))
    };
    let joined = is("Transfer-Encoding", "chunked").then(|| unchunk(body)).flatten();
    let body = joined.as_ref().map_or(body, |(joined, _)| joined);
    let cut = joined.as_ref().is_some_and(|(_, is_whole)| !is_whole);
    let encodings: Vec<String> = response
        .headers("Content-Encoding")
        .flat_map(|list| list.split(','))
        .map(|encoding| encoding.trim().to_ascii_lowercase())
        .collect();
    let (body, is_whole) = decode(body, &encodings, most.saturating_add(1));
    response.truncated = cut || !is_whole || body.len() > most;
    response.body = body;
    response.body.truncate(most);
    Some(response)
}

/// Splits head and body at the empty line.
fn split(block: &[u8]) -> Option<(&[u8], &[u8])> {
    let looked_at = &block[..block.len().min(LONGEST_HEAD)];
    let mut at = 0;
    while let Some(end) = looked_at[at..].iter().position(|byte| *byte == b'\n') {
        let line = &looked_at[at..at + end];
        if line.is_empty() || line == b"\r" {
            return Some((&block[..at], &block[at + end + 1..]));
        }
        at += end + 1;
    }
    // An answer without a body may end with its head.
    (looked_at.len() == block.len()).then_some((block, &[]))
}

/// Joins chunks (RFC 9112, section 7.1), and tells whether they are complete. `None` if the body is
/// not in chunks.
fn unchunk(body: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut rest = body;
    let mut joined = Vec::with_capacity(body.len());
    let mut is_first = true;
    loop {
        let size = rest.iter().position(|byte| *byte == b'\n').and_then(|end| {
            let line = std::str::from_utf8(&rest[..end]).ok()?;
            let digits = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with(['+', '-']))?;
            Some((size, &rest[end + 1..]))
        });
        match size {
            None if is_first => return None,
            None => return Some((joined, false)),
            Some((0, _)) => return Some((joined, true)),
            Some((size, after)) => {
                is_first = false;
                joined.extend_from_slice(&after[..size.min(after.len())]);
                let Some(after) = after.get(size..) else { return Some((joined, false)) };
                rest = after.strip_prefix(b"\r\n").or(after.strip_prefix(b"\n")).unwrap_or(after);
            }
        }
    }
}

/// Undoes content encodings, the last first. Returns at most `most` bytes, and whether the body was
/// decoded to its end.
fn decode(body: &[u8], encodings: &[String], most: usize) -> (Vec<u8>, bool) {
    let mut body = body.to_vec();
    let mut is_whole = true;
    for encoding in encodings.iter().rev() {
        let decoded = match encoding.as_str() {
            "gzip" | "x-gzip" => unpack(MultiGzDecoder::new(body.as_slice()), most),
            // `deflate` means two things (RFC 9110, section 8.4.1.2).
            "deflate" => {
                let zlib = unpack(ZlibDecoder::new(body.as_slice()), most);
                if zlib.0.is_empty() { unpack(DeflateDecoder::new(body.as_slice()), most) } else { zlib }
            }
            "br" => unpack(Decompressor::new(body.as_slice(), BROTLI_BUFFER), most),
            "zstd" => match zstd::stream::read::Decoder::new(body.as_slice()) {
                Ok(decoder) => unpack(decoder, most),
                Err(_) => continue,
            },
            _ => continue,
        };
        // The decoder returned nothing: the body was decoded before it was archived.
        if decoded.0.is_empty() && !decoded.1 {
            continue;
        }
        (body, is_whole) = (decoded.0, decoded.1 && is_whole);
    }
    body.truncate(most);
    (body, is_whole)
}

fn unpack(mut decoder: impl Read, most: usize) -> (Vec<u8>, bool) {
    let mut unpacked = Vec::new();
    let ended = decoder.by_ref().take(most as u64).read_to_end(&mut unpacked);
    (unpacked, ended.is_ok())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn block(head: &str, body: &[u8]) -> Vec<u8> {
        [format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n").as_bytes(), body].concat()
    }

    fn body(head: &str, body: &[u8]) -> (Vec<u8>, bool) {
        let response = response(&block(head, body), 1 << 20).unwrap();
        (response.body, response.truncated)
    }

    #[test]
    fn chunks_and_encodings_are_undone() {
        let chunks = |body: &[u8]| {
            [
                b"4;x=y\r\n",
                &body[..4],
                b"\r\n",
                format!("{:X}", body.len() - 4).as_bytes(),
                b"\r\n",
                &body[4..],
                b"\r\n0\r\n\r\n",
            ]
            .concat()
        };
        let packed = gzip(b"hello, world");
        let zstd = zstd::encode_all(&b"hello, world"[..], 1).unwrap();
        for (head, sent) in [
            ("X: y", b"hello, world".to_vec()),
            ("transfer-encoding: Chunked", chunks(b"hello, world")),
            ("Content-Encoding: gzip", packed.clone()),
            ("Content-Encoding: gzip\r\nTransfer-Encoding: chunked", chunks(&packed)),
            ("Content-Encoding: identity, zstd", zstd),
            // Bodies that were decoded before they were archived, although their headers say
            // otherwise.
            ("Content-Encoding: br\r\nTransfer-Encoding: chunked", b"hello, world".to_vec()),
            ("Content-Encoding: gzip", b"hello, world".to_vec()),
        ] {
            assert_eq!(body(head, &sent), (b"hello, world".to_vec(), false), "{head}");
        }
    }

    #[test]
    fn what_is_cut_is_told() {
        let long = "hello, world ".repeat(1000);
        let packed = gzip(long.as_bytes());
        let (part, truncated) = body("Content-Encoding: gzip", &packed[..packed.len() - 12]);
        assert!(truncated && long.as_bytes().starts_with(&part) && !part.is_empty());
        assert_eq!(body("Transfer-Encoding: chunked", b"c\r\nhello, w"), (b"hello, w".to_vec(), true));
        let bomb = gzip(&vec![b' '; 50 << 20]);
        let (part, truncated) = body("Content-Encoding: gzip", &bomb);
        assert!(truncated && part.len() == 1 << 20);
    }

    #[test]
    fn heads_are_read_leniently() {
        let lenient =
            response(b"HTTP/2 404\nContent-Type:text/html\nSet-Cookie: a\nset-cookie: b\n\nbody", 10).unwrap();
        assert_eq!(
            (lenient.status, lenient.header("content-type"), lenient.body.as_slice()),
            (404, Some("text/html"), &b"body"[..])
        );
        assert_eq!(lenient.headers("Set-Cookie").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(response(b"HTTP/1.0 204 No Content\r\nA: b", 10).unwrap().status, 204);
        for none in [&b""[..], b"<html>\n\n", b"HTTP/1.1\r\n\r\n", b"HTTP/1.1 OK\r\n\r\n"] {
            assert_eq!(response(none, 10), None);
        }
    }
}
