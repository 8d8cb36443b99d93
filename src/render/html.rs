//! Content as HTML: the kept text in the markup that carries meaning, and nothing that could run.
//!
//! The output is built from a closed list of element and attribute names, every text and value escaped; so it is
//! safe by construction, whatever the page held. Elements are open exactly while they hold kept text, so that it is
//! well-formed also where a segmentation cut through an element.

use url::Url;

use super::kept::{Along, Kept};
use crate::html::document::{Document, Edge, NodeId};
use crate::html::is_space;
use crate::page::Content;

/// The content as HTML. Links and image sources are made absolute against `base` (the document base URL), where one is
/// known; other schemes than http, https and mailto are dropped. Linear in the page.
pub fn html(document: &Document, content: &Content, base: Option<&Url>, along: Along) -> String {
    let kept = Kept::new(document, content, base, along);
    let mut out = String::new();
    let mut pieces = content.pieces().iter().peekable();
    for edge in document.walk(document.root()) {
        match edge {
            Edge::Open(id) => match document.text(id) {
                Some(text) => match pieces.next_if(|piece| piece.node == id) {
                    Some(piece) => {
                        let (before, after) = (&text[..piece.range.start], &text[piece.range.end..]);
                        // A segmentation cuts at words: what stood around them still keeps them apart.
                        out.push_str(if before.ends_with(is_space) { " " } else { "" });
                        escape(&mut out, &text[piece.range.clone()]);
                        out.push_str(if after.starts_with(is_space) { " " } else { "" });
                    }
                    None if text.trim().is_empty() && kept.holds(document.parent(id).unwrap_or(id)) => out.push(' '),
                    None => {}
                },
                None => open(&kept, id, &mut out),
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

fn open(kept: &Kept<'_>, id: NodeId, out: &mut String) {
    let document = kept.document;
    let Some(name) = document.name(id) else { return };
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
                attributes(kept, id, name, out);
                out.push('>');
            }
        }
    }
}

/// The attributes that mean something to a reader, and can do nothing.
fn attributes(kept: &Kept<'_>, id: NodeId, name: &str, out: &mut String) {
    let number = |value: &str| value.trim().parse::<u16>().ok().map(|number| number.to_string());
    for given in kept.document.attributes(id).iter() {
        let value = match (name, given.name) {
            ("a", "href") => kept.link(id),
            (_, "title" | "lang" | "dir") | ("time", "datetime") => Some(given.value.to_string()),
            ("td" | "th", "colspan" | "rowspan") | ("ol", "start") | ("li", "value") => number(given.value),
            ("code" | "pre", "class") => language_class(given.value),
            _ => None,
        };
        if let Some(value) = value {
            attribute(out, given.name, &value);
        }
    }
}

fn attribute(out: &mut String, name: &str, value: &str) {
    out.push_str(&format!(" {name}=\""));
    escape(out, value);
    out.push('"');
}

/// The class that names the language of code, as the HTML standard has it (section 4.5.15).
fn language_class(classes: &str) -> Option<String> {
    let class = classes.split_ascii_whitespace().find(|class| class.starts_with("language-"));
    class.map(str::to_owned)
}

/// The elements whose meaning outlives the page. Others are left out, and what they hold kept.
fn kept_name(document: &Document, id: NodeId) -> Option<&str> {
    let name: &str = document.name(id)?;
    (is_block(name)
        || matches!(
            name,
            "a" | "abbr"
                | "b"
                | "cite"
                | "code"
                | "del"
                | "dfn"
                | "em"
                | "i"
                | "ins"
                | "kbd"
                | "mark"
                | "q"
                | "rp"
                | "rt"
                | "ruby"
                | "s"
                | "samp"
                | "small"
                | "strong"
                | "sub"
                | "sup"
                | "time"
                | "u"
                | "var"
        ))
    .then_some(name)
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
            ("<section><p>keep</p><p>drop</p></section>", "<p>keep</p>"),
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
