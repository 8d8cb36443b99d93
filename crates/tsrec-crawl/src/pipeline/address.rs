//! One spelling for each address.
//!
//! Many spellings of a URL lead to one page: `%7Ejoe` and `~joe`, an empty query, a dot behind the
//! host, a session in the query. So each URL of a page is normalised before it goes to the
//! frontier, as RFC 3986 says (section 6.2.2), and without the parameters that the configuration
//! leaves out ([`Config::drop_parameters`](super::Config::drop_parameters)). Sitemaps and feeds
//! keep theirs. Pure.

use std::borrow::Cow;

use url::{Host, Url};

/// The parameters that are left out by default: those that advertisers and mailers add to links,
/// and those of sessions.
pub(super) const DROPPED: [&str; 43] = [
    "utm_*",
    "mtm_*",
    "pk_campaign",
    "pk_kwd",
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "gad_source",
    "srsltid",
    "fbclid",
    "fb_action_ids",
    "fb_action_types",
    "msclkid",
    "yclid",
    "ysclid",
    "_openstat",
    "twclid",
    "ttclid",
    "li_fat_id",
    "igshid",
    "igsh",
    "mc_cid",
    "mc_eid",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "__hssc",
    "__hstc",
    "__hsfp",
    "hsctatracking",
    "mkt_tok",
    "vero_id",
    "oly_anon_id",
    "oly_enc_id",
    "phpsessid",
    "jsessionid",
    "aspsessionid*",
    "cfid=#",
    "sid=#",
    "sessionid=#",
];

/// The least length of a value that looks like a session's. Judgement: numbers of articles and
/// slugs are shorter, or have no digits or no letters.
const LEAST_SESSION: usize = 16;

/// Checks an entry of [`Config::drop_parameters`](super::Config::drop_parameters).
pub(super) fn check(parameter: &str) -> Result<(), String> {
    let name = parameter.strip_suffix("=#").unwrap_or(parameter);
    let name = name.strip_suffix('*').unwrap_or(name);
    let is_name = |c: char| c.is_ascii_graphic() && !matches!(c, '*' | '=' | '&' | '#' | ';' | '?');
    match !name.is_empty() && name.chars().all(is_name) {
        true => Ok(()),
        false => Err(format!(
            "crawl.drop_parameters has {parameter:?}: write the name of a parameter, such as \"ref\", with * at its \
             end for any letters, or =# for values of sessions"
        )),
    }
}

/// How addresses are normalised.
#[derive(Debug)]
pub(super) struct AddressRules {
    dropped: Vec<DroppedParameter>,
}

#[derive(Debug)]
struct DroppedParameter {
    /// In lower case.
    name: String,
    /// Whether names that begin like this one are meant, too.
    is_prefix: bool,
    /// Whether only the values of sessions are meant.
    of_sessions: bool,
}

impl AddressRules {
    /// Rules from [`Config::drop_parameters`](super::Config::drop_parameters).
    pub(super) fn new(parameters: &[String]) -> AddressRules {
        let dropped = parameters.iter().map(|parameter| {
            let (name, of_sessions) = parameter.strip_suffix("=#").map_or((&**parameter, false), |name| (name, true));
            let (name, is_prefix) = name.strip_suffix('*').map_or((name, false), |name| (name, true));
            DroppedParameter { name: name.to_ascii_lowercase(), is_prefix, of_sessions }
        });
        AddressRules { dropped: dropped.collect() }
    }

    /// The URL in its one spelling. Linear.
    pub(super) fn normal<'u>(&self, url: &'u Url) -> Cow<'u, Url> {
        let has_dot = matches!(url.host(), Some(Host::Domain(host)) if host.ends_with('.'));
        let is_plain = url.query().is_none() && !url.path().contains(['%', ';', '(']);
        if is_plain && !has_dot {
            return Cow::Borrowed(url);
        }
        let mut normal = url.clone();
        if has_dot {
            let host = url.host_str().unwrap_or_default().trim_end_matches('.');
            // It fails for a host of dots, which stays.
            let _ = normal.set_host(Some(host));
        }
        normal.set_path(&unescaped(&self.path(url.path())));
        let query = url.query().map(|query| unescaped(&self.query(query)));
        normal.set_query(query.as_deref().filter(|query| !query.is_empty()));
        Cow::Owned(normal)
    }

    fn query(&self, query: &str) -> String {
        query.split('&').filter(|parameter| !self.drops(parameter)).collect::<Vec<_>>().join("&")
    }

    /// A path without parameters of its segments, and without sessions as ASP.NET writes them
    /// (`/(S(x))/`).
    fn path(&self, path: &str) -> String {
        let segments = path.split('/').filter(|segment| !is_session_segment(segment)).map(|segment| {
            let mut parts = segment.split(';');
            let name = parts.next().unwrap_or_default();
            parts.filter(|parameter| !self.drops(parameter)).fold(name.to_owned(), |path, part| path + ";" + part)
        });
        segments.collect::<Vec<_>>().join("/")
    }

    fn drops(&self, parameter: &str) -> bool {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let name = name.to_ascii_lowercase();
        self.dropped.iter().any(|dropped| {
            let is_named = if dropped.is_prefix { name.starts_with(&dropped.name) } else { name == dropped.name };
            is_named && (!dropped.of_sessions || is_session(value))
        })
    }
}

/// Whether a value looks like a session's.
fn is_session(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    value.len() >= LEAST_SESSION
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
}

fn is_session_segment(segment: &str) -> bool {
    segment.strip_prefix('(').and_then(|rest| rest.strip_suffix("))")).is_some_and(|inner| {
        inner.rsplit_once("S(").is_some_and(|(_, session)| session.len() >= LEAST_SESSION && !session.contains('('))
    })
}

/// Percent encodings in their normal form: none for letters that need none, capitals for the
/// others.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let byte = after.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(byte) = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
            out.push('%');
            rest = after;
            continue;
        };
        match byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
        rest = &after[2..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> AddressRules {
        AddressRules::new(&DROPPED.map(str::to_owned))
    }

    #[test]
    fn each_address_has_one_spelling() {
        for (url, expect) in [
            ("http://a.example/%7Ejoe", "http://a.example/~joe"),
            ("http://a.example/%7ejoe/%41", "http://a.example/~joe/A"),
            ("http://a.example/a%3db?c=%3d", "http://a.example/a%3Db?c=%3D"),
            ("http://a.example/%e4%bb%ae", "http://a.example/%E4%BB%AE"),
            ("http://a.example/100%", "http://a.example/100%"),
            ("http://a.example/a%zz%4", "http://a.example/a%zz%4"),
            ("http://a.example/%2541", "http://a.example/%2541"),
            ("http://a.example/a%2Fb", "http://a.example/a%2Fb"),
            ("http://a.example/a/%2e%2e/b", "http://a.example/b"),
            ("http://a.example/a?", "http://a.example/a"),
            ("http://a.example/?", "http://a.example/"),
            ("http://a.example/a?b=", "http://a.example/a?b="),
            ("http://a.example./a", "http://a.example/a"),
            ("http://a.example.:81/a?", "http://a.example:81/a"),
            ("http://A.example:80/a", "http://a.example/a"),
            ("http://a.example/a?b=1&c=2", "http://a.example/a?b=1&c=2"),
            ("http://a.example/a?c=2&b=1", "http://a.example/a?c=2&b=1"),
            ("http://a.example/a?b=%7E&c=%2B+%20", "http://a.example/a?b=~&c=%2B+%20"),
            ("http://a.example/(S)/x", "http://a.example/(S)/x"),
        ] {
            let normal = rules().normal(&url.parse().unwrap()).into_owned();
            assert_eq!(normal.as_str(), expect, "{url}");
            assert_eq!(*rules().normal(&normal), normal, "{url}");
        }
    }

    #[test]
    fn sessions_and_advertising_are_no_part_of_an_address() {
        for (url, expect) in [
            ("/a?utm_source=x&utm_medium=mail", "/a"),
            ("/a?id=7&utm_source=x", "/a?id=7"),
            ("/a?UTM_Source=x&id=7", "/a?id=7"),
            ("/a?fbclid=x&id=7&gclid=y", "/a?id=7"),
            ("/a?PHPSESSID=0123456789abcdef0123", "/a"),
            ("/a;jsessionid=77AB?id=7", "/a?id=7"),
            ("/shop;jsessionid=77/list;v=1", "/shop/list;v=1"),
            ("/a?sid=0123456789abcdef0123456789abcdef&t=9", "/a?t=9"),
            ("/a?sid=26/11/26/1234", "/a?sid=26/11/26/1234"),
            ("/a?sid=20261126123456789", "/a?sid=20261126123456789"),
            ("/a?sid=aboutourharbourmaster", "/a?sid=aboutourharbourmaster"),
            ("/a?ref=home&source=x", "/a?ref=home&source=x"),
            ("/a?utm=1&xutm_source=2", "/a?utm=1&xutm_source=2"),
            ("/a?b&&c", "/a?b&&c"),
            ("/(S(lit3py55t21z5v55vlm25s55))/a.aspx", "/a.aspx"),
            ("/app/(X(1)S(lit3py55t21z5v55vlm25s55))/a.aspx", "/app/a.aspx"),
        ] {
            let url: Url = format!("http://a.example{url}").parse().unwrap();
            assert_eq!(rules().normal(&url).as_str(), format!("http://a.example{expect}"), "{url}");
        }
        let none = AddressRules::new(&[]);
        assert_eq!(none.normal(&"http://a.example/a?utm_source=x".parse().unwrap()).query(), Some("utm_source=x"));
    }

    #[test]
    fn only_names_are_parameters() {
        for (parameter, expect) in [
            ("ref", true),
            ("utm_*", true),
            ("sid=#", true),
            ("x*=#", true),
            ("", false),
            ("*", false),
            ("=#", false),
            ("a=b", false),
            ("a*b", false),
            ("a b", false),
            ("a&b", false),
        ] {
            assert_eq!(check(parameter).is_ok(), expect, "{parameter}");
        }
        assert!(DROPPED.iter().all(|parameter| check(parameter).is_ok()));
    }
}
