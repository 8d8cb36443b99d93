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
