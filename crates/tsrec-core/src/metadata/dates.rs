//! Finds when a page was published and when it was changed.
//!
//! Published, in this order:
//!
//! 1. what the head states: `datePublished` of the main JSON-LD thing; `<meta>`
//!    (`article:published_time`, `date`, Dublin Core, …, any whose name ends in words such as
//!    `published-date`); `itemprop=datePublished`; `datePublished` of the JSON-LD page;
//! 2. a day in the URL;
//! 3. what readers see: a `time` near the headline; a date in the text near the headline, alone or
//!    after a word; the only `time`, or the only one of a publication; on a text or thread, the
//!    first line anywhere that exists to give a date, preferring one of publication.
//!
//! If readers see a different day from the head, the visible day wins. It must be a date below the
//! headline, almost alone on its line and not of a change, or a `time` anywhere that is said to be
//! of the publication. The visible day may be the local day of an instant in UTC. The head still
//! wins if the day in the URL agrees with it, or another line near the headline does, or an
//! ambiguous numeric date there can.
//!
//! Changed: `dateModified` and `article:modified_time` in the same order, then a `time` or a line
//! that says it is of a change. If that is the only day readers see and nothing states another, it
//! is also the day of publication. Two thirds of the gold do so (`EVALUATION.md`, section 13), and
//! callers can see that both are equal. A day of change that only the head states is never used so.
//!
//! A date that all siblings have belongs to the template. A page cannot be changed before it is
//! published: if two dates say so, one is dropped (`Dates::in_order`).

mod line;
mod order;
mod shown;

use std::sync::LazyLock;

use regex_lite::Regex;

use super::linked_data::Rank;
use super::near::Near;
use super::statements::{StatementMark, Statements, first_of, text_of};
use super::{Source, Sourced, Subject, date, months, properties};
use crate::html::document::NodeId;
use order::Order;
use shown::ShownDates;

const PUBLISHED: [&str; 35] = [
    "article:published_time",
    "og:article:published_time",
    "article:published",
    "datepublished",
    "date",
    "pubdate",
    "publishdate",
    "publish_date",
    "publish-date",
    "publication_date",
    "parsely-pub-date",
    "sailthru.date",
    "citation_publication_date",
    "citation_date",
    "dc.date",
    "dc.date.issued",
    "dc.date.created",
    "dcterms.date",
    "dcterms.issued",
    "dcterms.created",
    "datecreated",
    "cxenseparse:recs:publishtime",
    "article.published",
    "published_time",
    "og:published_time",
    "last-published",
    "ms.date",
    "citation_online_date",
    "dcterms.available",
    "dc.date.available",
    "date.release",
    "release_date",
    "article.created",
    "published_time_telegram",
    "timestamp",
];
/// Endings of other `<meta>` names for the day of publication, without marks between words.
const PUBLISHED_ENDS: [&str; 16] = [
    "published",
    "publisheddate",
    "publishedtime",
    "publisheddatetime",
    "publishedat",
    "publishdate",
    "publishtime",
    "publicationdate",
    "datepublished",
    "dateissued",
    "pubdate",
    "postdate",
    "creationdate",
    "createdate",
    "dateoriginal",
    "originaldate",
];
const MODIFIED: [&str; 8] = [
    "article:modified_time",
    "og:updated_time",
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "last-modified",
    "lastmod",
    "article:modified",
];
/// Characters of a day.
const DAY: usize = 10;
/// Both dates.
#[derive(Debug, Default)]
pub(super) struct Dates {
    pub(super) published: Sourced<String>,
    pub(super) modified: Sourced<String>,
    /// A date that every page of the site has; it belongs to the template.
    pub(super) of_site: Option<String>,
    /// Whether the page states the publication date for programs.
    is_stated: bool,
}

/// A day in a path: `/2026/01/02/`, or with hyphens, as one number, or with the month's name; at
/// the end of a page's name; or with the day first.
static IN_URL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)(?:^|/|%2[Ff])(?:
            t?((?:19|20)\d\d)(?:[/-](\d\d?|[a-z]{3,9})[/-](\d\d?)|/?(\d\d)(\d\d))(?:[/_.%-]|$)
            |[^/]*-((?:19|20)\d\d)-(\d\d)-(\d\d)(?:\.[a-z]+)?/?$
            |(\d\d)-(\d\d)-((?:19|20)\d\d)/)",
    )
    .expect("it is tested")
});

pub(super) fn find(subject: &Subject<'_>, statements: &Statements, near: &Near) -> Dates {
    let order = Order::from_subject(subject);
    let mut dates = find_in(subject, statements, near, &order);
    let is_lacking = dates.published.is_none() || dates.modified.is_none();
    // An ambiguous date is better than none.
    if let Some(order) = order.guessing().filter(|_| is_lacking) {
        let guessed = find_in(subject, statements, near, &order);
        dates = Dates {
            published: dates.published.or(guessed.published),
            modified: dates.modified.or(guessed.modified),
            of_site: dates.of_site.or(guessed.of_site),
            is_stated: dates.is_stated || guessed.is_stated,
        };
    }
    dates.in_order()
}

fn find_in(subject: &Subject<'_>, statements: &Statements, near: &Near, order: &Order<'_>) -> Dates {
    let mut shown = ShownDates::from_subject(subject, statements, near, order);
    let read = |text: &str| order.read(text);
    let of_rank = |rank: Rank| {
        let things = statements.linked.things.iter().filter(move |thing| thing.rank == rank);
        things.filter_map(|thing| read(thing.published.as_deref()?)).next().map(|date| (date, Source::JsonLd))
    };
    let stated = of_rank(Rank::Text)
        .or_else(|| first_of(statements, &PUBLISHED, read))
        .or_else(|| of_other_metas(statements, read))
        .or_else(|| property(subject, near, order, &["datepublished", "datecreated"]))
        .or_else(|| of_rank(Rank::Page));
    let is_stated = stated.is_some();
    let mut published = match stated {
        Some(stated) => Some(shown.instead_of(subject, &stated.0).unwrap_or(stated)),
        // An ambiguous day of publication is better than a day of change.
        None => {
            let changed = || shown.changed.found().filter(|_| !order.has_passed_over());
            in_url(subject).or_else(|| shown.published.found()).or_else(changed)
        }
    };
    // This says little about a day in the head: many pages may be of one day.
    let is_template = |(date, _): &mut (String, Source)| date.len() > DAY && subject.siblings.is_date_everywhere(date);
    let of_site = shown.of_site.take().or(published.take_if(is_template).map(|(date, _)| date));
    let changed = statements.linked.things.iter().filter(|thing| thing.rank != Rank::Other);
    let modified = changed
        .filter_map(|thing| read(thing.modified.as_deref()?))
        .next()
        .map(|date| (date, Source::JsonLd))
        .or_else(|| first_of(statements, &MODIFIED, read))
        .or_else(|| property(subject, near, order, &["datemodified"]))
        .or(shown.changed.found());
    Dates { published, modified, of_site, is_stated }
}

impl Dates {
    /// Drops one of two dates if they say that the page was changed before it was published. The
    /// day of publication stays, unless it is only seen somewhere on the page and only the head
    /// states the change.
    fn in_order(mut self) -> Dates {
        let is_seen = |source: Source| matches!(source, Source::Time | Source::Text);
        if let (Some(published), Some(modified)) = (&self.published, &self.modified)
            && date::is_before(&modified.0, &published.0)
        {
            match !self.is_stated && is_seen(published.1) && !is_seen(modified.1) {
                true => self.published = None,
                false => self.modified = None,
            }
        }
        self
    }
}

/// The first `<meta>` value that is a date, among other names for the publication, in the order of
/// the names.
fn of_other_metas(statements: &Statements, read: impl Fn(&str) -> Option<String>) -> Sourced<String> {
    let squeeze = |name: &str| name.chars().filter(|c| c.is_alphabetic()).collect::<String>();
    let mut named: Vec<&String> = statements.metas.keys().collect();
    named.retain(|name| PUBLISHED_ENDS.iter().any(|end| squeeze(name).ends_with(end)));
    named.sort();
    let values = named.into_iter().flat_map(|name| &statements.metas[name]);
    values.filter_map(|value| read(value)).next().map(|date| (date, Source::Meta))
}

/// A date from microdata or RDFa: the first near the headline, else the first.
fn property(subject: &Subject<'_>, near: &Near, order: &Order<'_>, names: &[&'static str]) -> Sourced<String> {
    let document = subject.document;
    let marks: Vec<StatementMark> = names.iter().map(|name| StatementMark::Property(name)).collect();
    let nodes = marks.iter().flat_map(|mark| subject.statements.with(mark));
    let nodes: Vec<NodeId> = nodes.filter(|&node| !properties::is_of_another(document, node)).collect();
    let close = nodes.iter().find(|&&node| near.holds(document, node)).or(nodes.first())?;
    let stated = ["content", "datetime", "title"].iter().filter_map(|name| document.attribute(*close, name));
    let date = stated.filter_map(|stated| order.read(stated)).next().or_else(|| order.read(&text_of(document, *close)));
    date.map(|date| (date, Source::Microdata))
}

fn in_url(subject: &Subject<'_>) -> Sourced<String> {
    let parts = IN_URL.captures(subject.url?.path())?;
    let first = |at: &[usize]| at.iter().find_map(|&at| parts.get(at)).map_or("", |part| part.as_str());
    let (year, month, day) = (first(&[1, 6, 11]), first(&[2, 4, 7, 10]), first(&[3, 5, 8, 9]));
    let month = months::month(month).map_or_else(|| month.to_owned(), |month| month.to_string());
    date::read(&format!("{year}-{month:0>2}-{day:0>2}")).map(|date| (date, Source::Url))
}
