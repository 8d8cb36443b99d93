//! The format of a model on disk: some seven bytes per node.
//!
//! Trees are written in depth-first order, so that children need no addresses. A threshold is its
//! rank among those of its column. The reader checks that the data are trees, so a damaged file
//! gives only an error.

use serde::{Deserialize, Serialize};

use super::exit::Exit;
use super::forest::{DEEPEST, Forest, MOST_COLUMNS, MOST_LEAVES};

/// A forest as stored.
#[derive(Serialize, Deserialize)]
pub(super) struct Form {
    base: Vec<f32>,
    /// For each column, the thresholds in use, ascending.
    thresholds: Vec<Vec<f32>>,
    /// For each node in depth-first order: 0 for a leaf, else 1 + 2 · column + whether an absent
    /// value goes left.
    codes: Vec<u16>,
    /// For each split, the rank of its threshold.
    ranks: Vec<u8>,
    /// For each leaf, its value.
    values: Vec<f32>,
    /// For each leaf, its cover.
    covers: Vec<u16>,
    exits: Vec<Exit>,
}

/// The bits of a cover that are kept, from its highest one on. Judgement: covers only share a score
/// out among columns, and are at most 1/8 too small.
const COVER_BITS: u32 = 4;

impl From<Forest> for Form {
    fn from(forest: Forest) -> Form {
        let mut form = Form {
            base: forest.base.clone(),
            thresholds: thresholds(&forest),
            codes: Vec::with_capacity(forest.nodes.len()),
            ranks: Vec::new(),
            values: Vec::new(),
            covers: Vec::new(),
            exits: forest.exits.clone(),
        };
        for tree in 0..forest.roots.len() {
            let range = forest.range(tree);
            for (at, (node, &cover)) in forest.nodes[range.clone()].iter().zip(&forest.covers[range]).enumerate() {
                if node.is_leaf(at) {
                    form.codes.push(0);
                    form.values.push(node.number);
                    form.covers.push(cover as u16);
                } else {
                    let edges = &form.thresholds[usize::from(node.column)];
                    form.codes.push(1 + 2 * node.column + u16::from(node.absent_left));
                    form.ranks.push(edges.partition_point(|&edge| edge < node.number) as u8);
                }
            }
        }
        form
    }
}

fn thresholds(forest: &Forest) -> Vec<Vec<f32>> {
    let mut thresholds = vec![Vec::new(); forest.columns];
    for tree in forest.trees() {
        for (_, node) in tree.iter().enumerate().filter(|(at, node)| !node.is_leaf(*at)) {
            thresholds[usize::from(node.column)].push(node.number);
        }
    }
    for column in &mut thresholds {
        column.sort_by(f32::total_cmp);
        column.dedup();
    }
    thresholds
}

impl TryFrom<Form> for Forest {
    type Error = &'static str;

    fn try_from(form: Form) -> Result<Forest, &'static str> {
        form.check()?;
        let Form { base, thresholds, codes, ranks, values, covers, exits } = form;
        let mut forest = Forest { exits, ..Forest::with_capacity(thresholds.len(), base, codes.len()) };
        let mut ranks = ranks.into_iter();
        let mut leaves = values.into_iter().zip(covers);
        let mut codes = codes.into_iter().peekable();
        while codes.peek().is_some() {
            let root = forest.nodes.len();
            // Splits whose right side is still to come, each with its depth, and the depth of the
            // current node.
            let mut open: Vec<(usize, usize)> = Vec::new();
            let mut depth = 0;
            loop {
                let here = forest.nodes.len() - root;
                if here > 2 * (MOST_LEAVES - 1) || depth > DEEPEST {
                    return Err("a tree is too large");
                }
                let code = codes.next().ok_or("a tree has no end")?;
                if let Some(code) = code.checked_sub(1) {
                    let rank = ranks.next().ok_or("a threshold is missing")?;
                    let column = thresholds.get(usize::from(code / 2)).ok_or("a column is missing")?;
                    let threshold = *column.get(usize::from(rank)).ok_or("a threshold is missing")?;
                    forest.split(here, code / 2, threshold, code % 2 == 1);
                    open.push((here, depth));
                    depth += 1;
                    continue;
                }
                let (value, cover) = leaves.next().ok_or("a leaf is missing")?;
                forest.leaf(here, value, cover);
                let Some((parent, parent_depth)) = open.pop() else { break };
                forest.nodes[root + parent].children[1] = here as u16 + 1;
                depth = parent_depth + 1;
            }
            forest.close(root);
        }
        if ranks.next().is_some() || leaves.next().is_some() {
            return Err("there is more than the trees need");
        }
        if !forest.roots.len().is_multiple_of(forest.base.len()) {
            return Err("a tree is missing");
        }
        let in_order = forest.exits.is_sorted_by(|a, b| a.trees < b.trees);
        let within = forest.exits.last().is_none_or(|last| (last.trees as usize) < forest.roots.len());
        if !(in_order && within && forest.exits.iter().all(Exit::is_sound)) {
            return Err("its exits are out of order");
        }
        if !forest.exits.is_empty() && forest.base.len() > 1 {
            return Err("models of classes have no exits");
        }
        Ok(forest)
    }
}

impl Form {
    /// Rounds values to the upper two of their four bytes, and cuts covers to [`COVER_BITS`] bits.
    /// Files keep their length; gzipped, the model that ships is a seventh smaller.
    pub(super) fn shorten(&mut self) {
        for value in &mut self.values {
            *value = f32::from_bits(value.to_bits().saturating_add(0x8000) & 0xffff_0000);
        }
        for cover in &mut self.covers {
            let dropped = (u16::BITS - cover.leading_zeros()).saturating_sub(COVER_BITS);
            *cover = *cover >> dropped << dropped;
        }
    }

    /// Checks everything that needs no walk over the trees.
    fn check(&self) -> Result<(), &'static str> {
        if self.base.is_empty() || self.thresholds.is_empty() || self.thresholds.len() > MOST_COLUMNS {
            return Err("it has no outputs, no columns or too many");
        }
        if !self.base.iter().chain(&self.values).all(|value| value.is_finite()) {
            return Err("a value is not a number");
        }
        if !self.thresholds.iter().all(|column| column.is_sorted() && !column.iter().any(|edge| edge.is_nan())) {
            return Err("thresholds do not ascend");
        }
        if self.values.len() != self.covers.len() || self.covers.contains(&0) {
            return Err("leaves and covers do not agree");
        }
        Ok(())
    }
}
