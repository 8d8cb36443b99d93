//! A set of pages with gold text, as it lies on disk.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use url::Url;

use crate::pairing;

/// A set of pages.
pub(super) struct Corpus {
    /// The name of its folder.
    pub(super) name: String,
    /// Its pages, by ascending id.
    pub(super) entries: Vec<Entry>,
}

/// A page with its gold text.
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) url: Option<Url>,
    /// `None` for a page whose site is not known: it has no siblings.
    pub(super) site: Option<String>,
    pub(super) html: Vec<u8>,
    pub(super) gold: String,
}

/// A line of `meta.jsonl`.
#[derive(Deserialize)]
struct Meta {
    id: String,
    url: Option<String>,
    site: Option<String>,
}

impl Corpus {
    pub(super) fn read(folder: &Path) -> Result<Corpus> {
        let meta = folder.join("meta.jsonl");
        let lines = std::fs::read_to_string(&meta).with_context(|| {
            format!("{} cannot be read: a set of pages holds html/, gold/ and meta.jsonl", meta.display())
        })?;
        let mut entries = lines
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(number, line)| {
                let meta: Meta =
                    serde_json::from_str(line).with_context(|| format!("{}, line {}", meta.display(), number + 1))?;
                Entry::read(folder, meta)
            })
            .collect::<Result<Vec<Entry>>>()?;
        entries.sort_by(|a, b| a.id.cmp(&b.id));
        let name = folder.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        Ok(Corpus { name: name.unwrap_or_else(|| folder.display().to_string()), entries })
    }

    /// The other pages of the page's site, the most similar first, at most `most`.
    pub(super) fn siblings(&self, index: usize, most: usize) -> Vec<usize> {
        let page = &self.entries[index];
        let same_site =
            |other: &usize| *other != index && page.site.is_some() && self.entries[*other].site == page.site;
        let mut rated: Vec<(f64, usize)> = (0..self.entries.len())
            .filter(same_site)
            .map(|other| (similarity(page, &self.entries[other]), other))
            .collect();
        rated.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        rated.into_iter().take(most).map(|(_, other)| other).collect()
    }

    /// Pages of other sites, spread evenly over the set, at most `most`.
    pub(super) fn strangers(&self, index: usize, most: usize) -> Vec<usize> {
        let length = self.entries.len();
        let strangers = (1..length)
            .map(|step| (index + step * (length / 3 + 1)) % length)
            .filter(|&other| self.entries[other].site != self.entries[index].site);
        strangers.take(most).collect()
    }
}

/// By URL where both pages have one of the same domain, otherwise by id.
fn similarity(page: &Entry, other: &Entry) -> f64 {
    let by_url = page.url.as_ref().zip(other.url.as_ref()).and_then(|(a, b)| pairing::similarity(a, b));
    by_url.map_or_else(|| strsim::normalized_levenshtein(&page.id, &other.id), |similarity| similarity.score)
}

impl Entry {
    fn read(folder: &Path, meta: Meta) -> Result<Entry> {
        let html = folder.join("html").join(format!("{}.html", meta.id));
        let gold = folder.join("gold").join(format!("{}.txt", meta.id));
        let bytes = |path: &Path| std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()));
        Ok(Entry {
            html: bytes(&html)?,
            gold: String::from_utf8_lossy(&bytes(&gold)?).into_owned(),
            url: meta.url.as_deref().and_then(|url| Url::parse(url).ok()),
            id: meta.id,
            site: meta.site,
        })
    }
}
