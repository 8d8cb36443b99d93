//! The text around the headline, where pages name their author and date.

use super::{Subject, fold};
use crate::analysis::{Analysis, Block};
use crate::html::document::NodeId;
use crate::html::{Document, strip_and_collapse};

/// How many blocks before and after the headline to examine. Judgement: kickers and dates come
/// before it; a standfirst, a caption, share buttons, byline and date after it.
const BEFORE: usize = 6;
const AFTER: usize = 16;
/// Words of a block of running text. After two such blocks the text has begun. Judgement.
pub(super) const RUNNING: u32 = 40;
/// Fewest and most words of a headline that is recognised in a block that is not a heading, by the
/// same text. With fewer it may be a label. Judgement.
const LEAST_WORDS: usize = 3;
const MOST_WORDS: usize = 40;

/// Most words of a date in boxes: a weekday, day, month and year.
const MOST_OF_DATE: u32 = 4;

/// The text around a page's headline.
#[derive(Debug, Default)]
pub(super) struct Near {
    /// Leaves in order, those before the headline first. The headline itself is left out.
    pub(super) pieces: Vec<NearLeaf>,
}

/// A leaf.
#[derive(Debug)]
pub(super) struct NearLeaf {
    /// Its text on one line.
    pub(super) text: String,
    /// Its node.
    pub(super) node: NodeId,
    /// True if it comes after the headline.
    pub(super) after: bool,
}

impl Near {
    /// What is around the headline, or around the first heading if the headline is not on the page.
    /// Linear.
    pub(super) fn from_subject(subject: &Subject<'_>, headline: Option<&str>) -> Near {
        let (document, analysis) = (subject.document, subject.analysis);
        let blocks = analysis.blocks();
        let folded = headline.map(fold).filter(|headline| !headline.is_empty());
        let is_headline = |block: &Block| {
            let text = fold(&text_of(document, analysis, block));
            folded.as_ref().is_some_and(|headline| text == *headline || text.starts_with(headline.as_str()))
        };
        let level = |block: &Block| analysis.heading_level(block);
        let seen = |block: &&Block| !block.hidden;
        let at = blocks
            .iter()
            .position(|block| !block.hidden && level(block).is_some_and(|level| level <= 2) && is_headline(block))
            // Some pages do not put their headline in a heading.
            .or_else(|| {
                let folded = folded.as_deref().filter(|headline| headline.split(' ').count() >= LEAST_WORDS)?;
                let words = |block: &Block| usize::try_from(block.text.words).unwrap_or(usize::MAX);
                // A kicker may stand before it.
                let ends_with = |text: &str| {
                    text.strip_suffix(folded).is_some_and(|kicker| kicker.is_empty() || kicker.ends_with(' '))
                };
                let same =
                    |block: &Block| words(block) <= MOST_WORDS && ends_with(&fold(&text_of(document, analysis, block)));
                blocks.iter().position(|block| !block.hidden && same(block))
            })
            .or_else(|| blocks.iter().position(|block| !block.hidden && level(block) == Some(1)));
        let Some(at) = at else { return Near::default() };
        let start = at.saturating_sub(BEFORE);
        let mut near = Near::default();
        let mut running = 0;
        for (number, block) in blocks.iter().enumerate().skip(start).take(at - start + AFTER + 1) {
            if !seen(&block) || number == at {
                continue;
            }
            if number > at && block.text.words >= RUNNING {
                running += 1;
                if running > 1 {
                    break;
                }
            }
            // The parts of a date may be in boxes: `<b>2</b><i>May</i><u>2026</u>`.
            let leaves = analysis.leaves_of(block);
            let first = leaves.first().filter(|_| leaves.len() > 1 && block.text.words <= MOST_OF_DATE);
            let in_boxes = first.and_then(|first| {
                let texts = leaves.iter().filter_map(|leaf| document.text(leaf.node)).map(str::trim);
                let is_date = |text: &str| super::date::find(text, false).is_some();
                let text = strip_and_collapse(&texts.clone().collect::<Vec<_>>().join(" ")).into_owned();
                (is_date(&text) && !texts.clone().any(is_date)).then_some(NearLeaf {
                    text,
                    node: first.node,
                    after: number > at,
                })
            });
            if let Some(date) = in_boxes {
                near.pieces.push(date);
                continue;
            }
            for leaf in leaves {
                let text = strip_and_collapse(document.text(leaf.node).unwrap_or_default()).into_owned();
                near.pieces.push(NearLeaf { text, node: leaf.node, after: number > at });
            }
        }
        near
    }

    /// True if an element, or its text, is near the headline.
    pub(super) fn holds(&self, document: &Document, node: NodeId) -> bool {
        self.place(document, node).is_some()
    }

    /// Whether an element near the headline comes after it; `None` if it is not near.
    pub(super) fn place(&self, document: &Document, node: NodeId) -> Option<bool> {
        let text =
            document.descendants(node).find(|&inner| document.text(inner).is_some_and(|text| !text.trim().is_empty()));
        self.pieces.iter().find(|piece| Some(piece.node) == text).map(|piece| piece.after)
    }
}

/// True of what is in a box of other texts, by the names of its classes.
pub(super) fn is_beside(document: &Document, node: NodeId) -> bool {
    const BOXES: [&str; 6] = ["related", "recommended", "recommendations", "popular", "trending", "teaser"];
    // Those of the page and its text say what they have besides.
    let is_box = |around: &NodeId| !matches!(document.name(*around), Some("html" | "body" | "main" | "article"));
    let classes = document.ancestors(node).filter(is_box).filter_map(|around| document.attribute(around, "class"));
    let mut words = classes.flat_map(|class| class.split(|c: char| !c.is_ascii_alphabetic()));
    words.any(|word| BOXES.iter().any(|name| word.eq_ignore_ascii_case(name)))
}

/// The text of a block.
pub(super) fn text_of(document: &Document, analysis: &Analysis, block: &Block) -> String {
    let leaves = analysis.leaves_of(block).iter().filter_map(|leaf| document.text(leaf.node));
    strip_and_collapse(&leaves.collect::<Vec<_>>().join("")).into_owned()
}
