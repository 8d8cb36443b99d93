//! The names of pages' files.

use sha2::{Digest, Sha256};
use url::Url;

use tsrec_core::learn::model::hex;

/// The longest file name, in bytes, without the extension: the limit of file systems.
const LONGEST_NAME: usize = 240;

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

/// The folder and the file of a page, from its address: the host, and the rest. Unless the address
/// is https on the default port, the folder is the whole origin.
pub(super) fn of_url(url: &Url, ending: &str) -> std::path::PathBuf {
    let host = url.host_str().unwrap_or_default();
    let folder = match (url.scheme(), url.port()) {
        ("https", None) => escaped(host),
        _ => escaped(&url.origin().ascii_serialization()),
    };
    let rest = &url[url::Position::BeforePath..];
    // The front page keeps its slash, since it has nothing else.
    let name = rest.strip_prefix('/').filter(|rest| !rest.is_empty()).unwrap_or(rest);
    std::path::Path::new(&folder).join(file_name(&unescaped(name), ending))
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
        let urls = [
            "https://a.example/",
            "https://a.example/news/1?x=y",
            "http://a.example/news/1",
            "https://a.example:8443/news/1",
            "https://[::1]/a",
            "https://a.example/a b/ü?q=1 2",
            "https://a.example/a%2Fb",
            "https://a.example/%c3%bc",
            "https://a.example/%FF",
        ];
        let files = urls.map(|url| of_url(&url.parse().unwrap(), "md").display().to_string());
        let expect = [
            "a.example/%2F.md",
            "a.example/news%2F1%3Fx%3Dy.md",
            "http%3A%2F%2Fa.example/news%2F1.md",
            "https%3A%2F%2Fa.example%3A8443/news%2F1.md",
            "%5B%3A%3A1%5D/a.md",
            "a.example/a%20b%2F%C3%BC%3Fq%3D1%202.md",
            "a.example/a%252Fb.md",
            "a.example/%25c3%25bc.md",
            "a.example/%25FF.md",
        ];
        assert_eq!(files, expect);
    }
}
