//! Cross-validation: splits pages so that no model judges a page of a site that it saw.
//!
//! Pages of one site have one template, often one writer. A model that has seen some of them knows
//! the others. So a whole site goes to one side.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// Splits pages into parts of about equal size, each site whole. It takes the pages' site names and
/// returns the part of each page, from 0. The split only depends on the seed and the sites' names.
/// `None` if there are fewer than 2 parts, or fewer sites than parts. O(n log n).
///
/// ```
/// let sites = ["a.example", "a.example", "b.example", "c.example"];
/// let parts = tsrec_lab::eval::folds::into_folds(&sites, 2, 1).unwrap();
/// assert_eq!(parts[0], parts[1]);
/// assert!((0..2).all(|part| parts.contains(&part)));
/// assert_eq!(tsrec_lab::eval::folds::into_folds(&sites, 4, 1), None);
/// ```
pub fn into_folds<S: AsRef<str>>(sites: &[S], folds: usize, seed: u64) -> Option<Vec<usize>> {
    let by_site = in_drawn_order(sites, seed);
    if folds < 2 || folds > by_site.len() {
        return None;
    }
    let mut sizes = vec![0; folds];
    let mut parts = vec![0; sites.len()];
    for pages in by_site {
        let smallest = (0..folds).min_by_key(|&fold| sizes[fold])?;
        sizes[smallest] += pages.len();
        pages.into_iter().for_each(|page| parts[page] = smallest);
    }
    Some(parts)
}

/// Splits pages in two: `true` for those held out, about this share of them (between 0 and 1),
/// `false` for the training pages. Otherwise as [`into_folds`]. `None` if all pages would be on one
/// side.
pub fn hold_out<S: AsRef<str>>(sites: &[S], share: f64, seed: u64) -> Option<Vec<bool>> {
    let mut count = 0;
    let mut held = vec![false; sites.len()];
    for pages in in_drawn_order(sites, seed) {
        if count as f64 + pages.len() as f64 / 2.0 <= share * sites.len() as f64 {
            count += pages.len();
            pages.into_iter().for_each(|page| held[page] = true);
        }
    }
    (count > 0 && count < sites.len()).then_some(held)
}

/// The number of sites.
pub fn count_sites<S: AsRef<str>>(sites: &[S]) -> usize {
    sites.iter().map(AsRef::as_ref).collect::<std::collections::BTreeSet<&str>>().len()
}

/// The pages of each site, in an order that depends on the seed.
fn in_drawn_order<S: AsRef<str>>(sites: &[S], seed: u64) -> Vec<Vec<usize>> {
    let mut by_site: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (page, site) in sites.iter().enumerate() {
        by_site.entry(site.as_ref()).or_default().push(page);
    }
    let mut drawn: Vec<(&str, Vec<usize>)> = by_site.into_iter().collect();
    drawn.sort_by_cached_key(|(site, _)| {
        Sha256::new().chain_update(seed.to_le_bytes()).chain_update(site).finalize().to_vec()
    });
    drawn.into_iter().map(|(_, pages)| pages).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// True if every site's pages are all in the same part.
    fn sites_are_whole<P: PartialEq + Copy>(sites: &[String], parts: &[P]) -> bool {
        (0..sites.len()).all(|a| (0..a).all(|b| sites[a] != sites[b] || parts[a] == parts[b]))
    }

    proptest! {
        #[test]
        fn no_site_is_on_both_sides(
            sites in prop::collection::vec("[a-h]{1,2}", 0..60), folds in 0usize..8, share in 0.0f64..1.0, seed: u64,
        ) {
            match into_folds(&sites, folds, seed) {
                Some(parts) => {
                    prop_assert!(sites_are_whole(&sites, &parts));
                    prop_assert!((0..folds).all(|fold| parts.contains(&fold)), "a part is empty: {parts:?}");
                }
                None => prop_assert!(folds < 2 || folds > count_sites(&sites)),
            }
            if let Some(held) = hold_out(&sites, share, seed) {
                prop_assert!(sites_are_whole(&sites, &held));
                prop_assert!(held.contains(&true) && held.contains(&false));
            }
        }

        #[test]
        fn the_order_of_the_pages_changes_nothing(
            mut pages in prop::collection::vec(("[a-h]", 0u8..4), 4..40), seed: u64,
        ) {
            let part_of = |pages: &[(String, u8)]| {
                let sites: Vec<&str> = pages.iter().map(|(site, _)| site.as_str()).collect();
                let parts = into_folds(&sites, 2, seed)?;
                Some(sites.iter().map(|&site| site.to_owned()).zip(parts).collect::<BTreeMap<_, _>>())
            };
            let before = part_of(&pages);
            pages.reverse();
            prop_assert_eq!(before, part_of(&pages));
        }
    }

    #[test]
    fn another_seed_is_another_split() {
        let sites: Vec<String> = (0..40).map(|site| format!("{site}.example")).collect();
        assert_ne!(into_folds(&sites, 2, 1), into_folds(&sites, 2, 2));
        assert_ne!(hold_out(&sites, 0.3, 1), hold_out(&sites, 0.3, 2));
        assert_eq!(hold_out(&sites, 0.3, 1).unwrap().iter().filter(|&&held| held).count(), 12);
    }
}
