//! What is known of the pages of a set: whose they are, of what kind, and which are siblings. No
//! file is read here.

use std::collections::BTreeMap;

use serde::Deserialize;
use url::Url;

use tsrec_core::pairing;

/// A set of pages, each known by its number.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// Its name.
    pub name: String,
    /// Its pages, by ascending id.
    pub pages: Vec<SetPageInfo>,
}

/// What a line of `meta.jsonl` says of a page. Only `id` must be there.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SetPageInfo {
    /// Its name, unique in its set; its files are called by it.
    pub id: String,
    /// Its address. `None` also where the line has none that can be read.
    #[serde(deserialize_with = "lenient_url")]
    pub url: Option<Url>,
    /// The site it is of, whose pages are siblings. `None` for a page whose site is not known: it
    /// has no siblings.
    pub site: Option<String>,
    /// The gold text with its `<h>`, `<p>`, `<l>` marks, in the sets that have them.
    pub markup: Option<String>,
    /// What kind of page it is, such as `article` or `forum`.
    #[serde(rename = "page_type")]
    pub kind: Option<String>,
    /// True for a page that is empty until its scripts have run.
    pub spa: bool,
    /// Its title, as a person read it.
    pub title: Option<String>,
    /// Who wrote it, likewise.
    pub author: Option<String>,
    /// When it was published, likewise.
    pub date: Option<String>,
    /// Snippets that its content must have.
    pub with: Vec<String>,
    /// Snippets that its content must not have.
    pub without: Vec<String>,
}

/// Of some pages of 2006 only a file name is known.
fn lenient_url<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Url>, D::Error> {
    let url: Option<String> = Option::deserialize(deserializer)?;
    Ok(url.and_then(|url| Url::parse(&url).ok()))
}

/// A line that says nothing of a page.
#[derive(Debug, thiserror::Error)]
#[error("line {number}")]
pub struct BadLine {
    number: usize,
    source: serde_json::Error,
}

impl Set {
    /// The set of this name whose `meta.jsonl` holds these lines; blank lines say nothing.
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

    /// Those pages are of this kind whose line says none.
    pub fn assume_kind(&mut self, kind: &str) {
        self.pages.iter_mut().for_each(|page| page.kind = page.kind.take().or_else(|| Some(kind.to_owned())));
    }

    /// The other pages of the page's site, the most similar first, at most `most`. O(n log n) for n
    /// pages.
    pub fn siblings(&self, index: usize, most: usize) -> Vec<usize> {
        let page = &self.pages[index];
        let same_site = |other: &usize| *other != index && page.site.is_some() && self.pages[*other].site == page.site;
        let mut rated: Vec<(f64, usize)> = (0..self.pages.len())
            .filter(same_site)
            .map(|other| (similarity(page, &self.pages[other]), other))
            .collect();
        rated.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        rated.into_iter().take(most).map(|(_, other)| other).collect()
    }

    /// Pages of other sites, spread evenly over the set, at most `most`.
    pub fn strangers(&self, index: usize, most: usize) -> Vec<usize> {
        let length = self.pages.len();
        let strangers = (1..length)
            .map(|step| (index + step * (length / 3 + 1)) % length)
            .filter(|&other| self.pages[other].site != self.pages[index].site);
        strangers.take(most).collect()
    }

    /// The pages of each site, in the order of the sites' names; a page whose site is not known is
    /// alone.
    pub fn sites(&self) -> Vec<Vec<usize>> {
        let mut sites: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for (page, info) in self.pages.iter().enumerate() {
            let name = info.site.as_deref().map_or(("", info.id.as_str()), |site| (site, ""));
            sites.entry(name).or_default().push(page);
        }
        sites.into_values().collect()
    }

    /// The name of the page's site, or where it is not known one that no other page has, in this
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

/// By URL where both pages have one of the same domain, otherwise by id.
fn similarity(page: &SetPageInfo, other: &SetPageInfo) -> f64 {
    let by_url = page.url.as_ref().zip(other.url.as_ref()).and_then(|(a, b)| pairing::similarity(a, b));
    by_url.map_or_else(|| strsim::normalized_levenshtein(&page.id, &other.id), |similarity| similarity.score)
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
}
