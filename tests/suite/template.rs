//! Template memory, as a new user meets it: the memory learns pages of a site and extracts others
//! of that site.
#![allow(clippy::print_stdout, reason = "it prints the figures that it compares")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::town::Town;
use tsrec_lab::eval::score::score;

/// Pages that the memory learns.
const LEARNED: usize = 12;

fn tsrec(arguments: &[&str], memory: &Path, pages: &[PathBuf]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.env_remove("TSREC_LOG").args(arguments).arg("--memory").arg(memory).args(pages).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Writes the town's pages that have gold and returns them with it. The special pages, each with
/// its own structure, are left out.
fn pages(folder: &Path) -> Vec<(PathBuf, String)> {
    let town = Town::build(20);
    let articles = town.pages.into_iter().filter(|(path, _)| !path.contains("special"));
    articles
        .filter_map(|(path, page)| Some((path, page.html, page.gold?)))
        .map(|(path, html, gold)| {
            let file = folder.join(path.trim_matches('/').replace('/', "_"));
            std::fs::write(&file, html).unwrap();
            (file, gold)
        })
        .collect()
}

#[test]
fn a_site_is_learned_and_read_from_memory() {
    let folder = tempfile::tempdir().unwrap();
    let memory = folder.path().join("town.memory");
    let pages = pages(folder.path());
    let step = pages.len() / LEARNED;
    let learned: Vec<PathBuf> = pages.iter().step_by(step).map(|(file, _)| file.clone()).collect();
    let told = text(&tsrec(&["template", "learn"], &memory, &learned));
    assert_eq!(told.lines().count(), learned.len());
    assert!(told.starts_with("template 1 (new)"), "{told}");

    let list = text(&tsrec(&["template", "list"], &memory, &[]));
    let bytes: usize = list.lines().nth(1).unwrap().split_whitespace().nth(3).unwrap().parse().unwrap();
    assert!(bytes < 64 * 1024, "{list}");

    let (mut alone, mut remembered, mut count) = (0.0, 0.0, 0);
    for (file, gold) in pages.iter().skip(1).step_by(step) {
        let f1 = |output: &Output| score(gold, &text(output)).unwrap().bow_f1;
        let by_memory = tsrec(&["extract"], &memory, std::slice::from_ref(file));
        let errors = String::from_utf8_lossy(&by_memory.stderr).into_owned();
        assert!(errors.contains("by memory") && !errors.contains("has no template"), "{errors}");
        remembered += f1(&by_memory);
        alone += f1(&Command::new(env!("CARGO_BIN_EXE_tsrec")).arg("extract").arg(file).output().unwrap());
        count += 1;
    }
    // A page of another site is still extracted, and the command says that the memory does not know
    // it.
    let stranger = folder.path().join("stranger.html");
    std::fs::write(&stranger, "<table><tr><td><font>The cat went to sea in a barrel.</font></table>").unwrap();
    let other = tsrec(&["extract"], &memory, &[stranger]);
    assert!(text(&other).contains("cat"));
    let said = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(said.contains("town.memory has no template of this page"), "{said}");
    // The memory extracts a page well that it learned itself, and does not count it twice.
    let (file, gold) = &pages[0];
    let own = score(gold, &text(&tsrec(&["extract"], &memory, std::slice::from_ref(file)))).unwrap().bow_f1;
    assert!(own > 0.8, "{own:.3}");
    text(&tsrec(&["template", "learn"], &memory, std::slice::from_ref(file)));
    let again = text(&tsrec(&["template", "list"], &memory, &[]));
    let pages_of = |list: &str| list.lines().nth(1).unwrap().split_whitespace().nth(1).unwrap().to_owned();
    assert_eq!(pages_of(&list), pages_of(&again));

    let (alone, remembered) = (alone / f64::from(count), remembered / f64::from(count));
    println!("{count} pages: alone {alone:.3}, from memory {remembered:.3}");
    assert!(remembered > alone, "alone {alone:.3}, from memory {remembered:.3}");

    text(&tsrec(&["template", "drop", "1"], &memory, &[]));
    let gone = tsrec(&["template", "show", "1"], &memory, &[]);
    assert_eq!(gone.status.code(), Some(1));
    let (said, file) = (String::from_utf8_lossy(&gone.stderr).into_owned(), memory.display());
    assert!(said.contains(&format!("{file} has no template 1: tsrec template list --memory {file}")), "{said}");
}

/// Before the first page is learned, with the system's error message.
#[test]
fn a_memory_that_cannot_be_written_is_said_first() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    std::fs::write(&page, "<h1>Ferry</h1><p>The ferry sails again, a year late, and nobody minds.").unwrap();
    let learned = tsrec(&["template", "learn"], &folder.path().join("none/a.memory"), &[page]);
    let said = String::from_utf8_lossy(&learned.stderr);
    assert!(learned.status.code() == Some(1) && learned.stdout.is_empty(), "{said}");
    assert!(said.contains("a.memory cannot be written: No such file or directory"), "{said}");
}

/// Each message says what is wrong and what to do.
#[test]
fn files_that_are_no_memory_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, page) = (folder.path().join("a.memory"), folder.path().join("page.html"));
    std::fs::write(&page, "<h1>Ferry</h1><p>The ferry sails again, a year late, and nobody minds.").unwrap();
    text(&tsrec(&["template", "learn"], &memory, std::slice::from_ref(&page)));
    let whole = std::fs::read(&memory).unwrap();
    let of_another_model = with_another_model(&whole);
    for (bytes, says) in [
        (b"<p>a page".to_vec(), "this is not a tsrec memory"),
        (whole[..whole.len() - 5].to_vec(), "the memory is damaged"),
        (of_another_model, "made with another model"),
    ] {
        std::fs::write(&memory, bytes).unwrap();
        let failed = tsrec(&["extract"], &memory, std::slice::from_ref(&page));
        let errors = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert_eq!(failed.status.code(), Some(1));
        assert!(errors.contains(says) && errors.contains("a.memory") && errors.contains("template learn"), "{errors}");
    }
    // As the messages say: the memory does not learn into an unreadable file until it is removed.
    std::fs::write(&memory, &whole[..whole.len() - 5]).unwrap();
    let learn = || tsrec(&["template", "learn"], &memory, std::slice::from_ref(&page));
    let said = learn();
    assert!(String::from_utf8_lossy(&said.stderr).contains("once its file is removed"), "{said:?}");
    std::fs::remove_file(&memory).unwrap();
    assert!(text(&learn()).starts_with("template 1 (new)"));
    for (memory, says) in [(folder.path().join("none"), "is not there"), (folder.path().into(), "is a directory")] {
        let listed = tsrec(&["template", "list"], &memory, &[]);
        let said = String::from_utf8_lossy(&listed.stderr);
        assert!(said.contains(says) && said.contains("tsrec template learn PAGE… --memory FILE makes"), "{said}");
    }
    std::fs::write(&memory, whole).unwrap();
    let asked = tsrec(&["extract", "--method", "mss"], &memory, &[page]);
    assert!(String::from_utf8_lossy(&asked.stderr).contains("--memory is for --method auto"));
}

/// The bytes of a memory, as if another model had scored its pages.
fn with_another_model(memory: &[u8]) -> Vec<u8> {
    let at = String::from_utf8_lossy(memory).find("\"model\":\"").unwrap() + 9;
    let mut other = memory.to_vec();
    other[at] = if memory[at] == b'0' { b'1' } else { b'0' };
    other
}

/// One labelled page corrects the same mistake on the others, and this can be taken back.
#[test]
fn one_page_teaches_its_site() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, labels) = (folder.path().join("town.memory"), folder.path().join("page.anno"));
    // The older template has the readers' letters in the same cell as the story.
    let older: Vec<PathBuf> =
        pages(folder.path()).into_iter().map(|(file, _)| file).filter(|file| has(file, "class=\"comments\"")).collect();
    text(&tsrec(&["template", "learn"], &memory, &older[1..6]));
    let letters = |file: &PathBuf| text(&tsrec(&["extract"], &memory, std::slice::from_ref(file))).contains(" writes:");
    assert!(letters(&older[9]), "the letters are kept before: or there is nothing to teach");

    let annotate = Command::new(env!("CARGO_BIN_EXE_tsrec"))
        .args(["annotate", "--no-screen", "--suggest=mss-blocks"])
        .args([&older[0], &labels])
        .output();
    text(&annotate.unwrap());
    let by_hand: String = std::fs::read_to_string(&labels).unwrap().lines().fold(String::new(), |all, line| {
        let line = if line.contains(" writes:") { line.replacen(&line[..3], "[o]", 1) } else { line.to_owned() };
        all + &line + "\n"
    });
    std::fs::write(&labels, by_hand).unwrap();

    // If nothing is labelled yet, the memory's beliefs are suggested as labels. The preview shows
    // what the labels would change.
    let believed = folder.path().join("believed.anno");
    let annotate_by = |out: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
        command.args(["annotate", "--no-screen", "--site"]).arg(&memory).arg("--other").arg(&older[9]);
        command.arg(&older[0]).arg(out).output().unwrap()
    };
    let shown = annotate_by(&believed);
    assert!(text(&shown).contains(older[9].to_str().unwrap()), "{}", text(&shown));
    let lines = std::fs::read_to_string(&believed).unwrap();
    assert!(lines.lines().any(|line| !line.starts_with("[o] ") && line.contains(" writes:")), "{lines}");
    assert!(lines.lines().any(|line| line.starts_with("[o] ")) && !lines.contains("\n[?] "), "{lines}");
    let shown = annotate_by(&labels);
    let gone = text(&shown);
    assert!(gone.contains(" words, then ") && gone.lines().any(|line| line.starts_with("  - ")), "{gone}");
    assert!(String::from_utf8_lossy(&shown.stderr).contains(" --memory "), "it says how the labels are entered");
    assert!(letters(&older[9]), "nothing is entered");

    let teach = ["teach", "--annotation", labels.to_str().unwrap()];
    let own = |shown: &str| shown.starts_with(&*older[0].to_string_lossy()) && shown.contains(" words, then ");
    let preview = text(&tsrec(&[&teach[..], &["--preview"]].concat(), &memory, &older[..1]));
    assert!(own(&preview) && preview.contains("template 1 would be taught by"), "{preview}");
    assert!(letters(&older[9]), "nothing is entered");
    let taught = tsrec(&teach, &memory, &older[..1]);
    let undecided = |taught: &Output| {
        let said = String::from_utf8_lossy(&taught.stderr).into_owned();
        let line =
            said.lines().find(|line| line.contains(" stand at places that the lesson calls now content, now not"));
        line.map_or(0, |line| line.split_whitespace().nth(1).unwrap().parse().unwrap())
    };
    let before: u64 = undecided(&taught);
    let taught = text(&taught);
    assert!(own(&taught) && taught.lines().last().unwrap().starts_with("template 1 is taught by"), "{taught}");
    assert!(!letters(&older[9]) && !letters(&older[12]));

    // Every other paragraph is excluded, so the memory learns nothing about their place.
    let (divided, mut leaves_out) = (folder.path().join("divided.anno"), false);
    let by_halves = std::fs::read_to_string(&labels).unwrap().lines().fold(String::new(), |all, line| {
        leaves_out ^= line.starts_with("[p]");
        all + &if leaves_out { line.replacen("[p]", "[o]", 1) } else { line.to_owned() } + "\n"
    });
    std::fs::write(&divided, by_halves).unwrap();
    let preview = ["teach", "--preview", "--annotation", divided.to_str().unwrap()];
    let divided = undecided(&tsrec(&preview, &memory, &older[..1]));
    assert!(divided > before, "{before} words, then {divided}");

    // With another model the memory drops the pages and keeps the labels, so users can keep their
    // file.
    std::fs::write(&memory, with_another_model(&std::fs::read(&memory).unwrap())).unwrap();
    for refused in [&["template", "list"][..], &["teach", "--undo", "1"]] {
        let said = String::from_utf8(tsrec(refused, &memory, &[]).stderr).unwrap();
        assert!(said.contains("tsrec template learn PAGE… --memory FILE), what was taught stays"), "{said}");
    }
    let learned = tsrec(&["template", "learn"], &memory, &older[1..6]);
    let said = String::from_utf8_lossy(&learned.stderr);
    assert!(said.contains("town.memory was made with another model: what was taught stays, its pages"), "{said}");
    assert!(text(&learned).starts_with("template 1  "), "{}", text(&learned));
    assert!(!letters(&older[9]) && !letters(&older[12]));

    let undone = text(&tsrec(&["teach", "--undo", "1"], &memory, &[]));
    assert_eq!(undone, format!("template 1 of {} is no longer taught\n", memory.display()));
    assert!(letters(&older[9]));
    for number in ["1", "99"] {
        let again = tsrec(&["teach", "--undo", number], &memory, &[]);
        let said = String::from_utf8_lossy(&again.stderr);
        let says = format!(
            "{0} has no template {number} that was taught anything: tsrec template list --memory {0}",
            memory.display()
        );
        assert!(again.status.code() == Some(1) && said.contains(&says), "{said}");
    }
    let other = tsrec(&teach, &memory, &older[1..2]);
    assert_eq!(other.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&other.stderr).contains("page.anno cannot be used"));
}

fn has(file: &Path, text: &str) -> bool {
    std::fs::read_to_string(file).is_ok_and(|html| html.contains(text))
}
