//! What only the head says: description, image, canonical address, licence, keywords.

use url::Url;

use super::statements::{Mark, Statements, first_of};
use super::{Found, Source, Subject, filled, fold};
use crate::html::links;

/// Keywords and sections at most. Judgement.
const MOST_TAGS: usize = 50;
/// Characters of one at most. Judgement: a longer one is a sentence.
const LONGEST_TAG: usize = 80;

/// Open Graph, `description`, JSON-LD, Dublin Core.
pub(super) fn description(statements: &Statements) -> Found<String> {
    first_of(statements, &["og:description", "description"], filled)
        .or_else(|| of_things(statements, |thing| thing.description.clone()))
        .or_else(|| first_of(statements, &["dc.description", "dcterms.description", "twitter:description"], filled))
}

/// Open Graph, JSON-LD, `twitter:image`, `rel=image_src`; resolved.
pub(super) fn image(subject: &Subject<'_>, statements: &Statements) -> Found<String> {
    first_of(statements, &["og:image", "og:image:url", "og:image:secure_url"], |value| resolved(subject, value))
        .or_else(|| of_things(statements, |thing| resolved(subject, thing.image.as_deref()?)))
        .or_else(|| {
            first_of(statements, &["twitter:image", "twitter:image:src", "image"], |value| resolved(subject, value))
        })
        .or_else(|| href(subject, statements, "image_src").map(|image| (image, Source::Rel)))
}

/// `rel=canonical`, `og:url`; resolved.
pub(super) fn canonical_url(subject: &Subject<'_>, statements: &Statements) -> Found<String> {
    let stated = links::canonical(subject.document).and_then(|href| resolved(subject, href));
    stated
        .map(|address| (address, Source::Rel))
        .or_else(|| first_of(statements, &["og:url"], |value| resolved(subject, value)))
}

/// `rel=license`, JSON-LD, Dublin Core.
pub(super) fn license(subject: &Subject<'_>, statements: &Statements) -> Found<String> {
    href(subject, statements, "license")
        .map(|license| (license, Source::Rel))
        .or_else(|| of_things(statements, |thing| thing.license.clone()))
        .or_else(|| first_of(statements, &["dcterms.license", "dc.rights", "dcterms.rights", "dc.license"], filled))
}

/// JSON-LD's keywords and sections, `article:tag` and `article:section`, `rel=tag`, `keywords`: the first that has any.
pub(super) fn tags(statements: &Statements) -> Found<Vec<String>> {
    let of_metas = |names: &[&str]| -> Vec<String> {
        names
            .iter()
            .filter_map(|name| statements.metas.get(*name))
            .flatten()
            .flat_map(|value| value.split(','))
            .map(str::to_owned)
            .collect()
    };
    let linked = statements
        .linked
        .things
        .iter()
        .map(|thing| &thing.tags)
        .find(|tags| !tags.is_empty())
        .cloned()
        .unwrap_or_default();
    [
        (linked, Source::JsonLd),
        (of_metas(&["article:tag", "article:section"]), Source::Article),
        (statements.tag_links.clone(), Source::Rel),
        (of_metas(&["news_keywords", "keywords", "parsely-tags"]), Source::Meta),
    ]
    .into_iter()
    .map(|(tags, source)| (each_once(&tags), source))
    .find(|(tags, _)| !tags.is_empty())
}

fn each_once(tags: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for tag in tags.iter().filter_map(|tag| filled(tag)).filter(|tag| tag.chars().count() <= LONGEST_TAG) {
        if found.len() < MOST_TAGS && !found.iter().any(|known| fold(known) == fold(&tag)) {
            found.push(tag);
        }
    }
    found
}

fn of_things(statements: &Statements, read: impl Fn(&super::linked_data::Thing) -> Option<String>) -> Found<String> {
    statements.linked.things.iter().find_map(read).map(|value| (value, Source::JsonLd))
}

/// Where the first link of this relation leads.
fn href(subject: &Subject<'_>, statements: &Statements, relation: &'static str) -> Option<String> {
    let mark = Mark::Rel(relation);
    statements.with(&mark).find_map(|node| resolved(subject, subject.document.attribute(node, "href")?))
}

/// An address, resolved against the page's where that is known.
fn resolved(subject: &Subject<'_>, address: &str) -> Option<String> {
    let address = address.trim();
    if address.is_empty() {
        return None;
    }
    match subject.url {
        Some(url) => url.join(address).ok().filter(|url| matches!(url.scheme(), "http" | "https")).map(String::from),
        None => Some(Url::parse(address).map_or_else(|_| address.to_owned(), String::from)),
    }
}
