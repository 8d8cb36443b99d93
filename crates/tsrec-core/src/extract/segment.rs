//! Maximum subsequence segmentation over the elements of a tag sequence: where the content begins
//! and ends.
//!
//! Each element scores: what may be content adds its unlinked words and takes away its linked ones,
//! template parts take away all their words, and each element costs a little, as each tag does in
//! simple MSS. The best run bounds the content; the headline before it is added, since two pages of
//! a template differ in it as regularly as in their teasers.

use std::ops::Range;

use super::Page;
use crate::learn::subsequence;
use crate::page::{Content, Label, Piece};
use crate::tsrec::{TagSequence, WordCounts};

/// What an element with text costs: the tag score of simple MSS (Pasternack, Roth 2009). The F1 of
/// `tsrec-lab eval --method template` on the tuning pages is within 0.003 from 2 to 4.
const ELEMENT_COST: f64 = 3.25;
/// What an element without text costs: less, since layout makes many of them. Calibrated likewise,
/// flat from 0.5 to 2.
const EMPTY_COST: f64 = 1.0;
/// The least share of the best score that must remain when side matter is taken for template: where
/// next to nothing else is left, it is what the page is about (comments in a forum, in a live
/// chat). Judgement.
const LEAST_WITHOUT_SIDES: f64 = 0.1;

/// What a segmentation found.
pub(super) struct Segmented {
    /// The labels as given, but that elements labelled content that lie outside the content are
    /// [`Label::Outside`].
    pub(super) labels: Vec<Label>,
    /// The sum of the best run's scores: at most the page's unlinked words.
    pub(super) value: f64,
}

/// Bounds the content. Linear.
pub(super) fn segment(page: &Page<'_>, labels: &[Label]) -> Segmented {
    let (elements, words) = (page.sequence().elements(), page.sequence().word_counts());
    let sides: Vec<bool> = elements.iter().map(|element| page.analysis.is_side_matter(element.node)).collect();
    let (everywhere, most) = best_run(words, labels, |_| false);
    let (elsewhere, rest) = match sides.contains(&true) {
        true => best_run(words, labels, |index| sides[index]),
        false => (everywhere.clone(), most),
    };
    let (run, value, without_sides) = match rest >= LEAST_WITHOUT_SIDES * most {
        true => (elsewhere, rest, true),
        false => (everywhere, most, false),
    };
    let kept = |index: usize| run.contains(&index) && !(without_sides && sides[index]);
    let mut segmented: Vec<Label> = labels
        .iter()
        .enumerate()
        .map(|(index, &label)| if label == Label::Content && !kept(index) { Label::Outside } else { label })
        .collect();
    if let Some(headline) = headline(page.sequence(), labels, &run) {
        segmented[headline] = Label::Content;
    }
    Segmented { labels: segmented, value }
}

/// The text of the elements labelled content.
pub(super) fn content(page: &Page<'_>, labels: &[Label]) -> Content {
    let sequence = page.sequence();
    let kept = sequence.elements().iter().zip(labels).filter(|(_, label)| **label == Label::Content);
    Content::new(
        kept.flat_map(|(element, _)| sequence.text_nodes(element)).map(|node| Piece::whole(page.document, node)),
    )
}

/// The run with the greatest sum of scores, and that sum.
fn best_run(words: &[WordCounts], labels: &[Label], is_side: impl Fn(usize) -> bool) -> (Range<usize>, f64) {
    let scores = words.iter().zip(labels).enumerate().map(|(index, (words, label))| {
        let (free, linked) = (f64::from(words.free), f64::from(words.linked));
        match label {
            Label::Hidden => 0.0,
            _ if free + linked == 0.0 => -EMPTY_COST,
            Label::Content if !is_side(index) => free - linked - ELEMENT_COST,
            _ => -free - linked - ELEMENT_COST,
        }
    });
    subsequence::maximum(scores).unwrap_or((0..0, 0.0))
}

/// The headline: the last top-level heading up to the end of the run that the sibling does not
/// share.
fn headline(sequence: &TagSequence<'_>, labels: &[Label], run: &Range<usize>) -> Option<usize> {
    let elements = sequence.elements();
    let is_headline = |&index: &usize| {
        &*elements[index].name == "h1"
            && matches!(labels[index], Label::Content | Label::Regular)
            && sequence.has_text(&elements[index])
    };
    (0..run.end).rev().find(is_headline)
}
