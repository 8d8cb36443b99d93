//! Every page beside the tree that html5ever makes of it with nothing of ours.

use std::path::PathBuf;

use html5ever::driver::{ParseOpts, parse_document};
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use tsrec_core::html::{Cut, Limits, encoding, parse};

use super::{Outline, folder};
use tsrec_terminal::input::whole_page;

/// Pages whose parts were sent out of order, which we put in their places as a script would.
const STREAMED: usize = 32;

/// Pages in which nothing closes an `iframe` of a `noscript`, which ends with that to us, and to a browser.
const UNCLOSED_IN_NOSCRIPT: usize = 1;

/// Pages of an unclosed title, which ours closes: what follows is the page to us, and to a browser a title.
const UNCLOSED_TITLES: usize = 2;

#[test]
fn trees_are_those_of_a_plain_html5ever() {
    let (mut same, mut unclosed, mut streamed, mut in_noscript, mut cut, mut wrong) = (0, 0, 0, 0, 0, Vec::new());
    for path in pages() {
        let bytes = whole_page(&path).unwrap();
        let document = parse(&bytes, None, &Limits::default());
        // What we cut is cut for good reasons, told elsewhere; attributes alone change no text.
        if document.cuts().iter().any(|made| *made != Cut::Attributes) {
            cut += 1;
            continue;
        }
        let (text, _) = encoding::decode(&bytes, None);
        let plain = plain(&text);
        let ours = Outline::of(&document);
        match ours.is_that_of(&plain) {
            true => same += 1,
            false if is_streamed(&text) => streamed += 1,
            false if is_unclosed_in_noscript(&text) => in_noscript += 1,
            false if titles_end(&text) => wrong.push(format!("{}: {}", path.display(), ours.difference(&plain))),
            false => unclosed += 1,
        }
    }
    println!(
        "html5ever: {same} trees the same; {unclosed} of pages with a title that is not closed, {streamed} with parts out of order, {in_noscript} of a noscript's, {cut} cut"
    );
    assert!(wrong.is_empty(), "{} trees differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!((unclosed, streamed, in_noscript), (UNCLOSED_TITLES, STREAMED, UNCLOSED_IN_NOSCRIPT));
    assert!(same > 3_000 && cut < 10, "{same} the same, {cut} cut");
}

fn is_streamed(text: &str) -> bool {
    [r#"<div hidden id="S:"#, r#"<div hidden="" id="S:"#].iter().any(|part| text.contains(part))
}

fn titles_end(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["</title>", "</title ", "</title\n"].iter().any(|end| text.contains(end))
}

fn is_unclosed_in_noscript(text: &str) -> bool {
    let ends = text.split("<noscript>").skip(1).filter_map(|rest| rest.split_once("</noscript>"));
    ends.into_iter().any(|(inner, _)| inner.contains("<iframe") && !inner.contains("</iframe"))
}

fn pages() -> Vec<PathBuf> {
    let sets = std::fs::read_dir(folder("TSREC_CORPORA", "../../../shared/data")).unwrap();
    let folders = sets.map(|set| set.unwrap().path().join("html")).filter(|folder| folder.is_dir());
    let mut pages: Vec<PathBuf> =
        folders.flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|page| page.unwrap().path())).collect();
    pages.sort();
    pages
}

fn plain(text: &str) -> Outline {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() },
        ..ParseOpts::default()
    };
    let dom = parse_document(RcDom::default(), options).one(text);
    let mut outline = Outline::default();
    let mut waiting: Vec<(usize, Handle)> = vec![(0, dom.document.clone())];
    while let Some((depth, handle)) = waiting.pop() {
        match &handle.data {
            NodeData::Text { contents } => outline.text(depth - 1, &contents.borrow()),
            NodeData::Element { name, attrs, .. } => {
                let attributes = attrs.borrow();
                let attributes = attributes.iter().map(|a| (&*a.name.local, &*a.value)).collect();
                outline.element(depth - 1, &name.local, attributes);
            }
            _ => {}
        }
        waiting.extend(handle.children.borrow().iter().rev().map(|child| (depth + 1, child.clone())));
    }
    outline
}
