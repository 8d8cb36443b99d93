//! The `Link` header (RFC 8288), as far as it names the canonical address of a page (RFC 6596).

use reqwest::header::{HeaderMap, LINK};
use url::Url;

use super::headers::location;

/// Most bytes read of these headers. Judgement: hints to load scripts and styles take a few KB.
const MAX_BYTES: usize = 16 << 10;

/// The address that the headers call canonical: the first that is a URL. It is resolved against the
/// page's URL and has no fragment, user name or password. Links from another page (`anchor`) do not
/// count. Linear.
pub(super) fn canonical(page: &Url, headers: &HeaderMap) -> Option<Url> {
    let mut left = MAX_BYTES;
    for value in headers.get_all(LINK) {
        let value = value.as_bytes();
        left = left.checked_sub(value.len())?;
        let found = links(value).find_map(|(target, parameters)| {
            let is_canonical = parameter(parameters, "rel")
                .is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("canonical")));
            let is_own = parameter(parameters, "anchor").is_none();
            (is_canonical && is_own && !target.is_empty()).then(|| location(page, target).ok()).flatten()
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The links of a header: target and parameters. A comma within `<…>` or within quotes parts
/// nothing.
fn links(value: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = value;
    std::iter::from_fn(move || {
        let begin = rest.iter().position(|&byte| byte == b'<')? + 1;
        let end = begin + rest[begin..].iter().position(|&byte| byte == b'>')?;
        let parameters = &rest[end + 1..];
        let length = parts(parameters, b',').next().map_or(0, <[u8]>::len);
        let link = (rest[begin..end].trim_ascii(), &parameters[..length]);
        rest = &parameters[length..];
        Some(link)
    })
}

/// The value of the first parameter of this name, without quotes.
fn parameter(parameters: &[u8], name: &str) -> Option<String> {
    parts(parameters, b';').find_map(|part| {
        let part = String::from_utf8_lossy(part);
        let (given, value) = part.split_once('=')?;
        given.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"').to_owned())
    })
}

/// The parts between separators outside of quotes.
fn parts(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut is_quoted = false;
    text.split(move |&byte| {
        is_quoted ^= byte == b'"';
        byte == separator && !is_quoted
    })
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    #[test]
    fn a_link_names_the_canonical_address() {
        let page: Url = "http://a.example/dir/x?print=1".parse().unwrap();
        let long = format!("</{}>; rel=preload, </b>; rel=canonical", "x".repeat(MAX_BYTES));
        for (values, expect) in [
            (&["<http://a.example/x>; rel=\"canonical\""][..], Some("http://a.example/x")),
            (&["<x>; rel=canonical"], Some("http://a.example/dir/x")),
            (&["</x#top>;REL=Canonical"], Some("http://a.example/x")),
            (&["</x>; title=\"a, b; rel=canonical\"; rel=next"], None),
            (&["</s,t>; rel=preload; as=style, </x>; rel=\"next canonical\""], Some("http://a.example/x")),
            (&["</s>; rel=preload", "</x>; rel=canonical"], Some("http://a.example/x")),
            (&["</x>; rel=canonical; anchor=\"/other\""], None),
            (&["<>; rel=canonical"], None),
            (&["/x; rel=canonical"], None),
            (&["</x; rel=canonical"], None),
            (&["<//user:secret@a.example/x>; rel=canonical"], Some("http://a.example/x")),
            (&["<http://[>; rel=canonical, </x>; rel=canonical"], Some("http://a.example/x")),
            (&["</\u{fc}>; rel=canonical"], Some("http://a.example/%C3%BC")),
            (&["</x>; rel=shortlink"], None),
            (&[""], None),
            (&[], None),
            (&[&*long], None),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(LINK, HeaderValue::from_bytes(value.as_bytes()).unwrap());
            }
            assert_eq!(canonical(&page, &headers).as_ref().map(Url::as_str), expect, "{values:?}");
        }
    }
}
