//! Random tag soup, two pages at a time. Nothing panics, and the [`properties`] hold.

use crate::support::properties;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

/// Enough cases to find every error that this test has found so far, in a few seconds.
const CASES: u32 = 500;

/// Elements that nest: at least one of each kind that the library treats separately.
const TAGS: &[&str] = &[
    "a",
    "article",
    "aside",
    "b",
    "blockquote",
    "body",
    "button",
    "caption",
    "center",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "em",
    "figure",
    "font",
    "footer",
    "form",
    "frameset",
    "h1",
    "h2",
    "head",
    "header",
    "html",
    "iframe",
    "li",
    "main",
    "math",
    "menu",
    "mi",
    "nav",
    "nobr",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "p",
    "pre",
    "ruby",
    "section",
    "select",
    "span",
    "style",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "th",
    "title",
    "tr",
    "ul",
    "x-own",
];

/// Void elements, and pieces of broken or rare markup.
const ODDITIES: &[&str] = &[
    "<br>",
    "<hr>",
    "<img src=a.png alt='an image'>",
    "<input value=typed>",
    "<wbr>",
    "<!-- a comment <p> -->",
    "<!--",
    "-->",
    "<![CDATA[data]]>",
    "<!doctype html>",
    "<?php echo 1 ?>",
    "<",
    "</",
    "<p",
    "<div class='",
    "\"'>",
    "</>",
    "<a<b>",
    "<p/>",
    "&",
    "&amp;",
    "&nbsp;",
    "&#0;",
    "&#x1f980;",
    "&lt;b&gt;",
    "\0",
    "\u{feff}",
    "\u{301}",
    "\r\n",
    "\t",
    "<script>var a = '<p>no text</p>'</script>",
    "<style>p { color: red }</style>",
    "<svg><title>t</title><path/></svg>",
    "<template><p>inert</p></template>",
    "<plaintext>",
    "<table><tr><td>cell",
    "</body></html>",
    "<base href=//b/>",
];

const ATTRIBUTES: &[&str] = &[
    "hidden",
    "hidden=until-found",
    "style='display:none'",
    "style='color:red;visibility:hidden'",
    "style=';:;'",
    "aria-hidden=true",
    "aria-hidden=false",
    "href=/a",
    "href='javascript:x()'",
    "class=comments",
    "id=c1",
    "open",
    "lang=en",
    "title='a > b'",
    "colspan=99999",
    "src=x",
    "dir=rtl",
    "a=1 a=2",
    "'=\"",
];

const WORDS: &[&str] = &["harbour", "naïve", "漢字かな", "مرحبا", "ภาษาไทย", "3.5", "it’s", "x_y", "—", "e\u{301}t"];

fn word() -> impl Strategy<Value = String> {
    // Numbered words are nearly all different, so that the test notices one out of order.
    prop_oneof![3 => (0..100_000u32).prop_map(|n| format!("w{n}")), 1 => select(WORDS).prop_map(str::to_owned)]
}

fn words(count: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    (vec(word(), count), select(vec!["", " "])).prop_map(|(words, end)| words.join(" ") + end)
}

fn start_tag() -> impl Strategy<Value = String> {
    (select(TAGS), vec(select(ATTRIBUTES), 0..3)).prop_map(|(tag, attributes)| match attributes.is_empty() {
        true => format!("<{tag}>"),
        false => format!("<{tag} {}>", attributes.join(" ")),
    })
}

/// A part of a page. Tags open and close at random, so that they nest correctly and incorrectly in
/// many ways.
fn soup(pieces: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => start_tag(),
        4 => select(TAGS).prop_map(|tag| format!("</{tag}>")),
        6 => words(1..6),
        2 => words(15..60).prop_map(|words| format!("<p>{words}</p>")),
        2 => select(ODDITIES).prop_map(str::to_owned),
    ];
    vec(piece, pieces).prop_map(|pieces| pieces.concat())
}

/// Two pages with the same head and foot, and different middles.
fn pages() -> impl Strategy<Value = (String, String)> {
    (soup(0..30), soup(0..60), soup(0..60), soup(0..30))
        .prop_map(|(head, one, other, foot)| (format!("{head}{one}{foot}"), format!("{head}{other}{foot}")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, rng_seed: RngSeed::Fixed(2006), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_promises_hold_of_tag_soup((page, sibling) in pages()) {
        properties::check(page.as_bytes(), sibling.as_bytes());
    }

    #[test]
    fn the_promises_hold_of_a_page_beside_itself(page in soup(0..80)) {
        properties::check(page.as_bytes(), page.as_bytes());
    }
}

#[test]
fn the_promises_hold_of_the_least_pages() {
    for page in
        ["", " ", "word", "<", "\0", "<p hidden>word", "<script>", "<template>", "<select><option>a", "<frameset>"]
    {
        for sibling in ["", "word", page] {
            properties::check(page.as_bytes(), sibling.as_bytes());
        }
    }
}
