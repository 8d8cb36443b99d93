//! The rules of one robots.txt for one crawler: the parser crate, made to read what RFC 9309 writes.
//!
//! Differences between the crate and the RFC, which are removed by rewriting lines before the crate sees them:
//! - a `User-agent` value is cut to its product token, so that `User-agent: examplebot/2.1` counts (section 2.2.1);
//! - `Crawl-delay` is not in the RFC and must not end a group's list of user agents (section 2.2.4), so that it is read
//!   in a second pass;
//! - `%2A` and `%24` in a rule stand for a literal `*` and `$` (section 2.2.3): the path is given with both encoded;
//! - `Sitemap` lines are dropped: nobody asks for them here, and they take memory.
//!
//! Matching is linear: the crate finds each piece between wildcards at its first occurrence and never goes back, so one
//! URL costs at most (bytes of all rules) + (rules × bytes of the URL). URLs and files are bounded, see
//! `hostile_rules_take_no_time`.

use std::time::Duration;

use url::{Position, Url};

/// Bytes of a robots.txt that are parsed, the least that RFC 9309, section 2.5 allows; the line that crosses it is
/// dropped.
pub(super) const MAX_ROBOTS_BYTES: usize = robotxt::BYTE_LIMIT;

/// What the keys of the lines handled here look like in the wild; the crate reads the same.
const USER_AGENT: &[&str] = &["user-agent", "user agent", "useragent"];
const CRAWL_DELAY: &[&str] = &["crawl-delay", "crawl delay", "crawldelay"];
const SITEMAP: &[&str] = &["sitemap", "site-map", "site map"];

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The rules that one crawler has to keep at one origin.
#[derive(Debug)]
pub(super) struct Rules {
    rules: robotxt::Robots,
    crawl_delay: Option<Duration>,
    weight: usize,
}

impl Rules {
    /// Reads a robots.txt for the crawler with this product token. Never fails: a line that makes no sense is skipped.
    pub(super) fn parse(text: &[u8], product_token: &str) -> Self {
        let text = whole_lines(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text));
        let parse = |text: &[u8]| robotxt::Robots::parse(text, product_token);
        let rules = parse(&rewrite(text, CrawlDelay::Drop));
        let crawl_delay = parse(&rewrite(text, CrawlDelay::Keep)).crawl_delay();
        let weight = rules.rules().iter().map(|rule| size_of_val(rule) + rule.pattern().len()).sum();
        Self { rules, crawl_delay, weight }
    }

    /// No rules: everything is allowed.
    pub(super) fn allow_all() -> Self {
        Self { rules: robotxt::Robots::allow_all(), crawl_delay: None, weight: 0 }
    }

    /// Whether the rules allow the path and query of `url`.
    pub(super) fn allow(&self, url: &Url) -> bool {
        let path = &url[Position::BeforePath..Position::AfterQuery];
        self.rules.is_allowed(&path.replace('*', "%2A").replace('$', "%24"))
    }

    /// The smallest crawl delay of the groups that apply.
    pub(super) fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// About how many bytes of memory the rules take.
    pub(super) fn weight(&self) -> usize {
        self.weight
    }
}

#[derive(Clone, Copy, PartialEq)]
enum CrawlDelay {
    Drop,
    Keep,
}

/// The text up to the last line that ends within [`MAX_ROBOTS_BYTES`].
fn whole_lines(text: &[u8]) -> &[u8] {
    let Some(window) = text.get(..=MAX_ROBOTS_BYTES) else { return text };
    &window[..window.iter().rposition(|byte| is_line_end(*byte)).unwrap_or(0)]
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | 0)
}

/// Lines that mean to the crate what the original's mean by the RFC.
fn rewrite(text: &[u8], crawl_delay: CrawlDelay) -> Vec<u8> {
    let mut rewritten = Vec::with_capacity(text.len());
    for line in text.split(|byte| is_line_end(*byte)) {
        let line = line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
        let dropped =
            value(line, SITEMAP).is_some() || (crawl_delay == CrawlDelay::Drop && value(line, CRAWL_DELAY).is_some());
        if line.is_empty() || dropped {
            continue;
        }
        match value(line, USER_AGENT) {
            Some(agent) => {
                rewritten.extend_from_slice(b"user-agent:");
                rewritten.extend_from_slice(product_token(agent));
            }
            None => encode_inner_dollars(line, &mut rewritten),
        }
        rewritten.push(b'\n');
    }
    rewritten
}

/// The value of a `key: value` line, or of a `key value` line, when the key is one of these.
fn value<'a>(line: &'a [u8], spellings: &[&str]) -> Option<&'a [u8]> {
    let has_key = |key: &&&str| line.get(..key.len()).is_some_and(|start| start.eq_ignore_ascii_case(key.as_bytes()));
    let rest = &line[spellings.iter().find(has_key)?.len()..];
    let trimmed = rest.trim_ascii_start();
    match trimmed.strip_prefix(b":") {
        Some(value) => Some(value.trim_ascii()),
        None => (trimmed.len() < rest.len()).then_some(trimmed),
    }
}

/// The product token that a `User-agent` value begins with, or `*`.
fn product_token(value: &[u8]) -> &[u8] {
    if let [b'*'] | [b'*', b' ' | b'\t', ..] = value {
        return b"*";
    }
    let is_part = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    &value[..value.iter().position(|byte| !is_part(byte)).unwrap_or(value.len())]
}

/// A `$` is special at the end of a rule only. Elsewhere it is encoded, to match the path given to the crate.
fn encode_inner_dollars(line: &[u8], rewritten: &mut Vec<u8>) {
    let (last, inner) = line.split_last().map_or((None, line), |(last, inner)| (Some(*last), inner));
    for &byte in inner {
        match byte {
            b'$' => rewritten.extend_from_slice(b"%24"),
            _ => rewritten.push(byte),
        }
    }
    rewritten.extend(last);
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn check(robots: &str, path: &str, expect: bool) {
        let url = Url::parse("http://example.org/").unwrap().join(path).unwrap();
        assert_eq!(Rules::parse(robots.as_bytes(), "examplebot").allow(&url), expect, "{path} by {robots:?}");
    }

    #[test]
    fn groups_are_chosen_by_product_token() {
        for (robots, expect) in [
            ("", true),
            ("User-agent: *\nDisallow: /", false),
            ("User-agent: * # all\nDisallow: /", false),
            ("User-agent: * all\nDisallow: /", false),
            ("User-agent: *bot\nDisallow: /", true),
            ("User-agent: examplebot\nDisallow: /", false),
            ("\u{feff}USER-AGENT : ExampleBot\r\nDISALLOW : /\r\n", false),
            ("User-agent: examplebot/2.1\nDisallow: /", false),
            ("User-agent: examplebot 2.1\nDisallow: /", false),
            ("User agent ExampleBot/2.1\nDisallow: /", false),
            ("User-agent: examplebot-news\nDisallow: /", true),
            ("User-agent: example\nDisallow: /", true),
            ("User-agent: otherbot\nDisallow: /", true),
            ("User-agent: *\nDisallow: /\n\nUser-agent: examplebot\nAllow: /", true),
            ("User-agent: examplebot\nAllow: /\n\nUser-agent: *\nDisallow: /", true),
            (
                "User-agent: examplebot\nDisallow: /a\nUser-agent: x\nAllow: /\nUser-agent: examplebot\nDisallow: /p",
                false,
            ),
            ("User-agent: examplebot\nUser-agent: x\nDisallow: /", false),
            ("User-agent: examplebot\nSitemap: http://example.org/s\nUser-agent: x\nDisallow: /", false),
            ("User-agent: examplebot\nCrawl-delay: 1\nUser-agent: x\nDisallow: /", false),
            ("User-agent: examplebot\nHost: example.org\n\nDisallow: /", false),
            ("Disallow: /\nUser-agent: x\nDisallow: /", true),
            ("<!DOCTYPE html><p>Not found", true),
        ] {
            check(robots, "/page", expect);
        }
    }

    #[test]
    fn the_longest_rule_wins_and_special_characters_are_special() {
        for (rules, path, expect) in [
            ("Disallow: /a", "/a/b", false),
            ("Disallow: /a", "/A", true),
            ("Disallow: /a\nAllow: /a/b", "/a/b/c", true),
            ("Disallow: /a/b\nAllow: /a/b", "/a/b", true),
            ("Disallow: /*.pdf$", "/x/y.pdf", false),
            ("Disallow: /*.pdf$", "/x/y.pdf?z", true),
            ("Disallow: /*?s=", "/x?s=1", false),
            ("Disallow:", "/x", true),
            ("Disallow: /x # and more", "/xy", false),
            ("Disallow: /caf%C3%A9", "/café", false),
            ("Disallow: /café", "/caf%c3%a9", false),
            ("Disallow: /%61", "/a", false),
            ("Disallow: /a-%2A.html", "/a-*.html", false),
            ("Disallow: /a-%2A.html", "/a-b.html", true),
            ("Disallow: /a-%24", "/a-$", false),
            ("Disallow: /a$b", "/a$b/c", false),
            ("Disallow: /a$", "/a$", true),
            ("Disallow: /*b", "/*a*b", false),
            ("Disallow: /", "/robots.txt", true),
        ] {
            check(&format!("User-agent: *\n{rules}\n"), path, expect);
        }
    }

    #[test]
    fn crawl_delays_belong_to_the_groups_that_apply() {
        for (robots, expect) in [
            ("User-agent: *\nCrawl-delay: 5", Some(5.0)),
            ("User-agent: *\nCrawl-delay: 0.5", Some(0.5)),
            ("User-agent: examplebot/1\nCrawl-delay: 2\nUser-agent: *\nCrawl-delay: 5", Some(2.0)),
            ("User-agent: x\nCrawl-delay: 5", None),
            ("User-agent: *\nCrawl-delay: -5", None),
            ("User-agent: *\nCrawl-delay: soon", None),
        ] {
            let delay = Rules::parse(robots.as_bytes(), "examplebot").crawl_delay();
            assert_eq!(delay, expect.map(Duration::from_secs_f64), "{robots:?}");
        }
    }

    #[test]
    fn what_crosses_the_size_limit_is_dropped() {
        let file = |padding: usize| format!("User-agent: *\n#{}\nDisallow: /page\n", "x".repeat(padding));
        let fits = MAX_ROBOTS_BYTES - file(0).len();
        check(&file(fits), "/page", false);
        check(&file(fits + 1), "/page", false); // The limit falls on the line's end.
        check(&file(fits + 2), "/page", true);
        check(&file(MAX_ROBOTS_BYTES), "/page", true);
    }

    /// The worst, 42,000 times `*aab*`, took 0.5 s in a test build. The bound leaves room for a busy machine.
    #[test]
    fn hostile_rules_take_no_time() {
        let url = Url::parse(&format!("http://example.org/{}", "a".repeat(2000))).unwrap();
        let half_a_megabyte = |line: &str| format!("User-agent: *\n{}", line.repeat(500_000 / line.len()));
        for robots in [
            half_a_megabyte("Allow:*b\n"),
            half_a_megabyte("Allow:*ab\n"),
            half_a_megabyte("Allow:*aab*\n"),
            half_a_megabyte(&format!("Allow: /{}b\n", "*a".repeat(1500))),
            half_a_megabyte(&format!("Allow: /*{}b\n", "a".repeat(1500))),
            format!("User-agent: *\nAllow: {}b", "*".repeat(500_000)),
            format!("User-agent: *\nAllow: /{}$", "*a".repeat(250_000)),
        ] {
            let robots = format!("{robots}\nDisallow: /z\n");
            let start = Instant::now();
            let rules = Rules::parse(robots.as_bytes(), "examplebot");
            assert!(rules.allow(&url));
            let elapsed = start.elapsed();
            assert!(elapsed < Duration::from_secs(5), "{elapsed:?} for {:?}…", &robots[..40]);
        }
    }
}
