//! Finds the best sibling among all known URLs of a host in two ways: by the frontier's index, and
//! by rating every URL.
//!
//! `cargo bench --bench pairing`, with `TSREC_URLS` (default: a million) and `TSREC_QUERIES` (200).
//! The host has thirteen shapes of URLs, from blogs, newspapers, forums, shops, wikis and manuals,
//! with slugs of words. The bench prints the processor milliseconds of both ways, and how often
//! they agree. They agree if the index's URL has the shape of the best of all or is hardly less
//! alike, and is not clearly worse (`CLEARLY_BETTER`). The bench fails if fewer than 99 in 100
//! agree, or if half of the look-ups take a millisecond.
//!
//! `cargo bench --bench pairing -- SET...` does the same with real URLs, and never fails. The URLs
//! of the pages of the sets (`meta.jsonl` with `id` and `url`, `html/`) and of their links are
//! known. The bench looks up every page of a site with five or more pages. If a host has more URLs
//! than the index looks at, it looks up only some of them.
#![allow(clippy::print_stdout, reason = "a bench speaks to who started it")]

use tsrec_terminal::input::whole_page;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::Runtime;
use tsrec_core::html::{Limits, links, parse};
use tsrec_core::pairing::pattern::pattern;
use tsrec_core::pairing::{CLEARLY_BETTER, NEAR, Similarity, rank, similarity};
use tsrec_crawl::frontier::{Config, Discovered, Embedded, Frontier};
use tsrec_store::Database;
use url::Url;

const LEAST_AGREEMENT: f64 = 0.99;
/// A sibling that is less alike by at most this much is as good. Judgement: a third of the margin
/// by which a URL must be better.
const HARDLY: f64 = 0.05;
const MOST_TIME: Duration = Duration::from_millis(1);
/// URLs put at a time.
const AT_A_TIME: usize = 10_000;
/// Links of a page that are known.
const MOST_LINKS: usize = 10_000;
/// Fewest pages of a site whose pages are all looked up.
const LEAST_PAGES: usize = 5;
/// URLs looked up per host that has more than the index looks at.
const OF_LARGE_HOST: usize = 20;

fn main() {
    let sets: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match sets.is_empty() {
        true => made_up(),
        false => real(&sets),
    }
}

/// One host with many URLs of thirteen shapes.
fn made_up() {
    let [urls, queries] = [("TSREC_URLS", 1_000_000), ("TSREC_QUERIES", 200)]
        .map(|(name, default)| std::env::var(name).map_or(default, |number| number.parse().expect("a number")));
    let known: Vec<Url> = (0..urls).map(url).collect();
    let index = Index::of(&known);
    println!("{urls} URLs, {} bytes of files each", index.bytes() / urls as u64);
    let numbers: Vec<usize> = (0..queries).map(|n| n * (urls / queries)).collect();
    let asked: Vec<Asked<'_>> = numbers.iter().map(|&n| Asked { page: &known[n], known: &known }).collect();
    let found = compare(&index, &asked);
    let mut of_shape: BTreeMap<u64, Vec<Compared>> = BTreeMap::new();
    for (&n, compared) in numbers.iter().zip(&found) {
        of_shape.entry(shape_of(n as u64)).or_default().push(*compared);
    }
    for (shape, found) in &of_shape {
        tell(&format!("shape {shape}"), found);
    }
    tell("all", &found);
    assert!(share(&found, Compared::agrees) >= LEAST_AGREEMENT, "they disagree");
    assert!(part_of(&found, 0.5, |compared| compared.by_index) < MOST_TIME, "the index is slow");
}

/// The URLs of real pages and of their links.
fn real(sets: &[String]) {
    let (mut known, mut sites) = (BTreeMap::<String, BTreeSet<Url>>::new(), BTreeMap::<String, Vec<Url>>::new());
    for (site, page, links) in sets.iter().flat_map(|set| pages(Path::new(set))) {
        sites.entry(site).or_default().push(page.clone());
        for mut url in links.into_iter().chain([page]) {
            url.set_fragment(None);
            known.entry(url.host_str().unwrap_or_default().to_owned()).or_default().insert(url);
        }
    }
    let hosts: BTreeMap<String, Vec<Url>> =
        known.into_iter().map(|(host, urls)| (host, urls.into_iter().collect())).collect();
    let all: Vec<Url> = hosts.values().flatten().cloned().collect();
    println!("{} URLs of {} hosts", all.len(), hosts.len());
    let index = Index::of(&all);

    let of_host = |page: &'_ Url| &*hosts[page.host_str().unwrap_or_default()];
    let pages = sites.values().filter(|pages| pages.len() >= LEAST_PAGES).flatten();
    let pages: Vec<Asked<'_>> = pages.map(|page| Asked { page, known: of_host(page) }).collect();
    tell("pages of sites with five and more", &compare(&index, &pages));

    let large = hosts.values().filter(|urls| urls.len() > 2 * NEAR + 1);
    let some = large
        .flat_map(|urls| urls.iter().step_by(urls.len() / OF_LARGE_HOST).map(move |page| Asked { page, known: urls }));
    tell("URLs of hosts with more than are near", &compare(&index, &some.collect::<Vec<_>>()));
}

/// The pages of a set that have a URL: their site, URL and links.
fn pages(set: &Path) -> Vec<(String, Url, Vec<Url>)> {
    let meta = std::fs::read_to_string(set.join("meta.jsonl")).expect("a set has a meta.jsonl");
    let page = |line: &str| {
        let entry: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        let url = Url::parse(entry["url"].as_str()?).ok()?;
        let [id, site] = ["id", "site"].map(|name| entry[name].as_str().expect("a name"));
        let files = ["html", "html.gz"].map(|suffix| set.join(format!("html/{id}.{suffix}")));
        let file = files.iter().find(|file| file.exists()).expect("a page for each entry");
        let document = parse(&whole_page(file).expect("a page"), None, &Limits::default());
        let links = links::links(&document, &url, links::MostLinks { within: MOST_LINKS, beyond: MOST_LINKS });
        Some((site.to_owned(), url, links.urls))
    };
    meta.lines().filter_map(page).collect()
}

/// A frontier that knows these URLs.
struct Index {
    runtime: Runtime,
    frontier: Embedded,
    database: Database,
    _dir: tempfile::TempDir,
}

impl Index {
    fn of(known: &[Url]) -> Index {
        let dir = tempfile::tempdir().expect("a directory");
        let database = Database::open(dir.path(), &tsrec_store::Config::default()).expect("a store");
        let most = known.len() as u64;
        let config = Config { max_urls: most, max_urls_per_queue: most, ..Config::default() };
        let frontier = Embedded::new(&database, &config).expect("a frontier");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        for some in known.chunks(AT_A_TIME) {
            let some: Vec<Discovered> = some.iter().map(|url| Discovered::page(url.clone(), 1, None)).collect();
            runtime.block_on(frontier.put_discovered(&some)).expect("URLs are put");
        }
        Index { runtime, frontier, database, _dir: dir }
    }

    /// The best of the nearby URLs.
    fn best(&self, page: &Url) -> Option<(Url, Similarity)> {
        let near = self.runtime.block_on(self.frontier.near(page.as_str(), NEAR)).expect("what is near");
        let near = near.iter().map(|near| Url::parse(near).expect("a URL"));
        let best = rank(page, near, |candidate| candidate).into_iter().next()?;
        Some((best.candidate, best.similarity))
    }

    fn bytes(&self) -> u64 {
        self.database.durable().expect("a flush");
        self.database.size_on_disk().expect("files")
    }
}

/// A page, and all URLs of its host.
struct Asked<'k> {
    page: &'k Url,
    known: &'k [Url],
}

/// The results of both ways for a page.
#[derive(Clone, Copy)]
struct Compared {
    by_index: Duration,
    by_all: Duration,
    /// How much less alike the index's URL is than the best of all.
    short: f64,
    has_its_shape: bool,
}

impl Compared {
    fn agrees(&self) -> bool {
        (self.has_its_shape || self.short <= HARDLY) && self.short <= CLEARLY_BETTER
    }
}

/// Asks the index for each page, then uses all processors to find the best of all. Leaves out pages
/// whose host has no other URL.
fn compare<'k>(index: &Index, asked: &'k [Asked<'k>]) -> Vec<Compared> {
    let by_index: Vec<_> = asked.iter().map(|asked| timed(|| index.best(asked.page))).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let by_all = std::thread::scope(|scope| {
        let scan = |some: &'k [Asked<'k>]| {
            scope.spawn(move || some.iter().map(|asked| timed(|| best_of_all(asked))).collect::<Vec<_>>())
        };
        let scans: Vec<_> = asked.chunks(asked.len().div_ceil(threads).max(1)).map(scan).collect();
        scans.into_iter().flat_map(|scan| scan.join().expect("a scan")).collect::<Vec<_>>()
    });
    let compared = by_index.into_iter().zip(by_all).filter_map(|((found, by_index), (best, by_all))| {
        let (best, score) = best?;
        let found_score = found.as_ref().map_or(0.0, |(_, similarity)| similarity.score);
        let has_its_shape = found.is_some_and(|(found, _)| shape(&found) == shape(best));
        Some(Compared { by_index, by_all, short: score - found_score, has_its_shape })
    });
    compared.collect()
}

/// The best of all URLs of a host, rated by [`rank`].
fn best_of_all<'k>(asked: &Asked<'k>) -> Option<(&'k Url, f64)> {
    let rated = asked.known.iter().filter_map(|url| Some((url, similarity(asked.page, url)?.score)));
    rated.max_by(|(one, x), (other, y)| x.total_cmp(y).then_with(|| other.as_str().cmp(one.as_str())))
}

/// The pattern of a URL without its trailing slash, so that its last folder counts as a name.
fn shape(url: &Url) -> String {
    let mut bare = url.clone();
    if let Ok(mut segments) = bare.path_segments_mut() {
        segments.pop_if_empty();
    }
    pattern(&bare)
}

fn tell(whose: &str, found: &[Compared]) {
    let within = |most: f64| share(found, |compared| compared.short <= most);
    let half = |time: fn(&Compared) -> Duration, part| part_of(found, part, time).as_secs_f64() * 1e3;
    println!(
        "{whose}: {} asked for, {:.3} ms by the index (99 %: {:.3}), {:.1} by all; agree {:.3}: of its shape {:.3}, not clearly worse {:.3}, by 0.05 at most {:.3}, as alike {:.3}",
        found.len(),
        half(|compared| compared.by_index, 0.5),
        half(|compared| compared.by_index, 0.99),
        half(|compared| compared.by_all, 0.5),
        share(found, Compared::agrees),
        share(found, |compared| compared.has_its_shape),
        within(CLEARLY_BETTER),
        within(HARDLY),
        within(0.0),
    );
}

fn share(found: &[Compared], is_so: impl Fn(&Compared) -> bool) -> f64 {
    found.iter().filter(|compared| is_so(compared)).count() as f64 / found.len() as f64
}

/// The time that this share of the look-ups stay below.
fn part_of(found: &[Compared], part: f64, time: impl Fn(&Compared) -> Duration) -> Duration {
    let mut times: Vec<Duration> = found.iter().map(time).collect();
    times.sort();
    times[((times.len() - 1) as f64 * part) as usize]
}

fn timed<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let begin = now();
    let done = work();
    (done, now() - begin)
}

/// Processor time of this thread.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// SplitMix64.
fn mix(n: u64) -> u64 {
    let mut z = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const WORDS: [&str; 24] = [
    "harbour", "ferry", "council", "votes", "winter", "museum", "opens", "after", "storm", "school", "roof", "night",
    "train", "returns", "market", "choir", "sings", "river", "bridge", "closed", "again", "island", "prices", "rise",
];

/// A number below a bound, drawn from a URL's number.
fn draw(n: u64, salt: u64, below: u64) -> u64 {
    mix(n.wrapping_mul(31).wrapping_add(salt)) % below
}

/// The shape of a URL, one of thirteen.
fn shape_of(n: u64) -> u64 {
    draw(n, 5, 13)
}

fn url(n: usize) -> Url {
    let n = n as u64;
    let random = |salt: u64, below: u64| draw(n, salt, below);
    let word = |salt: u64| WORDS[random(salt, WORDS.len() as u64) as usize];
    let slug = |salt: u64| (0..3 + random(salt, 5)).map(|k| word(salt + 1 + k)).collect::<Vec<_>>().join("-");
    let section = ["world", "sport", "culture", "science", "opinion"][random(1, 5) as usize];
    let (year, month, day) = (2005 + random(2, 21), 1 + random(3, 12), 1 + random(4, 28));
    let path = match shape_of(n) {
        0 => format!("{section}/{year}/{month:02}/{day:02}/{}.html", slug(10)),
        1 => format!("{year}/{month:02}/{}/", slug(10)),
        2 => format!("article/{n}"),
        3 => format!("{section}/{}-{n}", slug(10)),
        4 => format!("p/{}-{}", slug(10), word(40)),
        5 => format!("{}-{}", slug(10), slug(20)),
        6 => format!("story.php?id={n}&lang={}", ["de", "en", "fr"][random(6, 3) as usize]),
        7 => format!("forum/viewtopic.php?f={}&t={n}", random(7, 40)),
        8 => format!("product/{}/{}-{n}.html", word(41), slug(10)),
        9 => format!("wiki/{}_{}_({n})", word(42), word(43)),
        10 => format!("docs/{}.{}/{}/{}.html", random(8, 9), random(9, 9), word(44), slug(10)),
        11 => format!("user/{}{}/posts/{n}", word(45), random(30, 9_000)),
        _ => format!("tag/{}-{}?page={}", word(46), word(47), random(31, 50)),
    };
    Url::parse(&format!("https://www.example.org/{path}")).expect("a URL")
}
