//! Block features with thresholds that a particle swarm learned (Ziegler, Skubacz 2007).
//!
//! 1. Elements are removed or pruned, so that text merges into blocks ([`crate::block::removal`],
//!    section 3.1).
//! 2. Each block has eight features, four of language and four of structure
//!    ([`crate::block::features`], sections 3.2 to 3.4).
//! 3. Each feature has one threshold. A block that meets all eight is content (section 3.5,
//!    [`thresholds`]).
//! 4. A particle swarm finds the thresholds that make a set of pages most like their gold text
//!    ([`train`], section 3.5.3; [`crate::learn::swarm`]).
//!
//! # Deviations
//!
//! The modules of the blocks, the features and the swarm list their own differences. Besides:
//!
//! - The paper does not say how a particle's start in [0, 1] becomes a threshold: see
//!   [`thresholds::AxisScale`].
//! - Pages are compared with the gold words that are on them, since trainers only get those
//!   ([`Example`](tsrec_core::extract::example::Example)).

pub mod baselines;
pub mod bounds;
pub mod ground;
pub mod thresholds;
pub mod train;

use serde::{Deserialize, Serialize};

use self::thresholds::Thresholds;
use crate::block::features::features;
use crate::block::removal::{Splitting, text_blocks};
use tsrec_core::extract::{Extraction, Extractor, Method, NoSibling, PageContext};
use tsrec_core::learn::model::Payload;
use tsrec_core::page::{Content, Piece};

/// The result of the swarm: eight numbers, and the splitting that they are for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SwarmModel {
    /// How pages are split.
    pub splitting: Splitting,
    /// The thresholds that a block must meet.
    pub thresholds: Thresholds,
}

impl Payload for SwarmModel {
    const METHOD: &'static str = "swarm";
    const VERSION: u32 = 1;
}

/// Keeps the blocks that meet a model's thresholds. Linear in the page.
#[derive(Clone, Debug)]
pub struct Swarm {
    model: SwarmModel,
}

impl Swarm {
    /// Creates an extractor with these thresholds.
    pub fn new(model: SwarmModel) -> Self {
        Swarm { model }
    }
}

impl Extractor for Swarm {
    /// Confidence is density times length, since an article is long and in one place. Density is
    /// the share of kept words from the first kept block to the last. Length is the number of kept
    /// words relative to [`CLEAR_WORDS`], at most one.
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        let page = context.page();
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
        Ok(Extraction::of_page(Method::Swarm, content, confidence))
    }
}

/// A text of this many words is certainly long enough for an article. Judgement.
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
