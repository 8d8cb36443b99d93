//! Test pages in several languages, and the metadata they must give.

mod authors;
mod dates;
mod head;
mod titles;

use super::*;
use crate::html::parse;

fn read_page(page: &str, url: &str, sort: Sort, siblings: &Stated) -> Described {
    let document = parse(page.as_bytes(), None, &Default::default());
    let analysis = Analysis::new(&document);
    let url = Url::parse(url).unwrap();
    let statements = &statements::collect(&document, &analysis);
    read(&Subject { document: &document, analysis: &analysis, statements, url: Some(&url), sort, siblings })
}

fn of_pages(pages: impl IntoIterator<Item = Described>) -> Stated {
    pages.into_iter().fold(Stated::default(), |mut all, page| {
        all.add(&page.stated);
        all
    })
}

fn text(sort: Sort, page: &str) -> Described {
    let story = "<p>The ferry sailed at nine with the band on board, and a cat in the wheelhouse kept watch over the whole of the crew, as it \
                 had done every morning since the old harbour master gave up his post and moved inland.</p>";
    read_page(&format!("{page}{}", story.repeat(4)), "https://courier.example/harbour/ferry", sort, &Stated::default())
}

#[test]
fn titles_lose_the_name_of_the_site() {
    for (page, expect) in [
        ("<title>Ferry sails again – The Courier</title><h1>Ferry sails again</h1>", "Ferry sails again"),
        ("<title>Ferry sails again | Courier</title>", "Ferry sails again"),
        (
            "<title>Ferry sails again - Harbour News</title><meta property=og:site_name content='Harbour News'>",
            "Ferry sails again",
        ),
        ("<meta property=og:title content='Ferry sails'><title>Ferry sails and a cat</title>", "Ferry sails"),
        ("<title>Ferry: timetable of the winter</title><h1>Courier</h1>", "Ferry: timetable of the winter"),
        ("<title>The Courier</title><h1>The Courier</h1><h1>Ferry sails</h1>", "Ferry sails"),
        ("<h1 id=ferry>Ferry sails<a href='#ferry'>¶</a></h1>", "Ferry sails"),
        (
            "<title>Ferry sails, a year late</title><h1>Ferry sails again, one year late</h1>",
            "Ferry sails again, one year late",
        ),
        (
            "<script type=application/ld+json>{\"@type\":\"Article\",\"headline\":\"Ferry sails\"}</script>",
            "Ferry sails",
        ),
    ] {
        assert_eq!(text(Sort::Text, page).metadata.title.as_deref(), Some(expect), "{page}");
    }
    let slogan = "<title>Ferry tickets and prices</title><h1>Cheap tickets for everybody</h1>";
    assert_eq!(text(Sort::Other, slogan).metadata.title.as_deref(), Some("Ferry tickets and prices"));
}

#[test]
fn siblings_tell_the_name_of_the_site() {
    let page = |name: &str, siblings: &Stated| {
        let page = format!("<html><title>{name} :: Tidings from Sallowmouth</title><p>{name}");
        read_page(&page, "https://x.example/", Sort::Text, siblings)
    };
    let others = of_pages(["School roof", "Lifeboat crew"].map(|name| page(name, &Stated::default())));
    let found = page("Ferry sails", &others);
    assert_eq!(found.metadata.title.as_deref(), Some("Ferry sails"));
    assert_eq!(found.metadata.site_name.as_deref(), Some("Tidings from Sallowmouth"));
    assert_eq!(found.sources["site_name"], Source::Siblings);
}

#[test]
fn what_every_page_says_is_template() {
    let page = |name: &str, siblings: &Stated| {
        let page = format!(
            "<title>{name}</title><meta name=author content='Harbour Press'><p>Issue of 3 March 2026</p><h1>{name}</h1><p>It was late."
        );
        read_page(&page, "https://x.example/", Sort::Text, siblings)
    };
    let alone = page("Ferry sails", &Stated::default()).metadata;
    assert_eq!((alone.authors.len(), alone.published.as_deref()), (1, Some("2026-03-03")));
    let mut others = of_pages(["School roof", "Lifeboat crew"].map(|name| page(name, &Stated::default())));
    let among = page("Ferry sails", &others);
    assert_eq!((among.metadata.authors.len(), among.metadata.published), (0, None));
    // Values that are not believed still count, so that the site stays known for them.
    (0..600).for_each(|number| others.add(&page(&format!("Ferry {number}"), &others).stated));
    let later = page("Ferry sails", &others);
    assert_eq!((later.metadata.authors.len(), later.metadata.published), (0, None));
    assert_eq!(later.stated, page("Ferry sails", &Stated::default()).stated);
}

#[test]
fn bylines_and_dates_are_read_in_many_languages() {
    for (lang, lines, author, date) in [
        ("en", "<p>By Ann Orr</p><p>January 2, 2026</p>", "Ann Orr", "2026-01-02"),
        ("de", "<p>Von Änne Öhr, 2. Januar 2026</p>", "Änne Öhr", "2026-01-02"),
        ("fr", "<p>Par <b>Anne Orre</b> le 2 février 2026</p>", "Anne Orre", "2026-02-02"),
        ("es", "<p>Por Ana Ortega</p><p>2 de enero de 2026</p>", "Ana Ortega", "2026-01-02"),
        ("it", "<p>di Anna Orra</p><p>2 gennaio 2026</p>", "Anna Orra", "2026-01-02"),
        ("pt", "<p>Por Ana Ourém</p><p>2 de março de 2026</p>", "Ana Ourém", "2026-03-02"),
        ("nl", "<p>Door Anna van der Oever</p><p>2 maart 2026</p>", "Anna van der Oever", "2026-03-02"),
        ("sv", "<p>Skriven av Anna Orr</p><p>2 maj 2026</p>", "Anna Orr", "2026-05-02"),
        ("fi", "<p>Kirjoittaja: Anna Orri</p><p>2. toukokuuta 2026</p>", "Anna Orri", "2026-05-02"),
        ("hu", "<p>Írta: Orr Anna</p><p>2026. január 2.</p>", "Orr Anna", "2026-01-02"),
        ("ru", "<p>Автор: Анна Орр</p><p>2 января 2026 г.</p>", "Анна Орр", "2026-01-02"),
        ("tr", "<p>Yazan: Anna Or</p><p>2 Ocak 2026</p>", "Anna Or", "2026-01-02"),
        ("el", "<p>Συντάκτης: Άννα Ορ</p><p>2 Ιανουαρίου 2026</p>", "Άννα Ορ", "2026-01-02"),
        ("ja", "<p>著者：山田花子</p><p>2026年1月2日</p>", "山田花子", "2026-01-02"),
        ("zh", "<p>作者：王小明</p><p>2026年1月2日</p>", "王小明", "2026-01-02"),
    ] {
        let found =
            text(Sort::Text, &format!("<html lang={lang}><title>Ferry sails</title><h1>Ferry sails</h1>{lines}"))
                .metadata;
        assert_eq!(
            (found.authors.join("|").as_str(), found.published.as_deref()),
            (author, Some(date)),
            "{lang}: {lines}"
        );
    }
}

#[test]
fn what_is_stated_goes_before_what_is_seen() {
    let linked = "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"author\":[{\"name\":\"Ann Orr\"},{\"name\":\"Ben Ley\"}],\
                  \"datePublished\":\"2026-01-02T03:04:05+01:00\",\"dateModified\":\"2026-01-03\"}</script>";
    let seen =
        "<h1>Ferry sails</h1><p class=byline>By Cy Moe</p><time datetime=2026-02-02>Updated on 2 February 2026</time>";
    let found = text(Sort::Text, &format!("<title>Ferry sails</title>{linked}{seen}"));
    assert_eq!(found.metadata.authors, ["Ann Orr", "Ben Ley"]);
    assert_eq!(found.metadata.published.as_deref(), Some("2026-01-02T03:04:05+01:00"));
    assert_eq!(found.metadata.modified.as_deref(), Some("2026-01-03"));
    assert_eq!((found.sources["authors"], found.sources["published"]), (Source::JsonLd, Source::JsonLd));
    let found = text(Sort::Text, &format!("<title>Ferry sails</title>{seen}"));
    assert_eq!((found.metadata.authors.join("|"), found.sources["authors"]), ("Cy Moe".to_owned(), Source::Byline));
    assert_eq!((found.metadata.published.as_deref(), found.sources["published"]), (Some("2026-02-02"), Source::Time));
}

#[test]
fn doubt_is_silence() {
    for page in [
        "<h1>Ferry</h1><p class=author>Ann Orr writes of the sea, and has done so for the better part of twenty years.</p>",
        "<meta name=author content=admin><h1>Ferry</h1>",
        "<meta name=author content=https://x.example/ann><h1>Ferry</h1>",
        "<h1>Ferry</h1><p>© 2026 Harbour Press</p>",
        "<h1>Ferry</h1><div class=comments><a rel=author href=/a>Ann</a> <time datetime=2026-01-02>x</time></div>",
    ] {
        let found = text(Sort::Text, page).metadata;
        assert_eq!((found.authors.len(), found.published), (0, None), "{page}");
    }
}

#[test]
fn a_thread_is_by_its_first_post() {
    let post = |name: &str, day: &str| {
        format!(
            "<div class=post><a class=username href=/u/{name}>{name}</a> <time datetime=2026-01-{day}>x</time><p>Where is the ferry?</p></div>"
        )
    };
    let page = format!("<title>Where is it?</title><h1>Where is it?</h1>{}{}", post("ann77", "02"), post("ben", "03"));
    let found = text(Sort::Thread, &page).metadata;
    assert_eq!((found.authors.join("|"), found.published), ("ann77".to_owned(), Some("2026-01-02".to_owned())));
}

#[test]
fn authors_stand_beside_topics_publishers_and_owners() {
    for (sort, page, expect) in [
        (
            Sort::Text,
            "<p class=byline><span><a href=/tag/harbour>Harbour Life</a></span> <span>Ann Orr</span></p>",
            "Ann Orr",
        ),
        (Sort::Text, "<div class='meta no-byline'><a href=/>Home</a></div>", ""),
        // This is the publisher's name except for the town.
        (
            Sort::Text,
            "<meta property=og:site_name content='Sallowmouth Harbour Courier'><meta name=author content='Ann Orr, Ben Ley'><meta name=author content='The Harbour Courier'>",
            "Ann Orr|Ben Ley",
        ),
        // All authors; the first is the creator.
        (
            Sort::Text,
            "<meta name=dc.creator content='Ann Orr'><meta name=citation_author content='Orr, Ann'><meta name=citation_author content='Ley, Ben'>",
            "Ann Orr|Ben Ley",
        ),
        (
            Sort::Text,
            "<meta name=author content='content: Courier, design: Cy Moe, code: Di Fay'><p>By Ann Orr</p>",
            "Ann Orr",
        ),
        (
            Sort::Text,
            "<meta name=twitter:label1 content='Interview by'><meta name=author content='Courier'><meta name=twitter:data1 content='Ann Orr'>",
            "Ann Orr",
        ),
        // A link to the authors is not a label of the next link.
        (Sort::Text, "<nav><a href=/contributors>Contributors</a> <a href=/services>Online Services</a></nav>", ""),
        // A sentence says it, with a description of the author.
        (
            Sort::Text,
            "<p>The ferry sailed at nine.</p><div><p>This post was written by <b>Ann Orr</b>, MD, harbour doctor at the Sallowmouth Institute of Ferries.</div>",
            "Ann Orr, MD",
        ),
        (
            Sort::Text,
            "<p>This post was written by the harbour office, of which more is said elsewhere on these pages.</p>",
            "",
        ),
        (
            Sort::Text,
            "<p>The ferry's log says: this post was written by Ann Orr, who was there when it sailed.</p>",
            "",
        ),
        (Sort::Thread, "<div class=postleft><dl><dt>ann77</dt><dd>Member</dd></dl></div>", "ann77"),
    ] {
        let found = text(sort, &format!("<title>Ferry sails</title><h1>Ferry sails</h1>{page}")).metadata;
        assert_eq!(found.authors.join("|"), expect, "{page}");
    }
    // The head of a personal site names its owner.
    let page = "<title>Ferry sails</title><script type=application/ld+json>{\"@type\":\"BlogPosting\",\"author\":{\"name\":\"Ann Orr\"}}</script><h1>Ferry sails</h1><p>Words by Cy Moe</p><p>The ferry sailed at nine.</p>";
    assert_eq!(
        read_page(page, "https://annorr.example/ferry", Sort::Text, &Stated::default()).metadata.authors,
        ["Ann Orr"]
    );
}

#[test]
fn bylines_end_where_the_name_does() {
    for (head, byline, expect) in [
        ("", "<p class=byline>By Ann Orr in Berlin</p>", "Ann Orr"),
        ("", "<p>By Ann Orr, Chief Reporter</p>", "Ann Orr"),
        ("", "<p>By Ann Orr for The Courier</p>", "Ann Orr"),
        ("", "<p class=author>Ann Orr, Monday</p>", "Ann Orr"),
        ("", "<p>By Ann Orr and Ben Ley, The Courier</p>", "Ann Orr|Ben Ley"),
        ("", "<p>By Ann Orr, Chief Reporter, and Ben Ley, Science Editor</p>", "Ann Orr|Ben Ley"),
        ("", "<meta name=author content='Ann Orr | Science Editor'>", "Ann Orr"),
        // The site's name, if it is known.
        ("<meta property=og:site_name content=Tidings>", "<p>By Ann Orr, Tidings</p>", "Ann Orr"),
        (
            "<meta property=og:site_name content='Harbour Tidings'>",
            "<meta name=author content='Ann Orr Harbour Tidings'>",
            "Ann Orr",
        ),
        (
            "<meta property=og:site_name content='Harbour Tidings'>",
            "<meta name=author content='Ann Orr of Harbour Tidings'>",
            "Ann Orr",
        ),
        (
            "<meta property=og:site_name content='Harbour Tidings'>",
            "<meta name=author content='Ann / Harbour Tidings'>",
            "Ann / Harbour Tidings",
        ),
        ("<meta property=og:site_name content='Ann Orr'>", "<meta name=author content='Ann Orr'>", "Ann Orr"),
    ] {
        let page = format!("{head}<title>Ferry sails</title><h1>Ferry sails</h1>{byline}");
        assert_eq!(text(Sort::Text, &page).metadata.authors.join("|"), expect, "{head}{byline}");
    }
}

#[test]
fn authors_are_told_from_what_stands_in_their_place() {
    for (page, expect) in [
        (
            "<meta name=twitter:label1 content='Written by'><meta name=twitter:data1 content='Ann Orr'><h1>Ferry</h1>",
            "Ann Orr",
        ),
        (
            "<meta name=twitter:label1 content='Est. reading time'><meta name=twitter:data1 content='4 minutes'><h1>Ferry</h1>",
            "",
        ),
        ("<h1>Ferry</h1><div class=byline><span>Guide</span> <span>by</span> <a href=/x>Ann Orr</a></div>", "Ann Orr"),
        ("<h1>Ferry</h1><div class=author><b>About the author</b> <i>Ann Orr</i></div>", "Ann Orr"),
        ("<h1>Ferry</h1><span class=author>Sun May 3, 2026</span>", ""),
        ("<h1>Ferry</h1><span class=author-name>ann of the quay</span>", "ann of the quay"),
        ("<h1>Ferry</h1><p>By The Courier editors", "The Courier editors"),
        ("<h1>Ferry</h1><div itemprop=author><meta itemprop=name content='Ann Orr'></div>", "Ann Orr"),
        ("<h1>Ferry</h1><span class=author>courier.com</span>", ""),
        (
            "<script type=application/ld+json>{\"@type\": \"Article\", \"author\": [{\"name\": \"Ann Orr\"}, {\"name\": \"The Courier\"}]}</script><h1>Ferry</h1>",
            "Ann Orr",
        ),
    ] {
        assert_eq!(text(Sort::Text, page).metadata.authors.join("|"), expect, "{page}");
    }
}

#[test]
fn of_what_is_no_text_only_a_person_is_the_author() {
    for (page, expect) in [
        ("<meta name=author content='Ann Orr'>", "Ann Orr"),
        ("<meta name=author content='The Courier'>", ""),
        ("<meta name=author content='Ferry Services Ltd'>", ""),
        ("<meta name=author content=ann77>", ""),
        ("<h1>Tickets</h1><a rel=author href=/a>Ann Orr</a>", ""),
        ("<script type=application/ld+json>{\"@type\": \"WebPage\", \"author\": \"Ann Orr\"}</script>", ""),
    ] {
        assert_eq!(text(Sort::Other, page).metadata.authors.join("|"), expect, "{page}");
    }
}

#[test]
fn the_rest_of_the_head_is_read() {
    let page = "<html lang=en-gb><head><title>Ferry</title><meta property=og:site_name content='The Courier'>
        <meta name=description content=' What the\n ferry did '><meta property=og:image content=/ferry.jpg>
        <link rel='canonical' href=../ferry><link rel=license href=https://creativecommons.org/licenses/by/4.0/>
        <meta property=article:tag content=ferry><meta property=article:tag content='cats, harbour'>
        <meta property=article:modified_time content=2026-01-03T00:00:00Z><h1>Ferry</h1>";
    let found = text(Sort::Text, page);
    let expect = Metadata {
        language_confidence: found.metadata.language_confidence,
        title: Some("Ferry".to_owned()),
        modified: Some("2026-01-03T00:00:00Z".to_owned()),
        language: Some("en-GB".to_owned()),
        site_name: Some("The Courier".to_owned()),
        description: Some("What the ferry did".to_owned()),
        image: Some("https://courier.example/ferry.jpg".to_owned()),
        canonical_url: Some("https://courier.example/ferry".to_owned()),
        tags: ["ferry", "cats", "harbour"].map(str::to_owned).into(),
        license: Some("https://creativecommons.org/licenses/by/4.0/".to_owned()),
        ..Metadata::default()
    };
    assert_eq!(found.metadata, expect);
    assert_eq!(found.sources["tags"], Source::Article);
}

#[test]
fn code_is_in_no_language() {
    let chinese = "<p>渡轮今天早上九点启航，乐队在船上演奏，一只猫坐在驾驶室里看着全体船员，就像它每天早上所做的那样，直到老港务长离任搬到内地去。";
    let code = "<pre>for boat in harbour.boats(): print(boat.name, boat.captain, boat.tickets_sold, when the ferry sails)</pre>";
    let page = format!("<html lang=en><h1>渡轮</h1>{chinese}{}{chinese}", code.repeat(20));
    let found = read_page(&page, "https://x.example/", Sort::Text, &Stated::default());
    assert_eq!(found.metadata.language.as_deref(), Some("zh"));
}

#[test]
fn the_text_tells_its_language_where_the_template_does_not() {
    let german = "<p>Die Fähre fuhr um neun Uhr mit der Kapelle an Bord, und eine Katze im Steuerhaus hielt Wache über die ganze Mannschaft, wie sie \
                  es jeden Morgen getan hatte, seit der alte Hafenmeister sein Amt aufgab und ins Landesinnere zog.</p>";
    for (head, body, expect, source) in [
        ("<html lang=en>", german, Some("de"), Source::Text),
        ("<html lang=de-AT>", german, Some("de-AT"), Source::Lang),
        ("<html>", german, Some("de"), Source::Text),
        ("<html lang=fr>", "<p>Oui.</p>", Some("fr"), Source::Lang),
    ] {
        let found =
            read_page(&format!("{head}{}", body.repeat(3)), "https://x.example/", Sort::Text, &Stated::default());
        assert_eq!((found.metadata.language.as_deref(), found.sources["language"]), (expect, source), "{head}");
        assert_eq!(found.metadata.language_confidence.is_some(), body == german);
    }
}

/// Each took half a minute or more before the lists were limited, which stopped a crawl.
#[test]
fn long_lists_of_names_and_parts_of_titles_take_no_time() {
    let many = |item: fn(usize) -> String, joint: &str| (0..40_000).map(item).collect::<Vec<_>>().join(joint);
    let letters = |at: usize| format!("{}{}", (b'a' + (at % 26) as u8) as char, at);
    let authors = many(|at| format!("A B{at}"), ", ");
    let people = |at: usize| format!("\"Ann Orr{}\"", letters(at));
    let people: Vec<String> = (0..20_000).map(people).collect();
    let parts = many(|at| format!("{at:x}"), " | ");
    let headings: String = (0..3_000).map(|at| format!("<h1>A story {at}</h1><h2>{at:x}</h2>")).collect();
    let links: String = (0..5_000).map(|at| format!("<a rel=author href=/a/{at}>Ann Orr{at}</a>")).collect();
    let json = |body: String| {
        format!("<script type=application/ld+json>{{\"@type\": \"Article\", {body}}}</script><h1>Ferry</h1><p>text")
    };
    let images = many(|at| format!("{{\"@id\": \"#i{at}\"}}"), ",");
    let dates = many(|at| format!("{} May 2026", at % 28 + 1), " · ");
    let spans =
        many(|at| format!("<a class=author href=/author/{at}>Ann {}</a>", (b'A' + (at % 26) as u8) as char), ", ");
    for page in [
        format!("<h1>Ferry</h1><p class=byline>By {spans}</p><p>text"),
        format!("<h1>Ferry</h1><p>By {spans}</p><p>text"),
        format!("<h1>Ferry</h1>{}<p>text", spans.replace(", ", "<p>")),
        format!("<h1>Ferry</h1><p class=author>{}</p><p>text", "王小明、".repeat(40_000)),
        format!("<h1>Ferry</h1><p>记者：{}</p><p>text", "王小明 ".repeat(40_000)),
        format!("<h1>Ferry</h1><p>{}</p><p>text", "作者：王 ".repeat(40_000)),
        format!("<h1>Ferry</h1><p>By {}</p><p>text", "Ann Orr / ".repeat(40_000)),
        format!("<h1>Ferry</h1><p>By {}</p><p>text", "👩‍💻".repeat(40_000)),
        format!("<h1>Ferry</h1><p>Published {dates}</p><p>text"),
        format!("<h1>Ferry</h1><p>{}</p><p>text", "<span>2 May 2026</span> ".repeat(40_000)),
        format!("<h1>Ferry</h1><p>{}</p><p>text", "二〇二六年一月".repeat(40_000)),
        format!("<h1>Ferry</h1><p>{}</p><p>text", "令和".repeat(40_000)),
        format!("<title>{}</title><h1>Ferry</h1><p>text", "标题_".repeat(40_000)),
        format!("<title>{}</title><h1>Ferry</h1><p>text", "(a) ".repeat(40_000)),
        format!("<h1>{}</h1><p>text", "<span>F</span><br>".repeat(40_000)),
        format!("<title>Ferry</title>{}<p>text", "<a href=/>Ferry</a>".repeat(40_000)),
        format!("<meta property=og:title content=\"{}\"><p>text", "&amp;amp;&lt;br&gt;".repeat(40_000)),
        json(format!("\"image\": [{images}]")),
        json(format!("\"author\": [{images}]")),
        json(format!("\"author\": \"{}\"", "&amp;aacute;".repeat(40_000))),
        format!("<meta name=author content=\"{authors}\"><p>text"),
        format!("<meta name=citation_authors content=\"{}\"><p>text", authors.replace(", ", "; ")),
        format!(
            "<script type=application/ld+json>{{\"@type\": \"Article\", \"author\": [{}]}}</script><p>text",
            people.join(",")
        ),
        format!("<h1>Ferry</h1>{links}<p>text"),
        format!("<p class=byline>By {authors}</p><p>text"),
        format!("<title>{parts}</title>{headings}<p>text"),
        format!("<meta property=og:title content=\"{parts}\">{headings}<p>text"),
        format!("<title>{}</title>{headings}<p>text", "x ".repeat(200_000)),
    ] {
        let began = std::time::Instant::now();
        read_page(&page, "https://x.example/", Sort::Text, &Stated::default());
        let took = began.elapsed();
        assert!(took < std::time::Duration::from_secs(8), "{took:?}: {}", &page[..60]);
    }
}

#[test]
fn a_silent_page_says_nothing() {
    let found = read_page("<title> </title>text", "https://x.example/", Sort::Unknown, &Stated::default());
    assert_eq!((found.metadata, found.sources.len()), (Metadata::default(), 0));
}
