//! Tables of RFC 9309: what each rule matches, and what it only just misses.

use std::time::Instant;

use super::*;

fn check(robots: &str, path: &str, expect: bool) {
    let url = Url::parse("http://example.org/").unwrap().join(path).unwrap();
    let decision = Rules::parse(robots.as_bytes(), "examplebot").decide(&url);
    assert_eq!(decision.allowed, expect, "{path} by {robots:?}");
    assert_eq!(decision.rule.is_none_or(|rule| rule.allows()), expect, "{path} by {robots:?}");
}

/// RFC 9309, section 2.2.1.
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
        ("User-agent: examplebot\rDisallow: /\r", false),
        ("User-agent: examplebot/2.1\nDisallow: /", false),
        ("User-agent: examplebot 2.1\nDisallow: /", false),
        ("User agent ExampleBot/2.1\nDisallow: /", false),
        ("User-agent examplebot\nDissallow /", false),
        ("User-agent: examplebot-news\nDisallow: /", true),
        ("User-agent: example\nDisallow: /", true),
        ("User-agent: otherbot\nDisallow: /", true),
        ("User-agent: *\nDisallow: /\n\nUser-agent: examplebot\nAllow: /", true),
        ("User-agent: *\nDisallow: /\n\nUser-agent: examplebot\n", true),
        ("User-agent: examplebot\nAllow: /\n\nUser-agent: *\nDisallow: /", true),
        ("User-agent: x\nDisallow: /\n\nUser-agent: examplebot\nDisallow:", true),
        ("User-agent: examplebot\nDisallow: /a\nUser-agent: x\nAllow: /\nUser-agent: examplebot\nDisallow: /p", false),
        ("User-agent: examplebot\nUser-agent: x\nDisallow: /", false),
        ("User-agent: x\nUser-agent: examplebot\nDisallow: /", false),
        ("User-agent: examplebot\nSitemap: http://example.org/s\nUser-agent: x\nDisallow: /", false),
        ("User-agent: examplebot\nCrawl-delay: 1\nUser-agent: x\nDisallow: /", false),
        ("User-agent: examplebot\nHost: example.org\n\nDisallow: /", false),
        ("Disallow: /\nUser-agent: x\nDisallow: /", true),
        ("<!DOCTYPE html><p>Not found", true),
    ] {
        check(robots, "/page", expect);
    }
}

/// RFC 9309, sections 2.2.2 and 2.2.3, with the tables printed there. Each pattern comes with URLs
/// that it only just misses.
#[test]
fn the_longest_rule_wins_and_special_characters_are_special() {
    for (rules, path, expect) in [
        ("Disallow: /a", "/a/b", false),
        ("Disallow: /a", "/A", true),
        ("Disallow: /a", "/", true),
        ("Disallow: /a\nAllow: /a/b", "/a/b/c", true),
        ("Disallow: /a\nAllow: /a/b", "/a/c", false),
        ("Disallow: /a/b\nAllow: /a/b", "/a/b", true),
        ("Allow: /a/b\nDisallow: /a/b", "/a/b", true),
        ("Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/disallowed.gif", false),
        ("Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/", true),
        ("Disallow: /*.gif$", "/a/b.gif", false),
        ("Disallow: /*.gif$", "/a/b.gif?c", true),
        ("Disallow: /*.gif$", "/a.gif/b.gif", false),
        ("Allow: /this/*/exactly\nDisallow: /", "/this/x/y/exactly/z", true),
        ("Allow: /this/*/exactly\nDisallow: /", "/this/exactly", false),
        ("Disallow: /*?s=", "/x?s=1", false),
        ("Disallow: /*?s=", "/x?t=1", true),
        ("Disallow: *b", "/ab", false),
        ("Disallow: ***b", "/ab", false),
        ("Disallow: /a*", "/a", false),
        ("Disallow: /a*$", "/ab", false),
        ("Disallow: /a**$", "/ab", false),
        ("Disallow: /ab*ab$", "/ab", true),
        ("Disallow: /ab*ab$", "/abab", false),
        ("Disallow: /ab*ab$", "/abcab", false),
        ("Disallow: /a$", "/a", false),
        ("Disallow: /a$", "/ab", true),
        ("Disallow: $", "/a", true),
        ("Disallow:", "/x", true),
        ("Disallow: x", "/x", true),
        ("Disallow: /x # and more", "/xy", false),
        ("Disallow: /foo/bar?baz=quz", "/foo/bar?baz=quz", false),
        ("Disallow: /foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", false),
        ("Disallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar", false),
        ("Disallow: /foo/bar/\u{30c4}", "/foo/bar/%E3%83%84", false),
        ("Disallow: /foo/bar/%E3%83%84", "/foo/bar/\u{30c4}", false),
        ("Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", false),
        ("Disallow: /caf%C3%A9", "/café", false),
        ("Disallow: /café", "/caf%c3%a9", false),
        ("Disallow: /%61", "/a", false),
        ("Disallow: /a%2Fb", "/a/b", true),
        ("Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-*.html", false),
        ("Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-b.html", true),
        ("Disallow: /path/foo-%24", "/path/foo-$", false),
        ("Disallow: /path/foo-%24", "/path/foo-", true),
        ("Disallow: /a$b", "/a$b/c", false),
        ("Disallow: /a$", "/a$", true),
        ("Disallow: /*b", "/*a*b", false),
        ("Disallow: /", "/robots.txt", true),
        ("Disallow: /", "/robots.txt?x", true),
        ("Disallow: /", "/robots.txt.html", false),
    ] {
        check(&format!("User-agent: *\n{rules}\n"), path, expect);
    }
}

#[test]
fn bytes_that_are_no_utf8_match_as_they_are_sent() {
    let rules = Rules::parse(b"User-agent: *\nDisallow: /caf\xE9", "examplebot");
    assert!(!rules.decide(&Url::parse("http://example.org/caf%e9").unwrap()).allowed);
    assert!(rules.decide(&Url::parse("http://example.org/caf%C3%A9").unwrap()).allowed);
}

#[test]
fn utf_16_is_read_with_and_without_a_mark() {
    let text = "User-agent: *\r\nDisallow: /caf\u{e9}\r\nCrawl-delay: 2\r\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let long = [&little[..], &[b'#', 0].repeat(MAX_ROBOTS_BYTES)].concat();
    for file in [&[&b"\xFF\xFE"[..], &little].concat(), &[&b"\xFE\xFF"[..], &big].concat(), &little, &big, &long] {
        let rules = Rules::parse(file, "examplebot");
        assert!(!rules.decide(&Url::parse("http://example.org/caf%C3%A9").unwrap()).allowed, "{:?}", &file[..8]);
        assert!(rules.decide(&Url::parse("http://example.org/tea").unwrap()).allowed);
        assert_eq!(rules.crawl_delay(), Some(Duration::from_secs(2)));
    }
}

#[test]
fn crawl_delays_belong_to_the_groups_that_apply() {
    for (robots, expect) in [
        ("User-agent: *\nCrawl-delay: 5", Some(5.0)),
        ("User-agent: *\nCrawl-delay: 0.5", Some(0.5)),
        ("User-agent: *\nCrawl-delay: 1\nCrawl-delay: 3\nCrawl-delay: 2", Some(3.0)),
        ("User-agent: examplebot/1\nCrawl-delay: 2\nUser-agent: *\nCrawl-delay: 5", Some(2.0)),
        ("User-agent: x\nUser-agent: examplebot\nCrawl-delay: 2\nUser-agent: *\nCrawl-delay: 5", Some(2.0)),
        ("User-agent: x\nCrawl-delay: 5", None),
        ("Crawl-delay: 5", None),
        ("User-agent: *\nCrawl-delay: -5", None),
        ("User-agent: *\nCrawl-delay: 1e300", None),
        ("User-agent: *\nCrawl-delay: NaN", None),
        ("User-agent: *\nCrawl-delay: soon", None),
    ] {
        let delay = Rules::parse(robots.as_bytes(), "examplebot").crawl_delay();
        assert_eq!(delay, expect.map(Duration::from_secs_f64), "{robots:?}");
    }
}

#[test]
fn sitemaps_belong_to_everybody() {
    let robots = "Sitemap: /a.xml\nUser-agent: x\nDisallow: /\nSITEMAP : https://other.example/b.xml # c\nSitemap:\n\
                  Sitemap: ftp://example.org/\nSitemap: http://[broken";
    let found = Rules::parse(robots.as_bytes(), "examplebot").sitemaps(&Url::parse("http://example.org/").unwrap());
    let found: Vec<_> = found.iter().map(Url::as_str).collect();
    assert_eq!(found, ["http://example.org/a.xml", "https://other.example/b.xml"]);
    let many = Rules::parse("Sitemap: /s\n".repeat(40_000).as_bytes(), "examplebot");
    assert_eq!(many.sitemaps(&Url::parse("http://example.org/").unwrap()).len(), MAX_SITEMAPS);
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

#[test]
fn every_rule_that_fits_counts() {
    let many: String = (0..25_000).map(|n| format!("Allow:/{n}\n")).collect();
    check(&format!("User-agent: *\n{many}Disallow: /page\n"), "/page", false);
}

/// All ten take 0.1 s together in a test build. The bound leaves room for a busy machine.
#[test]
fn hostile_rules_take_no_time() {
    let url = Url::parse(&format!("http://example.org/{}", "a".repeat(2000))).unwrap();
    let half_a_megabyte = |line: &str| format!("User-agent: *\n{}", line.repeat(500_000 / line.len()));
    for robots in [
        half_a_megabyte("Allow:*b\n"),
        half_a_megabyte("Allow:*ab\n"),
        half_a_megabyte("Allow:*aab*\n"),
        half_a_megabyte("Allow:*a*a*b\n"),
        half_a_megabyte(&format!("Allow: /{}b\n", "*a".repeat(1500))),
        half_a_megabyte(&format!("Allow: /*{}b\n", "a".repeat(1500))),
        half_a_megabyte("User-agent: examplebot\n"),
        half_a_megabyte("% %"),
        format!("User-agent: *\nAllow: {}b", "*".repeat(500_000)),
        format!("User-agent: *\nAllow: /{}$", "*a".repeat(250_000)),
    ] {
        let robots = format!("{robots}\nDisallow: /z\n");
        let start = Instant::now();
        let rules = Rules::parse(robots.as_bytes(), "examplebot");
        assert!(rules.decide(&url).allowed);
        let elapsed = start.elapsed();
        assert!(elapsed < Duration::from_secs(5), "{elapsed:?} for {:?}…", &robots[..40]);
    }
}

#[test]
fn a_decision_is_a_line_with_its_rule() {
    let rules = Rules::parse(b"User-agent: *\nDisallow: /a*b # c\nAllow: /a%2ab", "examplebot");
    for (url, expect) in [
        ("http://x.example/ab", "disallowed http://x.example/ab Disallow: /a*b"),
        ("http://x.example/a*b", "allowed http://x.example/a*b Allow: /a%2ab"),
        ("http://x.example/c", "allowed http://x.example/c no rule"),
        ("http://x.example/robots.txt", "allowed http://x.example/robots.txt no rule"),
    ] {
        assert_eq!(rules.decide(&Url::parse(url).unwrap()).to_string(), expect);
    }
}
