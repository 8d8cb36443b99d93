//! Content as Markdown, parsed again by a CommonMark parser: the text is the same for any page.

mod kinds;
mod tools;

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use tsrec_core::html::{Document, parse};
use tsrec_core::page::{Content, Piece};
use tsrec_core::render::markdown::markdown;
use tsrec_core::render::{Along, Fragment, html, text};
use url::Url;

const NO_IMAGES: Along = Along { links: true, images: false };

/// All text of a page that readers see.
fn all(document: &Document) -> Content {
    let is_seen = |node| {
        let unseen = ["script", "style", "head", "textarea", "select", "title", "noscript", "iframe", "template"];
        !document.ancestors(node).any(|around| document.name(around).is_some_and(|name| unseen.contains(&name)))
    };
    let texts = document.descendants(document.root()).filter(|&node| document.text(node).is_some() && is_seen(node));
    // White space between blocks is not content.
    let texts = texts.filter(|&node| document.text(node).is_some_and(|text| !text.trim().is_empty()));
    Content::new(texts.map(|node| Piece::whole(document, node)))
}

fn written(page: &str, along: Along) -> String {
    let document = parse(page.as_bytes(), Some("utf-8"), &Default::default());
    let base = Url::parse("https://x.example/d/").unwrap();
    markdown(&document, &all(&document), Some(&base), along)
}

fn parser(markdown: &str) -> Parser<'_> {
    let tables = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    Parser::new_ext(markdown, tables | Options::ENABLE_FOOTNOTES | Options::ENABLE_TASKLISTS)
}

/// HTML tags for what Markdown cannot mark.
const TAGS: [&str; 4] = ["<sup>", "</sup>", "<sub>", "</sub>"];

/// The words of Markdown text, as a CommonMark parser reads them.
fn read(markdown: &str) -> Vec<String> {
    let mut text = String::new();
    for event in parser(markdown) {
        match event {
            Event::Text(words) | Event::Code(words) | Event::FootnoteReference(words) => text.push_str(&words),
            Event::SoftBreak | Event::HardBreak | Event::Rule => text.push(' '),
            Event::TaskListMarker(_) => {}
            Event::Start(Tag::Strong | Tag::Emphasis | Tag::Strikethrough | Tag::Link { .. }) => {}
            Event::End(TagEnd::Strong | TagEnd::Emphasis | TagEnd::Strikethrough | TagEnd::Link) => {}
            Event::Start(_) | Event::End(_) => text.push(' '),
            Event::InlineHtml(tag) if TAGS.contains(&&*tag) => {}
            Event::InlineHtml(tag) if &*tag == "<br>" => text.push(' '),
            Event::Html(_) | Event::InlineHtml(_) => panic!("markup came through: {markdown}"),
            other => panic!("{other:?}"),
        }
    }
    words(&text)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The marks of formulas on pages. Markdown has others.
const FORMULA_MARKS: [(&str, &str); 2] = [("\\(", "\\)"), ("\\[", "\\]")];

/// Whether a page may have a formula between marks.
fn may_have_formula(page: &str) -> bool {
    let is_between = |(begin, end): &(&str, &str)| page.split_once(begin).is_some_and(|(_, rest)| rest.contains(end));
    FORMULA_MARKS.iter().any(is_between)
}

/// The words without the marks of formulas, those of pages and those of Markdown.
fn without_marks(text: &[String]) -> Vec<String> {
    let marks = FORMULA_MARKS.iter().flat_map(|(begin, end)| [*begin, *end]).chain(["$"]);
    words(&marks.fold(text.join(" "), |text, mark| text.replace(mark, " ")))
}

fn check_round_trip(page: &str) {
    let document = parse(page.as_bytes(), Some("utf-8"), &Default::default());
    let markdown = written(page, NO_IMAGES);
    let (found, expect) = (read(&markdown), words(&text::text(&document, &all(&document))));
    match may_have_formula(page) {
        true => assert_eq!(without_marks(&found), without_marks(&expect), "{page}\n---\n{markdown}"),
        false => assert_eq!(found, expect, "{page}\n---\n{markdown}"),
    }
}

#[test]
fn a_formula_comes_back_in_other_marks() {
    for page in
        ["<p>\\[x]\\](y)</p>", "<p>a \\(b\\) c</p>", "<p>\\[ x^2 \\]</p>", "<p>\\[ ]\\](y)", "<p>\\(a</p><p>\\]"]
    {
        check_round_trip(page);
    }
}

#[test]
fn what_pages_mean_is_said_in_markdown() {
    for (page, expect) in [
        ("", ""),
        ("<h1>A <b>b</b></h1><p>c<br>d<h2>E #</h2>", "# A b\n\nc\\\nd\n\n## E \\#"),
        ("<p>a <b>b <i>c</i></b> <a href=../e>d</a>", "a **b *c*** [d](https://x.example/e)"),
        ("<p>un<b>believ</b>able <b>\"so\"</b>so <s>x</s>", "un**believ**able \"so\"so ~~x~~"),
        ("<ul><li>a<ul><li>b<li>c</ul><li><p>d<p>e</ul>", "- a\n  - b\n  - c\n- d\n\n  e"),
        ("<ol start=9><li>a<li>b</ol><ol><li>c</ol>", "9. a\n10. b\n\n1) c"),
        ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b"),
        ("<blockquote><p>a<p>b<blockquote>c</blockquote></blockquote>d", "> a\n>\n> b\n>\n> > c\n\nd"),
        (
            "<pre><code class='hljs language-Rust'>fn a() {\n  b\n}\n</code></pre>x",
            "```rust\nfn a() {\n  b\n}\n```\n\nx",
        ),
        ("<p>see <code>a`b</code> and <code>c</code>", "see ``a`b`` and `c`"),
        (
            "<table><caption>T</caption><tr><th>a<th>b|c<tr><td colspan=2>d<tr><td rowspan=2>e<td>f<br>g<tr><td>h</table>",
            "T\n\n| a | b\\|c |\n| --- | --- |\n| d |  |\n| e | f<br>g |\n|  | h |",
        ),
        ("<table><tr><td><h2>a</h2><td>b<tr><td>c</table>", "## a\n\nb\n\nc"),
        ("<p>a<hr><p>b<hr>", "a\n\n***\n\nb"),
        ("<dl><dt>a<dd>b</dl>", "**a**\n\nb"),
        ("<p>a<sup><a href=#n1>[1]</a></sup> b<ol><li id=n1>c <a href=#r>↩</a></ol>", "a[^1] b\n\n[^1]: c"),
        (
            "<p>1. a<p>- b<p># c<p>+<p>> d<p>a_b _c_ *d* [e](f) &lt;b> &amp;lt; !<a href=g>h</a>",
            "1\\. a\n\n\\- b\n\n\\# c\n\n\\+\n\n\\> d\n\na_b \\_c\\_ \\*d\\* [e\\](f) \\<b> \\&lt; \\![h](https://x.example/d/g)",
        ),
        ("<p><a href='javascript:x()'>a</a> <a href='x(y)'>b</a>", "a [b](https://x.example/d/x%28y%29)"),
        (
            "<p>a<p><picture><img src=i.png alt='An [i]'></picture><p>b<figure><img data-src=j.png src=data:x><figcaption>c</figcaption></figure>",
            "a\n\n![An \\[i\\]](https://x.example/d/i.png)\n\nb\n\n![](https://x.example/d/j.png)\n\nc",
        ),
        ("<a href=u><h3>a</h3><p>b</a>", "### [a](https://x.example/d/u)\n\n[b](https://x.example/d/u)"),
    ] {
        assert_eq!(written(page, Along::default()), expect, "{page}");
    }
}

#[test]
fn only_what_markdown_would_read_is_escaped() {
    for (text, expect) in [
        (
            "Hello! -5 to +3, #tag #1 = x, 5 * 3 ~ 15, ~5 km, a | b",
            "Hello! -5 to +3, #tag #1 = x, 5 * 3 ~ 15, ~5 km, a | b",
        ),
        ("[1] see [Smith 2004], C:\\dir", "[1] see [Smith 2004], C:\\dir"),
        ("-5 degrees", "-5 degrees"),
        ("#hashtag", "#hashtag"),
        ("1.5 and 2. x", "1.5 and 2. x"),
        ("= x", "= x"),
        ("[ ] x", "\\[ ] x"),
        ("* x", "\\* x"),
        ("_ _ _", "\\_ _ _"),
        ("-- | --", "\\-- | --"),
        ("[^1] [a]: b ![c](d)", "\\[^1] [a\\]: b \\![c\\](d)"),
        ("a\\", "a\\\\"),
    ] {
        assert_eq!(written(&format!("<p>{text}"), NO_IMAGES), expect);
        check_round_trip(&format!("<p>{text}"));
    }
    let links = "<p><a href='/?a=1&amp;b=2'>[a]</a> <a href='/?a&amp;amp;b'>b</a>";
    let expect = "[\\[a\\]](https://x.example/?a=1&b=2) [b](https://x.example/?a\\&amp;b)";
    assert_eq!(written(links, NO_IMAGES), expect);
}

#[test]
fn a_hidden_picture_is_not_written() {
    for picture in [
        "<img src=i hidden>",
        "<img src=i style='display:none'>",
        "<span hidden><img src=i></span>",
        "<img src=i width=1 height=1>",
        "<noscript><img src=i height=1px width=1px></noscript>",
    ] {
        assert_eq!(written(&format!("<p>a {picture} b"), Along::default()), "a b", "{picture}");
    }
    assert_eq!(written("<div hidden>a <img src=i> b</div>", Along::default()), "a ![](https://x.example/d/i) b");
}

#[test]
fn a_picture_that_is_loaded_later_is_written_once() {
    for pictures in [
        "<img data-src=i src=data:x alt=c><noscript><img src=i alt=c></noscript>",
        "<img src=data:x> <noscript><img src=i alt=c></noscript>",
        "<span><img src=/blank.gif data-lazy-srcset=x alt=c></span><noscript><img src=i></noscript>",
        "<noscript><img src=i alt=c></noscript><img hidden src=data:x data-src=j>",
        "<noscript><img src=i alt=c></noscript>",
    ] {
        let markdown = written(&format!("<p>a {pictures} b"), Along::default());
        assert_eq!(markdown, "a ![c](https://x.example/d/i) b", "{pictures}");
    }
    let two = written("<p>a<img src=i><noscript><img src=j></noscript>", Along::default());
    assert_eq!(two, "a ![](https://x.example/d/i) ![](https://x.example/d/j)");
}

#[test]
fn raised_and_lowered_text_stays_so() {
    for (page, expect) in [
        ("<p>10<sup>6</sup> H<sub>2</sub>O", "10<sup>6</sup> H<sub>2</sub>O"),
        ("<p><b>x<sup>2</sup></b> y <i><sub>a</sub></i>", "**x<sup>2</sup>** y *<sub>a</sub>*"),
        ("<p>a<sup><a href=u>[1]</a></sup>", "a[<sup>\\[1\\]</sup>](https://x.example/d/u)"),
        ("<p>a&lt;<sup> &lt;/sup> </sup>", "a< <sup>\\</sup></sup>"),
    ] {
        assert_eq!(written(page, Along::default()), expect, "{page}");
        check_round_trip(page);
    }
}

#[test]
fn quotations_have_marks_and_ruby_has_parentheses() {
    for (page, expect) in [
        ("<p>She said <q>a <q>b</q></q>!", "She said “a ‘b’”!"),
        ("<p><q>“a”</q> \"<q>b</q>\"", "“a” \"b\""),
        ("<div><b>a <q>b</q></b><q><p>c</p></q></div>", "**a “b”**\n\n“c”"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby><ruby>字<rt>ji</rt></ruby>", "漢(kan)字(ji)"),
    ] {
        assert_eq!(written(page, Along::default()), expect, "{page}");
    }
}

#[test]
fn a_heading_does_not_link_to_itself() {
    for page in [
        "<h2>Usage<a class=headerlink href='#usage'>¶</a></h2>",
        "<h2 id=usage><a href='#usage'>#</a>Usage <a href='/docs#usage'>Permalink</a></h2>",
        "<section id=usage><h2>Usage<a href='https://x.example/d/#usage'> 🔗 </a></h2></section>",
        "<h2>Usage<a href='#usage'><img src=link.png></a></h2>",
        "<h2>Usage<a href='#usage'>\u{200b}</a></h2>",
    ] {
        assert_eq!(written(page, Along::default()), "## Usage", "{page}");
        check_kept(page, page);
    }
    let real = written("<h2><a href='#usage'>Usage</a> <a href='/a#b'>§</a></h2>", Along::default());
    assert_eq!(real, "## Usage [§](https://x.example/a#b)");
}

#[test]
fn code_of_no_language_names_none() {
    for class in
        ["language-auto", "lang-plain", "hljs nohighlight", "language-text", "language-none", "language-plaintext"]
    {
        assert_eq!(written(&format!("<pre class='{class}'>a</pre>"), NO_IMAGES), "```\na\n```", "{class}");
    }
    let inner = written("<pre class=language-none><code class=language-c>a</code></pre>", NO_IMAGES);
    assert_eq!(inner, "```c\na\n```");
}

#[test]
fn numbers_of_lines_are_no_code() {
    let code = "```\na\n\n  b\n```";
    for page in [
        "<table><tr><td class=gutter><pre>1\n2\n3</pre></td><td><pre>a\n\n  b</pre></td></tr></table>",
        "<table><tr><td><span>1</span><br><span>2</span><br><span>3</span></td><td><pre>a\n\n  b</pre></table>",
        "<pre><span><span>1</span><span>a\n</span></span><span><span>2</span><span>\n</span></span><span><span>3</span><span>  b\n</span></span></pre>",
        "<pre><code><i>7 </i>a\n<i>8 </i>\n<i>9 </i>  b</code></pre>",
        "<pre><table><tr><td>1</td><td>a</td></tr><tr><td>2</td><td><br></td></tr><tr><td>3</td><td>  b</td></tr></table></pre>",
    ] {
        assert_eq!(written(page, NO_IMAGES), code, "{page}");
        check_kept(page, page);
    }
    for (page, expect) in [
        ("<pre><span>1</span>\n<span>2</span></pre>", "```\n1\n2\n```"),
        ("<pre><b>1</b> a\n<b>3</b> b</pre>", "```\n1 a\n3 b\n```"),
        ("<pre><b>1</b> a\nb</pre>", "```\n1 a\nb\n```"),
    ] {
        assert_eq!(written(page, NO_IMAGES), expect, "{page}");
    }
}

#[test]
fn a_table_without_a_header_has_an_empty_one() {
    for (page, expect) in [
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"),
        ("<table><thead><tr><td>a<td>b<tbody><tr><td>c<td>d</table>", "| a | b |\n| --- | --- |\n| c | d |"),
        ("<table><tr><td><th>b<tr><th>c<td>d</table>", "|  | b |\n| --- | --- |\n| c | d |"),
        ("<table><tr><th>a<td>b<tr><th>c<td>d</table>", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"),
        (
            "<table><tr><th>a<th>b<tr><td><ul><li>c<li>d</ul><td>e<p>f</table>",
            "| a | b |\n| --- | --- |\n| c<br>d | e<br>f |",
        ),
    ] {
        assert_eq!(written(page, NO_IMAGES), expect, "{page}");
        check_round_trip(page);
    }
}

#[test]
fn items_have_their_numbers_and_tasks_their_boxes() {
    for (page, expect) in [
        ("<ol><li>a<li value=7>b<li>c</ol>", "1. a\n7. b\n8. c"),
        ("<ol><li value=x>a</ol>", "1. a"),
        ("<ol reversed><li>a<li>b<li>c</ol>", "3. a\n2. b\n1. c"),
        ("<ol reversed start=9><li>a<li>b</ol>", "9. a\n8. b"),
        ("<ol reversed><li>a<li value=7>b<li>c</ol>", "3. a\n7. b\n6. c"),
        ("<ol reversed><li>a<ol reversed><li>b<li>c</ol><li>d</ol>", "2. a\n\n   2. b\n   1. c\n1. d"),
        ("<ol reversed><li>a<ol><li>b<li>c</ol><li>d</ol>", "2. a\n   1. b\n   2. c\n1. d"),
        ("<ol reversed start=0><li>a<li>b</ol>", "0. a\n0. b"),
        (
            "<ul><li><input type=checkbox checked> a<li><label><input type=checkbox>b</label><li>c <input type=checkbox></ul>",
            "- [x] a\n- [ ] b\n- c",
        ),
        ("<ul><li><p><input type=checkbox disabled><a href=u>a</a></ul>", "- [ ] [a](https://x.example/d/u)"),
    ] {
        assert_eq!(written(page, NO_IMAGES), expect, "{page}");
        check_round_trip(page);
        check_kept(page, page);
    }
}

#[test]
fn nothing_commands_a_terminal_or_reorders_what_is_read() {
    let page = "<h1>A\u{1b}]0;x\u{7}</h1><p title='\u{202e}'>un\u{ad}broken \u{202e}b\u{2066}<img src=i alt='\u{9b}c'> <a href='\u{202e}d'>e</a><pre>f\u{9b}\u{feff}\u{0b}g</pre>";
    let expect =
        "# A]0;x\n\nunbroken b ![c](https://x.example/d/i) [e](https://x.example/d/%E2%80%AEd)\n\n```\nf g\n```";
    assert_eq!(written(page, Along::default()), expect);
    check_kept(page, page);
}

#[test]
fn links_and_images_go_where_they_are_not_wanted() {
    let page = "<p>a <a href=b>c</a> <img src=d alt=e>";
    assert_eq!(written(page, Along { links: false, images: false }), "a c");
    assert_eq!(written(page, Along { links: false, images: true }), "a c ![e](https://x.example/d/d)");
}

/// A record stores HTML. Every format made from it equals the one made from the page itself.
fn check_kept(page: &str, name: &str) {
    let document = parse(page.as_bytes(), Some("utf-8"), &Default::default());
    let (content, base) = (all(&document), Url::parse("https://x.example/d/").unwrap());
    let kept = html::html(&document, &content, Some(&base), Along::default());
    let fragment = Fragment::parse(&kept);
    assert_eq!(fragment.html(Along::default()), kept, "{name}");
    assert_eq!(words(&fragment.text()), words(&text::text(&document, &content)), "{name}\n{kept}");
    for along in [Along::default(), Along { links: false, images: true }, NO_IMAGES] {
        assert_eq!(fragment.markdown(along), markdown(&document, &content, Some(&base), along), "{name}\n{kept}");
    }
}

#[test]
fn kept_markup_says_what_the_page_says() {
    for page in [
        "",
        "<h1>A <b>b</b></h1><p>c<br>d<h2>E</h2><hr>",
        "<main>one<section>two<header>three</header></section>four</main>",
        "<ul><li>a<ul><li>b</ul><li><p>d<p>e</ul><menu><li>f</menu><ol start=9><li>g</ol>",
        "<pre class='brush: rust'>\n\n  a <b>b</b>\n<i>c</i>\n  <b>d</b></pre><pre data-lang=C++>x<br>y</pre>",
        "<p>a<sup><a href=#n1>[1]</a></sup> b<sup><a href=#n2>[2]</a></sup><ol><li id=n1>c <a href=#r>↩</a><li id=n2>d</ol>",
        "<table><caption>T</caption><tr><th>a<th>b|c<tr><td colspan=2>d<tr><td rowspan=2>e<td>f<br>g<tr><td>h</table>",
        "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table><dl><dt>a<dd>b</dl>",
        "<p>a<figure><img data-src=j.png src=data:x alt='&quot;\">'><figcaption>c</figcaption></figure><p><a href=javascript:x()>b</a>",
        "<p><strike>a</strike> <tt>b</tt> <q>c</q> <a href='/x?a&amp;b'>d</a> &lt;script>x&lt;/script> &amp;amp;",
        "<p>a<sup>2</sup><sub>b</sub> <q>c <q>d</q></q> <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>",
        "<div><div><ul><li><input type=checkbox checked> a<li value=9>b</ul></div></div><div><div> <div>c</div></div></div>",
        "<table><tr><td>a<td>b<br>c<tr><td><ul><li>d<li>e</ul><td>f</table><pre><div>g</div><div><br></div><div>h</div></pre>",
        "<p>a<noscript><img src=i></noscript><img data-src=i src=data:x><img src=j hidden> \u{200b}<b>\u{ad}</b>c",
        "<details><summary>a</summary>b</details><fieldset><legend>c</legend>d</fieldset><custom-tag>e</custom-tag>",
    ] {
        check_kept(page, page);
    }
    let mut pages = 0;
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"))];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "html") {
                check_kept(&String::from_utf8_lossy(&std::fs::read(&path).unwrap()), &path.display().to_string());
                pages += 1;
            }
        }
    }
    assert!(pages > 50, "{pages} pages");
}

#[test]
fn text_alone_becomes_paragraphs() {
    let fragment = Fragment::of_text("A <b>\n\none\ntwo & three\n\n\n\n");
    assert_eq!(fragment.html(Along::default()), "<p>A &lt;b&gt;</p>\n<p>one<br>two &amp; three</p>");
    assert_eq!(fragment.text(), "A <b>\n\none\ntwo & three");
}

/// A link around a table becomes a link in each cell.
#[test]
fn a_link_around_a_table_of_data_is_a_link_in_each_cell() {
    let fragment = Fragment::parse("<a href=\"http://a.example/\"><table><tr><th>a<th>b<tr><td>c<td>d</table></a>");
    let markdown = fragment.markdown(Along::default());
    assert_eq!(markdown.matches("](").count(), 4, "{markdown}");
    assert!(!fragment.tei(Along::default(), &Default::default()).is_empty());
}

#[test]
fn nesting_without_end_is_bounded_and_loses_nothing() {
    for tag in ["ul><li", "blockquote", "b", "ol", "table><tr><td", "a href=x", "pre"] {
        let page = format!("{}deep", format!("<{tag}>").repeat(2_000));
        let markdown = written(&page, NO_IMAGES);
        assert!(markdown.contains("deep") && markdown.len() < 1_000, "{tag}: {markdown}");
    }
}

#[test]
fn round_trips_of_what_is_easily_misread() {
    for page in [
        "<p>a<b>b</b><i>c</i><b><i>d</i></b>e<i><b>f</b>g</i>",
        "<p><b>a</b><i>b</i> <b>a<i>b</i></b><i>c</i>",
        "<p><code>a</code><b><code>b</code></b><code>c</code>`d`",
        "<p>a <b> b </b> c<b> </b>d<p>===<p>---<p>* * *<p>```<p>~~~ x",
        "<p>a<br>---<br>===<br># b<br>- c<br>1) d<br>| e |<br>:-- | --:",
        "<table><tr><td>a|b<td><code>c|d</code><tr><td>\\|<td>**e**</table>",
        "<p>[a]: /b 'c'<p>[^a]: b<p>[x] y<p>http://x.example/_a_ <b>www.x.example</b>",
        "<ul><li><pre>a\n\n  b</pre><li><ul><li><blockquote>c</blockquote></ul></ul>",
        "<ol><li>a<ol start=3><li>b</ol><li>c</ol><ol start=7><li>d</ol>",
        "<p>a &amp;amp; b &amp;#35; &amp;copy; &lt;!-- c --&gt; &lt;script&gt; &lt;?x?&gt; &lt;http://a&gt;",
        "<p>\\ \\* \\\\<br>\\",
        "<h1>a<br>b</h1><h2><p>c</p><p>d</p></h2><h3># #</h3>",
        "<p>a\u{a0}<b>\u{a0}b</b>\u{a0}c",
        "<p>a!<a href=b>c</a><p>!<a href=b>c</a>",
        "<p>~a <s>b</s> c~ ~~ ~d<s>e</s>~ ~<s>f</s>",
        "<p>[a]<sup>:</sup> b<p>[a]<a href=b>c</a>[<a href=b>d</a>](e)<p>x[<b>a</b>](c)",
        "<p>* a<br>* b<br>_ _ _<br>5 * 3 * 2<br>a\\<b>b</b>\\<br>c\\",
        "<ul><li>[x] a<li>[ ] b<li>[X]</ul>",
        "<p>*<br>*<i>*</i>",
        "<p><i><code>a</code></i><code> b </code><sup><code>c</code></sup>",
    ] {
        check_round_trip(page);
    }
}

/// Pages made of hard cases: Markdown marks as text, nested elements.
fn fragment() -> impl Strategy<Value = String> {
    let texts = [
        "a",
        "~",
        "[ ]",
        "^",
        "\u{ad}",
        "<br>",
        "b c",
        " ",
        "*",
        "**",
        "_",
        "`",
        "```",
        "~~",
        "[x]",
        "](y)",
        "!",
        "#",
        "1.",
        "-",
        "+",
        ">",
        "|",
        "\\",
        "<",
        "&amp;",
        "&amp;lt;",
        "\"",
        "é",
        "漢字",
        "\n",
        "(",
        ")",
        ":",
        "=",
        "\u{a0}",
        "http://x.example/",
    ];
    let leaf = prop::sample::select(texts.to_vec())
        .prop_map(|text| if text == "<br>" { text.to_owned() } else { text.replace('<', "&lt;") });
    let names = [
        "p",
        "div",
        "b",
        "i",
        "code",
        "s",
        "a href=u",
        "ul",
        "ol",
        "ol start=4",
        "li",
        "blockquote",
        "pre",
        "h2",
        "table",
        "tr",
        "td",
        "th",
        "span",
        "dt",
        "dd",
        "sup",
        "sub",
    ];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        (prop::sample::select(names.to_vec()), prop::collection::vec(inner, 0..6)).prop_map(|(name, inner)| {
            let end = name.split(' ').next().unwrap();
            format!("<{name}>{}</{end}>", inner.concat())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_page_comes_back_with_its_text(parts in prop::collection::vec(fragment(), 1..8)) {
        check_round_trip(&parts.concat());
    }

    /// HTML for display has only allowed elements and attributes, and links with harmless schemes.
    #[test]
    fn html_is_harmless(parts in prop::collection::vec(hostile(), 1..8)) {
        let page = parts.concat();
        let document = parse(page.as_bytes(), Some("utf-8"), &Default::default());
        let out = html::html(&document, &all(&document), None, Along::default());
        let again = parse(out.as_bytes(), Some("utf-8"), &Default::default());
        for node in again.descendants(again.root()) {
            let Some(name) = again.name(node) else { continue };
            prop_assert!(!["script", "style", "iframe", "object", "embed", "svg", "math", "form", "base", "link", "meta", "template"].contains(&name), "{}: {}", page, out);
            for attribute in again.attributes(node).iter() {
                let known = ["href", "src", "alt", "title", "lang", "dir", "datetime", "colspan", "rowspan", "start", "reversed", "value", "class", "type", "checked", "disabled"];
                prop_assert!(known.contains(&attribute.name), "{}: {}", page, out);
                let value = attribute.value.trim().to_ascii_lowercase();
                prop_assert!(!value.starts_with("javascript:") && !value.starts_with("data:") && !value.starts_with("vbscript:"), "{}: {}", page, out);
            }
        }
    }
}

/// Known attacks on sanitisers: handlers, schemes, foreign content, markup in attributes.
fn hostile() -> impl Strategy<Value = String> {
    let parts = [
        "<script>x()</script>",
        "<p onclick=x()>a",
        "<a href='javascript:x()'>a</a>",
        "<a href='java\nscript:x()'>a</a>",
        "<a href=' &#1;javascript:x()'>a</a>",
        "<img src=x onerror=x()>a",
        "<img src='data:text/html,x'>a",
        "<svg><style><img src=x onerror=x()></style>a</svg>",
        "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=x()&gt;'>a",
        "<p title='\"><script>x()</script>'>a",
        "<iframe src=x>a</iframe>",
        "<noscript><p title='</noscript><img src=x onerror=x()>'>a</noscript>",
        "<style>@import x</style>",
        "<base href=//evil.example>",
        "<form action=x><input name=y>a</form>",
        "<p style='background:url(x)' class=language-x id=y>a",
        "<code class='language-\"x onload=y'>a</code>",
        "<!-- a --!><script>x()</script>",
        "a &lt;script&gt; b",
        "<textarea></textarea><b>a",
        "<ul><li><input type=checkbox onclick=x() formaction='javascript:x()' checked=x>a</ul>",
    ];
    prop::sample::select(parts.to_vec()).prop_map(str::to_owned)
}
