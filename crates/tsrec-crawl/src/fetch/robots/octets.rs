//! The normal form in which robots.txt rules and URLs are compared, octet by octet (RFC 9309,
//! section 2.2.2).
//!
//! The normal form keeps one of two ways to write the same. An unreserved character stands for
//! itself. Every other encoded character is encoded in capitals. Characters not allowed in a URL
//! (controls, blanks, quotes, everything beyond ASCII) are encoded. A reserved character and its
//! encoding stay different, except those without a meaning in a query (RFC 3986, section 3.4): the
//! RFC's own table treats `?baz=https://foo.bar` and `?baz=https%3A%2F%2Ffoo.bar` as the same.
//!
//! `*` and `$` are special in rules only. In a URL they are encoded, and so is a `$` within a rule,
//! so that `%2A` and `%24` in a rule match them (section 2.2.3).

/// The normal form of the path and query of a URL.
pub(super) fn normal_path(path: &str) -> Vec<u8> {
    normal(path.as_bytes(), |byte, _| matches!(byte, b'*' | b'$'))
}

/// The normal form of a rule's value.
pub(super) fn normal_rule(value: &[u8]) -> Vec<u8> {
    normal(value, |byte, is_last| byte == b'$' && !is_last)
}

/// `hides` takes a byte and whether it is the last. It says whether to encode a byte that could
/// stand unencoded.
fn normal(value: &[u8], hides: impl Fn(u8, bool) -> bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let mut in_query = false;
    let mut rest = value;
    while let Some((&byte, after)) = rest.split_first() {
        let encoded = if byte == b'%' { decoded(after) } else { None };
        rest = if encoded.is_some() { &after[2..] } else { after };
        match encoded {
            Some(byte) if is_unreserved(byte) || (in_query && is_plain_in_query(byte)) => out.push(byte),
            Some(byte) => push_encoded(byte, &mut out),
            None if is_forbidden(byte) || hides(byte, after.is_empty()) => push_encoded(byte, &mut out),
            None => out.push(byte),
        }
        in_query |= byte == b'?';
    }
    out
}

fn decoded(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| digits.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

fn push_encoded(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

/// RFC 3986, section 2.3.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Reserved, but without a meaning of its own in a query.
fn is_plain_in_query(byte: u8) -> bool {
    matches!(byte, b'/' | b':' | b'?' | b'@')
}

/// Neither reserved nor unreserved, nor `%`.
fn is_forbidden(byte: u8) -> bool {
    byte <= b' ' || byte >= 0x7F || matches!(byte, b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_the_same_has_one_normal_form() {
        for (one, other, expect) in [
            ("/%62%61%7A", "/baz", "/baz"),
            ("/caf%c3%a9", "/café", "/caf%C3%A9"),
            ("/a%2fb", "/a%2Fb", "/a%2Fb"),
            ("/?u=https://x.example?y", "/?u=https%3A%2F%2Fx.example%3Fy", "/?u=https://x.example?y"),
            ("/a b\"", "/a%20b%22", "/a%20b%22"),
            ("/100%", "/100%", "/100%"),
            ("/%zz%4", "/%zz%4", "/%zz%4"),
        ] {
            for path in [one, other] {
                assert_eq!(String::from_utf8(normal_path(path)).unwrap(), expect, "{path}");
                assert_eq!(String::from_utf8(normal_rule(path.as_bytes())).unwrap(), expect, "{path}");
            }
        }
        assert_ne!(normal_path("/a/b"), normal_path("/a%2Fb"));
        assert_ne!(normal_path("/?a&b"), normal_path("/?a%26b"));
    }

    #[test]
    fn what_is_special_in_rules_is_encoded_in_urls() {
        assert_eq!(normal_path("/a*b$"), b"/a%2Ab%24");
        assert_eq!(normal_rule(b"/a*b$c$"), b"/a*b%24c$");
        assert_eq!(normal_rule(b"/a%2Ab%24"), b"/a%2Ab%24");
    }
}
