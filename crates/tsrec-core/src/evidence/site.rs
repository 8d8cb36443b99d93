//! Evidence from the pages of a site that have a place.

use super::column::{evidence, log};
use super::places::AtPlace;
use crate::float::log2;

evidence! { Site, |at: &AtPlace<'_>| {
    "site pages", "pages of the site that are known (log)", log(at.memory.pages());
    "site places", "share of them that have the place", at.place.pages() as f32 / at.pages();
    "site place pages", "how many have it (log)", log(at.place.pages());
    "site blocks", "blocks a page there", at.place.blocks() as f32 / at.place.pages() as f32;
    "site words", "words a page there (log)", log2(1.0 + at.place.words() as f32 / at.place.pages() as f32);
    "site share", "share of all words that stand there", at.place.words() as f32 / at.words();
    "site repeats", "share of its words whose text more than one page has there", at.place.repeated();
    "site text pages", "share of the pages that have the same text there, on average over words", at.place.text_pages() / at.pages();
    "site texts", "different texts a block there", at.place.different_texts() / at.place.blocks() as f32;
    "site page texts", "different texts a page there", at.place.different_texts() / at.place.pages() as f32;
    "site length", "length of its blocks (log)", at.place.length().0;
    "site length spread", "how far that differs from block to block", at.place.length().1;
} }
