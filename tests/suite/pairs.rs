//! Expected result of each pair of pages in `fixtures/pairs`. The `why.md` of each folder gives the
//! reason.

use std::path::{Path, PathBuf};

use tsrec_core::extract::gates::GateName;
use tsrec_core::extract::template::TemplateDiff;
use tsrec_core::extract::{Extract, Extraction, Method};
use tsrec_core::html::{Limits, parse};
use tsrec_lab::eval::score::score;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/pairs")
}

/// Extracts by `auto`, or by the diff alone.
fn extract(pair: &Path, by_auto: bool) -> (String, Extraction) {
    extract_beside(pair, &read(pair, "sibling.html"), by_auto)
}

fn read(pair: &Path, name: &str) -> Vec<u8> {
    std::fs::read(pair.join(name)).unwrap()
}

fn extract_beside(pair: &Path, sibling: &[u8], by_auto: bool) -> (String, Extraction) {
    let page = read(pair, "page.html");
    let [page, sibling] = [&page, sibling].map(|bytes| parse(bytes, None, &Limits::default()));
    let request = Extract::new(&page).sibling("sibling.html", &sibling);
    let found = if by_auto { request.run() } else { request.method(TemplateDiff).run() }.unwrap();
    (found.text(), found.extraction().clone())
}

/// One block per line, white space folded.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|l| !l.is_empty()).collect()
}

fn pairs() -> Vec<PathBuf> {
    let mut pairs: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    pairs.sort();
    assert!(pairs.len() >= 14, "fixtures are missing: {pairs:?}");
    pairs
}

fn expected(pair: &Path) -> String {
    std::fs::read_to_string(pair.join("expected.txt")).unwrap()
}

/// If the gates accept the sibling, the diff removes exactly the template.
#[test]
fn every_pair_gives_what_is_expected() {
    let mut compared = 0;
    for pair in pairs() {
        let (text, extraction) = extract(&pair, false);
        if extraction.attempts.iter().all(|attempt| attempt.passed()) {
            compared += 1;
            let name = pair.file_name().unwrap().to_string_lossy().into_owned();
            assert_eq!(lines(&text), lines(&expected(&pair)), "{name}: {:?}", extraction.attempts);
        }
    }
    assert!(compared >= 10, "{compared} pairs were compared");
}

/// The score learned from whole pages, and each of these small ones shows one thing. The score
/// comes close on all of them.
#[test]
fn auto_comes_close_to_it_on_every_pair() {
    let scores: Vec<(String, f64)> = pairs()
        .iter()
        .filter_map(|pair| {
            let name = pair.file_name().unwrap().to_string_lossy().into_owned();
            Some((name, score(&expected(pair), &extract(pair, true).0)?.bow_f1))
        })
        .collect();
    let mean = scores.iter().map(|(_, f1)| f1).sum::<f64>() / scores.len() as f64;
    assert!(mean >= 0.9 && scores.iter().all(|(_, f1)| *f1 >= 0.7), "{mean}: {scores:?}");
}

#[test]
fn bad_siblings_are_refused_for_the_right_reason() {
    for (pair, gate) in [("another-template", GateName::AnotherTemplate), ("same-article", GateName::SameArticle)] {
        let (_, extraction) = extract(&folder().join(pair), true);
        assert_ne!(extraction.method, Method::Template, "{pair}");
        let failed: Vec<GateName> =
            extraction.attempts[0].gates.iter().filter(|gate| !gate.passed()).map(|gate| gate.name).collect();
        assert!(failed.contains(&gate), "{pair}: {failed:?}");
    }
}

/// The diff cannot use another version of the same article. But the two pages have the same
/// structure, so the places of both are known. An identical page at another URL says nothing.
#[test]
fn a_sibling_that_is_refused_is_heard_where_it_is_built_alike() {
    for pair in ["common-part", "regular-part", "tables", "cjk"] {
        let pair = folder().join(pair);
        let heard = |sibling: &[u8]| {
            let (_, extraction) = extract_beside(&pair, sibling, true);
            (extraction.method, extraction.remembered(), extraction.attempts[0].passed())
        };
        let page = read(&pair, "page.html");
        assert_eq!(heard(&page), (Method::Blocks, 0, false), "{pair:?}");
        assert_eq!(heard(&[&page[..], b"<p>Seen twice."].concat()), (Method::Blocks, 1, false), "{pair:?}");
    }
}

#[test]
fn good_siblings_are_used() {
    for pair in ["common-part", "regular-part", "hidden-menu", "empty-template-sibling", "tables", "cjk"] {
        let (_, extraction) = extract(&folder().join(pair), true);
        assert_eq!(extraction.method, Method::Template, "{pair}");
        assert!(extraction.confidence >= 0.5, "{pair}");
    }
}

/// Fields beside the content: JSON always has them, text only on request.
#[test]
fn fields_beside_the_content_are_printed_where_they_are_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let story = "The ferry sailed at nine with the band on board, and a cat in the wheelhouse kept watch. ".repeat(3);
    let page = format!(
        "<title>Ferry sails | Sallowmouth</title><meta name=author content='Ann Orr and Ben Ley'><meta name=date content=2026-01-02>\
         <article><h1>Ferry sails</h1><p>{story}<p>{story}<p>{story}</article>\
         <section class=comments><p>Poor cat, and on such a day.</section>"
    );
    std::fs::write(dir.path().join("page.html"), page).unwrap();
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tsrec"));
        command.args(["extract", "page.html"]).args(args).current_dir(dir.path()).output().unwrap()
    };
    let text = |args: &[&str]| String::from_utf8(run(args).stdout).unwrap();
    let (alone, all) = (text(&[]), text(&["--with", "comments,title,authors,published"]));
    assert!(alone.starts_with("Ferry sails") && !alone.contains("Poor cat"), "{alone}");
    let expect = format!("Ann Orr, Ben Ley\n\n2026-01-02\n\n{}\n\nPoor cat, and on such a day.\n", alone.trim_end());
    assert_eq!(all, expect);
    let json: serde_json::Value = serde_json::from_str(&text(&["--format", "json"])).unwrap();
    let fields = ["title", "published", "comments"].map(|name| json[name].as_str().unwrap());
    assert_eq!(fields, ["Ferry sails", "2026-01-02", "Poor cat, and on such a day."]);
    assert_eq!(json["authors"], serde_json::json!(["Ann Orr", "Ben Ley"]));
    assert_eq!((json["content_hash"].as_str().unwrap().len(), json["simhash"].as_str().unwrap().len()), (64, 16));
    assert_eq!(text(&["--with", "byline,date"]), text(&["--with", "authors,published"]), "their names before");
    assert!(!run(&["--with", "title", "--format", "json"]).status.success());

    let only = |args: &[&str]| -> serde_json::Value { serde_json::from_str(&text(args)).unwrap() };
    let metadata = only(&["--only-metadata", "--url", "https://sallowmouth.example/2026/ferry-sails-at-nine"]);
    let names: Vec<&String> = metadata.as_object().unwrap().keys().collect();
    let expect = "authors canonical_url description image kind language language_confidence license modified published site_name tags title";
    assert_eq!(names, expect.split(' ').collect::<Vec<_>>());
    assert_eq!(
        (&metadata["title"], &metadata["site_name"], &metadata["kind"]),
        (&"Ferry sails".into(), &"Sallowmouth".into(), &"article".into())
    );
    let explained = only(&["--only-metadata", "--explain"]);
    assert_eq!((&explained["sources"]["authors"], &explained["sources"]["title"]), (&"meta".into(), &"heading".into()));
    for wrong in [&["--only-metadata", "--format", "json"][..], &["--only-metadata", "--method", "all"]] {
        assert!(!run(wrong).status.success(), "{wrong:?}");
    }
}
