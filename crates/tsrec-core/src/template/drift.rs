//! Detects a redesign: another template replaced a known one.
//!
//! A page of an unknown template alone is no sign: a site has many. It is a sign at a URL where a
//! page of a known template was. It is also a sign at a similar URL (by the crawl's patterns), if
//! the page lacks the frame that the site's pages share. [`NOTICED_AFTER`] such pages in a row,
//! without a page of the old template between them, are a redesign. The old template stays for
//! pages that still have it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How many pages in a row make a redesign. Judgement: with one fewer, a site that tests a design
/// on some readers would count.
pub const NOTICED_AFTER: u32 = 3;

/// Most URL patterns that are kept of a template. Judgement: one per section.
const MOST_PATTERNS: usize = 32;

/// How many pages a template must have in a pattern to be at home there. Another template with at
/// most as many counts as new there. Judgement: a pattern with two kinds of pages shows both by
/// then.
const HOME: u32 = 5;

/// A template and the one that replaced it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Redesign {
    /// The number of the old template.
    pub from: u32,
    /// The number of the new template.
    pub to: u32,
}

/// The URL patterns of a template's pages, and how many pages in a row were of another template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Drift {
    /// The number of pages by URL pattern.
    patterns: BTreeMap<u32, u32>,
    missed: u32,
    replaced_by: Option<u32>,
}

impl Drift {
    /// Counts a page of the template.
    pub(super) fn seen(&mut self, pattern: Option<u32>) {
        self.missed = 0;
        let Some(pattern) = pattern else { return };
        if self.patterns.len() >= MOST_PATTERNS && !self.patterns.contains_key(&pattern) {
            let fewest = self.patterns.iter().min_by_key(|(_, pages)| **pages).map(|(&pattern, _)| pattern);
            fewest.and_then(|fewest| self.patterns.remove(&fewest));
        }
        let pages = self.patterns.entry(pattern).or_default();
        *pages = pages.saturating_add(1);
    }

    /// Counts a page of another template where this one was expected. True if it makes a redesign.
    pub(super) fn missed(&mut self, by: u32) -> bool {
        self.missed = self.missed.saturating_add(1);
        let is_news = self.replaced_by.is_none() && self.missed >= NOTICED_AFTER;
        if is_news {
            self.replaced_by = Some(by);
        }
        is_news
    }

    /// The number of its pages with this pattern.
    pub(super) fn pages_of(&self, pattern: u32) -> u32 {
        self.patterns.get(&pattern).copied().unwrap_or(0)
    }

    /// Whether a page of the pattern is expected to be of this template, if another has had
    /// `others` pages there.
    pub(super) fn is_at_home(&self, pattern: u32, others: u32) -> bool {
        self.pages_of(pattern) >= HOME && others < HOME
    }

    pub(super) fn replaced_by(&self) -> Option<u32> {
        self.replaced_by
    }
}
