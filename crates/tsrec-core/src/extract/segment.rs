//! Maximum subsequence segmentation over the elements of a tag sequence: finds where the content
//! begins and ends.
//!
//! Each element has a score. Candidates for content add their unlinked words and subtract their
//! linked ones. Template parts subtract all their words. Each element also costs a little, as each
//! tag does in simple MSS. The best run bounds the content. The headline before it is added, since
//! two pages of a template differ in it as regularly as in their teasers.

use std::ops::Range;

use super::Page;
use crate::html::Document;
use crate::learn::subsequence;
use crate::page::{Content, Label, Piece};
use crate::tsrec::{TagSequence, WordCounts};

/// The cost of an element with text: the tag score of simple MSS (Pasternack, Roth 2009). From 2 to
/// 4, the F1 of `tsrec-lab eval --method template` on the tuning pages is within 0.003.
const ELEMENT_COST: f64 = 3.25;
/// The cost of an element without text. It is less, since layout makes many of them. Same
/// calibration: flat from 0.5 to 2.
const EMPTY_COST: f64 = 1.0;
/// Side matter counts as template if the score without it is at least this share of the best score.
/// If next to nothing else is left, side matter is the topic of the page (comments in a forum, in a
/// live chat). Judgement.
const LEAST_WITHOUT_SIDES: f64 = 0.1;

/// The result of a segmentation.
pub(super) struct Segmented {
    /// The given labels, except that content elements outside the content are [`Label::Outside`].
    pub(super) labels: Vec<Label>,
    /// The sum of the best run's scores: at most the page's unlinked words.
    pub(super) value: f64,
}

/// Finds the bounds of the content. Linear.
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
    content_of(page.document, page.sequence(), labels)
}

/// The same, of any sequence of the document.
pub(super) fn content_of(document: &Document, sequence: &TagSequence<'_>, labels: &[Label]) -> Content {
    let kept = sequence.elements().iter().zip(labels).filter(|(_, label)| **label == Label::Content);
    Content::new(kept.flat_map(|(element, _)| sequence.text_nodes(element)).map(|node| Piece::whole(document, node)))
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

/// The headline: the last top-level heading before the end of the run that the sibling does not
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
