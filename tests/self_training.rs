//! The crawl trains its own fallback: what that is worth on a site of some two hundred pages, and what happens when something is wrong.
//!
//! `cargo test --test self_training -- --nocapture` prints the figures.
#![cfg(feature = "daemon")]
#![allow(clippy::print_stdout, reason = "it prints the figures that it compares")]

mod support {
    #[allow(dead_code, reason = "the daemon's tests use more of it")]
    pub(crate) mod site;
    pub(crate) mod town;
}
#[allow(dead_code, reason = "the API's tests use more of it")]
#[path = "support/serving.rs"]
mod serving;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use support::site::Site;
use support::town::Town;
use tsrec::crawl::training::{Config, Lessons, Verdict, train};
use tsrec::eval::score::score;
use tsrec::extract::cascade::Cascade;
use tsrec::extract::model::Model;
use tsrec::extract::{Extractor, Page};
use tsrec::html::parse;
use tsrec::http::address;
use tsrec::learn::model::decode;
use tsrec::render::text::text;
use tsrec::store::Store;
use tsrec::tsrec::build::tag_sequence;
use url::Url;

/// Special pages from this one on are linked from the second front page alone.
const LATER: usize = 20;

fn tsrec() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.env_remove("TSREC_DATA_DIR").env_remove("TSREC_LOG");
    command
}

/// A crawl of the site from a page on, with these settings.
fn crawl(site: &Site, from: &str, data_dir: &Path, settings: &str) -> Command {
    let config = data_dir.with_extension("toml");
    std::fs::write(&config, settings).unwrap();
    let mut command = tsrec();
    command
        .args(["crawl", &site.url(from), "--allow-private-addresses", "--delay", "1ms"])
        .args(["--user-agent", "test-crawler (a test)", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(data_dir)
        .arg("--config")
        .arg(config)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

const NO_TRAINING: &str = "[training]\nevery = '0s'";

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn serve() -> Site {
    let pages: BTreeMap<String, String> =
        Town::build(LATER).pages.into_iter().map(|(path, page)| (path, page.html)).collect();
    Site::serve(move |path| pages.get(path).map(|html| html.clone().into_bytes()))
}

/// The site, and the store that a crawl of its first front page left; made once.
fn crawled() -> &'static (Site, tempfile::TempDir) {
    static CRAWLED: OnceLock<(Site, tempfile::TempDir)> = OnceLock::new();
    CRAWLED.get_or_init(|| {
        let (site, dir) = (serve(), tempfile::tempdir().unwrap());
        run(crawl(&site, "/index.html", &dir.path().join("data"), NO_TRAINING).arg("--once"));
        (site, dir)
    })
}

/// A copy of that store.
fn copy() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    std::fs::create_dir(&data).unwrap();
    for file in std::fs::read_dir(crawled().1.path().join("data")).unwrap() {
        let file = file.unwrap();
        if file.file_type().unwrap().is_file() {
            std::fs::copy(file.path(), data.join(file.file_name())).unwrap();
        }
    }
    (dir, data)
}

fn train_from(data: &Path, out: &Path) -> String {
    let output = run(tsrec().args(["train", "mss", "--from-store", "--data-dir"]).arg(data).arg("--out").arg(out));
    String::from_utf8(output.stderr).unwrap()
}

/// The records of the special pages: path, method, text.
fn specials(data: &Path) -> BTreeMap<String, (String, String)> {
    let output = run(tsrec().args(["export", "--data-dir"]).arg(data));
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|record| {
            let field = |name: &str| record[name].as_str().unwrap().to_owned();
            (Url::parse(&field("url")).unwrap().path().to_owned(), (field("method"), field("text")))
        })
        .filter(|(path, _)| path.starts_with("/special/"))
        .collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn pages_whose_siblings_fail_are_the_better_for_it() {
    let (site, _) = crawled();
    let (_dir, data) = copy();
    let town = Town::build(LATER);
    let before = specials(&data);
    assert_eq!(before.len(), LATER);
    let alone = ["vote", "mss-blocks"];
    assert!(before.values().all(|(method, _)| alone.contains(&&**method)), "{before:?}");

    let said = train_from(&data, &data.join("mss.model"));
    run(crawl(site, "/later.html", &data, NO_TRAINING).arg("--once"));
    let mut after = specials(&data);
    after.retain(|path, _| !before.contains_key(path));
    assert_eq!(after.len(), support::town::SPECIALS - LATER);
    let trained = after.values().filter(|(method, _)| method == "mss-supervised").count();
    assert!(trained * 10 >= after.len() * 9, "{trained} of {} by the model", after.len());

    let f1 = |path: &String, text: &str| score(town.pages[path].gold.as_deref().unwrap(), text).unwrap().bow_f1;
    let untrained = |path: &String| {
        let document = parse(town.pages[path].html.as_bytes(), None, &Default::default());
        let page = Page { document: &document, sequence: &tag_sequence(&document) };
        f1(path, &text(&document, &Cascade::default().extract(&page).content))
    };
    let (without, with) =
        (mean(after.keys().map(untrained)), mean(after.iter().map(|(path, (_, text))| f1(path, text))));
    let earlier = mean(before.iter().map(|(path, (_, text))| f1(path, text)));
    println!("{said}special pages of the first crawl, no model: F1 {earlier:.4}");
    println!(
        "special pages of the second crawl: F1 {without:.4} without a model, {with:.4} with the one that it trained"
    );
    assert!(with >= without + 0.05, "{without} before, {with} after");
}

#[test]
fn the_same_lessons_make_the_same_model_whoever_reads_them() {
    let (dir, data) = copy();
    let out = |name: &str| dir.path().join(name);
    let said = train_from(&data, &out("one"));
    assert!(said.contains("lessons held out"), "{said}");
    let (_database, store) = serving::open(&data);
    let daemon = serving::Serving::start(&store, Default::default());
    let _published = address::publish(&data, daemon.address, None).unwrap();
    train_from(&data, &out("two"));
    let (one, two) = (std::fs::read(out("one")).unwrap(), std::fs::read(out("two")).unwrap());
    assert!(one == two, "{} and {} bytes", one.len(), two.len());
    let (header, _) = decode(&one).unwrap();
    assert_eq!((&*header.method, &*header.command, header.corpus.len()), ("mss", "tsrec train mss --from-store", 64));
}

#[test]
fn a_model_that_is_no_better_is_not_kept() {
    let (_dir, data) = copy();
    let (_database, store) = serving::open(&data);
    let good = trained(&store, None, &Config::default());
    assert_eq!(good.verdict(), Verdict::New);
    // One that may remember a single feature, and the same again.
    let forgetful = Config { max_features: 1, ..Config::default() };
    for config in [&forgetful, &Config::default()] {
        let outcome = trained(&store, Some(&good.model), config);
        assert_eq!(outcome.verdict(), Verdict::InUse, "{outcome:?}");
        assert_eq!(outcome.in_use.as_ref(), Some(&good.new));
    }
    // And the other way round the better takes the worse one's place.
    let poor = trained(&store, None, &forgetful).model;
    assert_eq!(trained(&store, Some(&poor), &Config::default()).verdict(), Verdict::New);
}

fn trained(
    store: &Store,
    in_use: Option<&tsrec::extract::mss::model::Model>,
    config: &Config,
) -> tsrec::crawl::training::Outcome {
    let urls = store.lessons(None, 1_000).unwrap();
    assert!(urls.len() >= 40, "{} lessons", urls.len());
    let mut lessons = Lessons::new(urls, config.hold_out, |url| Ok(store.lesson(url)?));
    train(&mut lessons, in_use, config).unwrap()
}

/// A daemon, and what it logs.
struct Daemon {
    process: Child,
    log: Receiver<String>,
}

impl Daemon {
    fn start(command: &mut Command) -> Daemon {
        let mut process = command.spawn().unwrap();
        let lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let (sender, log) = mpsc::channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Daemon { process, log }
    }

    fn wait_for(&self, said: &str) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !self.log.recv_timeout(deadline - Instant::now()).unwrap_or_else(|_| panic!("no {said:?}")).contains(said)
        {
        }
    }

    fn stop(mut self) {
        let told = Instant::now();
        assert!(Command::new("kill").arg(self.process.id().to_string()).status().unwrap().success());
        assert!(self.process.wait().unwrap().success());
        assert!(told.elapsed() < Duration::from_secs(10), "{:?}", told.elapsed());
    }
}

#[test]
fn the_daemon_trains_on_schedule_and_keeps_the_best() {
    let (site, _) = crawled();
    let (_dir, data) = copy();
    let model = data.join("mss.model");
    let daemon =
        Daemon::start(&mut crawl(site, "/later.html", &data, "[training]\nevery = '200ms'\nleast_lessons = 30"));
    daemon.wait_for("the new model is the best");
    daemon.stop();
    let kept = std::fs::read(&model).unwrap();
    assert!(matches!(Model::from_file(&kept).unwrap().1, Model::Mss(_)));

    let forgetful = "[training]\nevery = '200ms'\nleast_lessons = 30\nmax_features = 1";
    let daemon = Daemon::start(&mut crawl(site, "/later.html", &data, forgetful));
    daemon.wait_for("the model in use is trusted");
    daemon.wait_for("the new model is no better than the one in use and dropped");
    daemon.stop();
    assert!(std::fs::read(&model).unwrap() == kept);
}

#[test]
fn a_damaged_model_is_set_aside_and_the_crawl_goes_on() {
    let (site, _) = crawled();
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("mss.model"), "tsrec model\n{}").unwrap();
    let output = run(crawl(site, "/later.html", &data, NO_TRAINING).args(["--once", "--max-pages", "3"]));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("mss.model cannot be used (the model is damaged"), "{said}");
    assert!(said.contains("3 stored"), "{said}");
    assert!(data.join("mss.model.unusable").exists() && !data.join("mss.model").exists());
}

#[test]
fn what_is_missing_is_named() {
    let empty = tempfile::tempdir().unwrap();
    let (database, _) = serving::open(empty.path());
    database.durable().unwrap();
    drop(database);
    let path = empty.path().to_str().unwrap();
    for (args, code, named) in [
        (&["train", "mss", "--out", "x"][..], 2, "<DIR>"),
        (&["train", "mss", "fixtures", "--from-store", "--out", "x"], 2, "--from-store"),
        (&["train", "mss", "--from-store", "--data-dir", "no/such/dir", "--out", "x"], 1, "no/such/dir holds no store"),
        (&["train", "mss", "--from-store", "--data-dir", path, "--out", "x"], 1, "not enough to train from"),
    ] {
        let output = tsrec().args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        assert!(stderr.contains(named), "{args:?}: {stderr}");
    }
}
