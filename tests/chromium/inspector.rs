//! The inspector and the annotator in a real browser. The tests use the keyboard, read the pages as
//! a screen reader does, and try to run scripts. They fail if Chromium is missing.
use crate::devtools;
use crate::serving;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use devtools::{Devtools, Told};
use serving::{Serving, open, page};
use tsrec_store::Parked;

/// `tsrec demo`, killed when dropped.
struct Demo {
    child: Child,
    /// Its address, with a slash at the end.
    at: String,
}

impl Demo {
    fn start() -> Demo {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
        let mut child = command.arg("demo").stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let at = lines.find_map(|line| {
            line.split_once("in a browser: ").map(|(_, rest)| rest.split(';').next().unwrap_or_default().to_owned())
        });
        // Read the rest of the output too.
        std::thread::spawn(move || lines.for_each(drop));
        Demo { child, at: at.expect("the demo says where it is") }
    }
}

/// Starts `tsrec annotate`. Returns the process and the page's address.
fn annotate(folder: &Path, page: &str) -> (Child, String) {
    std::fs::write(folder.join("a.html"), page).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsrec"));
    command.args(["annotate", "a.html", "a.anno"]).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.split_once("in a browser: ").and_then(|(_, rest)| rest.split_once(';'));
    (child, address.expect("it says where it is").0.to_owned())
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn has(told: &[Told], role: &str, name: &str) -> bool {
    told.iter().any(|node| node.role == role && node.name.contains(name))
}

/// Every focusable element has a role and a name.
fn assert_named(told: &[Told]) {
    let unnamed: Vec<&Told> = told
        .iter()
        .filter(|node| node.focusable && node.name.trim().is_empty())
        .filter(|node| !["RootWebArea", "generic", "scrollable"].contains(&node.role.as_str()))
        .collect();
    assert!(unnamed.is_empty(), "{unnamed:?}");
}

#[test]
fn a_site_is_searched_looked_at_and_taught_by_keyboard() {
    let demo = Demo::start();
    let mut browser = Devtools::launch();
    browser.open(&demo.at);
    let told = browser.told();
    for (role, name) in [
        ("heading", "tsrec"),
        ("searchbox", "URL or title"),
        ("textbox", "Host"),
        ("button", "Search"),
        ("image", "pages visited in the last"),
        ("heading", "Confidence"),
        ("columnheader", "confidence"),
    ] {
        assert!(has(&told, role, name), "{role} {name}: {told:?}");
    }
    assert_named(&told);

    browser.tab_to("it.name == 'q'");
    browser.write("SCHOOL rain");
    browser.press("Enter");
    browser.wait_for("location.search.includes('q=SCHOOL')");
    assert!(has(&browser.told(), "heading", "1 page found"));
    browser.tab_to("it.textContent == 'School roof will collect rain'");
    browser.press("Enter");
    browser.wait_for("location.pathname == '/page'");

    let told = browser.told();
    assert_named(&told);
    for (role, name) in [("heading", "The page's elements"), ("radio", "a sibling"), ("navigation", "Path")] {
        assert!(has(&told, role, name), "{role} {name}");
    }
    assert!(told.iter().any(|node| node.role == "DisclosureTriangle" && node.name.contains("content")));

    // Enter opens an element, and an arrow key marks it.
    browser.tab_to("it.matches('summary') && it.textContent.includes('By Ines Calder')");
    browser.press("Enter");
    assert_eq!(browser.value("document.activeElement.parentElement.open"), true);
    // Only now the browser requests the evidence, and only for this element.
    browser.wait_for("document.activeElement.parentElement.querySelector('table') != null");
    assert_eq!(browser.value("document.querySelectorAll('details table').length"), 1);
    let told = browser.told();
    assert!(has(&told, "columnheader", "evidence"));
    assert!(has(&told, "group", "Teach the site: this element is") && has(&told, "radio", "not content"));
    browser.tab_to("it.type == 'radio'");
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    assert_eq!(browser.value("document.activeElement.value"), "other");
    browser.press("Enter");
    browser.wait_for("location.pathname == '/teach'");
    let told = browser.told();
    assert!(has(&told, "heading", "What the marks would change") && has(&told, "heading", "On other pages"));
    assert!(has(&told, "StaticText", "By Ines Calder"), "the byline goes: {told:?}");
    assert_named(&told);
    browser.tab_to("it.textContent == 'Teach the site'");
    browser.press("Enter");
    browser.wait_for("document.title == 'The site is taught'");
    assert!(browser.told().iter().any(|node| node.role == "status"));

    browser.tab_to("it.textContent == 'the template'");
    browser.press("Enter");
    browser.wait_for("location.pathname == '/template'");
    let told = browser.told();
    assert!(has(&told, "columnheader", "a person said") && has(&told, "cell", "not content"), "{told:?}");
    assert_named(&told);
    browser.tab_to("it.textContent == 'Take back what it was taught'");
    browser.press("Enter");
    browser.wait_for("document.title.includes('taught nothing')");
}

/// The partner of an element links to that element on the sibling, which is then shown.
#[test]
fn the_sibling_lies_beside_the_page() {
    let demo = Demo::start();
    let mut browser = Devtools::launch();
    browser.open(&format!("{}?q=school+roof", demo.at));
    browser.tab_to("it.textContent == 'School roof will collect rain'");
    browser.press("Enter");
    browser.wait_for("location.pathname == '/page'");
    let is_shown = "document.querySelector('.tab.sibling').checkVisibility()";
    assert_eq!(browser.value(is_shown), false);
    browser.tab_to("it.matches('details.common > summary')");
    browser.press("Enter");
    browser.tab_to("it.matches('a') && it.textContent.includes('of the sibling')");
    browser.press("Enter");
    browser.wait_for("location.hash.startsWith('#s')");
    assert_eq!(browser.value(is_shown), true);
    assert_eq!(browser.value("document.querySelector(':target').matches('.tab.sibling details')"), true);
}

/// Scripts are on, and the page tries every way to run one.
#[test]
fn nothing_of_a_kept_page_runs() {
    let mark = "parent.document.documentElement.setAttribute('ran','')";
    let prose = "<p>The ferry sailed at nine with the band on board, and a cat in the wheelhouse kept watch.".repeat(4);
    let body = format!(
        "<title>The ferry</title><script>{mark}</script><h1 onclick=\"{mark}\">The ferry</h1><img src=x onerror=\"{mark}\"><svg onload=\"{mark}\"></svg>\
         <a href=\"javascript:{mark}\">The ferry's other page</a><p style='background:\\75rl(javascript:{mark})'>x</p>\
         <iframe srcdoc=\"<script>{mark}</script>\"></iframe></style></title></textarea></select></form><script>{mark}</script>{prose}"
    );
    let dir = tempfile::tempdir().unwrap();
    let (database, store) = open(dir.path());
    for number in 0..5 {
        let url = format!("http://a.example/{number}");
        let mut record = page(&url, &format!("<script>{mark}</script>"));
        record.metadata.title = Some(format!("</title><script>{mark}</script>"));
        store.put(&record).unwrap();
        let parked = Parked {
            body: body.clone().into_bytes(),
            status: 200,
            charset: None,
            fetched_at: record.fetched_at,
            truncated: false,
        };
        store.park(&url, &parked).unwrap();
    }
    database.durable().unwrap();
    let serving = Serving::start(&store, Default::default());
    let mut browser = Devtools::launch();
    for target in ["", "?q=script", "page?url=http://a.example/1", "page?url=http://a.example/1#beside-itself"] {
        browser.open(&format!("http://{}/{target}", serving.address));
        std::thread::sleep(std::time::Duration::from_millis(200));
        assert_eq!(browser.value("document.documentElement.hasAttribute('ran')"), false, "{target}");
        // A page's view has one script, which requests evidence.
        assert_eq!(browser.value("document.scripts.length"), usize::from(target.starts_with("page")), "{target}");
    }
    // The server refuses a form from another site, and the page says so.
    browser.open("about:blank");
    let form = format!(
        "document.body.innerHTML = '<form method=post action=\"http://{}/teach\"><input name=url value=\"http://a.example/1\"></form>'; document.forms[0].submit()",
        serving.address
    );
    browser.value(&form);
    browser.wait_for("document.body.innerText.includes('own pages only')");
}

#[test]
fn a_file_is_labelled_by_keyboard() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, at) = annotate(
        folder.path(),
        "<ul><li>Home<li>News</ul><h1>Ferry</h1><p>See <a>us</a> for more.<script>document.title = 'ran'</script>",
    );
    let mut browser = Devtools::launch();
    browser.open(&at);
    let told = browser.told();
    assert_named(&told);
    for (role, name) in [("heading", "Label a.html"), ("combobox", "Ferry"), ("button", "Save and end")] {
        assert!(has(&told, role, name), "{role} {name}: {told:?}");
    }
    assert_eq!(browser.value("document.title"), "Label a.html");
    // An arrow key marks an element, and its blocks follow.
    browser.tab_to("it.matches('summary') && it.textContent.includes('ul')");
    browser.press("Enter");
    browser.tab_to("it.type == 'radio'");
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    browser.press("Enter");
    browser.wait_for("document.body.innerText.includes('2 of 6')");
    // A letter labels a block.
    for (block, letter) in [(3, "h"), (4, "p"), (5, "c"), (6, "c")] {
        browser.tab_to(&format!("it.name == 'b{block}'"));
        browser.press(letter);
        assert_eq!(browser.value("document.activeElement.value"), letter);
    }
    browser.tab_to("it.textContent == 'Save and end'");
    browser.press("Enter");
    browser.wait_for("document.title == 'The labels are saved'");
    assert!(browser.told().iter().any(|node| node.role == "status"));
    assert!(child.wait().unwrap().success());
    let labels = std::fs::read_to_string(folder.path().join("a.anno")).unwrap();
    assert!(labels.ends_with("[o] Home\n[o] News\n[h] Ferry\n[p] See\n[c] us\n[c] for more.\n"), "{labels}");
}
