//! The results for the seeds of a crawl that ends. It reports failed seeds; without the report,
//! they would look like sites without pages.

use std::collections::{BTreeMap, HashSet};

use tokio::sync::mpsc;
use url::Url;

use tsrec_core::words::number_of;
use tsrec_crawl::pipeline::{Fate, Visited};

/// The number of failed seeds to name. The rest are counted. Judgement: as much as a person reads
/// at the end of a crawl.
const NAMED: usize = 3;

/// The results of a crawl for its seeds.
#[derive(Debug, Default)]
pub(super) struct Seeds {
    /// The seeds, and the URLs that they redirect to.
    seeds: HashSet<Url>,
    /// The failed seeds, and why.
    failed: BTreeMap<Url, String>,
    /// Number of pages that are in the store now, seeds or not.
    pages: u64,
}

impl Seeds {
    pub(super) fn new(seeds: &[Url]) -> Seeds {
        let plain = |url: &Url| {
            let mut url = url.clone();
            url.set_fragment(None);
            url
        };
        Seeds { seeds: seeds.iter().map(plain).collect(), ..Seeds::default() }
    }

    /// Collects the results of pages until the crawl ends.
    pub(super) async fn hear(mut self, mut outcomes: mpsc::UnboundedReceiver<Visited>) -> Seeds {
        while let Some(visited) = outcomes.recv().await {
            self.add(&visited);
        }
        self
    }

    fn add(&mut self, Visited { url, fate }: &Visited) {
        let why = match fate {
            Fate::Stored { .. } | Fate::NotModified => {
                self.pages += 1;
                None
            }
            Fate::Redirected(to) => {
                if self.seeds.contains(url) {
                    self.seeds.insert(to.clone());
                }
                None
            }
            Fate::Listed { .. } => None,
            Fate::Deleted(reason) => Some(format!("it was deleted: {reason:?}").to_lowercase()),
            Fate::NotStored(why) | Fate::Failed(why) | Fate::Returned(why) | Fate::Quarantined(why) => {
                Some(why.clone())
            }
        };
        match why {
            Some(why) if self.seeds.contains(url) => drop(self.failed.insert(url.clone(), why)),
            _ => drop(self.failed.remove(url)),
        }
    }

    /// True if this crawl stored no page because a seed failed. False if nothing was due.
    pub(super) fn are_in_vain(&self) -> bool {
        self.pages == 0 && !self.failed.is_empty()
    }

    /// A message about the failed seeds, and why; empty if there are none.
    pub(super) fn told(&self) -> String {
        let named: Vec<String> = self.failed.iter().take(NAMED).map(|(url, why)| format!("{url}: {why}")).collect();
        match (named.is_empty(), self.failed.len() - named.len()) {
            (true, _) => String::new(),
            (false, 0) => format!("nothing came of {}", named.join("; of ")),
            (false, more) => {
                format!("nothing came of {}; nor of {}", named.join("; of "), number_of(more, "other seed"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(name: &str) -> Url {
        Url::parse(&format!("https://{name}/")).unwrap()
    }

    fn seeds(fates: &[(&str, Fate)]) -> Seeds {
        let mut seeds = Seeds::new(&[url("a"), url("b")]);
        for (name, fate) in fates {
            seeds.add(&Visited { url: url(name), fate: fate.clone() });
        }
        seeds
    }

    #[test]
    fn a_crawl_is_in_vain_where_no_page_came_and_a_seed_failed() {
        let skipped = || Fate::NotStored("robots.txt forbids it".to_owned());
        for (fates, in_vain, told) in [
            (vec![], false, ""),
            (vec![("a", Fate::NotModified)], false, ""),
            (vec![("a", skipped())], true, "nothing came of https://a/: robots.txt forbids it"),
            (vec![("c", skipped())], false, ""),
            (
                vec![("a", skipped()), ("b", Fate::NotModified)],
                false,
                "nothing came of https://a/: robots.txt forbids it",
            ),
            (vec![("a", Fate::Failed("no answer".to_owned())), ("a", Fate::NotModified)], false, ""),
            (
                vec![("a", Fate::Redirected(url("c"))), ("c", skipped())],
                true,
                "nothing came of https://c/: robots.txt forbids it",
            ),
        ] {
            let seeds = seeds(&fates);
            assert_eq!((seeds.are_in_vain(), seeds.told().as_str()), (in_vain, told), "{fates:?}");
        }
    }
}
