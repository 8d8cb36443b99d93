//! One tree, grown from its best leaf outwards.

use std::ops::Range;

use super::Training;
use super::bins::BinnedRows;
use super::forest::DEEPEST;
use super::gradient::{Derivatives, entries};
use super::histogram::{self, GradientSums, RowDerivatives};
use super::split::{Judge, Split};
use crate::learn::parallel::{self, Workers};

/// Below so many counts and bins a thread costs more than it saves (judgement: some 30
/// microseconds' work).
const WORTH_A_PART: usize = 1 << 15;

/// A tree over bins. The first node is the root, and children come after their parents.
#[derive(Clone, Debug)]
pub(super) struct GrownTree {
    pub(super) nodes: Vec<GrownNode>,
}

/// A node of a tree that was grown.
#[derive(Clone, Debug)]
pub(super) enum GrownNode {
    /// A question, and where those go that answer it.
    Split { split: Split, children: [usize; 2] },
    /// What is added to the score, and the weight of the rows that came here.
    Leaf { value: f32, weight: f64 },
}

impl GrownTree {
    /// What the tree adds to the score of a row of the table.
    pub(super) fn value(&self, table: &BinnedRows, row: usize) -> f32 {
        let mut at = 0;
        loop {
            match &self.nodes[at] {
                GrownNode::Leaf { value, .. } => return *value,
                GrownNode::Split { split, children } => {
                    at = children[usize::from(!split.goes_left(table.bin(row, split.column)))];
                }
            }
        }
    }
}

/// What a tree is grown from.
pub(super) struct Grower<'a> {
    pub(super) table: &'a BinnedRows,
    /// Where each column's bins lie in a histogram.
    pub(super) offsets: &'a [usize],
    pub(super) weights: &'a [f32],
    pub(super) training: &'a Training,
    pub(super) workers: &'a dyn Workers,
    /// The rows that the tree sees, ascending.
    pub(super) rows: &'a [u32],
    /// Which columns it may ask.
    pub(super) columns: &'a [bool],
}

/// A leaf that may yet be split.
struct OpenLeaf {
    entries: Range<usize>,
    sums: GradientSums,
    node: usize,
    depth: usize,
    histogram: Vec<GradientSums>,
    split: Option<Split>,
}

impl Grower<'_> {
    /// Grows a tree along the derivatives and adds what it says of the rows that it saw to their
    /// scores. `None` when no split gains.
    ///
    /// O(rows · columns) for the first leaf; each later one costs the smaller of two children, by
    /// columns, and the bins.
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
                scores[entry.row as usize] += f64::from(value);
                weight += f64::from(self.weights[entry.row as usize]);
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

    /// Parts a leaf that has a split. Rows of either side keep their order.
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
        let column = split.column;
        let goes_left = |entry: &RowDerivatives| split.goes_left(self.table.bin(entry.row as usize, column));
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

    /// Counts the rows of one leaf, takes the other's histogram from its parent's, if there is
    /// another, and finds the best split of each.
    fn count(
        &self,
        judge: &Judge<'_>,
        entries: &[RowDerivatives],
        sums: [GradientSums; 2],
        small: &mut [GradientSums],
        large: Option<&mut [GradientSums]>,
    ) -> [Option<Split>; 2] {
        let mut blocks = Vec::with_capacity(self.table.blocks.len());
        let mut rest = (small, large);
        for (block, columns) in columns_of_blocks(self.table).enumerate() {
            let length = self.offsets[columns.end] - self.offsets[columns.start];
            let (small, small_rest) = rest.0.split_at_mut(length);
            let (large, large_rest) = rest.1.map(|large| large.split_at_mut(length)).unzip();
            rest = (small_rest, large_rest);
            blocks.push((block, columns, small, large));
        }
        let work = entries.len() * self.table.edges.len() + 2 * self.offsets[self.offsets.len() - 1];
        let parts = self.workers.count().min(work / WORTH_A_PART);
        let found = parallel::map_in(parts, self.workers, blocks, |(block, columns, small, large)| {
            if !self.columns[columns.clone()].contains(&true) {
                return [None, None];
            }
            let offsets = &self.offsets[columns.start..=columns.end];
            histogram::count(&self.table.blocks[block], entries, offsets, small);
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
        let start = self.offsets[columns.start];
        let allowed = columns.filter(|&column| self.columns[column]);
        let splits = allowed.map(|column| {
            let place = self.offsets[column] - start..self.offsets[column + 1] - start;
            judge.best(column, &histogram[place], sums)
        });
        splits.fold(None, better)
    }

    fn histogram(&self, free: &mut Vec<Vec<GradientSums>>) -> Vec<GradientSums> {
        free.pop().unwrap_or_else(|| vec![GradientSums::default(); self.offsets[self.offsets.len() - 1]])
    }
}

/// The columns of each block of the table.
fn columns_of_blocks(table: &BinnedRows) -> impl Iterator<Item = Range<usize>> {
    let columns = table.edges.len();
    (0..columns).step_by(super::bins::LANES).map(move |first| first..columns.min(first + super::bins::LANES))
}

/// The split of greater gain, the first of equals.
fn better(first: Option<Split>, second: Option<Split>) -> Option<Split> {
    match (first, second) {
        (Some(first), Some(second)) => Some(if second.gain > first.gain { second } else { first }),
        (first, second) => first.or(second),
    }
}

/// The leaf whose split gains most; the one of the earliest node among equals.
fn most_gain(leaves: &[OpenLeaf]) -> Option<usize> {
    let gains = leaves.iter().enumerate().filter_map(|(at, leaf)| Some((at, leaf.split?.gain, leaf.node)));
    gains.max_by(|a, b| a.1.total_cmp(&b.1).then(b.2.cmp(&a.2))).map(|(at, ..)| at)
}

/// Moves the entries that go left before the others, all in their order, and says how many they
/// are. `right` is room to work in.
fn partition(
    entries: &mut [RowDerivatives],
    goes_left: impl Fn(&RowDerivatives) -> bool,
    right: &mut Vec<RowDerivatives>,
) -> usize {
    right.clear();
    right.resize(entries.len(), RowDerivatives::default());
    let (mut lefts, mut rights) = (0, 0);
    for at in 0..entries.len() {
        // Both writes are made and one of them counts: which way a row goes cannot be foretold, and
        // a wrong guess costs more.
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
