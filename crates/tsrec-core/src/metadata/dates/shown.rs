//! The dates that readers see: in `time` elements, and in lines that exist to give a date.

use super::super::near::{Near, is_beside};
use super::super::phrases::LabelPhrases;
use super::super::statements::{Statements, datetimes, text_of};
use super::super::{Sort, Source, Sourced, Subject, date};
use super::line;
use super::order::Order;
use super::{DAY, in_url};
use crate::html::document::NodeId;

/// Most words beside a date on a date line. Judgement: `Published on … by … · 8 min read`.
const MOST_BESIDE: usize = 8;
/// How many pieces of text far from the headline are searched for a date. Judgement.
const MOST_LEAVES: usize = 2_000;

/// Beginnings of words for a change, in lower case.
static CHANGED: LabelPhrases = LabelPhrases::from_list(
    "updat|stand:|modif|revis|reviewed|edited|changed|aktualis|aktualiz|geändert|überarbeitet|mis à jour|mise à jour|actualiz|actualit|atualiz|aggiorn|bijgewerkt|gewijzigd|opdater|oppdater|uppdater|ändrad|endret|päivitetty|muokattu|frissít|módosít|zmienion|zmodyf|upraven|změněn|zmenen|обновл|изменен|оновлен|змінен|обновен|ажурир|ažurir|izmenj|posodobl|güncel|atnaujin|atjaun|uuendat|muudet|eguneratu|cập nhật|diperbarui|diubah|dikemas kini|อัปเดต|อัพเดท|อัพเดต|แก้ไข|ปรับปรุง|更新|修正|改訂|修改|수정|업데이트|تحديث|تعديل|به‌روز|بروز|ویرایش|اپ ڈیٹ|ενημέρωση|ενημερώθηκε|עודכן|עדכון|अपडेट|अद्यतन|সম্পাদনা|আপডেট|புதுப்பிக்க",
);

/// Beginnings of words for a publication, in lower case.
static PUBLISHED_WORDS: LabelPhrases = LabelPhrases::from_list(
    "publi|pubbl|posted|veröffentlich|erschienen|erstellt|geplaatst|julkaistu|megjelen|közzé|zveřejněn|vydán|objavlj|dodano|dodane|utworzon|udgivet|utgitt|skapad|erscheint|опублик|публик|створен|објављ|yayın|eklenme|đăng|diterbit|terbit|เผยแพร่|โพสต์|発行|公開|投稿|掲載|配信|作成|发布|發布|发表|發表|입력|등록|게시|발행|승인|نشر|منتشر|انتشار|شائع|δημοσι|פורסם|प्रकाशित|প্রকাশ|வெளியிட",
);

/// Words for dates that are not a post's: since when somebody is a member, and the last of many.
static OF_MEMBERS: LabelPhrases = LabelPhrases::from_list(
    "join|regist|member|since|birth|founded|last|latest|visit|active|beigetreten|mitglied|inscrit|dabei seit|seit|expire",
);

/// A date that readers see.
#[derive(Debug, Clone)]
struct ShownDate {
    iso: String,
    source: Source,
    /// True if it is below the headline, on a date line.
    is_line: bool,
    /// True if a word says that it is of a publication.
    is_outright: bool,
    /// The other day that it may be: see [`date::InText`].
    or: Option<String>,
}

/// The dates that readers see near the headline, or in the page's only `time`. Of each kind, the
/// first, preferring those with an explicit word.
#[derive(Debug, Default)]
pub(super) struct ShownDates {
    pub(super) published: OneOf,
    pub(super) changed: OneOf,
    /// All days on lines below the headline that are not of a change. Also that of all `time`
    /// elements if they have only one.
    days: Vec<String>,
    /// The first that was passed over because every page of the site has it.
    pub(super) of_site: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct OneOf(Option<ShownDate>);

impl OneOf {
    fn keep(&mut self, seen: ShownDate) {
        let rank = |seen: &ShownDate| (seen.is_outright, seen.is_line);
        if self.0.as_ref().is_none_or(|kept| rank(&seen) > rank(kept)) {
            self.0 = Some(seen);
        }
    }

    pub(super) fn found(&self) -> Sourced<String> {
        self.0.as_ref().map(|seen| (seen.iso.clone(), seen.source))
    }

    /// The date, if it names a day and is on a date line.
    fn line(&self) -> Option<&ShownDate> {
        self.0.as_ref().filter(|seen| seen.is_line && seen.iso.len() >= DAY)
    }
}

impl ShownDates {
    pub(super) fn from_subject(
        subject: &Subject<'_>,
        statements: &Statements,
        near: &Near,
        order: &Order<'_>,
    ) -> ShownDates {
        let mut shown = ShownDates::default();
        let times = times(subject, statements, order);
        shown.read_times_near(subject, near, &times);
        let of_times = shown.published.0.is_some();
        shown.read_text(subject, near, order, !of_times);
        shown.read_times(subject, near, &times);
        shown.read_times_of_publication(subject, &times);
        let is_silent = shown.published.0.is_none() && shown.changed.0.is_none();
        // An ambiguous date near the headline is better than any date far away.
        if is_silent && !order.has_passed_over() && matches!(subject.sort, Sort::Text | Sort::Thread) {
            shown.read_anywhere(subject, order);
        }
        // Products and offers have dates of many things beside them. Only a date said to be of a
        // publication is the page's.
        if subject.sort == Sort::Other {
            shown.published.0.take_if(|seen| !seen.is_outright);
            shown.changed.0 = None;
        }
        shown
    }

    /// What is believed instead of the head's date.
    pub(super) fn instead_of(&self, subject: &Subject<'_>, stated: &str) -> Sourced<String> {
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

    fn keep(&mut self, changed: bool, seen: ShownDate) {
        if changed { self.changed.keep(seen) } else { self.published.keep(seen) }
    }

    /// True of a date that the site's other pages have too; remembers it.
    fn is_of_site(&mut self, subject: &Subject<'_>, date: &str) -> bool {
        let is = subject.siblings.is_date_everywhere(date);
        if is {
            self.of_site.get_or_insert_with(|| date.to_owned());
        }
        is
    }

    fn keep_time(&mut self, subject: &Subject<'_>, node: NodeId, date: &str, is_line: bool) {
        let says = says(subject, node);
        let is_outright = says == Says::Published;
        let seen = ShownDate { iso: date.to_owned(), source: Source::Time, is_line, is_outright, or: None };
        if says != Says::Changed && is_line {
            self.days.push(seen.iso.clone());
        }
        self.keep(says == Says::Changed, seen);
    }

    fn read_times_near(&mut self, subject: &Subject<'_>, near: &Near, times: &[(NodeId, String)]) {
        // Text after the headline counts as nearer than text before it.
        for wanted in [true, false] {
            // Links beside the text, above the headline, are to other texts.
            let is_linked =
                |node| subject.document.ancestors(node).any(|around| subject.document.is_element(around, "a"));
            let is_own = |node: NodeId| wanted || !subject.analysis.is_side_matter(node) || !is_linked(node);
            let is_wanted = |node: NodeId| near.place(subject.document, node) == Some(wanted) && is_own(node);
            for (node, date) in times.iter().filter(|(node, _)| is_wanted(*node)) {
                self.keep_time(subject, *node, date, wanted);
            }
        }
    }

    /// Reads `time` elements far from the headline, if all are of one day. On a thread, the first
    /// on the page.
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

    /// Reads `time` elements anywhere that are said to be of the publication, if all are of one
    /// day. If they are of several days, they are of other pages.
    fn read_times_of_publication(&mut self, subject: &Subject<'_>, times: &[(NodeId, String)]) {
        let said: Vec<_> =
            times.iter().filter(|(node, _)| says_to_readers(subject, *node) == Says::Published).collect();
        if let Some((_, date)) = said.first()
            && are_of_one_day(said.iter().map(|(_, date)| date.as_str()))
        {
            let seen =
                ShownDate { iso: date.clone(), source: Source::Time, is_line: true, is_outright: true, or: None };
            self.published.keep(seen);
        }
    }

    /// Reads the dates in the text near the headline. Unless `is_kept`, only keeps those that
    /// confirm the head.
    fn read_text(&mut self, subject: &Subject<'_>, near: &Near, order: &Order<'_>, is_kept: bool) {
        let is_thread = subject.sort == Sort::Thread;
        let mut before = "";
        let (after, earlier): (Vec<_>, Vec<_>) = near.pieces.iter().partition(|piece| piece.after);
        for piece in after.into_iter().chain(earlier) {
            let dates = line::dates(&piece.text, order, says_what);
            // Text with its own date is not a label of the next.
            let label = std::mem::replace(&mut before, if dates.is_empty() { &piece.text } else { "" });
            for (at, date) in dates.into_iter().enumerate() {
                let told = |words: &LabelPhrases| {
                    words.are_in(date.label) || at == 0 && is_label(label) && words.are_in(label)
                };
                let is_line = piece.after && date.beside <= MOST_BESIDE;
                let found = date.found;
                // Posts show their day, members the month in which they joined.
                let is_member = is_thread && (found.iso.len() < DAY || told(&OF_MEMBERS) && !told(&CHANGED));
                // Above the headline there is also template text, such as today's date or the day
                // of the issue.
                if is_member || !piece.after && self.is_of_site(subject, &found.iso) {
                    continue;
                }
                let changed = told(&CHANGED);
                let is_outright = !changed && told(&PUBLISHED_WORDS);
                if !changed && is_line {
                    self.days.push(found.iso.clone());
                }
                if is_kept || changed {
                    let seen = ShownDate { iso: found.iso, source: Source::Text, is_line, is_outright, or: found.or };
                    self.keep(changed, seen);
                }
            }
        }
    }

    /// Reads the first date line of the page. On a text, prefers one about a publication. Lines
    /// about members, the future or the past do not count.
    fn read_anywhere(&mut self, subject: &Subject<'_>, order: &Order<'_>) {
        let (document, analysis) = (subject.document, subject.analysis);
        let is_thread = subject.sort == Sort::Thread;
        let wanted = |node| !analysis.is_hidden(node) && (is_thread || !analysis.is_comment(node));
        let leaves = analysis.leaves().iter().filter(|leaf| wanted(leaf.node));
        let mut before = "";
        let texts = leaves.filter_map(|leaf| Some((leaf.node, document.text(leaf.node)?.trim())));
        for (node, text) in texts.take(MOST_LEAVES) {
            let mut dates = line::dates(text, order, says_what);
            if !dates.is_empty() && is_beside(document, node) {
                dates.clear();
            }
            let label = std::mem::replace(&mut before, if dates.is_empty() { text } else { "" });
            for (at, date) in dates.into_iter().enumerate() {
                if date.found.iso.len() < DAY || date.beside > MOST_BESIDE {
                    continue;
                }
                let told = |words: &LabelPhrases| {
                    words.are_in(date.label) || at == 0 && is_label(label) && words.are_in(label)
                };
                let changed = told(&CHANGED);
                let is_own = changed && !is_thread || !told(&OF_MEMBERS);
                if is_own && !self.is_of_site(subject, &date.found.iso) {
                    let is_outright = !changed && told(&PUBLISHED_WORDS);
                    // On a thread, it is the first post's, whose day is where the reader is.
                    let seen = ShownDate {
                        iso: date.found.iso,
                        source: Source::Text,
                        is_line: is_thread,
                        is_outright,
                        or: date.found.or,
                    };
                    self.keep(changed, seen);
                }
                if is_thread && self.published.0.is_some() {
                    return;
                }
            }
        }
    }
}

/// True of text with a word for a publication or a change.
fn says_what(text: &str) -> bool {
    PUBLISHED_WORDS.are_in(text) || CHANGED.are_in(text)
}

/// The `time` elements with a date, outside boxes of other texts.
fn times(subject: &Subject<'_>, statements: &Statements, order: &Order<'_>) -> Vec<(NodeId, String)> {
    let document = subject.document;
    let read = |node: NodeId| {
        let stated = datetimes(document, node).find_map(date::read);
        let written = order.read(&text_of(document, node));
        match (stated, written) {
            // The local day of an instant in another zone.
            (Some(stated), Some(written)) if is_next_day(&stated, &written) => Some(written),
            (stated, written) => stated.or(written),
        }
    };
    let own = statements.times.iter().filter(|&&node| !is_beside(document, node));
    own.filter_map(|&node| Some((node, read(node)?))).collect()
}

/// True if all dates are of the same day.
fn are_of_one_day<'d>(dates: impl Iterator<Item = &'d str>) -> bool {
    let days: std::collections::BTreeSet<&str> = dates.filter_map(|date| date.get(..DAY)).collect();
    days.len() == 1
}

/// True if a day is directly before or after that of a date with a time: the same instant
/// elsewhere.
fn is_next_day(date: &str, day: &str) -> bool {
    let days = date::day_number(date).zip(date::day_number(day));
    date.len() > DAY && days.is_some_and(|(date, day)| date.abs_diff(day) == 1)
}

/// True of a short text before a date.
fn is_label(text: &str) -> bool {
    text.split_whitespace().count() <= 4
}

/// What a `time` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Published,
    Changed,
    Nothing,
}

/// What a `time` is about, by its own names or the word before it.
fn says(subject: &Subject<'_>, node: NodeId) -> Says {
    let document = subject.document;
    let named =
        ["class", "itemprop"].iter().filter_map(|name| document.attribute(node, name)).collect::<Vec<_>>().join(" ");
    let is_published = named.contains("ublish");
    match says_to_readers(subject, node) {
        Says::Nothing if is_published => Says::Published,
        Says::Nothing if CHANGED.are_in(&named) => Says::Changed,
        said => said,
    }
}

/// What a `time` is about, by the words before it or its `pubdate`.
fn says_to_readers(subject: &Subject<'_>, node: NodeId) -> Says {
    let document = subject.document;
    let parent = document.parent(node);
    let mut before = String::new();
    for child in parent.into_iter().flat_map(|parent| document.children(parent)) {
        if child == node {
            break;
        }
        let text = text_of(document, child);
        // A label ends where another date is.
        match document.is_element(child, "time") || date::find(&text, false).is_some() {
            true => before.clear(),
            false => before.push_str(&text),
        }
    }
    let written = text_of(document, node);
    let within = date::find(&written, false).map_or("", |found| &written[..found.range.start]);
    let label = Some(before.rsplit(['|', '·', '\n']).next().unwrap_or_default()).filter(|label| is_label(label.trim()));
    let told = |words: &LabelPhrases| label.is_some_and(|label| words.are_in(label)) || words.are_in(within);
    match () {
        () if told(&CHANGED) => Says::Changed,
        () if document.attribute(node, "pubdate").is_some() || told(&PUBLISHED_WORDS) => Says::Published,
        () => Says::Nothing,
    }
}
