//! Common parts: sequence matching (Li et al. 2006, section 5.1).
//!
//! Two elements match if they have the same tag name and the same content. Hidden elements are
//! ignored: the paper's heuristic against its failure F2.
//!
//! The paper compares the content's text (figure 5, line 11) and leaves inline tags out, since
//! "extraction algorithms usually do not care" about them (section 4).
//! [`match_sequences_as_printed`] does that. Ours, [`match_sequences`], compares inline tags too: a
//! text that is a link on one page and not on the other is not the same. Text alone would change
//! its F1 by 0 to 0.0012 (`tsrec-lab eval --method template --no-fallback` on five sets), and would
//! change which siblings pass the gates of `auto`.

use super::align::{Alignment, BUDGET, align_hashes};
use super::edit;
use super::prepared::text_symbols;
use super::sequence::TagSequence;

/// The pairs of equal elements, by index into the two sequences. It finds the most pairs in order,
/// within `budget` ([`align::BUDGET`](super::align::BUDGET)).
pub fn match_sequences(page: &TagSequence<'_>, sibling: &TagSequence<'_>, budget: usize) -> Alignment {
    let alignment = align_hashes(&page.prepared().symbols, &sibling.prepared().symbols, budget);
    of_elements(page, sibling, alignment)
}

/// The pairs of elements with the same name and text, from the paper's own table ([`edit`]). Past
/// its limit they come from the alignment of [`match_sequences`], which is then not exact.
pub fn match_sequences_as_printed(page: &TagSequence<'_>, sibling: &TagSequence<'_>) -> Alignment {
    let (left, right) = (text_symbols(page), text_symbols(sibling));
    let within_limit = edit::align(&left, &right);
    let alignment = within_limit.unwrap_or_else(|| Alignment { exact: false, ..align_hashes(&left, &right, BUDGET) });
    of_elements(page, sibling, alignment)
}

/// An alignment of the visible elements, by index into the two sequences.
fn of_elements(page: &TagSequence<'_>, sibling: &TagSequence<'_>, alignment: Alignment) -> Alignment {
    let (page, sibling) = (page.prepared(), sibling.prepared());
    let both = |(i, j): (usize, usize)| (page.visible[i] as usize, sibling.visible[j] as usize);
    Alignment { pairs: alignment.pairs.into_iter().map(both).collect(), ..alignment }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::tsrec::build::tag_sequence;

    fn check(page: &str, sibling: &str, expect: &[(&str, &str)]) {
        check_by(|page, sibling| match_sequences(page, sibling, BUDGET), page, sibling, expect);
    }

    fn check_by(
        find: impl Fn(&TagSequence<'_>, &TagSequence<'_>) -> Alignment,
        page: &str,
        sibling: &str,
        expect: &[(&str, &str)],
    ) {
        let documents = [page, sibling].map(|p| parse(p.as_bytes(), None, &Default::default()));
        let [page, sibling] = [&documents[0], &documents[1]].map(tag_sequence);
        let alignment = find(&page, &sibling);
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
    fn the_paper_compares_names_and_texts_alone() {
        let check = |page, sibling, expect: &[_]| check_by(match_sequences_as_printed, page, sibling, expect);
        check("<p>c", "<p><b>c", &[("c", "c")]);
        check("<p>a b", "<p>a <b>b</b>", &[("a b", "a")]);
        check(
            "<ul><li><a href=/>Home</a><li>News</ul>",
            "<ul><li>Home<li><a href=/n>News</a></ul>",
            &[("Home", "Home"), ("News", "News")],
        );
        check("<p>a", "<div>a", &[]);
        check("<p>a", "<p>ab", &[]);
    }

    #[test]
    fn hidden_text_takes_no_part() {
        check("<p hidden>a</p><p>b", "<p hidden>a</p><p>b", &[("b", "b")]);
    }
}
