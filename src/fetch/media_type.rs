//! What a response says it is, and, where it says nothing, what its first bytes look like.

/// Bytes looked at when a response has no usable content type: the resource header of the MIME Sniffing standard,
/// section 5.1.
pub(super) const RESOURCE_HEADER_BYTES: usize = 1445;

/// Byte order marks, which make a resource text (MIME Sniffing standard, section 7.2).
const BYTE_ORDER_MARKS: [&[u8]; 3] = [b"\xFE\xFF", b"\xFF\xFE", b"\xEF\xBB\xBF"];

/// A media type of a `Content-Type` header (RFC 9110, section 8.3).
#[derive(Debug, PartialEq)]
pub(super) struct MediaType {
    /// Type and subtype in lower case, such as `text/html`.
    pub(super) essence: String,
    /// The first charset parameter as given, without quotes.
    pub(super) charset: Option<String>,
}

impl MediaType {
    /// Reads a header's value. `None` when it names no type and subtype, which the Fetch standard treats as a missing
    /// header.
    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        let value = String::from_utf8_lossy(value);
        let mut parts = value.split(';');
        let essence = parts.next()?.trim().to_ascii_lowercase();
        let (kind, subtype) = essence.split_once('/')?;
        if kind.is_empty() || subtype.is_empty() {
            return None;
        }
        let charset = parts.find_map(charset);
        Some(Self { essence, charset })
    }

    /// Whether a browser would parse it as HTML or XHTML.
    pub(super) fn is_html(&self) -> bool {
        matches!(self.essence.as_str(), "text/html" | "application/xhtml+xml")
    }
}

/// The value of a parameter, if it is a charset.
fn charset(parameter: &str) -> Option<String> {
    let (name, value) = parameter.split_once('=')?;
    let value = value.trim().trim_matches('"').trim();
    (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
}

/// Whether the beginning of a resource looks binary: it has no byte order mark, and holds a "binary data byte" (MIME
/// Sniffing standard, section 3).
pub(super) fn looks_binary(resource_header: &[u8]) -> bool {
    let is_binary_data_byte = |byte: &u8| matches!(byte, 0x00..=0x08 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F);
    !BYTE_ORDER_MARKS.iter().any(|mark| resource_header.starts_with(mark))
        && resource_header.iter().any(is_binary_data_byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn essence_and_charset() {
        for (value, essence, charset) in [
            ("text/html", "text/html", None),
            (" Text/HTML ; Charset=UTF-8", "text/html", Some("UTF-8")),
            ("text/html; a=b; charset=\"koi8-r\"", "text/html", Some("koi8-r")),
            ("text/html; charset=utf-8; charset=latin1", "text/html", Some("utf-8")),
            ("text/html;charset=", "text/html", None),
            ("application/pdf;;", "application/pdf", None),
        ] {
            let expect = MediaType { essence: essence.to_owned(), charset: charset.map(str::to_owned) };
            assert_eq!(MediaType::parse(value.as_bytes()), Some(expect), "{value}");
        }
        for missing in ["", "html", "/", "text/", "/html", "; charset=utf-8"] {
            assert_eq!(MediaType::parse(missing.as_bytes()), None, "{missing}");
        }
    }

    #[test]
    fn binary_data_bytes() {
        for (header, expect) in [
            (&b"<!doctype html>\t\r\n\x0C\x1B\x7F\xE4"[..], false),
            (b"", false),
            (b"%PDF-1.7\n\x00", true),
            (b"\x89PNG\r\n\x1A\n", true),
            (b"a\x0B", true),
            (b"\xFF\xFE<\x00p\x00", false),
            (b"\xEF\xBB\xBF\x01", false),
        ] {
            assert_eq!(looks_binary(header), expect, "{header:?}");
        }
    }
}
