//! When it was published, and when it was changed.
//!
//! Published, in this order:
//!
//! 1. what the head states: `datePublished` of the JSON-LD thing that is the text; `<meta>` (`article:published_time`, `date`, Dublin Core, …, any
//!    whose name ends in words such as `published-date`); `itemprop=datePublished`; the same of the JSON-LD page;
//! 2. the address, where a day stands in it;
//! 3. what readers see: a `time` near the headline; a date in the text near the headline, outright or after a word; the only
//!    `time`, or the only one of a publication; on a text or a thread the first line anywhere that is there to tell a date, one of publication before others.
//!
//! Before all of these goes a sentence that says when the page was published originally.
//!
//! What readers see goes before what only programs read, where both name a day and not the same one: a date below the headline, on a line of its own or
//! almost, and not said to be of a change; or a `time` anywhere that is said outright to be of the publication. It may be the local day of an instant in UTC. Where the day in the address
//! agrees with the head, or another line near the headline does, or one in numbers that can be read so, the head is believed.
//!
//! Changed: the same of `dateModified` and `article:modified_time`. A date that all siblings have is the template's. A `time` or a line that says that
//! it tells of a change is one of publication only where there is no other.

use std::sync::LazyLock;

use regex::Regex;

use super::linked_data::Rank;
use super::near::Near;
use super::statements::{Mark, Statements, first_of, text_of};
use super::{Found, Sort, Source, Subject, date, months};
use crate::html::document::NodeId;

const PUBLISHED: [&str; 27] = [
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
];
/// How other names of `<meta>` with the day of publication end, without the marks between their words.
const PUBLISHED_ENDS: [&str; 10] = [
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
/// Words beside a date on a line that is there to tell it. Judgement: `Published on … by … · 8 min read`.
const MOST_BESIDE: usize = 8;
/// Pieces of text in which a date is looked for that is not near the headline. Judgement.
const MOST_LEAVES: usize = 2_000;

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

/// Words for a publication, in lower case: their beginnings.
static PUBLISHED_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)publi|posted|veröffentlich|erschienen|geplaatst|julkaistu|megjelen|опублик|yayın|発行|公開|投稿|发布|發布|게시|نشر|δημοσι|פורסם")
        .expect("it is tested")
});

/// Words for what is no date of a post: since when somebody is a member, and the last of many.
static OF_MEMBERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)join|regist|member|since|birth|founded|last|latest|visit|active|beigetreten|mitglied|inscrit|dabei seit|seit|expire")
        .expect("it is tested")
});

/// What a sentence says before the day on which the page came out first.
static ORIGINALLY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:originally|first) (?:published|posted|appeared) (?:here )?(?:on|in)? ?$|ursprünglich (?:veröffentlicht |erschienen )?am $|initialement publié le $|publicado originalmente el $|pubblicato originariamente il $").expect("it is tested")
});

/// A day in a path: `/2026/01/02/`, or written with hyphens, in one number, or with the month's name.
static IN_URL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|/|%2[Ff])((?:19|20)\d\d)(?:[/-](\d\d?|[a-z]{3,9})[/-](\d\d?)|(\d\d)(\d\d))(?:[/_.%-]|$)")
        .expect("it is tested")
});

pub(super) fn find(subject: &Subject<'_>, statements: &Statements, near: &Near) -> Dates {
    let shown = Shown::of(subject, statements, near);
    let month_first = month_first(subject);
    let read = |text: &str| date::read_as(text, month_first);
    let of_rank = |rank: Rank| {
        let things = statements.linked.things.iter().filter(move |thing| thing.rank == rank);
        things.filter_map(|thing| read(thing.published.as_deref()?)).next().map(|date| (date, Source::JsonLd))
    };
    let stated = of_rank(Rank::Text)
        .or_else(|| first_of(statements, &PUBLISHED, read))
        .or_else(|| of_other_metas(statements, read))
        .or_else(|| property(subject, statements, near, &["datepublished", "datecreated"]))
        .or_else(|| of_rank(Rank::Page));
    let published = match stated {
        Some(stated) => Some(originally(subject).or_else(|| shown.instead_of(subject, &stated.0)).unwrap_or(stated)),
        None => originally(subject)
            .or_else(|| in_url(subject))
            .or_else(|| shown.published.found())
            .or_else(|| shown.changed.found()),
    }
    .filter(|(date, _)| date.len() <= DAY || !is_everywhere(subject, date));
    let changed = statements.linked.things.iter().filter(|thing| thing.rank != Rank::Other);
    let modified = changed
        .filter_map(|thing| date::read(thing.modified.as_deref()?))
        .next()
        .map(|date| (date, Source::JsonLd))
        .or_else(|| first_of(statements, &MODIFIED, read))
        .or_else(|| property(subject, statements, near, &["datemodified"]))
        .or(shown.changed.found());
    Dates { published, modified }
}

/// The first value that is a date of any `<meta>` whose name says that it is one of publication, by the names' order.
fn of_other_metas(statements: &Statements, read: impl Fn(&str) -> Option<String>) -> Found<String> {
    let squeeze = |name: &str| name.chars().filter(|c| c.is_alphabetic()).collect::<String>();
    let mut named: Vec<&String> = statements.metas.keys().collect();
    named.retain(|name| PUBLISHED_ENDS.iter().any(|end| squeeze(name).ends_with(end)));
    named.sort();
    let values = named.into_iter().flat_map(|name| &statements.metas[name]);
    values.filter_map(|value| read(value)).next().map(|date| (date, Source::Meta))
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
    let (month, day) = if part(2).is_empty() { (part(4), part(5)) } else { (part(2), part(3)) };
    let month = months::month(month).map_or_else(|| month.to_owned(), |month| month.to_string());
    date::read(&format!("{}-{month:0>2}-{day:0>2}", part(1))).map(|date| (date, Source::Url))
}

/// The day of which a sentence says that the page was published first on it.
fn originally(subject: &Subject<'_>) -> Found<String> {
    let (document, analysis) = (subject.document, subject.analysis);
    let seen =
        analysis.leaves().iter().filter(|leaf| !analysis.is_hidden(leaf.node) && !analysis.is_comment(leaf.node));
    let texts = seen.filter_map(|leaf| document.text(leaf.node));
    let said = texts.filter_map(|text| {
        let found = date::find(text, month_first(subject)).filter(|found| found.iso.len() >= DAY)?;
        ORIGINALLY.is_match(&text[..found.range.start]).then_some(found.iso)
    });
    said.map(|day| (day, Source::Text)).next()
}

/// A date that readers see.
#[derive(Debug, Clone)]
struct Seen {
    iso: String,
    source: Source,
    /// True of one below the headline, whose line is there to tell it.
    is_line: bool,
    /// True of one that is said to be of a publication.
    is_outright: bool,
    /// The day that it may be as well: see [`date::InText`].
    or: Option<String>,
}

/// The dates that readers see near the headline, or in the page's only `time`: the first of each sort, those said outright before others.
#[derive(Debug, Default)]
struct Shown {
    published: OneOf,
    changed: OneOf,
    /// All days on lines below the headline that are not said to be of a change, and that of all `time` elements where it is one.
    days: Vec<String>,
}

#[derive(Debug, Default)]
struct OneOf(Option<Seen>);

impl OneOf {
    fn keep(&mut self, seen: Seen) {
        let rank = |seen: &Seen| (seen.is_outright, seen.is_line);
        if self.0.as_ref().is_none_or(|kept| rank(&seen) > rank(kept)) {
            self.0 = Some(seen);
        }
    }

    fn found(&self) -> Found<String> {
        self.0.as_ref().map(|seen| (seen.iso.clone(), seen.source))
    }

    /// The date, if it names a day and its line is there to tell it.
    fn line(&self) -> Option<&Seen> {
        self.0.as_ref().filter(|seen| seen.is_line && seen.iso.len() >= DAY)
    }
}

impl Shown {
    fn of(subject: &Subject<'_>, statements: &Statements, near: &Near) -> Shown {
        let mut shown = Shown::default();
        let times = times(subject, statements);
        shown.read_times_near(subject, near, &times);
        let of_times = shown.published.0.is_some();
        shown.read_text(subject, near, !of_times);
        shown.read_times(subject, near, &times);
        shown.read_times_of_publication(subject, &times);
        let is_silent = shown.published.0.is_none() && shown.changed.0.is_none();
        if is_silent && matches!(subject.sort, Sort::Text | Sort::Thread) {
            shown.read_anywhere(subject);
        }
        // Beside what is for sale or on offer stand dates of many things: only one that is said to be of a publication is its own.
        if subject.sort == Sort::Other {
            shown.published.0.take_if(|seen| !seen.is_outright);
            shown.changed.0 = None;
        }
        shown
    }

    /// What is believed in the place of the head's date.
    fn instead_of(&self, subject: &Subject<'_>, stated: &str) -> Found<String> {
        let far = |day: &str| Some(date::day_number(day)?.abs_diff(date::day_number(stated)?));
        let in_url = in_url(subject);
        let seen = self.published.line();
        let by_readers = seen.and_then(|seen| {
            let days = far(&seen.iso)?;
            let is_other = match subject.sort {
                Sort::Thread => days == 1,
                _ => days > 0,
            };
            let agree = in_url.as_ref().and_then(|(day, _)| far(day)).is_some_and(|days| days <= 1);
            let is_shown = || self.days.iter().chain(&seen.or).any(|day| far(day) == Some(0));
            (is_other && (days == 1 || !agree) && !is_shown()).then(|| (seen.iso.clone(), seen.source))
        });
        by_readers.or_else(|| in_url.clone().filter(|(day, _)| far(day) == Some(1) && seen.is_none()))
    }

    fn keep(&mut self, changed: bool, seen: Seen) {
        if changed { self.changed.keep(seen) } else { self.published.keep(seen) }
    }

    fn keep_time(&mut self, subject: &Subject<'_>, node: NodeId, date: &str, is_line: bool) {
        let says = says(subject, node);
        let is_outright = says == Says::Published;
        let seen = Seen { iso: date.to_owned(), source: Source::Time, is_line, is_outright, or: None };
        if says != Says::Changed && is_line {
            self.days.push(seen.iso.clone());
        }
        self.keep(says == Says::Changed, seen);
    }

    fn read_times_near(&mut self, subject: &Subject<'_>, near: &Near, times: &[(NodeId, String)]) {
        // What follows the headline is nearer to it than what went before.
        for wanted in [true, false] {
            for (node, date) in times.iter().filter(|(node, _)| near.place(subject.document, *node) == Some(wanted)) {
                self.keep_time(subject, *node, date, wanted);
            }
        }
    }

    /// Those that are not near the headline, where all are of one day; of a thread the first on the page.
    fn read_times(&mut self, subject: &Subject<'_>, near: &Near, times: &[(NodeId, String)]) {
        let is_thread = subject.sort == Sort::Thread;
        let is_one = are_of_one_day(times.iter().map(|(_, date)| date.as_str()));
        for (at, (node, date)) in times.iter().enumerate() {
            if near.place(subject.document, *node).is_some() || !(is_one || is_thread && at == 0) {
                continue;
            }
            if self.published.0.is_none() {
                self.keep_time(subject, *node, date, false);
            }
            if is_one && says(subject, *node) != Says::Changed {
                self.days.push(date.clone());
            }
        }
    }

    /// Those anywhere that are said outright to be of the publication, where they are of one day: of several days they are of other pages.
    fn read_times_of_publication(&mut self, subject: &Subject<'_>, times: &[(NodeId, String)]) {
        let said: Vec<_> =
            times.iter().filter(|(node, _)| says_to_readers(subject, *node) == Says::Published).collect();
        if let Some((_, date)) = said.first()
            && are_of_one_day(said.iter().map(|(_, date)| date.as_str()))
        {
            let seen = Seen { iso: date.clone(), source: Source::Time, is_line: true, is_outright: true, or: None };
            self.published.keep(seen);
        }
    }

    /// The dates in the text near the headline; only those that show that the head is right, unless they are to be kept.
    fn read_text(&mut self, subject: &Subject<'_>, near: &Near, is_kept: bool) {
        let month_first = month_first(subject);
        let is_thread = subject.sort == Sort::Thread;
        let mut before = "";
        let (after, earlier): (Vec<_>, Vec<_>) = near.pieces.iter().partition(|piece| piece.after);
        for piece in after.into_iter().chain(earlier) {
            let words = piece.text.split_whitespace().count();
            if words <= MOST_WORDS
                && let Some(found) = date::find(&piece.text, month_first)
                && !piece.text.contains(['©', '–'])
            {
                let head = &piece.text[..found.range.start];
                let told = |words: &Regex| words.is_match(head) || is_label(before) && words.is_match(before);
                let beside = words - piece.text[found.range.clone()].split_whitespace().count();
                let is_line = piece.after && beside <= MOST_BESIDE;
                // Posts tell their day, and members the month in which they came.
                let is_member = is_thread && (found.iso.len() < DAY || told(&OF_MEMBERS) && !told(&CHANGED));
                // Above the headline stands what the template says, too: today's date, the day of the issue.
                if !is_member && (piece.after || !is_everywhere(subject, &found.iso)) {
                    let changed = told(&CHANGED);
                    let is_outright = !changed && told(&PUBLISHED_WORDS);
                    if !changed && is_line {
                        self.days.push(found.iso.clone());
                    }
                    if is_kept {
                        let seen = Seen { iso: found.iso, source: Source::Text, is_line, is_outright, or: found.or };
                        self.keep(changed, seen);
                    }
                }
                // What has a date of its own is no label of the next.
                before = "";
            } else {
                before = &piece.text;
            }
        }
    }

    /// The first line of the page that is there to tell a date; on a text one that tells of a publication, if there is any. What tells of members, of
    /// what is to come or is past is none.
    fn read_anywhere(&mut self, subject: &Subject<'_>) {
        let (document, analysis) = (subject.document, subject.analysis);
        let month_first = month_first(subject);
        let is_thread = subject.sort == Sort::Thread;
        let wanted = |node| !analysis.is_hidden(node) && (is_thread || !analysis.is_comment(node));
        let leaves = analysis.leaves().iter().filter(|leaf| wanted(leaf.node));
        let mut before = "";
        for text in leaves.filter_map(|leaf| document.text(leaf.node)).take(MOST_LEAVES).map(str::trim) {
            let words = text.split_whitespace().count();
            if words <= MOST_WORDS
                && let Some(found) = date::find(text, month_first).filter(|found| found.iso.len() >= DAY)
                && words - text[found.range.clone()].split_whitespace().count() <= MOST_BESIDE
                && !text.contains(['©', '–'])
            {
                let head = &text[..found.range.start];
                let told = |words: &Regex| words.is_match(head) || is_label(before) && words.is_match(before);
                let changed = told(&CHANGED);
                let is_own = changed && !is_thread || !told(&OF_MEMBERS);
                if is_own && !is_everywhere(subject, &found.iso) {
                    let is_outright = !changed && told(&PUBLISHED_WORDS);
                    // Of a thread it is the first post's: its day is where the reader is.
                    let seen =
                        Seen { iso: found.iso, source: Source::Text, is_line: is_thread, is_outright, or: found.or };
                    self.keep(changed, seen);
                }
                if is_thread && self.published.0.is_some() {
                    return;
                }
                // What has a date of its own is no label of the next.
                before = "";
            } else {
                before = text;
            }
        }
    }
}

/// The `time` elements that name a date.
fn times(subject: &Subject<'_>, statements: &Statements) -> Vec<(NodeId, String)> {
    let document = subject.document;
    let read = |node: NodeId| {
        let stated = document.attribute(node, "datetime").and_then(date::read);
        let written = date::read_as(&text_of(document, node), month_first(subject));
        match (stated, written) {
            // The local day of an instant elsewhere.
            (Some(stated), Some(written)) if is_next_day(&stated, &written) => Some(written),
            (stated, written) => stated.or(written),
        }
    };
    statements.times.iter().filter_map(|&node| Some((node, read(node)?))).collect()
}

/// True of dates that are of the same day, all of them.
fn are_of_one_day<'d>(dates: impl Iterator<Item = &'d str>) -> bool {
    let days: std::collections::BTreeSet<&str> = dates.filter_map(|date| date.get(..DAY)).collect();
    days.len() == 1
}

/// True where a day is the one before or after that of a date with a time: the same instant elsewhere.
fn is_next_day(date: &str, day: &str) -> bool {
    let days = date::day_number(date).zip(date::day_number(day));
    date.len() > DAY && days.is_some_and(|(date, day)| date.abs_diff(day) == 1)
}

/// True of the few words before a date.
fn is_label(text: &str) -> bool {
    text.split_whitespace().count() <= 4
}

/// What a `time` is said to tell of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Published,
    Changed,
    Nothing,
}

/// What a `time` is said to tell of: by its own names, or by the word before it.
fn says(subject: &Subject<'_>, node: NodeId) -> Says {
    let document = subject.document;
    let named =
        ["class", "itemprop"].iter().filter_map(|name| document.attribute(node, name)).collect::<Vec<_>>().join(" ");
    let is_published = named.contains("ublish");
    match says_to_readers(subject, node) {
        Says::Nothing if is_published => Says::Published,
        Says::Nothing if CHANGED.is_match(&named) => Says::Changed,
        said => said,
    }
}

/// What the words before a `time` say that it tells of, or its `pubdate`.
fn says_to_readers(subject: &Subject<'_>, node: NodeId) -> Says {
    let document = subject.document;
    let parent = document.parent(node);
    let mut before = String::new();
    for child in parent.into_iter().flat_map(|parent| document.children(parent)) {
        if child == node {
            break;
        }
        before.push_str(&text_of(document, child));
    }
    let written = text_of(document, node);
    let within = date::find(&written, false).map_or("", |found| &written[..found.range.start]);
    let label = Some(before.rsplit(['|', '·', '\n']).next().unwrap_or_default()).filter(|label| is_label(label.trim()));
    let told = |words: &Regex| label.is_some_and(|label| words.is_match(label)) || words.is_match(within);
    match () {
        () if told(&CHANGED) => Says::Changed,
        () if document.attribute(node, "pubdate").is_some() || told(&PUBLISHED_WORDS) => Says::Published,
        () => Says::Nothing,
    }
}

/// True where the month goes before the day in numbers: in American English, which most pages that only say `en` are written in.
fn month_first(subject: &Subject<'_>) -> bool {
    let document = subject.document;
    let html = document.children(document.root()).find(|&node| document.is_element(node, "html"));
    let lang = html.and_then(|html| document.attribute(html, "lang")).unwrap_or("en").to_ascii_lowercase();
    matches!(lang.as_str(), "en" | "en-us" | "en_us")
}
