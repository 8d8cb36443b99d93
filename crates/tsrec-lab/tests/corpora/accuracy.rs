//! Tests on real pages with gold text, which are not part of this repository:
//! `cargo test --release -p tsrec-lab --features corpora --test corpora`.
//!
//! The pages are in `$TSREC_CORPORA`, by default `../shared/data` beside the checkout. Without them
//! these tests fail. The folder holds one folder per set: `html/<id>.html`, `gold/<id>.txt`,
//! `meta.jsonl`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tsrec_core::html::{Limits, parse};
use tsrec_papers::style::compute;

/// The folder of the sets.
pub(crate) fn corpora() -> PathBuf {
    let folder = std::env::var_os("TSREC_CORPORA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    assert!(folder.is_dir(), "the pages with gold text are not in {}: set TSREC_CORPORA", folder.display());
    folder
}

fn eval(args: &[&str], sets: &[&str]) -> String {
    let corpora = corpora();
    let output = Command::new(env!("CARGO_BIN_EXE_tsrec-lab"))
        .arg("eval")
        .args(sets.iter().map(|set| corpora.join(set)))
        .args(args)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// `tests/floors.toml` lists the runs and the values that they must reach. Only
/// `tsrec-lab eval --floors tests/floors.toml --lower-floors DIR…` lowers a floor.
#[test]
fn accuracy_stays_above_its_floors() {
    let sets = std::fs::read_dir(corpora()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let output = Command::new(env!("CARGO_BIN_EXE_tsrec-lab"))
        .args(["eval", "--floors", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/floors.toml")])
        .args(sets)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    println!("{said}");
    assert!(output.status.success(), "{said}");
}

/// The reference scorer and ours must agree to three decimals. The reference is a Python script
/// beside the pages, and needs rapidfuzz.
#[test]
fn scores_equal_those_of_the_reference_scorer() {
    let scorer = corpora().join("../tools/score.py");
    let sets = ["big9-17", "cleaneval-dev", "dragnet", "l3s-gn1"];
    let texts = tempfile::tempdir().unwrap();
    let ours = eval(&["--texts", texts.path().to_str().unwrap()], &sets);
    let theirs = Command::new("python3")
        .arg(&scorer)
        .args(sets.iter().map(|set| corpora().join(set)))
        .arg("--texts")
        .arg(texts.path())
        .output()
        .unwrap();
    assert!(theirs.status.success(), "{}: {}", scorer.display(), String::from_utf8_lossy(&theirs.stderr));
    let theirs = String::from_utf8(theirs.stdout).unwrap();
    for (our_row, their_row) in ours.lines().zip(theirs.lines()) {
        for (our, their) in our_row.split_whitespace().zip(their_row.split_whitespace()) {
            match (our.parse::<f64>(), their.parse::<f64>()) {
                (Ok(our), Ok(their)) => assert!((our - their).abs() < 0.0005, "{our_row}\n{their_row}"),
                _ => assert_eq!(our, their, "{our_row}\n{their_row}"),
            }
        }
    }
    assert_eq!(ours.lines().count(), theirs.lines().count());
}

/// Our version of WCXB's own measure must agree with its scorer too, for each kind of page.
#[test]
fn the_measure_of_wcxb_equals_that_of_its_scorer() {
    let scorer = corpora().join("../tools/wcxb_score.py");
    let texts = tempfile::tempdir().unwrap();
    let args = ["--method", "mss-blocks", "--report", "wcxb", "--texts", texts.path().to_str().unwrap()];
    let set = eval(&args, &["wcxb-dev"]);
    let kinds = eval(&[&args[..], &["--by", "kind"]].concat(), &["wcxb-dev"]);
    let theirs = Command::new("python3")
        .arg(&scorer)
        .arg(corpora().join("wcxb-dev"))
        .arg(texts.path().join("wcxb-dev"))
        .output()
        .unwrap();
    assert!(theirs.status.success(), "{}: {}", scorer.display(), String::from_utf8_lossy(&theirs.stderr));
    let theirs = String::from_utf8(theirs.stdout).unwrap();
    let numbers = |row: &str| row.split_whitespace().filter_map(|cell| cell.parse().ok()).collect::<Vec<f64>>();
    // A row of the reference is a kind, or "all", with pages, P, R and F1. The last row is about
    // snippets.
    let (kind_rows, snippets): (Vec<&str>, Vec<&str>) = theirs.lines().partition(|row| !row.starts_with("snippets"));
    assert_eq!(kind_rows.len(), 8, "{theirs}");
    for row in kind_rows {
        let kind = row.split_whitespace().next().unwrap();
        let name = if kind == "all" { "wcxb-dev".to_owned() } else { format!("wcxb-dev/{kind}") };
        let ours = set.lines().chain(kinds.lines()).find(|ours| ours.split_whitespace().next() == Some(&name)).unwrap();
        let same = numbers(row).iter().zip(&numbers(ours)).all(|(their, our)| (their - our).abs() < 0.0005);
        assert!(same, "{row}\n{ours}");
    }
    let (our, their) = (numbers(set.lines().last().unwrap()), numbers(snippets[0]));
    assert!((our[4] - their[0]).abs() <= 0.001 && (our[5] - their[1]).abs() <= 0.001, "{set}\n{}", snippets[0]);
}

/// The gates must refuse pages of other sites as siblings. Each page gets three of them, and at
/// most 1 page in 50 may accept one.
#[test]
fn strangers_are_refused() {
    let rows = eval(&["--strangers", "--json"], &["big9-05", "big9-09", "big9-13", "big9-17", "dragnet", "l3s-gn1"]);
    let pages: Vec<serde_json::Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let pages: Vec<_> = pages.iter().filter(|page| page.get("id").is_some()).collect();
    let compared = pages.iter().filter(|page| page["method"] == "template").count();
    assert!(pages.len() > 1_000, "{} pages", pages.len());
    assert!(compared * 50 <= pages.len(), "{compared} of {} pages were compared with a stranger", pages.len());
}

/// Time limit for the styles of one page in a release build: some twenty times the measured worst
/// case.
const STYLE_TIME: Duration = Duration::from_millis(500);

#[test]
fn styles_take_milliseconds() {
    let mut times: Vec<(Duration, String)> = std::fs::read_dir(corpora().join("big9-17/html"))
        .unwrap()
        .map(|file| {
            let file = file.unwrap();
            let document = parse(&std::fs::read(file.path()).unwrap(), None, &Limits::default());
            let start = Instant::now();
            let styles = compute(&document);
            let time = start.elapsed();
            assert!(styles.style(document.root()).font_size > 0.0);
            (time, file.file_name().to_string_lossy().into_owned())
        })
        .collect();
    times.sort();
    let (median, (worst, page)) = (times[times.len() / 2].0, times.last().unwrap());
    writeln!(std::io::stderr(), "styles of big9-17: median {median:?}, worst {worst:?} ({page})").unwrap();
    assert!(*worst < STYLE_TIME, "{worst:?} for {page}");
}
