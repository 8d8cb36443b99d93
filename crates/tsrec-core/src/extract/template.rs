//! The template diff (Li et al. 2006): what a page shares with its sibling is not its content.
//!
//! 1. Common parts: elements that stand on both pages (section 5.1).
//! 2. Regular parts: groups of siblings that are built alike on both (section 5.2); but a long run
//!    of unlinked text is never regular.
//! 3. Ours: the labels so found, as scores, bound the content by one maximum subsequence over the
//!    tag sequence. It answers the two failures that the paper leaves open, regular parts that are
//!    not rigid (F3) or highly dynamic (F4): what is left of them lies among template parts, away
//!    from the article.

use super::comparison::{Comparison, LONG_TEXT};
use super::gates::{Gate, GateName};
use super::segment::{content, segment};
use super::{Attempt, Extraction, Extractor, Method, Page, Sibling};
use crate::page::Label;
use crate::tsrec::TagSequence;

/// The template diff against one sibling.
#[derive(Clone, Debug)]
pub struct TemplateDiff<'s> {
    sibling: Sibling<'s>,
}

impl<'s> TemplateDiff<'s> {
    /// A diff against this sibling.
    pub fn new(sibling: Sibling<'s>) -> Self {
        TemplateDiff { sibling }
    }
}

impl Extractor for TemplateDiff<'_> {
    /// Confidence grows from a half to 1 with the least of the gates' margins, and is 0 when a gate
    /// failed.
    ///
    /// Time is that of the alignment, O(n · m / 64), for pages of n and m elements; the rest is
    /// linear but for the groups' O(g · h).
    fn extract(&self, page: &Page<'_>) -> Extraction {
        let comparison = Comparison::ours(page.sequence(), self.sibling.sequence);
        let labels = segment(page, &comparison.labels).labels;
        let content = content(page, &labels);
        let gates = gates(page.sequence(), self.sibling.sequence, &comparison, &labels);
        let attempt = Attempt { sibling: self.sibling.name.clone(), gates, exact: comparison.exact };
        let confidence = confidence(&attempt.gates);
        let partners = comparison.partners;
        let found = Extraction::of_page(Method::Template, content, confidence).labelled(labels);
        Extraction { attempts: vec![attempt], partners, ..found }
    }
}

/// The least share of elements with text that two pages of one template have in common. Calibration
/// (`tsrec-lab eval --method template --json` on the tuning pages, with and without `--strangers`):
/// of pages of one site 9 in 10 have more, of pages of different sites fewer than 1 in 100.
const LEAST_COMMON: f64 = 0.1;
/// The greatest share of a page's long unlinked text that may stand on its sibling. Same
/// calibration: siblings stay below it in 98 of 100 cases, and a second view of the same article
/// has nearly all.
const MOST_LONG_TEXT_COMMON: f64 = 0.5;
/// The least number of words that is content. Same calibration: 1 page in 50 has fewer.
const LEAST_WORDS: f64 = 25.0;
/// The greatest share of a page's words that may be left as content. Same calibration: no pair of
/// siblings has more.
const MOST_WORDS_LEFT: f64 = 0.98;
/// Where each gate leaves no doubt, in their order: about the median of pairs of siblings, same
/// calibration.
const CLEAR: [f64; 4] = [0.5, 0.1, 300.0, 0.7];

fn gates(page: &TagSequence<'_>, sibling: &TagSequence<'_>, comparison: &Comparison, labels: &[Label]) -> Vec<Gate> {
    let of_both = |&index: &usize| comparison.partners[index].is_some() && page.has_text(&page.elements()[index]);
    let common = (0..page.elements().len()).filter(of_both).count();
    let shorter = page.with_text().min(sibling.with_text());
    let (mut long, mut long_common, mut all, mut left) = (0, 0, 0, 0);
    for index in page.visible() {
        let words = page.word_counts()[index];
        if words.free >= LONG_TEXT {
            long += words.free;
            long_common += if comparison.partners[index].is_some() { words.free } else { 0 };
        }
        all += words.all();
        left += if labels[index] == Label::Content { words.all() } else { 0 };
    }
    vec![
        Gate::at_least(GateName::AnotherTemplate, share(common as f64, shorter as f64), LEAST_COMMON, CLEAR[0]),
        Gate::at_most(
            GateName::SameArticle,
            share(f64::from(long_common), f64::from(long)),
            MOST_LONG_TEXT_COMMON,
            CLEAR[1],
        ),
        Gate::at_least(GateName::NothingLeft, f64::from(left), LEAST_WORDS, CLEAR[2]),
        Gate::at_most(GateName::EverythingLeft, share(f64::from(left), f64::from(all)), MOST_WORDS_LEFT, CLEAR[3]),
    ]
}

fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

fn confidence(gates: &[Gate]) -> f64 {
    let least_margin = gates.iter().map(Gate::margin).fold(1.0, f64::min);
    match gates.iter().all(Gate::passed) {
        true => CONFIDENCE_AT_BOUND + (1.0 - CONFIDENCE_AT_BOUND) * least_margin,
        false => 0.0,
    }
}

/// The confidence of a diff that just passes its gates. Judgement.
const CONFIDENCE_AT_BOUND: f64 = 0.5;
