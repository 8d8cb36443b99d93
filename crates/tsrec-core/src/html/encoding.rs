//! Finds the character encoding of a page.
//!
//! The HTML standard's order (section 13.2.3.2): a byte order mark, the transport layer's label, a
//! `<meta>` in the first 1,024 bytes, then detection. The prescan is our own because html5ever
//! reports a meta charset only when the tree is half built.
//!
//! If the bytes contradict the label, the bytes win. Browsers believe the label and show garbage,
//! which no search would find. Saved or moved pages often keep an old label: of the 3,253 pages of
//! `EVALUATION.md`, 63 are UTF-8 and declare another encoding.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::memchr;

/// How far the standard lets a parser look for a `<meta>` charset, in bytes.
const PRESCAN: usize = 1024;

/// Decodes a page. `charset` is the label from the HTTP header, if any; it is used unless the bytes
/// contradict it. Malformed sequences become U+FFFD.
pub fn decode<'b>(bytes: &'b [u8], charset: Option<&str>) -> (Cow<'b, str>, &'static Encoding) {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return (encoding.decode_without_bom_handling(&bytes[mark..]).0, encoding);
    }
    if let Some(encoding) = utf_16(bytes) {
        return (encoding.decode_without_bom_handling(bytes).0, encoding);
    }
    let labelled = charset
        .and_then(|label| Encoding::for_label(label.trim().as_bytes()))
        .or_else(|| prescan(&bytes[..bytes.len().min(PRESCAN)]));
    if labelled == Some(UTF_8) {
        // Decoding also tells whether it is UTF-8, so the page is not read twice.
        let (text, has_errors) = UTF_8.decode_without_bom_handling(bytes);
        if !has_errors || is_mostly_utf8(bytes) {
            return (text, UTF_8);
        }
    }
    let is_one_byte_wide = || memchr(0, &bytes[..bytes.len().min(PRESCAN)]).is_none();
    let contradicts = |label: &'static Encoding| match label.is_ascii_compatible() {
        true => is_utf8(bytes),
        // In UTF-16 the markup alone has zeros.
        false => (label == UTF_16LE || label == UTF_16BE) && is_one_byte_wide(),
    };
    let borne_out = labelled.filter(|label| *label != UTF_8 && !contradicts(label));
    let encoding = borne_out.unwrap_or_else(|| detect(bytes));
    (encoding.decode_without_bom_handling(bytes).0, encoding)
}

/// UTF-16 without a byte order mark: markup with a zero beside each character. Browsers need a
/// label for it, which a saved page has lost.
pub(crate) fn utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(PRESCAN) & !1];
    memchr(0, head)?;
    let zeros = |odd: usize| head.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    let (first, second) = (zeros(0), zeros(1));
    let units = head.len() / 2;
    // Judgement: markup is a quarter of any page's beginning, and only it has zeros.
    let is_wide = |zeros: usize, others: usize| 4 * zeros >= units && 16 * others <= units;
    let has_tag = |tag: [u8; 2]| head.chunks_exact(2).any(|unit| unit == tag);
    if is_wide(second, first) && has_tag([b'<', 0]) {
        Some(UTF_16LE)
    } else if is_wide(first, second) && has_tag([0, b'<']) {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Whether the bytes are valid UTF-8 and not only ASCII. That is hardly ever chance: in other
/// encodings few pairs of bytes are valid UTF-8.
fn is_utf8(bytes: &[u8]) -> bool {
    let beyond_ascii = &bytes[Encoding::ascii_valid_up_to(bytes)..];
    !beyond_ascii.is_empty() && Encoding::utf8_valid_up_to(beyond_ascii) == beyond_ascii.len()
}

/// Whether more of the characters beyond ASCII are valid UTF-8 than not. This holds for a page cut
/// within a character or joined from two sources.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let is_beyond_ascii = |&letter: &char| !letter.is_ascii();
    let (good, bad) = bytes.utf8_chunks().fold((0, 0), |(good, bad), chunk| {
        (good + chunk.valid().chars().filter(is_beyond_ascii).count(), bad + usize::from(!chunk.invalid().is_empty()))
    });
    good >= bad
}

/// The character that starts ISO-2022-JP's switch to another character set.
const ESCAPE: u8 = 0x1B;

/// Guesses the encoding. Valid UTF-8 needs no guess, except for ISO-2022-JP, which is ASCII with
/// escape sequences. Browsers never detect that one, because it can hide a script from a filter. We
/// run no scripts.
fn detect(bytes: &[u8]) -> &'static Encoding {
    let is_utf8 = Encoding::utf8_valid_up_to(bytes) == bytes.len();
    if is_utf8 && memchr(ESCAPE, bytes).is_none() {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Allow);
    if is_utf8 && guess != ISO_2022_JP { UTF_8 } else { guess }
}

/// The standard's "prescan a byte stream to determine its encoding".
fn prescan(head: &[u8]) -> Option<&'static Encoding> {
    let mut scan = Scan { bytes: head, at: 0 };
    while scan.at < head.len() {
        let rest = &head[scan.at..];
        if rest.starts_with(b"<!--") {
            // `<!-->` is a comment too: the closing `-->` may share its hyphens with the opening.
            scan.at += rest[2..].windows(3).position(|w| w == b"-->")? + 4;
        } else if starts_with_tag(rest, b"<meta") {
            scan.at += 5;
            if let Some(encoding) = scan.meta() {
                return Some(encoding);
            }
        } else if rest.len() > 2
            && rest[0] == b'<'
            && (rest[1].is_ascii_alphabetic() || (rest[1] == b'/' && rest[2].is_ascii_alphabetic()))
        {
            scan.skip(|b| !b.is_ascii_whitespace() && b != b'>');
            while scan.attribute().is_some() {}
        } else if rest.len() > 1 && rest[0] == b'<' && matches!(rest[1], b'!' | b'/' | b'?') {
            scan.skip(|b| b != b'>');
        }
        scan.at += 1;
    }
    None
}

fn starts_with_tag(bytes: &[u8], tag: &[u8]) -> bool {
    bytes.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag))
        && bytes.get(tag.len()).is_some_and(|b| b.is_ascii_whitespace() || *b == b'/')
}

struct Scan<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, test: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&test) {
            self.at += 1;
        }
    }

    /// Reads the attributes of a `<meta>` as the standard does. The scan ends at the tag's `>`.
    fn meta(&mut self) -> Option<&'static Encoding> {
        let (mut pragma, mut needs_pragma, mut label) = (false, None, None);
        while let Some((name, value)) = self.attribute() {
            match name.as_slice() {
                b"http-equiv" => pragma |= value == b"content-type",
                b"content" if label.is_none() => {
                    label = charset_in(&value).and_then(Encoding::for_label);
                    needs_pragma = label.map(|_| true);
                }
                b"charset" => {
                    label = Encoding::for_label(&value);
                    needs_pragma = Some(false);
                }
                _ => {}
            }
        }
        if needs_pragma? && !pragma {
            return None;
        }
        match label? {
            e if e == UTF_16BE || e == UTF_16LE => Some(UTF_8),
            e if e == X_USER_DEFINED => Some(WINDOWS_1252),
            e => Some(e),
        }
    }

    /// The standard's "get an attribute", in lower case: `None` at the end of the tag.
    fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        self.skip(|b| b.is_ascii_whitespace() || b == b'/');
        if self.peek()? == b'>' {
            return None;
        }
        let start = self.at;
        self.at += 1; // a name may begin with `=`
        self.skip(|b| !b.is_ascii_whitespace() && !matches!(b, b'=' | b'/' | b'>'));
        let name = self.bytes[start..self.at].to_ascii_lowercase();
        self.skip(|b| b.is_ascii_whitespace());
        if self.peek() != Some(b'=') {
            return Some((name, Vec::new()));
        }
        self.at += 1;
        self.skip(|b| b.is_ascii_whitespace());
        let value = match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                let start = self.at;
                self.skip(|b| b != quote);
                self.at += 1;
                self.bytes.get(start..self.at - 1)?
            }
            _ => {
                let start = self.at;
                self.skip(|b| !b.is_ascii_whitespace() && b != b'>');
                &self.bytes[start..self.at]
            }
        };
        Some((name, value.to_ascii_lowercase()))
    }
}

/// The standard's "extract a character encoding from a meta element": what follows `charset=`.
fn charset_in(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        let at = rest.windows(7).position(|w| w == b"charset")?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            rest = value.trim_ascii_start();
            break;
        }
    }
    match rest.first()? {
        quote @ (b'"' | b'\'') => rest[1..].split(|b| b == quote).next(),
        _ => rest.split(|b| b.is_ascii_whitespace() || *b == b';').next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_asked_in_the_standards_order() {
        let cases: &[(&[u8], Option<&str>, &str)] = &[
            (b"", None, "UTF-8"),
            (b"\xef\xbb\xbf<meta charset=koi8-r>", Some("latin1"), "UTF-8"),
            (b"<meta charset=koi8-r>", Some("latin1"), "windows-1252"),
            (b"<meta charset=koi8-r>", Some("no such thing"), "KOI8-R"),
            (b"<meta charset=koi8-r>", None, "KOI8-R"),
            (b"<META HTTP-EQUIV=Content-Type content='text/html; charset=\"big5\"'>", None, "Big5"),
            (b"<meta content='text/html; charset=big5'>ascii", None, "UTF-8"),
            (b"<!-- <meta charset=big5> --><meta charset='gb2312'>", None, "GBK"),
            (b"<!--><meta charset=gb2312>", None, "GBK"),
            (b"<title x='<meta charset=big5>'><meta charset=utf-16>", None, "UTF-8"),
            (b"<metas charset=big5>ascii", None, "UTF-8"),
            ("naïve – déjà vu, plain UTF-8".as_bytes(), None, "UTF-8"),
            (b"<title>\x1b$B=P9A$9$k\x1b(B</title><p>\x1b$BA%\x1b(B", None, "ISO-2022-JP"),
            (b"\x1b[31mred\x1b[0m in a log", None, "UTF-8"),
            ("\x1b[31mr\u{f6}d\x1b[0m".as_bytes(), None, "UTF-8"),
            (b"na\xefve \x96 d\xe9j\xe0 vu \x93quoted\x94", None, "windows-1252"),
            // A label that the bytes contradict.
            ("na\u{ef}ve".as_bytes(), Some("latin1"), "UTF-8"),
            ("<meta charset=gb2312>d\u{e9}j\u{e0} vu".as_bytes(), None, "UTF-8"),
            (b"<meta charset=utf-8>na\xefve, d\xe9j\xe0 vu", None, "windows-1252"),
            (b"na\xefve, d\xe9j\xe0 vu", Some("utf-8"), "windows-1252"),
            (b"<meta charset=utf-8>na\xc3\xafve, cut amid \xc3", None, "UTF-8"),
            (b"<meta charset=koi8-r>na\xefve", None, "KOI8-R"),
            // UTF-16 without a mark, also with a wrong label, and a label of UTF-16 that is wrong.
            (b"<\0p\0>\0a\0", None, "UTF-16LE"),
            (b"\0<\0p\0>\0a", Some("utf-8"), "UTF-16BE"),
            (b"\r\0\n\0<\0p\0>\0\x2d\x4e\x87\x65", Some("latin1"), "UTF-16LE"),
            (b"<p>a\0b\0c", None, "UTF-8"),
            (b"<p>plain", Some("utf-16"), "UTF-8"),
            (b"\0\0\0\0", None, "UTF-8"),
        ];
        for (bytes, charset, expect) in cases {
            assert_eq!(decode(bytes, *charset).1.name(), *expect, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn japanese_in_escape_sequences_is_read() {
        let (text, encoding) = decode(b"<p>\x1b$BA%\x1b(B", None);
        assert_eq!((&*text, encoding.name()), ("<p>\u{8239}", "ISO-2022-JP"));
    }

    #[test]
    fn a_declaration_past_the_prescan_is_not_seen() {
        let page = format!("{}<meta charset=koi8-r>", " ".repeat(PRESCAN));
        assert_eq!(decode(page.as_bytes(), None).1.name(), "UTF-8");
    }

    #[test]
    fn every_truncation_of_a_declaration_is_survived() {
        let page = b"<!-- c --><html a='b'><meta http-equiv=\"Content-Type\" content='text/html; charset=\"big5\"' / >";
        for end in 0..page.len() {
            decode(&page[..end], None);
        }
    }
}
