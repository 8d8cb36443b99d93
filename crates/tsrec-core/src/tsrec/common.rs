//! Common parts: sequence matching (Li et al. 2006, section 5.1).
//!
//! Two elements match when they have the same tag name and the same content. Hidden elements take
//! no part: the paper's heuristic against its failure F2.

use super::align::{Alignment, BUDGET, align_hashes};
use super::edit;
use super::sequence::TagSequence;

/// The pairs of equal elements, by index into the two sequences: as many as can stand in order,
/// within `budget` ([`align::BUDGET`](super::align::BUDGET)).
pub fn match_sequences(page: &TagSequence<'_>, sibling: &TagSequence<'_>, budget: usize) -> Alignment {
    match_with(page, sibling, |left, right| align_hashes(left, right, budget))
}

/// The pairs of equal elements that the paper's own table finds ([`edit`]); past its bound, those
/// of [`match_sequences`], and the alignment is not exact.
pub fn match_sequences_as_printed(page: &TagSequence<'_>, sibling: &TagSequence<'_>) -> Alignment {
    match_with(page, sibling, |left, right| {
        edit::align(left, right).unwrap_or_else(|| Alignment { exact: false, ..align_hashes(left, right, BUDGET) })
    })
}

fn match_with(
    page: &TagSequence<'_>,
    sibling: &TagSequence<'_>,
    align: impl FnOnce(&[u64], &[u64]) -> Alignment,
) -> Alignment {
    let (page, sibling) = (page.prepared(), sibling.prepared());
    let Alignment { pairs, exact } = align(&page.symbols, &sibling.symbols);
    let both = |(i, j): (usize, usize)| (page.visible[i] as usize, sibling.visible[j] as usize);
    Alignment { pairs: pairs.into_iter().map(both).collect(), exact }
}

#[cfg(test)]
mod tests {
    use crate::html::parse;
    use crate::tsrec::align::BUDGET;
    use crate::tsrec::build::tag_sequence;

    fn check(page: &str, sibling: &str, expect: &[(&str, &str)]) {
        let documents = [page, sibling].map(|p| parse(p.as_bytes(), None, &Default::default()));
        let [page, sibling] = [&documents[0], &documents[1]].map(tag_sequence);
        let alignment = super::match_sequences(&page, &sibling, BUDGET);
        let texts: Vec<(String, String)> = alignment
            .pairs
            .iter()
            .map(|&(i, j)| (page.texts(&page.elements()[i]).next(), sibling.texts(&sibling.elements()[j]).next()))
            .filter_map(|(a, b)| Some((a?.0.to_owned(), b?.0.to_owned())))
            .collect();
        let expect: Vec<(String, String)> = expect.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        assert_eq!(texts, expect);
    }

    #[test]
    fn equal_elements_match_in_order() {
        check("<h1>Site</h1><p>one<p>two", "<h1>Site</h1><p>two<p>three", &[("Site", "Site"), ("two", "two")]);
    }

    #[test]
    fn white_space_does_not_matter_but_tags_do() {
        check("<p>a  b</p><p>c", "<p> a\nb </p><p><b>c", &[("a b", "a b")]);
        check("<p>a", "<div>a", &[]);
    }

    #[test]
    fn hidden_text_takes_no_part() {
        check("<p hidden>a</p><p>b", "<p hidden>a</p><p>b", &[("b", "b")]);
    }
}
