//! When it was published, and when it was changed.
//!
//! Published, in this order: `datePublished` of the JSON-LD thing that is the text; `<meta>` (`article:published_time`, `date`, Dublin Core, …);
//! `itemprop=datePublished`; the same of the JSON-LD page; the address, where a day stands in it; a `time` near the headline, or the only one; a
//! date in the text near the headline, outright or after a word. Changed: the same of `dateModified` and `article:modified_time`. A date that all
//! siblings have is the template's. A `time` or a line that says that it tells of a change is one of publication only where there is no other.

use std::sync::LazyLock;

use regex::Regex;

use super::linked_data::Rank;
use super::near::Near;
use super::statements::{Mark, Statements, first_of, text_of};
use super::{Found, Sort, Source, Subject, date};
use crate::html::document::NodeId;

const PUBLISHED: [&str; 26] = [
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
/// Words of a piece of text with a date at most. Judgement: in a longer one the date is what the text is about.
const MOST_WORDS: usize = 14;

/// Characters of a day.
const DAY: usize = 10;

/// Both dates.
#[derive(Debug, Default)]
pub(super) struct Dates {
    pub(super) published: Found<String>,
    pub(super) modified: Found<String>,
}

/// Words for a change, in lower case: their beginnings.
static CHANGED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)updat|modif|revis|reviewed|edited|changed|aktualis|geändert|überarbeitet|mis à jour|mise à jour|actualiz|atualiz|aggiorn|bijgewerkt|gewijzigd|opdater|oppdater|uppdater|päivitetty|frissít|обновл|изменен|güncel|更新|修正|수정|업데이트|تحديث|ενημέρωση|עודכן",
    )
    .expect("it is tested")
});

/// A day in a path: `/2026/01/02/`, or written with hyphens.
static IN_URL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|/)((?:19|20)\d\d)[/-](\d\d?)[/-](\d\d?)(?:[/_.-]|$)").expect("it is tested"));

pub(super) fn find(subject: &Subject<'_>, statements: &Statements, near: &Near) -> Dates {
    let near_dates = NearDates::of(subject, statements, near);
    let month_first = month_first(subject);
    let read = |text: &str| date::read_as(text, month_first);
    let of_rank = |rank: Rank| {
        let things = statements.linked.things.iter().filter(move |thing| thing.rank == rank);
        things.filter_map(|thing| read(thing.published.as_deref()?)).next().map(|date| (date, Source::JsonLd))
    };
    let published = of_rank(Rank::Text)
        .or_else(|| first_of(statements, &PUBLISHED, read))
        .or_else(|| property(subject, statements, near, &["datepublished", "datecreated"]))
        .or_else(|| of_rank(Rank::Page))
        .or_else(|| in_url(subject))
        .or_else(|| near_dates.published.clone())
        .or_else(|| near_dates.changed.clone())
        .filter(|(date, _)| date.len() <= DAY || !is_everywhere(subject, date));
    let changed = statements.linked.things.iter().filter(|thing| thing.rank != Rank::Other);
    let modified = changed
        .filter_map(|thing| date::read(thing.modified.as_deref()?))
        .next()
        .map(|date| (date, Source::JsonLd))
        .or_else(|| first_of(statements, &MODIFIED, read))
        .or_else(|| property(subject, statements, near, &["datemodified"]))
        .or(near_dates.changed);
    Dates { published, modified }
}

/// True of a date that the site's other pages have too, all of them. Of a day that says little: many pages may be of one.
fn is_everywhere(subject: &Subject<'_>, date: &str) -> bool {
    subject.siblings.len() > 1
        && subject.siblings.iter().all(|sibling| sibling.metadata.published.as_deref() == Some(date))
}

/// A date by microdata or RDFa: the first near the headline, or the first.
fn property(subject: &Subject<'_>, statements: &Statements, near: &Near, names: &[&'static str]) -> Found<String> {
    let marks: Vec<Mark> = names.iter().map(|name| Mark::Property(name)).collect();
    let nodes: Vec<NodeId> =
        marks.iter().flat_map(|mark| statements.with(mark)).filter(|&node| !is_of_another(subject, node)).collect();
    let close = nodes.iter().find(|&&node| near.holds(subject.document, node)).or(nodes.first())?;
    let document = subject.document;
    let stated = document.attribute(*close, "content").or_else(|| document.attribute(*close, "datetime"));
    let date = stated.and_then(date::read).or_else(|| date::read(&text_of(document, *close)));
    date.map(|date| (date, Source::Microdata))
}

/// True of what stands in a comment, a review or an answer.
fn is_of_another(subject: &Subject<'_>, node: NodeId) -> bool {
    subject.document.ancestors(node).any(|around| {
        let kind = subject.document.attribute(around, "itemtype").unwrap_or_default();
        ["Comment", "Review", "Answer"].iter().any(|other| kind.ends_with(other))
    })
}

fn in_url(subject: &Subject<'_>) -> Found<String> {
    let parts = IN_URL.captures(subject.url?.path())?;
    let part = |at: usize| parts.get(at).map_or("", |part| part.as_str());
    date::read(&format!("{}-{:0>2}-{:0>2}", part(1), part(2), part(3))).map(|date| (date, Source::Url))
}

/// Dates that readers see near the headline, or in the page's only `time`.
#[derive(Debug, Default)]
struct NearDates {
    published: Found<String>,
    changed: Found<String>,
}

impl NearDates {
    fn of(subject: &Subject<'_>, statements: &Statements, near: &Near) -> NearDates {
        let mut found = NearDates::default();
        if subject.sort == Sort::Other {
            return found;
        }
        found.read_times(subject, statements, near);
        if found.published.is_none() {
            found.read_text(subject, near);
        }
        found
    }

    fn keep(&mut self, changed: bool, date: String, source: Source) {
        let to = if changed { &mut self.changed } else { &mut self.published };
        to.get_or_insert((date, source));
    }

    fn read_times(&mut self, subject: &Subject<'_>, statements: &Statements, near: &Near) {
        let document = subject.document;
        let read = |node: NodeId| {
            let stated = document.attribute(node, "datetime").and_then(date::read);
            stated.or_else(|| date::read_as(&text_of(document, node), month_first(subject)))
        };
        let times: Vec<(NodeId, String)> =
            statements.times.iter().filter_map(|&node| Some((node, read(node)?))).collect();
        let days: std::collections::BTreeSet<&str> = times.iter().filter_map(|(_, date)| date.get(..10)).collect();
        let is_thread = subject.sort == Sort::Thread;
        for (at, (node, date)) in times.iter().enumerate() {
            if near.holds(document, *node) || days.len() == 1 || is_thread && at == 0 {
                self.keep(tells_change(subject, *node), date.clone(), Source::Time);
            }
        }
    }

    fn read_text(&mut self, subject: &Subject<'_>, near: &Near) {
        let month_first = month_first(subject);
        let mut before = "";
        // What follows the headline is nearer to it than what went before.
        let (after, earlier): (Vec<_>, Vec<_>) = near.pieces.iter().partition(|piece| piece.after);
        for piece in after.into_iter().chain(earlier) {
            if piece.text.split_whitespace().count() <= MOST_WORDS
                && let Some(found) = date::find(&piece.text, month_first)
                && !piece.text.contains(['©', '–'])
            {
                let changed =
                    CHANGED.is_match(&piece.text[..found.range.start]) || is_label(before) && CHANGED.is_match(before);
                // Above the headline stands what the template says, too: today's date, the day of the issue.
                if piece.after || !is_everywhere(subject, &found.iso) {
                    self.keep(changed, found.iso, Source::Text);
                }
            }
            before = &piece.text;
        }
    }
}

/// True of the few words before a date.
fn is_label(text: &str) -> bool {
    text.split_whitespace().count() <= 4
}

/// True of a `time` that is said to be one of a change: by its own names, or by the word before it.
fn tells_change(subject: &Subject<'_>, node: NodeId) -> bool {
    let document = subject.document;
    let named =
        ["class", "itemprop"].iter().filter_map(|name| document.attribute(node, name)).collect::<Vec<_>>().join(" ");
    let says_published = named.contains("ublish");
    let parent = document.parent(node);
    let mut before = String::new();
    for child in parent.into_iter().flat_map(|parent| document.children(parent)) {
        if child == node {
            break;
        }
        before.push_str(&text_of(document, child));
    }
    let label = before.rsplit(['|', '·', '\n']).next().unwrap_or_default();
    !says_published && CHANGED.is_match(&named) || is_label(label.trim()) && CHANGED.is_match(label)
}

/// True where the month goes before the day in numbers: in American English, which most pages that only say `en` are written in.
fn month_first(subject: &Subject<'_>) -> bool {
    let document = subject.document;
    let html = document.children(document.root()).find(|&node| document.is_element(node, "html"));
    let lang = html.and_then(|html| document.attribute(html, "lang")).unwrap_or("en").to_ascii_lowercase();
    matches!(lang.as_str(), "en" | "en-us" | "en_us")
}
