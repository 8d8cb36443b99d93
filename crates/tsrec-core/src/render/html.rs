//! Content as HTML: the kept text in meaningful markup, with nothing that could run.
//!
//! The output uses a closed list of element and attribute names, and all text and values are
//! escaped. So it is safe whatever the page holds. An element is open only while it holds kept
//! text, so the output is well-formed even if a segmentation cuts through an element.

mod nest;

use url::Url;

use self::nest::Nest;
use super::alignment;
use super::code::Code;
use super::debris::way_back;
use super::formula;
use super::images::is_image;
use super::items;
use super::kept::{Along, KeptContent};
use super::language::language;
use super::notes::{self, Notes};
use super::written::{Pieces, WrittenText, without, written_with_ways_back};
use crate::html::document::{Document, Edge, NodeId};
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::{is_space, printable};
use crate::page::{Content, Piece};

/// The content as HTML. If `base` (the document base URL) is known, links and image sources become
/// absolute. URLs of schemes other than http, https and mailto are dropped. Kept footnotes are
/// linked within the content, with our own names. [`Fragment`](super::Fragment) reads the result.
/// Linear in the page.
pub fn html(document: &Document, content: &Content, base: Option<&Url>, along: Along) -> String {
    let mut content = written_with_ways_back(document, content);
    let mut kept = KeptContent::new(document, &content, base, along);
    let notes = Notes::find(&kept);
    // A link back is useful only where its footnote is linked too.
    let is_lost = |piece: &Piece| way_back(document, piece.node).is_some_and(|link| !notes.is_way_back(link));
    if content.pieces().iter().any(is_lost) {
        content = without(content, is_lost);
        kept = KeptContent::new(document, &content, base, along);
    }
    let mut writer =
        HtmlWriter { kept, notes, out: String::new(), nest: Nest::default(), code: None, takes_rule: false };
    let mut pieces = Pieces::new(document, &content);
    for edge in document.walk(document.root()) {
        match edge {
            Edge::Open(id) => match (document.text(id), pieces.at(id)) {
                (Some(_), Some(piece)) => writer.piece(&piece),
                (Some(text), None) if text.chars().all(is_space) => writer.blank(id, text),
                (Some(_), None) => {}
                // A line across the page stands between texts.
                (None, _) if pieces.are_done() && document.is_element(id, "hr") => {}
                (None, _) => writer.open(id),
            },
            Edge::Close(id) => writer.close(id),
        }
    }
    writer.nest.without_removed(&writer.out).trim().to_owned()
}

struct HtmlWriter<'d> {
    kept: KeptContent<'d>,
    notes: Notes,
    out: String,
    nest: Nest,
    /// The open preformatted text. Blocks in it become lines.
    code: Option<(NodeId, Code)>,
    /// Whether text or an image was written since the last line across the page.
    takes_rule: bool,
}

impl HtmlWriter<'_> {
    fn piece(&mut self, piece: &WrittenText<'_>) {
        self.takes_rule = true;
        if piece.begins_paragraph && self.code.is_none() {
            self.part();
        }
        self.out.push_str(if piece.is_apart_before && !self.out.ends_with(is_space) { " " } else { "" });
        match &mut self.code {
            Some((_, code)) => {
                code.text(&piece.text);
                escape(&mut self.out, &piece.text);
            }
            // We wrote a line end after the block before.
            None if self.out.ends_with('\n') => escape(&mut self.out, piece.text.trim_start_matches(is_space)),
            None => escape(&mut self.out, &piece.text),
        }
        self.out.push_str(if piece.is_apart_after { " " } else { "" });
    }

    /// Parts two paragraphs of one element with two line breaks, as pages do.
    fn part(&mut self) {
        let mut before = self.out.trim_end_matches(is_space);
        // An inline element may begin with the paragraph, behind a line break of the page.
        while let Some((outside, tag)) = before.rsplit_once('<')
            && tag.ends_with('>')
            && !tag.starts_with('/')
            && tag != "br>"
        {
            before = outside.trim_end_matches(is_space);
        }
        let missing = if before.ends_with("<br><br>") {
            ""
        } else if before.ends_with("<br>") {
            "<br>"
        } else {
            "<br><br>"
        };
        self.out.push_str(missing);
    }

    /// White space between texts.
    fn blank(&mut self, id: NodeId, text: &str) {
        match &mut self.code {
            Some((_, code)) if code.is_empty() => {}
            Some((_, code)) => {
                code.text(text);
                self.out.push_str(text);
            }
            None if self.out.ends_with(is_space) || !parts_words(&self.kept, id) => {}
            None => self.out.push(' '),
        }
    }

    /// A line across the page. Only the first one between two texts is written.
    fn rule(&mut self, id: NodeId) {
        if self.takes_rule && self.kept.holds_around(id) {
            self.out.push_str("<hr>");
            self.takes_rule = false;
        }
    }

    fn open(&mut self, id: NodeId) {
        let document = self.kept.document;
        let Some(name) = document.local_name(id) else { return };
        if self.end_line(name) {
            return;
        }
        let is_in_kept = || document.parent(id).is_some_and(|parent| self.kept.holds(parent));
        match &**name {
            "br" if is_in_kept() => self.out.push_str("<br>"),
            "hr" => self.rule(id),
            name if is_image(name) => {
                if let Some(image) = self.kept.image(id) {
                    self.takes_rule = true;
                    self.out.push_str("<img");
                    attribute(&mut self.out, "src", &image.source);
                    attribute(&mut self.out, "alt", &image.alternative);
                    self.out.push('>');
                }
            }
            "input" if is_in_kept() => {
                if let Some(is_done) = items::task(document, id) {
                    let checked = if is_done { " checked" } else { "" };
                    self.out.push_str(&format!("<input type=\"checkbox\" disabled{checked}>"));
                }
            }
            _ if !self.kept.holds(id) => {}
            _ => {
                if let Some(name) = kept_name(document, id) {
                    self.begin(id, name);
                } else if formula::of_element(document, id).is_some() {
                    self.out.push_str(&format!("<span class=\"{}\">", formula::OUR_CLASS));
                }
            }
        }
    }

    /// Begins an element that holds kept text.
    fn begin(&mut self, id: NodeId, name: &str) {
        // For readers without ruby support.
        self.out.push_str(if name == "rt" { "<rp>(</rp>" } else { "" });
        let from = self.out.len();
        self.out.push_str(&format!("<{name}"));
        attributes(&self.kept, &self.notes, id, name, &mut self.out);
        self.out.push('>');
        match name {
            "div" => self.nest.open(from, &self.out),
            "pre" => {
                // The parser drops the first line end after the tag.
                self.out.push('\n');
                self.code = Some((id, Code::default()));
            }
            _ => {}
        }
    }

    fn close(&mut self, id: NodeId) {
        let document = self.kept.document;
        self.code.take_if(|(code, _)| *code == id);
        if document.local_name(id).is_some_and(|name| &**name != "br" && self.end_line(name)) {
            return;
        }
        if !self.kept.holds(id) {
            return;
        }
        let Some(name) = kept_name(document, id) else {
            self.out.push_str(if formula::of_element(document, id).is_some() { "</span>" } else { "" });
            return;
        };
        if name == "div" {
            return self.nest.close(&mut self.out);
        }
        self.out.push_str(&format!("</{name}>"));
        if name == "rt" {
            self.out.push_str("<rp>)</rp>");
        } else if is_block(name) {
            self.out.push('\n');
        }
    }

    /// Within preformatted text: whether an element is a line or ends one. Then no element is
    /// written.
    fn end_line(&mut self, name: &str) -> bool {
        let Some((_, code)) = &mut self.code else { return false };
        if code.boundary(name) {
            self.out.push('\n');
        }
        name == "br" || default_display(name) == DefaultDisplay::Block
    }
}

/// Whether unkept white space may separate kept words. It must be in an element with kept text, or
/// in an inline element within that, such as the space of `<b>def</b><i> </i><b>f</b>`.
fn parts_words(kept: &KeptContent<'_>, text: NodeId) -> bool {
    let document = kept.document;
    let is_inline =
        |node| document.local_name(node).is_some_and(|name| default_display(name) == DefaultDisplay::Inline);
    let around = document.ancestors(text).find(|&around| kept.holds(around) || !is_inline(around));
    around.is_some_and(|around| kept.holds(around))
}

/// The attributes that mean something to a reader and are harmless.
fn attributes(kept: &KeptContent<'_>, notes: &Notes, id: NodeId, name: &str, out: &mut String) {
    let note = notes.reference(id).map(|label| format!("#note-{label}"));
    for given in kept.document.attributes(id).iter() {
        let value = match (name, given.name) {
            ("a", "href") if note.is_some() => note.clone(),
            ("a", "href") if notes.is_way_back(id) => None,
            ("a", "href") => kept.link(id),
            (_, "title" | "lang" | "dir") | ("time", "datetime") => Some(printable(given.value).into_owned()),
            ("ol", "start") if items::is_reversed(kept.document, id) => None,
            ("ol", "start") | ("li", "value") => {
                items::number(kept.document, id, given.name).map(|number| number.to_string())
            }
            ("ol", "reversed") => {
                attribute(out, "start", &items::first(kept.document, id).to_string());
                Some(String::new())
            }
            ("td" | "th", "colspan" | "rowspan") => {
                given.value.trim().parse::<u16>().ok().map(|number| number.to_string())
            }
            ("table", "role") if matches!(given.value, "presentation" | "none") => Some("presentation".to_owned()),
            _ => None,
        };
        if let Some(value) = value {
            attribute(out, given.name, &value);
        }
    }
    if matches!(name, "div" | "p") && formula::of_element(kept.document, id).is_some() {
        attribute(out, "class", formula::OUR_CLASS);
    }
    if let "td" | "th" = name
        && let Some(side) = alignment::of_cell(kept.document, id)
    {
        attribute(out, "align", side.as_str());
    }
    if name == "pre" {
        let language = language(kept.document, id);
        if !language.is_empty() {
            attribute(out, "class", &format!("language-{language}"));
        }
    }
    if note.is_some() {
        attribute(out, "role", "doc-noteref");
    } else if let Some(label) = notes.way_back(id) {
        attribute(out, "href", &format!("#ref-{label}"));
        // The number of a note, which leads back too, is text.
        if notes::is_way_back(kept.document, id) {
            attribute(out, "role", "doc-backlink");
        }
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

/// The name that an element is written with. Layout elements become a `div` if they break the flow
/// of text. Of others only the content is kept.
fn kept_name(document: &Document, id: NodeId) -> Option<&str> {
    let name: &str = document.local_name(id)?;
    match name {
        "html" | "body" | "head" => None,
        "menu" | "dir" => Some("ul"),
        "strike" => Some("s"),
        "tt" => Some("code"),
        "a" | "abbr" | "b" | "cite" | "code" | "del" | "dfn" | "em" | "i" | "ins" | "kbd" | "mark" | "q" | "rt"
        | "ruby" | "s" | "samp" | "small" | "strong" | "sub" | "sup" | "time" | "u" | "var" => Some(name),
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

/// Appends text to HTML, escaped.
pub fn escape(out: &mut String, text: &str) {
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
            (
                "<div><div lang=de><section><div>keep</div> </section></div></div>",
                "<div lang=\"de\"><div>keep</div>\n</div>",
            ),
            ("<pre><div>keep</div><div><br></div><div><b>keep</b></div></pre>", "<pre>\nkeep\n\n<b>keep</b>\n</pre>"),
            ("<div>keep<div> <div>keep</div></div></div>", "<div>keep<div>keep</div>\n</div>"),
            (
                "<ul><li><input type=checkbox checked onclick=x> keep<li><input value=y>keep</ul>",
                "<ul><li><input type=\"checkbox\" disabled checked> keep</li>\n<li>keep</li>\n</ul>",
            ),
            ("<ol><li value=7 >keep</ol>", "<ol><li value=\"7\">keep</li>\n</ol>"),
            (
                "<ruby>keep<rp>(</rp><rt>keep</rt><rp>)</rp></ruby>",
                "<ruby>keep<rp>(</rp><rt>keep</rt><rp>)</rp></ruby>",
            ),
            ("<p>keep \u{ad}\u{1b}[0m<p title='\u{202e}x'>keep", "<p>keep [0m</p>\n<p title=\"x\">keep</p>"),
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
