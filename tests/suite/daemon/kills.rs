//! A crawl of a changing site, killed at random moments again and again. Pages, feed and frontier
//! end up as they would without kills.
//!
//! `cargo test` does a few kills. The long run is
//! `TSREC_KILLS=200 cargo test --test suite daemon::kills -- --nocapture`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;

use super::{crawl, export, lines, operate, tsrec};
use crate::support::site::Site;

/// Stories of the site, besides its front page.
const STORIES: usize = 30;

/// Number of kills by default: some ten seconds.
const KILLS: u64 = 6;

/// The title of a story at a time, or `None` while it is gone. A third of the stories change, and
/// each is gone at some time.
fn title(story: usize, time: usize) -> Option<String> {
    let edition = if story.is_multiple_of(3) { time / 2 } else { 0 };
    (!(story + time).is_multiple_of(7)).then(|| format!("Story {story}, edition {edition}"))
}

/// The text of a story. Stories differ in more than digits, so that they do not look like a trap.
fn words(story: usize) -> String {
    const WORDS: [&str; 16] = [
        "ferry", "harbour", "council", "winter", "choir", "bridge", "market", "school", "boat", "museum", "orchard",
        "lantern", "parcel", "quarry", "saddle", "violin",
    ];
    (0..16).map(|at| format!(" {}", WORDS[mix(100 * story as u64 + at) as usize % 16])).collect()
}

fn page(path: &str, time: usize) -> Option<Vec<u8>> {
    let list: String = (0..STORIES).map(|n| format!("<li><a href=/stories/{n}.html>story {n}</a></li>")).collect();
    let body = match path {
        "/index.html" => format!("<title>Front</title><ul>{list}</ul>"),
        _ => {
            let story = path.strip_prefix("/stories/")?.strip_suffix(".html")?.parse().ok()?;
            let title = title(story, time)?;
            format!(
                "<title>{title}</title><ul>{list}</ul><h1>{title}</h1><p>{title}: what was said on the quay that day, of{}.</p>",
                words(story)
            )
        }
    };
    Some(format!("<html><body>{body}</body></html>").into_bytes())
}

/// SplitMix64.
pub(super) fn mix(n: u64) -> u64 {
    let mut z = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// An indexer: what it knows of each URL, and its cursor.
#[derive(Default)]
struct Indexer {
    titles: BTreeMap<String, u64>,
    cursor: Option<String>,
    sequence: u64,
}

impl Indexer {
    /// Reads on. No change may come twice, and none may be missing.
    fn read(&mut self, data_dir: &Path) {
        let mut command = tsrec();
        command.arg("changes").args(self.cursor.iter().flat_map(|cursor| ["--since", cursor]));
        let output = command.arg("--data-dir").arg(data_dir).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        self.cursor = said.lines().last().and_then(|line| line.split_whitespace().last()).map(str::to_owned);
        for change in lines(output) {
            let (url, sequence) = (change["url"].as_str().unwrap().to_owned(), change["seq"].as_u64().unwrap());
            assert!(sequence > self.sequence, "{change}");
            self.sequence = sequence;
            match change["kind"].as_str() {
                Some("delete") => drop(self.titles.remove(&url)),
                _ => drop(self.titles.insert(url, sequence)),
            }
        }
    }
}

/// The site, and the data directory of a crawl of it.
pub(super) struct Changing {
    pub(super) site: Site,
    pub(super) time: Arc<AtomicUsize>,
    pub(super) dir: tempfile::TempDir,
}

impl Changing {
    pub(super) fn new() -> Changing {
        let time = Arc::new(AtomicUsize::new(0));
        let now = Arc::clone(&time);
        let site = Site::serve(move |path| page(path, now.load(Ordering::SeqCst)));
        let dir = tempfile::tempdir().unwrap();
        let every = "refetch_after = '300ms'\nrefetch_least = '300ms'\nrefetch_most = '300ms'";
        std::fs::write(dir.path().join("config.toml"), format!("[crawl]\n{every}")).unwrap();
        Changing { site, time, dir }
    }

    pub(super) fn data_dir(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// Crawls for up to a second and a half and kills the crawl. Then the site changes.
    pub(super) fn crawl_and_kill(&self, kill: u64) {
        let mut command = tsrec();
        command.args(["crawl", &self.site.url("/index.html"), "--allow-private-addresses", "--delay", "1ms"]);
        command.args(["--listen", "none", "--user-agent", "test-crawler (a test)", "--config"]);
        command.arg(self.dir.path().join("config.toml")).arg("--data-dir").arg(self.data_dir());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(100 + mix(kill) % 1_500));
        assert!(child.try_wait().unwrap().is_none(), "the crawl ended by itself, at kill {kill}");
        child.kill().unwrap();
        child.wait().unwrap();
        self.time.fetch_add(1, Ordering::SeqCst);
    }

    /// Visits all pages once more, without a kill. Then the store matches the site.
    pub(super) fn settle(&self, data_dir: &Path) -> BTreeMap<String, Value> {
        assert!(crawl(&self.site, data_dir, "1ms").status().unwrap().success());
        operate(data_dir, &["frontier", "requeue", "--state", "all"]);
        assert!(crawl(&self.site, data_dir, "1ms").status().unwrap().success());
        let exported = export(data_dir).into_iter();
        let records: BTreeMap<String, Value> =
            exported.map(|record| (record["url"].as_str().unwrap().to_owned(), record)).collect();
        for story in 0..STORIES {
            let found = records.get(&self.site.url(&format!("/stories/{story}.html")));
            let expected = title(story, self.time.load(Ordering::SeqCst)).map(Value::from);
            assert_eq!(found.map(|record| record["title"].clone()), expected, "story {story}");
        }
        let listed = operate(data_dir, &["frontier", "list"]);
        assert_eq!(listed.lines().filter(|line| line.contains("/stories/")).count(), STORIES, "{listed}");
        records
    }
}

#[test]
fn kills_at_random_moments_of_a_changing_site_lose_nothing() {
    let kills = std::env::var("TSREC_KILLS").map_or(KILLS, |kills| kills.parse().expect("a number"));
    let changing = Changing::new();
    let data_dir = changing.data_dir();
    let mut indexer = Indexer::default();
    for kill in 0..kills {
        changing.crawl_and_kill(kill);
        if data_dir.join("records").is_dir() {
            indexer.read(&data_dir);
        }
    }
    let records = changing.settle(&data_dir);
    let verified: Value = serde_json::from_str(&operate(&data_dir, &["store", "verify"])).unwrap();
    assert_eq!((&verified["damaged_frames"], &verified["missing_segments"]), (&0.into(), &0.into()), "{verified}");
    let stats: Value = serde_json::from_str(&operate(&data_dir, &["store", "stats"])).unwrap();
    assert_eq!(stats["counts"]["losses"], 0, "{stats}");
    let remembered: Value =
        serde_json::from_str(&operate(&data_dir, &["template", "list", "--json", "--host", "127.0.0.1"])).unwrap();
    let templates = remembered["templates"].as_array().unwrap();
    let largest = templates.iter().max_by_key(|template| template["pages"].as_u64()).unwrap();
    // A crash may lose only the statistics of some pages. Every record names a template that
    // exists.
    assert!(largest["serves"] == true && largest["pages"].as_u64().unwrap() >= STORIES as u64 / 2, "{remembered}");
    for record in records.values() {
        let number = &record["template"]["number"];
        assert!(templates.iter().any(|template| template["number"] == *number), "{record} {remembered}");
    }
    indexer.read(&data_dir);
    let sequences = records.iter().map(|(url, record)| (url.clone(), record["seq"].as_u64().unwrap()));
    assert_eq!(indexer.titles, sequences.collect(), "an indexer that followed all the time has what the store has");
}
