//! `--precision`, `--recall` and `[extract] favor`: less of a page, or more.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const PAIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/pairs/inline-tags");

fn tsrec(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tsrec")).args(args).output().unwrap()
}

/// The words of what a command prints.
fn words(args: &[&str]) -> usize {
    let output = tsrec(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().split_whitespace().count()
}

/// Fewer words than without an option, and more.
fn check(what: &str, command: &dyn Fn(&[&str]) -> usize) {
    let [less, plain, more] = [&["--precision"][..], &[], &["--recall"]].map(command);
    assert!(less < plain && plain < more, "{what}: {less}, {plain} and {more} words");
}

#[test]
fn precision_keeps_less_and_recall_more() {
    let (page, sibling) = (format!("{PAIR}/page.html"), format!("{PAIR}/sibling.html"));
    check("extract", &|favor| words(&[&["extract", &page], favor].concat()));
    check("blocks", &|favor| words(&[&["extract", &page, "--method", "blocks"], favor].concat()));
    // Beside a sibling fewer blocks are in doubt.
    let diff = |favor: &[&str]| words(&[&["diff", &sibling, &page], favor].concat());
    assert!(diff(&["--precision"]) < diff(&["--recall"]));
    check("batch", &|favor| {
        let lines = tsrec(&[&["extract", "--batch", PAIR], favor].concat()).stdout;
        let lines = String::from_utf8(lines).unwrap();
        let words = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["words"].as_u64().unwrap());
        words.sum::<u64>() as usize
    });
}

#[test]
fn what_cannot_favour_is_refused() {
    let page = format!("{PAIR}/page.html");
    for (args, way_out) in [
        (&["extract", &page, "--precision", "--recall"][..], "cannot be used with"),
        (&["extract", &page, "--precision", "--method", "mss"], "--precision is for --method auto and blocks"),
        (&["extract", &page, "--recall", "--method", "crf"], "--recall is for --method auto and blocks"),
        (&["extract", "--batch", PAIR, "--recall", "--method", "longest"], "--recall is for --method auto and blocks"),
        (&["diff", &page, &page, "--precision", "--recall"], "cannot be used with"),
    ] {
        let output = tsrec(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(way_out), "{args:?}: {said}");
    }
}

#[test]
fn a_configuration_says_what_the_crawl_favours() {
    let dir = tempfile::tempdir().unwrap();
    let check = |extract: &str| {
        let file = dir.path().join("config.toml");
        std::fs::write(&file, format!("[extract]\n{extract}\n")).unwrap();
        checked(&file)
    };
    assert_eq!(check("favor = 'recall'").0, Some(0));
    assert_eq!(check("method = 'mss'\nfavor = 'balance'").0, Some(0));
    let (code, said) = check("method = 'mss'\nfavor = 'recall'");
    assert!(code == Some(78) && said.contains("extract.favor is recall") && said.contains("balance"), "{said}");
    let (code, said) = check("favor = 'speed'");
    assert!(code == Some(78) && said.contains("speed") && said.contains("precision"), "{said}");
}

fn checked(file: &Path) -> (Option<i32>, String) {
    let output = tsrec(&["config", "check", &file.display().to_string()]);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}
