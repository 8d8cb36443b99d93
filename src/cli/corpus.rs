//! A set of pages with gold text, as it lies on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use url::Url;

use crate::eval::{annotation, gold};
use crate::html::{self, Document, Limits};
use crate::learn::model::hex;
use crate::page::Gold;
use crate::pairing;
use crate::render;

/// A set of pages.
pub(super) struct Corpus {
    /// The name of its folder.
    pub(super) name: String,
    /// Its pages, by ascending id.
    pub(super) entries: Vec<Entry>,
}

/// A page of a set. What it holds is read when it is asked for.
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) url: Option<Url>,
    /// `None` for a page whose site is not known: it has no siblings.
    pub(super) site: Option<String>,
    /// The gold text with its `<h>`, `<p>`, `<l>` marks, in the sets that have them.
    markup: Option<String>,
    folder: PathBuf,
}

/// A line of `meta.jsonl`.
#[derive(Deserialize)]
struct Meta {
    id: String,
    url: Option<String>,
    site: Option<String>,
    #[serde(default)]
    markup: Option<String>,
}

impl Corpus {
    pub(super) fn read(folder: &Path) -> Result<Corpus> {
        let meta = folder.join("meta.jsonl");
        let lines = std::fs::read_to_string(&meta).with_context(|| {
            format!(
                "{} cannot be read: a set of pages holds html/, gold/ (or annotations/) and meta.jsonl",
                meta.display()
            )
        })?;
        let mut entries = lines
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(number, line)| {
                let Meta { id, url, site, markup } =
                    serde_json::from_str(line).with_context(|| format!("{}, line {}", meta.display(), number + 1))?;
                let url = url.as_deref().and_then(|url| Url::parse(url).ok());
                Ok(Entry { id, url, site, markup, folder: folder.to_owned() })
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

    /// The pages of each site, in the order of the sites' names; a page whose site is not known is alone.
    pub(super) fn sites(&self) -> Vec<Vec<usize>> {
        let mut sites: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for (page, entry) in self.entries.iter().enumerate() {
            let name = entry.site.as_deref().map_or(("", entry.id.as_str()), |site| (site, ""));
            sites.entry(name).or_default().push(page);
        }
        sites.into_values().collect()
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
    /// The page's bytes.
    pub(super) fn html(&self) -> Result<Vec<u8>> {
        self.file("html", "html")
    }

    /// The text that is its content: what was labelled so by hand, or else the gold text.
    pub(super) fn gold_text(&self) -> Result<String> {
        if self.annotation()?.is_some() {
            let document = html::parse(&self.html()?, None, &Limits::default());
            return Ok(render::text::text(&document, &self.gold(&document)?.content()));
        }
        Ok(String::from_utf8_lossy(&self.file("gold", "txt")?).into_owned())
    }

    /// The gold text with its marks, in the sets that have them.
    pub(super) fn markup(&self) -> Option<&str> {
        self.markup.as_deref()
    }

    /// What the page was labelled by hand, or else the gold text, aligned with the parsed page.
    pub(super) fn gold(&self, document: &Document) -> Result<Gold> {
        if let Some(annotation) = self.annotation()? {
            return annotation::read_gold(&self.id, &self.html()?, document, &annotation)
                .with_context(|| format!("{} cannot be used", self.path("annotations", "anno").display()));
        }
        Ok(match &self.markup {
            Some(markup) => gold::align_markup(document, markup),
            None => gold::align(document, &self.gold_text()?),
        })
    }

    /// The file of `tsrec annotate`, for a page that was labelled by hand.
    fn annotation(&self) -> Result<Option<String>> {
        let path = self.path("annotations", "anno");
        match std::fs::read_to_string(&path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
        }
    }

    fn path(&self, folder: &str, extension: &str) -> PathBuf {
        self.folder.join(folder).join(format!("{}.{extension}", self.id))
    }

    fn file(&self, folder: &str, extension: &str) -> Result<Vec<u8>> {
        let path = self.path(folder, extension);
        std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))
    }
}

/// SHA-256 of all pages and their gold, in hexadecimal. It does not depend on where the sets lie.
pub(super) fn digest(corpora: &[Corpus]) -> Result<String> {
    let mut digest = Sha256::new();
    for entry in corpora.iter().flat_map(|corpus| &corpus.entries) {
        let gold = match (entry.annotation()?, &entry.markup) {
            (Some(annotation), _) => annotation,
            (None, Some(markup)) => markup.clone(),
            (None, None) => entry.gold_text()?,
        };
        for part in [entry.id.as_bytes(), &entry.html()?, gold.as_bytes()] {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
    }
    Ok(hex(&digest.finalize()))
}
