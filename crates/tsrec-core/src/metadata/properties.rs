//! What microdata and RDFa (`itemprop` or `property` on an element) say about the page's thing.
//!
//! A thing is an element with `itemscope` or `typeof`. A thing within another (its author, its
//! publisher, a comment) has its own properties. If several things of the page have the same
//! property, as in a list of articles, none of them is the page's.

use super::linked_data::{self, Rank};
use super::statements::{StatementMark, text_of};
use super::{Source, Sourced, Subject, filled};
use crate::html::document::{Document, NodeId};
use crate::html::links::has_token;

/// How many elements in a property are searched for its URL. Judgement: a picture's thing has a
/// few.
const MOST_WITHIN: usize = 20;

/// The first text of this property of the page's thing. `name` is in lower case.
pub(super) fn text(subject: &Subject<'_>, name: &'static str) -> Sourced<String> {
    let found = texts(subject, name).into_iter().next().map(|text| (text, Source::Microdata));
    found.or_else(|| in_head(subject, name))
}

/// All texts of it.
pub(super) fn texts(subject: &Subject<'_>, name: &'static str) -> Vec<String> {
    let document = subject.document;
    let said = |node: NodeId| document.attribute(node, "content").and_then(filled);
    let texts = of_page(subject, name).into_iter().map(|node| said(node).unwrap_or_else(|| text_of(document, node)));
    texts.filter_map(|text| filled(&text)).collect()
}

/// The first URL of it that `read` accepts.
pub(super) fn address(
    subject: &Subject<'_>,
    name: &'static str,
    read: impl Fn(&str) -> Option<String>,
) -> Sourced<String> {
    let nodes = of_page(subject, name);
    let mut stated = nodes.iter().filter_map(|&node| read(&address_of(subject.document, node)?));
    let found = stated.next().map(|address| (address, Source::Microdata));
    found.or_else(|| in_head(subject, name).and_then(|(address, source)| Some((read(&address)?, source))))
}

/// The value of the only `<meta itemprop>` with that name. We do not know which thing it is of.
fn in_head(subject: &Subject<'_>, name: &str) -> Sourced<String> {
    match subject.statements.metas.get(name).map(Vec::as_slice) {
        Some([only]) => Some((only.clone(), Source::Meta)),
        _ => None,
    }
}

/// True of what is in a comment, a review or an answer.
pub(super) fn is_of_another(document: &Document, node: NodeId) -> bool {
    document.ancestors(node).any(|around| {
        let kind = document.attribute(around, "itemtype").unwrap_or_default();
        ["Comment", "Review", "Answer"].iter().any(|other| kind.ends_with(other))
    })
}

/// The elements with this property of the one thing that can be the page.
fn of_page(subject: &Subject<'_>, name: &'static str) -> Vec<NodeId> {
    let document = subject.document;
    let mark = StatementMark::Property(name);
    let stated = subject.statements.with(&mark).filter(|&node| !is_of_another(document, node));
    let stated = stated.map(|node| (thing_around(document, node), node));
    let stated: Vec<_> = stated.filter(|(thing, _)| thing.is_none_or(|thing| is_page(document, thing))).collect();
    let is_of_one = stated.iter().all(|(thing, _)| *thing == stated[0].0);
    stated.into_iter().filter(|_| is_of_one).map(|(_, node)| node).collect()
}

/// The thing that has an element's property.
fn thing_around(document: &Document, node: NodeId) -> Option<NodeId> {
    let begins =
        |around: &NodeId| ["itemscope", "typeof"].iter().any(|name| document.attribute(*around, name).is_some());
    document.ancestors(node).find(begins)
}

/// True of a thing that is a text or a page, and not another thing's property.
fn is_page(document: &Document, thing: NodeId) -> bool {
    let is_property = ["itemprop", "property"].iter().any(|name| document.attribute(thing, name).is_some());
    let types = ["itemtype", "typeof"].iter().filter_map(|name| document.attribute(thing, name));
    let mut kinds = types.flat_map(str::split_ascii_whitespace);
    !is_property && kinds.any(|kind| linked_data::rank_of(linked_data::without_vocabulary(kind)) < Rank::Other)
}

/// The URL that an element states, as in microdata, or that of the thing in it.
fn address_of(document: &Document, node: NodeId) -> Option<String> {
    let own = |node: NodeId| {
        let names = ["content", "href", "src", "data", "resource"];
        names.iter().find_map(|name| document.attribute(node, name)).and_then(filled)
    };
    let is_address = |inner: &NodeId| {
        let named = |property: &str| ["url", "contentUrl"].iter().any(|name| has_token(property, name));
        document.is_element(*inner, "img") || document.attribute(*inner, "itemprop").is_some_and(named)
    };
    let within = || document.descendants(node).skip(1).take(MOST_WITHIN).find(is_address).and_then(own);
    own(node).or_else(within).or_else(|| filled(&text_of(document, node)))
}
