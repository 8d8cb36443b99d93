//! `tsrec extract --batch` as a new user runs it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn tsrec(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.arg("extract").args(args).current_dir(folder);
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    tsrec(folder, args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    stdout(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The site's name, which stands in its titles only.
fn name(site: &str) -> String {
    format!("Tidings {}", site[..1].to_uppercase())
}

/// A page of a site: every page has the menu and footer, and each story is different.
fn page(site: &str, number: usize) -> String {
    let words = ["ferry", "harbour", "lantern", "orchard", "parcel", "quarry", "ribbon", "saddle", "timber", "violin"];
    let word = |at: usize| words[(number * 7 + at * 3 + at * at) % words.len()];
    let sentence = |at: usize| {
        format!(
            "The {} of {} saw the {} near the {} at {at} and was glad of it. ",
            word(at),
            site,
            word(at + 1),
            word(at + 2)
        )
    };
    let paragraph = |at: usize| format!("<p>{}</p>", (at..at + 4).map(sentence).collect::<String>());
    let story: String = (number..number + 4).map(paragraph).collect();
    format!(
        "<!DOCTYPE html><title>Story {number} | {}</title><meta name=author content='Harbour Press'><ul class=menu><li><a href=/>Home of {site}</a><li><a href=/about>About us</a></ul>\
         <main class=story><h1>Story {number} of {site}</h1>{story}</main><p class=note>Everything here was written for {site} and may be read aloud.</p>",
        name(site)
    )
}

/// Writes a folder of pages of several sites, with their metadata.
fn set(folder: &Path, sites: &[&str], pages: usize) {
    std::fs::create_dir(folder.join("html")).unwrap();
    let mut meta = String::new();
    for number in 0..pages {
        let site = sites[number % sites.len()];
        let id = format!("{number:04}");
        meta.push_str(&format!(
            "{{\"id\":\"{id}\",\"url\":\"https://www.{site}/story/{number}\",\"site\":\"{site}\"}}\n"
        ));
        std::fs::write(folder.join(format!("html/{id}.html")), page(site, number)).unwrap();
    }
    std::fs::write(folder.join("meta.jsonl"), meta).unwrap();
}

#[test]
fn a_folder_comes_out_in_order_and_as_page_by_page() {
    let folder = tempfile::tempdir().unwrap();
    set(folder.path(), &["a.example", "b.example"], 12);
    let all = lines(&run(folder.path(), &["--batch", ".", "--jobs", "3"]));
    assert_eq!(
        all.iter().map(|line| line["id"].as_str().unwrap()).collect::<Vec<_>>(),
        (0..12).map(|n| format!("{n:04}")).collect::<Vec<_>>()
    );
    for (number, line) in all.iter().enumerate() {
        let url = format!("https://www.{}/story/{number}", line["site"].as_str().unwrap());
        let one = run(folder.path(), &[&format!("html/{number:04}.html"), "--url", &url]);
        assert_eq!(format!("{}\n", line["text"].as_str().unwrap()), stdout(&one));
        assert!(line["text"].as_str().unwrap().contains("was glad of it") && line["elements"].is_null());
        assert_eq!((line["url"].as_str(), line["method"].as_str()), (Some(url.as_str()), Some("blocks")));
    }
}

#[test]
fn sites_are_remembered_and_threads_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    set(folder.path(), &["a.example", "b.example", "c.example"], 45);
    let with = |jobs: &str| run(folder.path(), &["--batch", ".", "--sites", "--jobs", jobs]);
    let one = with("1");
    assert_eq!((stdout(&one), one.status.code()), (stdout(&with("4")), Some(0)));
    for (number, line) in lines(&one).iter().enumerate() {
        // A site needs three known pages before its memory extracts a page.
        let known = number / 3;
        let expect = if known >= 3 { ("memory", known) } else { ("blocks", 0) };
        assert_eq!(
            (line["method"].as_str().unwrap(), line["remembered"].as_u64().unwrap() as usize),
            expect,
            "{number}"
        );
        // The same holds before a statement on all pages counts as the site's.
        let name = json!(name(line["site"].as_str().unwrap()));
        let expect = if known >= 3 { (name, json!([])) } else { (Value::Null, json!(["Harbour Press"])) };
        assert_eq!((line["site_name"].clone(), line["authors"].clone()), expect, "{number}");
    }
    // Without site names, the URLs determine the site of each page.
    let list: String = (0..45)
        .map(|n| {
            format!("html/{n:04}.html\thttps://www.{}/story/{n}\n", ["a.example", "b.example", "c.example"][n % 3])
        })
        .collect();
    std::fs::write(folder.path().join("list"), list).unwrap();
    let by_url = lines(&run(folder.path(), &["--batch", "list", "--sites"]));
    assert!(
        by_url
            .iter()
            .zip(lines(&one))
            .all(|(a, b)| a["text"] == b["text"] && a["remembered"] == b["remembered"] && a["site"] == b["site"])
    );
}

#[test]
fn a_bad_page_is_an_error_in_its_line_and_the_others_come() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("good.html"), page("a.example", 1)).unwrap();
    std::fs::write(folder.path().join("image.html"), b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR").unwrap();
    std::fs::write(folder.path().join("cut.html.gz"), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b]).unwrap();
    std::fs::write(
        folder.path().join("list"),
        "good.html\nnone.html\nimage.html\n{\"path\":\ncut.html.gz\nhttp://a.example/\ngood.html\n",
    )
    .unwrap();
    let output = run(folder.path(), &["--batch", "list", "--stats"]);
    assert_eq!(output.status.code(), Some(5));
    let all = lines(&output);
    let said: Vec<(&str, &str)> =
        all.iter().map(|line| (line["id"].as_str().unwrap(), line["error"].as_str().unwrap_or_default())).collect();
    for ((id, error), (expect, part)) in said.iter().zip([
        ("good", ""),
        ("none", "none.html cannot be read"),
        ("image", "no HTML but a PNG image"),
        ("line 4", "no JSON object"),
        ("cut", "cut.html.gz cannot be unpacked"),
        ("http://a.example/", "is a URL"),
        ("good", ""),
    ]) {
        assert!(id == &expect && error.contains(part) && error.is_empty() == part.is_empty(), "{id}: {error}");
    }
    let stats: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!((stats["pages"].as_u64(), stats["errors"].as_u64()), (Some(2), Some(5)));
    let bytes = page("a.example", 1).len() as u64;
    assert_eq!(stats["bytes"].as_u64(), Some(2 * bytes));
    let seconds = |name: &str| stats[name].as_f64().unwrap();
    assert!(seconds("parse_seconds") > 0.0 && seconds("parse_seconds") < seconds("extract_seconds"), "{stats}");
    #[cfg(target_os = "linux")]
    assert!(stats["peak_rss_bytes"].as_u64().unwrap() > 1 << 20);
}

#[test]
fn a_folder_gets_a_file_a_page_and_a_file_gets_lines() {
    let folder = tempfile::tempdir().unwrap();
    set(folder.path(), &["a.example"], 3);
    let onto_itself = run(folder.path(), &["--batch", ".", "--out", "html", "--format", "html"]);
    assert!(String::from_utf8_lossy(&onto_itself.stderr).contains("html is where the pages are"));
    for (format, ending) in [("text", "txt"), ("html", "html"), ("json", "json"), ("cleaneval", "txt")] {
        let output = run(folder.path(), &["--batch", "html", "--out", &format!("out-{format}"), "--format", format]);
        assert!(output.status.success() && output.stdout.is_empty());
        let url = "https://www.a.example/story/1";
        let one = run(folder.path(), &["html/0001.html", "--url", url, "--format", format]);
        let written = std::fs::read_to_string(folder.path().join(format!("out-{format}/0001.{ending}"))).unwrap();
        assert_eq!(written, stdout(&one), "{format}");
    }
    let lines_to = run(folder.path(), &["--batch", ".", "--out", "all.jsonl", "--format", "html"]);
    let all = std::fs::read_to_string(folder.path().join("all.jsonl")).unwrap();
    assert!(lines_to.status.success() && all.lines().count() == 3);
    let first: Value = serde_json::from_str(all.lines().next().unwrap()).unwrap();
    assert!(first["html"].as_str().unwrap().contains("<h1>Story 0 of a.example</h1>") && first["text"].is_null());
    // Two pages have the same name. The command reports the second and does not overwrite the first
    // one's file.
    std::fs::write(folder.path().join("list"), "html/0001.html\n{\"path\":\"html/0002.html\",\"id\":\"html/0001\"}")
        .unwrap();
    let twice = run(folder.path(), &["--batch", "list", "--out", "twice"]);
    assert_eq!(twice.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&twice.stderr).contains("html/0001: a page before it has the same id"));
    let kept = std::fs::read_to_string(folder.path().join("twice/html%2F0001.txt")).unwrap();
    assert!(kept.starts_with("Story 1 of"));
    // Without an id, the URL names the file.
    let list = "html/0001.html\thttps://a.example/news/\nhtml/0002.html\thttps://a.example/news/B\nhtml/0002.html\thttps://a.example/news/b\n\
                html/0001.html\thttps://a.example/news/";
    std::fs::write(folder.path().join("list"), list).unwrap();
    let by_url = run(folder.path(), &["--batch", "list", "--out", "by-url"]);
    assert!(String::from_utf8_lossy(&by_url.stderr).contains("or the same URL"), "{by_url:?}");
    let index = std::fs::read_to_string(folder.path().join("by-url/index.jsonl")).unwrap();
    let files: Vec<Value> = index.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(files[0], json!({ "file": "a.example/news/index.txt", "url": "https://a.example/news/" }));
    assert_eq!((&files[2]["file"], files.len()), (&json!("a.example/news/b.txt"), 3));
    for file in &files {
        assert!(folder.path().join("by-url").join(file["file"].as_str().unwrap()).is_file(), "{file}");
    }
}

#[test]
fn pages_come_from_standard_input_and_what_cannot_be_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut child =
        tsrec(folder.path(), &["--batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let line = serde_json::json!({ "html": page("a.example", 1), "url": "https://a.example/1", "id": "one" });
    writeln!(child.stdin.take().unwrap(), "{line}").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(lines(&output)[0]["id"], "one");
    std::fs::write(folder.path().join("taken"), "").unwrap();
    for (args, part) in [
        (&["--batch", "none"][..], "none cannot be read"),
        (&["--batch", "."], "holds no page"),
        (&["--batch", "taken", "--out", "taken"], "taken is a file"),
        (&["--batch", "taken", "--method", "template-paper"], "compares a page with a sibling"),
        (&["--batch", "taken", "--method", "mss-semi"], "learns from a page"),
        (&["--batch", "taken", "--method", "mss", "--sites"], "--sites is for --method auto"),
        (&["--batch", "taken", "page.html"], "cannot be used with"),
        (&["--out", "x", "page.html"], "--batch"),
        (&["--batch", "taken", "--jobs", "0"], "--jobs"),
        (&[], "<PAGE>"),
    ] {
        let output = run(folder.path(), args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(part), "{args:?}: {said}");
    }
}

/// An archive as crawlers write it: one compressed member per record.
fn archive(pages: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (at, (kind, target, block)) in pages.iter().enumerate() {
        let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let head = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {target}\r\nWARC-Record-ID: <urn:uuid:{at}>\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        member.write_all(&[head.as_bytes(), block, b"\r\n\r\n"].concat()).unwrap();
        archive.extend(member.finish().unwrap());
    }
    archive
}

#[test]
fn pages_come_from_an_archive_and_what_is_passed_over_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let answer = |head: &str, body: &str| format!("HTTP/1.1 {head}\r\n\r\n{body}").into_bytes();
    let page_of = |number| page("a.example", number);
    let html = "200 OK\r\nContent-Type: text/html; charset=utf-8";
    let chunked = format!("{:x}\r\n{}\r\n0\r\n\r\n", page_of(2).len(), page_of(2));
    let bytes = archive(&[
        ("warcinfo", "", b"software: x"),
        ("request", "https://a.example/1", b"GET /1 HTTP/1.1"),
        ("response", "https://a.example/1", &answer(html, &page_of(1))),
        ("response", "https://a.example/2", &answer(&format!("{html}\r\nTransfer-Encoding: chunked"), &chunked)),
        ("response", "https://a.example/3", &answer("404 Not Found\r\nContent-Type: text/html", "gone")),
        ("response", "https://a.example/4", &answer("200 OK\r\nContent-Type: image/png", "png")),
        ("revisit", "https://a.example/0", b""),
        ("response", "dns:a.example", b"a.example. 1 A 127.0.0.1"),
        ("response", "https://a.example/5", b"no answer"),
        ("resource", "https://a.example/6", page_of(6).as_bytes()),
    ]);
    std::fs::write(folder.path().join("crawl.warc.gz"), &bytes).unwrap();
    let output = run(folder.path(), &["--batch", "crawl.warc.gz", "--stats", "--sites"]);
    let all = lines(&output);
    let urls: Vec<&str> = all.iter().map(|line| line["url"].as_str().unwrap_or_default()).collect();
    assert_eq!(urls, ["https://a.example/1", "https://a.example/2", "", "https://a.example/6"]);
    assert!(all[2]["error"].as_str().unwrap().contains("https://a.example/5: the record holds no HTTP response"));
    for (line, number) in [(&all[0], 1), (&all[1], 2), (&all[3], 6)] {
        assert!(line["text"].as_str().unwrap().starts_with(&format!("Story {number} of a.example")), "{line}");
    }
    let stats: Value = serde_json::from_slice(&output.stderr).unwrap();
    let skipped = serde_json::json!({ "revisit": 1, "status": 1, "content-type": 1, "other-scheme": 1 });
    assert_eq!((output.status.code(), &stats["skipped"]), (Some(5), &skipped));
    // The uncompressed archive gives the same result.
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(bytes.as_slice()), &mut plain).unwrap();
    std::fs::write(folder.path().join("crawl.warc"), plain).unwrap();
    assert_eq!(stdout(&run(folder.path(), &["--batch", "crawl.warc", "--sites"])), stdout(&output));
    // Truncated within a record: the earlier records come out, and the command reports the early
    // end.
    std::fs::write(folder.path().join("cut.warc.gz"), &bytes[..bytes.len() - 300]).unwrap();
    let cut = lines(&run(folder.path(), &["--batch", "cut.warc.gz"]));
    assert!(
        cut.len() == 4 && cut[3]["error"].as_str().unwrap().starts_with("the archive cannot be read on: at byte"),
        "{cut:?}"
    );
}

/// If the user gives the wrong kind of file, the message says what to do.
#[test]
fn what_is_no_list_and_what_is_no_single_page_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let here = |name: &str| folder.path().join(name);
    std::fs::create_dir(here("folder")).unwrap();
    let story = page("a.example", 1);
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{story}");
    let packed = archive(&[("response", "https://a.example/1", answer.as_bytes())]);
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(packed.as_slice()), &mut plain).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, story.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    for (name, bytes) in [
        ("page.html", story.as_bytes()),
        ("page.pdf", b"%PDF-1.4\n"),
        ("feed.xml", b"<?xml version=\"1.0\"?>\n<rss version=\"2.0\"><channel><title>Tidings</title></channel></rss>"),
        ("note.xml", b"<?xml version=\"1.0\"?>\n<note>The ferry sails.</note>"),
        ("data.json", b"{\"ferry\": \"sails\"}"),
        ("crawl.warc.gz", &packed),
        // Archives with another extension.
        ("crawl.gz", &packed),
        ("crawl.part", &plain),
        ("page.html.gz", &gzip),
        ("cut.html.gz", &gzip[..gzip.len() / 2]),
    ] {
        std::fs::write(here(name), bytes).unwrap();
    }
    for (args, code, said) in [
        (
            &["--batch", "page.html"][..],
            1,
            "page.html is no list of pages but a page: one page is extracted without --batch",
        ),
        (&["--batch", "page.pdf"], 1, "page.pdf is no list of pages but PDF"),
        (&["feed.xml"], 1, "page \"feed.xml\" is no HTML but a feed (RSS)"),
        (&["note.xml"], 1, "page \"note.xml\" is no HTML but XML"),
        (&["data.json"], 1, "page \"data.json\" is no HTML but JSON"),
        (&["folder"], 1, "page \"folder\" is a folder: tsrec extract --batch folder extracts the pages in it"),
        (&["crawl.warc.gz"], 1, "page \"crawl.warc.gz\" is a web archive: tsrec extract --batch crawl.warc.gz"),
        (&["crawl.part"], 1, "page \"crawl.part\" is a web archive"),
        (&["cut.html.gz"], 1, "page \"cut.html.gz\" cannot be unpacked"),
        (&["page.html", "--url", "a.example/a"], 2, "did you mean https://a.example/a?"),
    ] {
        let output = run(folder.path(), args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(code) && stderr.contains(said), "{args:?}: {stderr}");
    }
    // The command reads compressed files, alone and in a folder, and archives of any name.
    assert_eq!(stdout(&run(folder.path(), &["page.html.gz"])), stdout(&run(folder.path(), &["page.html"])));
    let of = |name: &str| stdout(&run(folder.path(), &["--batch", name]));
    assert!(of("crawl.gz") == of("crawl.warc.gz") && of("crawl.part") == of("crawl.warc.gz"));
}

#[test]
fn formats_are_written_and_their_options_refused_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let prose = "The ferry sailed at nine with the band on board, and a cat in the wheelhouse kept watch. ".repeat(3);
    let story = format!(
        "<title>Ferry: \"sails\"</title><article><h1>Ferry: \"sails\"</h1><p>{prose}<a href=/b>*more*</a></p><img src=/i.png alt=Cat>\
         <ul><li>{prose}</li></ul><pre><code class=language-rust>fn main() {{}}</code></pre><p onclick=x()>{prose}</p></article>"
    );
    std::fs::write(folder.path().join("page.html"), story).unwrap();
    let with = |args: &[&str]| run(folder.path(), &[&["page.html", "--url", "https://a.example/a"], args].concat());
    let markdown = stdout(&with(&["--format", "markdown", "--front-matter"]));
    let (front, body) = markdown.strip_prefix("---\n").unwrap().split_once("---\n\n").unwrap();
    assert!(
        front.starts_with("title: \"Ferry: \\\"sails\\\"\"\n") && front.contains("url: \"https://a.example/a\"\n"),
        "{front}"
    );
    assert!(body.starts_with("# Ferry: \"sails\"\n\n") && body.contains("[\\*more\\*](https://a.example/b)"), "{body}");
    assert!(body.contains("![Cat](https://a.example/i.png)") && body.contains("\n- The ferry"), "{body}");
    let bare = stdout(&with(&["--format", "markdown", "--links", "off", "--images", "off"]));
    assert!(bare.contains("\\*more\\*") && !bare.contains("](") && !bare.contains("!["), "{bare}");
    let html = stdout(&with(&["--format", "html"]));
    assert!(html.contains("<a href=\"https://a.example/b\">") && !html.contains("onclick"), "{html}");
    let tei = stdout(&with(&["--format", "tei"]));
    assert!(tei.contains("<head>Ferry: ") && tei.contains("<title>Ferry: &quot;sails&quot;</title>"), "{tei}");
    let lines_of = lines(&run(folder.path(), &["--batch", ".", "--format", "markdown"]));
    assert!(lines_of[0]["markdown"].as_str().unwrap().starts_with("# Ferry: "));
    for (args, part) in [(["--links", "off"], "--links and --images are for"), (["--format", "markdwn"], "markdown")] {
        let refused = with(&args);
        assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains(part), "{args:?}");
    }
    assert!(!with(&["--front-matter"]).status.success());
}
