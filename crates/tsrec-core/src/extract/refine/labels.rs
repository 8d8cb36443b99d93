//! Lines that only label an advertisement or work the page, such as what opens a box, and notes
//! that a page needs scripts.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::kept_blocks;
use crate::analysis::text::{WordHash, count};
use crate::analysis::{Analysis, Block};
use crate::html::Document;

/// The words of the longest label.
const LONGEST: u32 = 7;
/// The words of the longest note about scripts. Judgement.
const LONGEST_NOTE: u32 = 60;
/// How many elements around a block are searched for its `noscript`.
const AROUND: usize = 6;

/// Labels of advertisements, controls, ways over the page and questions about it, in lower case and
/// without marks.
const LABELS: &[&str] = &[
    "advertisement",
    "advertisements",
    "advertising",
    "sponsored",
    "sponsored content",
    "advertisement continue reading below",
    "advertisement scroll to continue",
    "advertisement article continues below",
    "advertisement story continues below",
    "advertisement close",
    "skip advertisement",
    "ad feedback",
    "article continues after advertisement",
    "article continues below",
    "article continues below advertisement",
    "article continues below this ad",
    "article continues after this advertisement",
    "story continues below",
    "story continues below advertisement",
    "story continues below this ad",
    "story continues after advertisement",
    "continue reading below",
    "continue reading below advertisement",
    "continues below advertisement",
    "continues after advertisement",
    "scroll to continue with content",
    "jump to navigation",
    "jump to search",
    "skip to content",
    "skip to main content",
    "from wikipedia the free encyclopedia",
    "expand description",
    "expand all",
    "collapse all",
    "click to expand",
    "click to collapse",
    "click to show",
    "click to reveal",
    "show more",
    "show less",
    "see more",
    "see less",
    "load more",
    "load more comments",
    "mehr anzeigen",
    "weniger anzeigen",
    "mehr laden",
    "afficher plus",
    "afficher moins",
    "voir plus",
    "mostrar más",
    "mostrar menos",
    "ver más",
    "mostrar mais",
    "ver mais",
    "mostra altro",
    "mostra meno",
    "meer tonen",
    "visa mer",
    "pokaż więcej",
    "показать ещё",
    "показать больше",
    "развернуть",
    "свернуть",
    "もっと見る",
    "閉じる",
    "展开",
    "收起",
    "展开全文",
    "더보기",
    "listen to this article",
    "listen to this story",
    "listen to article",
    "diesen artikel anhören",
    "artikel anhören",
    "écouter l'article",
    "écouter cet article",
    "escuchar artículo",
    "escuchar este artículo",
    "share this",
    "share this article",
    "share this story",
    "share this post",
    "この記事をシェアする",
    "この記事をシェア",
    "diesen artikel teilen",
    "artikel teilen",
    "partager cet article",
    "compartir este artículo",
    "was this helpful",
    "was this page helpful",
    "was this article helpful",
    "did this answer your question",
    "did you find this article helpful",
    "war dieser artikel hilfreich",
    "war das hilfreich",
    "anzeige",
    "anzeigen",
    "werbung",
    "publicité",
    "annonce",
    "publicidad",
    "publicidade",
    "pubblicità",
    "advertentie",
    "reklame",
    "reklama",
    "annons",
    "mainos",
    "реклама",
    "διαφήμιση",
    "إعلان",
    "פרסומת",
    "广告",
    "廣告",
    "広告",
    "スポンサーリンク",
    "광고",
    "quảng cáo",
    "iklan",
    "reklam",
    "विज्ञापन",
];

/// The words of each label, as hashes.
static HASHED: LazyLock<HashSet<Vec<u32>>> = LazyLock::new(|| hashed(LABELS));

/// The hashes of the words of each text.
pub(super) fn hashed(texts: &[&str]) -> HashSet<Vec<u32>> {
    let hashed = texts.iter().map(|text| {
        let mut words = Vec::new();
        count(text, |word| words.push(word));
        words
    });
    hashed.collect()
}

/// The word that all notes about scripts have.
static SCRIPT: LazyLock<u32> = LazyLock::new(|| WordHash::from_word("javascript").finish());

pub(super) fn remove(document: &Document, analysis: &Analysis, kept: &mut [bool]) {
    let is_one = |block: &Block| is_label(analysis, block) || is_note_of_scripts(document, analysis, block);
    let found: Vec<usize> = kept_blocks(analysis, kept).filter(|(_, block)| is_one(block)).map(|(at, _)| at).collect();
    found.into_iter().for_each(|at| kept[at] = false);
}

fn is_label(analysis: &Analysis, block: &Block) -> bool {
    (1..=LONGEST).contains(&block.text.words) && HASHED.contains(analysis.words(block))
}

fn is_note_of_scripts(document: &Document, analysis: &Analysis, block: &Block) -> bool {
    block.hidden
        && block.text.words <= LONGEST_NOTE
        && analysis.words(block).contains(&SCRIPT)
        && analysis.around(block).take(AROUND).any(|(_, container)| document.is_element(container.node, "noscript"))
}
