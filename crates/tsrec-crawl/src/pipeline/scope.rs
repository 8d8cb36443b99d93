//! Which URLs the crawl follows: those of the hosts of the seeds and of the page itself, and by the
//! configured rules. Also which URLs are never traps.

use std::collections::{HashMap, HashSet};
use std::sync::{PoisonError, RwLock};

use url::Url;

use super::Config;
use tsrec_core::pairing::registrable_domain;

/// Redirects from a seed whose target stands for the seed. Judgement: to `https`, to `www`, to a
/// language, and two more.
const MOST_HOPS: u8 = 5;

/// The scope of a crawl.
#[derive(Debug)]
pub(super) struct Scope {
    /// The hosts of the seeds.
    hosts: RwLock<HashSet<String>>,
    /// Their registrable domains.
    sites: RwLock<HashSet<String>>,
    /// The seeds and their redirect targets, with the number of redirects.
    seeds: RwLock<HashMap<Url, u8>>,
    include: Vec<String>,
    exclude: Vec<String>,
    no_traps: Vec<String>,
}

impl Scope {
    /// The rules of the configuration are patterns for [`matches`].
    pub(super) fn new(seeds: &[Url], config: &Config) -> Scope {
        let Config { include, exclude, no_traps, .. } = config.clone();
        let scope = Scope {
            hosts: RwLock::default(),
            sites: RwLock::default(),
            seeds: RwLock::default(),
            include,
            exclude,
            no_traps,
        };
        scope.add(seeds);
        scope
    }

    /// From now on the crawl follows links within the hosts of these URLs, too.
    pub(super) fn add(&self, seeds: &[Url]) {
        let hosts = seeds.iter().filter_map(|url| url.host_str().map(str::to_owned));
        self.hosts.write().unwrap_or_else(PoisonError::into_inner).extend(hosts);
        let sites = seeds.iter().filter_map(registrable_domain);
        self.sites.write().unwrap_or_else(PoisonError::into_inner).extend(sites);
        let plain = seeds.iter().cloned().map(|mut url| {
            url.set_fragment(None);
            (url, 0)
        });
        self.seeds.write().unwrap_or_else(PoisonError::into_inner).extend(plain);
    }

    /// Whether a URL is a seed, or stands for one. Then its redirect target may stand for the seed
    /// too.
    pub(super) fn is_seed(&self, url: &Url) -> bool {
        let seeds = self.seeds.read().unwrap_or_else(PoisonError::into_inner);
        seeds.get(url).is_some_and(|&hops| hops < MOST_HOPS)
    }

    /// Makes the redirect target of a seed, or of a URL that stands for one, stand for the seed.
    pub(super) fn stands_for(&self, seed: &Url, to: &Url) {
        let mut seeds = self.seeds.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(hops) = seeds.get(seed).map(|hops| hops + 1) {
            seeds.entry(to.clone()).or_insert(hops);
        }
    }

    /// Whether a seed has the host of a URL.
    pub(super) fn has_seed(&self, url: &Url) -> bool {
        let hosts = self.hosts.read().unwrap_or_else(PoisonError::into_inner);
        url.host_str().is_some_and(|host| hosts.contains(host))
    }

    /// Whether a seed has the site of a URL. Without seeds, whether it is any: then the hosts of
    /// known pages count.
    pub(super) fn has_site(&self, url: &Url) -> bool {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        sites.is_empty() || registrable_domain(url).is_some_and(|site| sites.contains(&site))
    }

    /// Whether a link to `url` is followed from the page `from`.
    pub(super) fn holds(&self, url: &Url, from: &Url) -> bool {
        let hosts = self.hosts.read().unwrap_or_else(PoisonError::into_inner);
        let is_known = url.host_str().is_some_and(|host| Some(host) == from.host_str() || hosts.contains(host));
        is_known && self.allows(url)
    }

    /// Whether the rules allow a URL: one of `include` matches, or there is none, and none of
    /// `exclude` does.
    pub(super) fn allows(&self, url: &Url) -> bool {
        (self.include.is_empty() || any(&self.include, url)) && !any(&self.exclude, url)
    }

    /// Whether the pages of a URL and those like it may be a [trap](super::traps), if they say
    /// nothing new.
    pub(super) fn may_be_trap(&self, url: &Url) -> bool {
        !any(&self.no_traps, url)
    }
}

fn any(patterns: &[String], url: &Url) -> bool {
    patterns.iter().any(|pattern| matches(pattern, url.as_str()))
}

/// Whether a text matches a pattern, in which `*` stands for any letters. O(pattern × text).
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = None;
    for part in parts {
        // Each part but the last is taken at its first occurrence, which leaves the most text for
        // later parts.
        if let Some(part) = last.replace(part) {
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_urls() {
        for (pattern, text, expect) in [
            ("http://a/", "http://a/", true),
            ("http://a/", "http://a/b", false),
            ("http://a/*", "http://a/b/c?d", true),
            ("*", "", true),
            ("*/print/*", "http://a/news/print/1", true),
            ("*/print/*", "http://a/news/1", false),
            ("*.pdf", "http://a/x.pdf", true),
            ("*.pdf", "http://a/x.pdf?y", false),
            ("a*b*b", "ab", false),
            ("a*b*b", "abb", true),
            ("a*b*c", "axbxbxc", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, text), expect, "{pattern} {text}");
        }
    }

    #[test]
    fn links_are_followed_within_hosts_and_rules() {
        let url = |text: &str| text.parse::<Url>().unwrap();
        let rules = |patterns: &[&str]| patterns.iter().map(|pattern| (*pattern).to_owned()).collect::<Vec<_>>();
        let config = Config {
            include: rules(&["*.example/news/*"]),
            exclude: rules(&["*/print/*", "*?*sort=*"]),
            ..Config::default()
        };
        let scope = Scope::new(&[url("http://a.example/")], &config);
        for (link, from, expect) in [
            ("http://a.example/news/1", "http://b.example/", true),
            ("http://b.example/news/1", "http://b.example/", true),
            ("http://c.example/news/1", "http://b.example/", false),
            ("http://a.example/about", "http://a.example/", false),
            ("http://a.example/news/print/1", "http://a.example/", false),
            ("http://a.example/news/?page=2&sort=name", "http://a.example/", false),
        ] {
            assert_eq!(scope.holds(&url(link), &url(from)), expect, "{link}");
        }
    }
}
