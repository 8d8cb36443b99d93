//! Content as HTML: the kept text in the markup that carries meaning, and nothing that could run.
//!
//! The output is built from a closed list of element and attribute names, every text and value escaped; so it is
//! safe by construction, whatever the page held. Elements are open exactly while they hold kept text, so that it is
//! well-formed also where a segmentation cut through an element.

use url::Url;

use super::code;
use super::kept::{Along, Kept};
use super::notes::Notes;
use crate::html::document::{Document, Edge, NodeId};
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::is_space;
use crate::page::Content;

/// The content as HTML. Links and image sources are made absolute against `base` (the document base URL), where one is
/// known; other schemes than http, https and mailto are dropped. Footnotes that came along are linked within it, by names
/// of our own. [`Fragment`](super::Fragment) reads it again. Linear in the page.
pub fn html(document: &Document, content: &Content, base: Option<&Url>, along: Along) -> String {
    let kept = Kept::new(document, content, base, along);
    let notes = Notes::find(&kept);
    let mut out = String::new();
    let mut preformatted = 0;
    let mut pieces = content.pieces().iter().peekable();
    for edge in document.walk(document.root()) {
        if edge_of_pre(document, edge) {
            preformatted += if matches!(edge, Edge::Open(_)) { 1 } else { -1 };
        }
        match edge {
            Edge::Open(id) => match document.text(id) {
                Some(text) => match pieces.next_if(|piece| piece.node == id) {
                    Some(piece) => {
                        let (before, after) = (&text[..piece.range.start], &text[piece.range.end..]);
                        // A segmentation cuts at words: what stood around them still keeps them apart.
                        let apart = before.ends_with(is_space) && !out.ends_with(is_space);
                        out.push_str(if apart { " " } else { "" });
                        let text = &text[piece.range.clone()];
                        // Behind a block is a line end of our own.
                        let is_apart = preformatted == 0 && out.ends_with('\n');
                        escape(&mut out, if is_apart { text.trim_start_matches(is_space) } else { text });
                        out.push_str(if after.starts_with(is_space) { " " } else { "" });
                    }
                    None if !text.chars().all(is_space) || !parts_words(&kept, document, id) => {}
                    None if preformatted > 0 => out.push_str(text),
                    None if out.ends_with(is_space) => {}
                    None => out.push(' '),
                },
                None => open(&kept, &notes, id, &mut out),
            },
            Edge::Close(id) => {
                if let Some(name) = kept_name(document, id).filter(|_| kept.holds(id)) {
                    out.push_str(&format!("</{name}>"));
                    if is_block(name) {
                        out.push('\n');
                    }
                }
            }
        }
    }
    out.trim().to_owned()
}

/// Whether white space that was not kept stands between words that may have been: in what holds any, or inline within that, as the space of
/// `<b>def</b><i> </i><b>f</b>`.
fn parts_words(kept: &Kept<'_>, document: &Document, text: NodeId) -> bool {
    let is_inline =
        |node| document.local_name(node).is_some_and(|name| default_display(name) == DefaultDisplay::Inline);
    let around = document.ancestors(text).find(|&around| kept.holds(around) || !is_inline(around));
    around.is_some_and(|around| kept.holds(around))
}

fn edge_of_pre(document: &Document, edge: Edge) -> bool {
    let (Edge::Open(id) | Edge::Close(id)) = edge;
    document.is_element(id, "pre")
}

fn open(kept: &Kept<'_>, notes: &Notes, id: NodeId, out: &mut String) {
    let document = kept.document;
    let Some(name) = document.local_name(id) else { return };
    match &**name {
        "br" | "hr" if document.parent(id).is_some_and(|parent| kept.holds(parent)) => {
            out.push_str(&format!("<{name}>"));
        }
        "img" => {
            if let Some(image) = kept.image(id) {
                out.push_str("<img");
                attribute(out, "src", &image.source);
                attribute(out, "alt", image.alternative);
                out.push('>');
            }
        }
        _ if !kept.holds(id) => {}
        _ => {
            if let Some(name) = kept_name(document, id) {
                out.push_str(&format!("<{name}"));
                attributes(kept, notes, id, name, out);
                out.push('>');
                // The first line end after it is the mark-up's: the parser drops it.
                if name == "pre" {
                    out.push('\n');
                }
            }
        }
    }
}

/// The attributes that mean something to a reader, and can do nothing.
fn attributes(kept: &Kept<'_>, notes: &Notes, id: NodeId, name: &str, out: &mut String) {
    let note = notes.reference(id).map(|label| format!("#note-{label}"));
    for given in kept.document.attributes(id).iter() {
        let value = match (name, given.name) {
            ("a", "href") if note.is_some() => note.clone(),
            ("a", "href") if notes.is_way_back(id) => None,
            ("a", "href") => kept.link(id),
            (_, "title" | "lang" | "dir") | ("time", "datetime") => Some(given.value.to_string()),
            ("td" | "th", "colspan" | "rowspan") | ("ol", "start") | ("li", "value") => {
                given.value.trim().parse::<u16>().ok().map(|number| number.to_string())
            }
            ("table", "role") if matches!(given.value, "presentation" | "none") => Some("presentation".to_owned()),
            _ => None,
        };
        if let Some(value) = value {
            attribute(out, given.name, &value);
        }
    }
    if name == "pre" {
        let language = code::language(kept.document, id);
        if !language.is_empty() {
            attribute(out, "class", &format!("language-{language}"));
        }
    }
    if note.is_some() {
        attribute(out, "role", "doc-noteref");
    } else if let Some(label) = notes.way_back(id) {
        attribute(out, "href", &format!("#ref-{label}"));
        attribute(out, "role", "doc-backlink");
    }
    if let Some(name) = notes.name(id) {
        attribute(out, "id", &name);
    }
}

fn attribute(out: &mut String, name: &str, value: &str) {
    out.push_str(&format!(" {name}=\""));
    escape(out, value);
    out.push('"');
}

/// What an element is written as. Those that only arrange the page become a `div` where they break the flow of text; of others what they hold is kept.
fn kept_name(document: &Document, id: NodeId) -> Option<&str> {
    let name: &str = document.local_name(id)?;
    match name {
        "html" | "body" | "head" => None,
        "menu" | "dir" => Some("ul"),
        "strike" => Some("s"),
        "tt" => Some("code"),
        "a" | "abbr" | "b" | "cite" | "code" | "del" | "dfn" | "em" | "i" | "ins" | "kbd" | "mark" | "q" | "rp"
        | "rt" | "ruby" | "s" | "samp" | "small" | "strong" | "sub" | "sup" | "time" | "u" | "var" => Some(name),
        _ if is_block(name) => Some(name),
        _ => (default_display(name) == DefaultDisplay::Block).then_some("div"),
    }
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "blockquote"
            | "caption"
            | "dd"
            | "div"
            | "dl"
            | "dt"
            | "figcaption"
            | "figure"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "li"
            | "ol"
            | "p"
            | "pre"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
    )
}

pub(crate) fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::page::Piece;

    fn check(page: &str, keep: &str, expect: &str) {
        let document = parse(page.as_bytes(), None, &Default::default());
        let texts =
            document.descendants(document.root()).filter(|&id| document.text(id).is_some_and(|t| t.contains(keep)));
        let content = Content::new(texts.map(|id| Piece::whole(&document, id)));
        let base = Url::parse("https://x.example/d/").unwrap();
        assert_eq!(html(&document, &content, Some(&base), Along::default()), expect);
    }

    #[test]
    fn meaning_stays_and_scripts_go() {
        for (page, expect) in [
            ("<p onclick=evil() class=c>keep <b>keep</b> keep", "<p>keep <b>keep</b> keep</p>"),
            ("<p><a href='../y?a&amp;b' onclick=x>keep</a>", "<p><a href=\"https://x.example/y?a&amp;b\">keep</a></p>"),
            ("<p><a href=' javascript:evil()'>keep</a>", "<p><a>keep</a></p>"),
            ("<p>keep &lt;script&gt; &amp;", "<p>keep &lt;script&gt; &amp;</p>"),
            ("<p><b>keep</b><span> </span><b>keep</b></p>", "<p><b>keep</b> <b>keep</b></p>"),
            ("<pre><b>keep</b><i>\n  </i><b>keep</b></pre>", "<pre>\n<b>keep</b>\n  <b>keep</b></pre>"),
            ("<section><p>keep</p><p>drop</p></section>", "<div><p>keep</p>\n</div>"),
            ("<main>keep<section>keep</section></main>", "<div>keep<div>keep</div>\n</div>"),
            (
                "<pre><code class='x lang-Rust'><i>keep</i>\n  <b>keep</b></code></pre>",
                "<pre class=\"language-rust\">\n<code><i>keep</i>\n  <b>keep</b></code></pre>",
            ),
            (
                "<p>keep<sup><a href=#n>keep1</a></sup><p id=n>keep <a href=#r>^keep</a> <a href=#r class=backref>keep</a>",
                "<p>keep<sup><a href=\"#note-keep1\" role=\"doc-noteref\" id=\"ref-keep1\">keep1</a></sup></p>\n<p id=\"note-keep1\">keep \
                 <a href=\"https://x.example/d/#r\">^keep</a> <a href=\"#ref-keep1\" role=\"doc-backlink\">keep</a></p>",
            ),
            (
                "<p>keep<br><img src=i.png alt='&quot;' onerror=x>",
                "<p>keep<br><img src=\"https://x.example/d/i.png\" alt=\"&quot;\"></p>",
            ),
            ("<custom-tag><ul><li>keep</ul></custom-tag>", "<ul><li>keep</li>\n</ul>"),
        ] {
            check(page, "keep", expect);
        }
    }

    #[test]
    fn deep_pages_do_not_overflow() {
        check(&format!("{}keep", "<b>".repeat(50_000)), "no such text", "");
    }
}
