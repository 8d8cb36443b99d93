//! The index against a real daemon and a changing local site. The daemon is `$TSREC`, or the
//! program that cargo built last in the folder above.
//!
//! `cargo test` does a few kills. The long run is `TSREC_KILLS=200 cargo test --test follow kill`.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::http::{StatusCode, Uri};
use tsrec_indexer::index::Pages;
use tsrec_indexer::search::search;

#[path = "../../../tests/suite/support/site.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod site;

use site::Site;

/// Stories of the site, besides its front page. The last two are copies of each other.
const STORIES: usize = 24;
/// Number of kills by default.
const KILLS: usize = 15;

/// The title of a story at a time, or `None` while it is gone. A third of the stories change, and
/// each is gone at some time.
fn title(story: usize, time: usize) -> Option<String> {
    let edition = if story.is_multiple_of(3) { time / 2 } else { 0 };
    let is_copy = story >= STORIES - 2;
    match (story + time).is_multiple_of(7) && !is_copy {
        true => None,
        false if is_copy => Some("Tide table".to_owned()),
        false if story == 5 => Some("東京都の港".to_owned()),
        false => Some(format!("Story {story}, edition{edition}")),
    }
}

fn page(path: &str, time: usize) -> Option<Vec<u8>> {
    let list: String = (0..STORIES).map(|n| format!("<li><a href=/stories/{n}.html>story {n}</a></li>")).collect();
    let body = match path {
        "/index.html" => format!("<title>Front</title><ul>{list}</ul>"),
        _ => {
            let story = path.strip_prefix("/stories/")?.strip_suffix(".html")?.parse().ok()?;
            let title = title(story, time)?;
            let said = "was read out on the quay that day, twice, since the wind took the first half of it out to sea.";
            format!("<title>{title}</title><ul>{list}</ul><h1>{title}</h1><p>{title}: what {said}</p>")
        }
    };
    Some(format!("<html lang=en><meta charset=utf-8><body>{body}</body></html>").into_bytes())
}

/// SplitMix64.
fn mix(n: u64) -> u64 {
    let mut z = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn program() -> PathBuf {
    let built = ["release", "debug"].map(|profile| Path::new("../../target").join(profile).join("tsrec"));
    let newest =
        built.into_iter().filter(|path| path.exists()).max_by_key(|path| path.metadata().unwrap().modified().unwrap());
    std::env::var_os("TSREC")
        .map(PathBuf::from)
        .or(newest)
        .expect("these tests need tsrec: cargo build, in the folder above")
}

/// A daemon, killed when dropped.
struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// The site, a crawl of it, and its daemon's address.
struct Changing {
    site: Site,
    time: Arc<AtomicUsize>,
    dir: tempfile::TempDir,
    port: u16,
}

impl Changing {
    fn new() -> Changing {
        let time = Arc::new(AtomicUsize::new(0));
        let now = Arc::clone(&time);
        let site = Site::serve(move |path| page(path, now.load(Ordering::SeqCst)));
        let dir = tempfile::tempdir().unwrap();
        let every = "refetch_after = '300ms'\nrefetch_least = '300ms'\nrefetch_most = '300ms'";
        std::fs::write(dir.path().join("restless.toml"), format!("[crawl]\n{every}")).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Changing { site, time, dir, port }
    }

    fn data_dir(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn tsrec(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.args(args).arg("--data-dir").arg(self.data_dir()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn crawl(&self) -> Command {
        let seed = self.site.url("/index.html");
        let mut command = self.tsrec(&["crawl", &seed, "--allow-private-addresses", "--delay", "1ms"]);
        command.args(["--user-agent", "test-crawler (a test)"]);
        command
    }

    /// A daemon that either visits all pages again and again, or visits none again.
    fn daemon(&self, is_restless: bool) -> Daemon {
        let mut command = self.crawl();
        command.args(["--listen", &format!("127.0.0.1:{}", self.port)]);
        if is_restless {
            command.arg("--config").arg(self.dir.path().join("restless.toml"));
        }
        let daemon = Daemon(command.spawn().unwrap());
        let began = Instant::now();
        while ureq::get(format!("{}/readyz", self.url())).call().is_err() {
            assert!(began.elapsed() < Duration::from_secs(60), "the daemon does not begin");
            std::thread::sleep(Duration::from_millis(20));
        }
        daemon
    }

    /// Waits until the daemon has the current site.
    fn settle(&self) -> Daemon {
        let crawl = || assert!(self.crawl().args(["--once", "--listen", "none"]).status().unwrap().success());
        crawl();
        assert!(self.tsrec(&["frontier", "requeue", "--state", "all"]).status().unwrap().success());
        crawl();
        self.daemon(false)
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn indexer(&self, index: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec-indexer"));
        command.args(["--daemon", &self.url(), "--commit-changes", "5", "--commit-seconds", "1", "--index"]).arg(index);
        command
    }

    /// Brings an index up to date and returns its documents.
    fn documents(&self, index: &Path) -> BTreeMap<String, Vec<(String, String)>> {
        let done = self.indexer(index).arg("--once").output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Pages::open(index).unwrap().all().unwrap()
    }
}

#[test]
fn killed_at_any_moment_an_index_ends_as_one_made_of_nothing() {
    let kills = std::env::var("TSREC_KILLS").map_or(KILLS, |kills| kills.parse().expect("a number"));
    let changing = Changing::new();
    let (killed, fresh) = (changing.dir.path().join("killed"), changing.dir.path().join("fresh"));
    let mut daemon = Some(changing.daemon(true));
    let (mut anew, mut cursors) = (0, BTreeSet::new());
    for kill in 0..kills {
        let log = std::fs::File::create(changing.dir.path().join("log")).unwrap();
        let mut indexer = changing.indexer(&killed).args(["--listen", "none"]).stderr(log).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(5 + mix(kill as u64) % 1_200));
        assert!(indexer.try_wait().unwrap().is_none(), "the indexer ended by itself, at kill {kill}");
        indexer.kill().unwrap();
        indexer.wait().unwrap();
        anew += usize::from(std::fs::read_to_string(changing.dir.path().join("log")).unwrap().contains("made anew"));
        cursors.insert(Pages::open(&killed).unwrap().cursor().unwrap());
        changing.time.fetch_add(1, Ordering::SeqCst);
        if kill % 5 == 2 {
            daemon = None;
            // Use another store, which does not know the cursor.
            if kill % 10 == 7 {
                std::fs::remove_dir_all(changing.data_dir()).unwrap();
            }
            daemon = daemon.or_else(|| Some(changing.daemon(true)));
        }
    }
    drop(daemon);
    let _daemon = changing.settle();
    let documents = changing.documents(&killed);
    assert_eq!(documents, changing.documents(&fresh));
    assert!(cursors.len() > kills / 4, "hardly anything was committed between kills: {cursors:?}");
    assert!(anew > 0 || kills < 10, "no cursor was gone");

    let time = changing.time.load(Ordering::SeqCst);
    for story in 0..STORIES {
        let found = documents.get(&changing.site.url(&format!("/stories/{story}.html")));
        let found = found.map(|fields| fields.iter().find(|(name, _)| name == "title").unwrap().1.clone());
        assert_eq!(found, title(story, time), "story {story}");
    }
    for index in [&killed, &fresh] {
        let pages = Pages::open(index).unwrap();
        let count = |query: &str| search(&pages, query, 100).unwrap().count;
        for edition in 0..=time / 2 {
            let titles = (0..STORIES)
                .filter_map(|story| title(story, time))
                .filter(|title| title.ends_with(&format!("edition{edition}")));
            assert_eq!(count(&format!("edition{edition}")), titles.count(), "edition {edition}");
        }
    }
}

#[test]
fn what_is_searched_for_is_found_and_shown_inert() {
    let changing = Changing::new();
    changing.time.store(1, Ordering::SeqCst);
    let _daemon = changing.settle();
    let index = changing.dir.path().join("index");
    let count = changing.documents(&index).len();
    let pages = Pages::open(&index).unwrap();
    let found = |query: &str| search(&pages, query, 10).unwrap();
    assert_eq!(found("story 8").hits[0].url, changing.site.url("/stories/8.html"));
    for (query, urls) in
        [("東京", 1), ("京都の港", 1), ("京東", 0), ("QUAY twice", 10), ("\"twice quay\"", 0), ("quay -story", 2)]
    {
        assert_eq!(found(query).hits.len(), urls, "{query}");
    }
    let tide = found("tide");
    assert_eq!((tide.hits.len(), tide.hits[0].copies, tide.count), (1, 1, 2), "copies are shown once");
    assert_eq!(found("language:en").count, found(&format!("host:{}", "127.0.0.1")).count);
    let unclear = found("nosuchfield:x quay");
    assert!(unclear.unclear[0].contains("nosuchfield"), "{unclear:?}");
    let marked = &found("tide").hits[0].snippet;
    assert_eq!(&marked.text[marked.found[0].clone()], "Tide");

    let log = changing.dir.path().join("log");
    let mut command = changing.indexer(&index);
    command.args(["--listen", "127.0.0.1:0"]).stderr(std::fs::File::create(&log).unwrap());
    let _indexer = Daemon(command.spawn().unwrap());
    let began = Instant::now();
    let base = loop {
        let said = std::fs::read_to_string(&log).unwrap();
        if let Some(base) = said.split_once("search at ").and_then(|(_, base)| base.split_once('\n')) {
            break base.0.to_owned();
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{said}");
        std::thread::sleep(Duration::from_millis(20));
    };
    let get = |query: &str| {
        let answer = ureq::get(&base).query("q", query).call().unwrap();
        let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{policy}");
        answer.into_body().read_to_string().unwrap()
    };
    assert!(get("").contains(&format!("{count} pages.")));
    let html = get("tide");
    assert!(html.contains("<mark>Tide</mark>") && html.contains("1 more with the same content"), "{html}");
    let html = get("\"><script>alert(1)</script> quay");
    assert!(!html.contains("<script") && html.contains("&lt;script&gt;"), "{html}");
}

/// A daemon that gives these answers.
fn told(answers: Vec<(&'static str, u16, String)>) -> String {
    let left = Arc::new(Mutex::new(answers.into_iter()));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let router = axum::Router::new().fallback(move |uri: Uri| {
        let (path, status, body) = left.lock().unwrap().next().expect("it is asked too often");
        assert_eq!(uri.path(), path);
        async move { (StatusCode::from_u16(status).unwrap(), body) }
    });
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { axum::serve(tokio::net::TcpListener::from_std(listener).unwrap(), router).await })
    });
    format!("http://{address}")
}

#[test]
fn until_a_snapshot_is_whole_the_index_is_what_it_was() {
    let record = |url: &str| {
        format!("{{\"url\":\"{url}\",\"host\":\"a\",\"title\":null,\"text\":\"{url}\",\"content_hash\":\"\"}}\n")
    };
    let gone = || ("/v1/changes", 410, String::new());
    let end = |cursor: &str| ("/v1/changes", 200, format!("{{\"changes\":[],\"next\":\"{cursor}\"}}"));
    let snapshot = |records: &str| ("/v1/snapshot", 200, format!("{{\"cursor\":\"c:2\",\"pages\":2}}\n{records}"));
    let dir = tempfile::tempdir().unwrap();
    let run = |answers| {
        let url = told(answers);
        let done = Command::new(env!("CARGO_BIN_EXE_tsrec-indexer"))
            .args(["--once", "--name", "", "--daemon", &url, "--index"])
            .arg(dir.path())
            .output()
            .unwrap();
        let pages = Pages::open(dir.path()).unwrap();
        let urls: Vec<String> = pages.all().unwrap().into_keys().collect();
        (done.status.success(), String::from_utf8(done.stderr).unwrap(), urls.join(" "), pages.cursor().unwrap())
    };
    let (cursor, other) = (Some("c:2".to_owned()), Some("c:3".to_owned()));
    let (ok, said, urls, at) = run(vec![snapshot(&(record("a") + &record("b"))), end("c:2")]);
    assert!(ok && (urls.as_str(), &at) == ("a b", &cursor), "{said} {urls}");
    // The answer breaks off within a record, and where the daemon reports an error.
    let (ok, said, urls, at) = run(vec![gone(), snapshot(&(record("c") + "{\"url\""))]);
    assert!(!ok && said.contains("amid a record") && (urls.as_str(), &at) == ("a b", &cursor), "{said} {urls}");
    let (ok, said, urls, _) = run(vec![gone(), ("/v1/snapshot", 503, "{\"detail\":\"not yet\"}".to_owned())]);
    assert!(!ok && said.contains("not yet") && urls == "a b", "{said} {urls}");
    let deleted = "{\"changes\":[{\"url\":\"d\",\"kind\":\"delete\"}],\"next\":\"c:3\"}".to_owned();
    let answers = vec![gone(), snapshot(&(record("c") + &record("d"))), ("/v1/changes", 200, deleted), end("c:3")];
    let (ok, said, urls, at) = run(answers);
    assert!(ok && said.contains("made anew") && (urls.as_str(), &at) == ("c", &other), "{said} {urls}");
    // The follower does not repeat a refused request.
    let (ok, said, ..) = run(vec![("/v1/changes", 401, "{\"detail\":\"no token\"}".to_owned())]);
    assert!(!ok && said.contains("no token") && said.contains("--token-file"), "{said}");
    let (ok, said, ..) = run(vec![("/v1/changes", 200, "<p>hello".to_owned())]);
    assert!(!ok && said.contains("is no tsrec daemon"), "{said}");
}
