//! Titles of test pages.

use super::*;

fn title_of(page: &str) -> Option<String> {
    text(Sort::Text, page).metadata.title
}

#[test]
fn a_headline_reads_as_readers_see_it() {
    for (page, expect) in [
        ("<title>Lamp and lens at last</title><h1>Lamp and lens<br>at last</h1>", "Lamp and lens at last"),
        ("<h1>Lamp and lens<br/>at last</h1>", "Lamp and lens at last"),
        ("<h1><div>Lamp</div><div>and lens</div></h1>", "Lamp and lens"),
        ("<h1><span>Lamp</span><span>and lens</span></h1>", "Lamp and lens"),
        ("<h1>Lamp <em>and</em> lens, <b>again</b>!</h1>", "Lamp and lens, again!"),
        ("<h1>Lamp <span>and lens</span>, again</h1>", "Lamp and lens, again"),
        ("<h1>“<span>Lamp</span>” and (<span>lens</span>)</h1>", "“Lamp” and (lens)"),
        ("<title>H2O on the rocks</title><h1>H<sub>2</sub>O on the rocks</h1>", "H2O on the rocks"),
        ("<h1>The 2<sup>nd</sup> lamp of m<sup>3</sup></h1>", "The 2nd lamp of m3"),
        ("<h1>Light<wbr>house</h1>", "Lighthouse"),
        ("<h1>Light&shy;house</h1>", "Lighthouse"),
        ("<h1><b>L</b>amp and lens</h1>", "Lamp and lens"),
        ("<title>Lamp and lens</title><h1><span class=cap>L</span>amp and lens</h1>", "Lamp and lens"),
        ("<h1>Lamp<style>.a{color:red}</style><script>var a;</script> and lens</h1>", "Lamp and lens"),
        ("<h1><ruby>灯台<rt>とうだい</rt></ruby>の灯</h1>", "灯台の灯"),
        // Tags and references in what programs read.
        ("<meta property=og:title content='H&lt;sub&gt;2&lt;/sub&gt;O on the rocks'>", "H2O on the rocks"),
        (
            "<script type=application/ld+json>{\"@type\":\"Article\",\"headline\":\"Lamp<br />and <em>lens</em> &amp;amp; keeper\"}</script>",
            "Lamp and lens & keeper",
        ),
        ("<meta property=og:title content='Lamp &amp;amp; lens'>", "Lamp & lens"),
    ] {
        assert_eq!(title_of(page).as_deref(), Some(expect), "{page}");
    }
}

#[test]
fn a_kicker_in_a_lower_heading_is_no_headline() {
    for (kicker, headline) in [("Lights", "Skerry light relit at last"), ("Ann Orr", "The lamp and its lens")] {
        let page = format!(
            "<title>Courier | {kicker} | {headline}</title><meta property=og:title content='{kicker} | {headline}'>\
             <h2>{kicker}</h2><h1>{headline}</h1>"
        );
        assert_eq!(title_of(&page).as_deref(), Some(headline), "{page}");
    }
}

#[test]
fn a_paper_is_called_what_it_is_cited_as() {
    let cited = "<meta name=citation_title content='Lamps and lenses: a survey'>";
    for (page, expect) in [
        (format!("<title>Journal of Lights 4 (2)</title>{cited}"), "Lamps and lenses: a survey"),
        (
            format!("<title>Article | Lights Online</title>{cited}<h1>Journal of Lights</h1>"),
            "Lamps and lenses: a survey",
        ),
        (
            format!("<title>Journal of Lights</title>{cited}<h1>Lamps and lenses: a survey</h1>"),
            "Lamps and lenses: a survey",
        ),
        (
            format!("<title>Journal of Lights</title>{cited}<h2>Lamps and lenses: a survey</h2>"),
            "Lamps and lenses: a survey",
        ),
        ("<title>Journal of Lights</title><meta name=citation_title content=''>".to_owned(), "Journal of Lights"),
    ] {
        assert_eq!(title_of(&page).as_deref(), Some(expect), "{page}");
    }
}

/// News put another headline, for search engines, into the first heading.
#[test]
fn the_headline_of_previews_is_the_one_that_readers_see_as_a_line() {
    let (preview, search) = ("Nobody minds the new lamp", "Skerry light: the new lamp and its cost");
    let head = format!("<title>{search} | Courier</title><meta property=og:title content='{preview}'>");
    let text =
        format!("<p>{}", "The ferry sailed at nine with the band on board, and it came back at noon. ".repeat(3));
    let of_preview = |body: &str| title_of(&format!("{head}{body}{text}")).as_deref() == Some(preview);
    for body in [
        format!("<nav><ol><li>News<li><h1>{search}</h1></ol></nav><h2>{preview}</h2>"),
        format!("<h1>{search}</h1><h2><span>Lights</span> <span>{preview}</span></h2>"),
        format!("<h1>{search}</h1><h2><span>Lights</span><div>{preview}</div></h2>"),
        format!("<h1>Lights: {preview}</h1><div><b>Lights</b><strong>{preview}</strong></div>"),
        format!("<h1>{search}</h1><p class=headline>{}</p>", preview.replace("minds", "mi&shy;nds")),
        format!("<h3><span>Lights</span><span>{preview}</span></h3>"),
    ] {
        assert!(of_preview(&body), "{body}");
    }
    for body in [
        // Cut off in the head; nowhere, in a link, in a sentence, or in a box beside the text.
        format!("<h1>{preview}, they say</h1><p>{preview}</p>"),
        format!("<h1>{search}</h1>"),
        format!("<h1>{search}</h1><ul><li><a href=/a>{preview}</a></ul>"),
        format!("<h1>{search}</h1><p>{preview}, say the keepers.</p>"),
        format!("<h1>{search}</h1><aside><p>{preview}</p></aside>"),
        format!("<h1>{search}</h1><p hidden>{preview}</p>"),
    ] {
        assert!(!of_preview(&body), "{body}");
    }
    let site = format!(
        "<title>{search}</title><meta property=og:site_name content='The Skerry Courier'>\
                        <meta property=og:title content='The Skerry Courier'><h1>{search}</h1><p>The Skerry Courier</p>{text}"
    );
    assert_eq!(title_of(&site).as_deref(), Some(search));
}

#[test]
fn an_empty_heading_is_no_heading() {
    for (page, expect) in [
        ("<h1></h1><h2>Skerry light relit</h2>", "Skerry light relit"),
        ("<h1>&nbsp;</h1><h2>Skerry light relit</h2><h2>The cost</h2>", "Skerry light relit"),
        ("<h1><img src=/logo.png alt=Logo></h1><h2>Skerry light relit</h2>", "Skerry light relit"),
        ("<h1 hidden>Menu</h1><h2>Skerry light relit</h2>", "Skerry light relit"),
        ("<h3>Skerry light relit</h3>", "Skerry light relit"),
        ("<h1><span> </span></h1><h1>Skerry light relit</h1>", "Skerry light relit"),
        ("<title>Skerry light relit | Courier</title><h1></h1><h2>Most read</h2>", "Skerry light relit"),
    ] {
        assert_eq!(title_of(page).as_deref(), Some(expect), "{page}");
    }
}

#[test]
fn the_name_of_the_site_goes_from_both_ends_and_the_writers_marks_stay() {
    let home = "<a href=/>The Harbour Tidings</a>";
    for (page, expect) in [
        (
            "<title>The Courier » Lamp — and lens: a year | Part two</title><h1>Lamp — and lens: a year | Part two</h1>",
            "Lamp — and lens: a year | Part two",
        ),
        (
            "<title>Lamp — and lens: a year | Part two - The Courier</title><h1>Lamp — and lens: a year | Part two</h1>",
            "Lamp — and lens: a year | Part two",
        ),
        ("<title>Lamp | lens | keeper – Courier</title><h1>Lamp | lens | keeper</h1>", "Lamp | lens | keeper"),
        ("<title>Courier: Lamp and lens of Skerry</title>", "Lamp and lens of Skerry"),
        ("<title>Courier | Lamp and lens of Skerry</title>", "Lamp and lens of Skerry"),
        (&format!("{home}<title>The Harbour Tidings - Lamp and lens</title>"), "Lamp and lens"),
        (&format!("{home}<title>Lamp and lens - The Harbour Tidings</title>"), "Lamp and lens"),
        (
            "<a href=/><img src=/l.svg alt='Harbour Tidings logo'></a><title>Lamp and lens / Harbour Tidings</title>",
            "Lamp and lens",
        ),
        (
            "<a href=https://other.example/>Lens of Skerry</a><title>Lamp: Lens of Skerry</title>",
            "Lamp: Lens of Skerry",
        ),
        // A kicker in the heading, which previews do not have.
        (
            "<title>Shipping: Lamp and lens at Skerry | Courier</title><meta property=og:title content='Lamp and lens at Skerry'><h1><span>Shipping:</span> <span>Lamp and lens at Skerry</span></h1>",
            "Shipping: Lamp and lens at Skerry",
        ),
        (
            "<title>Skerry relit with lamp and lens</title><meta property=og:title content='Lamp and lens at Skerry'><h1>Shipping news : Lamp and lens at Skerry</h1>",
            "Lamp and lens at Skerry",
        ),
        // Languages without spaces.
        ("<title>老图书馆重新开放_旧城日报</title>", "老图书馆重新开放"),
        ("<title>老图书馆重新开放-新闻-旧城日报</title><h1>老图书馆重新开放</h1>", "老图书馆重新开放"),
        ("<title>老图书馆重新开放｜旧城日报</title>", "老图书馆重新开放"),
        ("<title>老图书馆重新开放|旧城日报</title>", "老图书馆重新开放"),
        ("<a href=/>旧城日报</a><title>旧城日报：老图书馆重新开放</title>", "老图书馆重新开放"),
        ("<a href=/>旧城日报</a><title>老图书馆重新开放--旧城日报</title>", "老图书馆重新开放"),
        ("<a href=/>旧城日报</a><title>【旧城日报】老图书馆重新开放</title>", "老图书馆重新开放"),
        ("<a href=/>港の新聞</a><title>灯台の灯がふたたび - 港の新聞</title>", "灯台の灯がふたたび"),
        (
            "<title>灯台の灯がふたたび：一年の記録｜港の新聞</title><h1>灯台の灯がふたたび：一年の記録</h1>",
            "灯台の灯がふたたび：一年の記録",
        ),
        ("<a href=/>항구일보</a><title>등대가 다시 켜지다-항구일보</title>", "등대가 다시 켜지다"),
        ("<a href=/>港の新聞</a><title>灯台の灯がふたたび（港の新聞）</title>", "灯台の灯がふたたび"),
        ("<a href=/>港の新聞</a><title>灯台の灯がふたたび／港の新聞</title>", "灯台の灯がふたたび"),
        ("<title>灯台の灯がふたたび - 港</title><h1>灯台の灯が<br>ふたたび</h1>", "灯台の灯がふたたび"),
        ("<title>Lamp and lens « Courier</title>", "Lamp and lens"),
        ("<title>Courier</title><h2>Lamp and lens</h2>", "Lamp and lens"),
        ("<title>新冠-19疫情与2024-25赛季</title>", "新冠-19疫情与2024-25赛季"),
    ] {
        assert_eq!(title_of(page).as_deref(), Some(expect), "{page}");
    }
    let slogan = "<title>Courier - the ferries of the outer islands</title>";
    let found = text(Sort::Other, slogan).metadata.title;
    assert_eq!(
        found.as_deref(),
        Some("Courier - the ferries of the outer islands"),
        "a first page begins with its name"
    );
}

/// The part that the site's titles share goes, wherever the memory of it comes from.
#[test]
fn an_end_that_the_sites_titles_share_goes() {
    for (end, title) in [
        (" - Harbour Server Version 2.4", "core"),
        (" (Harbour SE 17 & Quay 17)", "Clob"),
        (" — Tidings — Documentation", "Ferries"),
        (": Quay 1.2 reference", "Buoy"),
        (" | Ports | Tidings", "Pilots"),
        ("_新闻_旧城日报", "老图书馆重新开放"),
    ] {
        let page = |name: &str, siblings: &Stated| {
            let page = format!("<html><title>{name}{end}</title><h2>Of {name}</h2><p>{name} is described here.");
            read_page(&page, "https://x.example/", Sort::Other, siblings)
        };
        let two = of_pages(["School roof", "Lifeboat crew"].map(|name| page(name, &Stated::default())));
        assert_eq!(page(title, &two).metadata.title.as_deref(), Some(title), "{end}");
        // Most pages of a large site, in one of its languages.
        let mut many = Stated::default();
        for number in 0..60 {
            let other = format!("<title>Mole {number} · Hafen {}</title>", number % 2);
            many.add(&page(&format!("Ship {number}"), &Stated::default()).stated);
            many.add(&read_page(&other, "https://x.example/", Sort::Other, &Stated::default()).stated);
        }
        assert_eq!(page(title, &many).metadata.title.as_deref(), Some(title), "{end}, half of the pages");
        assert_eq!(
            read_page("<title>Ferry (of 1923)</title>", "https://x.example/", Sort::Other, &many)
                .metadata
                .title
                .as_deref(),
            Some("Ferry (of 1923)")
        );
    }
}

/// On news, previews and the `title` element may agree against the heading.
#[test]
fn the_title_of_news_is_that_of_its_previews() {
    let page = |kind: &str, title: &str, og: &str, heading: &str| {
        let linked = format!("<script type=application/ld+json>{{\"@type\": \"{kind}\"}}</script>");
        title_of(&format!("<title>{title}</title><meta property=og:title content='{og}'>{linked}<h1>{heading}</h1>"))
    };
    let (og, heading) = ("Harbour: Ferry sails at last", "Ferry sails at last");
    for (kind, title, expect) in [
        ("NewsArticle", format!("{og} - The Tidings"), og),
        ("ReportageNewsArticle", format!("{og} | News | Tidings"), og),
        ("BlogPosting", format!("{og} - The Tidings"), heading),
        // The title element is that of the heading, or of nothing else.
        ("NewsArticle", format!("{heading} - The Tidings"), heading),
        ("NewsArticle", og.to_owned(), heading),
    ] {
        assert_eq!(page(kind, &title, og, heading).as_deref(), Some(expect), "{kind}, {title}");
    }
    assert_eq!(
        page("NewsArticle", "Ferry sails - Tidings", "FERRY SAILS", "Ferry sails").as_deref(),
        Some("Ferry sails")
    );
}

#[test]
fn a_title_that_says_nothing_yields_to_what_else_names_the_text() {
    let home = "<a href=/>The Harbour Tidings</a>";
    let only_site = format!("{home}<title>The Harbour Tidings</title>");
    for (page, expect) in [
        ("<title>Home</title><h1>Skerry light relit</h1>", "Skerry light relit"),
        ("<title>Home | Courier</title><h1>Skerry light relit</h1>", "Skerry light relit"),
        ("<title>Untitled Document</title><h2>Skerry light relit</h2>", "Skerry light relit"),
        ("<title>Loading…</title><h1>Skerry light relit</h1>", "Skerry light relit"),
        ("<title>Home</title>", "Home"),
        ("<title>Home is the sailor</title><h1>Skerry</h1>", "Home is the sailor"),
        (&format!("{only_site}<meta name=twitter:title content='Skerry light relit'>"), "Skerry light relit"),
        (&format!("{only_site}<meta name=DC.title content='Skerry light relit'><h2>Read</h2>"), "Skerry light relit"),
        (
            &format!(
                "{only_site}<script type=application/ld+json>{{\"@type\":\"WebPage\",\"name\":\"Skerry light relit - The Harbour Tidings\"}}</script>"
            ),
            "Skerry light relit",
        ),
        (&format!("{only_site}<p itemprop=headline>Skerry light relit</p>"), "Skerry light relit"),
        (&only_site, "The Harbour Tidings"),
        // The heading with the logo.
        (
            "<h1><a href=/>The Harbour Tidings</a></h1><title>Skerry light | The Harbour Tidings</title><h2>Skerry light</h2>",
            "Skerry light",
        ),
        (
            "<h1><a href=/><img alt='The Harbour Tidings'></a></h1><title>The Harbour Tidings</title><h2>Skerry light</h2>",
            "Skerry light",
        ),
        (
            "<h1>The Harbour Tidings</h1><title>Skerry light relit at last | The Harbour Tidings</title><h1>Skerry light relit at last</h1>",
            "Skerry light relit at last",
        ),
        // A picture is the headline.
        ("<title>Courier</title><h1><img src=a.gif alt='Skerry light relit'></h1>", "Skerry light relit"),
        // Names of drawings are no titles.
        (
            "<svg><title>Logo</title></svg><h1><svg><title>Lock</title></svg>Skerry light relit</h1>",
            "Skerry light relit",
        ),
    ] {
        assert_eq!(title_of(page).as_deref(), Some(expect), "{page}");
    }
}

#[test]
fn labels_beside_a_headline_go_where_the_head_has_none() {
    let title = "<title>Skerry light relit at last | Courier</title>";
    for heading in [
        "<span>Premium</span> Skerry light relit at last",
        "<b>Harbour:</b> Skerry light relit at last",
        "<span>Coast</span><span>Skerry light relit at last</span>",
        "Skerry light relit at last <a href='#c'>12 comments</a>",
        "Skerry light relit at last<sup><a href='#n'>1</a></sup>",
        "Coast and harbour: Skerry light relit at last",
    ] {
        assert_eq!(
            title_of(&format!("{title}<h1>{heading}</h1>")).as_deref(),
            Some("Skerry light relit at last"),
            "{heading}"
        );
    }
    // The head has the label, or fewer words.
    for (title, heading) in [
        ("Premium Skerry light", "<span>Premium</span> Skerry light"),
        ("Light at Skerry", "Skerry light <em>relit</em>"),
    ] {
        let page = format!("<title>{title} | Courier</title><h1>{heading}</h1>");
        let expect = heading.replace("<span>", "").replace("</span>", "").replace("<em>", "").replace("</em>", "");
        assert_eq!(title_of(&page), Some(expect), "{page}");
    }
}

#[test]
fn rare_marks_part_the_name_of_the_site_too() {
    for mark in ["⁄", "*", "⋆", "★", "−", "\\", "~", "——"] {
        let page = format!("<title>Skerry light relit {mark} Courier</title>");
        assert_eq!(title_of(&page).as_deref(), Some("Skerry light relit"), "{mark}");
    }
    for (page, expect) in [
        ("<title>Courier » Blog Archive » Skerry light</title>", "Skerry light"),
        ("<a href=/>旧城日报</a><title>老图书馆重新开放——旧城日报</title>", "老图书馆重新开放"),
        ("<title>Lamp &amp;amp; lens | Courier</title>", "Lamp & lens"),
    ] {
        assert_eq!(title_of(page).as_deref(), Some(expect), "{page}");
    }
}

/// Software for books, manuals and wikis shows its name in a first heading on every page.
#[test]
fn a_chapter_is_called_by_its_own_heading() {
    let (book, chapter) = ("The Lamp Keeper's Handbook", "What is a lens?");
    for (title, headings, expect) in [
        (format!("{chapter} - {book}"), format!("<h1 class=menu-title>{book}</h1><h2 id=lens>{chapter}</h2>"), chapter),
        (format!("{chapter} — {book}"), format!("<h1><a href=../x.html>{book}</a></h1><h1>{chapter}</h1>"), chapter),
        (format!("{chapter} | {book}"), format!("<h1>{chapter}</h1><footer><h1>{book}</h1></footer>"), chapter),
        (format!("lenses [{book}]"), "<h1>Lenses</h1>".to_owned(), "Lenses"),
        (format!("lenses [{book}]"), format!("<h1>{book}</h1><h1>Lenses</h1>"), "Lenses"),
        // The headline is the end of the title, too.
        (format!("Lamps - {book}"), format!("<h2>Lamps</h2><h1>{book}</h1>"), book),
        (format!("Handbook: {book}"), format!("<h2>Handbook</h2><h1>{book}</h1>"), book),
        (format!("A lamp keeper's blog: {book}"), format!("<h2>A lamp keeper's blog</h2><h1>{book}</h1>"), book),
    ] {
        let page = format!("<title>{title}</title>{headings}<p>A lens is described here.");
        assert_eq!(text(Sort::Other, &page).metadata.title.as_deref(), Some(expect), "{page}");
    }
    // On news it may be a kicker.
    let page =
        "<title>Streit um Licht - Der neue Leuchtturm</title><h2>Streit um Licht</h2><h1>Der neue Leuchtturm</h1>";
    assert_eq!(title_of(page).as_deref(), Some("Der neue Leuchtturm"));
}

#[test]
fn a_heading_of_one_word_below_others_is_no_headline() {
    let page = |headings: &str| {
        let page = format!("<title>Lens - lens-grind documentation</title>{headings}<p>Grinds.");
        text(Sort::Other, &page).metadata.title
    };
    assert_eq!(page("<h2>Name</h2><h2>Lens</h2>").as_deref(), Some("Lens - lens-grind documentation"));
    assert_eq!(page("<h2>Lens</h2><h2>Name</h2>").as_deref(), Some("Lens"));
}

#[test]
fn a_notice_about_cookies_is_no_headline() {
    for notice in [
        "Your choice regarding cookies on this site",
        "This site uses cookies",
        "Cookie-Einstellungen",
        "Nous utilisons des cookies",
        "We value your privacy",
        "Privacy Preference Center",
        "Мы используем файлы cookie",
        "本网站使用 Cookie",
    ] {
        for sort in [Sort::Text, Sort::Other] {
            let title = |page: &str| text(sort, page).metadata.title;
            let page = format!("<title>Lamps and lenses - X</title><h1>{notice}</h1>");
            assert_eq!(title(&page).as_deref(), Some("Lamps and lenses - X"), "{page}");
            let page = format!("<h1>{notice}</h1><h2>Lamps and lenses</h2>");
            assert_eq!(title(&page).as_deref(), Some("Lamps and lenses"), "{page}");
            let page = format!("<title>{notice} | Courier</title><h1>{notice}</h1>");
            assert_eq!(title(&page).as_deref(), Some(notice), "{page}");
        }
    }
}

/// Pages repeat a heading for each size of screen.
#[test]
fn a_heading_that_says_the_same_again_is_read_once() {
    let spans = |times: usize| "<span>The lamp of Skerry </span>".repeat(times);
    for times in 1..=4 {
        let page = format!("<title>The lamp of Skerry | Courier</title><h1>{}</h1>", spans(times));
        assert_eq!(title_of(&page).as_deref(), Some("The lamp of Skerry"), "{times}");
    }
    for title in ["Bora Bora", "New York, New York", "Row row row your boat", "Light on, light off"] {
        assert_eq!(title_of(&format!("<h1>{title}</h1>")).as_deref(), Some(title));
    }
}

/// Forums put a prefix into the heading, and the section after the title.
#[test]
fn a_thread_is_called_without_its_prefix_and_section() {
    let thread = |page: &str| text(Sort::Thread, page).metadata.title;
    for (page, expect) in [
        (
            "<title>News - Which lamp? | Skerry</title><meta property=og:title content='News - Which lamp?'>\
             <h1><span class='label label--green' dir=auto>News</span><span class=label-append>&nbsp;</span>Which lamp?</h1>",
            "Which lamp?",
        ),
        (
            "<title>Solved Which lamp?</title><h1><span class='badge prefix'>Solved</span> Which lamp?</h1>",
            "Which lamp?",
        ),
        ("<title>Which lamp? - Skerry Forum</title><p>I ask.", "Which lamp?"),
        ("<title>Which lamp? - Foro de faros</title><p>I ask.", "Which lamp?"),
        (
            "<title>Which lamp? / Lamp Talk / X</title><a href=/>X</a> <a href=/lamps>Lamp Talk</a><p>I ask.",
            "Which lamp?",
        ),
        (
            "<title>Skerry - The heart of the sea</title><a href=/>Skerry</a><h1>Which lamp do you use?</h1><p>I ask.",
            "Which lamp do you use?",
        ),
        ("<title>Which lamp? - Lamp Talk</title><p>I ask.", "Which lamp? - Lamp Talk"),
        ("<title>Forum rules</title><p>I ask.", "Forum rules"),
        ("<title>The best forum: Skerry or Mole?</title><p>I ask.", "The best forum: Skerry or Mole?"),
        (
            "<title>Skerry - which forum software is the best one today?</title><p>I ask.",
            "Skerry - which forum software is the best one today?",
        ),
    ] {
        assert_eq!(thread(page).as_deref(), Some(expect), "{page}");
    }
}

#[test]
fn a_first_page_is_called_as_its_site() {
    for (page, expect) in [
        ("<title>Home - The Lamp Blog</title><meta property=og:site_name content='The Lamp Blog'>", "The Lamp Blog"),
        ("<title>Home | Lamps</title><a href=/>Lamps</a>", "Lamps"),
        ("<title>Lamps</title><meta property=og:site_name content='Lamps'>", "Lamps"),
        ("<title>Home</title>", "Home"),
    ] {
        assert_eq!(text(Sort::Other, page).metadata.title.as_deref(), Some(expect), "{page}");
    }
}

/// The page is read once for each of a few sections, however many its title has.
#[test]
fn a_title_of_many_sections_takes_no_time() {
    let (sections, links) = (" - Lamps".repeat(20_000), "<a href=/l>Lamps</a> ".repeat(2_000));
    let page = format!("<meta property=og:title content='Which lamp?{sections}'><p>I ask. {links}");
    let title = text(Sort::Thread, &page).metadata.title.unwrap();
    assert!(title.len() > 100_000 && title.ends_with("Lamps"), "{}", title.len());
    let page = format!("<meta property=og:title content='Which lamp? - Lamps'><p>I ask. {links}");
    assert_eq!(text(Sort::Thread, &page).metadata.title.as_deref(), Some("Which lamp?"));
}
