//! Orders to a crawl, and what commands print: `tsrec add`, `why`, `list`, `listing`, `--out`.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::serving::{open, page};
use crate::support::site::Site;

/// Exit code, standard output, standard error.
fn run(dir: &Path, args: &[&str], input: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.args(args).env("TSREC_DATA_DIR", dir.join("data")).env_remove("TSREC_LOG").current_dir(dir);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A site whose every page links to two others, which nothing else names.
fn site() -> Site {
    Site::serve(|path| {
        let name = path.trim_start_matches('/').replace(['/', '.'], " ");
        let words = "The ferry of the harbour saw a lantern in the orchard and was glad of it, as was to be expected. ";
        let links = match path {
            "/robots.txt" => return None,
            "/" | "/start" => "<a href=/news/1>one</a> <a href=/print/1>two</a> <a href=/deep/1>three</a>",
            "/deep/1" => "<a href=/deep/2>four</a>",
            "/deep/2" => "<a href=/deep/3>five</a>",
            _ => "",
        };
        Some(format!("<title>{name}</title><h1>On {name}</h1><p>{name}: {}</p>{links}", words.repeat(3)).into_bytes())
    })
}

fn crawl(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.args(["crawl", "--allow-private-addresses", "--delay", "1ms", "--user-agent", "test-crawler (a test)"]);
    command.args(args).arg("--data-dir").arg(dir.join("data")).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

struct Daemon(Child);

impl Daemon {
    fn start(dir: &Path, seed: &str) -> Daemon {
        let _ = std::fs::remove_file(dir.join("data/http.address"));
        let child = Daemon(crawl(dir, &[seed, "--listen", "127.0.0.1:0"]).spawn().unwrap());
        wait_for(|| dir.join("data/http.address").exists());
        child
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_for(is_so: impl Fn() -> bool) {
    for _ in 0..6_000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it does not come about in two minutes");
}

fn asked(site: &Site, path: &str) -> bool {
    site.requests.lock().unwrap().contains_key(path)
}

#[test]
fn urls_are_added_to_a_running_crawl_and_to_its_directory() {
    let (site, dir) = (site(), tempfile::tempdir().unwrap());
    let daemon = Daemon::start(dir.path(), &site.url("/start"));
    wait_for(|| asked(&site, "/news/1"));
    let elsewhere = site.url("/start").replace("127.0.0.1", "localhost");
    let lines =
        format!("{}\n\n  {}  \nnowhere\nftp://a.example/\n{elsewhere}\n", site.url("/added/1#top"), site.url("/start"));
    let (code, out, err) = run(dir.path(), &["add", "-"], &lines);
    assert_eq!((code, out.lines().next()), (0, Some("1 URL new, 1 known, 3 refused")), "{out}{err}");
    assert!(
        err.contains("line 3: \"nowhere\" is no URL") && err.contains("line 5: the crawl has no host localhost"),
        "{err}"
    );
    wait_for(|| asked(&site, "/added/1"));
    let (code, out, _) = run(dir.path(), &["add", &elsewhere], "");
    assert!(code == 1 && out.contains("1 outside the crawl's hosts"), "{out}");
    let (code, out, err) = run(dir.path(), &["add", "--seed", &elsewhere], "");
    assert_eq!((code, out.as_str()), (0, "1 URL new, 0 known, 0 refused\n"), "{err}");
    let state = |url: &str| run(dir.path(), &["why", url], "").1;
    wait_for(|| state(&elsewhere.replace("/start", "/deep/3")).contains("state     known"));
    // A reload forgets neither the URLs nor the host that was taken in.
    assert!(Command::new("kill").args(["-HUP", &daemon.0.id().to_string()]).status().unwrap().success());
    std::thread::sleep(Duration::from_millis(500));
    let after = elsewhere.replace("/start", "/added/4");
    let (code, out, err) = run(dir.path(), &["add", &after, &elsewhere], "");
    assert_eq!((code, out.as_str()), (0, "1 URL new, 1 known, 0 refused\n"), "{err}");
    wait_for(|| state(&after).contains("state     known"));
    drop(daemon);

    // Now into the directory.
    let more = [site.url("/added/2"), elsewhere.replace("/start", "/added/3")];
    let (code, out, err) = run(dir.path(), &["add", &more[0], &more[1]], "");
    assert_eq!((code, out.as_str()), (0, "2 URLs new, 0 known, 0 refused\n"), "{err}");
    let (_, out, _) = run(dir.path(), &["add", "--json", &more[0]], "");
    let added: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&added["known"], &added["refused"]["outside"]), (&1.into(), &0.into()));
    let _daemon = Daemon::start(dir.path(), &site.url("/start"));
    wait_for(|| asked(&site, "/added/2") && asked(&site, "/added/3"));
}

#[test]
fn many_urls_are_added_in_parts() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(&dir.path().join("data")));
    // More than are sent at a time.
    let lines: String = (0..10_500).map(|n| format!("http://a.example/{}/{n}\n", n % 7)).collect();
    let (code, out, err) = run(dir.path(), &["add", "--seed", "-"], &(lines.clone() + "nowhere\n"));
    assert_eq!((code, out.lines().next()), (0, Some("10500 URLs new, 0 known, 1 refused")), "{err}");
    assert!(err.contains("line 10501:"), "{err}");
    let (_, out, _) = run(dir.path(), &["add", "-"], &lines);
    assert_eq!(out, "0 URLs new, 10500 known, 0 refused\n");
    let (code, _, err) = run(dir.path(), &["add", "-", "http://a.example/"], "");
    assert!(code == 1 && err.contains("give it alone"), "{err}");
}

#[test]
fn a_crawl_keeps_to_patterns_and_depth_of_its_command_line() {
    for (args, paths) in [
        (&[][..], &["/deep/1", "/deep/2", "/deep/3", "/news/1", "/print/1", "/start"][..]),
        (&["--exclude", "*/print/*", "--exclude", "*/deep/2"], &["/deep/1", "/news/1", "/start"]),
        (&["--include", "*/news/*"], &["/news/1", "/start"]),
        (&["--max-depth", "1"], &["/deep/1", "/news/1", "/print/1", "/start"]),
    ] {
        let (site, dir) = (site(), tempfile::tempdir().unwrap());
        assert!(crawl(dir.path(), &[&site.url("/start"), "--once"]).args(args).status().unwrap().success());
        let requests = site.requests.lock().unwrap();
        let asked: Vec<_> = requests.keys().filter(|path| !path.contains('.')).map(String::as_str).collect();
        assert_eq!(asked, paths, "{args:?}");
    }
}

#[test]
fn why_answers_people_and_programs() {
    let (site, dir) = (site(), tempfile::tempdir().unwrap());
    let start = site.url("/start");
    assert!(crawl(dir.path(), &[&start, "--once"]).status().unwrap().success());
    let (code, out, err) = run(dir.path(), &["why", &start], "");
    assert_eq!((code, err.as_str()), (0, ""));
    for said in [
        &start,
        "state     known, due again 2",
        "found     a seed, or added",
        "robots    allowed",
        "request   2",
        "words by",
    ] {
        assert!(out.contains(said), "{said} is not in {out}");
    }
    let (_, out, _) = run(dir.path(), &["why", &site.url("/deep/2")], "");
    assert!(out.contains(&format!("on {}, 2 links from a seed", site.url("/deep/1"))), "{out}");
    let unknown = site.url("/unknown");
    let (code, out, err) = run(dir.path(), &["why", &unknown], "");
    assert!(code == 3 && out.contains("not stored") && err.contains(&format!("tsrec add {unknown}")), "{out}{err}");
    let (code, out, _) = run(dir.path(), &["why", "--json", &unknown], "");
    assert_eq!((code, serde_json::from_str::<Value>(&out).unwrap()["frontier"].clone()), (3, Value::Null));
}

/// A store of pages of two hosts and three languages, some of them copies.
fn stored(dir: &Path) {
    let (database, store) = open(&dir.join("data"));
    let words = "ferry harbour council winter choir bridge market school boat museum orchard lantern parcel quarry";
    for number in 0..12 {
        let text: Vec<&str> = words.split(' ').cycle().skip(number / 2 * 3).step_by(number / 2 + 1).take(60).collect();
        let url = format!("http://{}.example/{number:02}", ["a", "b"][number % 2]);
        let mut page = page(&url, &text.join(" "));
        page.confidence = (12 - number) as f64 / 12.0;
        page.metadata.language = Some(["de", "fr", "de-AT"][number % 3].to_owned());
        page.kind = Some(["article", "forum"][number % 2].to_owned());
        page.metadata.title = Some(format!("Title, \"{number}\""));
        store.put(&page).unwrap();
    }
    database.durable().unwrap();
}

#[test]
fn a_listing_is_selected_and_ordered() {
    let dir = tempfile::tempdir().unwrap();
    stored(dir.path());
    let names = |args: &[&str]| {
        let (code, out, err) = run(dir.path(), &[&["list"], args].concat(), "");
        assert_eq!(code, 0, "{args:?}: {err}");
        out.lines().map(|line| line.rsplit('/').next().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    for (args, expect) in [
        (&[][..], "00 02 04 06 08 10 01 03 05 07 09 11"),
        (&["--kind", "forum"], "01 03 05 07 09 11"),
        (&["--language", "fr"], "04 10 01 07"),
        (&["--host", "a.example", "--language", "de"], "00 06"),
        (&["--method", "template", "--least-confidence", "0.75"], "00 02 01 03"),
        (&["--most-confidence", "0.1"], "11"),
        (&["--sort", "confidence"], "11 10 09 08 07 06 05 04 03 02 01 00"),
        (&["--sort=-confidence", "--kind", "article"], "00 02 04 06 08 10"),
        (&["--sort=-url"], "11 09 07 05 03 01 10 08 06 04 02 00"),
        (&["--sort=-kind"], "01 03 05 07 09 11 00 02 04 06 08 10"),
        (&["--sort", "language", "--host", "a.example"], "00 06 02 08 04 10"),
        (&["--sort=-language", "--host", "a.example"], "04 10 02 08 00 06"),
        (&["--from", "2026-11-21"], "00 02 04 06 08 10 01 03 05 07 09 11"),
        (&["--from", "2026-11-22"], ""),
        (&["--before", "2026-11-21T00:00:00Z"], ""),
        (&["--before", "2026-11-21T02:00:00+01:00", "--sort", "-words"], "00 02 04 06 08 10 01 03 05 07 09 11"),
    ] {
        assert_eq!(names(args), expect, "{args:?}");
    }
    for (args, code, said) in [
        (&["--sort", "size"][..], 2, "confidence"),
        (&["--sort=--url"], 2, "confidence"),
        (&["--from", "soon"], 1, "2026-11-21T12:00:00Z"),
        (&["--least-confidence", "2"], 1, "from 0 to 1"),
    ] {
        let (exit, _, err) = run(dir.path(), &[&["list"], args].concat(), "");
        assert!(exit == code && err.contains(said), "{args:?}: {exit} {err}");
    }
}

#[test]
fn an_export_keeps_languages_drops_copies_and_writes_csv() {
    let dir = tempfile::tempdir().unwrap();
    stored(dir.path());
    let export = |args: &[&str]| {
        let (code, out, err) = run(dir.path(), &[&["export"], args].concat(), "");
        assert_eq!(code, 0, "{args:?}: {err}");
        (out.lines().count(), err, out)
    };
    assert_eq!(export(&[]).0, 12);
    let (count, err, _) = export(&["--language", "fr,de-AT"]);
    assert!(count == 8 && err.contains("4 records dropped"), "{count} {err}");
    assert_eq!(export(&["--language", "de"]).0, 8, "de stands for de-AT");
    // Each text comes twice.
    let (count, err, _) = export(&["--dedupe"]);
    assert!(count == 6 && err.contains("6 records dropped"), "{count} {err}");
    let (count, _, out) = export(&["--format", "csv"]);
    assert_eq!(count, 13, "a head, and a row each");
    assert!(out.starts_with("url,host,title,authors,published,language,"), "{out}");
    assert!(out.contains("\r\nhttp://a.example/00,a.example,\"Title, \"\"0\"\"\",,,de,article,template,1.0,"), "{out}");
}

#[test]
fn output_goes_to_standard_output_pipes_and_devices() {
    let dir = tempfile::tempdir().unwrap();
    stored(dir.path());
    let expect = run(dir.path(), &["export"], "").1;
    for name in ["-", "/dev/stdout"] {
        assert_eq!(run(dir.path(), &["export", "--out", name], "").1, expect, "{name}");
    }
    assert_eq!(run(dir.path(), &["export", "--out", "/dev/null"], "").0, 0);
    assert!(Path::new("/dev/null").metadata().is_ok_and(|null| !null.is_file()), "it is still there");
    assert!(!dir.path().join("-").exists());
    let pipe = dir.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::fs::write(dir.path().join("list"), "{\"id\": \"1\", \"html\": \"<p>The ferry sails again, a year late.\"}\n")
        .unwrap();
    for args in [&["export"][..], &["extract", "--batch", "list"]] {
        let expect = run(dir.path(), args, "").1;
        let path = pipe.clone();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            std::fs::File::open(path).unwrap().read_to_string(&mut text).unwrap();
            text
        });
        let (code, out, err) = run(dir.path(), &[args, &["--out", "pipe"]].concat(), "");
        assert_eq!((code, out.as_str(), reader.join().unwrap()), (0, "", expect), "{args:?}: {err}");
    }
    let (code, _, err) = run(dir.path(), &["export", "--format", "markdown-dir", "--out", "/dev/null"], "");
    assert!(code == 1 && err.contains("no folder"), "{err}");
}

#[test]
fn json_has_its_elements_only_if_asked() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.html"), "<title>A</title><p>The ferry sails again, a year late.").unwrap();
    for (args, has_elements) in [
        (&["extract", "a.html", "--format", "json"][..], false),
        (&["extract", "a.html", "--format", "json", "--elements"], true),
        (&["extract", "a.html", "--format", "json", "--explain"], true),
        (&["diff", "a.html", "a.html", "--format", "json"], false),
        (&["diff", "a.html", "a.html", "--format", "json", "--elements"], true),
    ] {
        let (code, out, err) = run(dir.path(), args, "");
        assert_eq!(code, 0, "{err}");
        let found: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((found["elements"].is_array(), found["text"].is_string()), (has_elements, true), "{args:?}");
    }
    let (code, _, err) = run(dir.path(), &["extract", "a.html", "--elements"], "");
    assert!(code == 2 && err.contains("--format json"), "{err}");
}

#[test]
fn a_batch_keeps_languages_drops_copies_and_writes_csv() {
    let dir = tempfile::tempdir().unwrap();
    let story = |words: &str| {
        format!("<html lang=en><title>A, \\\"b\\\"</title><h1>Of {words}</h1><p>{}</p>", words.repeat(20))
    };
    let lines: Vec<String> = [
        ("1", "The ferry of the harbour sailed again. "),
        ("2", "A council met in the winter hall. "),
        ("3", "The ferry of the harbour sailed again. "),
    ]
    .map(|(id, words)| format!("{{\"id\": \"{id}\", \"html\": \"{}\"}}", story(words)))
    .into();
    std::fs::write(dir.path().join("list"), lines.join("\n")).unwrap();
    let ids = |out: &str| {
        out.lines().map(|line| line[line.find("\"id\":\"").unwrap() + 6..][..1].to_owned()).collect::<String>()
    };
    let (_, out, err) = run(dir.path(), &["extract", "--batch", "list", "--dedupe"], "");
    assert!(ids(&out) == "12" && err.contains("1 page dropped"), "{out}{err}");
    let (_, out, _) = run(dir.path(), &["extract", "--batch", "list", "--language", "fr"], "");
    assert_eq!(out, "");
    let (code, _, err) = run(dir.path(), &["extract", "--batch", "list", "--dedupe", "--out", "pages"], "");
    let mut files: Vec<_> =
        std::fs::read_dir(dir.path().join("pages")).unwrap().map(|file| file.unwrap().file_name()).collect();
    files.sort();
    assert_eq!((code, files), (0, vec!["1.txt".into(), "2.txt".into(), "index.jsonl".into()]), "{err}");
    assert_eq!(run(dir.path(), &["extract", "--batch", "list", "--out", "all.csv"], "").0, 0);
    let csv = std::fs::read_to_string(dir.path().join("all.csv")).unwrap();
    assert!(csv.starts_with("id,url,site,title,") && csv.contains("\r\n1,,,\"A, \"\"b\"\"\","), "{csv}");
    let (code, _, err) = run(dir.path(), &["extract", "list", "--dedupe"], "");
    assert!(code == 2 && err.contains("--batch"), "{err}");
    let (code, _, err) = run(dir.path(), &["extract", "--batch", "list", "--language", "german"], "");
    assert!(code == 2 && err.contains("such as de"), "{err}");
}

#[test]
fn a_listing_prints_its_addresses() {
    let site = Site::serve(|path| {
        let text = match path {
            "/sitemap.xml" => {
                "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://a.example/1</loc></url><url><loc>http://a.example/2</loc></url></urlset>"
            }
            "/index.xml" => {
                "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap><loc>http://a.example/s.xml</loc></sitemap></sitemapindex>"
            }
            "/feed" => "<rss version='2.0'><channel><item><link>http://a.example/n</link></item></channel></rss>",
            "/page" => "<p>no listing",
            _ => return None,
        };
        Some(text.into())
    });
    let dir = tempfile::tempdir().unwrap();
    for (path, code, expect) in [
        ("/sitemap.xml", 0, "http://a.example/1\nhttp://a.example/2\n"),
        ("/index.xml", 0, "http://a.example/s.xml\n"),
        ("/feed", 0, "http://a.example/n\n"),
        ("/page", 1, ""),
        ("/gone", 1, ""),
    ] {
        let args = ["listing", &site.url(path), "--allow-private-addresses", "--user-agent", "test-crawler (a test)"];
        let (exit, out, err) = run(dir.path(), &args, "");
        assert_eq!((exit, out.as_str()), (code, expect), "{path}: {err}");
    }
}
