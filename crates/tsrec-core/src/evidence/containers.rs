//! Evidence from the containers around a block and the other text in them.

use super::column::{evidence, log, share};
use super::reader::OuterContainers;

evidence! { Containers, |around: &OuterContainers<'_>| {
    "c1 words", "words in the nearest container with more text than the block (log)", log(around.at(0).text.words);
    "c1 page share", "its share of the page's words", around.page_share(0);
    "c1 linked", "share of its words in links", around.linked(0);
    "c1 unlinked share", "its share of the page's words outside links", around.unlinked_share(0);
    "c1 paragraphs", "paragraphs in it (log)", log(around.inside(0).paragraphs);
    "c1 commas", "commas a word in it", share(around.at(0).text.commas, around.at(0).text.words);
    "c1 sentences", "ends of sentences a word in it", share(around.at(0).text.sentence_ends, around.at(0).text.words);
    "c1 blocks", "blocks in it (log)", log(around.blocks(0));
    "c1 block words", "words a block in it", around.words_a_block(0);
    "c1 headings", "headings a block in it", around.a_block(0, |inside| inside.headings);
    "c1 images", "images a block in it", around.a_block(0, |inside| inside.images);
    "c1 controls", "controls a block in it", around.a_block(0, |inside| inside.controls);
    "c1 above", "blocks of it that stand before this one, as a share", around.position(0);
    "c2 words", "the same of the next container with more text", log(around.at(1).text.words);
    "c2 page share", "as c1", around.page_share(1);
    "c2 linked", "as c1", around.linked(1);
    "c2 unlinked share", "as c1", around.unlinked_share(1);
    "c2 paragraphs", "as c1", log(around.inside(1).paragraphs);
    "c2 commas", "as c1", share(around.at(1).text.commas, around.at(1).text.words);
    "c2 sentences", "as c1", share(around.at(1).text.sentence_ends, around.at(1).text.words);
    "c2 blocks", "as c1", log(around.blocks(1));
    "c2 block words", "as c1", around.words_a_block(1);
    "c2 headings", "as c1", around.a_block(1, |inside| inside.headings);
    "c2 images", "as c1", around.a_block(1, |inside| inside.images);
    "c2 above", "as c1", around.position(1);
    "c3 words", "the same of the third", log(around.at(2).text.words);
    "c3 page share", "as c1", around.page_share(2);
    "c3 linked", "as c1", around.linked(2);
    "c3 unlinked share", "as c1", around.unlinked_share(2);
    "c3 paragraphs", "as c1", log(around.inside(2).paragraphs);
    "c3 commas", "as c1", share(around.at(2).text.commas, around.at(2).text.words);
    "c3 blocks", "as c1", log(around.blocks(2));
    "c3 block words", "as c1", around.words_a_block(2);
    "c3 above", "as c1", around.position(2);
    "c4 words", "the same of the fourth", log(around.at(3).text.words);
    "c4 page share", "as c1", around.page_share(3);
    "c4 linked", "as c1", around.linked(3);
    "c4 paragraphs", "as c1", log(around.inside(3).paragraphs);
    "c4 block words", "as c1", around.words_a_block(3);
    "c4 above", "as c1", around.position(3);
    "outer page share", "share of the page's words in the sixth container with more text", around.page_share(5);
    "outer linked", "share of its words in links", around.linked(5);
    "alike", "containers beside one of those around it, of the same tag and class: the most (log)", log(around.alike());
    "alike words", "words of each of those, on average (log)", log(around.alike_words());
    "alike share", "share of the page's words in all of them", around.alike_share();
    "alike linked", "share of their words in links", around.alike_linked();
    "alike before", "share of them that stand before this one", around.alike_before();
} }
