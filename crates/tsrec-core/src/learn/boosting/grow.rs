//! Grows one tree, always splitting the best leaf.

use std::ops::Range;

use super::Training;
use super::bins::BinnedRows;
use super::forest::DEEPEST;
use super::gradient::{Derivatives, entries};
use super::histogram::{self, GradientSums, RowDerivatives};
use super::sample::{LANES, SampledBins};
use super::split::{Judge, Split};
use crate::learn::parallel::{self, Workers};

/// Below this many counts and bins a thread costs more than it saves (judgement: some 30
/// microseconds' work).
const WORTH_A_PART: usize = 1 << 15;

/// A tree over bins. The first node is the root, and children come after their parents.
#[derive(Clone, Debug)]
pub(super) struct GrownTree {
    pub(super) nodes: Vec<GrownNode>,
}

/// A node of a grown tree.
#[derive(Clone, Debug)]
pub(super) enum GrownNode {
    /// A split and its two children.
    Split { split: Split, children: [usize; 2] },
    /// What is added to the score, and the weight of the rows that reached this leaf.
    Leaf { value: f32, weight: f64 },
}

impl GrownTree {
    /// Adds the tree's values to the scores of these rows of the table. O(rows · depth). It takes
    /// all rows down node by node: their order stays, so each column is read from its beginning to
    /// its end.
    pub(super) fn add(&self, table: &BinnedRows, mut rows: Vec<u32>, scores: &mut [f64]) {
        let mut right = Vec::new();
        let mut pending = vec![(0, 0..rows.len())];
        while let Some((at, range)) = pending.pop() {
            match &self.nodes[at] {
                GrownNode::Leaf { value, .. } => {
                    rows[range].iter().for_each(|&row| scores[row as usize] += f64::from(*value));
                }
                GrownNode::Split { split, children } => {
                    let column = &table.columns[split.column];
                    let goes_left = |row: &u32| split.goes_left(column[*row as usize]);
                    let middle = range.start + partition(&mut rows[range.clone()], goes_left, &mut right);
                    pending.extend([(children[0], range.start..middle), (children[1], middle..range.end)]);
                }
            }
        }
    }
}

/// The input of growing a tree.
pub(super) struct Grower<'a> {
    /// The bins of the tree's rows, in the columns that it may use.
    pub(super) bins: &'a SampledBins,
    pub(super) weights: &'a [f32],
    pub(super) training: &'a Training,
    pub(super) workers: &'a dyn Workers,
    /// The rows that the tree is trained on, ascending.
    pub(super) rows: &'a [u32],
}

/// A leaf that may still be split.
struct OpenLeaf {
    entries: Range<usize>,
    sums: GradientSums,
    node: usize,
    depth: usize,
    histogram: Vec<GradientSums>,
    split: Option<Split>,
}

impl Grower<'_> {
    /// Grows a tree along the derivatives, and adds its values to the scores of its rows. `None` if
    /// no split gains.
    ///
    /// O(rows · columns) for the first leaf. Each later one costs the rows of the smaller child
    /// times columns, plus the bins.
    pub(super) fn grow(&self, derivatives: &[Derivatives], scores: &mut [f64]) -> Option<GrownTree> {
        let (mut entries, scale) = entries(derivatives, self.rows)?;
        let judge = Judge { training: self.training, scale };
        let mut nodes = vec![GrownNode::Leaf { value: 0.0, weight: 0.0 }];
        let mut leaves = vec![self.root(&judge, &entries)];
        let (mut free, mut right_entries) = (Vec::new(), Vec::new());
        while leaves.len() < self.training.leaves
            && let Some(at) = most_gain(&leaves)
        {
            let leaf = leaves.swap_remove(at);
            let children = self.split(&judge, leaf, &mut nodes, &mut entries, &mut right_entries, &mut free);
            leaves.extend(children);
        }
        if leaves.len() == 1 {
            return None;
        }
        for leaf in leaves {
            let value = (self.training.learning_rate * judge.step(leaf.sums)) as f32;
            let mut weight = 0.0;
            for entry in &entries[leaf.entries] {
                let row = self.rows[entry.row as usize] as usize;
                scores[row] += f64::from(value);
                weight += f64::from(self.weights[row]);
            }
            nodes[leaf.node] = GrownNode::Leaf { value, weight };
        }
        Some(GrownTree { nodes })
    }

    fn root(&self, judge: &Judge<'_>, entries: &[RowDerivatives]) -> OpenLeaf {
        let sums = GradientSums::from_entries(entries);
        let mut histogram = self.histogram(&mut Vec::new());
        let [split, _] = self.count(judge, entries, [sums, GradientSums::default()], &mut histogram, None);
        OpenLeaf { entries: 0..entries.len(), sums, node: 0, depth: 0, histogram, split }
    }

    /// Splits a leaf. The rows on each side keep their order.
    fn split(
        &self,
        judge: &Judge<'_>,
        leaf: OpenLeaf,
        nodes: &mut Vec<GrownNode>,
        entries: &mut [RowDerivatives],
        right_entries: &mut Vec<RowDerivatives>,
        free: &mut Vec<Vec<GradientSums>>,
    ) -> [OpenLeaf; 2] {
        let split = leaf.split.expect("the leaf was chosen for its split");
        let (block, lane) = self.bins.lane(split.column);
        let goes_left = |entry: &RowDerivatives| split.goes_left(block[entry.row as usize][lane]);
        let middle = leaf.entries.start + partition(&mut entries[leaf.entries.clone()], goes_left, right_entries);

        let ranges = [leaf.entries.start..middle, middle..leaf.entries.end];
        let sums = [split.left, split.right];
        let smaller = usize::from(sums[1].rows() < sums[0].rows());
        let mut histograms = [Vec::new(), Vec::new()];
        let mut splits = [None, None];
        let is_last = nodes.len() / 2 + 2 >= self.training.leaves;
        if leaf.depth + 1 < DEEPEST && !is_last {
            let [mut small, mut large] = [self.histogram(free), leaf.histogram];
            let order = [sums[smaller], sums[1 - smaller]];
            let found = self.count(judge, &entries[ranges[smaller].clone()], order, &mut small, Some(&mut large));
            (splits[smaller], splits[1 - smaller]) = (found[0], found[1]);
            (histograms[smaller], histograms[1 - smaller]) = (small, large);
        }

        let first = nodes.len();
        nodes[leaf.node] = GrownNode::Split { split, children: [first, first + 1] };
        nodes.extend([GrownNode::Leaf { value: 0.0, weight: 0.0 }, GrownNode::Leaf { value: 0.0, weight: 0.0 }]);
        let mut side = 0;
        [(); 2].map(|()| {
            let child = side;
            side += 1;
            let mut histogram = std::mem::take(&mut histograms[child]);
            if splits[child].is_none() && !histogram.is_empty() {
                free.push(std::mem::take(&mut histogram));
            }
            OpenLeaf {
                entries: ranges[child].clone(),
                sums: sums[child],
                node: first + child,
                depth: leaf.depth + 1,
                histogram,
                split: splits[child],
            }
        })
    }

    /// Counts the rows of one leaf. If there is another, subtracts to get its histogram from the
    /// parent's. Finds the best split of each.
    fn count(
        &self,
        judge: &Judge<'_>,
        entries: &[RowDerivatives],
        sums: [GradientSums; 2],
        small: &mut [GradientSums],
        large: Option<&mut [GradientSums]>,
    ) -> [Option<Split>; 2] {
        let mut blocks = Vec::with_capacity(self.bins.blocks.len());
        let mut rest = (small, large);
        for (block, columns) in self.bins.blocks.iter().zip(columns_of_blocks(self.bins)) {
            let length = self.bins.offsets[columns.end] - self.bins.offsets[columns.start];
            let (small, small_rest) = rest.0.split_at_mut(length);
            let (large, large_rest) = rest.1.map(|large| large.split_at_mut(length)).unzip();
            rest = (small_rest, large_rest);
            blocks.push((block, columns, small, large));
        }
        let work = entries.len() * self.bins.columns.len() + 2 * self.bins.bins();
        let parts = self.workers.count().min(work / WORTH_A_PART);
        let found = parallel::map_in(parts, self.workers, blocks, |(block, columns, small, large)| {
            let offsets = &self.bins.offsets[columns.start..=columns.end];
            histogram::count(block, entries, offsets, small);
            let first = self.best(judge, columns.clone(), small, sums[0]);
            let second = large.and_then(|large| {
                histogram::subtract(large, small);
                self.best(judge, columns, large, sums[1])
            });
            [first, second]
        });
        found.into_iter().fold([None, None], |best, found| [better(best[0], found[0]), better(best[1], found[1])])
    }

    fn best(
        &self,
        judge: &Judge<'_>,
        columns: Range<usize>,
        histogram: &[GradientSums],
        sums: GradientSums,
    ) -> Option<Split> {
        let offsets = &self.bins.offsets;
        let start = offsets[columns.start];
        let splits = columns.map(|at| {
            let place = offsets[at] - start..offsets[at + 1] - start;
            judge.best(self.bins.columns[at], &histogram[place], sums)
        });
        splits.fold(None, better)
    }

    fn histogram(&self, free: &mut Vec<Vec<GradientSums>>) -> Vec<GradientSums> {
        free.pop().unwrap_or_else(|| vec![GradientSums::default(); self.bins.bins()])
    }
}

/// The columns of each block, as indexes among those of the tree.
fn columns_of_blocks(bins: &SampledBins) -> impl Iterator<Item = Range<usize>> {
    let columns = bins.columns.len();
    (0..columns).step_by(LANES).map(move |first| first..columns.min(first + LANES))
}

/// The split with the greater gain; the first if equal.
fn better(first: Option<Split>, second: Option<Split>) -> Option<Split> {
    match (first, second) {
        (Some(first), Some(second)) => Some(if second.gain > first.gain { second } else { first }),
        (first, second) => first.or(second),
    }
}

/// The leaf whose split gains most; the earliest node if equal.
fn most_gain(leaves: &[OpenLeaf]) -> Option<usize> {
    let gains = leaves.iter().enumerate().filter_map(|(at, leaf)| Some((at, leaf.split?.gain, leaf.node)));
    gains.max_by(|a, b| a.1.total_cmp(&b.1).then(b.2.cmp(&a.2))).map(|(at, ..)| at)
}

/// Moves the entries that go left before the others and returns their number. Both sides keep their
/// order. `right` is a work buffer.
fn partition<T: Copy + Default>(entries: &mut [T], goes_left: impl Fn(&T) -> bool, right: &mut Vec<T>) -> usize {
    if right.len() < entries.len() {
        right.resize(entries.len(), T::default());
    }
    let (mut lefts, mut rights) = (0, 0);
    for at in 0..entries.len() {
        // Writes to both places, and one write counts. Which way a row goes is unpredictable, and a
        // mispredicted branch costs more.
        let entry = entries[at];
        let left = goes_left(&entry);
        entries[lefts] = entry;
        right[rights] = entry;
        lefts += usize::from(left);
        rights += usize::from(!left);
    }
    entries[lefts..].copy_from_slice(&right[..rights]);
    lefts
}
