//! `tsrec annotate` as a user runs it where there is no screen: what it writes, what it refuses, and that training reads it.
use std::path::Path;
use std::process::{Command, Output};

const PAGE: &str = "<!DOCTYPE html><ul><li><a href=/>Home</a><li><a href=/news>News</a></ul><h1>The ferry sails again</h1>\
    <p>It was late by a year, and nobody on the quay minded. See <a href=/t>the timetable</a> for more, or ask the band, \
    which had used the time to learn a second tune, and now played it twice. The mayor spoke, the gulls answered, and at \
    noon the first lorry went aboard with a load of winter apples for the islands, where they had last been seen in spring.</p><p>All rights reserved";

/// Exit code, standard output, standard error.
fn annotate(dir: &Path, args: &[&str]) -> (i32, String, String) {
    tsrec(dir, &[&["annotate"], args].concat())
}

fn tsrec(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    let Output { status, stdout, stderr } =
        command.args(args).current_dir(dir).env_remove("TSREC_LOG").output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn a_file_to_edit_by_hand_is_written_checked_and_gone_on_with() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a.anno");
    std::fs::write(dir.path().join("a.html"), PAGE).unwrap();
    let (code, stdout, stderr) = annotate(dir.path(), &["a.html", "a.anno", "--no-screen"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(stdout, "a.anno: 0 of 7 blocks are labelled; the same command goes on with them\n");
    let file = std::fs::read_to_string(&out).unwrap();
    assert!(file.contains("\n[?] Home\n[?] News\n[?] The ferry sails again\n"), "{file}");

    // A label given by hand stays, the rest is as suggested.
    std::fs::write(&out, file.replace("[?] Home", "[h] Home")).unwrap();
    let (code, stdout, stderr) = annotate(dir.path(), &["a.html", "a.anno", "--no-screen", "--suggest=mss-blocks"]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "a.anno: 7 of 7 blocks are labelled\n", ""));
    let done = std::fs::read_to_string(&out).unwrap();
    assert!(done.contains("\n[h] Home\n[o] News\n"), "{done}");
    assert!(done.contains("[c] the timetable\n[c] for more"), "{done}");
}

#[test]
fn what_cannot_be_done_is_said_and_nothing_is_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("a.html", PAGE);
    write("b.html", "<p>Another page");
    write("empty.html", "<p hidden>never seen");
    write("notes.txt", "Some notes\n");
    annotate(dir.path(), &["a.html", "a.anno", "--no-screen"]);
    for (args, expect) in [
        (
            &["a.html", "new.anno"][..],
            "annotating needs a terminal, and standard output is none: run it without redirection",
        ),
        (
            &["b.html", "a.anno", "--no-screen"],
            "a.anno cannot be gone on with: it holds the labels of another page, \"a.html\"",
        ),
        (&["b.html", "notes.txt", "--no-screen"], "notes.txt cannot be gone on with: it is no annotation"),
        (&["empty.html", "e.anno", "--no-screen"], "page \"empty.html\" has no text that a reader sees"),
        (&["b.html", "no/such/b.anno", "--no-screen"], "no/such/b.anno cannot be written"),
        (&["c.html", "c.anno", "--no-screen"], "page \"c.html\" cannot be read"),
        (&["b.html", "b.anno", "--no-screen", "--hr"], "--model, --hr and --runs are for --suggest=METHOD"),
        (&["b.html", "b.anno", "--no-screen", "--keep", "x"], "--keep is for a page that is no file"),
        (&["b.html", "b.anno", "--no-screen", "--suggest=template"], "the template diff needs a page to compare with"),
        (&["-", "b.html", "--no-screen"], "OUT holds the labels, not the page"),
        (&["-", "b.anno", "--no-screen"], "b.html exists, and b.anno with its labels does not"),
    ] {
        let before = snapshot(dir.path());
        let (code, stdout, stderr) = annotate(dir.path(), args);
        assert_eq!((code, stdout.as_str()), (1, ""), "{args:?}: {stderr}");
        assert!(stderr.starts_with(&format!("tsrec: {expect}")), "{args:?}: {stderr}");
        assert_eq!(snapshot(dir.path()), before, "{args:?}");
    }
}

fn snapshot(dir: &Path) -> Vec<(String, String)> {
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn training_and_scoring_read_what_was_labelled() {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["html", "annotations"] {
        std::fs::create_dir(dir.path().join(folder)).unwrap();
    }
    std::fs::write(dir.path().join("html/a.html"), PAGE).unwrap();
    std::fs::write(dir.path().join("meta.jsonl"), "{\"id\": \"a\"}\n").unwrap();
    let out = dir.path().join("annotations/a.anno");
    annotate(dir.path(), &["html/a.html", "annotations/a.anno", "--no-screen"]);
    let (code, _, stderr) = tsrec(dir.path(), &["train", "mss", ".", "--out", "m.model"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("annotations/a.anno cannot be used: 7 of its 7 blocks have no label yet"), "{stderr}");

    let labels = ["[o]", "[o]", "[h]", "[p]", "[c]", "[c]", "[o]"];
    let file = std::fs::read_to_string(&out).unwrap();
    let file = labels.iter().fold(file, |file, label| file.replacen("[?]", label, 1));
    std::fs::write(&out, file).unwrap();
    let (code, _, stderr) = tsrec(dir.path(), &["train", "mss", ".", "--out", "m.model"]);
    assert_eq!(code, 0, "{stderr}");
    let (code, stdout, stderr) = tsrec(dir.path(), &["eval", ".", "--method", "mss-blocks", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("\"scores\":{"), "{stdout}");
}
