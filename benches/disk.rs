//! Disk space per page: performs the writes of a crawl without crawling, then prints the sizes on
//! disk.
//!
//! `cargo bench --bench disk`, with `TSREC_PAGES` (default: 20,000). A page is 21 KB, links to ten
//! others and has text at 60 places. One page in four teaches the crawl's own model something.
//! Eight pages share a flush. As in a crawl, pages are held and wait until some pages make their
//! template known. A host has three templates, which appear one after the other.
#![allow(clippy::print_stdout, reason = "a bench speaks to who started it")]

mod support;

use std::path::Path;
use std::time::Instant;

use support::mix;
use tsrec_core::metadata::Metadata;
use tsrec_core::template::{ENOUGH_PAGES, EVIDENCE, Memory, SeenBlock};
use tsrec_crawl::frontier::{Ack, Config as FrontierConfig, Discovered, Embedded, Frontier};
use tsrec_crawl::memories::{Learning, SiteMemories};
use tsrec_store::{Config, Database, KeptBody, NewPage, Parked, Store, maintenance};

/// Pages of a host. Judgement: a crawl of some months. With fewer pages, the data per host weighs
/// more.
const PAGES_PER_HOST: u64 = 150;
/// Templates of a host, and the places of each that have text.
const TEMPLATES: u64 = 3;
const PLACES: u64 = 60;
/// Pages of a template that are held and wait until the template is known.
const UNTIL_KNOWN: u64 = ENOUGH_PAGES as u64 + 1;
const WORDS: usize = 5_000;

/// Text as compressible as prose: words that follow Zipf's law.
fn prose(seed: u64, len: usize) -> String {
    let mut text = String::new();
    let mut n = seed << 20;
    while text.len() < len {
        n += 1;
        let rank = ((WORDS as f64).powf((mix(n) >> 11) as f64 / (1u64 << 53) as f64)) as u64;
        text += &format!("{:x} ", mix(rank) >> (40 + rank % 12));
    }
    text
}

fn hosts() -> u64 {
    (pages() / PAGES_PER_HOST).max(1)
}

fn pages() -> u64 {
    std::env::var("TSREC_PAGES").map_or(20_000, |pages| pages.parse().expect("a number"))
}

fn url(n: u64) -> String {
    format!("http://host-{}.example/articles/2026/{n}/what-it-is-about.html", n % hosts())
}

fn size(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return dir.metadata().map_or(0, |metadata| metadata.len()) };
    entries.flatten().map(|entry| size(&entry.path())).sum()
}

#[tokio::main]
async fn main() {
    let (pages, hosts) = (pages(), hosts());
    let dir = tempfile::tempdir().expect("a directory");
    let (mut json, mut packed) = (0, 0);
    {
        let database = Database::open(dir.path(), &Config::default()).expect("a store");
        let store = Store::new(&database);
        let memories = SiteMemories::over(&store, Default::default());
        let config = FrontierConfig { delay: std::time::Duration::ZERO, ..FrontierConfig::default() };
        let frontier = Embedded::new(&database, &config).expect("a frontier");
        let started = Instant::now();
        for n in 0..pages {
            let links = (0..10).map(|k| url(n + k * hosts + hosts)).filter_map(|url| url.parse().ok());
            let links: Vec<_> = links.map(|url| Discovered::page(url, 1, None)).collect();
            frontier.put_discovered(&links).await.expect("links");
            // Page n is the (n / hosts)-th page of its host.
            let (template, of_template) = (n / hosts % TEMPLATES, n / hosts / TEMPLATES);
            if of_template == UNTIL_KNOWN {
                for known in 0..UNTIL_KNOWN {
                    let known = url(n - (UNTIL_KNOWN - known) * TEMPLATES * hosts);
                    store.unpark(&known).expect("unparked");
                    store.let_go([&*known]).expect("let go");
                }
            }
            let page = page(n);
            let body = (prose(n % hosts, 14_000) + &prose(n, 7_000)).into_bytes();
            let body = Parked { body, status: 200, charset: None, fetched_at: page.fetched_at, truncated: false };
            let is_first = of_template < UNTIL_KNOWN;
            let kept = KeptBody { waits: is_first, sibling: is_first, raw: true, ..KeptBody::new(&body) };
            let bytes = serde_json::to_vec(&page).expect("JSON");
            json += bytes.len() as u64;
            packed += zstd::bulk::compress(&bytes, 3).expect("zstd").len() as u64;
            let memory = memory(n % hosts * TEMPLATES + template, n);
            let learning = Learning { known: of_template as u32, kept: Some(kept), ..Learning::new(&memory) };
            memories.learn(page, &learning).expect("stored");
            for lease in frontier.get_urls(1).await.expect("leases") {
                let refetchable_from = jiff::Timestamp::now() + std::time::Duration::from_secs(7 * 86_400);
                frontier.ack(lease.url.as_str(), Ack::Ok { refetchable_from }, "").await.expect("acknowledged");
            }
            if n % 8 == 7 {
                database.durable().expect("durable");
            }
            if (n + 1) % (pages / 4).max(1) == 0 {
                tell(dir.path(), n + 1, packed);
            }
        }
        database.durable().expect("durable");
        println!("{pages} pages in {:.1} s, JSON {} B a page", started.elapsed().as_secs_f64(), json / pages);
    }
    let started = Instant::now();
    let database = Database::open(dir.path(), &Config::default()).expect("a store");
    println!("opened again in {:.2} s", started.elapsed().as_secs_f64());
    drop(database);
    maintenance::compact(dir.path(), &Config::default()).expect("compacted");
    print!("compacted: ");
    tell(dir.path(), pages, packed);
}

fn tell(dir: &Path, pages: u64, packed: u64) {
    let [records, bodies, index] = ["records", "bodies", "index"].map(|name| size(&dir.join(name)));
    let without = records + index;
    println!(
        "{pages} pages: {} B a page on disk without bodies = {:.2} x the compressed records ({} B): records {}, sled {}; \
         bodies {}",
        without / pages,
        without as f64 / packed as f64,
        packed / pages,
        records / pages,
        index / pages,
        bodies / pages,
    );
}

/// The memory of a page: text at the places of its template.
fn memory(template: u64, n: u64) -> Memory {
    Memory::of_page((0..PLACES).map(|place| SeenBlock {
        place: mix(template * PLACES + place),
        // A third of the places repeat.
        text: mix(if place % 3 == 0 { place } else { n * PLACES + place }),
        words: 1 + (mix(n ^ place) % 60) as u32,
        odds: (mix(place) % 12) as f32 - 6.0,
        evidence: [(mix(place ^ n) % 100) as f32; EVIDENCE],
    }))
}

fn page(n: u64) -> NewPage {
    NewPage {
        url: url(n),
        metadata: Metadata { title: Some(prose(n, 60)), canonical_url: Some(url(n)), ..Default::default() },
        comments: String::new(),
        text: prose(n, 4_500),
        // Twelve paragraphs, like an article.
        html: Some(
            prose(n, 4_500)
                .as_bytes()
                .chunks(400)
                .map(|part| format!("<p>{}</p>\n", String::from_utf8_lossy(part)))
                .collect(),
        ),
        words: 900,
        method: "template".into(),
        confidence: 0.9,
        kind: Some("article".into()),
        kind_probability: Some(0.95),
        sibling: Some(url(n + hosts())),
        template: None,
        gates: serde_json::json!([{ "sibling": url(n + hosts()), "passed": true, "measured": 0.25 }]),
        labels: [("common".to_owned(), 120), ("content".to_owned(), 30)].into(),
        fetched_at: jiff::Timestamp::now(),
        status: 200,
        charset: Some("UTF-8".into()),
        cut: vec![],
    }
}
