//! Evidence from the page as a whole, the same for all its blocks.

use super::column::{evidence, flag, log, share};
use super::reader::EvidenceReader;
use crate::analysis::head::{OgType, SchemaType};

evidence! { Page, |page: &EvidenceReader<'_>| {
    "page words", "words of the page (log)", log(page.total.words);
    "page blocks", "blocks of the page (log)", log(page.total.blocks);
    "page linked", "share of its words in links", share(page.total.words - page.total.unlinked, page.total.words);
    "page block words", "words a block", share(page.total.words, page.total.blocks);
    "page commas", "commas a word", whole(page, |text| text.commas);
    "page sentences", "ends of sentences a word", whole(page, |text| text.sentence_ends);
    "page digits", "digits a word", whole(page, |text| text.digits);
    "page paragraphs", "p elements (log)", log(inside(page).paragraphs);
    "page items", "li, dt and dd elements (log)", log(inside(page).items);
    "page cells", "td and th elements (log)", log(inside(page).cells);
    "page images", "images (log)", log(inside(page).images);
    "page controls", "form controls (log)", log(inside(page).controls);
    "page h1", "h1 elements", page.total.h1s;
    "page h2", "h2 elements (log)", log(page.total.h2s);
    "page articles", "article elements (log)", log(page.total.articles);
    "page mains", "main elements", page.total.mains;
    "page forms", "forms", page.total.forms;
    "page pre", "pre elements (log)", log(page.total.pres);
    "page lists", "lists (log)", log(page.total.lists);
    "page asides", "aside elements", page.total.asides;
    "page navs", "nav elements", page.total.navs;
    "page places", "places a block", share(page.places(), page.total.blocks);
    "page metas", "meta elements (log)", log(page.analysis.head().metas);
    "og type", "Open Graph's type: 0 none, 1 article, 2 website, 3 product, 4 other", og_type(page);
    "schema article", "1 where schema.org calls it an article", flag(page.analysis.head().has(SchemaType::Article));
    "schema product", "1 for a product", flag(page.analysis.head().has(SchemaType::Product));
    "schema forum", "1 for a discussion", flag(page.analysis.head().has(SchemaType::Forum));
    "schema collection", "1 for a list", flag(page.analysis.head().has(SchemaType::Collection));
    "schema faq", "1 for questions and answers", flag(page.analysis.head().has(SchemaType::Faq));
    "schema technical", "1 for technical text", flag(page.analysis.head().has(SchemaType::Technical));
    "schema organisation", "1 for an organisation or person", flag(page.analysis.head().has(SchemaType::Organisation));
    "schema breadcrumb", "1 for breadcrumbs", flag(page.analysis.head().has(SchemaType::Breadcrumb));
    "schema review", "1 for a review", flag(page.analysis.head().has(SchemaType::Review));
    "url depth", "segments of the URL's path", url_parts(page, |path| path.split('/').filter(|part| !part.is_empty()).count());
    "url length", "characters of the URL's path", url_parts(page, str::len);
    "url digits", "digits in the URL's path", url_parts(page, |path| path.bytes().filter(u8::is_ascii_digit).count());
    "url hyphens", "hyphens in its last segment", url_parts(page, |path| last(path).matches(['-', '_']).count());
    "url query", "1 where it has a query", page.url.map_or(f32::NAN, |url| flag(url.query().is_some()));
    "url ends in slash", "1 where it does", url_parts(page, |path| usize::from(path.ends_with('/')));
    "url file", "1 where it ends in an extension", url_parts(page, |path| usize::from(last(path).contains('.')));
} }

fn whole(page: &EvidenceReader<'_>, count: impl Fn(&crate::analysis::TextSums) -> u32) -> f32 {
    page.analysis.containers().first().map_or(f32::NAN, |all| share(count(&all.text), page.total.words))
}

fn inside(page: &EvidenceReader<'_>) -> crate::analysis::Inside {
    page.analysis.containers().first().map(|all| *page.analysis.inside(all)).unwrap_or_default()
}

fn og_type(page: &EvidenceReader<'_>) -> u8 {
    match page.analysis.head().og_type {
        None => 0,
        Some(OgType::Article) => 1,
        Some(OgType::Website) => 2,
        Some(OgType::Product) => 3,
        Some(OgType::Other) => 4,
    }
}

fn url_parts(page: &EvidenceReader<'_>, measure: impl Fn(&str) -> usize) -> f32 {
    page.url.map_or(f32::NAN, |url| measure(url.path()) as f32)
}

fn last(path: &str) -> &str {
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or("")
}
