//! Maximum subsequence segmentation over blocks: MSS on the elements of the tag sequence in place
//! of tokens.
//!
//! Ours. The tag sequence folds inline tags into their blocks, so that a link or an emphasis in a
//! sentence costs no tag score, and an element's links count against it instead; side matter is
//! left out where there is something else. On pages without a usable sibling it stands well above
//! simple MSS wherever that is unsure of itself.

use super::segment::{content, segment};
use super::{Extraction, Extractor, Method, Page};
use crate::page::Label;

/// Segmentation of one page alone, by its blocks. Linear in the page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blocks;

impl Extractor for Blocks {
    /// Confidence is the best run's share of the page's visible unlinked words.
    fn extract(&self, page: &Page<'_>) -> Extraction {
        let elements = page.sequence().elements();
        let unsorted: Vec<Label> =
            elements.iter().map(|element| if element.hidden { Label::Hidden } else { Label::Content }).collect();
        let segmented = segment(page, &unsorted);
        let sequence = page.sequence();
        let words: u32 = sequence.visible().map(|index| sequence.word_counts()[index].free).sum();
        let confidence = if words == 0 { 0.0 } else { (segmented.value / f64::from(words)).clamp(0.0, 1.0) };
        let content = content(page, &segmented.labels);
        Extraction::of_page(Method::MssBlocks, content, confidence).labelled(segmented.labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::render::text::text;

    const LONG: &str = "one two three four five six seven eight nine ten eleven twelve";

    fn check(page: &str, expect: &str) {
        let document = parse(page.as_bytes(), None, &Default::default());
        let extraction = Blocks.extract(&Page::new(&document));
        assert_eq!(text(&document, &extraction.content), expect, "{page}");
    }

    #[test]
    fn the_run_of_blocks_is_found_with_its_headline() {
        check("", "");
        check(
            &format!(
                "<h1>Title</h1><ul><li><a>x y</a><li><a>z</a></ul><p>{LONG} <a>a</a> <i>b</i><p>{LONG}<p><a>c d e</a>"
            ),
            &format!("Title\n\n{LONG} a b\n\n{LONG}"),
        );
    }

    #[test]
    fn side_matter_goes_unless_it_is_all_there_is() {
        let comments = format!("<div id=comments><p>{LONG}</p><p>{LONG}</p></div>");
        check(&format!("<p>{LONG}</p>{comments}"), LONG);
        check(&comments, &format!("{LONG}\n\n{LONG}"));
        check(
            &format!("<p>{LONG} {LONG}<aside>{LONG}</aside><p>{LONG} {LONG}"),
            &format!("{LONG} {LONG}\n\n{LONG} {LONG}"),
        );
    }
}
