//! Finds the end of the text of elements without markup: vectorised searches by the HTML standard's
//! end-tag rules.

use memchr::{memchr, memchr_iter, memchr2};

/// Where the end tag `</name` of a raw text element begins, from `at` on; `None` if there is none.
pub(super) fn end_tag(bytes: &[u8], at: usize, name: &str) -> Option<usize> {
    memchr_iter(b'<', &bytes[at..]).map(|found| at + found).find(|&open| is_end_tag(bytes, open, name))
}

/// Whether an end tag of exactly that name begins here.
fn is_end_tag(bytes: &[u8], open: usize, name: &str) -> bool {
    bytes.get(open + 1) == Some(&b'/') && is_name(bytes, open + 2, name)
}

fn is_name(bytes: &[u8], at: usize, name: &str) -> bool {
    let end = at + name.len();
    bytes.get(at..end).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        && bytes.get(end).is_some_and(|byte| is_space(*byte) || matches!(byte, b'/' | b'>'))
}

/// White space between the parts of a tag.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b' ')
}

/// How to read a script's text: between `<!--` and `-->`, a `<script>` is closed by the next
/// `</script>`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    None,
    Escaped,
    DoubleEscaped,
}

/// Where the end tag of a script begins: section 13.2.5.4 and 13.2.5.15 to 13.2.5.31.
pub(super) fn script_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    const NAME: &str = "script";
    let mut escape = Escape::None;
    loop {
        if escape == Escape::None {
            at += memchr(b'<', &bytes[at..])?;
            if is_end_tag(bytes, at, NAME) {
                return Some(at);
            }
            if bytes[at + 1..].starts_with(b"!--") {
                escape = Escape::Escaped;
                // The two hyphens may also be those of the end: `<!-->`.
                at += 1;
            }
            at += 1;
            continue;
        }
        at += memchr2(b'<', b'-', &bytes[at..])?;
        if bytes[at] == b'-' {
            if bytes[at..].starts_with(b"-->") {
                escape = Escape::None;
            }
            at += 1;
            continue;
        }
        match escape {
            Escape::Escaped if is_end_tag(bytes, at, NAME) => return Some(at),
            Escape::Escaped if is_name(bytes, at + 1, NAME) => escape = Escape::DoubleEscaped,
            Escape::DoubleEscaped if is_end_tag(bytes, at, NAME) => escape = Escape::Escaped,
            _ => {}
        }
        at += 1;
    }
}

/// Where a comment ends whose text begins at `at`: after its `>`, or at the end of the page.
pub(super) fn comment_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    if rest.starts_with(b">") {
        return at + 1;
    }
    if rest.starts_with(b"->") {
        return at + 2;
    }
    memchr_iter(b'>', rest)
        .find(|&close| rest[..close].ends_with(b"--") || rest[..close].ends_with(b"--!"))
        .map_or(bytes.len(), |close| at + close + 1)
}
