//! Boxes of links to other pages, by the words above them.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::boxes::is_small;
use super::kept_blocks;
use super::labels::hashed;
use crate::analysis::{Analysis, Block, Container};
use crate::html::Document;

/// The words of the longest of these lines.
const LONGEST: u32 = 8;
/// The words of the longest line that begins with them. Judgement: a title and its label.
const LONGEST_WAY: u32 = 40;
/// How many elements around such a line are searched for its box. Judgement.
const AROUND: usize = 4;
/// A box of links has more than one in this many of its words in links. Judgement.
const LINKED: u32 = 2;

/// Words above links to other pages, in lower case and without marks. "See also" is not one: in
/// manuals it is content.
const ABOVE: &[&str] = &[
    "related",
    "related articles",
    "related stories",
    "related posts",
    "related news",
    "related content",
    "related topics",
    "read more",
    "read also",
    "also read",
    "read next",
    "more on this story",
    "more on this topic",
    "more stories",
    "more from this section",
    "you may also like",
    "you might also like",
    "recommended",
    "recommended for you",
    "recommended stories",
    "most read",
    "most popular",
    "trending",
    "trending now",
    "mehr zum thema",
    "lesen sie auch",
    "mehr dazu",
    "auch interessant",
    "das könnte sie auch interessieren",
    "lire aussi",
    "à lire aussi",
    "sur le même sujet",
    "te puede interesar",
    "le puede interesar",
    "lea también",
    "lee también",
    "lea además",
    "noticias relacionadas",
    "artículos relacionados",
    "leggi anche",
    "potrebbe interessarti",
    "leia também",
    "leia mais",
    "veja também",
    "lees ook",
    "lees meer",
    "les også",
    "læs også",
    "läs också",
    "läs mer",
    "lue myös",
    "czytaj także",
    "czytaj też",
    "zobacz także",
    "zobacz też",
    "přečtěte si také",
    "citește și",
    "читайте также",
    "читайте ещё",
    "смотрите также",
    "читайте також",
    "по теме",
    "διαβάστε επίσης",
    "διαβάστε ακόμη",
    "δείτε επίσης",
    "相关阅读",
    "相关新闻",
    "延伸阅读",
    "推荐阅读",
    "相關新聞",
    "関連記事",
    "あわせて読みたい",
    "यह भी पढ़ें",
    "관련 기사",
    "ilgili haberler",
    "baca juga",
    "xem thêm",
    "اقرأ أيضا",
];

static HASHED: LazyLock<HashSet<Vec<u32>>> = LazyLock::new(|| hashed(ABOVE));

/// Removes such boxes from what is kept, and lines that begin with these words, all else of which
/// is linked: `Read more: [Another story]`, `[Read more: Another story]`.
pub(super) fn remove(document: &Document, analysis: &Analysis, kept: &mut [bool]) {
    let words: u32 = kept_blocks(analysis, kept).map(|(_, block)| block.text.words).sum();
    let is_way = |block: &Block| is_way(document, analysis, block);
    let ways: Vec<usize> = kept_blocks(analysis, kept).filter(|(_, block)| is_way(block)).map(|(at, _)| at).collect();
    ways.into_iter().for_each(|at| kept[at] = false);
    let is_above = |block: &Block| (1..=LONGEST).contains(&block.text.words) && HASHED.contains(analysis.words(block));
    let boxes = kept_blocks(analysis, kept).filter(|(_, block)| is_above(block));
    let boxes = boxes.filter_map(|(_, block)| box_of(analysis, block).filter(|found| is_small(found, words)));
    let boxes: Vec<_> = boxes.map(|found| found.blocks.start as usize..found.blocks.end as usize).collect();
    boxes.into_iter().for_each(|blocks| kept[blocks].fill(false));
}

fn is_way(document: &Document, analysis: &Analysis, block: &Block) -> bool {
    if block.linked.words == 0 || block.text.words > LONGEST_WAY {
        return false;
    }
    let before = block.text.words.saturating_sub(block.linked.words);
    if before > 0 {
        let words = analysis.words(block).get(..before as usize);
        return before <= LONGEST && words.is_some_and(|words| HASHED.contains(words));
    }
    let text = analysis.leaves_of(block).first().and_then(|leaf| document.text(leaf.node)).unwrap_or_default();
    text.split_once([':', '：']).is_some_and(|(label, _)| !hashed(&[label]).is_disjoint(&HASHED))
}

/// The nearest element around a line that holds more, if most of that is in links.
fn box_of<'a>(analysis: &'a Analysis, block: &Block) -> Option<&'a Container> {
    let larger = |container: &&Container| container.text.words > block.text.words;
    let around = analysis.around(block).take(AROUND).map(|(_, container)| container).find(larger)?;
    (LINKED * around.linked_words > around.text.words - block.text.words).then_some(around)
}
