//! Wrong arguments that a person types: exit codes, and messages that name the likely intention.
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;

const PAGE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/demo/news/2026/04/school-roof-will-collect-rain.html");

/// Exit code, standard output and standard error, given this standard input.
fn run(dir: &Path, args: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tsrec"))
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command may ignore its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn wrong_arguments_end_with_code_2_whoever_notices() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("site.memory"), "").unwrap();
    for args in [
        &["extract"][..],
        &["extract", PAGE, "--no-such-flag"],
        &["extract", PAGE, "--format", "word"],
        &["--log", "tsrec=loud", "extract", PAGE],
        &["extract", PAGE, "--front-matter"],
        &["extract", PAGE, "--links", "off"],
        &["extract", PAGE, "--format", "json", "--with", "title"],
        &["extract", PAGE, "--jobs", "2"],
        &["extract", PAGE, "--hr"],
        &["extract", PAGE, "--model", "a.model"],
        &["extract", PAGE, "--method", "template-paper"],
        &["extract", PAGE, "--method", "template", "--no-fallback"],
        &["extract", PAGE, "--method", "mss", "--no-fallback"],
        &["extract", PAGE, "--method", "template", "--no-heuristics"],
        &["extract", PAGE, "--method", "mss", "--memory", "site.memory"],
        &["extract", PAGE, "--method", "all", "--format", "json"],
        &["extract", PAGE, "--method", "all", "--explain"],
        &["extract", "https://a.example/"],
        &["extract", "--batch", ".", "--method", "all"],
        &["extract", "--batch", ".", "--method", "template-paper"],
        &["extract", "--batch", ".", "--method", "mss", "--sites"],
        &["template", "list", "--memory", "site.memory", "--host", "a.example"],
        &["teach", "--undo", "1"],
        &["frontier", "delay", "a.example", "500000000000years"],
        &["crawl", "example.org", "--user-agent", "x (y)"],
    ] {
        let (code, stdout, stderr) = run(dir.path(), args, b"");
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
        assert!(!stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn an_address_without_its_scheme_is_told_with_it() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("config.toml"), "seeds = ['example.org/a']").unwrap();
    for (args, code) in [
        (&["extract", "example.org/a"][..], 1),
        (&["crawl", "example.org/a"], 2),
        (&["why", "example.org/a"], 2),
        (&["config", "check", "config.toml"], 78),
    ] {
        let (exit, _, stderr) = run(dir.path(), args, b"");
        assert!(exit == code && stderr.contains("did you mean https://example.org/a?"), "{args:?}: {exit} {stderr}");
    }
    let (_, _, stderr) = run(dir.path(), &["extract", "pages/page.html"], b"");
    assert!(stderr.contains("pages/page.html") && !stderr.contains("did you mean"), "{stderr}");
}

#[test]
fn a_page_is_unpacked_wherever_it_comes_from() {
    let dir = tempfile::tempdir().unwrap();
    let page = std::fs::read(PAGE).unwrap();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&page).unwrap();
    let packed = packed.finish().unwrap();
    std::fs::write(dir.path().join("page.gz"), &packed).unwrap();
    let plain = run(dir.path(), &["extract", "-"], &page);
    assert!(plain.0 == 0 && plain.1.starts_with("School roof"), "{plain:?}");
    assert_eq!(run(dir.path(), &["extract", "-"], &packed), plain);
    assert_eq!(run(dir.path(), &["extract", "page.gz"], b"").1, plain.1);
    let (code, _, stderr) = run(dir.path(), &["extract", "-"], &packed[..40]);
    assert!(code == 1 && stderr.contains("standard input cannot be unpacked"), "{stderr}");
}

#[test]
fn a_file_under_way_is_named_to_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let (code, _, stderr) = run(dir.path(), &["template", "learn", PAGE, "--memory", "absent/site.memory"], b"");
    assert!(
        code == 1 && stderr.contains("absent/site.memory cannot be written") && !stderr.contains(".tmp"),
        "{stderr}"
    );
}
