//! Evidence of where a block stands on its page.

use super::column::{evidence, flag, log, share};
use super::reader::Reader;
use crate::analysis::Block;

evidence! { Position, |page: &Reader<'_>, number: u32, block: &Block| {
    "by blocks", "blocks before it, as a share of the page's", share(number, page.total.blocks);
    "by words", "words before it, as a share of the page's", share(page.analysis.words_before(block), page.total.words);
    "words before", "words before it (log)", log(page.analysis.words_before(block));
    "words after", "words after it (log)", log(page.total.words.saturating_sub(page.analysis.words_before(block) + block.text.words));
    "since h1", "words since the page's first h1; negative before it (log)", since_h1(page, block);
    "since heading", "words since the heading before it (log)", since_heading(page, number, block);
    "blocks since heading", "blocks since the heading before it", blocks_since_heading(page, number);
    "below dominant", "containers between it and the deepest one with 40 % of the page's unlinked words; negative where it stands outside", below(page, 0, block);
    "dominant linked", "share of that one's words in links", dominant_linked(page, 0);
    "dominant share", "share of the page's words in it", dominant_share(page, 0);
    "below minor", "as below dominant, for 20 %", below(page, 1, block);
    "below major", "as below dominant, for 70 %", below(page, 2, block);
    "major linked", "share of the words in links, of that one", dominant_linked(page, 2);
    "major share", "share of the page's words in that one", dominant_share(page, 2);
    "major before", "1 where it stands before that one begins, -1 after it", beside(page, 2, number);
    "title overlap", "share of its words that are in the title", title_overlap(page, block);
    "title covered", "share of the title's words that it has", title_covered(page, block);
    "is title", "1 where it is the title, or nearly", flag(title_overlap(page, block) > 0.8 && title_covered(page, block) > 0.5);
    "place blocks", "blocks at the same place of the page (log)", log(place(page, block).blocks);
    "place words", "words a block there", share(place(page, block).words, place(page, block).blocks);
    "place share", "share of the page's words there", share(place(page, block).words, page.total.words);
    "place linked", "share of its words in links", share(place(page, block).linked, place(page, block).words);
} }

fn place(page: &Reader<'_>, block: &Block) -> super::reader::PlaceTotal {
    page.places[&super::reader::place_of(page.analysis, block)]
}

fn since_h1(page: &Reader<'_>, block: &Block) -> f32 {
    let Some(h1) = page.first_h1 else { return f32::NAN };
    let (at, own) =
        (page.analysis.words_before(&page.analysis.blocks()[h1 as usize]), page.analysis.words_before(block));
    if own >= at { log(own - at) } else { -log(at - own) }
}

fn since_heading(page: &Reader<'_>, number: u32, block: &Block) -> f32 {
    let Some(heading) = page.headings[number as usize] else { return f32::NAN };
    log(page.analysis.words_before(block) - page.analysis.words_before(&page.analysis.blocks()[heading as usize]))
}

fn blocks_since_heading(page: &Reader<'_>, number: u32) -> f32 {
    page.headings[number as usize].map_or(f32::NAN, |heading| (number - heading) as f32)
}

fn below(page: &Reader<'_>, which: usize, block: &Block) -> f32 {
    let dominant = page.dominant[which];
    let depth = page.analysis.container(dominant).depth;
    let own = page.analysis.container(block.flow).depth;
    let inside = page.analysis.upwards(block.flow).any(|(at, _)| at == dominant);
    if inside {
        return (own - depth) as f32;
    }
    // Up from the dominant one to where both stand in it.
    let apart = page.analysis.upwards(dominant).take_while(|(_, above)| !holds(above, block)).count();
    -(apart as f32)
}

fn holds(container: &crate::analysis::Container, block: &Block) -> bool {
    (container.first_leaf..container.end_leaf).contains(&block.leaves.start)
}

fn beside(page: &Reader<'_>, which: usize, number: u32) -> f32 {
    let blocks = &page.analysis.container(page.dominant[which]).blocks;
    flag(number < blocks.start) - flag(number >= blocks.end)
}

fn dominant_linked(page: &Reader<'_>, which: usize) -> f32 {
    let container = page.analysis.container(page.dominant[which]);
    share(container.linked.words, container.text.words)
}

fn dominant_share(page: &Reader<'_>, which: usize) -> f32 {
    share(page.analysis.container(page.dominant[which]).text.words, page.total.words)
}

fn title_overlap(page: &Reader<'_>, block: &Block) -> f32 {
    if page.title.is_empty() {
        return f32::NAN;
    }
    let words = page.analysis.words(block);
    share(words.iter().filter(|word| page.title.contains(word)).count() as u32, words.len() as u32)
}

fn title_covered(page: &Reader<'_>, block: &Block) -> f32 {
    if page.title.is_empty() {
        return f32::NAN;
    }
    let words = page.analysis.words(block);
    // A long text has the title's words by chance.
    if words.len() > 3 * page.title.len() + 8 {
        return 0.0;
    }
    share(page.title.iter().filter(|word| words.contains(word)).count() as u32, page.title.len() as u32)
}
