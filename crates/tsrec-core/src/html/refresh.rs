//! `<meta http-equiv=refresh>` and the `Refresh` header: a page that asks for another one.

use html5ever::local_name;
use url::Url;

use super::document::Document;
use super::links::AddressResolver;

/// Most such elements read. Judgement: browsers obey one.
const MOST_READ: usize = 16;

/// A request for another page after some seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refresh {
    /// The seconds, as written, without fractions.
    pub seconds: u32,
    /// The other page: http or https, without fragment, user name and password.
    pub to: Url,
    /// Whether only browsers without scripts see it.
    pub in_noscript: bool,
}

/// The requests of a page, in document order. `page` is its own URL.
pub fn refreshes(document: &Document, page: &Url) -> Vec<Refresh> {
    let resolver = AddressResolver::new(document, page);
    let of_element = |id| {
        let name = document.attribute(id, "http-equiv").filter(|name| name.trim().eq_ignore_ascii_case("refresh"));
        let (seconds, to) = name.and_then(|_| parse(document.attribute(id, "content")?))?;
        let in_noscript = document.ancestors(id).any(|id| document.is_element(id, "noscript"));
        Some(Refresh { seconds, to: resolver.resolve(to)?, in_noscript })
    };
    document.named(local_name!("meta")).filter_map(of_element).take(MOST_READ).collect()
}

/// The request in the value of a `Refresh` header.
pub fn refresh_header(value: &str, page: &Url) -> Option<Refresh> {
    let (seconds, to) = parse(value)?;
    Some(Refresh { seconds, to: AddressResolver::plain(page).resolve(to)?, in_noscript: false })
}

/// Seconds and address, by the HTML standard's "shared declarative refresh steps". An address that
/// is left out means the page itself, and is `None` here.
fn parse(value: &str) -> Option<(u32, &str)> {
    let value = value.trim_ascii_start();
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    if digits == 0 && !value.starts_with('.') {
        return None;
    }
    // Only an overflow fails: a long time.
    let seconds = if digits == 0 { 0 } else { value[..digits].parse().unwrap_or(u32::MAX) };
    let rest = value[digits..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.starts_with(|c: char| matches!(c, ';' | ',') || c.is_ascii_whitespace()) {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii_start();
    let named =
        rest.get(..3).filter(|name| name.eq_ignore_ascii_case("url")).map(|name| rest[name.len()..].trim_ascii_start());
    let address = named.and_then(|rest| rest.strip_prefix('=')).map_or(rest, str::trim_ascii_start);
    let quoted = address.strip_prefix(['"', '\'']).map(|quoted| {
        let quote = &address[..1];
        quoted.split(quote).next().unwrap_or_default()
    });
    let address = quoted.unwrap_or(address).trim();
    (!address.is_empty()).then_some((seconds, address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse as parse_page;

    #[test]
    fn values_are_read_as_browsers_read_them() {
        for (value, expect) in [
            ("0; url=/b", Some((0, "/b"))),
            ("5;URL='/b'", Some((5, "/b"))),
            ("3, url = \"/b\" and more", Some((3, "/b"))),
            ("0;/b", Some((0, "/b"))),
            ("0 /b", Some((0, "/b"))),
            ("0 ; 'http://b.example/x", Some((0, "http://b.example/x"))),
            (" 1.5; url=/b", Some((1, "/b"))),
            (".5; url=/b", Some((0, "/b"))),
            ("0; url=url=/b", Some((0, "url=/b"))),
            ("0; u=/b", Some((0, "u=/b"))),
            ("99999999999; url=/b", Some((u32::MAX, "/b"))),
            ("30", None),
            ("0;", None),
            ("0; url=", None),
            ("0; url=''", None),
            ("url=/b", None),
            ("0url=/b", None),
            ("-1; url=/b", None),
            ("", None),
        ] {
            assert_eq!(parse(value), expect, "{value}");
        }
    }

    #[test]
    fn a_page_says_where_to_go_and_who_goes() {
        let page =
            b"<base href=/sub/><meta http-equiv=Refresh content='0; url=b#top'><noscript><meta http-equiv=refresh
            content='0; url=/plain'></noscript><meta http-equiv=refresh content='9'><meta http-equiv=refresh
            content='1; url=javascript:x'><meta name=refresh content='0; url=/no'>";
        let url = Url::parse("http://a.example/dir/x").unwrap();
        let found = refreshes(&parse_page(page, None, &Default::default()), &url);
        let found: Vec<_> = found.iter().map(|found| (found.seconds, found.to.as_str(), found.in_noscript)).collect();
        assert_eq!(found, [(0, "http://a.example/sub/b", false), (0, "http://a.example/plain", true)]);
        assert_eq!(refresh_header("2; url=b", &url).unwrap().to.as_str(), "http://a.example/dir/b");
        assert_eq!(refresh_header("2", &url), None);
    }
}
