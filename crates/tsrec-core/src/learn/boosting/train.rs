//! The rounds of boosting.

use std::collections::BTreeSet;

use super::bins::BinnedRows;
use super::forest::Forest;
use super::gradient::Task;
use super::grow::{Grower, GrownNode, GrownTree};
use super::sample::SampledBins;
use super::{ClassModel, Error, Model, Rows, Training, exit};
use crate::learn::parallel::{self, InTurn, Workers};
use crate::learn::random::Random;

/// A finished round.
pub struct Round<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// The number of rounds planned.
    pub of: usize,
    task: &'a Task<'a>,
    /// For each output, the scores of the training rows after the round.
    scores: &'a [Vec<f64>],
    weights: &'a [f32],
    workers: &'static dyn Workers,
}

impl Round<'_> {
    /// The weighted mean loss of the training rows after the round, in nats. Linear in the rows.
    pub fn loss(&self) -> f64 {
        self.task.loss(self.scores, self.weights, self.workers)
    }
}

/// The result of training.
#[derive(Clone, Debug)]
pub struct TrainedForest<M> {
    /// The model.
    pub model: M,
    /// How much each column's splits reduced the loss, over all trees. It shows what the model
    /// relies on.
    pub gain: Vec<f64>,
}

/// Learns to tell rows with the label 1 from those with 0. A label between is a probability. A row
/// of weight 0 is ignored. Training ends early when no split gains.
///
/// Time is O(trees · rows · columns · log leaves). Memory is five bytes per value, plus the bins of
/// a tree and its leaves' histograms.
///
/// # Errors
/// When labels or weights are not as many as rows or out of their range, or settings are.
pub fn train(
    rows: &Rows,
    labels: &[f32],
    weights: &[f32],
    training: &Training,
    mut progress: impl FnMut(&Round<'_>),
) -> Result<TrainedForest<Model>, Error> {
    training.check(rows, labels.len(), weights)?;
    check_shares(labels)?;
    let exits = if training.early_exits { exit::places(training.trees) } else { BTreeSet::new() };
    let mut partial = Vec::new();
    let Boosted { mut forest, gain, scores } = boost(rows, &Task::Binary(labels), weights, None, training, |round| {
        if exits.contains(&round.number) {
            partial.push((round.number, round.scores[0].clone()));
        }
        progress(round);
    });
    if training.early_exits {
        partial.retain(|(trees, _)| *trees < forest.roots.len());
        forest.exits = exit::find(&partial, &scores[0], weights);
    }
    Ok(TrainedForest { model: Model::new(forest), gain })
}

/// Learns to correct scores that are given: the trees' sum is what to add to a row's log-odds. As
/// [`train`] apart from that, and without early exits.
///
/// # Errors
/// As [`train`]; and when there are not as many scores as rows.
pub fn train_beyond(
    rows: &Rows,
    given: &[f32],
    labels: &[f32],
    weights: &[f32],
    training: &Training,
) -> Result<TrainedForest<Model>, Error> {
    training.check(rows, labels.len(), weights)?;
    check_shares(labels)?;
    if given.len() != labels.len() {
        return Err(Error::new(format!("{} rows have {} scores", labels.len(), given.len())));
    }
    let Boosted { forest, gain, .. } = boost(rows, &Task::Binary(labels), weights, Some(given), training, |_| {});
    Ok(TrainedForest { model: Model::new(forest), gain })
}

fn check_shares(labels: &[f32]) -> Result<(), Error> {
    match labels.iter().position(|label| !(0.0..=1.0).contains(label)) {
        Some(row) => Err(Error::new(format!("row {row} has the label {}", labels[row]))),
        None => Ok(()),
    }
}

/// Learns which of `classes` classes a row belongs to, numbered from 0. Each round grows one tree
/// per class.
///
/// # Errors
/// As [`train`]; and when there are fewer than two classes, or a label is none of them.
pub fn train_classes(
    rows: &Rows,
    labels: &[usize],
    classes: usize,
    weights: &[f32],
    training: &Training,
    progress: impl FnMut(&Round<'_>),
) -> Result<TrainedForest<ClassModel>, Error> {
    training.check(rows, labels.len(), weights)?;
    if classes < 2 {
        return Err(Error::new(format!("{classes} classes are no choice")));
    }
    if let Some(row) = labels.iter().position(|&label| label >= classes) {
        return Err(Error::new(format!("row {row} is of class {}, and there are {classes}", labels[row])));
    }
    let Boosted { forest, gain, .. } = boost(rows, &Task::Classes(labels, classes), weights, None, training, progress);
    Ok(TrainedForest { model: ClassModel::new(forest), gain })
}

/// The trees, without exits, the gain of each column, and for each output the scores of the rows.
struct Boosted {
    forest: Forest,
    gain: Vec<f64>,
    scores: Vec<Vec<f64>>,
}

/// With `given`, the trees begin at these scores, and nothing is added to their sum.
fn boost(
    rows: &Rows,
    task: &Task<'_>,
    weights: &[f32],
    given: Option<&[f32]>,
    training: &Training,
    mut progress: impl FnMut(&Round<'_>),
) -> Boosted {
    let table = BinnedRows::new(rows, weights, training.bins, training.workers);
    let (base, mut scores) = match given {
        Some(given) => (vec![0.0], vec![given.iter().copied().map(f64::from).collect()]),
        None => {
            let base = task.base(weights);
            let scores = base.iter().map(|&base| vec![f64::from(base); rows.len()]).collect::<Vec<_>>();
            (base, scores)
        }
    };
    let mut random = Random::new(training.seed);
    let mut trees: Vec<GrownTree> = Vec::new();
    for number in 1..=training.trees {
        let round = Rounds { task, table: &table, weights, training };
        let Some(grown) = round.round(&mut scores, &mut random) else { break };
        trees.extend(grown);
        progress(&Round { number, of: training.trees, task, scores: &scores, weights, workers: training.workers });
    }
    let gain = gain(&trees, rows.columns());
    Boosted { forest: Forest::new(base, &trees, &table.edges), gain, scores }
}

/// What every round needs.
struct Rounds<'a> {
    task: &'a Task<'a>,
    table: &'a BinnedRows,
    weights: &'a [f32],
    training: &'a Training,
}

impl Rounds<'_> {
    /// A tree for each output; it is a single leaf if no split gains. `None` if no later round can
    /// gain either.
    fn round(&self, scores: &mut [Vec<f64>], random: &mut Random) -> Option<Vec<GrownTree>> {
        let Rounds { task, table, weights, training } = *self;
        let rows = sample_rows(weights, training.row_share, random);
        let columns: Vec<Vec<usize>> =
            scores.iter().map(|_| sample_columns(table.edges.len(), training.column_share, random)).collect();
        let derivatives = task.derivatives(scores, weights, training.workers);
        // The trees of several classes are grown in parallel. All workers grow a single tree
        // together.
        let workers = if task.outputs() > 1 { &InTurn } else { training.workers };
        let outputs: Vec<_> = scores.iter_mut().zip(&derivatives).zip(columns).collect();
        let grown = parallel::map(training.workers, outputs, |((scores, derivatives), columns)| {
            let bins = &SampledBins::new(table, &rows, columns, workers);
            let grower = Grower { bins, weights, training, workers, rows: &rows };
            let tree = grower.grow(derivatives, scores)?;
            // The next round needs the scores of the other rows, too.
            tree.add(table, unseen(weights, &rows), scores);
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

/// The rows for a round: each row with a weight, with the probability `share`.
fn sample_rows(weights: &[f32], share: f64, random: &mut Random) -> Vec<u32> {
    let weighted = (0..weights.len() as u32).filter(|&row| weights[row as usize] > 0.0);
    weighted.filter(|_| share >= 1.0 || random.unit() < share).collect()
}

/// The columns for a tree, ascending: a share of them, at least one, all sets equally likely.
fn sample_columns(columns: usize, share: f64, random: &mut Random) -> Vec<usize> {
    let wanted = ((columns as f64 * share).round() as usize).clamp(1, columns);
    let mut order: Vec<usize> = (0..columns).collect();
    if wanted < columns {
        for at in 0..wanted {
            let other = at + (random.unit() * (columns - at) as f64) as usize;
            order.swap(at, other);
        }
        order.truncate(wanted);
        order.sort_unstable();
    }
    order
}

/// The rows with a weight that are not among these.
fn unseen(weights: &[f32], seen: &[u32]) -> Vec<u32> {
    let mut seen = seen.iter().copied().peekable();
    let all = 0..weights.len() as u32;
    all.filter(|&row| seen.next_if_eq(&row).is_none() && weights[row as usize] > 0.0).collect()
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
