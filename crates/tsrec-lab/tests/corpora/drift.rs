//! False alarms: how often tsrec reports a redesign where there was none.
//!
//! The pages of a site come in a random order, the same in each run, as a crawl would meet them.
//! Then they come twice more, as when a crawl visits them again. The site was not redesigned in
//! between. A second test checks that the same method finds real redesigns, those of news sites
//! between 2013 and 2017. To print the table:
//! `cargo test --release -p tsrec-lab --features corpora --test corpora drift -- --nocapture`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use tsrec_core::extract::Page;
use tsrec_core::extract::scored::Scored;
use tsrec_core::html::parse;
use tsrec_core::learn::random::Random;
use tsrec_core::pairing::pattern::pattern_hash;
use tsrec_core::template::{Memory, Site, Visit};
use url::Url;

use super::accuracy::corpora;
use tsrec_terminal::input::whole_page;

/// Sets whose pages have URLs.
const SETS: [&str; 6] = ["sites", "cleanportaleval", "big9-13", "big9-17", "dragnet", "wcxb-dev"];
/// Orders in which the pages of each site come.
const ORDERS: u64 = 20;
/// Visits per page.
const ROUNDS: usize = 3;
/// Minimum pages of a site. With fewer, no template has a home that another could take.
const LEAST_PAGES: usize = 8;
/// Pages of one URL pattern that are needed to see a redesign in new pages: a home, and the pages
/// that miss it.
const ENOUGH_ALIKE: usize = 8;
/// Allowed false alarms per thousand pages, in any set. None was found.
const MOST_FALSE: f64 = 1.0;
/// A redesign must be reported within this many pages.
const MOST_UNTIL_TOLD: usize = 5;

/// A page as the crawl remembers it.
type Seen = (Url, Memory);

/// The pages of a set, by their site.
fn sites(set: &str) -> BTreeMap<String, Vec<Seen>> {
    let folder = corpora().join(set);
    let lines = std::fs::read_to_string(folder.join("meta.jsonl")).unwrap();
    let mut sites: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in lines.lines() {
        let meta: Value = serde_json::from_str(line).unwrap();
        let Some(site) = meta["site"].as_str().filter(|_| meta["url"].is_string()) else { continue };
        sites.entry(site.to_owned()).or_default().push(meta);
    }
    sites.retain(|_, pages| pages.len() >= LEAST_PAGES);
    let seen = |meta: &Value| {
        let url = Url::parse(meta["url"].as_str().unwrap()).unwrap();
        let bytes = bytes_of(&folder.join("html"), meta["id"].as_str().unwrap());
        let document = parse(&bytes, None, &Default::default());
        let memory = Scored::shipped().remember(&Page::new(&document).at(Some(&url)));
        (url, memory)
    };
    sites.into_iter().map(|(site, pages)| (site, pages.iter().map(seen).collect())).collect()
}

/// A page's bytes, decompressed if necessary.
fn bytes_of(folder: &Path, id: &str) -> Vec<u8> {
    let plain = folder.join(format!("{id}.html"));
    let file = if plain.exists() { plain } else { folder.join(format!("{id}.html.gz")) };
    whole_page(&file).unwrap()
}

/// The numbers of a site's pages, in an order that depends on the seed.
fn shuffled(pages: usize, seed: u64) -> Vec<usize> {
    let mut random = Random::new(seed);
    let mut turn: Vec<usize> = (0..pages).collect();
    turn.sort_by_cached_key(|_| random.bits());
    turn
}

/// Alarms during the first visits, and during the later ones.
fn alarms(pages: &[Seen], order: u64) -> [usize; 2] {
    let mut site = Site::default();
    let mut of: Vec<Option<u32>> = vec![None; pages.len()];
    let mut told = [0, 0];
    for round in 0..ROUNDS {
        for at in shuffled(pages.len(), order * ROUNDS as u64 + round as u64) {
            let (url, memory) = &pages[at];
            let learned =
                site.learn_at(memory, Visit { pattern: Some(pattern_hash(url)), before: of[at], stated: None });
            told[round.min(1)] += usize::from(learned.redesign.is_some());
            of[at] = Some(learned.number);
        }
    }
    told
}

/// Pages whose URL pattern is the home of a template.
fn at_homes_of(pages: &[Seen]) -> usize {
    let mut patterns: BTreeMap<u32, usize> = BTreeMap::new();
    pages.iter().for_each(|(url, _)| *patterns.entry(pattern_hash(url)).or_default() += 1);
    patterns.into_values().filter(|&pages| pages >= ENOUGH_ALIKE).sum()
}

#[test]
fn drift_is_not_told_where_nothing_was_redesigned() {
    println!(
        "{:<16} {:>6} {:>6} {:>8} {:>16} {:>16}",
        "set", "sites", "pages", "at homes", "new, of 1,000", "again, of 1,000"
    );
    let mut at_homes = 0;
    let mut worst = 0.0f64;
    for set in SETS {
        let sites = sites(set);
        let pages: usize = sites.values().map(Vec::len).sum();
        assert!(pages > 0, "{set} has no site of {LEAST_PAGES} pages");
        let mut told = [0, 0];
        for (name, pages) in &sites {
            let of_site = (0..ORDERS)
                .map(|order| alarms(pages, order))
                .fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
            if of_site != [0, 0] {
                println!("  {name}: {} pages, {of_site:?} in {ORDERS} orders", pages.len());
            }
            told = [told[0] + of_site[0], told[1] + of_site[1]];
        }
        let share = |alarms: usize, rounds: usize| alarms as f64 * 1000.0 / (pages * rounds * ORDERS as usize) as f64;
        let (new, again) = (share(told[0], 1), share(told[1], ROUNDS - 1));
        let at_home: usize = sites.values().map(|pages| at_homes_of(pages)).sum();
        at_homes += at_home;
        println!("{set:<16} {:>6} {pages:>6} {at_home:>8} {new:>16.2} {again:>16.2}", sites.len());
        worst = worst.max(new).max(again);
    }
    assert!(at_homes > 100, "only of {at_homes} pages could anything have been told when they were new");
    assert!(worst <= MOST_FALSE, "{worst:.2} false alarms of a thousand pages");
}

/// Five news sites as they were in 2013, and the pages at the same URLs with the design of 2017.
#[test]
fn drift_is_told_where_news_sites_were_redesigned() {
    let mut later = sites("big9-17");
    let mut of_both = 0;
    for (name, pages) in sites("big9-13") {
        let Some(new) = later.remove(&name) else { continue };
        of_both += 1;
        for order in 0..ORDERS {
            let mut site = Site::default();
            let turn = shuffled(pages.len().min(new.len()), order);
            let visit = |at: usize, before| Visit { pattern: Some(pattern_hash(&pages[at].0)), before, stated: None };
            let of: Vec<u32> = turn.iter().map(|&at| site.learn_at(&pages[at].1, visit(at, None)).number).collect();
            let mut again = turn.iter().zip(of);
            let told = again.position(|(&at, of)| site.learn_at(&new[at].1, visit(at, Some(of))).redesign.is_some());
            let told = told.map(|at| at + 1);
            if order == 0 {
                println!("{name}: {} pages; told with the page {told:?} of the new design", turn.len());
            }
            assert!(told.is_some_and(|told| told <= MOST_UNTIL_TOLD), "{name}, order {order}: {told:?}");
        }
    }
    assert!(of_both >= 3, "{of_both} sites are in both sets");
}
