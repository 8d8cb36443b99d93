//! Whether a template was replaced by another: a redesign.
//!
//! A page that is of no template known is no news: a site has many. It is news where pages of one
//! template stood: at the very URL, or at URLs like it (as the crawl's patterns have them) and
//! without the frame that the site's pages shared. [`NOTICED_AFTER`] such pages in a row, with none
//! of the old template between them, are a redesign. The old template stays for the pages that have
//! it still.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Pages in a row from which a redesign is told. Judgement: of one page less, a site that tries a
/// design on some of its readers is one.
pub const NOTICED_AFTER: u32 = 3;

/// Patterns of URLs that are kept of a template. Judgement: a section each.
const MOST_PATTERNS: usize = 32;

/// Pages that a pattern must have had of a template to be its home, and up to which another counts
/// as young there. Judgement: a pattern with two kinds of pages shows both among as many.
const HOME: u32 = 5;

/// A template that another was found to have replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Redesign {
    /// The number of the old one.
    pub from: u32,
    /// The number of the new one.
    pub to: u32,
}

/// Where a template's pages stood, and how many in a row were of another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Drift {
    /// Pages by the pattern of their URL.
    patterns: BTreeMap<u32, u32>,
    missed: u32,
    replaced_by: Option<u32>,
}

impl Drift {
    /// A page was of the template.
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

    /// A page that should have been of the template was of another. True when that makes it a
    /// redesign.
    pub(super) fn missed(&mut self, by: u32) -> bool {
        self.missed = self.missed.saturating_add(1);
        let is_news = self.replaced_by.is_none() && self.missed >= NOTICED_AFTER;
        if is_news {
            self.replaced_by = Some(by);
        }
        is_news
    }

    /// Pages of it that had this pattern.
    pub(super) fn pages_of(&self, pattern: u32) -> u32 {
        self.patterns.get(&pattern).copied().unwrap_or(0)
    }

    /// Whether a page of the pattern is expected to be of it, where another has had so many there.
    pub(super) fn is_at_home(&self, pattern: u32, others: u32) -> bool {
        self.pages_of(pattern) >= HOME && others < HOME
    }

    pub(super) fn replaced_by(&self) -> Option<u32> {
        self.replaced_by
    }
}
