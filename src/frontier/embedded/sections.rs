//! Sections of hosts: URLs of one pattern, or below the same folder, of which a host may have so many and no more.
//!
//! A trap whose pages are no copies of each other is told by nothing but its size; so that it takes a part of its host's room at most, and not all of it.
//! Sections are counted only of hosts that have as many URLs as one section may: once from what the frontier knows of them, and then with each URL that is
//! taken in. Pure.

use std::collections::HashMap;

use url::Url;

use crate::pairing::pattern::pattern;

/// Hosts whose sections are counted; then all are counted anew. Judgement: some ten megabytes.
const MOST_HOSTS: usize = 32;

/// How many URLs the sections of hosts have.
#[derive(Default)]
pub(super) struct Sections {
    hosts: HashMap<String, Counts>,
}

/// Of one host, by what [`sections`] names.
#[derive(Default)]
pub(super) struct Counts(HashMap<String, u64>);

impl Counts {
    fn add(&mut self, url: &Url) {
        for section in sections(url) {
            *self.0.entry(section).or_default() += 1;
        }
    }
}

impl FromIterator<Url> for Counts {
    fn from_iter<I: IntoIterator<Item = Url>>(urls: I) -> Counts {
        let mut counts = Counts::default();
        urls.into_iter().for_each(|url| counts.add(&url));
        counts
    }
}

impl Sections {
    /// The sections of a host; counted by `count` where they are not yet.
    pub(super) fn of<E>(&mut self, host: &str, count: impl FnOnce() -> Result<Counts, E>) -> Result<&mut Counts, E> {
        if !self.hosts.contains_key(host) {
            if self.hosts.len() >= MOST_HOSTS {
                self.hosts.clear();
            }
            self.hosts.insert(host.to_owned(), count()?);
        }
        Ok(self.hosts.entry(host.to_owned()).or_default())
    }

    /// Counts a host anew when it is asked for next.
    pub(super) fn forget(&mut self, host: &str) {
        self.hosts.remove(host);
    }
}

impl Counts {
    /// Takes a URL in, unless one of its sections is full; then says which.
    pub(super) fn take(&mut self, url: &Url, most: u64) -> Option<String> {
        let full = sections(url).find(|section| self.0.get(section).is_some_and(|count| *count >= most));
        if full.is_none() {
            self.add(url);
        }
        full
    }
}

/// The sections that a URL is in: its pattern, and the first folder of its path.
fn sections(url: &Url) -> impl Iterator<Item = String> {
    let folder = url.path().get(1..).and_then(|path| path.split_once('/')).map(|(first, _)| format!("/{first}/"));
    std::iter::once(pattern(url)).chain(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        format!("http://a.example{path}").parse().unwrap()
    }

    #[test]
    fn a_url_is_in_the_section_of_its_pattern_and_of_its_folder() {
        for (path, expect) in [
            ("/", &["/*"][..]),
            ("/about", &["/*"]),
            ("/news/2026/ferry", &["/news/#/*", "/news/"]),
            ("/shop?sort=a", &["/shop?sort"]),
            ("/shop/?sort=a", &["/shop/?sort", "/shop/"]),
        ] {
            assert_eq!(sections(&url(path)).collect::<Vec<_>>(), expect, "{path}");
        }
    }

    #[test]
    fn what_is_full_is_named_and_other_sections_go_on() {
        let mut all = Sections::default();
        let known = || Ok::<_, ()>((0..3).map(|n| url(&format!("/day/{n}"))).collect());
        let counts = all.of("a.example", known).unwrap();
        assert_eq!(counts.take(&url("/day/3"), 4), None);
        assert_eq!(counts.take(&url("/day/4"), 4).as_deref(), Some("/day/#"));
        // Of another pattern, and in the same folder.
        assert_eq!(counts.take(&url("/day/of-the-ferry/1"), 4).as_deref(), Some("/day/"));
        assert_eq!(counts.take(&url("/news/1"), 4), None);
        all.forget("a.example");
        let counted = all.of("a.example", || Ok::<_, ()>(Counts::default())).unwrap();
        assert_eq!(counted.take(&url("/day/4"), 4), None, "counted anew");
    }
}
