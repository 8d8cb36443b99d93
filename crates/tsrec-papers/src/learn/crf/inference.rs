//! Computes the best labelling of a chain (Viterbi) and its probabilities (forward and backward).

use super::{Chain, FieldShape};

/// The scores of all labels and steps of one chain.
pub struct Scores {
    labels: usize,
    /// By position and label.
    states: Vec<f64>,
    /// By position, label before, and label; the first position's are 0.
    steps: Vec<f64>,
}

impl Scores {
    /// Sums the weights that hold at each position. Panics where [`super::Field::decode`] does.
    pub fn new<W: Copy + Into<f64>>(shape: FieldShape, weights: &[W], chain: &Chain) -> Self {
        let labels = shape.labels;
        let pairs = labels * labels;
        let mut states = vec![0.0; chain.len() * labels];
        let mut steps = vec![0.0; chain.len() * pairs];
        let add = |to: &mut [f64], from: usize| {
            to.iter_mut().zip(&weights[from..]).for_each(|(to, &weight)| *to += weight.into());
        };
        for at in 0..chain.len() {
            let to = &mut states[at * labels..][..labels];
            chain.states.get(at).iter().for_each(|&attribute| add(to, shape.state(attribute)));
            if at > 0 {
                let to = &mut steps[at * pairs..][..pairs];
                add(to, shape.step());
                chain.edges.get(at).iter().for_each(|&attribute| add(to, shape.edge(attribute)));
            }
        }
        Scores { labels, states, steps }
    }

    fn len(&self) -> usize {
        self.states.len() / self.labels
    }

    fn state(&self, at: usize) -> &[f64] {
        &self.states[at * self.labels..][..self.labels]
    }

    fn step(&self, at: usize) -> &[f64] {
        let pairs = self.labels * self.labels;
        &self.steps[at * pairs..][..pairs]
    }

    /// The score of one labelling.
    pub fn path_score(&self, path: &[usize]) -> f64 {
        let states = path.iter().enumerate().map(|(at, &label)| self.state(at)[label]);
        let steps = path.windows(2).enumerate().map(|(at, pair)| self.step(at + 1)[pair[0] * self.labels + pair[1]]);
        states.sum::<f64>() + steps.sum::<f64>()
    }

    /// The labelling with the greatest score. Of several, the one whose labels come first, compared
    /// from the end.
    pub fn best(&self) -> Vec<usize> {
        if self.len() == 0 {
            return Vec::new();
        }
        let mut before = vec![0; self.states.len()];
        let mut best = self.state(0).to_vec();
        for at in 1..self.len() {
            let mut next = vec![f64::NEG_INFINITY; self.labels];
            for (label, next) in next.iter_mut().enumerate() {
                for (from, &score) in best.iter().enumerate() {
                    let score = score + self.step(at)[from * self.labels + label];
                    if score > *next {
                        *next = score;
                        before[at * self.labels + label] = from;
                    }
                }
                *next += self.state(at)[label];
            }
            best = next;
        }
        let mut label = first_greatest(&best);
        let mut path = vec![label; self.len()];
        for at in (1..self.len()).rev() {
            label = before[at * self.labels + label];
            path[at - 1] = label;
        }
        path
    }

    /// The probabilities, by one pass forward and one back.
    ///
    /// The passes are scaled: the factors of a position are divided by the greatest of them, and
    /// the forward values sum to 1 everywhere. A factor never falls below e^−`FLOOR`, so that no
    /// chain, however odd, divides by zero.
    pub fn flow(&self) -> Flow {
        let (labels, pairs, length) = (self.labels, self.labels * self.labels, self.len());
        let mut factors = vec![0.0; length * pairs];
        let mut forward = vec![0.0; length * labels];
        let mut backward = vec![1.0; length * labels];
        let mut scales = vec![1.0; length];
        let mut log_total = 0.0;
        for at in 0..length {
            // The first position has no label before: its factors are in the first row.
            let rows = if at == 0 { 1 } else { labels };
            let to = &mut factors[at * pairs..][..rows * labels];
            for (index, factor) in to.iter_mut().enumerate() {
                *factor = self.state(at)[index % labels] + self.step(at)[index];
            }
            let greatest = to.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            to.iter_mut().for_each(|factor| *factor = (*factor - greatest).max(-FLOOR).exp());
            let (done, rest) = forward.split_at_mut(at * labels);
            for row in 0..rows {
                let inflow = if at == 0 { 1.0 } else { done[(at - 1) * labels + row] };
                for label in 0..labels {
                    rest[label] += inflow * factors[at * pairs + row * labels + label];
                }
            }
            let scale: f64 = rest[..labels].iter().sum();
            rest[..labels].iter_mut().for_each(|value| *value /= scale);
            scales[at] = scale;
            log_total += scale.ln() + greatest;
        }
        for at in (1..length).rev() {
            let (done, rest) = backward.split_at_mut(at * labels);
            for row in 0..labels {
                let factors = &factors[at * pairs + row * labels..][..labels];
                let sum: f64 = factors.iter().zip(&rest[..labels]).map(|(factor, value)| factor * value).sum();
                done[(at - 1) * labels + row] = sum / scales[at];
            }
        }
        Flow { labels, factors, forward, backward, scales, log_total }
    }
}

/// A factor below this, in logarithms, is practically zero: e^−200 is 10^−87.
const FLOOR: f64 = 200.0;

/// The probabilities of one chain.
pub struct Flow {
    labels: usize,
    factors: Vec<f64>,
    forward: Vec<f64>,
    backward: Vec<f64>,
    scales: Vec<f64>,
    /// The logarithm of the sum, over all labellings, of the exponentials of their scores.
    pub log_total: f64,
}

impl Flow {
    /// The probability of each label at a position.
    pub fn marginal(&self, at: usize) -> impl Iterator<Item = f64> + '_ {
        let here = at * self.labels..(at + 1) * self.labels;
        self.forward[here.clone()].iter().zip(&self.backward[here]).map(|(forward, backward)| forward * backward)
    }

    /// The probability of each pair (label before, label), in that order, of the step to a position
    /// above 0.
    pub fn step(&self, at: usize) -> impl Iterator<Item = f64> + '_ {
        let labels = self.labels;
        let factors = &self.factors[at * labels * labels..][..labels * labels];
        factors.iter().enumerate().map(move |(index, factor)| {
            let (from, label) = (index / labels, index % labels);
            self.forward[(at - 1) * labels + from] * factor * self.backward[at * labels + label] / self.scales[at]
        })
    }
}

fn first_greatest(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, index| if values[index] > values[best] { index } else { best })
}
