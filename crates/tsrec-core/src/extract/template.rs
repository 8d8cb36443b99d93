//! The template diff (Li et al. 2006): text that a page shares with its sibling is not its content.
//!
//! 1. Common parts: elements that are on both pages (section 5.1).
//! 2. Regular parts: groups of siblings that are built alike on both pages (section 5.2). A long
//!    run of unlinked text is never regular.
//! 3. Ours: the labels become scores, and one maximum subsequence over the tag sequence bounds the
//!    content. This solves the two failures that the paper leaves open, regular parts that are not
//!    rigid (F3) or highly dynamic (F4). Their remains lie among template parts, away from the
//!    article.

use super::comparison::{Comparison, LONG_TEXT};
use super::gates::{Gate, GateName};
use super::segment::{content, segment};
use super::{Attempt, Elements, Extraction, Extractor, Method, NoSibling, Page, PageContext, Sibling};
use crate::evidence::diff::{DiffPart, Diffed, DiffedBlocks};
use crate::page::Label;
use crate::tsrec::TagSequence;
use crate::tsrec::align::BUDGET;

/// The template diff against the first sibling.
#[derive(Clone, Copy, Debug, Default)]
pub struct TemplateDiff;

impl TemplateDiff {
    /// The diff of a page against a sibling.
    ///
    /// The alignment takes O(n · m / 64), for pages of n and m elements. The rest is linear but for
    /// the groups' O(g · log g).
    pub fn against(page: &Page<'_>, sibling: &Sibling<'_>) -> Extraction {
        Compared::new(page, sibling).into_extraction(page)
    }
}

/// A page after the diff with one sibling.
pub(super) struct Compared {
    comparison: Comparison,
    /// The labels after the final segmentation.
    labels: Vec<Label>,
    attempt: Attempt,
}

impl Compared {
    fn new(page: &Page<'_>, sibling: &Sibling<'_>) -> Self {
        let comparison = Comparison::ours(page.sequence(), sibling.sequence());
        let labels = segment(page, &comparison.labels).labels;
        let gates = gates(page.sequence(), sibling.sequence(), &comparison, &labels);
        let attempt = Attempt { sibling: sibling.name().to_owned(), gates, exact: comparison.exact };
        Compared { comparison, labels, attempt }
    }

    /// The content of the diff, with its labels.
    pub(super) fn into_extraction(self, page: &Page<'_>) -> Extraction {
        let Compared { comparison, labels, attempt } = self;
        let confidence = confidence(&attempt.gates);
        let content = content(page, &labels);
        let elements = Some(Elements { labels, partners: comparison.partners });
        Extraction { attempts: vec![attempt], elements, ..Extraction::of_page(Method::Template, content, confidence) }
    }

    /// What the diff found of each block of the page. Linear.
    pub(super) fn of_blocks(&self, page: &Page<'_>) -> Diffed {
        let mut found = DiffedBlocks::new(&page.analysis);
        let (sequence, Comparison { labels, groups, .. }) = (page.sequence(), &self.comparison);
        for (at, element) in sequence.elements().iter().enumerate().filter(|(_, element)| !element.hidden) {
            let part = match labels[at] {
                Label::Common => DiffPart::Common,
                Label::Regular => DiffPart::Regular,
                _ => DiffPart::Rest { is_kept: self.labels[at] == Label::Content },
            };
            let group = groups[at].map(|group| (group.siblings, group.is_matched));
            sequence.text_nodes(element).for_each(|node| found.add(node, part, group));
        }
        found.into_diffed()
    }
}

/// What the diff with the first of these siblings that passes the gates found of each block. `None`
/// if none passes. Costs the alignment of each sibling up to that one.
pub fn diffed(page: &Page<'_>, siblings: &[Sibling<'_>]) -> Option<Diffed> {
    let mut compared = siblings.iter().map(|sibling| Compared::new(page, sibling));
    compared.find(|compared| compared.attempt.passed()).map(|compared| compared.of_blocks(page))
}

/// Diffs with the siblings of a page, in order, until one passes the gates.
pub(super) struct GatedDiff<'s, 'e> {
    /// Every comparison.
    pub(super) attempts: Vec<Attempt>,
    /// The sibling that passed, and its diff.
    pub(super) passed: Option<(&'s Sibling<'e>, Compared)>,
}

impl<'s, 'e> GatedDiff<'s, 'e> {
    pub(super) fn of_siblings(context: &'s PageContext<'_, 'e>) -> Self {
        let (mut attempts, mut passed) = (Vec::new(), None);
        for sibling in context.siblings() {
            if !context.charge(steps_of_diff(context.page().sequence(), sibling.sequence())) {
                break;
            }
            let compared = Compared::new(context.page(), sibling);
            attempts.push(compared.attempt.clone());
            if compared.attempt.passed() {
                passed = Some((sibling, compared));
                break;
            }
        }
        GatedDiff { attempts, passed }
    }
}

/// The steps of a diff: the elements of both, and the words of the alignment's table.
pub(super) fn steps_of_diff(page: &TagSequence<'_>, sibling: &TagSequence<'_>) -> u64 {
    let (left, right) = (page.elements().len(), sibling.elements().len());
    (left + right + left.saturating_mul(right).min(BUDGET) / CELLS_OF_STEP) as u64
}

/// Cells that the alignment fills in one step.
const CELLS_OF_STEP: usize = 64;

impl Extractor for TemplateDiff {
    /// Confidence is 0 if a gate failed. Otherwise it grows from a half to 1 with the smallest
    /// margin of the gates.
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        let sibling = context.siblings().next().ok_or(NoSibling)?;
        Ok(TemplateDiff::against(context.page(), sibling))
    }
}

/// The least share of elements with text that two pages of one template have in common. Calibration
/// (`tsrec-lab eval --method template --json` on the tuning pages, with and without `--strangers`):
/// 9 in 10 pages of one site have more, and fewer than 1 in 100 pages of different sites do.
const LEAST_COMMON: f64 = 0.1;
/// The greatest share of a page's long unlinked text that may be on its sibling too. Same
/// calibration: siblings are below it in 98 of 100 cases. A second view of the same article shares
/// nearly all.
const MOST_LONG_TEXT_COMMON: f64 = 0.5;
/// The least number of words of a content. Same calibration: 1 page in 50 has fewer.
const LEAST_WORDS: f64 = 25.0;
/// The greatest share of a page's words that may remain as content. Same calibration: no pair of
/// siblings has more.
const MOST_WORDS_LEFT: f64 = 0.98;
/// The value of each gate, in their order, from which there is no doubt. It is about the median of
/// pairs of siblings in the same calibration.
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

/// The confidence of a diff that only just passes its gates. Judgement.
const CONFIDENCE_AT_BOUND: f64 = 0.5;
