//! Upper bounds: the best single feature (section 4.3), and the best choice of blocks.

use super::ground::{Ground, MeasuredPage, Sum};
use super::thresholds::{AxisScale, Thresholds};
use crate::block::features::BlockFeature;

/// The result of one feature without the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SingleFeature {
    /// The feature.
    pub feature: BlockFeature,
    /// Its best threshold, in the feature's unit.
    pub threshold: f64,
    /// The mean similarity at that threshold.
    pub fitness: f64,
}

/// The number of steps over a feature's range: a hundredth of the words each.
const STEPS: usize = 100;

impl Ground {
    /// The single-feature experiment: each feature alone, at its best threshold on these same
    /// pages. If several thresholds are equal, the least.
    pub fn single_features(&self) -> Vec<SingleFeature> {
        let scale = AxisScale::learn(self.features());
        let single = |feature| {
            let tried = (0..=STEPS).map(|step| {
                let threshold = scale.threshold(feature, step as f64 / STEPS as f64);
                let fitness = self.fitness(&Thresholds::only(feature, threshold));
                SingleFeature { feature, threshold, fitness }
            });
            tried.reduce(|best, next| if next.fitness > best.fitness { next } else { best })
        };
        BlockFeature::ALL.into_iter().filter_map(single).collect()
    }

    /// The mean similarity of the best choice of whole blocks on each page. It is an upper bound
    /// for any decision over these blocks. A greedy climb finds it approximately. O(blocks²) per
    /// page and step.
    pub fn best_choice(&self) -> f64 {
        self.mean(climb)
    }
}

/// Starts once from no block, and once from all blocks with at least half of their terms in the
/// gold. Adds or removes the one block that helps most, until none does.
fn climb(page: &MeasuredPage) -> f64 {
    let nothing = vec![false; page.blocks.len()];
    let likely = page.blocks.iter().map(|block| block.length > 0 && block.product >= block.length).collect();
    [nothing, likely].into_iter().map(|start| climb_from(page, start)).fold(0.0, f64::max)
}

fn climb_from(page: &MeasuredPage, mut taken: Vec<bool>) -> f64 {
    let mut sum = Sum::default();
    sum.clear(page);
    page.blocks.iter().zip(&taken).filter(|(_, taken)| **taken).for_each(|(block, _)| sum.add(block));
    let mut most = sum.similarity(page);
    loop {
        let mut best = None;
        for (index, block) in page.blocks.iter().enumerate() {
            flip(&mut sum, block, taken[index]);
            let value = sum.similarity(page);
            flip(&mut sum, block, !taken[index]);
            if value > most {
                (best, most) = (Some(index), value);
            }
        }
        let Some(index) = best else { return most };
        flip(&mut sum, &page.blocks[index], taken[index]);
        taken[index] = !taken[index];
    }
}

fn flip(sum: &mut Sum, block: &super::ground::MeasuredBlock, taken: bool) {
    match taken {
        true => sum.remove(block),
        false => sum.add(block),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::removal::Splitting;
    use tsrec_core::html::parse;

    const PAGE: &str =
        "<p><a href=/>the front page</a></p><p>the ferry sails in the evening</p><ul><li>more of it</ul><p>and so on";

    fn ground(splitting: Splitting, gold: &str) -> Ground {
        let mut ground = Ground::default();
        ground.add(&parse(PAGE.as_bytes(), None, &Default::default()), splitting, gold);
        ground
    }

    #[test]
    fn the_best_choice_is_bound_by_the_blocks() {
        let gold = "The ferry sails in the evening, and so on.";
        assert!((ground(Splitting::Blocks, gold).best_choice() - 1.0).abs() < 1e-12);
        // One block: all of it or nothing.
        let paper = ground(Splitting::Paper, gold);
        assert_eq!(paper.best_choice(), paper.fitness(&Thresholds::OPEN));
        assert!(paper.best_choice() < 0.9);
    }

    #[test]
    fn each_feature_is_judged_alone() {
        let singles = ground(Splitting::Blocks, "The ferry sails in the evening").single_features();
        assert_eq!(singles.iter().map(|single| single.feature).collect::<Vec<_>>(), BlockFeature::ALL);
        for single in singles {
            match single.feature {
                // The only block of more than three words is the gold.
                BlockFeature::SentenceLength => assert!(single.threshold > 3.0 && (single.fitness - 1.0).abs() < 1e-12),
                _ => assert!(single.fitness < 1.0, "{single:?}"),
            }
        }
    }
}
