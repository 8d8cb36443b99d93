//! Maximum subsequence segmentation (MSS) over blocks: on the elements of the tag sequence instead
//! of tokens.
//!
//! This is ours. The tag sequence folds inline tags into their blocks. So a link or an emphasis in
//! a sentence costs no tag score, and an element's links count against it instead. Side matter is
//! left out if other text remains. On pages without a usable sibling it is well above simple MSS,
//! whenever that has low confidence.

use super::segment::{content, segment};
use super::{Elements, Extraction, Extractor, Method, NoSibling, PageContext};
use crate::page::Label;

/// Segmentation of a single page by its blocks. Linear in the page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blocks;

impl Extractor for Blocks {
    /// Confidence is the best run's share of the page's visible unlinked words.
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        let page = context.page();
        let elements = page.sequence().elements();
        let unsorted: Vec<Label> =
            elements.iter().map(|element| if element.hidden { Label::Hidden } else { Label::Content }).collect();
        let segmented = segment(page, &unsorted);
        let sequence = page.sequence();
        let words: u32 = sequence.visible().map(|index| sequence.word_counts()[index].free).sum();
        let confidence = if words == 0 { 0.0 } else { (segmented.value / f64::from(words)).clamp(0.0, 1.0) };
        let content = content(page, &segmented.labels);
        let elements = Some(Elements::without_partners(segmented.labels));
        Ok(Extraction { elements, ..Extraction::of_page(Method::MssBlocks, content, confidence) })
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
        let extraction = Blocks.extract(&PageContext::alone(&document)).unwrap();
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
