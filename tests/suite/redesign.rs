//! The drill: a site of three hundred pages changes its template half-way through a crawl, then
//! serves both. The test measures when tsrec notices, where it reports, and what accuracy it loses.
//!
//! `cargo test --test suite redesign -- --nocapture` prints the figures.
#![allow(clippy::print_stdout, reason = "it prints the figures that it compares")]

use crate::support::script;
use crate::support::town;

use std::collections::HashMap;
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use script::{Bench, page, say};
use tsrec_crawl::pipeline::Fate;
use tsrec_crawl::pipeline::outcome::NoPage;
use tsrec_lab::eval::score::score;
use tsrec_store::PageRecord;

const PAGES: usize = 300;
const HALF: usize = PAGES / 2;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const FRONT: &str = "http://harbour.example/";

/// The log, as text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// The records of the stories, in the order of their first requests.
fn records(bench: &mut Bench, gold: &HashMap<String, String>) -> Vec<PageRecord> {
    let mut seen = std::collections::HashSet::new();
    let asked: Vec<String> = bench.asked().into_iter().filter(|url| seen.insert(url.clone())).collect();
    let stories = asked.iter().filter(|url| gold.contains_key(*url));
    stories.map(|url| bench.record(url).unwrap_or_else(|| panic!("{url} has no record"))).collect()
}

fn mean_f1(records: &[PageRecord], gold: &HashMap<String, String>) -> f64 {
    let f1 = records.iter().map(|record| score(&gold[&record.url], &record.text).unwrap().bow_f1);
    f1.sum::<f64>() / records.len() as f64
}

#[tokio::test(start_paused = true)]
async fn a_redesign_is_noticed_said_and_learned() {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).init();
    let metrics = metrics_exporter_prometheus::PrometheusBuilder::new().install_recorder().unwrap();

    let stories = town::redesigned(PAGES);
    let url_of = |path: &str| format!("http://harbour.example{path}");
    let gold: HashMap<String, String> = stories.iter().map(|story| (url_of(&story.path), story.gold.clone())).collect();
    let links: String = stories.iter().map(|story| format!("<li><a href=\"{}\">on</a></li>", story.path)).collect();
    let front = format!("<html><head><title>Front</title></head><body><ul>{links}</ul></body></html>");
    let pages: HashMap<String, (String, String)> =
        stories.into_iter().map(|story| (story.path, (story.old, story.new))).collect();
    let asked = AtomicUsize::new(0);
    let mut bench = Bench::new(move |url, before| {
        if url.path() == "/" {
            return page(front.clone());
        }
        let Some((old, new)) = pages.get(url.path()) else { return say(NoPage::Gone) };
        let number = asked.fetch_add(1, Ordering::SeqCst);
        // On the first request, the half-way mark decides. Later, every other page has the old
        // template.
        let is_new = if before == 0 { number >= HALF } else { url.path().len() % 2 == 0 };
        page(if is_new { new.clone() } else { old.clone() })
    });
    bench.config.refetch_after = 7 * DAY;
    let visited = bench.run(&[FRONT], None).await;

    let first = records(&mut bench, &gold);
    assert_eq!(first.len(), PAGES);
    let of = |record: &PageRecord| record.template.unwrap();
    let (old, new) = (of(&first[0]).number, of(&first[PAGES - 1]).number);
    assert_ne!(old, new);
    for (number, record) in first.iter().enumerate() {
        let template = of(record);
        assert_eq!(template.number, if number < HALF { old } else { new }, "{number}: {}", record.url);
        // The crawl extracted the first pages of each template again from their stored bytes, once
        // it knew the template.
        assert!(template.pages >= 3 && record.method == "memory" && record.sibling.is_none(), "{number}: {record:?}");
        assert_eq!(bench.times(&record.url).len(), 1);
    }
    let of_new = visited.iter().filter_map(|visited| match &visited.fate {
        Fate::Stored { page, .. } => page.template.filter(|template| template.number == new),
        _ => None,
    });
    let noticed = of_new.take_while(|template| template.replaces != Some(old)).count() + 1;
    println!(
        "the first record that says that the template changed is that of the page with number {noticed} in the new one"
    );
    assert!(noticed <= 5);
    let said = log.text();
    let line = said.lines().find(|line| line.contains("a redesign")).unwrap_or_else(|| panic!("nothing in the log"));
    println!("log: {}", line.split_once("tsrec").map_or(line, |(_, line)| line));
    let site = bench.memories().site("harbour.example").unwrap();
    assert_eq!(site.template(old).unwrap().replaced_by(), Some(new));
    let counted = metrics.render();
    assert!(counted.contains("tsrec_templates_total{event=\"replaced\"} 1"), "{counted}");
    assert_eq!(bench.store().held("harbour.example").unwrap().len(), 1, "the front page alone");

    let during = &first[HALF..HALF + 5];
    let (before, during, after) =
        (mean_f1(&first[..HALF], &gold), mean_f1(during, &gold), mean_f1(&first[HALF + 5..], &gold));
    println!("F1 before {before:.3}, of the five pages during it {during:.3}, after {after:.3}");
    assert!(before > BEFORE && during > AFTER && after > AFTER);

    // The site serves both now. The crawl forgets neither and judges each page by its own.
    bench.close();
    bench.run(&[FRONT], Some(20 * DAY)).await;
    let both = records(&mut bench, &gold);
    let (mut of_old, mut of_new) = (Vec::new(), Vec::new());
    for record in both {
        assert!(bench.times(&record.url).len() > 1, "{} was not asked for again", record.url);
        let path = record.url.strip_prefix("http://harbour.example").unwrap();
        let is_new = path.len() % 2 == 0;
        assert_eq!(of(&record).number, if is_new { new } else { old }, "{}", record.url);
        if is_new { of_new.push(record) } else { of_old.push(record) }
    }
    let (f1_old, f1_new) = (mean_f1(&of_old, &gold), mean_f1(&of_new, &gold));
    println!("both served: F1 of {} old pages {f1_old:.3}, of {} new ones {f1_new:.3}", of_old.len(), of_new.len());
    assert!(f1_old > BEFORE && f1_new > AFTER);
    let site = bench.memories().site("harbour.example").unwrap();
    let templates: Vec<(u32, u32, usize)> =
        site.templates().iter().map(|one| (one.number, one.memory.pages(), site.bytes_of(one.number))).collect();
    println!("templates (number, pages, bytes): {templates:?}");
    assert!(templates.iter().all(|(_, _, bytes)| *bytes < 64 * 1024));
}

/// The value when it was last set, less 0.02. The old template has readers' letters in one cell
/// with the story.
const BEFORE: f64 = 0.7;
const AFTER: f64 = 0.9;
