//! `tsrec diff --format report`: one HTML file of two pages.
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use tsrec_core::extract::{Extract, Page};
use tsrec_core::html::{Document, parse};
use tsrec_server::inspector::report;

const NEWS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/demo/news/2026/");

fn diff(args: &[&str]) -> std::process::Output {
    let pages = ["04/school-roof-will-collect-rain.html", "02/lifeboat-crew-finds-drifting-sauna.html"];
    let pages = pages.map(|page| format!("{NEWS}{page}"));
    Command::new(env!("CARGO_BIN_EXE_tsrec")).arg("diff").args(pages).args(args).output().unwrap()
}

#[test]
fn a_report_shows_both_pages_and_what_was_kept() {
    let output = diff(&["--format", "report"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.starts_with("<!doctype html>") && report.ends_with("</html>\n"));
    for part in
        ["School roof will collect rain", "sauna", "class=\"content", "class=\"common", "What was kept", "href=\"#s"]
    {
        assert!(report.contains(part), "{part}");
    }
    // One file: it loads nothing from elsewhere.
    for elsewhere in ["<script", "src=", "http://", "https://", "@import", "url("] {
        assert!(!report.contains(elsewhere), "{elsewhere}");
    }
}

#[test]
fn what_goes_with_other_formats_is_refused() {
    for (args, says) in [
        (["--format", "report", "--explain"].as_slice(), "cannot be used with"),
        (&["--format", "report", "--with", "title"], "--with is for --format text"),
        (&["--format", "report", "--links", "off"], "--links and --images are for"),
        (&["--format", "reprot"], "report"),
    ] {
        let output = diff(args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(says), "{said}");
    }
}

fn site(story: &str, more: &str) -> Document {
    let prose = format!(
        "<p>{story} sailed at nine with the band on board, and a cat in the wheelhouse kept watch all the way.</p>"
    )
    .repeat(4);
    let page = format!(
        "<title>{story}</title><ul><li><a href=/>Home</a><li><a href=/news>News</a></ul><div><h1>{story}</h1>{prose}{more}</div>\
         <p>All rights reserved by the owners of this paper.</p>"
    );
    parse(page.as_bytes(), None, &Default::default())
}

/// The report of one document against the other.
fn reported(document: &Document, other: &Document) -> String {
    let against = |name, page, other| Extract::new(page).name(name).sibling("b", other).explaining().run().unwrap();
    report(&against("a.html", document, other), &against("b.html", other, document))
}

/// The elements of a document with this name.
fn elements(document: &Document, name: &str) -> Vec<tsrec_core::html::NodeId> {
    document.descendants(document.root()).filter(|&node| document.is_element(node, name)).collect()
}

#[test]
fn every_element_has_its_label_its_evidence_and_its_partner() {
    let (page, other) = (site("The ferry", ""), site("A lifeboat", ""));
    let text = reported(&page, &other);
    let report = parse(text.as_bytes(), None, &Default::default());
    let rows = elements(&report, "details");
    let sequences = Page::new(&page).sequence().elements().len() + Page::new(&other).sequence().elements().len();
    assert_eq!(rows.len(), sequences);
    for label in ["content", "common"] {
        assert!(rows.iter().any(|&row| report.attribute(row, "class").unwrap().starts_with(label)), "{label}");
    }
    assert!(text.contains("against") && text.contains("<th>evidence<th>value<th>moves"));
    // Links lead to elements that exist.
    let links: Vec<&str> =
        elements(&report, "a").into_iter().filter_map(|link| report.attribute(link, "href")).collect();
    assert!(links.iter().any(|link| link.starts_with("#s")) && links.iter().any(|link| link.starts_with("#p")));
    let ids: Vec<&str> = rows.iter().filter_map(|&row| report.attribute(row, "id")).collect();
    assert!(links.iter().all(|link| ids.contains(&link.trim_start_matches('#'))), "{links:?}");
}

/// Elements and attributes that a report may have. None of them loads or runs anything.
#[test]
fn nothing_of_the_pages_can_run() {
    let hostile = "<script>alert(1)</script><img src=x onerror=alert(2)><a href='javascript:alert(3)'>the ferry's other page, which is long enough to stay</a>\
        <style>@import '//evil.example/a.css'; p { background: url(//evil.example/b) }</style><svg onload=alert(4)><p>svg text</p></svg>\
        <p style='background:\\75rl(//evil.example/c)'>The captain, who had never met a seal before, wrote all of it down for the harbour master.</p>\
        <iframe srcdoc='<script>alert(5)</script>'></iframe><p>&lt;script&gt;alert(6)&lt;/script&gt; is what the ferry's new screen showed to its passengers.</p>\
        <form action=//evil.example><input name=a></form><base href=//evil.example/><meta http-equiv=refresh content='0;//evil.example'>\
        <p>\u{1b}[31m Red, said the screen, and it was \"right\" to say so, for the 'captain' & the seal.</p>";
    let (page, other) = (site("</style><script>alert(0)</script>", hostile), site("A lifeboat", hostile));
    let text = reported(&page, &other);
    let report = parse(text.as_bytes(), None, &Default::default());
    assert!(text.contains("&lt;script&gt;alert(6)") && !text.contains('\u{1b}'));
    let known = "html head meta title style body header h1 h2 p dl div dt dd fieldset legend label input b main section article details summary code \
                 span u meter table thead tbody tr th td a ul li br";
    let known: Vec<&str> = known.split_whitespace().collect();
    let harmless = [
        "id",
        "class",
        "charset",
        "name",
        "content",
        "http-equiv",
        "lang",
        "dir",
        "type",
        "checked",
        "min",
        "max",
        "value",
        "href",
        "scope",
        "aria-labelledby",
    ];
    for node in report.descendants(report.root()) {
        let Some(name) = report.name(node) else { continue };
        assert!(known.contains(&name), "{name}");
        for attribute in report.attributes(node).iter() {
            assert!(harmless.contains(&attribute.name), "{name} {}", attribute.name);
            assert!(attribute.name != "href" || attribute.value.starts_with('#'), "{}", attribute.value);
        }
    }
    assert_eq!(elements(&report, "style").len(), 1);
    let policy = elements(&report, "meta")
        .into_iter()
        .find_map(|meta| report.attribute(meta, "content").filter(|it| it.contains("default-src")));
    let style = elements(&report, "style")[0];
    let style: String = report.descendants(style).filter_map(|node| report.text(node)).collect();
    let digest = STANDARD.encode(Sha256::digest(style));
    assert!(policy.unwrap().contains(&format!("default-src 'none'; style-src 'sha256-{digest}'")));
}

/// An empty page has a report too.
#[test]
fn an_empty_page_has_a_report() {
    let empty = parse(b"", None, &Default::default());
    assert!(reported(&empty, &empty).contains("<p>Nothing."));
}
