//! The result of a method on a page.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::gates::Gate;
use super::sibling::Sibling;
use super::template::TemplateDiff;
use super::{Method, Page, starts};
use crate::evidence::kind::PageKind;
use crate::evidence::model::Reason;
use crate::html::Document;
use crate::page::{Content, Label, Start};
use crate::render::cleaneval::cleaneval;
use crate::template::Memory;

/// The result of a method on a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Extraction {
    /// The kept text.
    pub content: Content,
    /// The method that made it.
    pub method: Method,
    /// How far the result can be trusted, 0 to 1. Each method says what it measures.
    pub confidence: f64,
    /// The kind of the page and its probability. `None` if the method does not give one.
    pub kind: Option<(PageKind, f32)>,
    /// The comparisons that the method tried, in order, with their gates.
    pub attempts: Vec<Attempt>,
    /// Notes for readers of the result, in whole sentences, such as a step that was not possible.
    pub notes: Vec<String>,
    /// Labels and partners of elements. `None` if the method knows only which text is kept.
    pub elements: Option<Elements>,
    /// The beginnings of blocks in the content, in document order, if the method gives them.
    /// [`starts::of_content`] gives those that the tags show.
    pub starts: Option<Vec<Start>>,
    /// The result of the learned score, if the method used it.
    pub score: Option<ScoreReport>,
}

/// The labels of the elements of the tag sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Elements {
    /// A label for each element.
    pub labels: Vec<Label>,
    /// For each element the number of its partner on the sibling, from 0. Only common elements have
    /// partners: the equal elements.
    pub partners: Vec<Option<usize>>,
}

impl Elements {
    /// Labels without a comparison.
    pub(super) fn without_partners(labels: Vec<Label>) -> Self {
        Elements { partners: vec![None; labels.len()], labels }
    }
}

/// The learned score's result for a page.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreReport {
    /// For each block of the page's [`Analysis`](crate::analysis::Analysis), the probability that
    /// it is content.
    pub likely: Vec<f32>,
    /// For each block, the evidence that moved its score, the strongest first, if the caller asked
    /// for it.
    pub reasons: Option<Vec<Vec<Reason>>>,
    /// How many other pages of the site the memory had; 0 if the page was alone.
    pub remembered: u32,
    /// The memory of the page for other pages of its site.
    pub memory: Memory,
}

/// A comparison with one sibling.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Attempt {
    /// The sibling's name.
    pub sibling: String,
    /// The measures and their bounds.
    pub gates: Vec<Gate>,
    /// False if the pages were too long for exact alignment. Then some common parts may be missing.
    pub exact: bool,
}

impl Attempt {
    /// True when every gate was passed.
    pub fn passed(&self) -> bool {
        self.gates.iter().all(Gate::passed)
    }
}

impl Extraction {
    /// The result of a method on the page alone. Confidence is 0 if the content is empty.
    pub fn of_page(method: Method, content: Content, confidence: f64) -> Self {
        Extraction {
            // A sum of shares may be above 1 by a rounding error.
            confidence: if content.is_empty() { 0.0 } else { confidence.clamp(0.0, 1.0) },
            content,
            method,
            kind: None,
            attempts: Vec::new(),
            notes: Vec::new(),
            elements: None,
            starts: None,
            score: None,
        }
    }

    /// How many other pages of the site the memory had; 0 if the page was alone.
    pub fn remembered(&self) -> u32 {
        self.score.as_ref().map_or(0, |score| score.remembered)
    }

    /// The probability that a block, given by its number, is content. `None` if the method gives
    /// none.
    pub fn likely(&self, block: usize) -> Option<f32> {
        self.score.as_ref()?.likely.get(block).copied()
    }

    /// The evidence that moved a block's score, the strongest first. `None` if the caller did not
    /// ask.
    pub fn reasons(&self, block: usize) -> Option<&[Reason]> {
        self.score.as_ref()?.reasons.as_ref()?.get(block).map(Vec::as_slice)
    }

    /// The number of an element's partner on the sibling, from 0.
    pub fn partner(&self, element: usize) -> Option<usize> {
        *self.elements.as_ref()?.partners.get(element)?
    }

    /// The label of each element of the tag sequence. `page` must be the page of this extraction.
    /// Linear.
    pub fn labels(&self, page: &Page<'_>) -> Cow<'_, [Label]> {
        match &self.elements {
            None => page.labels(&self.content, |_| Label::Outside).into(),
            Some(elements) => (&elements.labels).into(),
        }
    }

    /// How many elements of the page have each label.
    pub fn label_counts(&self, page: &Page<'_>) -> BTreeMap<Label, usize> {
        let mut counts = BTreeMap::new();
        for &label in &*self.labels(page) {
            *counts.entry(label).or_insert(0) += 1;
        }
        counts
    }

    /// The beginnings of blocks in the content: those of the method, else those that the tags show.
    /// Linear in the page.
    pub fn starts(&self, document: &Document) -> Cow<'_, [Start]> {
        match &self.starts {
            None => starts::of_content(document, &self.content).into(),
            Some(starts) => starts.into(),
        }
    }

    /// The content with CleanEval's marks. Linear in the page.
    pub fn cleaneval(&self, document: &Document) -> String {
        cleaneval(document, &self.content, &self.starts(document))
    }

    /// The sibling of the comparison that counts, if any: the one that passed the gates. If none
    /// did, the last one, for the methods `template` and `template-paper`.
    pub fn sibling(&self) -> Option<&str> {
        match self.method {
            Method::Template => {
                let passed = self.attempts.iter().find(|attempt| attempt.passed()).or(self.attempts.last());
                passed.map(|attempt| attempt.sibling.as_str())
            }
            Method::TemplatePaper => self.attempts.last().map(|attempt| attempt.sibling.as_str()),
            _ => None,
        }
    }

    /// Whether the content comes from the memory of the site, without any sibling.
    pub fn is_from_memory(&self) -> bool {
        self.method == Method::Memory
    }

    /// The same content with labels and partners from the template diff of both pages, if the gates
    /// pass. O(alignment).
    pub fn beside(self, page: &Page<'_>, sibling: &Sibling<'_>) -> Extraction {
        let mut diff = TemplateDiff::against(page, sibling);
        let found = Extraction { attempts: std::mem::take(&mut diff.attempts), ..self };
        match found.attempts.iter().all(Attempt::passed) {
            true => found.labelled_by(page, diff),
            false => found,
        }
    }

    /// Takes the labels of a diff for elements that are not content here: common or regular. What
    /// only the diff calls content is outside.
    pub(super) fn labelled_by(self, page: &Page<'_>, diff: Extraction) -> Extraction {
        let elements = diff.elements.map(|Elements { labels, partners }| Elements {
            labels: page.labels(&self.content, |element| match labels[element] {
                Label::Content => Label::Outside,
                label => label,
            }),
            partners,
        });
        Extraction { elements, ..self }
    }
}
