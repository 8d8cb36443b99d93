//! Lessons: what the score learns from a page.


use super::kind::PageKind;
use crate::analysis::Analysis;
use crate::page::Gold;

/// The lesson of a page: its analysis, which holds no text, and which of it is content.
#[derive(Clone, Debug)]
pub struct BlockLesson {
    /// The page.
    pub analysis: Analysis,
    /// Its site. `None` if unknown: then the page counts as a site of its own.
    pub site: Option<String>,
    /// The kind of the page, if a person gave it.
    pub kind: Option<PageKind>,
    /// For each block, the share of its words that are content, from 0 to 1.
    pub kept: Vec<f32>,
    /// Content words that no block has.
    pub lost: u32,
}

impl BlockLesson {
    /// The lesson of a page with gold. Linear.
    pub fn new(analysis: Analysis, site: Option<&str>, kind: Option<PageKind>, gold: &Gold) -> Self {
        let nodes = analysis.leaves().iter().map(|leaf| leaf.node.index() + 1).max().unwrap_or(0);
        let mut block_of = vec![u32::MAX; nodes];
        for leaf in analysis.leaves() {
            block_of[leaf.node.index()] = leaf.block;
        }
        let mut counts = vec![(0_u32, 0_u32); analysis.blocks().len()];
        for word in gold.words.iter().chain(&gold.hidden) {
            let block = block_of.get(word.node.index()).and_then(|&block| counts.get_mut(block as usize));
            if let Some((kept, all)) = block {
                *all += 1;
                *kept += u32::from(word.kept);
            }
        }
        let share = |(kept, all): (u32, u32)| if all == 0 { 0.0 } else { kept as f32 / all as f32 };
        BlockLesson {
            kept: counts.into_iter().map(share).collect(),
            lost: u32::try_from(gold.lost).unwrap_or(u32::MAX),
            site: site.map(str::to_owned),
            kind,
            analysis,
        }
    }

    /// The weight of each block: the square root of its words. Every page has the same sum.
    pub(super) fn weights(&self) -> Vec<f32> {
        let roots: Vec<f32> = self.analysis.blocks().iter().map(|block| (block.text.words as f32).sqrt()).collect();
        let sum: f32 = roots.iter().sum();
        roots.into_iter().map(|root| if sum == 0.0 { 0.0 } else { root / sum }).collect()
    }

    /// The labels of the blocks, in the form in which a person gives them.
    pub fn said(&self) -> Vec<Option<bool>> {
        self.labels().map(Some).collect()
    }

    /// Whether each block is content, that is, at least half of its words are.
    pub(super) fn labels(&self) -> impl Iterator<Item = bool> + '_ {
        self.kept.iter().map(|&kept| kept >= 0.5)
    }

    /// The F1 over words if these blocks are kept. `None` if the page has no content.
    pub(super) fn f1(&self, keep: &[bool]) -> Option<f64> {
        let (mut hit, mut size, mut gold) = (0.0, 0.0, f64::from(self.lost));
        for ((block, &kept), &keep) in self.analysis.blocks().iter().zip(&self.kept).zip(keep) {
            let words = f64::from(block.text.words);
            gold += words * f64::from(kept);
            if keep {
                size += words;
                hit += words * f64::from(kept);
            }
        }
        (gold > 0.0).then(|| 2.0 * hit / (size + gold))
    }
}
