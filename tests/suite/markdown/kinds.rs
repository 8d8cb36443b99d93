//! Kinds of pages that readers reported of extractors: rules, lists, pictures, formulas, tables,
//! and texts that work the page. Each table has inputs of one kind.

use tsrec_core::html::parse;
use tsrec_core::page::Content;
use tsrec_core::render::Along;
use tsrec_core::render::markdown::markdown;
use url::Url;

use super::{NO_IMAGES, all, check_kept, check_round_trip, written};

/// Lines across the page stand on their own, where the page has them.
#[test]
fn a_rule_is_in_no_other_block() {
    for (page, expect) in [
        ("<ul><li>a</ul><hr><ul><li>b</ul>", "- a\n\n***\n\n- b"),
        ("<p>a<hr><ol><li>b<li>c</ol>", "a\n\n***\n\n1. b\n2. c"),
        ("<p>a<hr><blockquote>b</blockquote>", "a\n\n***\n\n> b"),
        ("<blockquote>a</blockquote><hr><blockquote>b</blockquote>", "> a\n\n***\n\n> b"),
        ("<blockquote>a<hr>b</blockquote>c", "> a\n>\n> ***\n>\n> b\n\nc"),
        ("<ul><li>a<hr>b</ul>", "- a\n\n  ***\n\n  b"),
        ("<ul><li>a</li><hr><li>b</ul>", "- a\n\n***\n\n- b"),
        ("<ul><li>a<hr></ul>b", "- a\n\n***\n\nb"),
        ("<ul><li><hr>a</ul>", "- a"),
        ("<p>a<sup><a href=#n>1</a></sup><hr><ol><li id=n>b</ol>", "a[^1]\n\n***\n\n[^1]: b"),
        ("<p>a<hr><hr><p>b<hr>", "a\n\n***\n\nb"),
        ("<hr><p>a", "a"),
        ("<p>a<div><hr></div><p>b", "a\n\n***\n\nb"),
        ("<p>a<hr><pre>b</pre>", "a\n\n***\n\n```\nb\n```"),
        ("<ul><li>a<ul><li>b</ul><hr></ul><ul><li>c</ul>", "- a\n  - b\n\n***\n\n* c"),
    ] {
        assert_eq!(written(page, NO_IMAGES), expect, "{page}");
        check_round_trip(page);
        check_kept(page, page);
    }
}

#[test]
fn a_list_directly_in_a_list_belongs_to_the_item_before_it() {
    for (page, expect) in [
        ("<ul><li>a</li><ul><li>b</li><li>c</li></ul><li>d</li></ul>", "- a\n  - b\n  - c\n- d"),
        ("<ol><li>a</li><ol><li>b</li></ol><li>c</li></ol>", "1. a\n   1. b\n2. c"),
        ("<ul><li>a</li><ol><li>b</ol><ul><li>c</ul></ul>", "- a\n  1. b\n  - c"),
        ("<ul><li>a</li><ul><li>b</li><ul><li>c</ul></ul></ul>", "- a\n  - b\n    - c"),
        ("<ul><li>a</li><div><ul><li>b</ul></div></ul>", "- a\n  - b"),
        ("<ul><ul><li>a</ul><li>b</ul>", "- a\n- b"),
        ("<ul><li><p>a</p><p>b</p></li><ul><li>c</ul></ul>", "- a\n\n  b\n  - c"),
        ("<ul><li></li><ul><li>a</ul></ul>", "- a"),
        ("<blockquote><ul><li>a</li><ul><li>b</ul></ul></blockquote>", "> - a\n>   - b"),
        ("<ul><li>a</li><menu><li>b</menu></ul>", "- a\n  - b"),
    ] {
        assert_eq!(written(page, NO_IMAGES), expect, "{page}");
        check_round_trip(page);
        check_kept(page, page);
    }
}

#[test]
fn a_picture_alone_in_a_link_keeps_it() {
    for (page, expect) in [
        (
            "<p>a</p><a href=b><img src=i alt=c></a><p>d",
            "a\n\n[![c](https://x.example/d/i)](https://x.example/d/b)\n\nd",
        ),
        ("<p>a <a href=b><img src=i></a>", "a [![](https://x.example/d/i)](https://x.example/d/b)"),
        (
            "<p>a<figure><a href=b><picture><img src=i></picture></a><figcaption>c</figcaption></figure>",
            "a\n\n[![](https://x.example/d/i)](https://x.example/d/b)\n\nc",
        ),
        ("<p>a <a href=b>c <img src=i></a>", "a [c ![](https://x.example/d/i)](https://x.example/d/b)"),
        ("<p>a <a href='javascript:x()'><img src=i></a>", "a ![](https://x.example/d/i)"),
        ("<ul><li>a<li><a href=b><img src=i></a></ul>", "- a\n- [![](https://x.example/d/i)](https://x.example/d/b)"),
        // A way to another part of the page is not.
        ("<p>a</p><div><a href=#top><img src=up.gif alt=top></a></div><p>b", "a\n\nb"),
    ] {
        assert_eq!(written(page, Along::default()), expect, "{page}");
        check_kept(page, page);
    }
}

#[test]
fn a_picture_stands_once_whatever_the_device() {
    let one = "a\n\n![c](https://x.example/d/i)\n\nb";
    for pictures in [
        "<figure><img src=i alt=c><img src=j alt=c></figure>",
        "<figure><img class=desktop-only src=i alt=c><img class=mobile-only src=j alt=c></figure>",
        "<div><img class='d-none d-md-block' src=i alt=c><img class=d-md-none-mobile src=j alt=c></div>",
        "<div class=image><div class=hidden-xs><img src=i alt=c></div><div class=visible-xs><img src=j alt=c></div></div>",
        "<div><img src=i alt=c><img src=i alt=c></div>",
        "<amp-img src=i alt=c width=3 height=2><noscript><img src=i alt=c></noscript></amp-img>",
        "<amp-img srcset='j 1w, i 2w' alt=c></amp-img>",
        "<div class=image><img src=i alt=c></div>",
    ] {
        assert_eq!(written(&format!("<p>a</p>{pictures}<p>b"), Along::default()), one, "{pictures}");
    }
    for (pictures, expect) in [
        ("<div><img src=i alt=c><img src=j alt=c></div>", 2),
        ("<figure><img src=i alt=c><img src=j alt=d></figure>", 2),
        // An icon stands everywhere.
        ("<img src=i><p>c<img src=i><p>d<img src=i>", 0),
    ] {
        let markdown = written(&format!("<p>a</p>{pictures}<p>b"), Along::default());
        assert_eq!(markdown.matches("![").count(), expect, "{pictures}");
    }
}

/// The Markdown of a page without the texts that contain a cross.
fn without_crossed(page: &str) -> String {
    let document = parse(page.as_bytes(), Some("utf-8"), &Default::default());
    let base = Url::parse("https://x.example/d/").unwrap();
    let kept = all(&document).into_pieces().into_iter().filter(|piece| !piece.text(&document).contains('✗'));
    markdown(&document, &Content::new(kept), Some(&base), Along::default())
}

#[test]
fn what_has_no_words_goes_where_its_box_goes() {
    let image = "![](https://x.example/d/i)";
    for (page, is_kept) in [
        // A caption that goes leaves its picture, in whatever box.
        ("<p>a</p><figure><img src=i><figcaption>✗ c</figcaption></figure><p>b", true),
        ("<p>a</p><div class=image><img src=i><p class=caption>✗ c</p></div><p>b", true),
        ("<p>a</p><div class=wp-caption><a href=i><img src=i></a><p>✗ c</p></div><p>b", true),
        ("<h1>a</h1><p>✗ by c</p><figure><img src=i><figcaption>✗ d</figcaption></figure><p>b", true),
        // Teasers, logos and banners go with their boxes.
        ("<p>a</p><div class=teaser><img src=i><h3>✗ c</h3></div><p>b", false),
        ("<p>a</p><figure><a href=c><img src=i></a><figcaption><a href=c>✗ c</a></figcaption></figure><p>b", false),
        ("<div><a href=/><img src=i alt=Logo></a><nav>✗ c</nav><main>a</main></div><p>b", false),
        ("<p>a</p><div><ul><li><img src=i></li><li>✗ c</li></ul></div><p>b", false),
        ("<main>a</main><footer><img src=i></footer><p>b", false),
        ("<p>a</p><aside>✗ c <img src=i></aside><p>b", false),
        ("<div><p>✗ c</p><img src=i><p>✗ d</p><p>a</p></div>b", false),
        ("<div><script>var c = 1</script><img src=i></div><p>a</p>", true),
        ("<p>a</p><div><style>c {}</style><img src=i></div><p>b</p>", true),
    ] {
        assert_eq!(without_crossed(page).contains(image), is_kept, "{page}");
    }
    for page in ["<p>a</p><div><hr><p>✗ c</p></div><p>b", "<p>a</p><footer><hr></footer><aside>✗ c<hr></aside>"] {
        assert!(!without_crossed(page).contains("***"), "{page}");
    }
}

#[test]
fn formulas_are_written_as_tex_and_never_escaped() {
    let annotated = |tex: &str| {
        format!(
            "<math><semantics><mrow><mi>x</mi></mrow><annotation encoding='application/x-tex'>{tex}</annotation></semantics></math>"
        )
    };
    for (page, expect) in [
        (format!("<p>a {} b", annotated("x_1*y_2*[z](w)")), "a $x_1*y_2*[z](w)$ b"),
        (format!("<h2>a {}</h2>", annotated("\\frac{u}{n}")), "## a $\\frac{u}{n}$"),
        (
            format!("<table><tr><th>a<th>b<tr><td>{}<td>c</table>", annotated("|x|")),
            "| a | b |\n| --- | --- |\n| $\\vert x\\vert$ | c |",
        ),
        (format!("<p>{}", annotated("a&lt;b")), "$a< b$"),
        (format!("<p><b>a {}</b>", annotated("x_1")), "**a $x_1$**"),
        ("<p>a \\(x_1 * y_2\\) b_c_ \\[z^*\\]".to_owned(), "a $x_1 * y_2$ b_c\\_ $$z^*$$"),
        ("<p>a $$x_1*y*$$ costs $5_".to_owned(), "a $$x_1*y*$$ costs $5\\_"),
        ("<p>a <span class='math inline'>\\(x_1\\)</span>".to_owned(), "a $x_1$"),
        ("<p>a <span class=math-container>$x_1*y*$</span>".to_owned(), "a $x_1*y*$"),
        ("<p>a<div class='math notranslate'>\\[x_1\\]</div>".to_owned(), "a\n\n$$x_1$$"),
        ("<p><code>\\(x\\)</code>".to_owned(), "`\\(x\\)`"),
        ("<p>C:\\(x".to_owned(), "C:\\\\(x"),
    ] {
        assert_eq!(written(&page, NO_IMAGES), expect, "{page}");
        check_kept(&page, &page);
    }
}

#[test]
fn marks_within_code_do_not_cut_it() {
    for (page, expect) in [
        ("<p><code>a(<em>b</em>, <b>c</b>)</code>", "`a(b, c)`"),
        ("<p><b><code>a</code></b>", "**`a`**"),
        ("<p><code><del>a</del> b</code>", "`a b`"),
        ("<p><kbd><i>a</i></kbd>", "`a`"),
        ("<p><code>2<sup>n</sup></code>", "`2`<sup>`n`</sup>"),
        ("<p><i>a <code>b<b>c</b></code></i>", "*a `bc`*"),
    ] {
        assert_eq!(written(page, NO_IMAGES), expect, "{page}");
        check_round_trip(page);
    }
}

#[test]
fn columns_keep_their_sides_and_the_foot_comes_last() {
    let table = |rows: &str| format!("<table><tr><th>a<th>b</tr>{rows}</table>");
    for (rows, expect) in [
        ("<tr><td>c<td align=right>1<tr><td>d<td align=right>2", "--- | ---:"),
        ("<tr><td style='color:red; text-align: center'>c<td>1<tr><td style='text-align:center'>d<td>2", ":---: | ---"),
        ("<tr align=right><td>c<td>1<tr align=right><td>d<td class=text-left>2", "---: | ---"),
        ("<tr><td>c<td class=has-text-align-right>1<tr><td>d<td class='num text-right'>2", "--- | ---:"),
        ("<tr><td>c<td align=justify>1<tr><td>d<td style='text-align:inherit'>2", "--- | ---"),
        ("<tbody style='text-align: end'><tr><td>c<td>1<tr><td>d<td>2", "---: | ---:"),
    ] {
        let page = table(rows);
        let rule = format!("| {expect} |");
        let lines: Vec<String> = written(&page, NO_IMAGES).lines().map(str::to_owned).collect();
        assert_eq!(lines[1], rule, "{page}");
        check_kept(&page, &page);
    }
    for (page, expect) in [
        (
            "<table><tfoot><tr><td>sum<td>3</tfoot><thead><tr><th>a<th>b</thead><tbody><tr><td>c<td>1<tr><td>d<td>2</table>",
            "| a | b |\n| --- | --- |\n| c | 1 |\n| d | 2 |\n| sum | 3 |",
        ),
        ("<table><tbody><tr><td>c<td>1<thead><tr><th>a<th>b</table>", "| a | b |\n| --- | --- |\n| c | 1 |"),
        ("<table><thead><tr><th rowspan=9>a<th>b<tbody><tr><td>c<td>1</table>", "| a | b |\n| --- | --- |\n| c | 1 |"),
    ] {
        assert_eq!(written(page, NO_IMAGES), expect, "{page}");
        check_kept(page, page);
    }
}

#[test]
fn cells_that_span_many_rows_make_no_table_wide() {
    let timetable = "<table><tr><th>Day<th>Hour<th>Room<tr><td rowspan=3>Mon<td>8<td>a<tr><td>9<td>b<tr><td>10<td>c\
                     <tr><td rowspan=2>Tue<td rowspan=1000>8<td>d<tr><td>e</table>";
    let expect = "| Day | Hour | Room |\n| --- | --- | --- |\n| Mon | 8 | a |\n|  | 9 | b |\n|  | 10 | c |\n\
                  | Tue | 8 | d |\n|  |  | e |";
    assert_eq!(written(timetable, NO_IMAGES), expect);
    check_kept(timetable, timetable);

    for row in [
        "<tr><td rowspan=1000 colspan=9>a<td>b",
        "<tr><td rowspan=1000>a<td>b",
        "<tr><td rowspan=1000>a<td rowspan=1000>b",
        "<tr><td rowspan=65534 colspan=1000>a<td>b",
        "<tr><th rowspan=999>a<td>b<tr><td>c",
        "<tr><td rowspan=200>a<td rowspan=300>b<td rowspan=400>c",
        "<td rowspan=1000>a<td>b<tr>",
        "<tbody><tr><td rowspan=1000>a<td>b",
    ] {
        let page = format!("<table>{}</table>", row.repeat(2_000));
        let bytes = written(&page, NO_IMAGES).len();
        assert!(bytes <= page.len(), "{row}: {bytes} of {} bytes", page.len());
    }
}

#[test]
fn texts_that_work_the_page_are_not_written() {
    for (page, expect) in [
        // Buttons in headings and beside code; a heading that is a button stays.
        ("<h1>Function f <button>Copy item path</button></h1>", "# Function f"),
        ("<h2><button>Questions</button></h2>", "## Questions"),
        ("<h2><span>Uses</span><button><span>Toggle</span></button></h2>", "## Uses"),
        ("<pre><button class=copy>Copy</button><code>a</code></pre>", "```\na\n```"),
        ("<pre><code>a\n</code><div class=copy-btn>Copied!</div></pre>", "```\na\n```"),
        ("<pre>a<a role=button>Copy</a></pre>", "```\na\n```"),
        ("<pre><clipboard-copy>Copy code</clipboard-copy>a</pre>", "```\na\n```"),
        ("<div><button>Copy</button><pre>a</pre></div>", "```\na\n```"),
        (
            "<div class=language-js><button>Copy</button><span class=lang>js</span><pre><code>a</code></pre></div>",
            "```js\na\n```",
        ),
        ("<pre><code>copy(<span class=copy>a, b, c, d, e</span>)</code></pre>", "```\ncopy(a, b, c, d, e)\n```"),
        ("<p>a <button>b</button>", "a b"),
        // Permalinks, also of terms and captions.
        ("<dl><dt>a()<a class=headerlink href=#a title='Link to this definition'>¶</a><dd>b</dl>", "**a()**\n\nb"),
        ("<h2>a <a href=#a class=anchor>#</a></h2>", "## a"),
        ("<h2>a <a href=#a aria-label='Direct link'>Link to this heading</a></h2>", "## a"),
        ("<h3>a <a href=#a>§</a></h3>", "### a"),
        ("<h2><a href=#link>Link</a></h2>", "## Link"),
        ("<section id=m><a class=anchor href=#m>§</a><h4>fn m()</h4></section>", "#### fn m()"),
        ("<div id=m><h4>fn m()</h4><a href=' #m'>§</a></div>", "#### fn m()"),
        ("<p id=p>a, see <a href=#q>§</a>", "a, see [§](https://x.example/d/#q)"),
        ("<p id=p>a <a href='#'>§</a>", "a [§](https://x.example/d/#)"),
        // Shortcodes that nothing replaced, unless the text is about them.
        ("<p>[vc_row]<p>[vc_column_text css=\"x\"]a[/vc_column_text]<p>[/vc_row]", "a"),
        ("<pre><code>[gallery ids=\"1\"]</code></pre>", "```\n[gallery ids=\"1\"]\n```"),
        // Links of wikis to edit a section, and back from a footnote.
        ("<h2>a<span class=mw-editsection>[<a href=/e>edit</a>]</span></h2>", "## a"),
        (
            "<h2>a<span class=mw-editsection><span class=mw-editsection-bracket>[</span><a href=/e>Bearbeiten</a> | <a href=/e>Quelltext</a><span class=mw-editsection-bracket>]</span></span></h2>",
            "## a",
        ),
        (
            "<ol><li id=n><span class=mw-cite-backlink>^ <a href=#r><sup><i><b>a</b></i></sup></a> <a href=#s>b</a></span> c</ol>",
            "1. c",
        ),
        ("<p id=n>1. a <a href=#r>↩</a><br>2. b <a href=#s>↩︎</a>", "1\\. a\\\n2\\. b"),
        ("<p id=n>a <a href=#r class=footnote-backref>Back to the text</a>", "a"),
        ("<p id=n>a <a href='/p#fnref:1' role=doc-backlink>↩<sup>2</sup></a>", "a"),
        ("<p>a <a href=#note>*</a> <a href=#b>b</a>", "a [\\*](https://x.example/d/#note) [b](https://x.example/d/#b)"),
    ] {
        assert_eq!(written(page, Along::default()), expect, "{page}");
        check_kept(page, page);
    }
}

#[test]
fn cells_below_a_header_may_hold_what_else_is_a_block() {
    let table = |cell: &str| format!("<table><tr><th>a<th>b<tr><td>{cell}<td>c</table>");
    for (page, expect) in [
        (table("<h4>d</h4>"), "| a | b |\n| --- | --- |\n| d | c |"),
        (table("<blockquote><p>d</blockquote>"), "| a | b |\n| --- | --- |\n| d | c |"),
        (table("<pre><code>d | e</code></pre>"), "| a | b |\n| --- | --- |\n| `d \\| e` | c |"),
        (table("<pre>d\n</pre><p>e"), "| a | b |\n| --- | --- |\n| `d`<br>e | c |"),
        (
            "<table><tr><th><h3>a</h3><th><h3>b</h3><tr><td>c<td>d</table>".to_owned(),
            "| a | b |\n| --- | --- |\n| c | d |",
        ),
        (
            "<table><caption><h2>T</h2></caption><tr><th>a<th>b<tr><td>c<td>d</table>".to_owned(),
            "## T\n\n| a | b |\n| --- | --- |\n| c | d |",
        ),
        // Code of several lines needs them, and layout has no header.
        (table("<pre>d\ne</pre>"), "**a**\n\n**b**\n\n```\nd\ne\n```\n\nc"),
        (table("<pre>d<br>e</pre>"), "**a**\n\n**b**\n\n```\nd\ne\n```\n\nc"),
        ("<table><tr><td><h2>a</h2><td>b<tr><td>c<td>d</table>".to_owned(), "## a\n\nb\n\nc\n\nd"),
    ] {
        assert_eq!(written(&page, NO_IMAGES), expect, "{page}");
        check_kept(&page, &page);
    }
}

#[test]
fn notes_are_found_in_each_form_of_reference() {
    for (page, expect) in [
        // Substack, Word, and links with a number in brackets.
        (
            "<p>a<a class=footnote-anchor href=#f id=r>1</a><div class=footnote><a class=footnote-number id=f href=#r>1</a><div><p>b</div></div>",
            "a[^1]\n\n[^1]: b",
        ),
        (
            "<p>a<a href=#_ftn1 name=_ftnref1><span>[1]</span></a><div id=ftn1><p><a href=#_ftnref1 name=_ftn1><span>[1]</span></a> b</div>",
            "a[^1]\n\n[^1]: b",
        ),
        ("<p>a<a href=#f id=r>[1]</a><p id=f><a href=#r>[1]</a> b", "a[^1]\n\n[^1]: b"),
        ("<p>a<sup><a href=#f>1</a></sup><p><a id=f></a>b", "a[^1]\n\n[^1]: b"),
        ("<p>a<sup><a href=#f>2</a></sup><p><b><span id=f>2</span></b> b", "a[^2]\n\n[^2]: **2** b"),
        // Sphinx.
        (
            "<p>a <a class='footnote-reference brackets' href=#f id=r role=doc-noteref>1</a><aside id=f role=doc-footnote><span class=label><span>[</span><a role=doc-backlink href=#r>1</a><span>]</span></span><p>b</aside>",
            "a [^1]\n\n[^1]: b",
        ),
        // An anchor in the middle of a paragraph, a section, and a number of something else.
        ("<p>a<sup><a href=#f>1</a></sup><p>b <a id=f>c</a>", "a[<sup>1</sup>](https://x.example/d/#f)\n\nb c"),
        ("<p>a <a href=#f>[see b]</a><p id=f>c", "a [\\[see b\\]](https://x.example/d/#f)\n\nc"),
    ] {
        assert_eq!(written(page, NO_IMAGES), expect, "{page}");
        check_kept(page, page);
    }
}

#[test]
fn what_is_only_read_aloud_is_not_written() {
    for (page, expect) in [
        ("<p><span class=sr-only>Opens in a new window</span>a", "a"),
        ("<a href=u>More<span class='visually-hidden'> about b</span></a>", "[More](https://x.example/d/u)"),
        ("<h2>a <span class='x screen-reader-text'>b</span></h2>", "## a"),
        ("<p><span class=visually-hidden>Price: </span><b>$5</b>", "**$5**"),
        (
            "<table><tr><th>a<th>b<tr><td><span class=sr-only>a</span>c<td><span class=sr-only>b</span>d</table>",
            "| a | b |\n| --- | --- |\n| c | d |",
        ),
        // What parts words, and what is all that there is.
        ("<p>a<span class=sr-only>: </span>b", "a: b"),
        ("<h2><span class=sr-only>Notes</span></h2><p>a", "## Notes\n\na"),
        ("<h2 class=sr-only>Notes</h2><p>a", "## Notes\n\na"),
        ("<p>a <span class=only>b</span>", "a b"),
    ] {
        assert_eq!(written(page, NO_IMAGES), expect, "{page}");
        check_kept(page, page);
    }
}

#[test]
fn sentences_of_two_elements_are_apart() {
    for (page, expect) in [
        ("<div><span>One.</span><span>Two.</span></div>", "One. Two."),
        ("<x-p>One!</x-p><x-p>Two?</x-p><x-p>Three</x-p>", "One! Two? Three"),
        ("<p><span>U.</span><span>S.</span><span>A</span>", "U.S.A"),
        ("<p><span>a.b</span><span>c</span>", "a.bc"),
        ("<p><code><span>a.</span><span>B</span></code>", "`a.B`"),
    ] {
        assert_eq!(written(page, NO_IMAGES), expect, "{page}");
        check_kept(page, page);
    }
}
