//! Teaching a crawled site with one page, as an operator does: from the command line, into the
//! files and through the daemon.
use crate::support::script;
use crate::support::serving;
use crate::support::town;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use script::{Bench, page, say};
use serde_json::Value;
use serving::Serving;
use tsrec_core::template::Template;
use tsrec_crawl::memories::SiteMemories;
use tsrec_crawl::pipeline::outcome::NoPage;
use tsrec_server::http::address;
use tsrec_server::http::teach;
use tsrec_server::http::teach::{FollowingPages, How, Lesson};
use tsrec_store::{Database, Store};

const PAGES: usize = 24;
const HOST: &str = "harbour.example";
const FRONT: &str = "http://harbour.example/";
const HOUR: Duration = Duration::from_secs(60 * 60);

fn tsrec(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    let output = command.args(args).env("TSREC_DATA_DIR", dir).env_remove("TSREC_LOG").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Labels a page as a person would who leaves out readers' letters, or who keeps everything.
fn annotate(file: &Path, keeps_letters: bool) -> PathBuf {
    let labels = file.with_extension(if keeps_letters { "kept" } else { "anno" });
    let (file, out) = (file.to_str().unwrap(), labels.to_str().unwrap());
    let (code, _, errors) = tsrec(Path::new("."), &["annotate", "--no-screen", "--suggest=mss-blocks", file, out]);
    assert_eq!(code, 0, "{errors}");
    let label = |line: &str| match (line.starts_with('['), line.contains(" writes:"), keeps_letters) {
        (true, _, true) => line.replacen(&line[..3], "[p]", 1),
        (true, true, false) => line.replacen(&line[..3], "[o]", 1),
        _ => line.to_owned(),
    };
    let by_hand: String = std::fs::read_to_string(&labels).unwrap().lines().map(|line| label(line) + "\n").collect();
    std::fs::write(&labels, by_hand).unwrap();
    labels
}

/// A site whose older template has readers' letters in one cell with the story.
struct Crawled {
    bench: Bench,
    stories: Vec<town::Redesigned>,
    folder: tempfile::TempDir,
}

impl Crawled {
    async fn new() -> Crawled {
        Crawled::keeping(0).await
    }

    /// Crawls the site with this many bytes for raw pages.
    async fn keeping(bodies_bytes: u64) -> Crawled {
        let stories = town::redesigned(PAGES);
        let links: String = stories.iter().map(|story| format!("<li><a href=\"{}\">on</a></li>", story.path)).collect();
        let front = format!("<html><head><title>Front</title></head><body><ul>{links}</ul></body></html>");
        let pages: HashMap<String, String> =
            stories.iter().map(|story| (story.path.clone(), story.old.clone())).collect();
        let mut bench = Bench::new(move |url, _| match url.path() {
            "/" => page(front.clone()),
            path => pages.get(path).map_or_else(|| say(NoPage::Gone), |html| page(html.clone())),
        });
        bench.store_config.bodies_bytes = bodies_bytes;
        bench.run(&[FRONT], None).await;
        Crawled { bench, stories, folder: tempfile::tempdir().unwrap() }
    }

    fn url(&self, at: usize) -> String {
        format!("http://{HOST}{}", self.stories[at].path)
    }

    fn file(&self, at: usize) -> PathBuf {
        let file = self.folder.path().join(format!("{at}.html"));
        std::fs::write(&file, &self.stories[at].old).unwrap();
        file
    }

    /// How many stories have letters in their text.
    fn with_letters(&mut self) -> usize {
        let urls: Vec<String> = (0..PAGES).map(|at| self.url(at)).collect();
        urls.iter().filter(|url| self.bench.record(url).unwrap().text.contains(" writes:")).count()
    }
}

#[tokio::test(start_paused = true)]
async fn one_page_teaches_a_store_and_what_speaks_against_it_is_said() {
    let mut site = Crawled::new().await;
    let before = site.with_letters();
    assert!(before > PAGES / 2, "{before} pages have letters: or there is nothing to teach");
    let dir = site.bench.path();
    site.bench.close();

    let (file, other, url) = (site.file(0), site.file(9), site.url(0));
    let labels = annotate(&file, false);
    let args = ["teach", file.to_str().unwrap(), "--annotation", labels.to_str().unwrap(), "--url", &url];
    let (code, out, errors) = tsrec(&dir, &[&args[..], &["--preview", "--other", other.to_str().unwrap()]].concat());
    assert_eq!(code, 0, "{errors}");
    assert!(out.starts_with(&url) && out.contains(" words, then ") && out.contains(" writes:"), "{out}");
    assert!(out.contains(" would be taught by") && !out.contains(" is taught by"), "{out}");
    assert_eq!(site.with_letters(), before, "a preview enters nothing");
    site.bench.close();
    let (_, list, _) = tsrec(&dir, &["template", "list", "--host", HOST, "--json"]);
    assert!(!list.contains("\"taught\":true"), "{list}");

    // In this process, because the hosts use another clock.
    let annotation = std::fs::read_to_string(&labels).unwrap();
    let lesson = Lesson::of_bytes(Some(url.parse().unwrap()), site.stories[0].old.as_bytes(), None, annotation);
    let (memories, frontier) = (site.bench.memories(), site.bench.frontier());
    let taught = teach::teach(&memories, Some(&frontier), HOST, &lesson, How::default()).unwrap().unwrap();
    assert!(taught.applied && taught.objections.is_empty(), "{taught:?}");
    let FollowingPages { again, due, later, .. } = taught.follows;
    assert_eq!((again + due, later), (PAGES as u64, 0), "{:?}", taught.follows);
    drop((memories, frontier));
    site.bench.run(&[FRONT], Some(HOUR)).await;
    assert_eq!(site.with_letters(), 0, "the whole site follows");
    assert_eq!(site.bench.times(&site.url(20)).len(), 2);
    site.bench.close();

    // Another page contradicts it: the command does not enter that without a message.
    let (file, url) = (site.file(5), site.url(5));
    let labels = annotate(&file, true);
    let args = ["teach", file.to_str().unwrap(), "--annotation", labels.to_str().unwrap(), "--url", &url];
    let (code, out, errors) = tsrec(&dir, &args);
    assert_eq!(code, 1);
    assert!(errors.contains("says the opposite") && errors.contains("--force"), "{errors}");
    assert!(!out.contains("taught by"), "{out}");
    // Labels of another page do not fit this one.
    let wrong = ["teach", other.to_str().unwrap(), "--annotation", labels.to_str().unwrap(), "--url", &url];
    let (code, _, errors) = tsrec(&dir, &wrong);
    assert!(code == 1 && errors.contains("annotation cannot be used"), "{errors}");

    let (_, list, _) = tsrec(&dir, &["template", "list", "--host", HOST, "--json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    let taught = list["templates"].as_array().unwrap().iter().find(|template| template["taught"] == true).unwrap();
    let number = u32::try_from(taught["number"].as_u64().unwrap()).unwrap();
    let (memories, frontier) = (site.bench.memories(), site.bench.frontier());
    assert!(teach::take_back(&memories, Some(&frontier), HOST, number).unwrap().is_some());
    assert!(teach::take_back(&memories, Some(&frontier), HOST, number).unwrap().is_none(), "nothing is left of it");
    assert!(teach::take_back(&memories, Some(&frontier), HOST, 99).unwrap().is_none());
    drop((memories, frontier));
    site.bench.run(&[FRONT], Some(2 * HOUR)).await;
    assert_eq!(site.with_letters(), before);
}

/// Only the bytes of the first pages wait for extraction. Raw pages in the store show the rest.
#[tokio::test(start_paused = true)]
async fn a_lesson_is_tried_on_pages_that_are_kept_as_they_were_fetched() {
    let mut site = Crawled::keeping(4 << 20).await;
    let url: url::Url = site.url(0).parse().unwrap();
    let labels = std::fs::read_to_string(annotate(&site.file(0), false)).unwrap();
    let memories = site.bench.memories();
    let store = memories.store();
    let parked: Vec<String> =
        store.list_parked(Some(HOST), None, 100).unwrap().into_iter().map(|(url, _)| url).collect();
    parked.iter().for_each(|url| assert!(store.unpark(url).unwrap()));
    // The store also provides the page's own bytes.
    let lesson = Lesson {
        url: Some(url.clone()),
        page: None,
        charset: None,
        annotation: Some(labels),
        marks: Vec::new(),
        sha256: None,
    };
    let preview = How { preview: true, ..How::default() };
    let taught = teach::teach(&memories, None, HOST, &lesson, preview.clone()).unwrap().unwrap();
    assert_eq!(taught.differences.len(), 10, "{taught:?}");
    let pages: std::collections::BTreeSet<&str> = taught.differences.iter().map(|one| one.page.as_str()).collect();
    assert!(pages.len() == 10 && !pages.contains(url.as_str()), "{pages:?}");
    let loses_letters = |one: &&tsrec_core::taught::Difference| one.gone.iter().any(|line| line.contains(" writes:"));
    assert!(taught.differences.iter().filter(loses_letters).count() > 5, "{taught:?}");
    let refused = teach::teach(&memories, None, "other.example", &lesson, preview.clone()).unwrap().unwrap_err();
    assert!(refused.contains("the page is one of harbour.example, and the lesson was for other.example"), "{refused}");
    let elsewhere = Lesson { url: Some("http://other.example/".parse().unwrap()), ..lesson };
    let refused = teach::teach(&memories, None, "other.example", &elsewhere, preview).unwrap().unwrap_err();
    assert!(refused.contains("no bytes of http://other.example/ are kept"), "{refused}");
    drop(memories);
    site.bench.close();
}

/// Only the first pages wait for extraction. If the store keeps raw pages, all pages follow,
/// without a request to any host.
#[tokio::test(start_paused = true)]
async fn stored_pages_follow_a_lesson_from_bytes_that_are_kept() {
    let mut site = Crawled::keeping(4 << 20).await;
    let before = site.with_letters();
    assert!(before > PAGES / 2, "{before} pages have letters: or there is nothing to teach");
    let url: url::Url = site.url(0).parse().unwrap();
    let annotation = std::fs::read_to_string(annotate(&site.file(0), false)).unwrap();
    let lesson = Lesson::of_bytes(Some(url), site.stories[0].old.as_bytes(), None, annotation);
    let (memories, frontier) = (site.bench.memories(), site.bench.frontier());
    let store = memories.store();
    let parked: Vec<String> =
        store.list_parked(Some(HOST), None, 100).unwrap().into_iter().map(|(url, _)| url).collect();
    parked.iter().for_each(|url| assert!(store.unpark(url).unwrap()));
    let asked = site.bench.asked().len();
    let taught = teach::teach(&memories, Some(&frontier), HOST, &lesson, How::default()).unwrap().unwrap();
    let FollowingPages { again, due, later, .. } = taught.follows;
    assert_eq!((again, due, later), (PAGES as u64, 0, 0));
    assert_eq!(site.with_letters(), before, "no page was touched by the request itself");
    drop((memories, frontier));
    site.bench.close();

    // No crawl was running. The next crawl extracts the pages again and does not end before that.
    site.bench.run(&[FRONT], None).await;
    assert_eq!(site.with_letters(), 0, "the whole site follows");
    assert_eq!(site.bench.asked().len(), asked, "nothing was asked for");

    let number = site.bench.record(&site.url(3)).unwrap().template.unwrap().number;
    let (memories, frontier) = (site.bench.memories(), site.bench.frontier());
    let follows = teach::take_back(&memories, Some(&frontier), HOST, number).unwrap().unwrap();
    assert_eq!((follows.again, follows.due), (PAGES as u64, 0));
    drop((memories, frontier));
    site.bench.run(&[FRONT], None).await;
    assert_eq!(site.with_letters(), before, "and back");
    assert_eq!(site.bench.asked().len(), asked);
}

#[tokio::test(start_paused = true)]
async fn the_daemon_is_asked_while_it_runs() {
    let mut site = Crawled::new().await;
    let dir = site.bench.path();
    let (file, url) = (site.file(0), site.url(0));
    let labels = annotate(&file, false);
    site.bench.close();
    let memory = site.folder.path().join("harbour.memory");
    let memory = memory.to_str().unwrap();
    let check = move || {
        let database = Database::open(&dir, &Default::default()).unwrap();
        let store = Store::new(&database);
        let (memories, daemon) = served(&store);
        let _published = address::publish(&dir, daemon.address, None).unwrap();
        let run = |args: &[&str]| tsrec(&dir, args);

        assert_eq!(run(&["template", "list"]).1, format!("{HOST}\n"));
        let (_, list, _) = run(&["template", "list", "--host", HOST]);
        assert!(list.lines().count() >= 3 && list.contains("too few pages yet"), "{list}");
        let stories = memories.site(HOST).unwrap().templates().iter().find(|one| one.serves()).map(|one| one.number);
        let stories = stories.unwrap().to_string();
        assert!(run(&["template", "show", &stories, "--host", HOST]).1.starts_with("place "));

        let teach = ["teach", file.to_str().unwrap(), "--annotation", labels.to_str().unwrap(), "--url", &url];
        let (code, out, errors) = run(&teach);
        assert_eq!(code, 0, "{errors}");
        assert!(out.starts_with(&url) && out.contains(&format!("\ntemplate {stories} is taught by")), "{out}");
        let (code, _, errors) = run(&[&teach[..], &["--host", "other.example"]].concat());
        assert!(code == 2 && errors.contains("one of harbour.example, and --host names other.example"), "{errors}");
        let body = serde_json::json!({ "url": url, "marks": [{ "element": 2, "content": false }] }).to_string();
        let json = "Content-Type: application/json\r\n";
        let (status, said) = sent(&daemon, "/v1/hosts/other.example/teach?preview=true", json, &body);
        assert!(status == 400 && said.contains("the lesson was for other.example"), "{said}");
        assert!(memories.site(HOST).unwrap().templates().iter().any(|template| template.memory.is_taught()));

        let (code, _, errors) = run(&["template", "export", memory, "--host", HOST]);
        assert_eq!(code, 0, "{errors}");
        let (code, text, errors) = run(&["extract", file.to_str().unwrap(), "--memory", memory]);
        assert!(code == 0 && errors.contains("by memory") && !text.contains(" writes:"), "{errors}");
        let (code, _, errors) = run(&["template", "import", memory, "--host", HOST]);
        assert!(code == 1 && errors.contains("remembered already"), "{errors}");
        assert_eq!(run(&["template", "import", memory, "--host", HOST, "--replace"]).0, 0);
        assert_eq!(run(&["template", "import", memory, "--host", "other.example"]).0, 0);
        assert_eq!(run(&["template", "list"]).1, format!("{HOST}\nother.example\n"));
        let (code, _, errors) = run(&["template", "import", file.to_str().unwrap(), "--host", HOST, "--replace"]);
        assert!(code == 1 && errors.contains("not a tsrec memory"), "{errors}");

        let serves = || memories.site(HOST).unwrap().templates().iter().any(Template::serves);
        assert!(serves());
        let taught = memories.site(HOST).unwrap();
        let taught = taught.templates().iter().find(|one| one.memory.is_taught()).unwrap().number.to_string();
        let undone = run(&["teach", "--undo", &taught, "--host", HOST]);
        assert_eq!((undone.0, undone.1), (0, format!("template {taught} of {HOST} is no longer taught\n")));
        let (code, _, errors) = run(&["teach", "--undo", &taught, "--host", HOST]);
        let says =
            format!("{HOST} has no template {taught} that was taught anything: tsrec template list --host {HOST}");
        assert!(code == 1 && errors.contains(&says), "{errors}");
        assert_eq!(run(&["template", "drop", &taught, "--host", HOST]).0, 0);
        assert!(!serves());
        let (code, _, errors) = run(&["template", "drop", &taught, "--host", HOST]);
        let says = format!("{HOST} has no template {taught}: tsrec template list --host {HOST}");
        assert!(code == 1 && errors.contains(&says), "{errors}");
        for command in [&["template", "list"][..], &["template", "export", memory]] {
            let (code, out, errors) = run(&[command, &["--host", "nohost.example"]].concat());
            let says = "nothing is remembered of nohost.example: tsrec template list shows";
            assert!(code == 1 && out.is_empty() && errors.contains(says), "{errors}");
        }
        let (code, _, errors) = run(&["template", "list", "--host", "127.0.0.1:8765"]);
        assert!(code == 2 && errors.contains("a host is named without its port: 127.0.0.1\n"), "{errors}");
        let (code, _, errors) = run(&["template", "list", "--host", "no host"]);
        assert!(code == 2, "{errors}");
        let (code, _, errors) = run(&["template", "drop", "1"]);
        assert!(code == 2 && errors.contains("--host"), "{errors}");
    };
    std::thread::scope(|threads| threads.spawn(check).join().unwrap());
}

/// A daemon, and what the sites of its store have taught.
fn served(store: &Store) -> (SiteMemories, Serving) {
    let memories = SiteMemories::over(store, Default::default());
    let parts = (None, Default::default());
    let daemon = Serving::within(&memories, parts, Default::default(), None, Default::default());
    (memories, daemon)
}

/// Sends the inspector's form with the fields that a browser adds.
fn sent(daemon: &Serving, target: &str, fields: &str, form: &str) -> (u16, String) {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(daemon.address).unwrap();
    let head =
        format!("POST {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: text/html\r\n{fields}");
    write!(stream, "{head}Content-Length: {}\r\n\r\n{form}", form.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
}

/// As a person does it in the inspector: marks on one page, previewed, then entered, then taken
/// back.
#[tokio::test(start_paused = true)]
async fn a_site_is_taught_by_marks_of_elements() {
    let mut site = Crawled::keeping(4 << 20).await;
    let (url, dir) = (site.url(0), site.bench.path());
    site.bench.close();
    let check = move || {
        let database =
            Database::open(&dir, &tsrec_store::Config { bodies_bytes: 4 << 20, ..Default::default() }).unwrap();
        let store = Store::new(&database);
        let (memories, daemon) = served(&store);
        let page = store.bytes_of(&url).unwrap().expect("its bytes are kept");
        let document = tsrec_core::html::parse(&page.body, None, &Default::default());
        let read = tsrec_core::extract::Page::new(&document);
        let elements = read.sequence().elements().iter().zip(1..);
        let letters =
            elements.filter(|(element, _)| read.sequence().texts(element).any(|(text, _)| text.contains(" writes:")));
        let marks: String = letters.map(|(_, number)| format!("&m{number}=other")).collect();
        assert!(!marks.is_empty());
        let digest = tsrec_core::learn::model::hex(&<sha2::Sha256 as sha2::Digest>::digest(&page.body));
        let form = format!("url={url}&sha256={digest}&m1={marks}");
        let ours = "Sec-Fetch-Site: same-origin\r\n";

        // Refused: a request from another site, or from a program that does not send its origin.
        for fields in ["", "Sec-Fetch-Site: cross-site\r\n", "Origin: http://evil.example\r\n", "Origin: null\r\n"] {
            let (status, said) = sent(&daemon, "/teach", fields, &format!("{form}&do=force"));
            assert!(status == 403 && said.contains("own pages only"), "{fields} {said}");
        }
        // A page that was fetched again, a form without marks, a missing element.
        for (form, says) in [
            (format!("url={url}&sha256=00{marks}&do=enter"), "not those that were marked"),
            (format!("url={url}&sha256={digest}&m1=&do=enter"), "no element is marked"),
            (format!("url={url}&sha256={digest}&m9999=other&do=enter"), "none of the number 9999"),
            (format!("{form}&do=twice"), "it must be preview, enter or force"),
            (format!("sha256={digest}&do=enter"), "no field url"),
        ] {
            let (status, said) = sent(&daemon, "/teach", ours, &form);
            assert!(status == 400 && said.contains(says), "{said}");
        }
        let is_taught =
            || memories.site(HOST).unwrap().templates().iter().find(|one| one.memory.is_taught()).map(|one| one.number);
        assert_eq!(is_taught(), None, "nothing of that was entered");

        let (status, said) = sent(&daemon, "/teach", "Origin: http://localhost\r\n", &format!("{form}&do=preview"));
        assert_eq!(status, 200, "{said}");
        assert!(said.contains("On other pages") && said.contains("goes: <del>") && said.contains(" words, then "));
        assert!(said.contains("value=enter>Teach the site<") && !said.contains("What speaks against it"), "{said}");
        // Mark elements in turns as content and as not content.
        let by_turns = (1..=read.sequence().elements().len())
            .map(|number| format!("&m{number}={}", if number % 2 == 0 { "content" } else { "other" }));
        let form = format!("url={url}&sha256={digest}{}&do=preview", by_turns.collect::<String>());
        let (_, undecided) = sent(&daemon, "/teach", ours, &form);
        assert!(undecided.contains(" stand at places that the lesson calls now content, now not"), "{undecided}");
        assert_eq!(is_taught(), None, "a preview enters nothing");

        let (status, said) = sent(&daemon, "/teach", ours, &format!("{form}&do=enter"));
        assert!(status == 200 && said.contains("The site is taught"), "{said}");
        let number = is_taught().expect("it was entered");

        // The server refuses the opposite with the reason, unless it is forced.
        let opposite = format!("{form}&do=enter").replace("=other", "=content");
        let (status, said) = sent(&daemon, "/teach", ours, &opposite);
        assert!(status == 409 && said.contains("says the opposite") && said.contains("value=force"), "{said}");

        let (status, said) = sent(&daemon, "/teach/undo", ours, &format!("host={HOST}&number={number}"));
        assert!(status == 200 && is_taught().is_none(), "{said}");
        assert_eq!(sent(&daemon, "/teach/undo", ours, &format!("host={HOST}&number=99")).0, 404);
        assert_eq!(sent(&daemon, "/teach/undo", "", &format!("host={HOST}&number={number}")).0, 403);
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

/// As a program does it.
#[tokio::test(start_paused = true)]
async fn a_lesson_of_marks_is_one_of_the_api() {
    let mut site = Crawled::keeping(4 << 20).await;
    let url: url::Url = site.url(0).parse().unwrap();
    let memories = site.bench.memories();
    let lesson = |rest: Value| {
        let mut lesson = serde_json::json!({ "url": url });
        lesson.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        let lesson: Lesson = serde_json::from_value(lesson).unwrap();
        teach::teach(&memories, None, HOST, &lesson, How { preview: true, ..How::default() }).unwrap()
    };
    let marked = lesson(serde_json::json!({ "marks": [{ "element": 2, "content": false }] })).unwrap();
    assert_eq!((marked.own.page.as_str(), marked.undecided_words), (url.as_str(), 0));
    for (rest, says) in [
        (serde_json::json!({}), "give an annotation of the page, or marks"),
        (serde_json::json!({ "annotation": "", "marks": [{ "element": 2, "content": false }] }), "one or the other"),
    ] {
        let refused = lesson(rest).unwrap_err();
        assert!(refused.contains(says), "{refused}");
    }
    drop(memories);
    site.bench.close();
}
