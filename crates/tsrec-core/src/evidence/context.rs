//! Evidence from the score of the first two stages: of the block and of the text around it
//! (auto-context: Tu, Bai 2010, "Auto-Context and Its Application to High-Level Vision Tasks and 3D
//! Brain Image Segmentation").

use super::column::{evidence, flag, log, share};
use super::within::WithinBlock;

evidence! { Context, |at: &WithinBlock<'_>| {
    "odds", "what both stages say of the block, in log-odds of content", at.odds(0);
    "odds own", "what the first stage says of it", at.own();
    "odds -1", "what both stages say of the block before", at.odds(-1);
    "odds -2", "of the one before that", at.odds(-2);
    "odds +1", "of the block after", at.odds(1);
    "odds +2", "of the one after that", at.odds(2);
    "likely c1", "likely share of content in the nearest container with more text", at.likely_in(0);
    "likely c2", "in the next container with more text", at.likely_in(1);
    "likely c3", "in the third", at.likely_in(2);
    "likely c4", "in the fourth", at.likely_in(3);
    "likely page", "likely share of content in the page's words", at.likely_of_page();
    "likely before", "share of the page's likely content before the block", at.likely_before();
    "likely section", "likely share of content from a heading to the next; absent for other blocks", at.likely_section();
    "likely since heading", "likely share of content from the last heading up to the block", at.likely_since_heading();
    "odds heading", "what both stages say of the last heading before it", at.odds_of_heading();
    "likely distance", "blocks from it to the nearest likely content (log)", at.likely_distance();
    "block words", "words of the block (log)", log(at.block().text.words);
    "block linked", "share of its words in links", share(at.block().linked.words, at.block().text.words);
    "block heading", "whether it is a heading", flag(at.is_heading());
    "known pages", "pages of the site that are known (log)", log(at.pages());
    "known text", "share of the other known pages that have its very text at its place", at.text_elsewhere();
    "known place", "share of the known pages that have its place", at.place_elsewhere();
} }
