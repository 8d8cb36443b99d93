//! `tsrec annotate` as a user runs it, with and without a browser: what it writes and what it
//! refuses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

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

    // A label set by the user stays; the others are as suggested.
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
            &["b.html", "a.anno", "--no-screen"][..],
            "a.anno cannot be gone on with: it holds the labels of another page, \"a.html\"",
        ),
        (&["b.html", "notes.txt", "--no-screen"], "notes.txt cannot be gone on with: it is no annotation"),
        (&["empty.html", "e.anno", "--no-screen"], "page \"empty.html\" has no text that a reader sees"),
        (&["b.html", "no/such/b.anno", "--no-screen"], "no/such/b.anno cannot be written"),
        (&["c.html", "c.anno", "--no-screen"], "page \"c.html\" cannot be read"),
        (&["b.html", "b.anno", "--no-screen", "--hr"], "--model, --hr and --runs are for --suggest=METHOD"),
        (&["b.html", "b.anno", "--no-screen", "--keep", "x"], "--keep is for a page that is no file"),
        (
            &["b.html", "b.anno", "--no-screen", "--suggest=template-paper"],
            "the template diff needs a page to compare with",
        ),
        (&["-", "b.html", "--no-screen"], "OUT holds the labels, not the page"),
        (&["-", "b.anno", "--no-screen"], "b.html exists, and b.anno with its labels does not"),
    ] {
        // With and without a screen: the command reports the error before it shows the page.
        let shown: Vec<&str> = args.iter().copied().filter(|arg| *arg != "--no-screen").collect();
        for args in [args, &shown] {
            let before = snapshot(dir.path());
            let (code, stdout, stderr) = annotate(dir.path(), args);
            assert_eq!((code, stdout.as_str()), (1, ""), "{args:?}: {stderr}");
            assert!(stderr.starts_with(&format!("tsrec: {expect}")), "{args:?}: {stderr}");
            assert_eq!(snapshot(dir.path()), before, "{args:?}");
        }
    }
}

fn snapshot(dir: &Path) -> Vec<(String, String)> {
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).collect();
    files.sort();
    files
}

/// `tsrec annotate` while it serves a page.
struct Annotating {
    child: Child,
    /// `127.0.0.1:PORT`.
    host: String,
    /// `/SECRET/`.
    path: String,
    errors: BufReader<std::process::ChildStderr>,
}

/// An answer.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Annotating {
    fn start(dir: &Path, args: &[&str]) -> Annotating {
        Annotating::with_input(dir, args, "")
    }

    fn with_input(dir: &Path, args: &[&str], input: &str) -> Annotating {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
        command.arg("annotate").args(args).current_dir(dir).env_remove("TSREC_LOG");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        errors.read_line(&mut line).unwrap();
        let address = line.strip_prefix("tsrec: label the page in a browser: http://").expect(&line);
        let (host, path) = address.split_once(';').unwrap().0.split_once('/').unwrap();
        assert!(host.starts_with("127.0.0.1:") && path.len() > 30, "{line}");
        let (host, path) = (host.to_owned(), format!("/{path}"));
        Annotating { child, host, path, errors }
    }

    /// Sends a request with these headers and reads the whole answer.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
            self.host,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        // The server stops reading a body that is too long.
        let _ = stream.write_all(body.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    fn get(&self, query: &str) -> Answer {
        self.ask("GET", &format!("{}{query}", self.path), "", "")
    }

    /// Sends a form as a browser does from the served page.
    fn post(&self, fields: &str) -> Answer {
        self.post_from("Sec-Fetch-Site: same-origin\r\n", fields)
    }

    fn post_from(&self, headers: &str, fields: &str) -> Answer {
        let headers = format!("Content-Type: application/x-www-form-urlencoded\r\n{headers}");
        self.ask("POST", &self.path, &headers, fields)
    }

    /// Waits for the process to end. Returns the exit code, standard output, and what it wrote
    /// after its address.
    fn end(mut self) -> (i32, String, String) {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        self.errors.read_to_string(&mut stderr).unwrap();
        (self.child.wait().unwrap().code().unwrap(), stdout, stderr)
    }
}

impl Drop for Annotating {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The number of the element whose row contains a text.
fn element(page: &str, text: &str) -> String {
    let row = page.split("<details id=p").find(|row| row.contains(text)).expect(text);
    row.chars().take_while(char::is_ascii_digit).collect()
}

#[test]
fn a_page_is_labelled_in_a_browser() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.html"), PAGE).unwrap();
    annotate(dir.path(), &["a.html", "by-hand.anno", "--no-screen"]);
    let file = std::fs::read_to_string(dir.path().join("by-hand.anno")).unwrap();
    let labels = ["[o]", "[o]", "[h]", "[p]", "[c]", "[c]", "[?]"];
    let expect = labels.iter().fold(file, |file, label| file.replacen("[?] ", &format!("{label} "), 1));

    let annotating = Annotating::start(dir.path(), &["a.html", "a.anno"]);
    assert!(!dir.path().join("a.anno").exists(), "nothing is written before it is saved");
    let page = annotating.get("").body;
    for text in ["Label a.html", "0 of 7", "The ferry sails again", "name=b7", "all rights reserved"] {
        assert!(page.to_lowercase().contains(&text.to_lowercase()), "{text}: {page}");
    }
    assert!(!page.contains("name=b8") && !page.contains("?</b>"), "{page}");
    // One mark labels the menu. Another labels a paragraph and applies to the blocks after it. The
    // headline gets its own label.
    let fields = format!(
        "revision=0&from=1&m{}=other&m{}=content&b3=h",
        element(&page, "ul</code>"),
        element(&page, "p</code>")
    );
    let answer = annotating.post(&format!("{fields}&do=apply"));
    assert!(answer.status == 303 && answer.head.contains("location: ?from=1#b7"), "{}", answer.head);
    let page = annotating.get("?from=1").body;
    assert!(page.contains("6 of 7") && page.contains("<option value=h selected>header"), "{page}");
    // Undo works.
    annotating.post("revision=1&from=1&b1=p&do=apply");
    annotating.post("revision=2&from=1&do=undo");
    let answer = annotating.post("revision=3&from=1&do=save");
    assert_eq!(answer.status, 200);
    assert!(
        answer.body.contains("role=status>a.anno: 6 of 7 blocks are labelled. The same command"),
        "{}",
        answer.body
    );
    let said = "tsrec: a.anno: 6 of 7 blocks are labelled; the same command goes on with them\n";
    assert_eq!(annotating.end(), (0, String::new(), said.to_owned()));
    assert_eq!(std::fs::read_to_string(dir.path().join("a.anno")).unwrap(), expect);

    // If the file has labels, annotating continues with them.
    let annotating = Annotating::start(dir.path(), &["a.html", "a.anno"]);
    let page = annotating.get("").body;
    assert!(page.contains("6 of 7") && page.matches(" selected>").count() == 6, "{page}");
    assert_eq!(annotating.post("revision=0&from=1&do=rest").status, 303);
    annotating.post("revision=1&from=1&do=save");
    assert_eq!(annotating.end().2, "tsrec: a.anno: 7 of 7 blocks are labelled\n");
    assert_eq!(std::fs::read_to_string(dir.path().join("a.anno")).unwrap(), expect.replace("[?] ", "[o] "));
}

#[test]
fn suggestions_count_when_they_are_accepted() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.html"), PAGE).unwrap();
    let read = |name| std::fs::read_to_string(dir.path().join(name)).unwrap();
    let suggest = "--suggest=mss-blocks";
    annotate(dir.path(), &["a.html", "open.anno", "--no-screen"]);
    annotate(dir.path(), &["a.html", "accepted.anno", "--no-screen", suggest]);
    for (step, expect) in [("apply", "open.anno"), ("accept", "accepted.anno")] {
        let annotating = Annotating::start(dir.path(), &["a.html", "a.anno", suggest]);
        let page = annotating.get("").body;
        assert!(page.contains("<b class=outside>other?</b>") && page.contains("<b class=content>paragraph?</b>"));
        assert!(page.contains("Accept the suggestions (7)"), "{page}");
        annotating.post(&format!("revision=0&from=1&do={step}"));
        annotating.post("revision=1&from=1&do=save");
        assert_eq!(annotating.end().0, 0);
        assert_eq!(read("a.anno"), read(expect), "{step}");
        std::fs::remove_file(dir.path().join("a.anno")).unwrap();
    }
}

#[test]
fn nobody_else_can_read_or_write_the_labels() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.html"), PAGE).unwrap();
    let annotating = Annotating::start(dir.path(), &["a.html", "a.anno"]);
    let save = "revision=0&from=1&do=save";
    let own_origin = format!("Origin: http://{}\r\n", annotating.host);
    for headers in [
        "",
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
        &format!("Sec-Fetch-Site: cross-site\r\n{own_origin}"),
    ] {
        let answer = annotating.post_from(headers, save);
        assert!(answer.status == 403 && answer.body.contains("own pages only"), "{headers:?}: {}", answer.body);
    }
    let ours = "Sec-Fetch-Site: same-origin\r\n";
    let other_secret = format!("/{}/", "A".repeat(annotating.path.len() - 2));
    for path in ["/", "/x/", &other_secret, annotating.path.trim_end_matches('/'), &format!("{}page", annotating.path)]
    {
        for (method, body) in [("GET", ""), ("POST", save)] {
            let answer = annotating.ask(method, path, ours, body);
            assert!(answer.status == 404 && !answer.body.contains("ferry"), "{method} {path}: {}", answer.body);
            assert!(!answer.body.contains(annotating.path.trim_matches('/')), "{method} {path}");
        }
    }
    let answer = annotating.get("");
    for header in [
        "content-security-policy: default-src 'none'; style-src 'sha256-",
        "frame-ancestors 'none'",
        "referrer-policy: same-origin",
        "cache-control: no-store",
    ] {
        assert!(answer.head.contains(header), "{header}: {}", answer.head);
    }
    assert!(!dir.path().join("a.anno").exists());
    // If the browser sends no site header, the origin decides.
    assert_eq!(annotating.post_from(&own_origin, save).status, 200);
    assert_eq!(annotating.end().0, 0);
    assert!(dir.path().join("a.anno").exists());
}

#[test]
fn forms_that_cannot_be_taken_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.html"), PAGE).unwrap();
    let annotating = Annotating::start(dir.path(), &["a.html", "a.anno"]);
    for (fields, status, expect) in [
        ("revision=1&from=1&b1=o&do=save", 409, "the labels have changed since this page was shown"),
        ("revision=0&from=1&b1=x&do=save", 400, "b1 is &quot;x&quot;, it must be h, p, l, c, o or nothing"),
        ("revision=0&from=1&b0=o&do=save", 400, "b0: the page has 7 blocks, and none of that number"),
        ("revision=0&from=1&b8=o&do=save", 400, "b8: the page has 7 blocks, and none of that number"),
        ("revision=0&from=1&m999=other&do=save", 400, "and none of the number 999"),
        ("revision=0&from=1&m1=maybe&do=save", 400, "m1 is &quot;maybe&quot;, it must be content, other or nothing"),
        ("revision=0&from=1&b1=o", 400, "the form has no field do"),
        ("revision=0&from=1&b1=o&do=burn", 400, "do is &quot;burn&quot;, it must be one of apply"),
        ("from=1&do=save", 400, "the form has no field revision"),
        ("revision=0&from=one&do=save", 400, "from is &quot;one&quot;, it must be a number"),
    ] {
        let answer = annotating.post(fields);
        assert!(answer.status == status && answer.body.contains(expect), "{fields}: {} {}", answer.status, answer.body);
    }
    let answer = annotating.post(&format!("revision=0&from=1&do=save&x={}", "x".repeat(2 << 20)));
    assert_eq!(answer.status, 400, "{}", answer.head);
    assert_eq!(annotating.get("?from=x").status, 400);
    assert!(annotating.get("").body.contains("0 of 7"));
    // The server reports an invalid label and does not save it.
    assert_eq!(annotating.post("revision=0&from=1&b1=c&do=save").status, 303);
    assert!(annotating.get("").body.contains("role=alert>Block 1 is no continuation"));
    assert!(!dir.path().join("a.anno").exists());
}

#[test]
fn labels_can_be_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let start = || Annotating::with_input(dir.path(), &["-", "a.anno"], PAGE);
    let left = (1, String::new(), "tsrec: the labels were not saved: a.anno is as it was\n".to_owned());
    // No labels: nothing to lose.
    let annotating = start();
    assert!(annotating.post("revision=0&from=1&do=leave").body.contains("Nothing was saved"));
    assert_eq!(annotating.end(), left);
    // Labels would be lost, so the page asks first.
    let annotating = start();
    let answer = annotating.post("revision=0&from=1&b1=o&do=leave");
    assert!(answer.body.contains("Leave without saving?") && answer.body.contains("value=forget"), "{}", answer.body);
    assert!(annotating.get("").body.contains("1 of 7"));
    assert!(annotating.post("revision=1&from=1&do=forget").body.contains("Nothing was saved"));
    assert_eq!(annotating.end(), left);
    // Ctrl-C.
    let annotating = start();
    annotating.post("revision=0&from=1&b1=o&do=apply");
    assert!(Command::new("kill").args(["-INT", &annotating.child.id().to_string()]).status().unwrap().success());
    assert_eq!(annotating.end(), left);
    assert!(snapshot(dir.path()).is_empty(), "neither labels nor the page are kept");
    // The page comes from another folder; it is saved with its labels.
    let annotating = start();
    annotating.post("revision=0&from=1&do=save");
    assert_eq!(annotating.end().0, 0);
    assert_eq!(std::fs::read_to_string(dir.path().join("a.html")).unwrap(), PAGE);
    assert!(dir.path().join("a.anno").exists());
}

#[test]
fn labels_that_cannot_be_written_are_not_lost() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.html"), PAGE).unwrap();
    let folder = dir.path().join("labels");
    std::fs::create_dir(&folder).unwrap();
    let annotating = Annotating::start(dir.path(), &["a.html", "labels/a.anno"]);
    std::fs::remove_dir(&folder).unwrap();
    let answer = annotating.post("revision=0&from=1&b1=o&do=save");
    assert!(answer.status == 500 && answer.body.contains("labels/a.anno cannot be written"), "{}", answer.body);
    std::fs::create_dir(&folder).unwrap();
    assert_eq!(annotating.post("revision=1&from=1&do=save").status, 200);
    assert_eq!(annotating.end().0, 0);
    assert!(std::fs::read_to_string(folder.join("a.anno")).unwrap().contains("\n[o] Home\n"));
}

/// The server shows a page of many blocks in parts, and no script of it runs.
#[test]
fn a_long_and_hostile_page_is_shown_in_parts() {
    let dir = tempfile::tempdir().unwrap();
    let blocks: String = (1..=5_000).map(|n| format!("<p>&lt;script&gt;{n}<script>alert({n})</script>")).collect();
    std::fs::write(
        dir.path().join("a.html"),
        format!("<div onclick=alert(0)>{blocks}</div>{}", "<!-- -->".repeat(1 << 17)),
    )
    .unwrap();
    let annotating = Annotating::start(dir.path(), &["a.html", "a.anno"]);
    for (query, first, last) in
        [("", 1, 500), ("?from=501", 501, 1_000), ("?from=777", 501, 1_000), ("?from=90000", 4_501, 5_000)]
    {
        let page = annotating.get(query).body;
        let names: Vec<&str> = page.split(" name=b").skip(1).map(|rest| rest.split('>').next().unwrap()).collect();
        assert_eq!((names.len(), names[0], names[499]), (500, &*first.to_string(), &*last.to_string()), "{query}");
        assert!(page.len() < 500_000 && !page.contains("<script") && !page.contains("onclick"), "{query}");
        assert!(page.contains(&format!("&lt;script&gt;{first}")) && page.contains("too long to be shown here"));
    }
    // Moving to another part keeps the labels of this one.
    let answer = annotating.post("revision=0&from=1&b2=p&do=part-501");
    assert!(answer.status == 303 && answer.head.contains("location: ?from=501#b501"), "{}", answer.head);
    let answer = annotating.post("revision=1&from=501&b501=h&do=unlabelled");
    assert!(answer.head.contains("location: ?from=501#b502"), "{}", answer.head);
    annotating.post("revision=2&from=501&do=save");
    assert_eq!(
        annotating.end().2,
        "tsrec: a.anno: 2 of 5000 blocks are labelled; the same command goes on with them\n"
    );
    let file = std::fs::read_to_string(dir.path().join("a.anno")).unwrap();
    assert!(file.contains("\n[p] <script>2\n") && file.contains("\n[h] <script>501\n"));
}
