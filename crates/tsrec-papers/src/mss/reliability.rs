//! How far a prediction can be trusted: the windowed score of section 6.2.4.

use std::ops::Range;

/// Number of tokens used on either side of each edge (the paper's w).
pub const WINDOW: usize = 10;

/// The geometric mean of the probabilities that the classifier gave to the decision. It covers the
/// [`WINDOW`] tokens before and after each edge of the predicted block: 4w factors, or as many as
/// the page and the block have. From 0 to 1; 0 for an empty block. O(w).
pub fn reliability(probabilities: &[f64], block: &Range<usize>) -> f64 {
    if block.is_empty() {
        return 0.0;
    }
    let (j, k) = (block.start, block.end);
    let before = &probabilities[j.saturating_sub(WINDOW)..j];
    let after = &probabilities[k..(k + WINDOW).min(probabilities.len())];
    let first = &probabilities[j..(j + WINDOW).min(k)];
    let last = &probabilities[k.saturating_sub(WINDOW).max(j)..k];
    let inside = first.iter().chain(last).map(|p| p.ln());
    let outside = before.iter().chain(after).map(|p| (-p).ln_1p());
    let count = before.len() + after.len() + first.len() + last.len();
    (inside.chain(outside).sum::<f64>() / count as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edges_are_what_counts() {
        let page = |inside: f64, outside: f64, edge: f64| -> Vec<f64> {
            let mut p = [vec![outside; 50], vec![inside; 100], vec![outside; 50]].concat();
            p[50..60].fill(edge);
            p
        };
        for (probabilities, block, expect) in [
            (page(0.9, 0.1, 0.9), 50..150, 0.9),
            (page(0.5, 0.5, 0.5), 50..150, 0.5),
            (page(0.9, 0.1, 0.1), 50..150, 0.9f64.powf(0.75) * 0.1f64.powf(0.25)),
            (page(0.9, 0.1, 0.9), 0..0, 0.0),
            // A block of three tokens at the page's start: three factors from either end, and ten
            // after it.
            (vec![0.8; 30], 0..3, (0.8f64.powi(6) * 0.2f64.powi(10)).powf(1.0 / 16.0)),
            // Tokens far inside the block do not matter.
            (
                {
                    let mut p = page(0.9, 0.1, 0.9);
                    p[90] = 0.0;
                    p
                },
                50..150,
                0.9,
            ),
            (vec![1.0; 5], 0..3, 0.0),
        ] {
            let found = reliability(&probabilities, &block);
            assert!((found - expect).abs() < 1e-9, "{block:?}: {found}, not {expect}");
        }
    }
}
