//! The media type that a response declares.

/// A media type of a `Content-Type` header (RFC 9110, section 8.3).
#[derive(Clone, Debug, PartialEq)]
pub struct MediaType {
    /// Type and subtype in lower case, such as `text/html`.
    pub essence: String,
    /// The first charset parameter as given, without quotes.
    pub charset: Option<String>,
}

/// Types that say that the server does not know it (MIME Sniffing, section 7). They count as none.
const UNKNOWN: [&str; 3] = ["unknown/unknown", "application/unknown", "*/*"];

/// The type of a page that browsers read as HTML.
const HTML: [&str; 2] = ["text/html", "application/xhtml+xml"];

impl MediaType {
    /// Reads the values of all such headers, as the Fetch standard does ("extract a MIME type"):
    /// they make one list, of which the last type counts. It keeps the charset of an equal type
    /// before it, and what is no type is skipped. `None` if there is none, or only a type that says
    /// that the server does not know it.
    pub fn parse<'v>(values: impl IntoIterator<Item = &'v [u8]>) -> Option<Self> {
        let mut found: Option<Self> = None;
        for value in values {
            let value = String::from_utf8_lossy(value);
            for one in parts(&value, ',') {
                if let Some(mut one) = Self::parse_one(one) {
                    let same = found.take().filter(|before| before.essence == one.essence);
                    one.charset = one.charset.or(same.and_then(|before| before.charset));
                    found = Some(one);
                } else if let (Some(found), Some(charset)) = (&mut found, charset(one)) {
                    // Some servers part parameters by commas.
                    found.charset.get_or_insert(charset);
                }
            }
        }
        found
    }

    fn parse_one(value: &str) -> Option<Self> {
        // Some servers put quotes around all of it, or around the type.
        let value = value.trim();
        let quoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|rest| !rest.contains('"'));
        let value = quoted.unwrap_or(value);
        let mut parts = parts(value, ';');
        let essence = parts.next()?.trim().trim_matches('"').trim().to_ascii_lowercase();
        let (kind, subtype) = essence.split_once('/')?;
        let is_token = |text: &str| !text.is_empty() && text.bytes().all(is_token_byte);
        if !is_token(kind) || !is_token(subtype) || UNKNOWN.contains(&essence.as_str()) {
            return None;
        }
        let charset = parts.find_map(charset);
        Some(Self { essence, charset })
    }

    /// Whether a browser would parse it as HTML or XHTML.
    pub fn is_html(&self) -> bool {
        HTML.contains(&self.essence.as_str())
    }

    /// Whether it is XML, which may be XHTML.
    pub fn is_xml(&self) -> bool {
        matches!(self.essence.as_str(), "text/xml" | "application/xml") || self.essence.ends_with("+xml")
    }
}

/// A letter of a type (RFC 9110, section 5.6.2).
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// The parts between separators outside of quotes. A quote that is not closed quotes nothing.
fn parts(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let quotes = text.matches('"').count();
    let (mut is_quoted, last) = (false, if quotes % 2 == 1 { text.rfind('"') } else { None });
    let mut at = 0;
    text.split(move |letter: char| {
        is_quoted ^= letter == '"' && Some(at) != last;
        at += letter.len_utf8();
        letter == separator && !is_quoted
    })
}

/// The value of a parameter, if it is a charset.
fn charset(parameter: &str) -> Option<String> {
    let (name, value) = parameter.split_once('=')?;
    let value = value.trim().trim_matches(['"', '\'']).trim();
    (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn essence_and_charset() {
        for (values, essence, charset) in [
            (&["text/html"][..], "text/html", None),
            (&[" Text/HTML ; Charset=UTF-8"], "text/html", Some("UTF-8")),
            (&["text/html; a=b; charset=\"koi8-r\""], "text/html", Some("koi8-r")),
            (&["text/html; charset='koi8-r'"], "text/html", Some("koi8-r")),
            (&["text/html; charset=utf-8; charset=latin1"], "text/html", Some("utf-8")),
            (&["text/html;charset="], "text/html", None),
            (&["application/pdf;;"], "application/pdf", None),
            (&["text/html,charset=utf-8"], "text/html", Some("utf-8")),
            (&["text/html, text/html"], "text/html", None),
            (&["text/html; charset=utf-8, text/html"], "text/html", Some("utf-8")),
            (&["text/html; charset=utf-8", "text/html"], "text/html", Some("utf-8")),
            (&["text/plain; charset=utf-8", "text/html"], "text/html", None),
            (&["text/html", "*/*"], "text/html", None),
            (&["text/html", ""], "text/html", None),
            (&["text/html, nonsense"], "text/html", None),
            (&["\"text/html\""], "text/html", None),
            (&["\"text/html; charset=utf-8\""], "text/html", Some("utf-8")),
            (&["\"text/html\"; charset=utf-8"], "text/html", Some("utf-8")),
            (&["text/html; title=\"a, b; charset=x\"; charset=utf-8"], "text/html", Some("utf-8")),
            (&["text/html; charset=\"utf-8"], "text/html", Some("utf-8")),
        ] {
            let expect = MediaType { essence: essence.to_owned(), charset: charset.map(str::to_owned) };
            assert_eq!(MediaType::parse(values.iter().map(|value| value.as_bytes())), Some(expect), "{values:?}");
        }
        for missing in [
            "",
            "html",
            "/",
            "text/",
            "/html",
            "; charset=utf-8",
            "unknown/unknown",
            "Application/Unknown",
            "*/*",
            ",",
            "text html/x",
            "none",
            "\"\"",
        ] {
            assert_eq!(MediaType::parse([missing.as_bytes()]), None, "{missing}");
        }
        assert_eq!(MediaType::parse([]), None);
    }

    #[test]
    fn html_and_xml() {
        for (essence, html, xml) in [
            ("text/html", true, false),
            ("application/xhtml+xml", true, true),
            ("application/xml", false, true),
            ("text/xml", false, true),
            ("application/vnd.wap.xhtml+xml", false, true),
            ("image/svg+xml", false, true),
            ("text/plain", false, false),
        ] {
            let found = MediaType { essence: essence.to_owned(), charset: None };
            assert_eq!((found.is_html(), found.is_xml()), (html, xml), "{essence}");
        }
    }
}
