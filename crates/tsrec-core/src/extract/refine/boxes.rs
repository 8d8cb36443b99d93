//! Boxes whose names say what they are for: newsletters, authors, advertisements, other pages,
//! consent, dialogs, signatures below posts.

use std::sync::LazyLock;

use super::kept_blocks;
use crate::analysis::names::{name_hash_of, role_hash_of};
use crate::analysis::{Analysis, Container, Tag};
use crate::evidence::kind::PageKind;

/// The words of the largest such box, except for dialogs. Judgement.
const LARGEST: u32 = 120;
/// A box with more than this share of the kept words is the content. Judgement.
const SHARE: u32 = 3;
/// A box of links has more than one in this many of its words in links. Judgement.
const LINKED: u32 = 2;
/// A dialog goes only if at least this many other words are kept. Judgement: else it may be all.
const LEAST_REST: u32 = 15;
/// How many elements around a block are examined. Judgement.
const AROUND: usize = 6;

/// Hashes of names, by what they mean together.
struct Known {
    newsletter: Vec<u32>,
    author: Vec<u32>,
    of_author: Vec<u32>,
    advertisement: Vec<u32>,
    /// Links to other pages, and what wikis put below an article.
    others: Vec<u32>,
    wiki: Vec<u32>,
    consent: Vec<u32>,
    dialog: Vec<u32>,
    paywall: Vec<u32>,
    print: Vec<u32>,
    of_print: Vec<u32>,
    /// Below the posts of a forum.
    signature: Vec<u32>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let hashes = |words: &[&str]| words.iter().map(|word| name_hash_of(word)).collect::<Vec<u32>>();
    let roles = ["dialog", "alertdialog"].map(role_hash_of);
    Known {
        newsletter: hashes(&["newsletter", "newsletters", "mailchimp", "subscribe", "signup"]),
        author: hashes(&["author", "authors"]),
        of_author: hashes(&["box", "bio", "biography", "about"]),
        advertisement: hashes(&[
            "ad",
            "ads",
            "advert",
            "advertisement",
            "advertising",
            "sponsored",
            "adslot",
            "adsbygoogle",
        ]),
        others: hashes(&["related", "recommended", "recirc", "trending", "taboola", "outbrain", "tags", "tagcloud"]),
        wiki: hashes(&["navbox", "catlinks", "printfooter"]),
        paywall: hashes(&["paywall", "regwall"]),
        print: hashes(&["print", "printonly"]),
        of_print: hashes(&["only", "visible", "printonly"]),
        signature: hashes(&["signature", "signatures", "sig", "postsig", "siggy"]),
        consent: hashes(&["cookie", "cookies", "consent", "gdpr", "cmp"]),
        dialog: [hashes(&["dialog", "modal", "popup", "overlay", "lightbox", "banner", "notice"]), roles.to_vec()]
            .concat(),
    }
});

/// What a box is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To read.
    Content,
    /// Something beside the content.
    Beside,
    /// It lies over the page.
    Over,
}

pub(super) fn remove(analysis: &Analysis, kind: Option<PageKind>, kept: &mut [bool]) {
    let has_signatures = kind == Some(PageKind::Forum);
    let words: u32 = kept_blocks(analysis, kept).map(|(_, block)| block.text.words).sum();
    // Blocks that follow each other are mostly in the same boxes.
    let mut known: Vec<Option<Purpose>> = vec![None; analysis.containers().len()];
    let (mut beside, mut over) = (Vec::new(), Vec::new());
    for (at, block) in kept_blocks(analysis, kept) {
        for (number, container) in analysis.around(block).take(AROUND) {
            match *known[number as usize]
                .get_or_insert_with(|| purpose(analysis, container, has_signatures, block.hidden))
            {
                Purpose::Beside if is_small(container, words) => beside.push(at),
                Purpose::Over if kept_words(analysis, kept, container) + LEAST_REST <= words => over.push(at),
                _ => continue,
            }
            break;
        }
    }
    // Many small boxes of a name are the cards of a listing.
    let size: u32 = beside.iter().map(|&at| analysis.blocks()[at].text.words).sum();
    let removed = beside.into_iter().filter(|_| SHARE * size <= words).chain(over);
    removed.collect::<Vec<_>>().into_iter().for_each(|at| kept[at] = false);
}

/// Whether a box is small, by itself and beside what is kept.
pub(super) fn is_small(container: &Container, kept_words: u32) -> bool {
    container.text.words <= LARGEST && SHARE * container.text.words <= kept_words
}

fn kept_words(analysis: &Analysis, kept: &[bool], container: &Container) -> u32 {
    let blocks = container.blocks.start as usize..container.blocks.end as usize;
    blocks.filter(|&at| kept[at]).map(|at| analysis.blocks()[at].text.words).sum()
}

fn purpose(analysis: &Analysis, container: &Container, has_signatures: bool, is_hidden: bool) -> Purpose {
    let names = analysis.names(container);
    let has = |known: &[u32]| names.iter().any(|name| known.contains(name));
    let known = &*KNOWN;
    let is_page = matches!(container.tag, Tag::Html | Tag::Body | Tag::Main | Tag::Article);
    if is_page {
        Purpose::Content
    } else if has(&known.dialog) && (is_hidden || has(&known.consent)) {
        Purpose::Over
    } else if has(&known.newsletter) && analysis.inside(container).controls > 0
        || has(&known.author) && has(&known.of_author)
        || has(&known.paywall) && (analysis.inside(container).controls > 0 || container.linked_words > 0)
        || has(&known.print) && has(&known.of_print)
        || has(&known.advertisement)
        || has(&known.wiki)
        || has_signatures && has(&known.signature)
        || has(&known.others) && LINKED * container.linked_words > container.text.words
    {
        Purpose::Beside
    } else {
        Purpose::Content
    }
}
