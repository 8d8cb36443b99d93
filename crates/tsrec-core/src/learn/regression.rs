//! Multinomial logistic regression: predicts one of several classes from many features.
//!
//! The probability of a class is the exponential of the sum of its features' weights, normalised.
//! [`train`] finds the weights that make the given classes most probable under a Gaussian prior, by
//! [L-BFGS](super::lbfgs). It is our own code: it is short over the minimiser we have, and gives
//! the same bits everywhere.

use super::lbfgs;

/// An example whose class is known.
#[derive(Clone, Debug, PartialEq)]
pub struct RegressionExample {
    /// Its features: their numbers and their amounts.
    pub features: Vec<(u32, f32)>,
    /// Its class.
    pub class: usize,
    /// Its weight.
    pub weight: f64,
}

/// The trained weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// For each feature, the weight of each class, feature by feature.
    pub features: Vec<f64>,
    /// The weight of each class without any feature.
    pub base: Vec<f64>,
}

/// Trains. `variance` is that of each weight's prior: small values keep weights small.
///
/// A round is one pass over all examples. Deterministic.
///
/// # Panics
/// When a feature or a class is not below its number.
pub fn train(examples: &[RegressionExample], features: usize, classes: usize, variance: f64) -> Weights {
    let base = features * classes;
    let value = |weights: &[f64], gradient: &mut [f64]| {
        gradient.iter_mut().zip(weights).for_each(|(to, weight)| *to = weight / variance);
        let mut value = weights.iter().map(|weight| weight * weight).sum::<f64>() / (2.0 * variance);
        for example in examples {
            let mut surplus = log_probabilities(&weights[base..], of(&example.features, classes, weights));
            value -= example.weight * surplus[example.class];
            // The predicted probabilities minus the true class.
            surplus.iter_mut().for_each(|log| *log = example.weight * log.exp());
            surplus[example.class] -= example.weight;
            let places = example.features.iter().map(|&(feature, much)| (feature as usize * classes, f64::from(much)));
            for (place, much) in places.chain([(base, 1.0)]) {
                gradient[place..place + classes].iter_mut().zip(&surplus).for_each(|(to, by)| *to += much * by);
            }
        }
        value
    };
    let start = vec![0.0; base + classes];
    let mut point = lbfgs::minimise(start, &lbfgs::Config::default(), value, |_, _| ()).point;
    let base = point.split_off(base);
    Weights { features: point, base }
}

/// The weights of an example's features.
fn of<'w>(
    features: &'w [(u32, f32)],
    classes: usize,
    weights: &'w [f64],
) -> impl Iterator<Item = (&'w [f64], f64)> + use<'w> {
    features.iter().map(move |&(feature, much)| {
        let place = feature as usize * classes;
        (&weights[place..place + classes], f64::from(much))
    })
}

/// The logarithm of each class's probability. `features` are the weights of the example's features,
/// each with its amount. O(features × classes).
fn log_probabilities<'w>(base: &[f64], features: impl Iterator<Item = (&'w [f64], f64)>) -> Vec<f64> {
    let mut scores = base.to_vec();
    for (weights, much) in features {
        scores.iter_mut().zip(weights).for_each(|(to, weight)| *to += weight * much);
    }
    normalise(&mut scores);
    scores
}

/// Subtracts a constant so that the exponentials sum to one.
pub fn normalise(scores: &mut [f64]) {
    let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total = greatest + scores.iter().map(|score| (score - greatest).exp()).sum::<f64>().ln();
    scores.iter_mut().for_each(|score| *score -= total);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(features: &[u32], class: usize, weight: f64) -> RegressionExample {
        RegressionExample { features: features.iter().map(|&feature| (feature, 1.0)).collect(), class, weight }
    }

    fn probabilities(weights: &Weights, features: &[u32]) -> Vec<f64> {
        let classes = weights.base.len();
        let features: Vec<(u32, f32)> = features.iter().map(|&feature| (feature, 1.0)).collect();
        let logs = log_probabilities(&weights.base, of(&features, classes, &weights.features));
        logs.into_iter().map(f64::exp).collect()
    }

    #[test]
    fn what_a_feature_tells_is_learned_and_what_it_does_not_is_left_to_the_rest() {
        let examples = [example(&[0, 2], 0, 1.0), example(&[1, 2], 1, 1.0), example(&[2], 2, 1.0)];
        let weights = train(&examples, 3, 3, 100.0);
        for (features, class) in [(&[0, 2][..], 0), (&[1][..], 1), (&[2][..], 2)] {
            let found = probabilities(&weights, features);
            assert!(found[class] > 0.8, "{features:?}: {found:?}");
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn without_a_feature_a_class_is_as_probable_as_it_is_frequent() {
        let weights = train(&[example(&[], 0, 3.0), example(&[], 1, 1.0)], 0, 2, 1e6);
        let found = probabilities(&weights, &[]);
        assert!((found[0] - 0.75).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn scores_of_any_size_are_normalised() {
        let mut scores = [1e6, 1e6, -1e6];
        normalise(&mut scores);
        assert!((scores[0] - 0.5_f64.ln()).abs() < 1e-9 && scores[2] < -1e6, "{scores:?}");
    }
}
