//! Evidence from the position of a block on its page.

use super::column::{evidence, flag, log, share};
use super::reader::{EvidenceReader, PlaceTotal};
use crate::analysis::{Block, Container};

/// A block and its position. Values that several columns need are looked up once.
pub(super) struct Standing<'a> {
    page: &'a EvidenceReader<'a>,
    number: u32,
    block: &'a Block,
    place: PlaceTotal,
    title_overlap: f32,
    title_covered: f32,
}

evidence! { Position, |at: &Standing<'_>| {
    "by blocks", "blocks before it, as a share of the page's", share(at.number, at.page.total.blocks);
    "by words", "words before it, as a share of the page's", share(at.words_before(), at.page.total.words);
    "words before", "words before it (log)", log(at.words_before());
    "words after", "words after it (log)", log(at.page.total.words.saturating_sub(at.words_before() + at.block.text.words));
    "since h1", "words since the page's first h1; negative before it (log)", at.since_h1();
    "since heading", "words since the heading before it (log)", at.since_heading();
    "blocks since heading", "blocks since the heading before it", at.blocks_since_heading();
    "below dominant", "containers between it and the deepest one with 40 % of the page's unlinked words; negative where it stands outside", at.below(0);
    "dominant linked", "share of that one's words in links", at.dominant_linked(0);
    "dominant share", "share of the page's words in it", at.dominant_share(0);
    "below minor", "as below dominant, for 20 %", at.below(1);
    "below major", "as below dominant, for 70 %", at.below(2);
    "major linked", "share of the words in links, of that one", at.dominant_linked(2);
    "major share", "share of the page's words in that one", at.dominant_share(2);
    "major before", "1 where it stands before that one begins, -1 after it", at.beside(2);
    "title overlap", "share of its words that are in the title", at.title_overlap;
    "title covered", "share of the title's words that it has", at.title_covered;
    "is title", "1 where it is the title, or nearly", flag(at.title_overlap > 0.8 && at.title_covered > 0.5);
    "place blocks", "blocks at the same place of the page (log)", log(at.place.blocks);
    "place words", "words a block there", share(at.place.words, at.place.blocks);
    "place share", "share of the page's words there", share(at.place.words, at.page.total.words);
    "place linked", "share of its words in links", share(at.place.linked, at.place.words);
} }

impl<'a> Standing<'a> {
    pub(super) fn new(page: &'a EvidenceReader<'a>, number: u32, block: &'a Block) -> Self {
        let (title_overlap, title_covered) = beside_title(page, block);
        Standing { page, number, block, place: page.place(number), title_overlap, title_covered }
    }

    fn words_before(&self) -> u32 {
        self.page.analysis.words_before(self.block)
    }

    /// The number of words before another block of the page.
    fn words_before_block(&self, number: u32) -> u32 {
        self.page.analysis.words_before(&self.page.analysis.blocks()[number as usize])
    }

    fn since_h1(&self) -> f32 {
        let Some(h1) = self.page.first_h1 else { return f32::NAN };
        let (at, own) = (self.words_before_block(h1), self.words_before());
        if own >= at { log(own - at) } else { -log(at - own) }
    }

    fn since_heading(&self) -> f32 {
        let heading = self.page.heading(self.number);
        heading.map_or(f32::NAN, |heading| log(self.words_before() - self.words_before_block(heading)))
    }

    fn blocks_since_heading(&self) -> f32 {
        self.page.heading(self.number).map_or(f32::NAN, |heading| (self.number - heading) as f32)
    }

    fn below(&self, which: usize) -> f32 {
        let (dominant, flow) = (&self.page.dominant[which], self.page.analysis.container(self.block.flow));
        match dominant.holds(self.block.flow) {
            true => (flow.depth - self.dominant(which).depth) as f32,
            false => -(dominant.levels_to(self.block.container) as f32),
        }
    }

    fn dominant(&self, which: usize) -> &'a Container {
        self.page.analysis.container(self.page.dominant[which].number)
    }

    fn beside(&self, which: usize) -> f32 {
        let blocks = &self.dominant(which).blocks;
        flag(self.number < blocks.start) - flag(self.number >= blocks.end)
    }

    fn dominant_linked(&self, which: usize) -> f32 {
        let container = self.dominant(which);
        share(container.linked_words, container.text.words)
    }

    fn dominant_share(&self, which: usize) -> f32 {
        share(self.dominant(which).text.words, self.page.total.words)
    }
}

/// The share of a block's words that are in the title, and of the title's words that are in the
/// block. Absent if there is no title. O(n log n) in the words of the block, whatever the length of
/// the title.
fn beside_title(page: &EvidenceReader<'_>, block: &Block) -> (f32, f32) {
    let title = &page.title;
    if title.len() == 0 {
        return (f32::NAN, f32::NAN);
    }
    let words = page.analysis.words(block);
    let in_title = words.iter().copied().filter(|&word| title.has(word));
    let count = in_title.clone().count();
    let overlap = share(count as u32, words.len() as u32);
    // A long text may have the title's words by chance.
    if count == 0 || words.len() > 3 * title.len() + 8 {
        return (overlap, 0.0);
    }
    let mut covered: Vec<u32> = in_title.collect();
    covered.sort_unstable();
    covered.dedup();
    (overlap, share(covered.len() as u32, title.len() as u32))
}
