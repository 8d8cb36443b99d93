//! The rounds of boosting.

use super::bins::BinnedRows;
use super::forest::Forest;
use super::gradient::Task;
use super::grow::{Grower, GrownNode, GrownTree};
use super::histogram::offsets;
use super::{ClassModel, Error, Model, Rows, Training, exit};
use crate::learn::parallel::{self, InTurn};
use crate::learn::random::Random;

/// A round that is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Which one, from 1.
    pub number: usize,
    /// How many there are to be.
    pub of: usize,
    /// The weighted mean loss of the rows trained on, after it, in nats.
    pub loss: f64,
}

/// What came of training.
#[derive(Clone, Debug)]
pub struct TrainedForest<M> {
    /// The model.
    pub model: M,
    /// By how much each column's splits lowered the loss, all trees together: what the model goes
    /// by.
    pub gain: Vec<f64>,
}

/// Learns to tell rows with the label 1 from those with 0; a label between is a probability. A row
/// of weight 0 is as if it were not there. Training ends early when no split is left that gains.
///
/// Time is O(trees · rows · columns · log leaves), memory five bytes a value and what the leaves'
/// histograms take.
///
/// # Errors
/// When labels or weights are not as many as rows or out of their range, or settings are.
pub fn train(
    rows: &Rows,
    labels: &[f32],
    weights: &[f32],
    training: &Training,
    progress: impl FnMut(&Round),
) -> Result<TrainedForest<Model>, Error> {
    training.check(rows, labels.len(), weights)?;
    if let Some(row) = labels.iter().position(|label| !(0.0..=1.0).contains(label)) {
        return Err(Error::new(format!("row {row} has the label {}", labels[row])));
    }
    let (mut forest, gain) = boost(rows, &Task::Binary(labels), weights, training, progress);
    if training.early_exits {
        forest.exits = exit::find(&forest, rows, weights);
    }
    Ok(TrainedForest { model: Model::new(forest), gain })
}

/// Learns which of `classes` classes a row is of, numbered from 0: each round grows a tree for each
/// class.
///
/// # Errors
/// As [`train`]; and when there are fewer than two classes, or a label is none of them.
pub fn train_classes(
    rows: &Rows,
    labels: &[usize],
    classes: usize,
    weights: &[f32],
    training: &Training,
    progress: impl FnMut(&Round),
) -> Result<TrainedForest<ClassModel>, Error> {
    training.check(rows, labels.len(), weights)?;
    if classes < 2 {
        return Err(Error::new(format!("{classes} classes are no choice")));
    }
    if let Some(row) = labels.iter().position(|&label| label >= classes) {
        return Err(Error::new(format!("row {row} is of class {}, and there are {classes}", labels[row])));
    }
    let (forest, gain) = boost(rows, &Task::Classes(labels, classes), weights, training, progress);
    Ok(TrainedForest { model: ClassModel::new(forest), gain })
}

fn boost(
    rows: &Rows,
    task: &Task<'_>,
    weights: &[f32],
    training: &Training,
    mut progress: impl FnMut(&Round),
) -> (Forest, Vec<f64>) {
    let table = BinnedRows::new(rows, weights, training.bins, training.workers);
    let base = task.base(weights);
    let mut scores: Vec<Vec<f64>> = base.iter().map(|&base| vec![f64::from(base); rows.len()]).collect();
    let mut random = Random::new(training.seed);
    let mut trees: Vec<GrownTree> = Vec::new();
    for number in 1..=training.trees {
        let round = Rounds { task, table: &table, weights, training };
        let Some(grown) = round.round(&mut scores, &mut random) else { break };
        trees.extend(grown);
        progress(&Round { number, of: training.trees, loss: task.loss(&scores, weights, training.workers) });
    }
    let gain = gain(&trees, rows.columns());
    (Forest::new(base, &trees, &table.edges), gain)
}

/// What every round needs.
struct Rounds<'a> {
    task: &'a Task<'a>,
    table: &'a BinnedRows,
    weights: &'a [f32],
    training: &'a Training,
}

impl Rounds<'_> {
    /// A tree for each output, which is a lone leaf where no split gains. `None` when that will be
    /// so for ever.
    fn round(&self, scores: &mut [Vec<f64>], random: &mut Random) -> Option<Vec<GrownTree>> {
        let Rounds { task, table, weights, training } = *self;
        let rows = sample_rows(weights, training.row_share, random);
        let columns: Vec<Vec<bool>> =
            scores.iter().map(|_| sample_columns(table.edges.len(), training.column_share, random)).collect();
        let derivatives = task.derivatives(scores, weights, training.workers);
        let offsets = offsets(table);
        // Trees of several classes are grown side by side, a lone one by all workers.
        let workers = if task.outputs() > 1 { &InTurn } else { training.workers };
        let outputs: Vec<_> = scores.iter_mut().zip(&derivatives).zip(&columns).collect();
        let grown = parallel::map(training.workers, outputs, |((scores, derivatives), columns)| {
            let grower = Grower { table, offsets: &offsets, weights, training, workers, rows: &rows, columns };
            let tree = grower.grow(derivatives, scores)?;
            add_unseen(&tree, table, weights, &rows, scores);
            Some(tree)
        });
        if training.sees_all() && grown.iter().all(Option::is_none) {
            return None;
        }
        let total = weights.iter().copied().map(f64::from).sum();
        let lone = || GrownTree { nodes: vec![GrownNode::Leaf { value: 0.0, weight: total }] };
        Some(grown.into_iter().map(|tree| tree.unwrap_or_else(lone)).collect())
    }
}

/// The rows that a round sees: each that has a weight, with the probability `share`.
fn sample_rows(weights: &[f32], share: f64, random: &mut Random) -> Vec<u32> {
    let weighted = (0..weights.len() as u32).filter(|&row| weights[row as usize] > 0.0);
    weighted.filter(|_| share >= 1.0 || random.unit() < share).collect()
}

/// Which columns a tree sees: so many of them, one at least, all sets equally likely.
fn sample_columns(columns: usize, share: f64, random: &mut Random) -> Vec<bool> {
    let wanted = ((columns as f64 * share).round() as usize).clamp(1, columns);
    let mut order: Vec<usize> = (0..columns).collect();
    let mut chosen = vec![wanted == columns; columns];
    if wanted < columns {
        for at in 0..wanted {
            let other = at + (random.unit() * (columns - at) as f64) as usize;
            order.swap(at, other);
            chosen[order[at]] = true;
        }
    }
    chosen
}

/// Adds what a tree says of the rows that it was not shown, so that the next sees where they stand.
fn add_unseen(tree: &GrownTree, table: &BinnedRows, weights: &[f32], seen: &[u32], scores: &mut [f64]) {
    let mut seen = seen.iter().copied().peekable();
    for row in 0..weights.len() {
        let was_seen = seen.next_if_eq(&(row as u32)).is_some();
        if !was_seen && weights[row] > 0.0 {
            scores[row] += f64::from(tree.value(table, row));
        }
    }
}

fn gain(trees: &[GrownTree], columns: usize) -> Vec<f64> {
    let mut gain = vec![0.0; columns];
    for node in trees.iter().flat_map(|tree| &tree.nodes) {
        if let GrownNode::Split { split, .. } = node {
            gain[split.column] += split.gain;
        }
    }
    gain
}
