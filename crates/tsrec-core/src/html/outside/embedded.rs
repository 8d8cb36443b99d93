//! Documents within the page: those in `srcdoc` of a frame, and the article in JSON-LD of a page
//! that shows no text.

use std::ops::ControlFlow;

use html5ever::{LocalName, local_name};
use memchr::memmem;

use super::super::arena::{Arena, Kind, Space};
use super::super::document::{Document, Edge, NodeId};
use super::super::visibility::is_no_text;
use super::super::{Limits, SourceText, tree};
use crate::words;

/// The least words of an article in JSON-LD. Judgement: fewer are a summary.
const LEAST_WORDS: usize = 20;
/// An article in JSON-LD counts if the page has fewer words than this share of it. Judgement: a
/// menu and a footer have some words too.
const SHARE: usize = 2;
/// How many words of the article's beginning are searched on the page.
const BEGINNING: usize = 6;
const ARTICLE_BODY: &str = "\"articleBody\"";

/// Puts the document of each frame with a `srcdoc` before the frame. A document in such a document
/// stays closed. Linear in the page.
pub(super) fn open_frames(arena: &mut Arena, frames: &[NodeId], limits: &Limits) {
    for &frame in frames {
        let source = arena.attribute(frame, &LocalName::from("srcdoc")).filter(|source| !source.trim().is_empty());
        let Some(source) = source.map(str::to_owned) else { continue };
        let Some(parent) = arena.node(frame).parent.filter(|_| arena.depth(frame, limits.depth).is_some()) else {
            continue;
        };
        let division = add_element(arena, local_name!("div"), &[]);
        arena.attach(parent, division, Some(frame));
        graft(arena, division, &source, limits);
    }
}

/// Adds the `articleBody` of JSON-LD to a page that has not even half as many words, and not those
/// with which it begins. Linear in the page, if it has one.
pub(super) fn add_article(arena: &mut Arena, statements: &[NodeId], limits: &Limits) {
    let stated = statements.iter().flat_map(|&script| arena.children(script)).filter_map(|text| arena.text(text));
    let Some(article) = stated.filter_map(article_body).next() else { return };
    let least = words::count(&article);
    if least < LEAST_WORDS || shows_text(arena, &article, least / SHARE) {
        return;
    }
    let body = (0..arena.nodes.len()).map(NodeId::new).find(|&node| arena.is_named(node, &local_name!("body")));
    let Some(body) = body else { return };
    let holder = add_element(arena, local_name!("article"), &[("itemprop", "articleBody")]);
    arena.attach(body, holder, None);
    let is_markup = ["<p", "<br", "</"].iter().any(|tag| article.contains(tag));
    if is_markup {
        return graft(arena, holder, &article, limits);
    }
    let mut paragraphs = String::new();
    for line in article.lines().filter(|line| !line.trim().is_empty()) {
        paragraphs.push_str(&format!("<p>{}</p>", line.replace('<', "&lt;")));
    }
    graft(arena, holder, &paragraphs, limits);
}

/// The first `articleBody` in JSON-LD, also if the rest is damaged.
fn article_body(json: &str) -> Option<String> {
    let at = memmem::find(json.as_bytes(), ARTICLE_BODY.as_bytes())? + ARTICLE_BODY.len();
    let value = json[at..].trim_start().strip_prefix(':')?.trim_start();
    let read = |value: &str| serde_json::Deserializer::from_str(value).into_iter::<String>().next()?.ok();
    // Some pages have line ends within the text.
    read(value).or_else(|| read(&value.replace(char::is_control, " ")))
}

/// Whether the page itself shows this many words, or those with which the article begins.
fn shows_text(arena: &Arena, article: &str, most: usize) -> bool {
    let (mut shown, mut count) = (String::new(), 0);
    let found = each_text(arena, |text| {
        shown.push_str(text);
        shown.push(' ');
        count += words::count(text);
        if count > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let beginning = |text: &str| words::words(text).take(BEGINNING).map(|word| word.to_lowercase()).collect::<Vec<_>>();
    let (all, first) = (words::words(&shown).map(|word| word.to_lowercase()).collect::<Vec<_>>(), beginning(article));
    found.is_break() || all.windows(first.len().max(1)).any(|window| *window == first[..])
}

/// Calls `each` for every text of the page that is not of a script, a head or a widget.
fn each_text(arena: &Arena, mut each: impl FnMut(&str) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut due = vec![NodeId::ROOT];
    while let Some(node) = due.pop() {
        match (&arena.node(node).kind, arena.text(node)) {
            (_, Some(text)) => each(text)?,
            (Kind::Element { name, .. }, _) if is_no_text(name) || &**name == "noscript" => continue,
            _ => {}
        }
        let from = due.len();
        due.extend(arena.children(node));
        due[from..].reverse();
    }
    ControlFlow::Continue(())
}

fn add_element(arena: &mut Arena, name: LocalName, attributes: &[(&str, &str)]) -> NodeId {
    let start = arena.attributes_end();
    attributes.iter().for_each(|(name, value)| arena.add_attribute(LocalName::from(*name), value));
    let attributes = arena.attributes_from(start);
    arena.push(Kind::element(name, Space::Html, attributes))
}

/// Parses a document and copies its body under `parent`, as far as the limit on nodes allows.
fn graft(arena: &mut Arena, parent: NodeId, source: &str, limits: &Limits) {
    let room = limits.nodes.saturating_sub(arena.nodes.len());
    if room == 0 {
        return;
    }
    let source = SourceText::decode(source.as_bytes(), Some("utf-8"), limits);
    let inner = tree(source, &limits.clone().with_nodes(room));
    let Some(body) = inner.descendants(inner.root()).find(|&node| inner.is_element(node, "body")) else { return };
    copy(arena, parent, &inner, body);
}

fn copy(arena: &mut Arena, parent: NodeId, inner: &Document, top: NodeId) {
    let mut open = vec![parent];
    for edge in inner.walk(top) {
        match edge {
            Edge::Open(node) | Edge::Close(node) if node == top => {}
            Edge::Open(node) => {
                let Some(&above) = open.last() else { return };
                let id = match (inner.text(node), inner.local_name(node)) {
                    (Some(text), _) => {
                        let span = arena.store(text);
                        arena.push(Kind::Text(span))
                    }
                    (None, Some(name)) => {
                        let start = arena.attributes_end();
                        inner
                            .attributes(node)
                            .iter()
                            .for_each(|a| arena.add_attribute(LocalName::from(a.name), a.value));
                        let attributes = arena.attributes_from(start);
                        arena.push(Kind::element(name.clone(), Space::Html, attributes))
                    }
                    (None, None) => continue,
                };
                arena.attach(above, id, None);
                open.push(id);
            }
            Edge::Close(_) => {
                open.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::html::visibility::is_no_text;
    use crate::html::{Document, Limits, parse};

    /// The text of the page without scripts.
    fn text(page: &str) -> String {
        let document: Document = parse(page.as_bytes(), None, &Limits::default());
        let is_shown = |&node: &_| !document.ancestors(node).any(|above| document.name(above).is_some_and(is_no_text));
        let texts = document.descendants(document.root()).filter(is_shown).filter_map(|node| document.text(node));
        texts.collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_document_of_a_frame_stands_in_its_place() {
        for (page, expect) in [
            ("a<iframe srcdoc='<p>b <b>c</b>'></iframe>d", "a b c d"),
            ("a<iframe srcdoc='&lt;html&gt;&lt;head&gt;&lt;title&gt;x&lt;/title&gt;&lt;body&gt;b'></iframe>", "a b"),
            ("<iframe srcdoc=' '>x</iframe>a<iframe src=y></iframe>", "a"),
            ("<iframe srcdoc='a<script>x()</script><iframe srcdoc=b></iframe>'></iframe>", "a"),
            ("<p>a<iframe srcdoc='<p>b'></iframe>c", "a b c"),
        ] {
            assert_eq!(text(page), expect, "{page}");
        }
    }

    #[test]
    fn an_article_in_json_is_read_where_the_page_shows_none() {
        let words = "The ferry sails at nine from the old quay, and a band plays until noon. \
                     It sails back at five, if the weather is fair.";
        let as_many = "One two three four five six seven eight nine ten eleven twelve thirteen";
        let shell = "<nav>Home News</nav><div id=root>Loading</div>";
        let script = |body: &str, page: &str| {
            format!(
                "<head><script type=application/ld+json>{{\"@type\": \"NewsArticle\", \"articleBody\": {body}}}</script></head><body>{page}"
            )
        };
        for (body, page, expect) in [
            (format!("\"{words}\""), shell, format!("Home News Loading {words}")),
            (format!("\"{words}\\n\\n{words}\""), shell, format!("Home News Loading {words} {words}")),
            (format!("\"<p>{words}</p><p>a &amp; b</p>\""), shell, format!("Home News Loading {words} a & b")),
            (format!("\"{words} a &lt; b\""), "", format!("{words} a < b")),
            (format!("\"{words}\nline\""), "", format!("{words} line")),
            // The page shows it, or its beginning, or as much text; or there is too little.
            (format!("\"{words}\""), words, words.to_owned()),
            (
                format!("\"{words} {words}\""),
                "<p>The ferry sails at nine from here",
                "The ferry sails at nine from here".to_owned(),
            ),
            (format!("\"{words}\""), as_many, as_many.to_owned()),
            ("\"A summary.\"".to_owned(), shell, "Home News Loading".to_owned()),
            ("12".to_owned(), shell, "Home News Loading".to_owned()),
        ] {
            assert_eq!(text(&script(&body, page)), expect, "{body} {page}");
        }
    }
}
