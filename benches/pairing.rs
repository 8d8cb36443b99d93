//! The best sibling among all known URLs of a host: by the frontier's index, and by rating every one.
//!
//! `cargo bench --bench pairing`, with `TSREC_URLS` (100,000 where it is not set) and `TSREC_QUERIES` (200). The host has thirteen shapes of URLs, of blogs, newspapers, forums, shops, wikis and
//! manuals, with slugs of words. Prints processor milliseconds of both ways, and how often they agree: the best of all is not clearly better (`CLEARLY_BETTER`), which is all that the crawl asks. Fails where fewer than 99 in
//! 100 agree, or where half of the look-ups take a millisecond.
#![allow(clippy::print_stdout, reason = "a bench speaks to who started it")]

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tsrec::frontier::{Config, Discovered, Embedded, Frontier};
use tsrec::pairing::{CLEARLY_BETTER, NEAR, Rated, rank};
use tsrec::store::Database;
use url::Url;

const LEAST_AGREEMENT: f64 = 0.99;
const MOST_TIME: Duration = Duration::from_millis(1);
/// URLs that are put at a time.
const AT_A_TIME: usize = 10_000;

fn main() {
    let [urls, queries] = [("TSREC_URLS", 100_000), ("TSREC_QUERIES", 200)]
        .map(|(name, default)| std::env::var(name).map_or(default, |number| number.parse().expect("a number")));
    let known: Vec<Url> = (0..urls).map(url).collect();
    let dir = tempfile::tempdir().expect("a directory");
    let database = Database::open(dir.path(), &tsrec::store::Config::default()).expect("a store");
    let config = Config { max_urls: urls as u64, max_urls_per_queue: urls as u64, ..Config::default() };
    let frontier = Embedded::new(&database, &config).expect("a frontier");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for some in known.chunks(AT_A_TIME) {
        let some: Vec<Discovered> = some.iter().map(|url| Discovered::page(url.clone(), 1, None)).collect();
        runtime.block_on(frontier.put_discovered(&some)).expect("URLs are put");
    }

    let (mut by_index, mut by_all, mut short) = (Vec::new(), Vec::new(), Vec::new());
    for n in 0..queries {
        let page = &known[n * (urls / queries)];
        let begin = now();
        let near = runtime.block_on(frontier.near(page.as_str(), NEAR)).expect("what is near");
        let near = near.iter().map(|near| Url::parse(near).expect("a URL"));
        let found = rank(page, near, |candidate| candidate).swap_remove(0);
        by_index.push(now() - begin);
        let begin = now();
        let best = best_of_all(page, &known);
        by_all.push(now() - begin);
        short.push(best.similarity.score - found.similarity.score);
    }
    let within = |most: f64| short.iter().filter(|&&short| short <= most).count() as f64 / queries as f64;
    println!(
        "{urls} URLs: {:.3} ms by the index (99 %: {:.3}), {:.1} ms by all",
        half(&mut by_index, 0.5),
        half(&mut by_index, 0.99),
        half(&mut by_all, 0.5)
    );
    println!(
        "of {queries}, as alike as the best of all: {:.3}; short of it by 0.05 at most: {:.3}; not clearly: {:.3}",
        within(0.0),
        within(0.05),
        within(CLEARLY_BETTER)
    );
    assert!(within(CLEARLY_BETTER) >= LEAST_AGREEMENT, "they disagree");
    assert!(half(&mut by_index, 0.5) < MOST_TIME.as_secs_f64() * 1e3, "the index is slow");
}

fn best_of_all<'u>(page: &Url, known: &'u [Url]) -> Rated<&'u Url> {
    rank(page, known, |candidate| candidate).swap_remove(0)
}

/// What so large a part of the times stay below, in milliseconds.
fn half(times: &mut [Duration], part: f64) -> f64 {
    times.sort();
    times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3
}

/// The processor's time that this thread has had.
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

fn url(n: usize) -> Url {
    let n = n as u64;
    let random = |salt: u64, below: u64| mix(n.wrapping_mul(31).wrapping_add(salt)) % below;
    let word = |salt: u64| WORDS[random(salt, WORDS.len() as u64) as usize];
    let slug = |salt: u64| (0..3 + random(salt, 5)).map(|k| word(salt + 1 + k)).collect::<Vec<_>>().join("-");
    let section = ["world", "sport", "culture", "science", "opinion"][random(1, 5) as usize];
    let (year, month, day) = (2005 + random(2, 21), 1 + random(3, 12), 1 + random(4, 28));
    let path = match random(5, 13) {
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
