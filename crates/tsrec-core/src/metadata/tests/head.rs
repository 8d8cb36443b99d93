//! What the head and element properties state, on test pages.

use super::*;

fn without_address(page: &str) -> Metadata {
    let document = parse(page.as_bytes(), None, &Default::default());
    let analysis = Analysis::new(&document);
    let (statements, siblings) = (&statements::collect(&document, &analysis), &Stated::default());
    read(&Subject { document: &document, analysis: &analysis, statements, url: None, sort: Sort::Text, siblings })
        .metadata
}

/// A page with this image, canonical URL and licence.
fn with_addresses(image: &str, canonical: &str, license: &str) -> String {
    format!(
        "<title>Ferry</title><meta property=og:image content='{image}'><link rel=canonical href='{canonical}'><link rel=license href='{license}'>"
    )
}

#[test]
fn only_addresses_of_the_web_are_given() {
    let of = |found: Metadata| (found.image, found.canonical_url, found.license);
    for address in
        ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "JavaScript:x", "http:"]
    {
        let page = with_addresses(address, address, address);
        assert_eq!(of(without_address(&page)), (None, None, None), "{address}");
        assert_eq!(of(text(Sort::Text, &page).metadata), (None, None, None), "{address}");
    }
    let page = with_addresses("/a.jpg", "ferry", "../terms");
    assert_eq!(of(without_address(&page)), (None, None, None), "relative to nothing");
    let page = with_addresses("https://x.example/a.jpg", "HTTP://x.example", "https://x.example/terms");
    let expect =
        ["https://x.example/a.jpg", "http://x.example/", "https://x.example/terms"].map(|url| Some(url.to_owned()));
    assert_eq!(of(without_address(&page)), expect.into());
}

#[test]
fn a_licence_is_an_address_or_a_name() {
    let linked = |license: &str| {
        let page =
            format!("<script type=application/ld+json>{{\"@type\":\"Article\",\"license\":\"{license}\"}}</script>");
        text(Sort::Text, &page).metadata.license
    };
    for (license, expect) in [
        ("CC BY 4.0", Some("CC BY 4.0")),
        ("https://x.example/by", Some("https://x.example/by")),
        ("/terms", Some("https://courier.example/terms")),
        ("javascript:alert(1)", None),
    ] {
        assert_eq!(linked(license).as_deref(), expect, "{license}");
    }
}

#[test]
fn addresses_are_relative_to_the_base_that_the_page_names() {
    let page = format!("<base href=/press/2026/>{}", with_addresses("a.jpg", "ferry", "terms"));
    let found = text(Sort::Text, &page).metadata;
    assert_eq!(found.image.as_deref(), Some("https://courier.example/press/2026/a.jpg"));
    assert_eq!(found.canonical_url.as_deref(), Some("https://courier.example/press/2026/ferry"));
    assert_eq!(found.license.as_deref(), Some("https://courier.example/press/2026/terms"));
    let page = format!("<base href=data:text/plain,x>{}", with_addresses("a.jpg", "ferry", "terms"));
    assert_eq!(text(Sort::Text, &page).metadata.image.as_deref(), Some("https://courier.example/harbour/a.jpg"));
}

#[test]
fn properties_of_the_pages_thing_are_read() {
    let microdata = "<div itemscope itemtype=https://schema.org/NewsArticle><p itemprop=headline>Ferry sails</p><img itemprop=image src=/a.jpg>\
                     <meta itemprop=inLanguage content=en-GB><a itemprop=license href=/terms>Terms</a><p itemprop=description>What the ferry\n did</p>\
                     <a itemprop=keywords href=/t/ferry>ferry</a> <a itemprop=keywords href=/t/cats>cats, harbour</a></div>";
    let rdfa = microdata
        .replace("itemscope itemtype=https://schema.org/NewsArticle", "vocab=https://schema.org/ typeof=NewsArticle")
        .replace("itemprop=", "property=schema:");
    for page in [
        microdata,
        &rdfa.replace("<meta property=schema:inLanguage content=en-GB>", "<i property=inLanguage content=en-GB></i>"),
    ] {
        let found = read_page(page, "https://x.example/", Sort::Text, &Stated::default());
        let Metadata { title, image, language, license, description, tags, .. } = found.metadata;
        let found_texts = [title, image, language, license, description].map(Option::unwrap_or_default);
        assert_eq!(
            found_texts,
            ["Ferry sails", "https://x.example/a.jpg", "en-GB", "https://x.example/terms", "What the ferry did"]
        );
        assert_eq!(tags, ["ferry", "cats", "harbour"]);
        for field in ["title", "image", "license", "description", "tags"] {
            assert_eq!(found.sources[field], Source::Microdata, "{field}");
        }
    }
}

#[test]
fn properties_of_other_things_are_not_the_pages() {
    let article = |inner: &str| format!("<div itemscope itemtype=https://schema.org/Article>{inner}</div>");
    for page in [
        // Properties of its author, its shop and a comment.
        article(
            "<div itemprop=author itemscope itemtype=https://schema.org/Person><img itemprop=image src=/ann.jpg></div>",
        ),
        "<div itemscope itemtype=https://schema.org/Organization><img itemprop=image src=/logo.svg></div>".to_owned(),
        "<div itemscope itemtype=https://schema.org/Comment><img itemprop=image src=/ben.jpg></div>".to_owned(),
        // Two articles in a list.
        article("<img itemprop=image src=/a.jpg>").repeat(2),
        article("<img itemprop=image src='javascript:x'>"),
    ] {
        assert_eq!(text(Sort::Text, &page).metadata.image, None, "{page}");
    }
    let of_a_thing = "<div itemprop=image itemscope itemtype=https://schema.org/ImageObject><meta itemprop=width content=9><img itemprop=url src=/a.jpg></div>";
    let found = text(Sort::Text, &article(of_a_thing)).metadata;
    assert_eq!(found.image.as_deref(), Some("https://courier.example/a.jpg"));
}

#[test]
fn subjects_of_dublin_core_are_tags() {
    let page =
        "<meta name=DC.subject content='ferry, cats'><meta name=dcterms.subject content=harbour><title>Ferry</title>";
    let found = text(Sort::Text, page);
    assert_eq!(found.metadata.tags, ["ferry", "cats", "harbour"]);
    assert_eq!(found.sources["tags"], Source::DublinCore);
}

#[test]
fn a_language_that_the_page_alone_declares_has_no_confidence() {
    let sure = text(Sort::Text, "<html lang=en>").metadata;
    assert!(sure.language_confidence.is_some_and(|sure| (0.5..=1.0).contains(&sure)), "{:?}", sure.language_confidence);
    let short = "<html lang=nl><p>Oui.";
    let found = read_page(short, "https://x.example/", Sort::Text, &Stated::default()).metadata;
    assert_eq!((found.language.as_deref(), found.language_confidence), (Some("nl"), None));
}

#[test]
fn an_image_in_json_may_be_a_reference() {
    let graph = |image: &str| {
        format!(
            "<script type=application/ld+json>{{\"@graph\":[{{\"@type\":\"Article\",\"headline\":\"Ferry\",{image}}},\
             {{\"@type\":\"ImageObject\",\"@id\":\"https://courier.example/ferry/#image\",\"url\":\"/up/ferry.jpg\"}},\
             {{\"@type\":\"ImageObject\",\"@id\":\"#content\",\"contentUrl\":\"/up/content.jpg\"}},\
             {{\"@type\":\"ImageObject\",\"@id\":\"#nested\",\"url\":{{\"@id\":\"/up/nested.jpg\"}}}},\
             {{\"@type\":\"ImageObject\",\"@id\":\"#empty\",\"width\":9}}]}}</script>"
        )
    };
    for (image, expect) in [
        ("\"image\":{\"@id\":\"https://courier.example/ferry/#image\"}", Some("/up/ferry.jpg")),
        ("\"image\":[{\"@id\":\"https://courier.example/ferry/#image\"}]", Some("/up/ferry.jpg")),
        ("\"image\":\"https://courier.example/ferry/#image\"", Some("/up/ferry.jpg")),
        ("\"image\":{\"@id\":\"#content\"}", Some("/up/content.jpg")),
        ("\"image\":{\"@id\":\"#nested\"}", Some("/up/nested.jpg")),
        ("\"primaryImageOfPage\":{\"@id\":\"#content\"}", Some("/up/content.jpg")),
        ("\"image\":{\"@id\":\"#none\"},\"thumbnailUrl\":\"/up/thumb.jpg\"", Some("/up/thumb.jpg")),
        ("\"image\":{\"@id\":\"#empty\"},\"thumbnailUrl\":\"/up/thumb.jpg\"", Some("/up/thumb.jpg")),
        ("\"image\":[{\"@id\":\"#none\"},{\"@id\":\"#content\"}]", Some("/up/content.jpg")),
        ("\"image\":{\"@id\":\"/up/plain.jpg\"}", Some("/up/plain.jpg")),
        ("\"image\":{\"@type\":\"ImageObject\",\"url\":[\"/up/list.jpg\"]}", Some("/up/list.jpg")),
        ("\"image\":{\"@id\":\"#none\"}", None),
        ("\"image\":[]", None),
    ] {
        let found = text(Sort::Text, &graph(image)).metadata.image;
        assert_eq!(found, expect.map(|path| format!("https://courier.example{path}")), "{image}");
    }
}

#[test]
fn what_programs_write_for_no_address_is_none() {
    let og = "<meta property=og:url content=https://courier.example/q>";
    for (address, expect) in [
        ("http://localhost:3000/q", "https://courier.example/q"),
        ("http://127.0.0.1/q", "https://courier.example/q"),
        ("http://192.168.0.4/q", "https://courier.example/q"),
        ("https://staging/q", "https://courier.example/q"),
        ("undefined", "https://courier.example/q"),
        ("null", "https://courier.example/q"),
        ("#", "https://courier.example/q"),
        ("{{ url }}", "https://courier.example/q"),
        ("/r", "https://courier.example/r"),
        ("https://other.example/r", "https://other.example/r"),
    ] {
        let page = format!("<title>Ferry</title><link rel=canonical href='{address}'>{og}");
        assert_eq!(text(Sort::Text, &page).metadata.canonical_url.as_deref(), Some(expect), "{address}");
    }
    // The page itself is there.
    let page = "<title>Ferry</title><link rel=canonical href=/r>";
    let found = read_page(page, "http://localhost:3000/q", Sort::Text, &Stated::default()).metadata;
    assert_eq!(found.canonical_url.as_deref(), Some("http://localhost:3000/r"));
}

#[test]
fn a_description_says_more_than_the_title() {
    let of = |description: &str, more: &str| {
        let page = format!("<title>Ferry sails</title><meta property=og:description content='{description}'>{more}");
        text(Sort::Text, &page).metadata.description
    };
    let other = "<meta name=description content='What the ferry did'>";
    for (description, more, expect) in [
        ("Ferry sails", other, Some("What the ferry did")),
        ("Ferry sails", "", Some("Ferry sails")),
        ("null", other, Some("What the ferry did")),
        ("undefined", "", None),
        ("&lt;p&gt;What it&lt;br&gt;did&lt;/p&gt;", "", Some("What it did")),
        ("Ferry sails at nine", other, Some("Ferry sails at nine")),
    ] {
        assert_eq!(of(description, more).as_deref(), expect, "{description}");
    }
}

#[test]
fn the_language_may_be_declared_for_xml_or_on_the_body() {
    for (page, expect) in [
        ("<html xml:lang=nl-BE><p>Oui.", "nl-BE"),
        ("<html><body lang=nl><p>Oui.", "nl"),
        ("<html lang=''><body lang=nl><p>Oui.", "nl"),
        ("<html lang=de><body lang=nl><p>Oui.", "de"),
    ] {
        let found = read_page(page, "https://x.example/", Sort::Text, &Stated::default()).metadata;
        assert_eq!(found.language.as_deref(), Some(expect), "{page}");
    }
}

#[test]
fn the_type_of_a_script_is_known_in_any_case() {
    for kind in ["APPLICATION/LD+JSON", "application/ld+json; charset=utf-8"] {
        let page = format!("<script type='{kind}'>{{\"@type\":\"Article\",\"headline\":\"Ferry sails\"}}</script>");
        assert_eq!(text(Sort::Text, &page).metadata.title.as_deref(), Some("Ferry sails"), "{kind}");
    }
}
