//! Pages whose leaves, blocks and containers can be counted by hand.

use super::*;
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::{parse, visibility};

fn analysis(body: &str) -> (Document, Analysis) {
    let document = parse(format!("<!DOCTYPE html><title>x</title><body>{body}").as_bytes(), None, &Default::default());
    let analysis = Analysis::new(&document);
    (document, analysis)
}

/// The blocks, with links in brackets, and hidden ones in parentheses.
fn blocks(body: &str) -> Vec<String> {
    let (document, analysis) = analysis(body);
    let text = |leaf: &Leaf| {
        let text = document.text(leaf.node).unwrap();
        if leaf.linked { format!("[{text}]") } else { text.to_owned() }
    };
    let whole = |block: &Block| analysis.leaves_of(block).iter().map(text).collect::<String>();
    let shown = |block: &Block| if block.hidden { format!("({})", whole(block)) } else { whole(block) };
    analysis.blocks().iter().map(shown).collect()
}

#[test]
fn blocks_end_where_the_flow_breaks() {
    for (body, expect) in [
        ("", &[][..]),
        ("<p>one <b>two</b> <a>three</a></p>four", &["one two[three]", "four"]),
        ("a<br>b<br><br>c", &["a", "b", "c"]),
        ("<ul><li>a<li> <a>b</a></ul>", &["a", "[b]"]),
        ("a<span hidden>x</span>b", &["a", "(x)", "b"]),
        ("a<div hidden>x<p>y</div>b", &["a", "(x)", "(y)", "b"]),
        ("a<noscript>b <p>c</p></noscript>d", &["a", "(b )", "(c)", "d"]),
        ("a<select><option>x</select>b<script>x</script>c", &["abc"]),
        (
            "<div aria-hidden=true><a>menu</a></div><p aria-hidden=true>a shown sentence <a>x</a></p>",
            &["([menu])", "a shown sentence [x]"],
        ),
        ("<p aria-hidden=true>seen <span aria-hidden=true><a>not</a></span> by all", &["seen ", "([not])", " by all"]),
        // A link around a marked element is not counted as a link inside it.
        ("<a>w0<b aria-hidden=true>w1</b></a>", &["[w0][w1]"]),
        ("<a aria-hidden=true>w0<b>w1</b></a>", &["([w0][w1])"]),
    ] {
        assert_eq!(blocks(body), expect, "{body}");
    }
}

#[test]
fn containers_know_what_stands_in_them() {
    let (document, analysis) =
        analysis("<div id=a><p>one two</p><p>three <a href=x>four five</a></p></div><ul><li>six</ul>");
    let find =
        |name: &str| analysis.containers().iter().find(|container| document.is_element(container.node, name)).unwrap();
    let (div, list, body) = (find("div"), find("ul"), find("body"));
    assert_eq!((div.text.words, div.linked_words, analysis.inside(div).paragraphs), (5, 2, 2));
    assert_eq!((div.blocks.clone(), list.blocks.clone(), body.blocks.clone()), (0..2, 2..3, 0..3));
    assert_eq!((body.text.words, analysis.inside(body).items), (6, 1));
    let last = &analysis.blocks()[2];
    let around: Vec<Tag> = analysis.around(last).map(|(_, container)| container.tag).collect();
    assert_eq!(around, [Tag::Item, Tag::List, Tag::Body, Tag::Html]);
    assert_eq!(analysis.words(last), [text::WordHash::from_word("six").finish()]);
    assert_eq!(analysis.words_before(last), 5);
}

#[test]
fn places_are_the_same_on_pages_of_a_site() {
    let place = |page: &str| {
        let (_, analysis) = analysis(page);
        analysis.blocks()[0].place
    };
    let article =
        |id: u32, class: &str| place(&format!("<div class=main><div id=post-{id}><p class='{class}'>text</div></div>"));
    assert_eq!(article(1, "x"), article(234, "x"));
    assert_ne!(article(1, "x"), article(1, "y"));
}

#[test]
fn equal_texts_have_equal_hashes() {
    let (_, analysis) = analysis("<p>Read more<p>read <b>MORE</b><p>read less");
    let hashes: Vec<u64> = analysis.blocks().iter().map(|block| block.hash).collect();
    assert!(hashes[0] == hashes[1] && hashes[1] != hashes[2]);
}

#[test]
fn visibility_is_that_of_the_elements_own_rules() {
    let (document, analysis) = analysis(
        "<div hidden><p>a<span style='display:none'>b</span></div><ul aria-hidden=true><li><a>c</a></ul><p aria-hidden=true>d d<a>e</a></p>\
         <aside><p>f</aside><select><option>g</select>",
    );
    for id in document.descendants(document.root()).filter(|&id| document.local_name(id).is_some()) {
        let above = document.ancestors(id).any(|above| visibility::is_hidden(&document, above));
        // The walk does not enter elements that are never seen by their name.
        let display = |node| document.local_name(node).map(|name| default_display(name));
        if document
            .ancestors(id)
            .any(|above| matches!(display(above), Some(DefaultDisplay::None | DefaultDisplay::Replaced)))
        {
            continue;
        }
        assert_eq!(
            analysis.is_hidden(id),
            above || visibility::is_hidden(&document, id),
            "{:?}",
            document.local_name(id)
        );
        let side = document.ancestors(id).chain([id]).any(|node| document.is_element(node, "aside"));
        assert_eq!(analysis.is_side_matter(id), side);
    }
}

/// The head of a page describes it, but no reader sees it.
#[test]
fn the_head_is_read_and_is_no_text() {
    let head = "<title>The ferry sails</title><meta property=og:type content=article><meta name=generator content=x>\
                <script type=application/ld+json>{\"@type\": \"NewsArticle\"}</script><style>p {}</style>";
    let document = parse(format!("<head>{head}</head><body><p>The ferry sails.").as_bytes(), None, &Default::default());
    let analysis = Analysis::new(&document);
    let Head { title, og_type, metas, generator, .. } = analysis.head();
    assert_eq!(
        (&title[..], *og_type, *metas, *generator),
        (analysis.all_words(), Some(head::OgType::Article), 2, true)
    );
    assert!(analysis.head().has(head::SchemaType::Article));
    assert_eq!((analysis.blocks().len(), analysis.leaves().len()), (1, 1));
    let title = document.descendants(document.root()).find(|&node| document.is_element(node, "title")).unwrap();
    assert!(analysis.is_hidden(title) && analysis.holds_no_text(title));
}

/// Each element used to search from the top again: 400 of them around a page took 400 times as
/// long.
#[test]
fn hidden_elements_in_each_other_take_no_time() {
    let time = |depth: usize| {
        let text = "<p>said <a>or</a> not</p>".repeat(20_000);
        let page = format!("{}{text}", "<div aria-hidden=true>".repeat(depth));
        let document = crate::html::parse(page.as_bytes(), None, &crate::html::Limits::default());
        let began = std::time::Instant::now();
        assert!(!Analysis::new(&document).leaves().is_empty());
        began.elapsed()
    };
    time(1);
    let (flat, deep) = (time(1), time(400));
    assert!(deep < flat * 20 + std::time::Duration::from_millis(200), "{flat:?} and {deep:?}");
}
