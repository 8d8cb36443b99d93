//! Bootstrap intervals: how far a mean over pages would move with other pages (Efron, Tibshirani
//! 1993, "An Introduction to the Bootstrap", chapter 13, percentile method).
//!
//! It draws sites, with all their pages, since the pages of a site succeed and fail together. With
//! fewer than some ten sites the intervals are too narrow, as bootstrap intervals of few values
//! are.

use std::collections::BTreeMap;

use serde::Serialize;

use tsrec_core::learn::random::Random;

/// The number of draws. Judgement: with more draws, the ends of the interval move by about a
/// hundredth of its width.
const DRAWS: usize = 2_000;

/// An interval that holds the mean of nineteen draws in twenty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// One draw in forty is below it.
    pub low: f64,
    /// One draw in forty is above it.
    pub high: f64,
}

/// The interval of the mean of some pages' values, each with its site. To compare two runs over the
/// same pages, pass the differences. `None` for fewer than two sites. The same values and seed give
/// the same interval. O(sites × draws).
///
/// ```
/// use tsrec_lab::eval::bootstrap::interval;
/// let pages = [("a", 0.9), ("a", 0.8), ("b", 0.5), ("c", 0.7), ("d", 1.0)];
/// let found = interval(pages, 1).unwrap();
/// assert!(0.5 <= found.low && found.low < 0.78 && 0.78 < found.high && found.high <= 1.0);
/// assert_eq!(interval([("a", 0.5), ("a", 0.7)], 1), None);
/// ```
pub fn interval<S: Ord>(values: impl IntoIterator<Item = (S, f64)>, seed: u64) -> Option<Interval> {
    let mut sites: BTreeMap<S, (f64, usize)> = BTreeMap::new();
    for (site, value) in values {
        let (sum, count) = sites.entry(site).or_default();
        *sum += value;
        *count += 1;
    }
    let sites: Vec<(f64, usize)> = sites.into_values().collect();
    if sites.len() < 2 {
        return None;
    }
    let mut random = Random::new(seed);
    let mut means: Vec<f64> = (0..DRAWS).map(|_| drawn_mean(&sites, &mut random)).collect();
    means.sort_by(f64::total_cmp);
    let tail = DRAWS / 40;
    Some(Interval { low: means[tail], high: means[DRAWS - 1 - tail] })
}

/// The mean over the pages of a sample of the sites, of the same size, with replacement.
fn drawn_mean(sites: &[(f64, usize)], random: &mut Random) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for _ in sites {
        let (of_site, pages) = sites[(random.unit() * sites.len() as f64) as usize];
        sum += of_site;
        count += pages;
    }
    sum / count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nineteen_intervals_in_twenty_hold_the_truth() {
        let mut random = Random::new(3);
        let mut held = 0;
        for round in 0..200 {
            // Forty sites of three pages, each site with its own bias. The mean of all such pages
            // is 0.5.
            let pages: Vec<(usize, f64)> = (0..40)
                .flat_map(|site| {
                    let leaning = random.unit() / 2.0;
                    [0; 3].map(|_| (site, leaning + random.unit() / 2.0))
                })
                .collect();
            let found = interval(pages, round).unwrap();
            held += usize::from(found.low <= 0.5 && 0.5 <= found.high);
        }
        assert!((180..=198).contains(&held), "{held} of 200");
    }

    #[test]
    fn pages_of_one_site_are_no_news() {
        let width = |pages: Vec<(usize, f64)>| {
            let found = interval(pages, 1).unwrap();
            found.high - found.low
        };
        let value = |site: usize| (site % 2) as f64;
        let alone = width((0..20).map(|site| (site, value(site))).collect());
        let together = width((0..20).flat_map(|site| [(site, value(site)); 9]).collect());
        let apart = width((0..180).map(|site| (site, value(site))).collect());
        assert_eq!(alone, together);
        assert!(apart < alone / 2.0, "{apart} against {alone}");
    }

    #[test]
    fn what_does_not_vary_has_no_width_and_a_seed_gives_one_result() {
        let same = interval([(1, 0.25), (2, 0.25), (3, 0.25)], 9);
        assert_eq!(same, Some(Interval { low: 0.25, high: 0.25 }));
        let pages = || (0..30).map(|site| (site, f64::from(site) / 30.0));
        assert_eq!(interval(pages(), 1), interval(pages(), 1));
        assert_ne!(interval(pages(), 1), interval(pages(), 2));
    }
}
