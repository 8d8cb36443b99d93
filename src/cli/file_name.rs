//! The names of pages' files.

use std::path::PathBuf;

use sha2::{Digest, Sha256};
use url::Url;

use tsrec_core::learn::model::hex;

/// The longest file name, in bytes, without the extension: the limit of file systems.
const LONGEST_NAME: usize = 240;

/// The longest name of a folder, or of a file from an address, without mark and extension.
/// Judgement: readable, and far below the limit, so that paths of some segments stay below theirs.
const LONGEST_SEGMENT: usize = 100;

/// The file name of a page: its id, with all characters escaped as in URLs, except ASCII letters,
/// digits and `-_.`. So no id leads out of the folder, and no two ids give the same file.
pub(super) fn file_name(id: &str, ending: &str) -> String {
    format!("{}.{ending}", escaped(id))
}

fn escaped(id: &str) -> String {
    let mut name = String::with_capacity(id.len());
    for (at, byte) in id.bytes().enumerate() {
        match byte {
            b'.' if at == 0 => name.push_str("%2E"),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => name.push(char::from(byte)),
            byte => name.push_str(&format!("%{byte:02X}")),
        }
    }
    if name.len() > LONGEST_NAME {
        let digest = hex(&Sha256::digest(id));
        name.truncate(LONGEST_NAME - digest.len());
        name.push_str(&digest);
    }
    name
}

/// The folders and the file of a page, from its address: the host, then the segments of the path.
/// Unless the address is https on the default port, the first folder is the whole origin. No two
/// addresses give the same file, also where a file system ignores case. The same address always
/// gives the same file.
pub(super) fn of_url(url: &Url, ending: &str) -> PathBuf {
    let host = url.host_str().unwrap_or_default();
    let mut file = PathBuf::from(match (url.scheme(), url.port()) {
        ("https", None) => escaped(host),
        _ => escaped(&url.origin().ascii_serialization()),
    });
    let path = url.path().strip_prefix('/').unwrap_or(url.path());
    let (folders, last) = path.rsplit_once('/').map_or((None, path), |(folders, last)| (Some(folders), last));
    for folder in folders.into_iter().flat_map(|folders| folders.split('/')) {
        file.push(folder_segment(folder, ending));
    }
    let rest = &url[url::Position::AfterPath..];
    file.push(format!("{}.{ending}", last_segment(last, rest)));
    file
}

/// The name of the page of a folder, as of `a/`, which lies in the folder `a`.
const INDEX: &str = "index";

/// The last segment, with the query and the fragment.
fn last_segment(last: &str, rest: &str) -> String {
    match (last, rest) {
        ("", "") => INDEX.to_owned(),
        // Not the page of the folder.
        (INDEX, "") => marked(INDEX, INDEX),
        _ => segment(&format!("{last}{rest}")),
    }
}

/// A segment that is a folder. It has not the ending of files, or `a.md/b` would need a folder that
/// is the file of `a`.
fn folder_segment(folder: &str, ending: &str) -> String {
    let name = segment(folder);
    match name.strip_suffix(ending).and_then(|name| name.strip_suffix('.')) {
        Some(beginning) => format!("{beginning}%2E{ending}"),
        None => name,
    }
}

/// A segment as a name. One of capital letters is in small letters with a mark, and so is a long
/// one. An empty one is a percent sign, which is no name else.
fn segment(text: &str) -> String {
    let plain = unescaped(text);
    let name = escaped(&plain);
    if name.is_empty() {
        return "%".to_owned();
    }
    let has_capitals = plain.bytes().any(|byte| byte.is_ascii_uppercase());
    if has_capitals || name.len() > LONGEST_SEGMENT { marked(&name, text) } else { name }
}

/// A name in small letters, cut, with a mark that tells it from others: a part of the digest of the
/// text, after a tilde, which names have escaped.
fn marked(name: &str, text: &str) -> String {
    let mut name = name.to_ascii_lowercase();
    name.truncate(LONGEST_SEGMENT);
    format!("{name}~{}", &hex(&Sha256::digest(text))[..16])
}

/// The part after the host, where some escapes are replaced by their bytes so that they are not
/// escaped twice. These are bytes that an address can only have escaped. Other escapes stay, or
/// `a%2Fb` and `a/b` would be one file. If the result is not UTF-8, the address stays unchanged.
fn unescaped(rest: &str) -> String {
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.as_bytes();
    while let Some((&first, after)) = left.split_first() {
        match escape(left).filter(|byte| is_never_plain(*byte)) {
            Some(byte) => {
                bytes.push(byte);
                left = &left[3..];
            }
            None => {
                bytes.push(first);
                left = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| rest.to_owned())
}

/// The byte of the escape at the start, if it is written in the URL standard's form.
fn escape(text: &[u8]) -> Option<u8> {
    let [b'%', high @ (b'0'..=b'9' | b'A'..=b'F'), low @ (b'0'..=b'9' | b'A'..=b'F'), ..] = text else { return None };
    let digit = |digit: u8| char::from(digit).to_digit(16);
    u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()
}

/// Bytes that the URL standard escapes in paths and in queries.
fn is_never_plain(byte: u8) -> bool {
    byte <= b' ' || byte >= 0x7f || b"\"<>".contains(&byte)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_id_leads_out_of_the_folder_and_no_two_are_one_file() {
        let long = "x".repeat(300);
        let ids = ["a-b_c.d", "../../etc", ".hidden", "a/b", "a%2Fb", "A", "a b", "ä", "", &long, &long[1..]];
        let names: HashSet<String> = ids.iter().map(|id| file_name(id, "txt")).collect();
        assert_eq!(names.len(), ids.len());
        assert!(names.contains("a-b_c.d.txt") && names.contains("%2E.%2F..%2Fetc.txt") && names.contains("%C3%A4.txt"));
        assert!(names.iter().all(|name| !name.contains('/') && !name.starts_with("..") && name.len() <= 255));
    }

    #[test]
    fn addresses_have_their_files() {
        for (url, expect) in [
            ("https://a.example/", "a.example/index.md"),
            ("https://a.example/news/1?x=y", "a.example/news/1%3Fx%3Dy.md"),
            ("http://a.example/news/1", "http%3A%2F%2Fa.example/news/1.md"),
            ("https://a.example:8443/news/1", "https%3A%2F%2Fa.example%3A8443/news/1.md"),
            ("https://[::1]/a", "%5B%3A%3A1%5D/a.md"),
            ("https://a.example/a b/\u{fc}?q=1 2", "a.example/a%20b/%C3%BC%3Fq%3D1%202.md"),
            ("https://a.example/a%2Fb", "a.example/a%252fb~"),
            ("https://a.example/a", "a.example/a.md"),
            ("https://a.example/a/", "a.example/a/index.md"),
            ("https://a.example/a.md/b", "a.example/a%2Emd/b.md"),
            ("https://a.example/a//b", "a.example/a/%/b.md"),
            ("https://a.example/.git/x", "a.example/%2Egit/x.md"),
        ] {
            let file = of_url(&url.parse().unwrap(), "md").display().to_string();
            assert!(file.starts_with(expect) && (file == expect || expect.ends_with('~')), "{url}: {file}");
        }
    }

    #[test]
    fn no_two_addresses_are_one_file_or_a_folder_of_one() {
        let long = "x".repeat(1_500);
        let paths = [
            "",
            "a",
            "a/",
            "a/index",
            "a/index?",
            "a/?",
            "a/?index",
            "a?",
            "A",
            "A/",
            "a/B",
            "a/b",
            "a.md",
            "a.md/",
            "a.md/b",
            "a%2Fb",
            "a%2fb",
            "a//b",
            "a/%25/b",
            "index",
            "Index",
            "index.md",
            "INDEX/x",
            "%",
            "~",
            "a~",
            "%00",
            &long,
            &format!("{long}y"),
            &format!("{long}/z"),
            &format!("{}/", "s/".repeat(700)),
        ];
        let files: Vec<PathBuf> =
            paths.iter().map(|path| of_url(&format!("https://a.example/{path}").parse().unwrap(), "md")).collect();
        let small: HashSet<String> = files.iter().map(|file| file.display().to_string().to_lowercase()).collect();
        assert_eq!(small.len(), files.len(), "{files:?}");
        for file in &files {
            let parents = file.ancestors().skip(1).map(|parent| parent.display().to_string().to_lowercase());
            assert!(parents.into_iter().all(|parent| !small.contains(&parent)), "{file:?} is below a file");
            assert!(file.iter().all(|name| name.len() <= 255 && name != ".."), "{file:?}");
        }
    }
}
