//! What is kept and removed, on small pages.

use super::*;
use crate::html::parse;

/// The texts that are kept of a page, if at first all texts but those with a digit were.
fn check(page: &str, expect: &[&str]) {
    let document = parse(page.as_bytes(), None, &Default::default());
    let analysis = Analysis::new(&document);
    let mut kept: Vec<bool> = analysis.blocks().iter().map(|block| block.text.digits == 0).collect();
    refine(&document, &analysis, None, &vec![0.0; kept.len()], &mut kept);
    let leaves = analysis.leaves().iter().filter(|leaf| kept[leaf.block as usize]);
    let texts: Vec<&str> = leaves.map(|leaf| document.text(leaf.node).unwrap_or_default().trim()).collect();
    assert_eq!(texts, expect, "{page}");
}

const STORY: &str = "The ferry sails at nine from the old quay, and a band plays on deck until noon.";

#[test]
fn headings_go_with_their_sections() {
    for (below, expect) in [
        // Nothing below is kept; something is; there is nothing.
        ("<h2>See also</h2><ul><li>Link 1<li>Link 2</ul>", &[][..]),
        ("<h2>Steps</h2><p>Step 1<p>Walk", &["Steps", "Walk"]),
        ("<h2>End</h2>", &["End"]),
        // A section of sections, of which one keeps its text.
        ("<h2>All</h2><h3>One</h3><p>1<h3>Two</h3><p>b", &["All", "Two", "b"]),
        ("<h2>All</h2><h3>One</h3><p>1<h3>Two</h3><p>2<h2>Rest</h2><p>b", &["Rest", "b"]),
        // A box of its own ends the section.
        ("<div><h3>Related</h3><p>1</div><p>b", &["b"]),
        // Links beside a heading work with it.
        ("<div><h2>Fees</h2><span>[<a href=/e>edit 1</a>]</span></div><p>b", &["Fees", "b"]),
        (
            "<div><h2>Fees</h2><a href=/e>Source 1</a></div><p>b<div><h3>All</h3><a href=/e>Link 1</a></div><p>c",
            &["Fees", "b", "All", "c"],
        ),
        (
            "<div><h2>Fees</h2><a href=/e>Edit 1</a> | <a href=/s>edit source</a></div><p>1<h2>End</h2><p>b",
            &["End", "b"],
        ),
        // A button has no words of a section.
        ("<div><h2>Steps</h2><button>Copy 1</button></div><p>b", &["Steps", "b"]),
        // Links and headlines stay.
        ("<h3><a href=/>Another story</a></h3><p>1", &["Another story"]),
        ("<h1>Title</h1><p>1", &["Title"]),
    ] {
        let expect: Vec<&str> = [STORY].into_iter().chain(expect.iter().copied()).collect();
        check(&format!("<main><p>{STORY}</p>{below}</main>"), &expect);
    }
    check(&format!("<header><h2>Headline</h2><p>1</p></header><p>{STORY}"), &["Headline", STORY]);
}

/// Texts with a digit are dropped by the score.
#[test]
fn captions_in_the_text_are_kept_together() {
    let figure = |caption: &str| format!("<figure><img src=a><figcaption>{caption}</figcaption></figure>");
    let (kept, dropped) = (figure("A boat"), figure("Quay 2"));
    let text = "<p>Text</p>";
    for (page, expect) in [
        (format!("{text}{kept}{text}{dropped}{text}"), &["Text", "A boat", "Text", "Quay 2", "Text"][..]),
        (format!("{text}{kept}{dropped}{text}"), &["Text", "A boat", "Quay 2", "Text"]),
        // Captions are dropped on this page.
        (format!("{text}{dropped}{text}{dropped}{text}"), &["Text", "Text", "Text"]),
        // A figure before the text, after it, and in another box.
        (format!("{dropped}{text}{kept}{text}{dropped}"), &["Text", "A boat", "Text"]),
        (format!("{text}{kept}{text}<div>{dropped}</div>{text}"), &["Text", "A boat", "Text", "Quay 2", "Text"]),
        (format!("{text}{kept}{text}<div><h4>1</h4>{dropped}</div>{text}"), &["Text", "A boat", "Text", "Text"]),
        // A caption that leads elsewhere is a card.
        (format!("{text}{kept}{text}{}{text}", figure("<a href=b>Quay 2</a>")), &["Text", "A boat", "Text", "Text"]),
    ] {
        check(&format!("<main>{page}</main>"), expect);
    }
}

/// The texts after the story that are kept of a page.
fn kept_of(part: &str, kind: Option<PageKind>, likely: f32) -> Vec<String> {
    kept_in(&format!("<p>{STORY}</p>{part}"), kind, likely).split_off(1)
}

/// The texts that are kept of a page, if at first all texts but those with a digit were, and
/// each has this probability.
fn kept_in(page: &str, kind: Option<PageKind>, likely: f32) -> Vec<String> {
    let document = parse(page.as_bytes(), None, &Default::default());
    let analysis = Analysis::new(&document);
    let mut kept: Vec<bool> = analysis.blocks().iter().map(|block| block.text.digits == 0).collect();
    refine(&document, &analysis, kind, &vec![likely; kept.len()], &mut kept);
    let leaves = analysis.leaves().iter().filter(|leaf| kept[leaf.block as usize]);
    leaves.map(|leaf| document.text(leaf.node).unwrap_or_default().trim().to_owned()).collect()
}

#[test]
fn headings_and_code_stay_between_kept_texts() {
    for (part, likely, expect) in [
        ("<h2>Quay 2 of the harbour</h2><p>It is long.", 0.1, &["Quay 2 of the harbour", "It is long."][..]),
        ("<h3>Who pays for the quay in 2026?</h3><p>We do.", 0.1, &["Who pays for the quay in 2026?", "We do."]),
        ("<h2>Part 2</h2><h3>Quay 2 of all</h3><p>Long.", 0.1, &["Part 2", "Quay 2 of all", "Long."]),
        ("<h3>open(1)</h3><pre>open(1);</pre><p>Opens.", 0.1, &["open(1)", "open(1);", "Opens."]),
        ("<div><pre>a = 1;</pre></div><p>Text.", 0.1, &["a = 1;", "Text."]),
        ("<div><pre>a = 1;</pre><p>Text.</div>", 0.1, &["a = 1;", "Text."]),
        (
            "<h4><a href='#q'>Quay 2 of the harbour?</a></h4><p>It is long.",
            0.1,
            &["Quay 2 of the harbour?", "It is long."],
        ),
        // It leads elsewhere, is a date, or its section is dropped.
        ("<h2><a href=a>Quay 2 of the harbour</a></h2><p>It is long.", 0.1, &["It is long."]),
        ("<h4>Posted: Jan 11, 2012 9:57 AM</h4><p>Text.", 0.1, &["Text."]),
        ("<h2>Quay 2 of the harbour</h2><p>9", 0.1, &[]),
        ("<section><h2>Quay 2 of the harbour</h2><p>9</section><p>Text.", 0.1, &["Text."]),
        // It stands below what is dropped, or it is surely none.
        ("<p>9<h2>Quay 2 of the harbour</h2><p>Text.", 0.1, &["Text."]),
        ("<h2>Quay 2 of the harbour</h2><p>It is long.", 0.01, &["It is long."]),
    ] {
        assert_eq!(kept_of(part, None, likely), expect, "{part}");
    }
}

#[test]
fn documentation_has_no_gaps() {
    let gap = "<p>Opens 1.<p>Shuts 2.<p>End.";
    let all = ["Opens 1.", "Shuts 2.", "End."];
    assert_eq!(kept_of(gap, Some(PageKind::Documentation), 0.1), all);
    assert_eq!(kept_of(gap, Some(PageKind::Article), 0.1), ["End."]);
    assert_eq!(kept_of(gap, Some(PageKind::Documentation), 0.01), ["End."]);
    for part in [
        "<p>Opens 1.",
        "<p><a href=a>Opens 1.</a><p>End.",
        "<p><button>Copy 1</button><p>End.",
        "<nav>Page 1</nav><p>End.",
    ] {
        assert!(kept_of(part, Some(PageKind::Documentation), 0.1).iter().all(|text| text == "End."), "{part}");
    }
    let long = format!("<p>1 {}<p>End.", "word ".repeat(600));
    assert_eq!(kept_of(&long, Some(PageKind::Documentation), 0.1), ["End."]);
}

/// Texts with a digit are dropped by the score.
#[test]
fn terms_stay_with_their_descriptions() {
    for (list, likely, expect) in [
        ("<dl><dt>f(1)<dd>Opens<dt>g<dd>Shuts</dl>", 0.1, &["f(1)", "Opens", "g", "Shuts"][..]),
        ("<dl><dt>f(1)<dt>g(1)<dd>Opens</dl>", 0.1, &["f(1)", "g(1)", "Opens"]),
        ("<dl><dt>f(1)<dd><p>Opens<p>Shuts</dl>", 0.1, &["f(1)", "Opens", "Shuts"]),
        ("<dl><dt>f(1)<dd><dl><dt>g(1)<dd>Opens</dl></dl>", 0.1, &["f(1)", "g(1)", "Opens"]),
        (
            "<dl><div><dt>f(1)</dt><dd>Opens</dd></div><div><dt>g</dt><dd>2</dd></div></dl>",
            0.1,
            &["f(1)", "Opens", "g"],
        ),
        ("<dl><dt><a name=f><b>f</b>(<i>1</i>)</a><dd>Opens</dl>", 0.1, &["f", "(", "1", ")", "Opens"]),
        // What is described is dropped, or is none.
        ("<dl><dt>f(1)<dd>2<dt>g<dd>Shuts</dl>", 0.1, &["g", "Shuts"]),
        ("<dl><dt>f(1)</dl><p>Opens", 0.1, &["Opens"]),
        ("<dl><dd>1<dd>Opens</dl>", 0.1, &["Opens"]),
        ("<dl><dt hidden>f(1)<dd>Opens</dl>", 0.1, &["Opens"]),
        // A person said that it is no content.
        ("<dl><dt>f(1)<dd>Opens</dl>", 0.0003, &["Opens"]),
    ] {
        assert_eq!(kept_of(list, None, likely), expect, "{list}");
    }
}

#[test]
fn documentation_has_its_headline() {
    for (page, likely, expect) in [
        ("<h1>open(2)</h1><p>Opens.", 0.1, &["open(2)", "Opens."][..]),
        ("<header><h1>open(2)</h1></header><main><p>Opens.</main>", 0.1, &["open(2)", "Opens."]),
        ("<h1>open(2)</h1><p>Opens.", 0.01, &["Opens."]),
        ("<h1><a href=/>Book 2</a></h1><p>Opens.", 0.1, &["Opens."]),
        ("<h1>Book 2</h1><h1>open(2)</h1><p>Opens.", 0.1, &["Opens."]),
        ("<p>Opens.<h1>open(2)</h1>", 0.1, &["Opens."]),
    ] {
        assert_eq!(kept_in(page, Some(PageKind::Documentation), likely), expect, "{page}");
    }
    assert_eq!(kept_in("<h1>open(2)</h1><p>Opens.", None, 0.1), ["Opens."]);
}

/// Texts with a digit are dropped by the score.
#[test]
fn cells_stay_with_their_rows_on_documentation() {
    let row = "<table><tr><td>open 1<td>Opens a file.<tr><td>shut 2<td>9</table>";
    assert_eq!(kept_of(row, Some(PageKind::Documentation), 0.1), ["open 1", "Opens a file."]);
    assert_eq!(kept_of(row, Some(PageKind::Article), 0.1), ["Opens a file."]);
    // What a person called no content stays away.
    assert_eq!(kept_of(row, Some(PageKind::Documentation), 0.0003), ["Opens a file."]);
    for (row, expect) in [
        ("<tr><td><code>f(1);</code><td>(a)", &["f(1);", "(a)"][..]),
        ("<tr><th>Type<td><p>a<p>b 2<td>u8", &["Type", "a", "b 2", "u8"]),
        ("<tr><td><a href=a>open 1</a><td><div>Opens</div><div>2 files</div>", &["open 1", "Opens", "2 files"]),
        // Layouts: one cell, a heading, a table within, a form, a long text.
        ("<tr><td><div>1</div><div>a</div>", &["a"]),
        ("<tr><td><h3>Menu</h3><p>1<td>a", &["a"]),
        ("<tr><td>1<td><table><tr><td>a<td>2</table>", &["a", "2"]),
        ("<tr><td>1 <input><td>a", &["a"]),
        ("<tr><td hidden>1<td>a", &["a"]),
    ] {
        let table = format!("<table>{row}</table><p>End.");
        let expect = [expect, &["End."]].concat();
        assert_eq!(kept_of(&table, Some(PageKind::Documentation), 0.01), expect, "{row}");
    }
    let long = format!("<table><tr><td>1<td>{}</table>", "word ".repeat(100));
    assert_eq!(kept_of(&long, Some(PageKind::Documentation), 0.01).len(), 1);
}

#[test]
fn invitations_to_follow_the_site_are_no_content() {
    for line in [
        "Follow us on <a href=/f>Facebook</a> and <a href=/x>X</a> for more stories.",
        "Subscribe to our newsletter to get it each week.",
        "Folgen Sie uns auf Mastodon!",
        "Suivez-nous sur les réseaux.",
        "Síguenos en nuestro canal de WhatsApp",
        "Iscriviti alla newsletter",
        "Подписывайтесь на наш Telegram-канал",
        "Підписуйтесь на наш канал у Telegram",
        "Obserwuj nas w Wiadomościach",
        "Bizi takip edin: Instagram",
        "Mari bergabung di Grup Telegram kami",
        "تابعونا على تويتر",
        "עקבו אחרינו בפייסבוק",
    ] {
        check(&format!("<main><p>{STORY}</p><p>{line}</p><p>End.</p></main>"), &[STORY, "End."]);
    }
    for line in ["Follow us on foot to the old quay.", "Nobody would follow us on the pier."] {
        let page = format!("<main><p>{line}</p><p>{STORY}</p></main>");
        check(&page, &[line, STORY]);
    }
}

#[test]
fn signatures_below_posts_are_no_content() {
    for class in ["signature", "message-signature", "post_sig"] {
        let posts = format!("<div><p>{STORY}</p><div class={class}>Measure twice, swear once</div></div>").repeat(2);
        assert_eq!(kept_in(&posts, Some(PageKind::Forum), 0.1), [STORY; 2], "{class}");
        assert_eq!(kept_in(&posts, None, 0.1).len(), 4, "{class}");
    }
}

#[test]
fn the_source_of_a_quotation_stays_with_it() {
    for (quote, expect) in [
        ("<p>Sail!</p><footer>Ann, aged 90</footer>", &["Sail!", "Ann, aged 90"][..]),
        ("<p>Sail!</p><p>— Ann, 1990", &["Sail!", "— Ann, 1990"]),
        ("<p>90</p><footer>Ann, aged 90</footer>", &[]),
        (
            "</blockquote><figure><blockquote>Sail!</blockquote><figcaption>— Ann, aged 90</figcaption></figure>",
            &["Sail!", "— Ann, aged 90"],
        ),
        ("</blockquote><figure><blockquote>90</blockquote><figcaption>— Ann, aged 90</figcaption></figure>", &[]),
        ("<p>Sail!</p><p>90</p><p>Sail!</p>", &["Sail!", "Sail!"]),
    ] {
        check(&format!("<main><p>Text<blockquote>{quote}</blockquote><p>9</main>"), &[&["Text"], expect].concat());
    }
    check("<blockquote>9</blockquote><p>a<p>9", &["a"]);
}

#[test]
fn what_has_no_words_goes_with_its_box() {
    for (page, expect) in [
        ("<ul><li>1<li>|<li>2</ul>", &[][..]),
        ("<ul><li>a<li>|<li>b</ul>", &["a", "|", "b"]),
        ("<div><div>»</div><p>1</div><p>a", &["a"]),
        ("<p>a<p>* * *<p>b", &["a", "* * *", "b"]),
    ] {
        check(page, expect);
    }
}

#[test]
fn notes_of_the_text_stay_unless_they_are_longer() {
    let text = |link: &str| format!("<p>{STORY} {link}");
    let own = "<a href=#n>[2]</a>";
    for (note, is_kept) in [
        ("<p id=n>Until 10", true),
        ("<p><a name=n>2</a> Until 10", true),
        ("<div><a id=n href=#r>2</a><div><p>Until 10</div></div>", true),
        ("<ol><li id=n>Until 10</ol>", true),
        ("<p id=m>Until 10", false),
    ] {
        let document = parse(format!("{}{note}", text(own)).as_bytes(), None, &Default::default());
        let analysis = Analysis::new(&document);
        let last = analysis.blocks().len() - 1;
        let mut kept: Vec<bool> = (0..=last).map(|at| at == 0).collect();
        refine(&document, &analysis, None, &vec![0.0; kept.len()], &mut kept);
        assert_eq!(kept[last], is_kept, "{note}");
    }
    // What is after a label, up to the next one.
    let two = "<h5><a id=m>(3)</a></h5><p>Until 12</p>";
    for (notes, expect) in [
        (format!("<h5><a id=n href=#r>(2)</a></h5><p>Until 10</p><p>Or 11</p>{two}"), &["Until 10", "Or 11"][..]),
        (format!("<h5><a id=n>2</a></h5><ul><li>Until 10</ul>{two}"), &["Until 10"]),
        ("<dl><dt id=n>[2]<dd>Until 10<dt id=m>[3]<dd>Until 12</dl>".to_owned(), &["Until 10"]),
        ("<p id=n>2</p><p>Until 10</p><p>Or 11</p>".to_owned(), &["Until 10"]),
        ("<table><tr><td id=n>2<td>Until 10<tr><td id=m>3<td>Until 12</table>".to_owned(), &["Until 10"]),
        ("<div><a name=m></a><p>Until 9</p><a name=n></a><p>Until 10</p><p>Or 11</p></div>".to_owned(), &["Until 10"]),
        ("<h5 id=n>2</h5>".to_owned(), &["2"]),
    ] {
        let document = parse(format!("{}<div>{notes}</div>", text(own)).as_bytes(), None, &Default::default());
        let analysis = Analysis::new(&document);
        let mut kept: Vec<bool> = (0..analysis.blocks().len()).map(|at| at == 0).collect();
        refine(&document, &analysis, None, &vec![0.0; kept.len()], &mut kept);
        let leaves = analysis.leaves().iter().filter(|leaf| leaf.block > 0 && kept[leaf.block as usize]);
        let texts: Vec<&str> = leaves.map(|leaf| document.text(leaf.node).unwrap_or_default().trim()).collect();
        assert_eq!(texts, expect, "{notes}");
    }
    // A list of sources, and a link to another part of the page.
    check(&format!("{}<p id=n>{}10", text("<sup><a href=#n>*</a></sup>"), "Until ".repeat(9)), &[STORY, "*"]);
    check(&format!("{}<p id=n>Until 10", text("<a href=#n>see</a>")), &[STORY, "see"]);
}

#[test]
fn labels_of_advertisements_are_no_content() {
    for label in [
        "Advertisement",
        "ADVERTISEMENT – CONTINUE READING BELOW",
        "Article continues after advertisement",
        "Anzeige",
        "Publicité",
        "Publicidad",
        "Реклама",
        "广告",
        "- Advertisement -",
        "Story continues below",
    ] {
        check(&format!("<p>{STORY}<p>{label}<p>{STORY}"), &[STORY, STORY]);
    }
    for text in ["Advertisement pays", "Die Anzeige kam spät", "Continue reading"] {
        check(&format!("<p>{STORY}<p>{text}<p>{STORY}"), &[STORY, text, STORY]);
    }
}

#[test]
fn labels_of_controls_are_no_content() {
    for label in ["Expand description", "Show more", "Mehr anzeigen", "Voir plus", "Ver más…", "[Свернуть]", "展开"]
    {
        check(&format!("<p>{STORY}<details open><summary>{label}</summary><p>{STORY}</details>"), &[STORY, STORY]);
    }
    for text in ["Show more care", "Description", "See more than the harbour"] {
        check(&format!("<p>{STORY}<p>{text}<p>{STORY}"), &[STORY, text, STORY]);
    }
}

#[test]
fn boxes_that_their_names_call_no_content_go() {
    let story = format!("<p>{STORY} {STORY} {STORY} {STORY}</p>");
    let long = format!("{STORY} {STORY} {STORY} {STORY}");
    for (part, is_kept) in [
        (
            "<div class=newsletter-inline><h4>Like it?</h4><p>Sign up for our letter.</p><form><input></form></div>",
            false,
        ),
        ("<div class=newsletter><p>How to write a letter.</p></div>", true),
        ("<div class=author-box><p>Ann writes about boats.</p></div>", false),
        ("<section id=about-the-author><p>Ann writes about boats.</p></section>", false),
        ("<p class=author>By Ann</p>", true),
        ("<div class=sponsored><p>This shoe is taking the isles by storm.</p></div>", false),
        ("<div class=c-ad><p>Buy it</p></div>", false),
        ("<div class='group ad'><p>Buy it</p></div>", false),
        ("<div class=advice><p>Sail early</p></div>", true),
        ("<div id=cookie-consent role=dialog><p>We use cookies.</p></div>", false),
        ("<div class=cookies><p>Bake them for long.</p></div>", true),
        ("<div class='modal fade' style='display:none'><p>Terms without warranty of any kind</p></div>", false),
        ("<div style='display:none'><p>The second tab</p></div>", true),
        ("<div class=related-posts><a href=a>A longer ferry</a> <a href=b>A cat</a></div>", false),
        ("<div class=related-posts><p>Why boats of one yard are alike.</p></div>", true),
        ("<p class=post-tags>Tags: <a href=a>boats</a>, <a href=b>cats</a></p>", false),
        ("<section><h3>Mehr zum Thema</h3><a href=a>Kran kippt um</a><p><a href=b>Ein Rundgang</a></section>", false),
        ("<p><b>Read more:</b> <a href=a>A longer ferry</a>", false),
        ("<p><em>Lea también:</em> <a href=a>Un barco</a>", false),
        ("<p>Читайте также: <a href=a>Старый порт</a>", false),
        ("<p><a href=a>READ MORE: A longer ferry</a>", false),
        ("<p><a href=a>Ferry: read more</a>", true),
        ("<p>相关阅读：<a href=a>老港口</a>", false),
        ("<p>Read more: <a href=a>A longer ferry</a>, if you can.", true),
        ("<p>See also <a href=a>ferry</a>", true),
        ("<p><a href=a>A longer ferry</a> read more", true),
        ("<div class=paywall><p>Three stories are left.</p><a href=a>Subscribe</a></div>", false),
        ("<div class=paywall><p>The band plays on.</p></div>", true),
        ("<div class='print-only'><p>Printed from a page</p></div>", false),
        ("<div class=hidden-print><p>The band plays on.</p></div>", true),
        ("<p>Listen to this article</p>", false),
        ("<div><p>Читайте также</p><a href=a>Старый порт</a></div>", false),
        ("<section><h3>Related articles</h3><p>Why boats of one yard are alike.</p></section>", true),
        ("<div class=navbox>Other lights: <a href=a>North Cap</a></div>", false),
        ("<div id=catlinks>Categories: <a href=a>Lights</a></div>", false),
        ("<noscript>Please enable JavaScript to run this app.</noscript>", false),
        ("<noscript>A story about a script.</noscript>", true),
    ] {
        let mut expect = vec![long.as_str()];
        let document = parse(part.as_bytes(), None, &Default::default());
        let own: Vec<&str> =
            document.descendants(document.root()).filter_map(|node| document.text(node)).map(str::trim).collect();
        expect.extend(own.iter().filter(|_| is_kept));
        check(&format!("<main>{story}{part}</main>"), &expect);
    }
}

#[test]
fn a_page_that_is_such_a_box_keeps_it() {
    check("<div class=author-box><p>Ann writes about boats.</div>", &["Ann writes about boats."]);
    check("<div id=cookie-consent role=dialog><p>We use cookies.</div>", &["We use cookies."]);
    let card = "<div class=ad><p>A boat for sale</div>";
    check(&card.repeat(4), &["A boat for sale"; 4]);
}
