//! Each format as sites write it, and malformed.

use std::io::Write;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

fn base() -> Url {
    Url::parse("https://example.org/feeds/all.xml").unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The entries as text: URL, and date where there is one.
fn shown(listed: &[ListingEntry]) -> Vec<String> {
    let one = |listed: &ListingEntry| match listed.modified {
        Some(modified) => format!("{} {modified}", listed.url),
        None => listed.url.to_string(),
    };
    listed.iter().map(one).collect()
}

fn pages(text: &str) -> Vec<String> {
    let listing = read(text.as_bytes(), &base()).unwrap();
    assert!(listing.sitemaps.is_empty() && !listing.cut, "{listing:?}");
    shown(&listing.pages)
}

const SITEMAP: &str = "<?xml version='1.0' encoding='UTF-8'?>
    <urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'
    xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>
    <!-- a comment --><url><loc> https://example.org/a?x=1&amp;y=%C3%BC </loc><lastmod>2025-06-25</lastmod>
    <image:image><image:loc>https://example.org/picture.png</image:loc></image:image></url>
    <url><lastmod>2025-06-25T10:00:00+02:00</lastmod><loc><![CDATA[/relative]]></loc><priority>0.5</priority></url>
    <url><loc>ftp://example.org/</loc></url><url/><url><loc></loc></url>
    <url><loc>https://user:secret@example.org/b#part</loc><lastmod>soon</lastmod></url></urlset>";

#[test]
fn sitemaps() {
    let expect = [
        "https://example.org/a?x=1&y=%C3%BC 2025-06-25T00:00:00Z",
        "https://example.org/relative 2025-06-25T08:00:00Z",
        "https://example.org/b",
    ];
    assert_eq!(pages(SITEMAP), expect);
    assert_eq!(shown(&read(&*gzip(SITEMAP.as_bytes()), &base()).unwrap().pages), expect);
    let utf_16: Vec<u8> = format!("\u{feff}{SITEMAP}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(shown(&read(&*utf_16, &base()).unwrap().pages), expect);
    assert_eq!(pages(&format!("\u{feff}\n {SITEMAP}")), expect);
}

#[test]
fn indexes() {
    let index = "<sitemapindex><sitemap><loc>https://example.org/1.xml.gz</loc><lastmod>2025-06</lastmod></sitemap>
        <sitemap><loc>https://example.org/2.xml</loc></sitemap></sitemapindex>";
    let listing = read(index.as_bytes(), &base()).unwrap();
    assert!(listing.pages.is_empty());
    let expect = ["https://example.org/1.xml.gz 2025-06-01T00:00:00Z", "https://example.org/2.xml"];
    assert_eq!(shown(&listing.sitemaps), expect);
}

#[test]
fn feeds() {
    let rss = "<rss version='2.0'><channel><title>T</title><link>https://example.org/</link>
        <item><title>A &amp; B</title>
        <link>https://example.org/a</link><pubDate>Wed, 25 Jun 2025 10:00:00 +0200</pubDate></item>
        <item><guid>https://example.org/b</guid></item>
        <item><guid isPermaLink='false'>https://example.org/c</guid></item>
        <item><guid>tag:example.org,2025:d</guid></item></channel></rss>";
    assert_eq!(pages(rss), ["https://example.org/a 2025-06-25T08:00:00Z", "https://example.org/b"]);
    let rdf = "<rdf:RDF xmlns:rdf='x' xmlns:dc='y'><channel/><item rdf:about='z'><link>/a</link>
        <dc:date>2025-06-25T08:00:00Z</dc:date></item></rdf:RDF>";
    assert_eq!(pages(rdf), ["https://example.org/a 2025-06-25T08:00:00Z"]);
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><link rel='self' href='/feed'/>
        <updated>2020-01-01T00:00:00Z</updated>
        <entry><link rel='enclosure' href='/a.mp3'/><link href='a?x&amp;y&#38;z&nbsp;' rel='alternate'/>
        <updated>2025-06-25T08:00:00Z</updated><source><updated>2001-01-01T00:00:00Z</updated></source></entry>
        <entry><link href='https://other.example/'/></entry></feed>";
    let expect = ["https://example.org/feeds/a?x&y&z&nbsp; 2025-06-25T08:00:00Z", "https://other.example/"];
    assert_eq!(pages(atom), expect);
}

/// The protocol allows 50 MB unpacked, with 50,000 addresses.
#[test]
fn the_limits_of_the_protocol_hold() {
    let long = "x".repeat(850);
    let urls: String =
        (0..MAX_ENTRIES).map(|n| format!("<url><loc>https://example.org/{n}/{long}</loc></url>\n")).collect();
    let sitemap = format!("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{urls}</urlset>");
    assert!(sitemap.len() > 40 << 20 && (sitemap.len() as u64) < MAX_LISTING_BYTES);
    for bytes in [sitemap.clone().into_bytes(), gzip(sitemap.as_bytes())] {
        let listing = read(&*bytes, &base()).unwrap();
        assert_eq!((listing.pages.len(), listing.cut), (MAX_ENTRIES, false));
    }
    let maps: String = (0..MAX_ENTRIES).map(|n| format!("<sitemap><loc>/{n}.xml.gz</loc></sitemap>")).collect();
    let listing = read(format!("<sitemapindex>{maps}</sitemapindex>").as_bytes(), &base()).unwrap();
    assert_eq!((listing.sitemaps.len(), listing.cut), (MAX_ENTRIES, false));
}

#[test]
fn encodings_are_those_of_the_mark_or_the_declaration() {
    let sitemap = |label: &str| {
        format!(
            "<?xml version=\"1.0\" encoding='{label}'?><urlset><url><loc>https://example.org/\u{fc}?q=\u{fc}</loc></url></urlset>"
        )
    };
    let utf_8 = ["https://example.org/%C3%BC?q=%C3%BC"];
    for (label, encoding) in [
        ("ISO-8859-1", encoding_rs::WINDOWS_1252),
        ("windows-1252", encoding_rs::WINDOWS_1252),
        ("iso-8859-15", encoding_rs::ISO_8859_15),
        ("macintosh", encoding_rs::MACINTOSH),
        ("gb18030", encoding_rs::GB18030),
        ("utf-8", encoding_rs::UTF_8),
        ("no-such-encoding", encoding_rs::UTF_8),
        ("utf-16", encoding_rs::UTF_8),
    ] {
        let bytes = encoding.encode(&sitemap(label)).0.into_owned();
        assert_eq!(shown(&read(&*bytes, &base()).unwrap().pages), utf_8, "{label}");
        assert_eq!(shown(&read(&*gzip(&bytes), &base()).unwrap().pages), utf_8, "{label}, gzipped");
    }
    for mark in ["", "\u{feff}"] {
        let text = format!("{mark}{}", sitemap("utf-16"));
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [little, big] {
            assert_eq!(shown(&read(&*bytes, &base()).unwrap().pages), utf_8, "{mark:?}");
        }
    }
}

#[test]
fn bases_alternates_and_namespaces() {
    const OURS: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
    const IMAGE: &str = "http://www.google.com/schemas/sitemap-image/1.1";
    for (xml, expect) in [
        ("<feed xml:base='https://b.example/x/'><entry><link href='a'/></entry></feed>".to_owned(), &["https://b.example/x/a"][..]),
        (
            "<feed xml:base='/x/'><entry xml:base='y/'><link href='a'/></entry><entry><link href='b'/></entry></feed>".to_owned(),
            &["https://example.org/x/y/a", "https://example.org/x/b"],
        ),
        ("<feed><entry><link xml:base='/z/' href='a'/></entry><entry><link href='b'/></entry></feed>".to_owned(), &["https://example.org/z/a", "https://example.org/feeds/b"]),
        ("<urlset xml:base='ftp://b.example/'><url><loc>/a</loc></url></urlset>".to_owned(), &["https://example.org/a"]),
        (
            format!("<urlset xmlns='{OURS}' xmlns:image='{IMAGE}'><url><image:loc>/p.png</image:loc><loc>/a</loc></url></urlset>"),
            &["https://example.org/a"],
        ),
        (
            format!("<s:urlset xmlns:s='{OURS}' xmlns='{IMAGE}'><s:url><loc>/p.png</loc><s:loc>/a</s:loc></s:url></s:urlset>"),
            &["https://example.org/a"],
        ),
        (
            format!("<urlset xmlns='{OURS}'><url><loc xmlns='{IMAGE}'>/p.png</loc><s:loc xmlns:s='{OURS}'>/a</s:loc></url></urlset>"),
            &["https://example.org/a"],
        ),
        ("<urlset><url><video:loc>/v.mp4</video:loc><loc>/a</loc></url></urlset>".to_owned(), &["https://example.org/a"]),
        (
            "<rss xmlns:atom='http://www.w3.org/2005/Atom' xmlns:media='http://search.yahoo.com/mrss/'><item><atom:link href='/self'/>\
             <media:link>/m</media:link><link>/a</link></item></rss>"
                .to_owned(),
            &["https://example.org/a"],
        ),
        ("<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'><item><link>/a</link></item></rdf:RDF>".to_owned(), &["https://example.org/a"]),
        (format!("<urlset xmlns='{OURS}'><x:url xmlns:x='urn:x'><loc>/no</loc></x:url><url><loc>/a</loc></url></urlset>"), &["https://example.org/a"]),
    ] {
        assert_eq!(pages(&xml), expect, "{xml}");
    }
    let xml = format!(
        "<urlset xmlns='{OURS}' xmlns:xhtml='http://www.w3.org/1999/xhtml'><url><loc>/en</loc><lastmod>2025-06-25</lastmod>\
         <xhtml:link rel='alternate' hreflang='de' href='/de'/><xhtml:link rel='canonical' href='/no'/><xhtml:link hreflang='fr' \
         href='https://fr.example.org/'/><xhtml:link rel='alternate' href='mailto:a@example.org'/></url></urlset>"
    );
    let listing = read(xml.as_bytes(), &base()).unwrap();
    assert_eq!(shown(&listing.pages), ["https://example.org/en 2025-06-25T00:00:00Z"]);
    assert_eq!(shown(&listing.alternates), ["https://example.org/de", "https://fr.example.org/"]);
}

#[test]
fn lists_of_urls() {
    let text = "\u{feff}# all pages\r\nhttps://example.org/a\r\n\r\nnot a url\nhttps://example.org/b#c\n";
    assert_eq!(pages(text), ["https://example.org/a", "https://example.org/b"]);
}

#[test]
fn what_is_no_listing() {
    for text in ["", " ", "words\nhttps://example.org/", "<!DOCTYPE html><html><body>", "<svg/>", "<", "\x1F\u{8b}"] {
        assert_eq!(read(text.as_bytes(), &base()), Err(NoListing), "{text:?}");
    }
    assert_eq!(read(&b"\x1F\x8B\x08broken"[..], &base()), Err(NoListing));
    assert_eq!(read(&*gzip(&gzip(SITEMAP.as_bytes())), &base()), Err(NoListing));
}

#[test]
fn what_is_broken_counts_up_to_there() {
    for end in (0..SITEMAP.len()).filter(|end| SITEMAP.is_char_boundary(*end)) {
        let whole = read(SITEMAP.as_bytes(), &base()).unwrap().pages;
        if let Ok(listing) = read(&SITEMAP.as_bytes()[..end], &base()) {
            assert!(whole.starts_with(&listing.pages), "{end}");
        }
    }
    let packed = gzip(SITEMAP.repeat(50).as_bytes());
    let listing = read(&packed[..packed.len() - 9], &base());
    assert!(listing.is_ok_and(|listing| !listing.pages.is_empty()));
}

/// A document must not grow when read, nor block its reader. All of it takes 2 s in a test build.
#[test]
fn hostile_listings_take_little() {
    let megabytes = |text: &str| text.repeat((4 << 20) / text.len());
    let laughs: String = (1..30).map(|n| format!("<!ENTITY l{n} '&l{m};&l{m};'>", m = n - 1)).collect();
    let url = "<url><loc>https://example.org/a</loc></url>";
    for (name, text, entries) in [
        (
            "a billion laughs",
            format!("<!DOCTYPE urlset [<!ENTITY l0 'ha'>{laughs}]><urlset><url><loc>/&l29;</loc></url>"),
            1,
        ),
        (
            "a file of ours",
            "<!DOCTYPE u [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>/&f;</loc></url>".into(),
            1,
        ),
        ("depth", format!("<urlset>{url}{}", megabytes("<a>")), 1),
        ("ends", format!("<urlset>{}{url}", megabytes("</a>")), 1),
        ("one text", format!("<urlset><url><loc>{}</loc></url>{url}", megabytes("a")), 1),
        ("one attribute", format!("<feed><entry><link href='{}'/></entry></feed>", megabytes("&amp")), 0),
        ("attributes", format!("<feed><entry><link {}/></entry></feed>", megabytes("a='b' ")), 0),
        ("references", format!("<urlset><url><loc>{}</loc></url>{url}", megabytes("&x;&amp;")), 1),
        ("one comment", format!("<urlset>{url}<!--{}", megabytes("-")), 1),
        ("one tag", format!("<urlset>{url}<{}", megabytes("a")), 1),
        ("entries", format!("<urlset>{}", url.repeat(MAX_ENTRIES + 9)), MAX_ENTRIES),
        ("lines", "https://example.org/a\n".repeat(MAX_ENTRIES + 9), MAX_ENTRIES),
        ("one line", format!("https://example.org/\n{}", megabytes("a")), 1),
    ] {
        let start = Instant::now();
        let listing = read(text.as_bytes(), &base()).unwrap();
        assert_eq!(listing.pages.len(), entries, "{name}");
        assert!(listing.pages.iter().all(|page| page.url.as_str().len() < 100), "{name}");
        assert!(start.elapsed() < Duration::from_secs(5), "{name}: {:?}", start.elapsed());
    }
    let many = read(format!("<urlset>{}", url.repeat(MAX_ENTRIES + 9)).as_bytes(), &base()).unwrap();
    assert!(many.cut);
}

#[test]
fn a_bomb_is_unpacked_up_to_the_limit() {
    let mut bomb = b"<urlset><url><loc>https://example.org/a</loc></url>".to_vec();
    bomb.resize(2 * MAX_LISTING_BYTES as usize, b' ');
    let packed = gzip(&bomb);
    assert!(packed.len() < 1 << 20);
    let listing = read(&*packed, &base()).unwrap();
    assert_eq!((listing.pages.len(), listing.cut), (1, true));
}
