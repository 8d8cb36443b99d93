//! Precision and recall over text segments (Luo et al. 2009, section 5, equation 4).
//!
//! Gold text says which words are content. So a segment belongs to the gold if more than half of
//! its words do, and to an extraction if more than half of its words are kept. Segments without
//! words are not counted. This works for any method.

use serde::Serialize;

use tsrec_core::html::Document;
use tsrec_core::page::{Content, Gold};
use tsrec_papers::block::segments::Segment;

/// The counts of one page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PageSegments {
    /// |S_p|: segments extracted.
    pub extracted: usize,
    /// |S_l|: segments of the gold.
    pub gold: usize,
    /// Segments in both.
    pub both: usize,
}

impl PageSegments {
    /// |S_p ∩ S_l| / |S_p|; 0 when nothing was extracted.
    pub fn precision(&self) -> f64 {
        self.both as f64 / self.extracted.max(1) as f64
    }

    /// |S_p ∩ S_l| / |S_l|; 0 when the gold is empty.
    pub fn recall(&self) -> f64 {
        self.both as f64 / self.gold.max(1) as f64
    }
}

/// The means over a set's pages, with equal weight for each page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SetSegments {
    /// Number of measured pages: those with a segment in their gold.
    pub pages: usize,
    /// Mean [`PageSegments::precision`].
    pub precision: f64,
    /// Mean [`PageSegments::recall`].
    pub recall: f64,
}

/// Counts a page's segments. `None` if none belongs to the gold. Linear in the page.
pub fn score(document: &Document, segments: &[Segment], gold: &Gold, content: &Content) -> Option<PageSegments> {
    let mut pieces = vec![0..0; document.len()];
    for piece in content.pieces() {
        pieces[piece.node.index()] = piece.range.clone();
    }
    // For each text node: words, words of the gold, extracted words.
    let mut words = vec![[0usize; 3]; document.len()];
    for word in &gold.words {
        let piece = &pieces[word.node.index()];
        let is_extracted = piece.start <= word.range.start && word.range.end <= piece.end;
        for (count, counts) in words[word.node.index()].iter_mut().zip([true, word.kept, is_extracted]) {
            *count += usize::from(counts);
        }
    }
    let mut page = PageSegments::default();
    for segment in segments {
        let of = |kind: usize| segment.texts.iter().map(|text| words[text.index()][kind]).sum::<usize>();
        let (is_gold, is_extracted) = (2 * of(1) > of(0), 2 * of(2) > of(0));
        page.gold += usize::from(is_gold);
        page.extracted += usize::from(is_extracted);
        page.both += usize::from(is_gold && is_extracted);
    }
    (page.gold > 0).then_some(page)
}

/// The means over a set's pages.
pub fn mean(pages: &[PageSegments]) -> SetSegments {
    let mean = |value: fn(&PageSegments) -> f64| pages.iter().map(value).sum::<f64>() / pages.len().max(1) as f64;
    SetSegments { pages: pages.len(), precision: mean(PageSegments::precision), recall: mean(PageSegments::recall) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::gold::align;
    use tsrec_core::html::parse;
    use tsrec_core::page::Piece;
    use tsrec_papers::block::segments::segments;
    use tsrec_papers::style::compute;

    #[test]
    fn segments_count_by_most_of_their_words() {
        let page = "<p>menu item here<p>one two three four<p>five six <b>seven</b> eight<p>-<p>foot note</p>";
        let document = parse(page.as_bytes(), None, &Default::default());
        let segments = segments(&document, &compute(&document));
        let text_with = |word: &str| {
            let mut texts = document.descendants(document.root());
            texts.find(|&id| document.text(id).is_some_and(|text| text.contains(word))).unwrap()
        };
        let content = |words: &[&str]| Content::new(words.iter().map(|word| Piece::whole(&document, text_with(word))));
        for (gold, extracted, expect) in [
            ("one two three four five six seven", &["one", "seven"][..], Some((1, 2, 1))),
            ("one two three four five six seven", &["menu", "one", "five", "seven"], Some((3, 2, 2))),
            ("one two three four", &["foot"], Some((1, 1, 0))),
            ("one two three four", &[], Some((0, 1, 0))),
            ("", &["foot"], None),
        ] {
            let page = score(&document, &segments, &align(&document, gold), &content(extracted));
            assert_eq!(page.map(|page| (page.extracted, page.gold, page.both)), expect, "{gold} / {extracted:?}");
        }
    }

    #[test]
    fn every_page_counts_the_same() {
        let pages =
            [PageSegments { extracted: 4, gold: 2, both: 2 }, PageSegments { extracted: 0, gold: 100, both: 0 }];
        assert_eq!(mean(&pages), SetSegments { pages: 2, precision: 0.25, recall: 0.5 });
        assert_eq!(mean(&[]).recall, 0.0);
    }
}
