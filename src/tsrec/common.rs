//! Common parts: sequence matching (Li et al. 2006, section 5.1).
//!
//! Two elements match when they have the same tag name and the same content. Hidden elements take no part: the
//! paper's heuristic against its failure F2.

use std::collections::HashMap;

use super::align::{Alignment, BUDGET, align};
use super::edit;
use super::sequence::{Element, Inline, TagSequence};

/// The pairs of equal elements, by index into the two sequences: as many as can stand in order, within `budget`
/// ([`align::BUDGET`](super::align::BUDGET)).
pub fn match_sequences(page: &TagSequence<'_>, sibling: &TagSequence<'_>, budget: usize) -> Alignment {
    match_with(page, sibling, |left, right| align(left, right, budget))
}

/// The pairs of equal elements that the paper's own table finds ([`edit`]); past its bound, those of [`match_sequences`], and the
/// alignment is not exact.
pub fn match_sequences_as_printed(page: &TagSequence<'_>, sibling: &TagSequence<'_>) -> Alignment {
    match_with(page, sibling, |left, right| {
        edit::align(left, right).unwrap_or_else(|| Alignment { exact: false, ..align(left, right, BUDGET) })
    })
}

fn match_with(
    page: &TagSequence<'_>,
    sibling: &TagSequence<'_>,
    align: impl FnOnce(&[u32], &[u32]) -> Alignment,
) -> Alignment {
    let mut symbols = Interner::default();
    let (left, left_index) = symbols.visible(page);
    let (right, right_index) = symbols.visible(sibling);
    let Alignment { pairs, exact } = align(&left, &right);
    Alignment { pairs: pairs.into_iter().map(|(i, j)| (left_index[i], right_index[j])).collect(), exact }
}

/// Numbers elements so that two have the same number exactly when they are equal.
#[derive(Default)]
struct Interner<'s> {
    numbers: HashMap<Key<'s>, u32>,
}

impl<'s> Interner<'s> {
    /// The symbols of a sequence's visible elements, and where each stands in it.
    fn visible(&mut self, sequence: &'s TagSequence<'_>) -> (Vec<u32>, Vec<usize>) {
        sequence.visible().map(|index| (self.symbol(&sequence.elements[index]), index)).unzip()
    }

    fn symbol(&mut self, element: &'s Element<'_>) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(Key::of(element)).or_insert(next)
    }
}

/// What of an element is compared: its name, and its inline tags and texts. Where a text is a link's is told by the
/// `a` before it.
#[derive(PartialEq, Eq, Hash)]
struct Key<'s> {
    name: &'s str,
    content: Vec<Piece<'s>>,
}

#[derive(PartialEq, Eq, Hash)]
enum Piece<'s> {
    Tag(&'s str),
    Text(&'s str),
}

impl<'s> Key<'s> {
    fn of(element: &'s Element<'_>) -> Self {
        let content = element.content.iter().map(|piece| match piece {
            Inline::Tag(name) => Piece::Tag(name),
            Inline::Text { text, .. } => Piece::Text(text),
        });
        Key { name: &element.name, content: content.collect() }
    }
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
            .map(|&(i, j)| (&page.elements[i], &sibling.elements[j]))
            .filter_map(|(a, b)| Some((a.texts().next()?.0.to_owned(), b.texts().next()?.0.to_owned())))
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
