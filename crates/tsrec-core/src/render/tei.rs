//! Content as TEI-XML (TEI P5, within TEI Lite), for text corpora.
//!
//! A heading begins a `div` that goes on until the next heading of its level. Lists and quotes
//! cannot hold one, so there a heading is a bold paragraph. `tests/readers.py` validates pages by
//! the schema. The tests here check that TEI's content models allow each element where it is.

use url::Url;

use super::formula::Formula;
use super::html::escape;
use super::images::Image;
use super::kept::Along;
use super::outline::{self, Output};
use super::runs::{BlockPlace, RunKind, RunStyle, StyledRun};
use super::table::TableRows;
use crate::html::document::{Document, NodeId};
use crate::page::Content;

/// The page's metadata for the header.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TeiHeader {
    /// The page's title.
    pub title: Option<String>,
    /// The authors.
    pub authors: Vec<String>,
    /// The ISO 8601 date of publication; only the day is used.
    pub published: Option<String>,
    /// The site that published it.
    pub site: Option<String>,
    /// Its URL.
    pub url: Option<String>,
    /// Its language, as a BCP 47 tag.
    pub language: Option<String>,
}

/// The content as a TEI document. Links and images as in [`markdown`](super::markdown::markdown).
/// Linear in the page.
pub fn tei(document: &Document, content: &Content, base: Option<&Url>, along: Along, header: &TeiHeader) -> String {
    let body = outline::write(document, content, base, along, TeiBody::default()).finish();
    let mut out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<TEI xmlns=\"http://www.tei-c.org/ns/1.0\">\n".to_owned();
    write_header(&mut out, header);
    out.push_str("<text>\n<body>\n");
    out.push_str(if body.is_empty() { "<p/>\n" } else { &body });
    out.push_str("</body>\n</text>\n</TEI>");
    out
}

fn write_header(out: &mut String, header: &TeiHeader) {
    let TeiHeader { title, authors, published, site, url, language } = header;
    let element = |name: &str, text: &str| format!("<{name}>{}</{name}>", escaped(text));
    let date = published.as_deref().and_then(|date| date.get(..10)).filter(|date| is_date(date));
    let date = date.map_or_else(String::new, |date| format!("<date when=\"{date}\">{date}</date>"));
    let title = element("title", title.as_deref().unwrap_or_default());
    let authors: String = authors.iter().map(|author| element("author", author)).collect();
    let link = url
        .as_deref()
        .map(|url| format!("<ref target=\"{}\">{}</ref>", pointer(url), escaped(url)))
        .unwrap_or_default();
    out.push_str("<teiHeader>\n<fileDesc>\n");
    out.push_str(&format!("<titleStmt>{title}{authors}</titleStmt>\n"));
    out.push_str(&format!(
        "<publicationStmt>{}{date}</publicationStmt>\n",
        element("publisher", site.as_deref().unwrap_or_default())
    ));
    out.push_str(&format!("<sourceDesc><bibl>{title}{authors}{date}{link}</bibl></sourceDesc>\n</fileDesc>\n"));
    let is_tag = |tag: &&str| !tag.is_empty() && tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if let Some(tag) = language.as_deref().filter(is_tag) {
        out.push_str(&format!(
            "<profileDesc><langUsage><language ident=\"{tag}\">{tag}</language></langUsage></profileDesc>\n"
        ));
    }
    out.push_str("</teiHeader>\n");
}

/// Year, month and day.
fn is_date(date: &str) -> bool {
    date.bytes().enumerate().all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() })
}

/// A URL as `xs:anyURI`, escaped. Characters that RFC 3986 (section 2) forbids and browsers accept
/// are percent-encoded.
fn pointer(address: &str) -> String {
    let (head, rest) = address.split_at(address.find("://").map_or(0, |at| at + 3));
    // Brackets are allowed only around a host that is an IPv6 address.
    let host = if rest.starts_with('[') { rest.find(']').map_or(0, |end| end + 1) } else { 0 };
    let mut out = escaped(&[head, &rest[..host]].concat());
    let rest = &rest[host..];
    let mut has_fragment = false;
    for (at, c) in rest.char_indices() {
        let is_kept = match c {
            '%' => rest.as_bytes().get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)),
            '#' => !std::mem::replace(&mut has_fragment, true),
            _ => !c.is_control() && !" []{}|\\^`<>\"\u{fffe}\u{ffff}".contains(c),
        };
        match (is_kept, c) {
            (true, '&') => out.push_str("&amp;"),
            (true, c) => out.push(c),
            (false, c) => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| out.push_str(&format!("%{byte:02X}"))),
        }
    }
    out
}

/// Text for XML 1.0; characters that it forbids become replacement characters.
fn escaped(text: &str) -> String {
    let is_allowed = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    let mut out = String::with_capacity(text.len());
    match text.chars().all(is_allowed) {
        true => escape(&mut out, text),
        false => escape(
            &mut out,
            &text.chars().map(|c| if is_allowed(c) { c } else { char::REPLACEMENT_CHARACTER }).collect::<String>(),
        ),
    }
    out
}

/// The end of an item.
const ITEM_END: &str = "</item>\n";
/// Deepest nesting of lists and quotes, as in Markdown.
const DEEPEST: usize = 16;

#[derive(Debug)]
struct TeiContainer {
    node: NodeId,
    tag: TeiTag,
    is_begun: bool,
}

#[derive(Debug)]
enum TeiTag {
    Quote,
    /// Whether it is numbered.
    List(bool),
    /// With the number that the page gives it.
    Item(Option<u64>),
    Note(String),
}

impl TeiTag {
    fn name(&self) -> &'static str {
        match self {
            TeiTag::Quote => "quote",
            TeiTag::List(_) => "list",
            TeiTag::Item(_) => "item",
            TeiTag::Note(_) => "note",
        }
    }

    fn start(&self) -> String {
        match self {
            TeiTag::List(true) => "<list rend=\"numbered\">".to_owned(),
            TeiTag::List(false) => "<list rend=\"bulleted\">".to_owned(),
            TeiTag::Item(Some(number)) => format!("<item n=\"{number}\">"),
            TeiTag::Note(label) => format!("<note place=\"foot\" n=\"{label}\" xml:id=\"note-{label}\">"),
            tag => format!("<{}>", tag.name()),
        }
    }
}

/// The body while it is written.
#[derive(Debug, Default)]
struct TeiBody {
    out: String,
    /// The levels of the headings whose divisions are open.
    divisions: Vec<usize>,
    containers: Vec<TeiContainer>,
    /// Whether a line across the page must come before the next block.
    is_rule_due: bool,
}

impl TeiBody {
    /// Writes a block into the open container. A list may hold only items, so a block directly in a
    /// list gets its own.
    fn block(&mut self, block: &str) {
        self.write_rule();
        for container in self.containers.iter_mut().filter(|container| !container.is_begun) {
            container.is_begun = true;
            self.out.push_str(&container.tag.start());
            self.out.push('\n');
        }
        match self.containers.last() {
            Some(TeiContainer { tag: TeiTag::List(_), .. }) => self.out.push_str(&format!("<item>{block}</item>\n")),
            _ => self.out.push_str(&format!("{block}\n")),
        }
    }

    /// Writes a line that is due, unless a container is open, which cannot hold one.
    fn write_rule(&mut self) {
        let is_inside = self.containers.iter().any(|container| container.is_begun);
        if std::mem::take(&mut self.is_rule_due) && !is_inside && !self.out.is_empty() {
            self.out.push_str("<milestone unit=\"section\" rend=\"rule\"/>\n");
        }
    }

    fn open(&mut self, node: NodeId, tag: TeiTag) {
        if self.containers.len() < DEEPEST {
            // A quote in a list but in no item also gets one.
            let in_list = matches!(self.containers.last(), Some(TeiContainer { tag: TeiTag::List(_), .. }));
            if in_list && matches!(tag, TeiTag::List(_)) && self.out.ends_with(ITEM_END) {
                // It belongs to the item before it.
                self.out.truncate(self.out.len() - ITEM_END.len());
                self.containers.push(TeiContainer { node, tag: TeiTag::Item(None), is_begun: true });
            } else if in_list && !matches!(tag, TeiTag::Item(_)) {
                self.containers.push(TeiContainer { node, tag: TeiTag::Item(None), is_begun: false });
            }
            self.containers.push(TeiContainer { node, tag, is_begun: false });
        }
    }

    fn finish(mut self) -> String {
        for _ in 0..self.divisions.len() {
            self.out.push_str("</div>\n");
        }
        self.out
    }
}

impl Output for TeiBody {
    fn inline(&self, runs: Vec<StyledRun>, links: &[String], _: BlockPlace) -> String {
        let mut out = String::new();
        for run in runs {
            // A quotation is one element, however many runs it has.
            let is_quotation = matches!(run.what, RunKind::QuotationBegins(_) | RunKind::QuotationEnds(_));
            let style = if is_quotation { RunStyle::default() } else { run.style };
            let RunStyle { strong, emphasis, deleted, code, superscript, subscript, link } = style;
            let around = [
                (
                    link > 0,
                    link.checked_sub(1)
                        .map_or_else(String::new, |at| format!("ref target=\"{}\"", pointer(&links[at]))),
                ),
                (strong, "hi rend=\"bold\"".to_owned()),
                (emphasis, "hi rend=\"italic\"".to_owned()),
                (deleted, "del".to_owned()),
                (superscript, "hi rend=\"superscript\"".to_owned()),
                (subscript, "hi rend=\"subscript\"".to_owned()),
                (code, "code".to_owned()),
            ];
            let around: Vec<&str> = around.iter().filter(|(is, _)| *is).map(|(_, tag)| tag.as_str()).collect();
            out.extend(around.iter().map(|tag| format!("<{tag}>")));
            match run.what {
                RunKind::QuotationBegins(_) => out.push_str("<q>"),
                RunKind::QuotationEnds(_) => out.push_str("</q>"),
                RunKind::Text(text) => out.push_str(&escaped(&text)),
                RunKind::Raw(markup) => out.push_str(&markup),
                RunKind::Break => out.push_str("<lb/>"),
            }
            let name = |tag: &&str| tag.split(' ').next().unwrap_or_default().to_owned();
            out.extend(around.iter().rev().map(|tag| format!("</{}>", name(tag))));
        }
        out
    }

    fn image(&self, image: &Image<'_>, _: BlockPlace) -> String {
        let about = match &*image.alternative {
            "" => String::new(),
            text => format!("<figDesc>{}</figDesc>", escaped(text)),
        };
        format!("<figure><graphic url=\"{}\"/>{about}</figure>", pointer(&image.source))
    }

    fn formula(&self, formula: Formula<'_>, _: BlockPlace) -> String {
        let rend = if formula.is_display { " rend=\"display\"" } else { "" };
        format!("<formula notation=\"TeX\"{rend}>{}</formula>", escaped(formula.tex))
    }

    fn reference(&self, label: &str) -> String {
        format!("<ref target=\"#note-{label}\">{label}</ref>")
    }

    fn task(&self, is_done: bool) -> String {
        if is_done { "☑" } else { "☐" }.to_owned()
    }

    fn paragraph(&mut self, text: &str) {
        self.block(&format!("<p>{text}</p>"));
    }

    fn heading(&mut self, level: usize, text: &str) {
        self.write_rule();
        if !self.containers.is_empty() {
            return self.block(&format!("<p><hi rend=\"bold\">{text}</hi></p>"));
        }
        while self.divisions.pop_if(|open| *open >= level).is_some() {
            self.out.push_str("</div>\n");
        }
        self.divisions.push(level);
        self.out.push_str(&format!("<div>\n<head>{text}</head>\n"));
    }

    fn code(&mut self, language: &str, text: &str) {
        let language = if language.is_empty() { String::new() } else { format!(" lang=\"{language}\"") };
        self.block(&format!("<p><code{language} xml:space=\"preserve\">{}</code></p>", escaped(text)));
    }

    fn table(&mut self, rows: &TableRows) {
        let columns = rows.cells.first().map_or(0, Vec::len);
        let mut table = format!("<table rows=\"{}\" cols=\"{columns}\">\n", rows.cells.len());
        for (at, row) in rows.cells.iter().enumerate() {
            table.push_str(if at == 0 && rows.has_header { "<row role=\"label\">" } else { "<row>" });
            table.extend(row.iter().map(|cell| format!("<cell>{cell}</cell>")));
            table.push_str("</row>\n");
        }
        self.block(&format!("{table}</table>"));
    }

    fn rule(&mut self) {
        self.is_rule_due = true;
    }

    fn quote(&mut self, node: NodeId) {
        self.open(node, TeiTag::Quote);
    }

    fn list(&mut self, node: NodeId, first: Option<u64>) {
        self.open(node, TeiTag::List(first.is_some()));
    }

    fn item(&mut self, node: NodeId, number: Option<u64>) {
        if !matches!(self.containers.last(), Some(TeiContainer { tag: TeiTag::List(_), .. })) {
            self.open(node, TeiTag::List(false));
        }
        if matches!(self.containers.last(), Some(TeiContainer { tag: TeiTag::List(_), .. })) {
            self.open(node, TeiTag::Item(number));
        }
    }

    fn note(&mut self, node: NodeId, label: &str) {
        self.open(node, TeiTag::Note(label.to_owned()));
    }

    fn close(&mut self, node: NodeId) {
        while let Some(closed) = self.containers.pop_if(|container| container.node == node) {
            if closed.is_begun {
                self.out.push_str(&format!("</{}>\n", closed.tag.name()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::page::Piece;

    fn all(page: &str, header: &TeiHeader) -> String {
        let document = parse(page.as_bytes(), None, &Default::default());
        let texts = document.descendants(document.root()).filter(|&node| document.text(node).is_some());
        let content = Content::new(texts.map(|node| Piece::whole(&document, node)));
        tei(&document, &content, None, Along::default(), header)
    }

    /// The lines of the body.
    fn body(page: &str) -> String {
        let whole = all(page, &TeiHeader::default());
        let (_, body) = whole.split_once("<body>\n").unwrap();
        body.split_once("</body>").unwrap().0.replace('\n', "")
    }

    #[test]
    fn the_outline_becomes_divisions() {
        for (page, expect) in [
            ("", "<p/>"),
            ("a &amp; b<p>c \u{fffe}", "<p>a &amp; b</p><p>c \u{fffd}</p>"),
            ("x<sup>2</sup> H<sub>2</sub>O", "<p>x<hi rend=\"superscript\">2</hi> H<hi rend=\"subscript\">2</hi>O</p>"),
            (
                "a <q>b <b>c <q>d</q></b></q>",
                "<p>a <q>b <hi rend=\"bold\">c </hi><q><hi rend=\"bold\">d</hi></q></q></p>",
            ),
            (
                "<ol><li value=7>a</ol><ul><li><input type=checkbox checked>b</ul>",
                "<list rend=\"numbered\"><item n=\"7\"><p>a</p></item></list><list rend=\"bulleted\"><item><p>☑ b</p></item></list>",
            ),
            (
                "<table><tr><td>a<td>b<tr><td>c<br>d<td>e</table>",
                "<table rows=\"2\" cols=\"2\"><row><cell>a</cell><cell>b</cell></row><row><cell>c<lb/>d</cell><cell>e</cell></row></table>",
            ),
            (
                "x<h1>A</h1>a<h2>B</h2>b<h1>C</h1>",
                "<p>x</p><div><head>A</head><p>a</p><div><head>B</head><p>b</p></div></div><div><head>C</head></div>",
            ),
            (
                "<ul><li>a<ol><li>b</ol></ul>",
                "<list rend=\"bulleted\"><item><p>a</p><list rend=\"numbered\"><item><p>b</p></item></list></item></list>",
            ),
            ("<blockquote><h2>a</h2>b</blockquote>", "<quote><p><hi rend=\"bold\">a</hi></p><p>b</p></quote>"),
            (
                "<ul>a<blockquote>b</blockquote></ul>",
                "<list rend=\"bulleted\"><item><p>a</p></item><item><quote><p>b</p></quote></item></list>",
            ),
            (
                "<b>a <i>b</i></b><a href='http://x.example/?a&amp;b'>c</a><br>d",
                "<p><hi rend=\"bold\">a </hi><hi rend=\"bold\"><hi rend=\"italic\">b</hi></hi><ref target=\"http://x.example/?a&amp;b\">c</ref><lb/>d</p>",
            ),
            (
                "<pre><code class=language-rust>a\n  &lt;b</code></pre>",
                "<p><code lang=\"rust\" xml:space=\"preserve\">a  &lt;b</code></p>",
            ),
            (
                "<table><tr><th>a<th>b<tr><td>c<td>d</table>",
                "<table rows=\"2\" cols=\"2\"><row role=\"label\"><cell>a</cell><cell>b</cell></row><row><cell>c</cell><cell>d</cell></row></table>",
            ),
        ] {
            assert_eq!(body(page), expect, "{page}");
        }
    }

    #[test]
    fn addresses_are_those_of_the_schema() {
        for (address, expect) in [
            ("http://x.example/a[1]?b={c}&d#e#f", "http://x.example/a%5B1%5D?b=%7Bc%7D&amp;d#e%23f"),
            ("http://[::1]:80/a[1]", "http://[::1]:80/a%5B1%5D"),
            ("http://x.example/50%-off/%41/%zz", "http://x.example/50%25-off/%41/%25zz"),
            ("a b|c", "a%20b%7Cc"),
            ("http://x.example/ä", "http://x.example/ä"),
        ] {
            assert_eq!(pointer(address), expect);
        }
    }

    #[test]
    fn the_header_says_what_is_known() {
        let header = TeiHeader {
            title: Some("A < B".to_owned()),
            authors: vec!["Ann".to_owned(), "Ben".to_owned()],
            published: Some("2026-01-02T03:04:05Z".to_owned()),
            site: None,
            url: Some("http://x.example/?a&b".to_owned()),
            language: Some("en".to_owned()),
        };
        let whole = all("a", &header);
        for part in [
            "<titleStmt><title>A &lt; B</title><author>Ann</author><author>Ben</author></titleStmt>",
            "<date when=\"2026-01-02\">2026-01-02</date>",
            "<ref target=\"http://x.example/?a&amp;b\">http://x.example/?a&amp;b</ref>",
            "<language ident=\"en\">en</language>",
        ] {
            assert!(whole.contains(part), "{part}\n{whole}");
        }
    }
}
