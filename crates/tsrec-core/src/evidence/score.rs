//! Evidence from the first-stage scores at a place.

use super::column::evidence;
use super::places::AtPlace;
use crate::float::exp;

evidence! { Score, |at: &AtPlace<'_>| {
    "score", "what the first stage says of the blocks there by themselves, in log-odds of content, on average over words", at.place.odds().0;
    "score spread", "how far that differs from block to block", at.place.odds().1;
    "score least", "the least of them", at.place.range().0;
    "score greatest", "the greatest", at.place.range().1;
    "score likely", "likely share of content in the words there", at.place.likely().0;
    "score likely spread", "how far that differs from block to block", at.place.likely().1;
    "score pages", "likely share of content in all words of the pages", at.memory.likely_words() / at.words();
    "score share", "the place's share of the likely content", at.place.likely_words() / at.memory.likely_words().max(1.0);
} }

pub(super) fn probability(odds: f32) -> f32 {
    1.0 / (1.0 + exp(-odds))
}
