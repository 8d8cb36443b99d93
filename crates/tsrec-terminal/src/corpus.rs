//! Page data of a set: site, kind, and siblings. This module reads no file.

use std::collections::BTreeMap;

use serde::Deserialize;
use url::Url;

use tsrec_core::learn::random::Random;
use tsrec_core::pairing;

/// A set of pages, each identified by its index.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// Its name.
    pub name: String,
    /// Its pages, by ascending id.
    pub pages: Vec<SetPageInfo>,
}

/// A line of `meta.jsonl`. Only `id` is required.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SetPageInfo {
    /// Its name, unique in its set; it also names the page's files.
    pub id: String,
    /// Its URL. `None` also if the line's URL cannot be read.
    #[serde(deserialize_with = "lenient_url")]
    pub url: Option<Url>,
    /// The site of the page; pages of a site are siblings. `None` if the site is not known: then
    /// it has no siblings.
    pub site: Option<String>,
    /// The gold text with its `<h>`, `<p>`, `<l>` marks, if the set has them.
    pub markup: Option<String>,
    /// The kind of page, such as `article` or `forum`.
    #[serde(rename = "page_type")]
    pub kind: Option<String>,
    /// True if the page is empty until its scripts have run.
    pub spa: bool,
    /// Its title, as a person read it.
    pub title: Option<String>,
    /// Its author, as a person read it.
    pub author: Option<String>,
    /// Its publication date, as a person read it.
    pub date: Option<String>,
    /// Snippets that its content must have.
    pub with: Vec<String>,
    /// Snippets that its content must not have.
    pub without: Vec<String>,
}

/// Some pages of 2006 have only a file name.
fn lenient_url<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Url>, D::Error> {
    let url: Option<String> = Option::deserialize(deserializer)?;
    Ok(url.and_then(|url| Url::parse(&url).ok()))
}

/// An invalid line.
#[derive(Debug, thiserror::Error)]
#[error("line {number}")]
pub struct BadLine {
    number: usize,
    source: serde_json::Error,
}

impl Set {
    /// Reads a set from the lines of its `meta.jsonl`; it skips blank lines.
    ///
    /// # Errors
    ///
    /// On the first line that is no JSON object with an `id`.
    pub fn read(name: &str, lines: &str) -> Result<Set, BadLine> {
        let mut pages = lines
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(number, line)| read_line(line).map_err(|source| BadLine { number: number + 1, source }))
            .collect::<Result<Vec<SetPageInfo>, BadLine>>()?;
        pages.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Set { name: name.to_owned(), pages })
    }

    /// Sets this kind for pages whose line has none.
    pub fn assume_kind(&mut self, kind: &str) {
        self.pages.iter_mut().for_each(|page| page.kind = page.kind.take().or_else(|| Some(kind.to_owned())));
    }

    /// The other pages of the page's site, at most `most`, in the order of the crawl: the most
    /// similar URL first ([`pairing::rank`]).
    ///
    /// Pages that have no such URL, or no URL at all, come last, in an order drawn by chance. It is
    /// the same in every run. Their ids say too much to order them: in some sets an id names the
    /// topic, and pages of one topic link to the same stories. O(n log n) for n pages.
    pub fn siblings(&self, index: usize, most: usize) -> Vec<usize> {
        let page = &self.pages[index];
        let same_site = |other: &usize| *other != index && page.site.is_some() && self.pages[*other].site == page.site;
        let candidates = (0..self.pages.len()).filter(same_site);
        let with_url = candidates.clone().filter_map(|other| Some((other, self.pages[other].url.as_ref()?)));
        let ranked = page.url.as_ref().map(|url| pairing::rank(url, with_url, |(_, other)| other)).unwrap_or_default();
        let ranked: Vec<usize> = ranked.into_iter().map(|rated| rated.candidate.0).collect();
        let mut is_ranked = vec![false; self.pages.len()];
        ranked.iter().for_each(|&other| is_ranked[other] = true);
        let mut others: Vec<usize> = candidates.filter(|&other| !is_ranked[other]).collect();
        others.sort_by_cached_key(|&other| drawn(&page.id, &self.pages[other].id));
        ranked.into_iter().chain(others).take(most).collect()
    }

    /// Pages of other sites, spread evenly over the set, at most `most`.
    pub fn strangers(&self, index: usize, most: usize) -> Vec<usize> {
        let length = self.pages.len();
        let strangers = (1..length)
            .map(|step| (index + step * (length / 3 + 1)) % length)
            .filter(|&other| self.pages[other].site != self.pages[index].site);
        strangers.take(most).collect()
    }

    /// The pages of each site, in the order of the sites' names. A page without a known site is
    /// alone.
    pub fn sites(&self) -> Vec<Vec<usize>> {
        let mut sites: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for (page, info) in self.pages.iter().enumerate() {
            let name = info.site.as_deref().map_or(("", info.id.as_str()), |site| (site, ""));
            sites.entry(name).or_default().push(page);
        }
        sites.into_values().collect()
    }

    /// The name of the page's site. If it is not known, a name that no other page has, in this
    /// set or another.
    pub fn site_of(&self, index: usize) -> String {
        let page = &self.pages[index];
        page.site.clone().unwrap_or_else(|| format!("{}/{}", self.name, page.id))
    }
}

fn read_line(line: &str) -> Result<SetPageInfo, serde_json::Error> {
    let page: SetPageInfo = serde_json::from_str(line)?;
    match page.id.is_empty() {
        false => Ok(page),
        true => Err(serde::de::Error::missing_field("id")),
    }
}

/// A number drawn for a pair of pages: the same in every run, and as good as random.
fn drawn(page: &str, other: &str) -> u64 {
    let pair = [page.as_bytes(), other.as_bytes()].map(|id| [id, b"\n"].concat()).concat();
    pair.into_iter().fold(0, |seed, byte| Random::new(seed ^ u64::from(byte)).bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(lines: &str) -> Set {
        Set::read("set", lines).unwrap()
    }

    #[test]
    fn a_line_says_what_is_known_of_a_page() {
        let lines = r#"
            {"id": "b", "url": "no address", "site": null, "spa": true, "unknown": 1}

            {"id": "a", "url": "https://a.example/", "site": "a", "page_type": "forum", "title": "T", "with": ["x"], "without": []}"#;
        let pages = set(lines).pages;
        let expect = [
            SetPageInfo {
                id: "a".to_owned(),
                url: Some(Url::parse("https://a.example/").unwrap()),
                site: Some("a".to_owned()),
                kind: Some("forum".to_owned()),
                title: Some("T".to_owned()),
                with: vec!["x".to_owned()],
                ..SetPageInfo::default()
            },
            SetPageInfo { id: "b".to_owned(), spa: true, ..SetPageInfo::default() },
        ];
        assert_eq!(pages, expect);
    }

    #[test]
    fn a_line_that_names_no_page_is_named() {
        for line in ["{}", "{\"id\": \"\"}", "id", "{\"id\": 1}"] {
            let error = Set::read("set", &format!("{{\"id\": \"a\"}}\n{line}")).unwrap_err();
            assert_eq!(error.to_string(), "line 2", "{line}");
        }
    }

    #[test]
    fn siblings_are_of_the_site_and_the_most_similar_first() {
        let line = |id: &str, url: &str, site: &str| format!("{{\"id\":\"{id}\",\"url\":\"{url}\",\"site\":{site}}}\n");
        let lines = [
            line("0", "http://a.example/news/2020/cats", "\"a\""),
            line("1", "http://a.example/about", "\"a\""),
            line("2", "http://b.example/news/2020/dogs", "\"b\""),
            line("3", "http://a.example/news/2020/dogs", "\"a\""),
            line("4", "http://c.example/", "null"),
            line("5", "http://c.example/", "null"),
        ];
        let set = set(&lines.concat());
        assert_eq!(set.siblings(0, 9), [3, 1]);
        assert_eq!(set.siblings(0, 1), [3]);
        assert!(set.siblings(2, 9).is_empty() && set.siblings(4, 9).is_empty());
        assert_eq!(set.sites(), [vec![4], vec![5], vec![0, 1, 3], vec![2]]);
        assert_eq!((set.site_of(2), set.site_of(4)), ("b".to_owned(), "set/4".to_owned()));
        assert!(set.strangers(0, 9).iter().all(|&other| set.pages[other].site.as_deref() != Some("a")));
    }
    #[test]
    fn what_an_id_says_chooses_no_sibling() {
        let line = |id: &str, url: &str| format!("{{\"id\":\"{id}\",\"url\":{url},\"site\":\"a\"}}\n");
        let topics = ["cat", "dog", "emu", "fox", "gnu", "hen", "ibis", "jay", "kite", "lark"];
        let pages = |topic: &&str| [1, 2].map(|number| line(&format!("{topic}_{number}"), "null")).concat();
        let set = set(&topics.iter().map(pages).collect::<String>());
        let of_one_topic = |index: &usize| set.siblings(*index, 1)[0] / 2 == index / 2;
        // By similar ids all twenty would be paired within their topic; by chance it is one.
        assert!((0..set.pages.len()).filter(of_one_topic).count() <= 4);
        assert_eq!(set.siblings(0, 9), set.siblings(0, 9));
    }

    #[test]
    fn pages_without_a_url_come_last() {
        let line = |id: &str, url: &str| format!("{{\"id\":\"{id}\",\"url\":{url},\"site\":\"a\"}}\n");
        let lines = [
            line("0", "\"http://a.example/news/cats\""),
            line("1", "null"),
            line("2", "\"http://b.example/news/cats\""),
            line("3", "\"http://a.example/news/dogs\""),
        ];
        let siblings = set(&lines.concat()).siblings(0, 9);
        assert_eq!((siblings[0], siblings.len()), (3, 3));
    }
}
