//! Block features with thresholds that a particle swarm learned (Ziegler, Skubacz 2007).
//!
//! 1. Elements are removed or pruned, so that text merges into blocks ([`crate::block::removal`],
//!    section 3.1).
//! 2. Each block has eight features, four of language and four of structure
//!    ([`crate::block::features`], sections 3.2 to 3.4).
//! 3. Each feature has one threshold, and a block that meets all eight is content (section 3.5,
//!    [`thresholds`]).
//! 4. The thresholds are those with which a set of pages comes out most like its gold text, as a
//!    particle swarm finds them ([`train`], section 3.5.3; [`crate::learn::swarm`]).
//!
//! # Deviations
//!
//! Those of the blocks, the features and the swarm stand with them. Besides:
//!
//! - The paper does not say how a particle's start in [0, 1] becomes a threshold: see
//!   [`thresholds::AxisScale`].
//! - Pages are compared with the gold words that stand on them, since that is what trainers are
//!   given ([`Example`](tsrec_core::extract::example::Example)).

pub mod baselines;
pub mod bounds;
pub mod ground;
pub mod thresholds;
pub mod train;

use serde::{Deserialize, Serialize};

use self::thresholds::Thresholds;
use crate::block::features::features;
use crate::block::removal::{Splitting, text_blocks};
use tsrec_core::extract::{Extraction, Extractor, Method, Page};
use tsrec_core::learn::model::Payload;
use tsrec_core::page::{Content, Piece};

/// What the swarm learned: eight numbers, and which blocks they are for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SwarmModel {
    /// How pages are split.
    pub splitting: Splitting,
    /// What a block must meet.
    pub thresholds: Thresholds,
}

impl Payload for SwarmModel {
    const METHOD: &'static str = "swarm";
    const VERSION: u32 = 1;
}

/// Keeps the blocks that meet a model's thresholds. Linear in the page.
#[derive(Clone, Copy, Debug)]
pub struct Swarm<'m> {
    model: &'m SwarmModel,
}

impl<'m> Swarm<'m> {
    /// An extractor with these thresholds.
    pub fn new(model: &'m SwarmModel) -> Self {
        Swarm { model }
    }
}

impl Extractor for Swarm<'_> {
    /// Confidence is how densely the kept blocks stand, as the share of the words from the first of
    /// them to the last that is kept, times the kept words' nearness to [`CLEAR_WORDS`]: an article
    /// is long and stands in one place.
    fn extract(&self, page: &Page<'_>) -> Extraction {
        let mut pieces: Vec<Piece> = Vec::new();
        let (mut kept, mut between, mut since_kept) = (0, 0, 0);
        for block in text_blocks(page.document(), self.model.splitting) {
            let features = features(&block);
            if self.model.thresholds.accept(&features.values) {
                kept += features.words;
                between += std::mem::take(&mut since_kept);
                pieces.extend(block.pieces);
            } else if kept > 0 {
                since_kept += features.words;
            }
        }
        let content = Content::new(pieces);
        let confidence = confidence(kept, between);
        Extraction::of_page(Method::Swarm, content, confidence)
    }
}

/// Words from which a text is certainly long enough for an article. Judgement.
pub const CLEAR_WORDS: usize = 150;

fn confidence(kept: usize, between: usize) -> f64 {
    if kept == 0 {
        return 0.0;
    }
    let density = kept as f64 / (kept + between) as f64;
    density * (kept as f64 / CLEAR_WORDS as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_high_for_long_dense_text() {
        for (kept, between, expect) in [(0, 0, 0.0), (75, 0, 0.5), (150, 0, 1.0), (600, 200, 0.75), (75, 75, 0.25)] {
            assert_eq!(confidence(kept, between), expect, "{kept} {between}");
        }
    }
}
