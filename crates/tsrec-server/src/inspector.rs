//! The view of an extraction for operators. It colours a page's elements by label, and shows the
//! evidence and the sibling beside it.
//!
//! A [`report`] is one HTML file without a script and without anything from elsewhere. It has
//! only the text of the pages, fully escaped, so that nothing of theirs can run wherever it is
//! opened. A content security policy in the file enforces the same again. Elements are `details`,
//! so they open by click or keyboard. The style sheet alone hides and shows labels. A daemon's
//! page asks for an element's evidence when it is opened, since explaining all of a large page
//! takes longer than showing it. Our only script does this, and the policy names it by its
//! digest.

mod labels;
mod rows;

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use tsrec_core::extract::report::failures;
use tsrec_core::extract::{Extracted, Page};
use tsrec_core::html::printable;
use tsrec_core::page::{Content, Label, Piece};
use tsrec_core::render;
use tsrec_core::render::Along;
use tsrec_core::template::Memory;

use rows::{InspectorSide, rows};

pub use labels::{GivenLabels, LabelSheet, label_legend, meanings};
pub use rows::{evidence, place, taught};

/// The style of a report: light and dark, and narrow screens.
const STYLE: &str = include_str!("inspector/style.css");

/// Asks for an element's evidence when it opens.
const SCRIPT: &str = include_str!("inspector/open.js");

/// Permissions of a page of ours. Every page may use its own style sheet and show frames made of
/// itself. No page may run a foreign script, load an image, or send a request elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum May {
    /// Nothing more: it is a file of its own.
    Nothing,
    /// Send forms to its origin.
    Send,
    /// Send forms, and ask its origin for the evidence of an opened element.
    Ask,
}

/// The content security policy of a page with these permissions.
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

/// An HTML page around a body of our own markup. The page keeps its policy wherever it is saved.
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

/// A page and its sibling as one self-contained HTML file, with the labels of both. Linear in the
/// pages.
pub fn report(subject: &Extracted<'_>, sibling: &Extracted<'_>) -> String {
    let title = subject.described().metadata.title.as_deref().unwrap_or(subject.name());
    let body = format!(
        "<header><h1 dir=auto>{title}</h1>{facts}{attempts}</header>\n{legend}\n\
         <main><section class=page aria-labelledby=page><h2 id=page dir=auto>{name}</h2>{rows}</section>\n\
         <section class=sibling aria-labelledby=sibling><h2 id=sibling dir=auto>{other_name}</h2>{other_rows}</section></main>\n\
         <section class=kept aria-labelledby=kept><h2 id=kept>What was kept</h2><article dir=auto>{kept}</article></section>",
        title = escaped(title),
        facts = facts(subject),
        attempts = attempts(subject),
        legend = legend(subject),
        name = escaped(subject.name()),
        rows = own_rows(subject, &InspectorContext::default()),
        other_name = escaped(sibling.name()),
        other_rows = self::sibling(subject, sibling),
        kept = kept(subject),
    );
    page(&format!("{title} – tsrec"), May::Nothing, &body)
}

/// What else to show for a page's elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct InspectorContext<'m> {
    /// The memory of its template: it describes each element's place.
    pub known: Option<&'m Memory>,
    /// The `id` of the form for a person's marks: a field `m1` for the first element, with
    /// `content`, `other` or nothing.
    pub form: Option<&'m str>,
    /// The URL of a block's evidence, without the block's number at its end; `None` if the page
    /// has the evidence.
    pub why: Option<&'m str>,
}

/// The elements of one page, with controls that show and hide them. Linear in the page.
pub fn elements(page: &Extracted<'_>, beside: &InspectorContext<'_>) -> String {
    attempts(page) + &legend(page) + &own_rows(page, beside)
}

fn own_rows(page: &Extracted<'_>, beside: &InspectorContext<'_>) -> String {
    rows(page, InspectorSide::Page, |element| page.extraction().partner(element), beside)
}

/// The elements of the sibling of a page. Linear in the pages.
pub fn sibling(page: &Extracted<'_>, sibling: &Extracted<'_>) -> String {
    let partners = turned(page, sibling.page().sequence().elements().len());
    rows(sibling, InspectorSide::Sibling, |element| partners[element], &InspectorContext::default())
}

/// The page itself, in a frame where nothing can run. It has all the text in meaningful markup,
/// without links and images. Linear in the page.
pub fn frame(page: &Page<'_>) -> String {
    let document = page.document();
    let all = Content::new(page.analysis().leaves().iter().map(|leaf| Piece::whole(document, leaf.node)));
    let markup = render::html::html(document, &all, None, Along { links: false, images: false });
    format!(
        "<iframe sandbox title=\"The page itself, without scripts, styles and images\" srcdoc=\"{}\"></iframe>",
        escaped(&markup)
    )
}

/// For each of the sibling's `len` elements, its partner on the page.
fn turned(page: &Extracted<'_>, len: usize) -> Vec<Option<usize>> {
    let mut turned = vec![None; len];
    for index in 0..page.page().sequence().elements().len() {
        if let Some(partner) = page.extraction().partner(index).and_then(|partner| turned.get_mut(partner)) {
            *partner = Some(index);
        }
    }
    turned
}

/// A list of how the content was found.
fn facts(page: &Extracted<'_>) -> String {
    let mut facts = vec![
        ("method", page.method().to_string()),
        ("confidence", format!("{:.2}", page.confidence())),
        ("words", page.words().to_string()),
    ];
    facts.extend(page.kind().map(|(kind, likely)| ("kind", format!("{kind} ({likely:.2})"))));
    facts.extend(page.extraction().sibling().map(|sibling| ("against", sibling.to_owned())));
    facts.extend((page.remembered() > 0).then(|| ("pages known", page.remembered().to_string())));
    let cuts: Vec<String> = page.cuts().iter().map(ToString::to_string).collect();
    facts.extend((!cuts.is_empty()).then(|| ("cut", cuts.join(", "))));
    let facts: String =
        facts.iter().map(|(name, value)| format!("<div><dt>{name}<dd>{}</div>", escaped(value))).collect();
    format!("<dl>{facts}</dl>")
}

/// Why a comparison was not used, and other notes.
fn attempts(page: &Extracted<'_>) -> String {
    let failed = page.attempts().iter().filter(|attempt| !attempt.passed());
    let failed = failed.map(|attempt| format!("Not compared with {}: {}.", attempt.sibling, failures(attempt)));
    failed.chain(page.extraction().notes.iter().cloned()).map(|said| format!("<p>{}", escaped(&said))).collect()
}

/// The labels with their colours and counts. Each can be hidden, in both pages.
fn legend(page: &Extracted<'_>) -> String {
    let counts = page.extraction().label_counts(page.page());
    let entry = |label: Label| {
        let count = counts.get(&label).copied().unwrap_or(0);
        format!("<label class={label}><input type=checkbox id=show-{label} checked> {label} <b>{count}</b></label>")
    };
    let entries: String = Label::ALL.map(entry).concat();
    format!(
        "<fieldset class=show><legend>Show</legend>{entries}<label><input type=checkbox id=show-empty> elements without text</label></fieldset>"
    )
}

fn kept(page: &Extracted<'_>) -> String {
    // Neither links nor images: a report leads nowhere.
    let along = Along { links: false, images: false };
    let kept = render::html::html(page.document(), page.content(), None, along);
    if kept.is_empty() { "<p>Nothing.".to_owned() } else { kept }
}

/// Text escaped for HTML.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    render::html::escape(&mut out, &printable(text));
    out
}

#[cfg(test)]
mod tests;
