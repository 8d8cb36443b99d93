//! Measures whether confidence is reliable: whether it equals the measured F1, and whether it finds
//! failures.

use serde::Serialize;

/// Extractions with a confidence in one tenth of its range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tenth {
    /// Where the tenth begins: 0.0, 0.1, … 0.9. The last holds confidence 1 too.
    pub from: f64,
    /// The number of extractions, at least 1.
    pub pages: usize,
    /// Their mean confidence.
    pub confidence: f64,
    /// Their mean F1.
    pub f1: f64,
}

/// The tenths that have an extraction, ascending. The input is pairs of confidence and F1, each
/// from 0 to 1. Linear.
///
/// ```
/// use tsrec_lab::eval::calibration::tenths;
/// let tenths = tenths(&[(0.95, 1.0), (1.0, 0.9), (0.2, 0.3)]);
/// let rows: Vec<_> = tenths.iter().map(|tenth| (tenth.from, tenth.pages, tenth.f1)).collect();
/// assert_eq!(rows, [(0.2, 1, 0.3), (0.9, 2, 0.95)]);
/// ```
pub fn tenths(pages: &[(f64, f64)]) -> Vec<Tenth> {
    let mut sums = [(0, 0.0, 0.0); 10];
    for &(confidence, f1) in pages {
        let (count, confidences, f1s) = &mut sums[((confidence * 10.0) as usize).min(9)];
        *count += 1;
        *confidences += confidence;
        *f1s += f1;
    }
    let filled = sums.iter().enumerate().filter(|(_, (count, ..))| *count > 0);
    filled
        .map(|(tenth, &(pages, confidence, f1))| Tenth {
            from: tenth as f64 / 10.0,
            pages,
            confidence: confidence / pages as f64,
            f1: f1 / pages as f64,
        })
        .collect()
}

/// The distance of the tenths' mean F1 from their mean confidence, weighted by their pages: the
/// expected calibration error (Naeini, Cooper, Hauskrecht 2015). 0 without pages.
pub fn expected_error(tenths: &[Tenth]) -> f64 {
    let pages: usize = tenths.iter().map(|tenth| tenth.pages).sum();
    let off = tenths.iter().map(|tenth| tenth.pages as f64 * (tenth.f1 - tenth.confidence).abs());
    off.sum::<f64>() / pages.max(1) as f64
}

/// The area under the ROC curve (Hanley, McNeil 1982). It is the probability that a failure has a
/// lower confidence than another extraction, where ties count half. 1 if all failures are below all
/// others, 0.5 if confidence does not separate them. A failure has an F1 below `least`. `None` if
/// all are failures or none is. O(n log n).
///
/// ```
/// use tsrec_lab::eval::calibration::failure_auc;
/// assert_eq!(failure_auc(&[(0.1, 0.2), (0.8, 0.9), (0.9, 0.3)], 0.5), Some(0.5));
/// assert_eq!(failure_auc(&[(0.1, 0.2), (0.8, 0.9)], 0.5), Some(1.0));
/// assert_eq!(failure_auc(&[(0.8, 0.9)], 0.5), None);
/// ```
pub fn failure_auc(pages: &[(f64, f64)], least: f64) -> Option<f64> {
    let mut pages: Vec<(f64, bool)> = pages.iter().map(|&(confidence, f1)| (confidence, f1 < least)).collect();
    pages.sort_by(|a, b| a.0.total_cmp(&b.0));
    let failures = pages.iter().filter(|(_, failed)| *failed).count();
    let others = pages.len() - failures;
    if failures == 0 || others == 0 {
        return None;
    }
    // Pairs in which the failure is lower, counted twice so that a tie counts one.
    let (mut pairs, mut failures_below) = (0, 0);
    for same in pages.chunk_by(|a, b| a.0 == b.0) {
        let failed = same.iter().filter(|(_, failed)| *failed).count();
        pairs += (same.len() - failed) * (2 * failures_below + failed);
        failures_below += failed;
    }
    Some(pairs as f64 / (2 * failures * others) as f64)
}

/// The mean F1 of the pages that remain after the least confident are dropped. `dropped` is the
/// share of pages to drop, from 0 to 1, rounded to whole pages. Pages with equal confidence count
/// by their mean, since none is dropped before another. `None` if no page remains. O(n log n).
///
/// ```
/// use tsrec_lab::eval::calibration::kept_f1;
/// let pages = [(0.9, 1.0), (0.2, 0.0), (0.8, 0.8)];
/// assert_eq!(kept_f1(&pages, 0.0), Some(0.6));
/// assert_eq!(kept_f1(&pages, 0.3), Some(0.9));
/// assert_eq!(kept_f1(&pages, 1.0), None);
/// ```
pub fn kept_f1(pages: &[(f64, f64)], dropped: f64) -> Option<f64> {
    let kept = pages.len() - ((pages.len() as f64 * dropped).round() as usize).min(pages.len());
    let mut pages = pages.to_vec();
    pages.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut sum, mut left) = (0.0, kept);
    for same in pages.chunk_by(|a, b| a.0 == b.0) {
        let taken = left.min(same.len());
        sum += same.iter().map(|(_, f1)| f1).sum::<f64>() * taken as f64 / same.len() as f64;
        left -= taken;
    }
    (kept > 0).then(|| sum / kept as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_confidence_is_in_one_tenth() {
        let pages: Vec<(f64, f64)> = (0..=100).map(|percent| (f64::from(percent) / 100.0, 0.5)).collect();
        let tenths = tenths(&pages);
        assert_eq!(tenths.len(), 10);
        assert_eq!(tenths.iter().map(|tenth| tenth.pages).sum::<usize>(), 101);
        let from = tenths.iter().map(|tenth| tenth.from).collect::<Vec<_>>();
        assert!(from.windows(2).all(|pair| pair[0] < pair[1]), "{from:?}");
        assert_eq!(expected_error(&super::tenths(&[(0.25, 0.75), (0.75, 0.75)])), 0.25);
    }

    #[test]
    fn the_order_of_equally_confident_pages_says_nothing() {
        let mut pages = [(0.5, 0.0), (0.5, 1.0), (0.5, 0.2), (0.9, 1.0)];
        assert_eq!(kept_f1(&pages, 0.5), Some(0.7));
        pages.reverse();
        assert_eq!(kept_f1(&pages, 0.5), Some(0.7));
        assert_eq!(kept_f1(&[], 0.1), None);
    }

    proptest! {
        /// If confidence equals F1, dropping more pages never lowers the mean of the rest.
        #[test]
        fn true_confidence_gains_with_all_that_is_dropped(f1 in prop::collection::vec(0.0f64..1.0, 1..40)) {
            let pages: Vec<(f64, f64)> = f1.into_iter().map(|f1| (f1, f1)).collect();
            let kept: Vec<f64> = (0..10).filter_map(|tenths| kept_f1(&pages, f64::from(tenths) / 10.0)).collect();
            prop_assert!(kept.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9), "{kept:?}");
        }

        /// Computes the definition, pair by pair.
        #[test]
        fn the_area_is_that_of_all_pairs(pages in prop::collection::vec((0u8..5, any::<bool>()), 0..40)) {
            let pages: Vec<(f64, f64)> =
                pages.into_iter().map(|(confidence, failed)| (f64::from(confidence), if failed { 0.0 } else { 1.0 })).collect();
            let failures = || pages.iter().filter(|page| page.1 < 0.5);
            let others = || pages.iter().filter(|page| page.1 >= 0.5);
            let won = |failure: f64, other: f64| if failure < other { 1.0 } else if failure == other { 0.5 } else { 0.0 };
            let sum: f64 = failures().flat_map(|f| others().map(move |o| won(f.0, o.0))).sum();
            let pairs = failures().count() * others().count();
            let expect = (pairs > 0).then(|| sum / pairs as f64);
            let found = failure_auc(&pages, 0.5);
            prop_assert_eq!(found.is_some(), expect.is_some());
            prop_assert!(found.zip(expect).is_none_or(|(found, expect)| (found - expect).abs() < 1e-12));
        }
    }
}
