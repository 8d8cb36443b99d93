//! Whether a body is HTML, by the MIME Sniffing standard.
//!
//! A browser shows whatever is labelled `text/html` as HTML, which does no harm. In a store of
//! texts it would. So we check the bytes whatever the label says:
//! - Bytes with the signature of an image, a sound, a video, a font, an archive, PDF or PostScript
//!   are not HTML (sections 6 and 7.1).
//! - Bytes that begin as HTML does are HTML (section 7.1).
//! - The rest is HTML, unless it holds a binary data byte (section 7.2) or begins like a JSON
//!   object, a feed (section 7.3) or other XML (the `xml` module).
//!
//! UTF-16 text is full of zeros. A byte order mark, a charset, or the place of the zeros identifies
//! it.

mod xml;

use super::encoding::utf_16;

/// Bytes examined: the resource header (section 5.2).
pub const RESOURCE_HEADER_BYTES: usize = 1445;

/// A whole body is not text if more than one byte in this many is binary data. Judgement: stray
/// control characters are rare in pages, while a tenth of all compressed or encrypted bytes are
/// binary data.
const ONE_IN: usize = 100;

/// Byte order marks, which make a resource text (section 7.2).
const BYTE_ORDER_MARKS: [&[u8]; 3] = [b"\xFE\xFF", b"\xFF\xFE", b"\xEF\xBB\xBF"];

/// Signatures. The offset comes first; `?` in a pattern stands for any byte. They are from the
/// tables of sections 6.1 (images), 6.2 (audio and video), 6.3 (fonts), 6.4 (archives) and 7.1
/// (documents). We add four that are as certain and are sent as HTML by mistake: 7z, xz, zstd, and
/// programs.
const SIGNATURES: [(usize, &[u8], &str); 34] = [
    (0, b"\x00\x00\x01\x00", "an icon"),
    (0, b"\x00\x00\x02\x00", "a cursor"),
    (0, b"BM????\x00\x00\x00\x00", "a BMP image"),
    (0, b"GIF87a", "a GIF image"),
    (0, b"GIF89a", "a GIF image"),
    (0, b"RIFF????WEBPVP", "a WebP image"),
    (0, b"\x89PNG\r\n\x1A\n", "a PNG image"),
    (0, b"\xFF\xD8\xFF", "a JPEG image"),
    (0, b"FORM????AIFF", "AIFF sound"),
    (0, b"ID3", "MP3 sound"),
    (0, b"OggS\x00", "Ogg"),
    (0, b"MThd\x00\x00\x00\x06", "MIDI"),
    (0, b"RIFF????AVI ", "AVI video"),
    (0, b"RIFF????WAVE", "WAVE sound"),
    (4, b"ftyp", "MP4"),
    (0, b"\x1A\x45\xDF\xA3", "WebM or Matroska video"),
    (34, b"LP", "an embedded font"),
    (0, b"\x00\x01\x00\x00", "a TrueType font"),
    (0, b"OTTO", "an OpenType font"),
    (0, b"ttcf", "a font collection"),
    (0, b"wOFF", "a WOFF font"),
    (0, b"wOF2", "a WOFF 2 font"),
    (0, b"\x1F\x8B\x08", "gzip"),
    (0, b"PK\x03\x04", "a ZIP archive"),
    (0, b"PK\x05\x06", "an empty ZIP archive"),
    (0, b"Rar!\x1A\x07", "a RAR archive"),
    (0, b"%PDF-", "PDF"),
    (0, b"%!PS-Adobe-", "PostScript"),
    (0, b"7z\xBC\xAF\x27\x1C", "a 7z archive"),
    (0, b"\xFD7zXZ\x00", "xz"),
    (0, b"\x28\xB5\x2F\xFD", "zstd"),
    (0, b"\x7FELF", "a program"),
    (0, b"\xCA\xFE\xBA\xBE", "a program"),
    (0, b"\x00asm", "WebAssembly"),
];

/// How HTML begins, in any letter case, followed by a blank or `>` (section 7.1).
const HTML_STARTS: [&[u8]; 17] = [
    b"<!DOCTYPE HTML",
    b"<HTML",
    b"<HEAD",
    b"<SCRIPT",
    b"<IFRAME",
    b"<H1",
    b"<DIV",
    b"<FONT",
    b"<TABLE",
    b"<A",
    b"<STYLE",
    b"<TITLE",
    b"<B",
    b"<BODY",
    b"<BR",
    b"<P",
    b"<!--",
];

/// Why the beginning of a body shows that it is not HTML; `None` if it may be HTML. `charset` is
/// the server's.
pub fn not_html(header: &[u8], charset: Option<&str>) -> Option<&'static str> {
    let header = &header[..header.len().min(RESOURCE_HEADER_BYTES)];
    if let Some(what) = xml::not_html(header) {
        return Some(what);
    }
    if is_marked(header) {
        return None;
    }
    let is_text = begins_as_html(header) || !header.iter().any(is_binary);
    let signature = SIGNATURES.iter().find(|(at, pattern, _)| matches_at(header, *at, pattern));
    if let Some((_, _, what)) = signature.filter(|(_, pattern, _)| !is_text || !is_word(pattern)) {
        return Some(what);
    }
    if begins_as_json(header) {
        return Some("JSON");
    }
    (!is_text && !is_wide(charset)).then_some("binary data")
}

/// Whether a body that is called XML begins as a page of XHTML: with an `html` element.
pub fn is_xhtml(header: &[u8]) -> bool {
    let header = &header[..header.len().min(RESOURCE_HEADER_BYTES)];
    let is_wide = header.starts_with(b"\xFF\xFE") || header.starts_with(b"\xFE\xFF");
    match is_wide {
        // Each letter of a tag has a zero beside it.
        true => xml::is_html(&header[2..].iter().copied().filter(|&byte| byte != 0).collect::<Vec<u8>>()),
        false => xml::is_html(header),
    }
}

/// Whether the beginning of a body is text, whatever it says.
pub fn is_text(header: &[u8]) -> bool {
    let header = &header[..header.len().min(RESOURCE_HEADER_BYTES)];
    is_marked(header) || !header.iter().any(is_binary)
}

/// Whether a whole body is not text because too many of its bytes are binary data.
pub fn is_no_text(body: &[u8], charset: Option<&str>) -> bool {
    !is_marked(body) && !is_wide(charset) && count_binary(body) > body.len() / ONE_IN
}

/// The number of bytes of binary data. So few are added up in one byte that the compiler adds many
/// of these sums in one step.
fn count_binary(body: &[u8]) -> usize {
    let of_few = |bytes: &[u8]| bytes.iter().fold(0_u8, |count, byte| count + u8::from(is_binary(byte)));
    body.chunks(usize::from(u8::MAX)).map(|bytes| usize::from(of_few(bytes))).sum()
}

fn is_marked(header: &[u8]) -> bool {
    BYTE_ORDER_MARKS.iter().any(|mark| header.starts_with(mark)) || utf_16(header).is_some()
}

/// Whether characters take more than one byte each, so that zeros are normal.
fn is_wide(charset: Option<&str>) -> bool {
    charset.is_some_and(|label| label.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("utf-16")))
}

/// A binary data byte (section 3).
fn is_binary(byte: &u8) -> bool {
    matches!(byte, 0x00..=0x08 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F)
}

fn matches_at(header: &[u8], at: usize, pattern: &[u8]) -> bool {
    header
        .get(at..at + pattern.len())
        .is_some_and(|bytes| bytes.iter().zip(pattern).all(|(byte, expect)| byte == expect || *expect == b'?'))
}

/// Whether a signature is so short and plain that a text may begin with it.
fn is_word(pattern: &[u8]) -> bool {
    pattern.len() <= 4 && pattern.iter().all(u8::is_ascii_graphic)
}

fn begins_as_html(header: &[u8]) -> bool {
    let header = header.trim_ascii_start();
    HTML_STARTS.iter().any(|start| {
        header.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start))
            && (*start == b"<!--" || header.get(start.len()).is_some_and(|byte| matches!(byte, b' ' | b'>')))
    }) || header.starts_with(b"<?xml")
}

/// Whether it begins like a JSON object, or an array of objects: a brace, a name in quotes, a
/// colon.
fn begins_as_json(header: &[u8]) -> bool {
    let text = header.trim_ascii_start();
    let object = text.strip_prefix(b"[").map_or(text, <[u8]>::trim_ascii_start);
    let Some(name) = object.strip_prefix(b"{").and_then(|rest| rest.trim_ascii_start().strip_prefix(b"\"")) else {
        return false;
    };
    let end = name.iter().position(|byte| matches!(byte, b'"' | b'<' | b'\n'));
    end.is_some_and(|end| name[end] == b'"' && name[end + 1..].trim_ascii_start().starts_with(b":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_by_its_first_name() {
        for json in ["{\"a\":1}", " \n[ { \"a b\" : \"<p>x</p>\" } ]", "{\"a\": [\"<!DOCTYPE html>\"]}"] {
            assert_eq!(not_html(json.as_bytes(), None), Some("JSON"), "{json}");
        }
        for other in
            ["{\"said he\"} and went", "{ a: 1 }", "[1, 2]", "{\"<p>a</p>\":1}", "<p>{\"a\":1}</p>", "{", "{\"", "{}"]
        {
            assert_eq!(not_html(other.as_bytes(), None), None, "{other}");
        }
    }

    #[test]
    fn signatures_decide_before_anything_else() {
        for (header, expect) in [
            (&b"%PDF-1.7\nall text"[..], Some("PDF")),
            (b"%!PS-Adobe-3.0", Some("PostScript")),
            (b"PK\x03\x04\x14\x00", Some("a ZIP archive")),
            (b"\x89PNG\r\n\x1A\n", Some("a PNG image")),
            (b"\xFF\xD8\xFF\xE0", Some("a JPEG image")),
            (b"GIF89a", Some("a GIF image")),
            (b"RIFF\x01\x02\x03\x04WEBPVP8 ", Some("a WebP image")),
            (b"\x00\x00\x00\x18ftypmp42", Some("MP4")),
            (b"\x1F\x8B\x08\x00", Some("gzip")),
            (b"wOF2\x00", Some("a WOFF 2 font")),
            (b"wOF2 is a format", None),
            (b"%PDF", None),
            (b"GIF88a", None),
            (b" PK\x03\x04", Some("binary data")),
        ] {
            assert_eq!(not_html(header, Some("utf-8")), expect, "{header:?}");
        }
    }

    #[test]
    fn every_signature_is_recognised_and_not_without_its_last_byte() {
        for (at, pattern, what) in SIGNATURES {
            let mut header = [&vec![1; at][..], pattern, b"\x02"].concat();
            assert_eq!(not_html(&header, None), Some(what), "{header:?}");
            header.remove(header.len() - 2);
            assert_ne!(not_html(&header, None), Some(what), "{header:?}");
        }
    }

    #[test]
    fn text_is_text_and_binary_data_is_not() {
        let font_by_chance = b"<p>Thirty-four bytes stand before LP here";
        assert_eq!(&font_by_chance[34..36], b"LP");
        for (header, charset, expect) in [
            (&b"<!doctype html>\t\r\n\x0C\x1B\x7F\xE4"[..], None, true),
            (b"", None, true),
            (b"plain words", None, true),
            (b"a\x0B", None, false),
            (b"a\x00b", None, false),
            (b"\n <!DOCTYPE html>\x00\x01", None, true),
            (b"<p>\x01", None, true),
            (b"<pre>\x01", None, false),
            (b"<!--\x01", None, true),
            (b"<?xml version='1.0'?><html>\x01", None, true),
            (b"\xFF\xFE<\x00p\x00", None, true),
            (b"\xFE\xFF\x00<\x00p", None, true),
            (b"\xEF\xBB\xBF\x01", None, true),
            (b"<\x00p\x00>\x00", None, true),
            (b"<\x00\x01\x02\x03\x04\x05\x06\x07\x08", None, false),
            (b"\x00<\x00\x00\x00>", None, false),
            (b"<\x00p\x00>\x00", Some("UTF-16LE"), true),
            (b"\x00<\x00p\x00>", Some("utf-16be"), true),
            (font_by_chance, None, true),
        ] {
            assert_eq!(not_html(header, charset).is_none(), expect, "{header:?}");
        }
        let far = [&b"<pre>"[..], &[b'a'; RESOURCE_HEADER_BYTES - 5], b"\0"].concat();
        assert_eq!(not_html(&far, None), None);
        assert!(not_html(&far[1..], None).is_some());
    }

    #[test]
    fn a_body_that_is_mostly_text_is_text() {
        let noise: Vec<u8> = (0..10_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let text = [b'a'; 9_900];
        assert!(is_no_text(&noise, None) && !is_no_text(&noise, Some("utf-16")));
        assert!(!is_no_text(&[&text[..], &[0; 100]].concat(), None));
        assert!(is_no_text(&[&text[..], &[0; 101]].concat(), None));
        assert!(!is_no_text(b"", None));
    }
}
