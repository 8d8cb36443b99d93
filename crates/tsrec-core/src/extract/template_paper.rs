//! The template diff as printed (Li et al. 2006): the baseline for the additions in
//! [`super::template`].
//!
//! It has the two steps of section 5, with or without the two heuristics of section 6, and nothing
//! else:
//!
//! 1. common parts by the edit-distance table of figure 5 ([`crate::tsrec::edit`]), after removal
//!    of invisible text (F2);
//! 2. regular parts by grouping, compacting and the greedy matching of figures 8 to 10
//!    ([`crate::tsrec::regular`]), except that a group with a long run of text is not matched (F1);
//! 3. the rest is the content.
//!
//! There is no gate, no segmentation, and no headline. The modules of the steps say how they
//! correct the printed errors.
//!
//! The paper is silent about two points of F1. It leaves the length of a long run open ("a specific
//! threshold"); we use the one of our own diff. It does not say where in a group the run stands; we
//! look at all that the group holds, since a group is matched as a whole.

use std::borrow::Cow;
use std::collections::HashMap;

use super::comparison::Comparison;
use super::segment::content_of;
use super::{Attempt, Elements, Extraction, Extractor, Method, NoSibling, Page, PageContext, Sibling};
use crate::html::NodeId;
use crate::page::Label;
use crate::tsrec::build::sequence_with_hidden;
use crate::tsrec::{ANONYMOUS, Element, TagSequence};

/// The printed template diff against the first sibling.
#[derive(Clone, Copy, Debug, Default)]
pub struct TemplatePaper {
    /// Which heuristics it uses.
    pub heuristics: Heuristics,
}

/// The heuristics of section 6. The paper's table 1 has a column for each choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heuristics {
    /// Column R1: none. Long texts can be regular. Hidden text is compared, and what is left of it
    /// is content.
    Without,
    /// Column R2: both. A group with a long text is not matched (F1), and hidden text is removed
    /// first (F2).
    #[default]
    Both,
}

impl Extractor for TemplatePaper {
    /// The paper has no measure of confidence: it is 1 if some content is left, else 0. Time and
    /// memory are those of the table, O(n · m).
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        let (page, sibling) = (context.page(), context.siblings().next().ok_or(NoSibling)?);
        let (own, other) = self.heuristics.sequences(page, sibling);
        let comparison = Comparison::printed(&own, &other, self.heuristics == Heuristics::Both);
        let content = content_of(page.document(), &own, &comparison.labels);
        let confidence = if content.is_empty() { 0.0 } else { 1.0 };
        let name = sibling.name().to_owned();
        let attempts = vec![Attempt { sibling: name, gates: Vec::new(), exact: comparison.exact }];
        let shown = in_compared(page.sequence(), &own);
        let mut of_sibling = vec![None; other.elements().len()];
        for (index, at) in in_compared(sibling.sequence(), &other).into_iter().enumerate() {
            at.into_iter().for_each(|at| of_sibling[at] = Some(index));
        }
        let label = |index: usize| shown[index].map_or(Label::Outside, |at: usize| comparison.labels[at]);
        let labels = page.labels(&content, label);
        let partners = shown.iter().map(|at| of_sibling[comparison.partners[(*at)?]?]).collect();
        let elements = Elements { labels, partners };
        let elements = Some(elements);
        Ok(Extraction { attempts, elements, ..Extraction::of_page(Method::TemplatePaper, content, confidence) })
    }
}

impl Heuristics {
    /// The sequences to compare.
    fn sequences<'p>(
        self,
        page: &'p Page<'_>,
        sibling: &'p Sibling<'_>,
    ) -> (Cow<'p, TagSequence<'p>>, Cow<'p, TagSequence<'p>>) {
        match self {
            Heuristics::Both => (Cow::Borrowed(page.sequence()), Cow::Borrowed(sibling.sequence())),
            Heuristics::Without => {
                // Of a sibling that is only a sequence, hidden text is gone.
                let of_sibling = sibling.document().map(sequence_with_hidden);
                let of_sibling = of_sibling.map_or(Cow::Borrowed(sibling.sequence()), Cow::Owned);
                (Cow::Owned(sequence_with_hidden(page.document())), of_sibling)
            }
        }
    }
}

/// For each element of a page's own sequence, which reports show, its index in the compared one,
/// which may have hidden elements, too. Linear.
fn in_compared(shown: &TagSequence<'_>, compared: &TagSequence<'_>) -> Vec<Option<usize>> {
    let places = compared.elements().iter().enumerate();
    let places: HashMap<NodeId, usize> = places.map(|(at, element)| (key(compared, element), at)).collect();
    shown.elements().iter().map(|element| places.get(&key(shown, element)).copied()).collect()
}

/// A node that no other element of the sequence has.
fn key(sequence: &TagSequence<'_>, element: &Element) -> NodeId {
    match &*element.name {
        ANONYMOUS => sequence.text_nodes(element).next().unwrap_or(element.node),
        _ => element.node,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Extract;
    use crate::html::parse;

    const LONG: &str = "a run of more than twenty words that stands in one paragraph and has no link in it at all so that nobody could take it for a menu";

    fn check(page: &str, sibling: &str, expect: &str) {
        check_with(Heuristics::Both, page, sibling, expect);
    }

    /// Also returns the labels, without those of `html` and `body`.
    fn check_with(heuristics: Heuristics, page: &str, sibling: &str, expect: &str) -> Vec<Label> {
        let documents = [page, sibling].map(|page| parse(page.as_bytes(), None, &Default::default()));
        let method = TemplatePaper { heuristics };
        let diff = Extract::new(&documents[0]).sibling("sibling", &documents[1]).method(method).run().unwrap();
        assert_eq!(diff.text(), expect, "{page}");
        diff.extraction().labels(diff.page())[2..].to_vec()
    }

    #[test]
    fn common_and_regular_parts_go_and_the_rest_stays() {
        let long = LONG;
        check("", "", "");
        check(&format!("<h1>Site</h1><p>{long}"), "<h1>Site</h1><p>other", long);
        // A list that is built alike is regular, whatever its length.
        check(&format!("<ul><li><a>x</a><li><a>y</a></ul><div>{long}</div>"), "<ul><li><a>z</a></ul><div>other", long);
        // A headline that is the only one of its form goes with the regular parts. Our diff
        // restores it.
        check(&format!("<div><h2>New</h2></div><p>{long}"), "<div><h2>Old</h2></div><p>other", long);
    }

    #[test]
    fn a_group_with_a_long_text_is_not_matched() {
        check(&format!("<p>{LONG}<p>short"), "<p>other<p>text", &format!("{LONG}\n\nshort"));
        // At any depth.
        let nested = |by: &str, text: &str| format!("<div>By {by}<p>{text}</p></div>");
        let other = format!("{LONG} on the quay");
        check(&nested("Ann", LONG), &nested("Bob", &other), &format!("By Ann\n\n{LONG}"));
        check(&nested("Ann", LONG), &nested("Bob", "short"), &format!("By Ann\n\n{LONG}"));
        check(&nested("Ann", "short"), &nested("Bob", &other), "By Ann\n\nshort");
        check(&nested("Ann", "short"), &nested("Bob", "brief"), "");
    }

    #[test]
    fn a_group_with_a_long_text_does_not_move_on_the_search() {
        // If the long text were matched, the list before it on the sibling would be passed over.
        let page = |first: &str, second: &str| {
            format!("<main>{first}</main><h6>Site</h6><h6>News</h6><aside>{second}</aside>")
        };
        let (text, other_text) = (format!("<div>{LONG}</div>"), format!("<div>{LONG} indeed</div>"));
        check(&page(&text, "<ul><li><a>x</a></ul>"), &page("<ul><li><a>y</a></ul>", &other_text), LONG);
    }

    #[test]
    fn without_heuristics_a_long_text_can_be_regular() {
        let page = format!("<h1>Site</h1><p>{LONG}");
        let labels = |heuristics, expect| check_with(heuristics, &page, "<h1>Site</h1><p>other", expect);
        assert_eq!(labels(Heuristics::Both, LONG), [Label::Common, Label::Content]);
        assert_eq!(labels(Heuristics::Without, ""), [Label::Common, Label::Regular]);
    }

    #[test]
    fn without_heuristics_hidden_text_takes_part() {
        let page = "<ul hidden><li>menu</ul><div><h2>one</h2><p>two<span hidden>three</span></div>tail";
        let labels = |heuristics, expect| check_with(heuristics, page, "<div><p>other</div>", expect);
        let both = labels(Heuristics::Both, "one\n\ntwo\n\ntail");
        assert_eq!(both[..2], [Label::Hidden; 2]);
        let without = labels(Heuristics::Without, "menu\n\none\n\ntwothree\n\ntail");
        assert_eq!(without[..2], [Label::Hidden, Label::Content], "the list itself has no text");
        assert_eq!(both[2..], without[2..]);
    }
}
