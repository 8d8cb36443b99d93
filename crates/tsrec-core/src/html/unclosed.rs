//! Closes a title that the page never closes.
//!
//! By the HTML standard the title goes on until `</title>`. Without that tag the page has no body,
//! and a browser shows nothing. Every crawl has such pages; their authors meant the title to end at
//! the next markup.

use std::borrow::Cow;

use memchr::memchr_iter;

/// Closes the page's first `title` before the next tag, if nothing else closes it and a head ends
/// or a body begins after it. Linear.
pub(super) fn close_title(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut tags = memchr_iter(b'<', bytes);
    let Some(open) = tags.find(|&at| is_tag(bytes, at, b"title")) else { return Cow::Borrowed(text) };
    let Some(end) = end_of_tag(bytes, open) else { return Cow::Borrowed(text) };
    let mut after = memchr_iter(b'<', &bytes[end..]).map(|at| end + at);
    let Some(next) = after.next() else { return Cow::Borrowed(text) };
    let mut has_body = false;
    for at in std::iter::once(next).chain(after) {
        if is_tag(bytes, at, b"/title") {
            return Cow::Borrowed(text);
        }
        has_body |= is_tag(bytes, at, b"/head") || is_tag(bytes, at, b"body");
    }
    if !has_body {
        return Cow::Borrowed(text);
    }
    Cow::Owned([&text[..next], "</title>", &text[next..]].concat())
}

/// Whether a tag of that name begins here.
fn is_tag(bytes: &[u8], at: usize, name: &[u8]) -> bool {
    let (begin, end) = (at + 1, at + 1 + name.len());
    let ends = bytes.get(end).is_some_and(|byte| matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' | b'/' | b'>'));
    ends && bytes[begin..end].eq_ignore_ascii_case(name)
}

/// Where the text after the tag begins.
fn end_of_tag(bytes: &[u8], tag: usize) -> Option<usize> {
    bytes[tag..].iter().position(|&byte| byte == b'>').map(|length| tag + length + 1)
}

#[cfg(test)]
mod tests {
    use super::close_title;
    use crate::html::parse;

    #[test]
    fn a_title_ends_where_the_markup_goes_on() {
        for (page, closed) in [
            ("<title>a</title><body>b", "<title>a</title><body>b"),
            ("<title>a<link><body>b", "<title>a</title><link><body>b"),
            ("<TITLE id=t>a</titlevalue></head><p>b", "<TITLE id=t>a</title></titlevalue></head><p>b"),
            ("<title>a < b</TITLE ><body>c", "<title>a < b</TITLE ><body>c"),
            ("<title>a<p>b", "<title>a<p>b"),
            ("<body>no title", "<body>no title"),
            ("<title>all", "<title>all"),
            ("<titles>a<body>b", "<titles>a<body>b"),
            ("<title", "<title"),
        ] {
            assert_eq!(close_title(page), closed, "{page}");
        }
    }

    #[test]
    fn the_page_after_it_is_read() {
        let page =
            parse("<title>Harbour dues\n<body><p>The harbour raises its dues.".as_bytes(), None, &Default::default());
        let texts: Vec<&str> = page.descendants(page.root()).filter_map(|id| page.text(id)).map(str::trim).collect();
        assert_eq!(texts, ["Harbour dues", "The harbour raises its dues."]);
    }
}
