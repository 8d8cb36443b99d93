//! A vote of three methods that judge a page in different ways.
//!
//! This is our own method. Segmentation over blocks ([`Blocks`]) weighs words against links. The
//! naive Bayes classifier ([`Supervised`]) knows the words around articles. The conditional random
//! field ([`Crf`]) knows the shape of articles. They err on different pages. What two of them keep
//! is right more often than what one keeps: see `EVALUATION.md`.
//!
//! The trained two have learned articles, and cut lists, tables and reference pages short. So the
//! result is that of the blocks if they find no article, or if the vote keeps little of what they
//! find.

use std::ops::Range;
use std::sync::LazyLock;

use super::crf::{self, BadModel, Crf};
use super::model::AnyModel;
use super::mss::article::ArticleJudgement;
use super::mss::model::{Recipe, Setting};
use super::mss::supervised::Supervised;
use super::mss::train::MssLearner;
use crate::mss;
use tsrec_core::extract::blocks::Blocks;
use tsrec_core::extract::{Extraction, Extractor, Method, NoSibling, Page, PageContext};
use tsrec_core::page::{Content, Piece};
use tsrec_core::words;

/// The majority of three.
const MAJORITY: usize = 2;

/// The share of the blocks' words that the vote must keep. Calibration on sites that no model saw:
/// values from 0.2 to 0.5 differ by 0.002 in the mean over the tuning sets, and are 0.009 above the
/// vote alone.
const LEAST_KEPT: f64 = 1.0 / 3.0;

/// The training of the classifier among the three. Calibration: see `src/models/README.md`.
pub const MSS: MssLearner = MssLearner { setting: Setting::Article, recipe: Recipe::Transfer, most_features: 30_000 };

/// The vote, with its two models.
#[derive(Clone, Debug)]
pub struct Vote {
    supervised: Supervised,
    crf: Crf,
}

static SHIPPED: LazyLock<Vote> = LazyLock::new(|| {
    let model = |method| AnyModel::shipped(method).map(|(_, model)| model);
    match (model(Method::Supervised), model(Method::Crf)) {
        (Some(AnyModel::Mss(mss)), Some(AnyModel::Crf(crf))) => {
            Vote::new(mss, &crf).expect("a test uses the models that ship")
        }
        _ => unreachable!("both methods take a model"),
    }
});

impl Vote {
    /// Creates the vote with these models.
    ///
    /// # Errors
    ///
    /// See [`Crf::new`].
    pub fn new(mss: mss::model::MssModel, crf: &crf::CrfModel) -> Result<Vote, BadModel> {
        Ok(Vote { supervised: Supervised::new(mss), crf: Crf::new(crf)? })
    }

    /// The vote with the shipped models, which are read at the first use.
    pub fn shipped() -> &'static Vote {
        &SHIPPED
    }
}

impl Extractor for Vote {
    /// Confidence is agreement: of the words that any of the three keeps, the share that most of
    /// them keep.
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        let page = context.page();
        let blocks = Blocks.extract(context)?;
        if !ArticleJudgement::new(page.document(), &blocks.content).is_article() {
            return Ok(blocks);
        }
        let (supervised, crf) = (self.supervised.extract(context)?, self.crf.extract(context)?);
        let (content, confidence) = agreed(page, [&blocks.content, &supervised.content, &crf.content]);
        let kept = content.words(page.document()) as f64;
        if kept < LEAST_KEPT * blocks.content.words(page.document()) as f64 {
            return Ok(blocks);
        }
        Ok(Extraction::of_page(Method::Vote, content, confidence))
    }
}

/// The content that most opinions keep, and its share of what any keeps. For side matter the
/// blocks' opinion, the first, has a veto: only the blocks know side matter. Linear in the page.
fn agreed(page: &Page<'_>, opinions: [&Content; 3]) -> (Content, f64) {
    let document = page.document();
    let mut by_blocks = vec![false; document.len()];
    opinions[0].pieces().iter().for_each(|piece| by_blocks[piece.node.index()] = true);
    let mut kept: Vec<Vec<&Range<usize>>> = vec![Vec::new(); document.len()];
    for piece in opinions.iter().flat_map(|opinion| opinion.pieces()) {
        kept[piece.node.index()].push(&piece.range);
    }
    let (mut pieces, mut any) = (Vec::new(), 0);
    for node in document.descendants(document.root()) {
        let (Some(text), ranges) = (document.text(node), &kept[node.index()]) else { continue };
        any += reached(ranges, 1).map_or(0, |range| words::count(&text[range]));
        let most =
            reached(ranges, MAJORITY).filter(|_| by_blocks[node.index()] || !page.analysis().is_side_matter(node));
        pieces.extend(most.map(|range| Piece { node, range }));
    }
    let content = Content::new(pieces);
    let share = if any == 0 { 0.0 } else { (content.words(document) as f64 / any as f64).min(1.0) };
    (content, share)
}

/// The range from where `count` of the ranges have begun to where fewer go on.
fn reached(ranges: &[&Range<usize>], count: usize) -> Option<Range<usize>> {
    let mut starts: Vec<usize> = ranges.iter().map(|range| range.start).collect();
    let mut ends: Vec<usize> = ranges.iter().map(|range| range.end).collect();
    starts.sort_unstable();
    ends.sort_unstable_by(|a, b| b.cmp(a));
    let (start, end) = (*starts.get(count - 1)?, *ends.get(count - 1)?);
    (start < end).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_of_three_keep_is_kept() {
        for (ranges, any, most) in [
            (vec![], None, None),
            (vec![0..5, 2..9], Some(0..9), Some(2..5)),
            (vec![0..5, 2..9, 3..4], Some(0..9), Some(2..5)),
            (vec![0..2, 7..9], Some(0..9), None),
        ] {
            let ranges: Vec<&Range<usize>> = ranges.iter().collect();
            assert_eq!((reached(&ranges, 1), reached(&ranges, MAJORITY)), (any, most), "{ranges:?}");
        }
    }

    #[test]
    fn an_article_is_voted_on_and_a_list_is_not() {
        let extracted = |page: &str| {
            let document = tsrec_core::html::parse(page.as_bytes(), None, &Default::default());
            let extraction = Vote::shipped().extract(&PageContext::alone(&document)).unwrap();
            (extraction.method, tsrec_core::render::text::text(&document, &extraction.content))
        };
        let paragraph = "<p>The ferry to the island sails again on Monday, said the harbour master. She has a new engine and a \
                         coat of paint. Tickets are sold on board, as they have always been. Dogs travel free of charge.</p>";
        let menu = "<ul><li><a href=a>News</a><li><a href=b>Culture</a><li><a href=c>About us</a></ul>";
        let (method, found) =
            extracted(&format!("<title>x</title>{menu}<div><h1>The ferry</h1>{}</div>{menu}", paragraph.repeat(4)));
        assert_eq!(
            (method, found.contains("engine"), found.contains("Culture")),
            (Method::Vote, true, false),
            "{found}"
        );
        let (method, found) =
            extracted(&format!("<table>{}</table>", "<tr><td>a thing of beauty<td>twelve</tr>".repeat(9)));
        assert_eq!((method, found.contains("beauty")), (Method::MssBlocks, true), "{found}");
    }
}
