//! The template diff as it is printed (Li et al. 2006): the yardstick for what [`super::template`]
//! adds.
//!
//! The two steps of section 5 with the two heuristics of section 6 (the better column of its table
//! 1, R2), and nothing else:
//!
//! 1. common parts by the edit-distance table of figure 5 ([`crate::tsrec::edit`]), invisible text
//!    taken out before (F2);
//! 2. regular parts by grouping, compacting and the greedy matching of figures 8 to 10
//!    ([`crate::tsrec::regular`]), but that a group with a long run of text is not matched (F1);
//! 3. what is left is the content.
//!
//! No gate, no segmentation, no headline. The printed errors are mended as the modules of the steps
//! say. The paper leaves the length of a long run open ("a specific threshold"): it is that of our
//! own diff.

use super::comparison::Comparison;
use super::segment::content;
use super::{Attempt, Extraction, Extractor, Method, Page, Sibling};

/// The printed template diff against one sibling.
#[derive(Clone, Debug)]
pub struct TemplatePaper<'s> {
    sibling: Sibling<'s>,
}

impl<'s> TemplatePaper<'s> {
    /// A diff against this sibling.
    pub fn new(sibling: Sibling<'s>) -> Self {
        TemplatePaper { sibling }
    }
}

impl Extractor for TemplatePaper<'_> {
    /// The paper has no measure of confidence: 1 where something is left, else 0. Time and memory
    /// are those of the table, O(n · m).
    fn extract(&self, page: &Page<'_>) -> Extraction {
        let comparison = Comparison::printed(page.sequence(), self.sibling.sequence);
        let content = content(page, &comparison.labels);
        let confidence = if content.is_empty() { 0.0 } else { 1.0 };
        let attempt = Attempt { sibling: self.sibling.name.clone(), gates: Vec::new(), exact: comparison.exact };
        let found = Extraction::of_page(Method::TemplatePaper, content, confidence).labelled(comparison.labels);
        Extraction { attempts: vec![attempt], partners: comparison.partners, ..found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::render::text::text;
    use crate::tsrec::build::tag_sequence;

    const LONG: &str = "a run of more than twenty words that stands in one paragraph and has no link in it at all so that nobody could take it for a menu";

    fn check(page: &str, sibling: &str, expect: &str) {
        let documents = [page, sibling].map(|page| parse(page.as_bytes(), None, &Default::default()));
        let sibling = tag_sequence(&documents[1]);
        let diff = TemplatePaper::new(Sibling { name: "sibling".to_owned(), sequence: &sibling, memory: None });
        let extraction = diff.extract(&Page::new(&documents[0]));
        assert_eq!(text(&documents[0], &extraction.content), expect, "{page}");
    }

    #[test]
    fn common_and_regular_parts_go_and_the_rest_stays() {
        let long = LONG;
        check("", "", "");
        check(&format!("<h1>Site</h1><p>{long}"), "<h1>Site</h1><p>other", long);
        // A list that is built alike is regular, however long either is.
        check(&format!("<ul><li><a>x</a><li><a>y</a></ul><div>{long}</div>"), "<ul><li><a>z</a></ul><div>other", long);
        // A headline alone of its form goes with the regular parts: ours brings it back.
        check(&format!("<div><h2>New</h2></div><p>{long}"), "<div><h2>Old</h2></div><p>other", long);
    }

    #[test]
    fn a_group_with_a_long_text_is_not_matched() {
        check(&format!("<p>{LONG}<p>short"), "<p>other<p>text", &format!("{LONG}\n\nshort"));
    }
}
