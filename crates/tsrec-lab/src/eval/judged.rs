//! The result for one page. `tsrec-lab eval --json` writes it and `tsrec-lab eval --compare` reads
//! it.

use serde::{Deserialize, Serialize};

use super::score::{PageScore, score};
use super::wcxb::{self, Snippets, WordScore};
use tsrec_core::evidence::kind::PageKind;
use tsrec_core::extract::{Extraction, Method};
use tsrec_terminal::corpus::SetPageInfo;

/// A judged page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The set's name.
    pub dataset: String,
    /// The page's id in the set.
    pub id: String,
    /// Its site. `None` if unknown.
    pub site: Option<String>,
    /// The page's kind. `None` if the set does not give it.
    pub kind: Option<String>,
    /// `None` without gold, or if the gold has no word.
    pub scores: Option<PageScore>,
    /// `None` without gold.
    pub wcxb: Option<WordScore>,
    /// `None` if the set has no snippets for the page.
    pub snippets: Option<Snippets>,
    /// The method that found the text. `None` if the method needs a sibling and the page has none.
    pub method: Option<Method>,
    /// The sibling of the comparison that gave the content, if there was one.
    pub sibling: Option<String>,
    /// See [`Extraction::confidence`]. `None` without an extraction.
    pub confidence: Option<f64>,
    /// The detected kind of page. `None` if the method detects none.
    #[serde(default)]
    pub told: Option<PageKind>,
    /// The comparisons, for machines: see [`tsrec_core::extract::report::gates`].
    #[serde(default)]
    pub gates: serde_json::Value,
}

impl Judged {
    /// Judges a page of a set, with its extraction and the extraction's text.
    pub fn new(set: &str, page: &SetPageInfo, gold: Option<&str>, extraction: Option<&Extraction>, text: &str) -> Self {
        let has_snippets = !page.with.is_empty() || !page.without.is_empty();
        Judged {
            dataset: set.to_owned(),
            id: page.id.clone(),
            site: page.site.clone(),
            kind: page.kind.clone(),
            scores: gold.and_then(|gold| score(gold, text)),
            wcxb: gold.map(|gold| wcxb::score(gold, text)),
            snippets: has_snippets.then(|| wcxb::snippets(&page.with, &page.without, text)),
            method: extraction.map(|extraction| extraction.method),
            sibling: extraction.and_then(Extraction::sibling).map(str::to_owned),
            confidence: extraction.map(|extraction| extraction.confidence),
            told: extraction.and_then(|found| found.kind).map(|(kind, _)| kind),
            gates: extraction.map(|extraction| tsrec_core::extract::report::gates(&extraction.attempts)).into(),
        }
    }

    /// The site's name. If it is unknown, a name that no other page has.
    pub fn site_key(&self) -> String {
        self.site.clone().unwrap_or_else(|| format!("{}/{}", self.dataset, self.id))
    }

    /// F1 over bags of words, from 0 to 1. `None` if the gold has no word.
    pub fn bow_f1(&self) -> Option<f64> {
        self.scores.as_ref().map(|scores| scores.bow_f1)
    }
}
