//! Finds weights from labelled chains: the greatest likelihood under a Gaussian prior, by L-BFGS.

use serde::{Deserialize, Serialize};

use super::inference::Scores;
use super::{Chain, Field, FieldShape};
use tsrec_core::learn::lbfgs;

/// How a field is trained.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The variance of the prior of each weight: small values keep weights small. Default 1, as in
    /// CRF++ (its `-c`).
    pub variance: f64,
    /// Rounds of L-BFGS at most. Default 200.
    pub rounds: usize,
    /// Training stops if ten rounds lower the value by less than this share of it. Default 1e-4.
    pub tolerance: f64,
}

impl Default for Config {
    fn default() -> Self {
        Config { variance: 1.0, rounds: 200, tolerance: 1e-4 }
    }
}

/// The chains are split into this many shares, whatever the number of threads. Sums of floating
/// point numbers depend on their grouping, and the result must not depend on the machine. More
/// threads than this are of no use.
const SHARES: usize = 16;

/// Trains a field on chains with their labels. Each round calls `progress` with the round and the
/// value that is minimised.
///
/// A round is one pass forward and one back over all chains, on all processors. The result depends
/// only on the arguments. Memory, besides the chains: 16 vectors of weights for the shares and 20
/// for L-BFGS, in f64.
///
/// # Panics
/// If a chain has a different number of labels than positions, or a number is not below what the
/// shape says.
pub fn train(
    shape: FieldShape,
    examples: &[&(Chain, Vec<usize>)],
    config: &Config,
    progress: impl FnMut(usize, f64),
) -> Field {
    for (chain, labels) in examples {
        assert_eq!(chain.len(), labels.len(), "each position has a label");
    }
    let likelihood = Likelihood::new(shape, examples, config.variance);
    let steps = lbfgs::Config { rounds: config.rounds, tolerance: config.tolerance, ..lbfgs::Config::default() };
    let start = vec![0.0; shape.weights()];
    let minimum = lbfgs::minimise(start, &steps, |weights, gradient| likelihood.value(weights, gradient), progress);
    Field { shape, weights: minimum.point.into_iter().map(|weight| weight as f32).collect() }
}

/// The negative logarithm of the likelihood, with the prior.
struct Likelihood<'e> {
    shape: FieldShape,
    shares: Vec<&'e [&'e (Chain, Vec<usize>)]>,
    variance: f64,
    threads: usize,
}

impl<'e> Likelihood<'e> {
    fn new(shape: FieldShape, examples: &'e [&'e (Chain, Vec<usize>)], variance: f64) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(SHARES);
        Likelihood { shape, shares: shares(examples), variance, threads }
    }

    fn value(&self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let parts = self.parts(weights);
        let prior: f64 = weights.iter().map(|weight| weight * weight).sum();
        gradient.iter_mut().zip(weights).for_each(|(to, weight)| *to = weight / self.variance);
        let mut value = prior / (2.0 * self.variance);
        for (part, part_gradient) in parts {
            value += part;
            gradient.iter_mut().zip(part_gradient).for_each(|(to, part)| *to += part);
        }
        value
    }

    /// Value and gradient of each share, in order.
    fn parts(&self, weights: &[f64]) -> Vec<(f64, Vec<f64>)> {
        let next = std::sync::atomic::AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(share) = self.shares.get(number) else { return done };
                let mut gradient = vec![0.0; weights.len()];
                let value: f64 = share.iter().map(|(chain, path)| self.one(weights, chain, path, &mut gradient)).sum();
                done.push((number, value, gradient));
            }
        };
        let mut parts: Vec<(usize, f64, Vec<f64>)> = std::thread::scope(|scope| {
            let running: Vec<_> = (0..self.threads).map(|_| scope.spawn(work)).collect();
            running.into_iter().flat_map(|thread| thread.join().expect("arithmetic does not panic")).collect()
        });
        parts.sort_by_key(|part| part.0);
        parts.into_iter().map(|(_, value, gradient)| (value, gradient)).collect()
    }

    /// Adds one chain's part to the gradient: the expected counts minus the observed ones.
    fn one(&self, weights: &[f64], chain: &Chain, path: &[usize], gradient: &mut [f64]) -> f64 {
        let labels = self.shape.labels;
        let scores = Scores::new(self.shape, weights, chain);
        let flow = scores.flow();
        let mut surplus = vec![0.0; labels * labels];
        for at in 0..chain.len() {
            let state = &mut surplus[..labels];
            state.iter_mut().zip(flow.marginal(at)).for_each(|(to, probability)| *to = probability);
            state[path[at]] -= 1.0;
            for &attribute in chain.states.get(at) {
                add(&mut gradient[self.shape.state(attribute)..], state);
            }
            if at > 0 {
                surplus.iter_mut().zip(flow.step(at)).for_each(|(to, probability)| *to = probability);
                surplus[path[at - 1] * labels + path[at]] -= 1.0;
                add(&mut gradient[self.shape.step()..], &surplus);
                for &attribute in chain.edges.get(at) {
                    add(&mut gradient[self.shape.edge(attribute)..], &surplus);
                }
            }
        }
        flow.log_total - scores.path_score(path)
    }
}

fn add(to: &mut [f64], what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += what);
}

/// Cuts the chains into at most [`SHARES`] runs of about as many positions each.
fn shares<'e>(examples: &'e [&'e (Chain, Vec<usize>)]) -> Vec<&'e [&'e (Chain, Vec<usize>)]> {
    let total: usize = examples.iter().map(|(chain, _)| chain.len()).sum();
    let (mut shares, mut start, mut seen) = (Vec::new(), 0, 0);
    for (index, (chain, _)) in examples.iter().enumerate() {
        seen += chain.len();
        if seen * SHARES >= total * (shares.len() + 1) {
            shares.push(&examples[start..=index]);
            start = index + 1;
        }
    }
    if start < examples.len() {
        shares.push(&examples[start..]);
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: FieldShape = FieldShape { labels: 3, states: 4, edges: 2 };

    /// Pseudo-random numbers between −1 and 1, the same every time.
    fn noise(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    fn chain(length: usize, seed: u64) -> (Chain, Vec<usize>) {
        let mut noise = noise(seed);
        let mut pick = |most: u32| (0..most).filter(|_| noise() > 0.0).collect::<Vec<u32>>();
        let mut chain = Chain::default();
        for _ in 0..length {
            chain.push(&pick(4), &pick(2));
        }
        let labels = (0..length).map(|at| (at * 7 + seed as usize) % 3).collect();
        (chain, labels)
    }

    fn weights(size: f64, seed: u64) -> Vec<f64> {
        let mut noise = noise(seed);
        (0..SHAPE.weights()).map(|_| size * noise()).collect()
    }

    fn labellings(length: usize) -> impl Iterator<Item = Vec<usize>> {
        (0..3usize.pow(length as u32)).map(move |n| (0..length).map(|at| n / 3usize.pow(at as u32) % 3).collect())
    }

    #[test]
    fn the_gradient_is_the_slope() {
        let examples = [chain(5, 1), chain(1, 2), chain(0, 3), chain(7, 4)];
        let examples: Vec<_> = examples.iter().collect();
        let likelihood = Likelihood::new(SHAPE, &examples, 2.0);
        let at = weights(1.0, 5);
        let mut gradient = vec![0.0; at.len()];
        likelihood.value(&at, &mut gradient);
        let value = |index: usize, step: f64| {
            let mut moved = at.clone();
            moved[index] += step;
            likelihood.value(&moved, &mut vec![0.0; at.len()])
        };
        for (index, slope) in gradient.iter().enumerate() {
            let numeric = (value(index, 1e-5) - value(index, -1e-5)) / 2e-5;
            assert!((slope - numeric).abs() < 1e-6, "weight {index}: {slope} against {numeric}");
        }
    }

    #[test]
    fn probabilities_and_the_best_path_are_those_of_all_paths() {
        for (length, size) in [(1, 1.0), (2, 3.0), (4, 1.0), (6, 0.1), (6, 8.0)] {
            let (chain, _) = chain(length, 9);
            let scores = Scores::new(SHAPE, &weights(size, length as u64), &chain);
            let flow = scores.flow();
            let total: f64 = labellings(length).map(|path| scores.path_score(&path).exp()).sum();
            assert!((flow.log_total - total.ln()).abs() < 1e-9);
            for at in 0..length {
                for (label, marginal) in flow.marginal(at).enumerate() {
                    let paths = labellings(length).filter(|path| path[at] == label);
                    let expect: f64 = paths.map(|path| scores.path_score(&path).exp()).sum::<f64>() / total;
                    assert!((marginal - expect).abs() < 1e-9, "{marginal} against {expect}");
                }
            }
            let best = labellings(length).map(|path| scores.path_score(&path)).fold(f64::NEG_INFINITY, f64::max);
            assert!((scores.path_score(&scores.best()) - best).abs() < 1e-9);
        }
    }

    #[test]
    fn odd_weights_divide_nothing_by_zero() {
        for size in [1e3, 1e6, 1e30] {
            let (chain, path) = chain(50, 3);
            let scores = Scores::new(SHAPE, &weights(size, 1), &chain);
            let flow = scores.flow();
            assert!(flow.log_total.is_finite() && scores.path_score(&path).is_finite());
            for at in 0..50 {
                let sum: f64 = flow.marginal(at).sum();
                assert!((sum - 1.0).abs() < 1e-6, "{sum}");
            }
        }
    }

    #[test]
    fn what_the_attributes_say_is_learned() {
        // Label 0 where attribute 0 holds; 1 where it does not; 2 after a step on which attribute 1
        // holds.
        let mut examples = Vec::new();
        for seed in 0..20 {
            let (chain, _) = chain(30, seed);
            let labels = (0..30).map(|at| {
                let jump = at > 0 && chain.edges.get(at).contains(&1);
                if jump { 2 } else { usize::from(!chain.states.get(at).contains(&0)) }
            });
            let labels = labels.collect();
            examples.push((chain, labels));
        }
        let known: Vec<_> = examples[..15].iter().collect();
        let field = train(SHAPE, &known, &Config { variance: 100.0, ..Config::default() }, |_, _| ());
        for (chain, labels) in &examples[15..] {
            assert_eq!(field.decode(chain), *labels);
            let marginals = field.marginals(chain);
            assert!(labels.iter().zip(&marginals).all(|(&label, marginal)| marginal[label] > 0.9));
        }
        assert_eq!(field, train(SHAPE, &known, &Config { variance: 100.0, ..Config::default() }, |_, _| ()));
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let examples: Vec<_> = (0..40).map(|seed| chain(seed as usize % 9, seed)).collect();
        let examples: Vec<_> = examples.iter().collect();
        let at = weights(1.0, 5);
        let outcome = |threads| {
            let mut gradient = vec![0.0; at.len()];
            let likelihood = Likelihood { threads, ..Likelihood::new(SHAPE, &examples, 1.0) };
            (likelihood.value(&at, &mut gradient), gradient)
        };
        assert_eq!(outcome(1), outcome(3));
    }
}
