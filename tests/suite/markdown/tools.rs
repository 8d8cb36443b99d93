//! Texts that work the page or are for the eye alone, and words that only a style sheet parts.

use tsrec_core::render::Along;

use super::{NO_IMAGES, written};

fn check(cases: &[(&str, &str)]) {
    for (page, expect) in cases {
        assert_eq!(written(page, NO_IMAGES), *expect, "{page}");
    }
}

#[test]
fn headings_and_terms_that_lead_to_themselves_are_no_links() {
    check(&[
        ("<h2 id=g><a class=header href=#g>Gain</a></h2>", "## Gain"),
        ("<h2 id=s><a href=#s>1. </a><a href=#n>Intro</a></h2>", "## 1. Intro"),
        ("<section id=g><h2><a href='#g'>Gain</a></h2></section>", "## Gain"),
        ("<h3><a id=g href='#g'><code>gain()</code></a></h3>", "### `gain()`"),
        ("<h2><a class=toc-backref href=#id4 role=doc-backlink>Why</a></h2>", "## Why"),
        ("<h2><a role=doc-backlink href=#id4>1.2 Why</a></h2>", "## 1.2 Why"),
        ("<h1><a href=https://x.example/d/>Why?</a></h1>", "# Why?"),
        ("<dl><dt id=w><a href=#w>width</a><dd>a</dl>", "**width**\n\na"),
        // They lead elsewhere, or to a note, or are a part of the heading.
        ("<h2>As in <a href=#s>part 3</a></h2>", "## As in [part 3](https://x.example/d/#s)"),
        ("<h1><a href=/other>Why?</a></h1>", "# [Why?](https://x.example/other)"),
        ("<dl><dt><a href=#w>width</a><dd>a</dl>", "[**width**](https://x.example/d/#w)\n\na"),
        ("<h2>Why<sup><a href=#n>1</a></sup></h2>", "## Why[<sup>1</sup>](https://x.example/d/#n)"),
        ("<p id=g><a href=#g>Gain</a>", "[Gain](https://x.example/d/#g)"),
    ]);
}

#[test]
fn line_numbers_are_no_code() {
    let code = "```\na = 1\nb = 2\n```";
    let named = format!("**a.py**\n\n{code}");
    check(&[
        (
            "<div><pre>a = 1\nb = 2</pre><div class=line-numbers-wrapper aria-hidden=true><span class=line-number>1</span><br><span class=line-number>2</span><br></div></div>",
            code,
        ),
        (
            "<table class=highlighttable><tr><th colspan=2 class=filename>a.py<tr><td class=linenos><pre>1\n2</pre><td class=code><pre>a = 1\nb = 2</pre></table>",
            &named,
        ),
        ("<table><tr><td class=lineno>7<td><pre>a = 1\nb = 2</pre></table>", code),
        ("<table><tr><td>1<td><pre>a = 1\nb = 2</pre></table>", code),
        ("<div class='row no-gutters'><span>42</span></div>", "42"),
        (
            "<table><thead><tr><th>Option<th>Default<tbody><tr><td><code>--jobs</code><td>1</table>",
            "| Option | Default |\n| --- | --- |\n| `--jobs` | 1 |",
        ),
    ]);
}

#[test]
fn bars_above_code_and_links_to_sources_are_not_written() {
    let code = "```js\nopen();\n```";
    check(&[
        (
            "<div><div class=header><span class=language-name>js</span><button><span>Copy to Clipboard</span></button></div><pre class=language-js>open();</pre></div>",
            code,
        ),
        ("<div><span class=lang>C#</span><button>Copy</button></div><pre class=language-js>open();</pre>", code),
        (
            "<div><span>a.js</span><button>Copy</button></div><pre class=language-js>open();</pre>",
            "a.js\n\n```js\nopen();\n```",
        ),
        (
            "<dl><dt>open(path)<a href=_modules/x#open><span class=viewcode-link>[source]</span></a><dd>Opens.</dl>",
            "**open(path)**\n\nOpens.",
        ),
        ("<h2>open <a class=source href=s>Source</a></h2><p>Opens.", "## open\n\nOpens."),
        ("<p><code>def open</code><label class=view-source-button>View Source</label>", "`def open`"),
        ("<p><a href=s>Source</a>", "[Source](https://x.example/d/s)"),
        ("<p>A boat. <span class=source>Source</span>: Ann Orr", "A boat. Source: Ann Orr"),
        ("<h3>open <span class=method-click-advice>click to toggle source</span></h3>", "### open"),
        ("<p>9<span aria-hidden=true>–</span>17 and <span aria-hidden=true>$</span>5", "9–17 and $5"),
        (
            "<p>The <a class=source-link href=s>source of the river</a>",
            "The [source of the river](https://x.example/d/s)",
        ),
        ("<details open><summary>Where?<span aria-hidden=true>+</span></summary>Here.</details>", "Where?\n\nHere."),
        ("<p>a <span aria-hidden=true>b</span> <span>+</span> c", "a b + c"),
        (
            "<ul><li><span><input type=checkbox class=wprm-checkbox><label><span class=sr-only>▢ </span></label></span>2 eggs</ul>",
            "- 2 eggs",
        ),
        ("<ul class=ingredients><li><input type=checkbox> 2 eggs</ul>", "- 2 eggs"),
        ("<ul><li><input type=checkbox> pack</ul>", "- [ ] pack"),
    ]);
}

#[test]
fn labels_side_by_side_are_apart() {
    check(&[
        ("<p><span class=name>Ann Orr</span><span class=post>Editor</span>", "Ann Orr Editor"),
        ("<p><a class=user>ann</a><time class=day>3 May</time>", "ann 3 May"),
        ("<p><span class=key>Title:</span><span class=value>Boats</span>", "Title: Boats"),
        ("<p><span class=y>1884</span><span class=t>The hall</span>", "1884 The hall"),
        ("<ul><li><span class=badge>New</span>the pier", "- New the pier"),
        ("<dl><dt><b>start</b><span class=classifier>array</span><dd>a</dl>", "**start array**\n\na"),
        // One word, or one formula.
        ("<p><span class=first>O</span><span class=rest>nce</span>", "Once"),
        ("<p><span class=a>some</span><span class=b>thing</span>", "something"),
        ("<p><span class=el>H</span><span class=n>2</span>", "H2"),
        ("<p><code><span class=k>let</span><span class=n>X</span></code>", "`letX`"),
        ("<p><b>Face</b>book <i>co</i>op", "**Face**book *co*op"),
    ]);
}

#[test]
fn images_that_show_nothing_are_not_written() {
    let images = Along { links: true, images: true };
    for (page, expect) in [
        ("<p>a <img src=grey-placeholder.png><img src=hall.jpg alt=Hall>", "a ![Hall](https://x.example/d/hall.jpg)"),
        ("<p>a <img src=/i/spacer.gif?x alt=''> b", "a b"),
        ("<p>a <img src=wheel-spacer.jpg alt=Spacer>", "a ![Spacer](https://x.example/d/wheel-spacer.jpg)"),
        ("<p>a <img src=placeholder_16x9.svg>", "a"),
        ("<p>a <img src=u/1f600.svg class=emoji alt=😀> b", "a 😀 b"),
        ("<p>a <img src=/emoji/hut.png alt=hut> b", "a ![hut](https://x.example/emoji/hut.png) b"),
        ("<p><a href=n.html><img src=next.gif alt=Next></a> <a href=h.html><img src=home.gif alt=[Home]></a><p>a", "a"),
        (
            "<p><a href=n.html><img src=n.jpg alt='The next boat'></a> a",
            "[![The next boat](https://x.example/d/n.jpg)](https://x.example/d/n.html) a",
        ),
    ] {
        assert_eq!(written(page, images), expect, "{page}");
    }
}
