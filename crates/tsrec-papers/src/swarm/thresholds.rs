//! The thresholds, and how a particle's position maps to them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::block::features::{BlockFeature, Bound, FEATURES};

/// One threshold per feature, in the feature's own unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// By [`BlockFeature`]. A least value of 0 and a greatest value of infinity accept every block.
    pub values: [f64; FEATURES],
}

impl Thresholds {
    /// Thresholds that every block meets: the paper's strategy PR.
    pub const OPEN: Thresholds = {
        let mut values = [0.0; FEATURES];
        values[BlockFeature::Anchor as usize] = f64::INFINITY;
        values[BlockFeature::List as usize] = f64::INFINITY;
        Thresholds { values }
    };

    /// True if a block with these features is content: it meets *all* thresholds (section 3.5).
    pub fn accept(&self, features: &[f64; FEATURES]) -> bool {
        BlockFeature::ALL.into_iter().zip(&self.values).zip(features).all(|((feature, threshold), value)| match feature
            .bound()
        {
            Bound::Least => value >= threshold,
            Bound::Most => value <= threshold,
        })
    }

    /// [`OPEN`](Self::OPEN) except for one feature.
    pub fn only(feature: BlockFeature, threshold: f64) -> Self {
        let mut thresholds = Self::OPEN;
        thresholds.values[feature as usize] = threshold;
        thresholds
    }
}

impl fmt::Display for Thresholds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (feature, threshold)) in BlockFeature::ALL.into_iter().zip(self.values).enumerate() {
            let sign = match feature.bound() {
                Bound::Least => "≥",
                Bound::Most => "≤",
            };
            write!(f, "{}{feature} {sign} {threshold:.4}", if index > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// Steps of an [`AxisScale`]: a threshold is exact to a hundredth of a percent of the words.
const STEPS: usize = 10_000;

/// Maps a coordinate on each axis to a threshold. A coordinate u is the value that the blocks with
/// the share u of the training pages' words stay below. So any position in [0, 1] is a sensible
/// threshold, whatever the feature's unit and distribution. A linear scale would spend nearly all
/// of its length where there is hardly a block.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisScale {
    /// For each feature its quantiles, ascending, `STEPS + 1` of them.
    quantiles: [Vec<f64>; FEATURES],
}

impl AxisScale {
    /// Learns the scale from blocks, each with its features and its words. O(n log n).
    pub fn learn<'b>(blocks: impl Iterator<Item = (&'b [f64; FEATURES], usize)> + Clone) -> Self {
        let all: usize = blocks.clone().map(|(_, words)| words).sum();
        let quantiles = BlockFeature::ALL.map(|feature| {
            let mut values: Vec<(f64, usize)> =
                blocks.clone().map(|(values, words)| (values[feature as usize], words)).collect();
            values.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut quantiles = Vec::with_capacity(STEPS + 1);
            let mut below = 0;
            for (value, words) in values {
                below += words;
                while quantiles.len() * all < below * STEPS {
                    quantiles.push(value);
                }
            }
            let most = quantiles.last().copied().unwrap_or(0.0);
            quantiles.resize(STEPS + 1, most);
            quantiles
        });
        AxisScale { quantiles }
    }

    /// The threshold of one feature at a coordinate. One end of [0, 1] accepts everything. At or
    /// beyond that end every block passes, also on pages outside training. Beyond the other end the
    /// threshold is that of the end.
    pub fn threshold(&self, feature: BlockFeature, coordinate: f64) -> f64 {
        match feature.bound() {
            Bound::Least if coordinate <= 0.0 => 0.0,
            Bound::Most if coordinate >= 1.0 => f64::INFINITY,
            _ => {
                let at = coordinate.clamp(0.0, 1.0) * STEPS as f64;
                let quantiles = &self.quantiles[feature as usize];
                let (below, above) = (quantiles[at.floor() as usize], quantiles[at.ceil() as usize]);
                below + (above - below) * at.fract()
            }
        }
    }

    /// The thresholds at a position.
    pub fn thresholds(&self, position: &[f64; FEATURES]) -> Thresholds {
        Thresholds { values: BlockFeature::ALL.map(|feature| self.threshold(feature, position[feature as usize])) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_thresholds_must_be_met() {
        let fine = [20.0, 3.0, 0.8, 0.4, 0.1, 0.0, 0.0, 0.1];
        assert!(Thresholds::OPEN.accept(&fine));
        for (feature, threshold, expect) in [
            (BlockFeature::SentenceLength, 20.0, true),
            (BlockFeature::SentenceLength, 20.1, false),
            (BlockFeature::Sentences, 4.0, false),
            (BlockFeature::Anchor, 0.1, true),
            (BlockFeature::Anchor, 0.09, false),
            (BlockFeature::List, 0.0, true),
            (BlockFeature::Structure, 0.2, false),
        ] {
            assert_eq!(Thresholds::only(feature, threshold).accept(&fine), expect, "{feature} {threshold}");
        }
        assert!(Thresholds::OPEN.accept(&[0.0; FEATURES]));
    }

    #[test]
    fn a_coordinate_is_a_share_of_the_words() {
        // 30 words in blocks of value 1, 70 in blocks of value 5.
        let blocks = [([1.0; FEATURES], 10), ([5.0; FEATURES], 70), ([1.0; FEATURES], 20)];
        let scale = AxisScale::learn(blocks.iter().map(|(values, words)| (values, *words)));
        for (feature, coordinate, expect) in [
            (BlockFeature::Sentences, -1.0, 0.0),
            (BlockFeature::Sentences, 0.0, 0.0),
            (BlockFeature::Sentences, 0.01, 1.0),
            (BlockFeature::Sentences, 0.29, 1.0),
            (BlockFeature::Sentences, 0.31, 5.0),
            (BlockFeature::Sentences, 2.0, 5.0),
            (BlockFeature::Anchor, -1.0, 1.0),
            (BlockFeature::Anchor, 0.29, 1.0),
            (BlockFeature::Anchor, 0.99, 5.0),
            (BlockFeature::Anchor, 1.0, f64::INFINITY),
        ] {
            assert_eq!(scale.threshold(feature, coordinate), expect, "{feature} {coordinate}");
        }
        // Without blocks there is no scale, and nothing may break.
        assert_eq!(AxisScale::learn([].into_iter()).threshold(BlockFeature::Sentences, 0.5), 0.0);
    }
}
