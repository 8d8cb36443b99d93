//! What a response says it is.

/// A media type of a `Content-Type` header (RFC 9110, section 8.3).
#[derive(Debug, PartialEq)]
pub struct MediaType {
    /// Type and subtype in lower case, such as `text/html`.
    pub essence: String,
    /// The first charset parameter as given, without quotes.
    pub charset: Option<String>,
}

impl MediaType {
    /// Reads a header's value. `None` when it names no type and subtype, which the Fetch standard
    /// treats as a missing header.
    pub fn parse(value: &[u8]) -> Option<Self> {
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
    pub fn is_html(&self) -> bool {
        matches!(self.essence.as_str(), "text/html" | "application/xhtml+xml")
    }
}

/// The value of a parameter, if it is a charset.
fn charset(parameter: &str) -> Option<String> {
    let (name, value) = parameter.split_once('=')?;
    let value = value.trim().trim_matches('"').trim();
    (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
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
}
