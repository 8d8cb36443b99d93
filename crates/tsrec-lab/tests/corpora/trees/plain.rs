//! Compares every page with the tree that plain html5ever makes of it, without our code.

use std::path::PathBuf;

use html5ever::driver::{ParseOpts, parse_document};
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use tsrec_core::html::{Cut, Limits, encoding, standard_tree};

use super::{Outline, folder};
use tsrec_terminal::input::whole_page;

/// Minimum number of pages compared, so that the test cannot pass on an empty folder.
const LEAST_SAME: usize = 3_000;

/// How our tree may differ from the plain one, because of something on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Allowed {
    /// It has a declarative shadow root. For us, as for a browser, that is part of the page. For
    /// plain html5ever it is a template.
    ShadowRoot,
    /// It never closes an `iframe` in a `noscript`. For us, as for a browser, the `iframe` ends
    /// with the `noscript`.
    UnclosedInNoscript,
    /// It never closes its title. For us what follows is the page, for a browser it is the title.
    UnclosedTitle,
}

impl Allowed {
    /// The difference that this page may show, if any.
    fn by(text: &str) -> Option<Allowed> {
        if has_shadow_root(text) {
            Some(Allowed::ShadowRoot)
        } else if is_unclosed_in_noscript(text) {
            Some(Allowed::UnclosedInNoscript)
        } else if !titles_end(text) {
            Some(Allowed::UnclosedTitle)
        } else {
            None
        }
    }
}

/// Every difference has a reason on its page. The test does not count them, so it holds when pages
/// are added.
#[test]
fn trees_are_those_of_a_plain_html5ever() {
    let (mut same, mut allowed, mut wrong) = (0, Vec::new(), Vec::new());
    for path in pages() {
        let bytes = whole_page(&path).unwrap();
        let document = standard_tree(&bytes, None, &Limits::default());
        // Skip pages that we cut for reasons documented elsewhere. Cut attributes change no text.
        if document.cuts().iter().any(|made| *made != Cut::Attributes) {
            continue;
        }
        let (text, _) = encoding::decode(&bytes, None);
        let (ours, plain) = (Outline::of(&document), plain(&text));
        match (ours.is_that_of(&plain), Allowed::by(&text)) {
            (true, _) => same += 1,
            (false, Some(kind)) => allowed.push(format!("{}: {kind:?}", path.display())),
            (false, None) => wrong.push(format!("{}: {}", path.display(), ours.difference(&plain))),
        }
    }
    println!("html5ever: {same} trees the same; allowed to differ:\n{}", allowed.join("\n"));
    assert!(
        wrong.is_empty(),
        "{} trees differ, and nothing on the page explains it:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(same > LEAST_SAME, "{same} trees are the same");
}

/// A page without any of these features may not differ.
#[test]
fn a_difference_is_allowed_only_where_the_page_shows_why() {
    let end = "<title>a</title><p>b";
    assert_eq!(Allowed::by(end), None);
    assert_eq!(Allowed::by(&format!("{end}<noscript><iframe src=x></noscript>")), Some(Allowed::UnclosedInNoscript));
    assert_eq!(Allowed::by(&format!("{end}<noscript><iframe src=x></iframe></noscript>")), None);
    assert_eq!(Allowed::by("<title>a<p>b"), Some(Allowed::UnclosedTitle));
    let in_root = |attribute: &str| format!("{end}<div><template {attribute}><p>c</template></div>");
    assert_eq!(Allowed::by(&in_root("shadowrootmode=open")), Some(Allowed::ShadowRoot));
    assert_eq!(Allowed::by(&in_root("id=shadow")), None);
}

fn has_shadow_root(text: &str) -> bool {
    text.split("<template").skip(1).any(|rest| rest.split('>').next().is_some_and(|tag| tag.contains("shadowrootmode")))
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
