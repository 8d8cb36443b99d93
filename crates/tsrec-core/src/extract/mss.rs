//! Simple maximum subsequence segmentation: baseline 2 of Pasternack and Roth 2009 (section 6.2.2).
//!
//! Every tag scores −3.25, and every word or symbol +1. The content is the run of tokens with the
//! greatest sum. The block found is then cleaned (section 4.2). Cleaning removes the contents of
//! every `iframe` and `table`, and of every `div` that holds a link, an `iframe`, a `table`, an
//! image or an embedded object. Only pairs with both tags in the block count. Cleaning comes before
//! the dangling tags are closed, since the other order removes the article with the `div` around
//! it. The result is always well-formed, since kept text stays at its place in the tree.

pub mod clean;

use self::clean::clean;
use super::{Extraction, Extractor, Method, NoSibling, PageContext};
use crate::block::tokens::{BlockToken, tokens};
use crate::learn::subsequence;
use crate::page::Content;

/// Simple MSS. Linear in the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mss {
    /// The score of a tag. A word or symbol scores 1.
    pub tag_score: f64,
    /// How many runs are kept: the best that do not touch (Ruzzo, Tompa 1999). Use more than one
    /// for a page of several articles.
    pub runs: usize,
}

impl Mss {
    /// The paper's tag score, tuned there on its evaluation pages. Any value from −4.99 to −2.14
    /// works nearly as well.
    pub const TAG_SCORE: f64 = -3.25;
}

impl Default for Mss {
    fn default() -> Self {
        Mss { tag_score: Self::TAG_SCORE, runs: 1 }
    }
}

impl Extractor for Mss {
    /// Confidence is the runs' share of the page's words and symbols, minus the cost of their tags.
    /// It is near 1 if nearly all text is in one place with few tags, and near 0 if text is
    /// scattered.
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        let page = context.page();
        let tokens = tokens(page.document);
        let score = |token: &BlockToken| if token.is_tag() { self.tag_score } else { 1.0 };
        let mut best = subsequence::k_best(tokens.iter().map(score), self.runs);
        best.sort_by_key(|(range, _)| range.start);
        let blocks = best.iter().map(|(range, _)| clean(page.document, &tokens[range.clone()]));
        let content = Content::new(blocks.flat_map(Content::into_pieces));
        let words = tokens.iter().filter(|token| !token.is_tag()).count();
        let value: f64 = best.iter().map(|(_, value)| value).sum();
        Ok(Extraction::of_page(Method::Mss, content, value / words.max(1) as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::render::text::text;

    fn check(page: &str, expect: &str) {
        let document = parse(page.as_bytes(), None, &Default::default());
        let extraction = Mss::default().extract(&PageContext::alone(&document)).unwrap();
        assert_eq!(text(&document, &extraction.content), expect, "{page}");
        assert!((0.0..=1.0).contains(&extraction.confidence));
    }

    const LONG: &str = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen";

    #[test]
    fn the_run_of_text_is_found() {
        check("", "");
        check("<p>", "");
        check(
            &format!("<ul><li><a>x</a><li><a>y</a></ul><p>{LONG}<p>{LONG}</p><ul><li><a>z</a></ul>"),
            &format!("{LONG}\n\n{LONG}"),
        );
    }

    #[test]
    fn several_runs_come_in_their_order() {
        let menu = "<ul><li><a>x</a><li><a>y</a><li><a>z</a></ul>";
        let page = format!("<p>{LONG}</p>{menu}<p>a {LONG} b</p>{menu}<p>{LONG} c</p>");
        for (runs, expect) in [
            (1, format!("a {LONG} b")),
            (2, format!("a {LONG} b\n\n{LONG} c")),
            (3, format!("{LONG}\n\na {LONG} b\n\n{LONG} c")),
        ] {
            let document = parse(page.as_bytes(), None, &Default::default());
            let extraction = Mss { runs, ..Mss::default() }.extract(&PageContext::alone(&document)).unwrap();
            assert_eq!(text(&document, &extraction.content), expect, "{runs}");
        }
    }

    #[test]
    fn cleaning_takes_only_pairs_inside_the_block() {
        // The outer `div` begins before the block does, so it stays. The inner ones go.
        check(
            &format!(
                "<div><a>x</a><p>{LONG}<table><tr><td>{LONG}</table><div>{LONG}<img></div><div>{LONG}</div><p>{LONG}</p></div>"
            ),
            &format!("{LONG}\n\n{LONG}\n\n{LONG}"),
        );
    }
}
