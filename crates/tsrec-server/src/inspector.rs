//! What an operator sees of an extraction: a page's elements, each coloured by what it was found to
//! be, with the evidence, and the sibling beside it.
//!
//! A [`report`] is one HTML file without a script and without anything from elsewhere. Of the pages
//! it holds text alone, every character of it escaped, so that nothing of theirs can run wherever
//! it is opened; a content security policy in the file says the same once more. Elements open by
//! click or keyboard, since they are `details`; labels are hidden and shown by style sheet alone. A
//! daemon's page asks for an element's evidence when it is opened, since to explain all of a large
//! page takes longer than to show it: by the one script of ours, which the policy names by its
//! digest.

mod labels;
mod rows;

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use tsrec_core::extract::Page;
use tsrec_core::extract::report::{Report, failures};
use tsrec_core::html::printable;
use tsrec_core::page::{Content, Label, Piece};
use tsrec_core::render;
use tsrec_core::render::Along;
use tsrec_core::template::Memory;

use rows::{InspectorSide, rows};

pub use labels::{GivenLabels, LabelSheet, label_legend, meanings};
pub use rows::{evidence, place, taught};

/// The looks of a report, in light and dark, and for narrow screens.
const STYLE: &str = include_str!("inspector/style.css");

/// Asks for an element's evidence when it is opened.
const SCRIPT: &str = include_str!("inspector/open.js");

/// What a page of ours may do, beside having the style sheet that is in it and showing frames made
/// of itself: never a script that is not ours, an image, or a request to elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum May {
    /// Nothing: it is a file of its own.
    Nothing,
    /// Send forms to where it is from.
    Send,
    /// That, and ask there for what an element shows when it is opened.
    Ask,
}

/// The content security policy of a page that may do this.
pub fn policy(may: May) -> String {
    static STYLE_DIGEST: LazyLock<String> = LazyLock::new(|| STANDARD.encode(Sha256::digest(STYLE)));
    static SCRIPT_DIGEST: LazyLock<String> = LazyLock::new(|| STANDARD.encode(Sha256::digest(SCRIPT)));
    let forms = if may == May::Nothing { "'none'" } else { "'self'" };
    let asks = match may {
        May::Ask => format!("; script-src 'sha256-{}'; connect-src 'self'", *SCRIPT_DIGEST),
        May::Nothing | May::Send => String::new(),
    };
    format!("default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action {forms}{asks}", *STYLE_DIGEST)
}

/// A page of HTML around its body, whose markup is ours. It keeps its policy wherever it is saved.
pub fn page(title: &str, may: May, body: &str) -> String {
    let script = if may == May::Ask { format!("<script>{SCRIPT}</script>") } else { String::new() };
    format!(
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\
         <meta http-equiv=content-security-policy content=\"{}\"><meta name=viewport content=\"width=device-width\">\
         <title>{}</title><style>{STYLE}</style></head><body>\n{body}\n{script}</body></html>\n",
        policy(may),
        escaped(title)
    )
}

/// A page and its sibling as one self-contained HTML file: of each what was made of it beside the
/// other. Linear in the pages.
pub fn report(subject: &Report<'_>, sibling: &Report<'_>) -> String {
    let title = subject.metadata().metadata.title.unwrap_or_else(|| subject.name.to_owned());
    let found = subject.extraction;
    let body = format!(
        "<header><h1 dir=auto>{title}</h1>{facts}{attempts}</header>\n{legend}\n\
         <main><section class=page aria-labelledby=page><h2 id=page dir=auto>{name}</h2>{rows}</section>\n\
         <section class=sibling aria-labelledby=sibling><h2 id=sibling dir=auto>{other_name}</h2>{other_rows}</section></main>\n\
         <section class=kept aria-labelledby=kept><h2 id=kept>What was kept</h2><article dir=auto>{kept}</article></section>",
        title = escaped(&title),
        facts = facts(subject),
        attempts = attempts(subject),
        legend = legend(subject),
        name = escaped(subject.name),
        rows = rows(subject.page, found, InspectorSide::Page, &found.partners, &InspectorContext::default()),
        other_name = escaped(sibling.name),
        other_rows = self::sibling(subject, sibling),
        kept = kept(subject),
    );
    page(&format!("{title} – tsrec"), May::Nothing, &body)
}

/// What else there is to say of a page's elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct InspectorContext<'m> {
    /// What is remembered of its template: what each element's place is like.
    pub known: Option<&'m Memory>,
    /// The form that takes what a person says of elements, by its `id`: a field `m1` of the first,
    /// with `content`, `other` or nothing.
    pub form: Option<&'m str>,
    /// Where the evidence of a block is to be had, where it is not at hand: an address that ends
    /// before the block's number.
    pub why: Option<&'m str>,
}

/// The elements of one page, with what shows and hides them. Linear in the page.
pub fn elements(page: &Report<'_>, beside: &InspectorContext<'_>) -> String {
    attempts(page)
        + &legend(page)
        + &rows(page.page, page.extraction, InspectorSide::Page, &page.extraction.partners, beside)
}

/// The elements of the sibling that a page was compared with. Linear in the pages.
pub fn sibling(page: &Report<'_>, sibling: &Report<'_>) -> String {
    let partners = turned(&page.extraction.partners, sibling.page.sequence().elements().len());
    rows(sibling.page, sibling.extraction, InspectorSide::Sibling, &partners, &InspectorContext::default())
}

/// The page itself, in a frame where nothing can run: all its text in the markup that carries
/// meaning, links and images left out. Linear in the page.
pub fn frame(page: &Page<'_>) -> String {
    let document = page.document();
    let all = Content::new(page.analysis().leaves().iter().map(|leaf| Piece::whole(document, leaf.node)));
    let markup = render::html::html(document, &all, None, Along { links: false, images: false });
    format!(
        "<iframe sandbox title=\"The page itself, without scripts, styles and images\" srcdoc=\"{}\"></iframe>",
        escaped(&markup)
    )
}

/// For each element of the sibling the element whose partner it is.
fn turned(partners: &[Option<usize>], len: usize) -> Vec<Option<usize>> {
    let mut turned = vec![None; len];
    for (index, partner) in partners.iter().enumerate() {
        if let Some(partner) = partner.and_then(|partner| turned.get_mut(partner)) {
            *partner = Some(index);
        }
    }
    turned
}

/// How the content was found, in a list.
fn facts(page: &Report<'_>) -> String {
    let found = page.extraction;
    let mut facts = vec![
        ("method", found.method.to_string()),
        ("confidence", format!("{:.2}", found.confidence)),
        ("words", found.content.words(page.page.document()).to_string()),
    ];
    facts.extend(found.kind.map(|(kind, likely)| ("kind", format!("{kind} ({likely:.2})"))));
    facts.extend(found.sibling().map(|sibling| ("against", sibling.to_owned())));
    facts.extend((found.remembered > 0).then(|| ("pages known", found.remembered.to_string())));
    let cuts: Vec<String> = page.page.document().cuts().iter().map(ToString::to_string).collect();
    facts.extend((!cuts.is_empty()).then(|| ("cut", cuts.join(", "))));
    let facts: String =
        facts.iter().map(|(name, value)| format!("<div><dt>{name}<dd>{}</div>", escaped(value))).collect();
    format!("<dl>{facts}</dl>")
}

/// Why a comparison was not made use of, and what else is to be said.
fn attempts(page: &Report<'_>) -> String {
    let failed = page.extraction.attempts.iter().filter(|attempt| !attempt.passed());
    let failed = failed.map(|attempt| format!("Not compared with {}: {}.", attempt.sibling, failures(attempt)));
    failed.chain(page.extraction.notes.iter().cloned()).map(|said| format!("<p>{}", escaped(&said))).collect()
}

/// The labels with their colours and numbers; each can be hidden, in both pages.
fn legend(page: &Report<'_>) -> String {
    let counts = page.extraction.label_counts(page.page);
    let entry = |label: Label| {
        let count = counts.get(&label).copied().unwrap_or(0);
        format!("<label class={label}><input type=checkbox id=show-{label} checked> {label} <b>{count}</b></label>")
    };
    let entries: String = Label::ALL.map(entry).concat();
    format!(
        "<fieldset class=show><legend>Show</legend>{entries}<label><input type=checkbox id=show-empty> elements without text</label></fieldset>"
    )
}

fn kept(page: &Report<'_>) -> String {
    // Neither links nor images: a report is looked at, and leads nowhere.
    let along = Along { links: false, images: false };
    let kept = render::html::html(page.page.document(), &page.extraction.content, None, along);
    if kept.is_empty() { "<p>Nothing.".to_owned() } else { kept }
}

/// Text that is nothing but text in HTML.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    render::html::escape(&mut out, &printable(text));
    out
}

#[cfg(test)]
mod tests;
