//! Any bytes as a robots.txt. It is parsed and judges URLs in linear time, without contradicting
//! itself.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tsrec_crawl::fetch::robots::{MAX_ROBOTS_BYTES, Rules};
use url::Url;

fuzz_target!(|input: &[u8]| {
    let rules = Rules::parse(input, "examplebot");
    let origin = Url::parse("https://example.org/").unwrap();
    // The end of the input serves as the path, because it shares words with the rules.
    let tail = String::from_utf8_lossy(&input[input.len().saturating_sub(200)..]).into_owned();
    let mut urls = vec![origin.clone()];
    urls.extend(tail.lines().filter_map(|line| origin.join(line).ok()).take(8));
    for url in urls {
        let decision = rules.decide(&url);
        assert_eq!(decision.allowed, decision.rule.as_ref().is_none_or(|rule| rule.allows()));
        assert_eq!(decision, rules.decide(&url));
        assert!(decision.to_string().starts_with(if decision.allowed { "allowed " } else { "disallowed " }));
    }
    assert!(rules.sitemaps(&origin).iter().all(|url| matches!(url.scheme(), "http" | "https")));
    assert!(rules.weight() <= 64 * MAX_ROBOTS_BYTES);
});
