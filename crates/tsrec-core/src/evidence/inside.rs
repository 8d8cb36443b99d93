//! What repeats inside the content is content.
//!
//! A text that many pages have at the same place looks like template. But a heading, a label or a
//! note of the article's form repeats, too. It belongs to the page if content of the page's own
//! follows it, or is on both sides of it, in the same container. Only what repeats as a whole is
//! template: a box, a list or a bar with all that is in it.

use crate::analysis::{Analysis, Block};
use crate::template::{Memory, Place};

/// The greatest number of blocks in a row, between a block and content of the page's own, that the
/// page alone does not call content. Judgement: a link to the source, a button, a mark. With 10 and
/// 100 of any blocks, headings and boxes of links came back on two of twenty manuals
/// (`docs/decisions/061`).
const MOST_BETWEEN: usize = 3;

/// Containers around a block that are searched, each with more text than the one before.
/// Judgement: a label and its text are seldom further apart. In the same simulation 6 gave at most
/// 0.003 more.
const CONTAINERS: usize = 3;

/// A place with more than this share of repeated words is one of repeated texts. Judgement: most.
const MOSTLY_REPEATED: f32 = 0.5;

/// Finds the blocks whose repeated text is inside the content. For each the result has true.
///
/// `alone` are the log-odds of each block for the page alone, and `site` those with the memory of
/// the site, which includes the page. A block is a candidate if the site lowers it to no content,
/// and another page has its text at its place, or most texts there repeat. Linear in the page.
pub(super) fn inside_content(analysis: &Analysis, memory: &Memory, alone: &[f32], site: &[f32]) -> Vec<bool> {
    let blocks = analysis.blocks();
    let is_own: Vec<bool> = site.iter().map(|&odds| odds > 0.0).collect();
    let is_lowered = |at: usize| !is_own[at] && alone[at] > site[at];
    let before = nearest_own(0..blocks.len(), &is_own, alone);
    let after = nearest_own((0..blocks.len()).rev(), &is_own, alone);
    let is_inside = |(at, block): (usize, &Block)| {
        is_lowered(at)
            && block.text.words > 0
            && memory.place(block.place).is_some_and(|place| repeats(place, block))
            && is_between(analysis, block, before[at], after[at])
    };
    blocks.iter().enumerate().map(is_inside).collect()
}

/// Whether it is repetition that lowers a block: another page has its text at the place, or most
/// texts there are on several pages, so that the place counts as one of repeated texts.
fn repeats(place: &Place, block: &Block) -> bool {
    place.pages_of_text(block.hash) > 1 || place.repeated() > MOSTLY_REPEATED
}

/// For each block the nearest content of the page's own that comes before it in this order. Between
/// may be what the page alone calls content, such as a list of inherited methods, and at most
/// [`MOST_BETWEEN`] other blocks.
fn nearest_own(order: impl Iterator<Item = usize>, is_own: &[bool], alone: &[f32]) -> Vec<Option<usize>> {
    let mut nearest = vec![None; is_own.len()];
    let mut last: Option<(usize, usize)> = None;
    for at in order {
        nearest[at] = last.map(|(own, _)| own);
        last = match last {
            _ if is_own[at] => Some((at, 0)),
            Some((own, between)) if alone[at] > 0.0 => Some((own, between)),
            Some((own, between)) if between < MOST_BETWEEN => Some((own, between + 1)),
            _ => None,
        };
    }
    nearest
}

/// Whether content follows a block in its nearest container, or is on both sides of it in one of
/// the nearest [`CONTAINERS`]. Of a heading, content may follow in any of these: what it is about
/// is often beside the box of the heading.
fn is_between(analysis: &Analysis, block: &Block, before: Option<usize>, after: Option<usize>) -> bool {
    let mut words = block.text.words;
    let larger = analysis.around(block).filter(|(_, container)| {
        let is_larger = container.text.words > words;
        words = words.max(container.text.words);
        is_larger
    });
    larger.take(CONTAINERS).enumerate().any(|(level, (_, container))| {
        let has = |own: Option<usize>| own.is_some_and(|own| container.blocks.contains(&(own as u32)));
        has(after) && (has(before) || level == 0 || analysis.heading_level(block).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::template::{EVIDENCE, SeenBlock};

    /// For each block whether it is inside the content. Texts with a digit are the page's own;
    /// another page has all other texts. The page alone calls everything content.
    fn inside(html: &str) -> Vec<bool> {
        let page = Analysis::new(&parse(html.as_bytes(), None, &Default::default()));
        let is_own: Vec<bool> = page.blocks().iter().map(|block| block.text.digits > 0).collect();
        let seen = |own: bool, number: u64| {
            let blocks = page.blocks().iter().zip(&is_own).map(move |(block, &is_own)| SeenBlock {
                place: block.place,
                text: if is_own && !own { block.hash ^ number } else { block.hash },
                words: block.text.words,
                odds: 0.0,
                evidence: [0.0; EVIDENCE],
            });
            Memory::of_page(blocks)
        };
        let mut memory = seen(true, 0);
        memory.merge(&seen(false, 1));
        let site: Vec<f32> = is_own.iter().map(|&is_own| if is_own { 2.0 } else { -2.0 }).collect();
        inside_content(&page, &memory, &vec![2.0; site.len()], &site)
    }

    #[test]
    fn labels_of_the_content_are_inside_and_boxes_are_not() {
        for (html, expect) in [
            // A heading over its text; a term before its description.
            ("<div><h2>Parameters</h2><p>Depth of well 1</div>", &[true, false][..]),
            ("<dl><dt>Returns<dd>Metres of water 1<dt>Throws<dd>Nothing 2</dl>", &[true, false, true, false]),
            // A heading in a box of its own.
            ("<div><div><div><h2>Notes</h2></div></div><p>Mind step 1</div>", &[true, false]),
            // A note between two texts, and two headings over one.
            ("<main><p>Text 1</p><p>Since then</p><p>Text 2</main>", &[false, true, false]),
            ("<main><h2>Methods</h2><h3>All of them</h3><p>Text 1</main>", &[true, true, false]),
            // A note after all content, and a box that repeats as a whole.
            ("<main><p>Text 1</p></main><div><h4>Help</h4><p>Ask us</div>", &[false, false, false]),
            ("<main><p>Text 1</p><p>Text 2</p><p>All rights reserved</main>", &[false, false, false]),
            // Nothing of the page's own is near.
            ("<p>One<p>Two<p>Three", &[false, false, false]),
        ] {
            assert_eq!(inside(html), expect, "{html}");
        }
    }

    /// A list that many pages have, such as that of inherited methods, is content if the page alone
    /// calls it so, however long it is. Else it is a box.
    #[test]
    fn a_long_list_between_contents_is_what_the_page_alone_calls_it() {
        let html = "<main><p>Text</p><ul><li>a<li>b<li>c<li>d<li>e<li>f<li>g<li>h</ul><p>Text</main>";
        let page = Analysis::new(&parse(html.as_bytes(), None, &Default::default()));
        let mut twice = memory_of_page(&page);
        twice.merge(&memory_of_page(&page));
        let inside = |list: f32| {
            let odds = |of_list| [vec![2.0], vec![of_list; 8], vec![2.0]].concat();
            inside_content(&page, &twice, &odds(list), &odds(-3.0))[1..9].iter().filter(|is| **is).count()
        };
        assert_eq!((inside(1.0), inside(-2.0)), (8, 0));
    }

    fn memory_of_page(page: &Analysis) -> Memory {
        Memory::of_page(page.blocks().iter().map(|block| SeenBlock {
            place: block.place,
            text: block.hash,
            words: block.text.words,
            odds: 0.0,
            evidence: [0.0; EVIDENCE],
        }))
    }

    /// Where a note stands, most notes are on several pages. This page has one of its own.
    #[test]
    fn a_note_of_its_own_among_repeated_ones_is_inside() {
        let page = |note: &str, text: &str| {
            let html = format!("<main><pre>{text}</pre><p>{note}</p><section>{text}</section></main>");
            Analysis::new(&parse(html.as_bytes(), None, &Default::default()))
        };
        let memory_of = |pages: &[Analysis]| {
            let mut all = Memory::default();
            pages.iter().for_each(|page| all.merge(&memory_of_page(page)));
            all
        };
        let subject = page("For calm water", "two");
        let (alone, site) = ([2.0, 2.0, 2.0], [2.0, -2.0, 2.0]);
        let repeated = memory_of(&[page("For gales", "three"), page("For gales", "four"), subject.clone()]);
        assert_eq!(inside_content(&subject, &repeated, &alone, &site), [false, true, false]);
        let different = memory_of(&[page("For gales", "three"), page("For fog", "four"), subject.clone()]);
        assert_eq!(inside_content(&subject, &different, &alone, &site), [false, false, false]);
    }

    /// Such as a link to the source, between a heading and its text.
    #[test]
    fn what_is_no_content_may_be_between() {
        let html = "<div><h2>Parameters</h2><p>Source</p><p>Depth of well 1</div>";
        let page = Analysis::new(&parse(html.as_bytes(), None, &Default::default()));
        let mut twice = memory_of_page(&page);
        twice.merge(&memory_of_page(&page));
        assert_eq!(inside_content(&page, &twice, &[2.0, -2.0, 2.0], &[-2.0, -2.0, 2.0]), [true, false, false]);
    }

    #[test]
    fn what_the_site_does_not_lower_and_what_no_other_page_has_stays_out() {
        let html = "<div><h2>Parameters</h2><p>Depth of well 1</div>";
        let page = Analysis::new(&parse(html.as_bytes(), None, &Default::default()));
        let once = memory_of_page(&page);
        let mut twice = once.clone();
        twice.merge(&once);
        assert_eq!(inside_content(&page, &twice, &[2.0, 2.0], &[-2.0, 2.0]), [true, false]);
        assert_eq!(inside_content(&page, &once, &[2.0, 2.0], &[-2.0, 2.0]), [false, false]);
        // The page alone may be in doubt, but must think better of it than the site does.
        assert_eq!(inside_content(&page, &twice, &[-1.0, 2.0], &[-2.0, 2.0]), [true, false]);
        assert_eq!(inside_content(&page, &twice, &[-2.0, 2.0], &[-1.0, 2.0]), [false, false]);
    }
}
