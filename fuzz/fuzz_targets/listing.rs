//! Any bytes as a sitemap, a feed or a list of URLs. The number of URLs is bounded, and each can be
//! fetched.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tsrec_crawl::fetch::listing::{MAX_ENTRIES, read};
use url::Url;

fuzz_target!(|input: &[u8]| {
    let base = Url::parse("https://example.org/").unwrap();
    let Ok(listing) = read(input, &base) else { return };
    assert!(listing.pages.len() + listing.sitemaps.len() <= MAX_ENTRIES);
    for listed in listing.pages.iter().chain(&listing.sitemaps) {
        let url = &listed.url;
        assert!(matches!(url.scheme(), "http" | "https") && url.has_host() && url.fragment().is_none());
        assert!(url.username().is_empty() && url.password().is_none());
    }
});
