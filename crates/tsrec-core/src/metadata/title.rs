//! The headline: where the page's head and its headings agree, without the site's name.
//!
//! In this order: a heading that Open Graph, the `title` element or JSON-LD has too, whole or as
//! one end of it; on one text (or where that is not known) the heading that shares most words with
//! them, elsewhere only one that shares nearly all; Open Graph's title, where the `title` element
//! goes on after it; the `title` element; Open Graph; JSON-LD's headline; microdata's; the only
//! heading. The site's name at the end goes, and what follows a bar.

use std::collections::HashSet;

use super::site::{SiteNames, parts};
use super::statements::Statements;
use super::{Sort, Source, Sourced, Subject, filled, fold, properties};

/// Words of ten that a heading of a text must share with a title in the head. Calibration:
/// `tsrec-lab eval --report metadata`, half of the sites.
const ALIKE: f64 = 0.3;
/// The same on other pages, whose headings are slogans.
const NEARLY_SAME: f64 = 0.8;
/// Words of a heading at least, for it to be taken where the head says something else. Judgement.
const LEAST_WORDS: usize = 2;
/// Bytes of a part of a title that a heading may be. Judgement: what is longer is no headline.
const LONGEST_PART: usize = 4_096;
/// Parts of a title at each end of it that a heading may stop or begin at. Judgement: titles of
/// more parts are lists of words.
const MOST_PARTS: usize = 64;
/// Words before a bar at least, for what follows to be cut. Judgement: `C | the language`.
const LEAST_BEFORE_BAR: usize = 3;

pub(super) fn find(subject: &Subject<'_>, statements: &Statements, site: &SiteNames) -> Sourced<String> {
    let title = statements.title.as_deref();
    let og = statements.meta(&["og:title"]);
    let stated = statements.linked.things.first().and_then(|thing| thing.headline.as_deref());
    let heads: Vec<HeadTitle> =
        [title, og, stated].into_iter().flatten().map(|title| HeadTitle::new(title, site)).collect();
    let headings: Vec<(u8, String)> = statements
        .headings
        .iter()
        .map(|(level, text)| (*level, text.replace('\u{ad}', "")))
        .filter(|(_, text)| !site.is_named(text))
        .collect();
    let tidy = |text: &str| filled(until_bar(site.strip(text)));
    let agreed = headings.iter().find(|(_, heading)| heads.iter().any(|head| head.agrees(heading)));
    if let Some(found) = agreed.and_then(|(_, heading)| tidy(heading)) {
        return Some((found, Source::Heading));
    }
    let alike = |heading: &str| {
        let heading = words(heading);
        heads.iter().map(|head| likeness(&heading, &head.words)).fold(0.0, f64::max)
    };
    let first: Vec<&String> = headings.iter().filter(|(level, _)| *level == 1).map(|(_, text)| text).collect();
    let best = first
        .iter()
        .map(|heading| (alike(heading), *heading))
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    let least = match subject.sort {
        Sort::Text | Sort::Thread | Sort::Unknown => ALIKE,
        Sort::Other => NEARLY_SAME,
    };
    if let Some((likeness, heading)) = best
        && likeness >= least
        && fold(heading).split(' ').count() >= LEAST_WORDS
    {
        return Some((tidy(heading)?, Source::Heading));
    }
    if let (Some(title), Some(og)) = (title, og)
        && fold(title).strip_prefix(&fold(og)).is_some_and(|rest| rest.starts_with(' '))
        && let Some(found) = tidy(og)
    {
        return Some((found, Source::OpenGraph));
    }
    if let Some(found) = title.and_then(tidy) {
        // A title that is the site's name alone says less than a heading.
        return match &first[..] {
            [only] if site.is_named(&found) => Some(((*only).clone(), Source::Heading)),
            _ => Some((found, Source::Title)),
        };
    }
    let of_og = og.and_then(tidy).map(|found| (found, Source::OpenGraph));
    let of_things = || stated.and_then(tidy).map(|found| (found, Source::JsonLd));
    let of_properties = || {
        let (headline, source) = properties::text(subject, "headline")?;
        tidy(&headline).map(|found| (found, source))
    };
    of_og
        .or_else(of_things)
        .or_else(of_properties)
        .or_else(|| first.first().map(|heading| ((*heading).clone(), Source::Heading)))
}

/// A title in the head, prepared once, so that each heading costs no more than its own length.
struct HeadTitle {
    /// The title, folded.
    whole: String,
    /// Its beginnings up to one of the marks that part titles, folded.
    beginnings: HashSet<String>,
    /// Its ends after such a mark, folded.
    ends: HashSet<String>,
    /// The words of the title without the site's name.
    words: HashSet<String>,
}

impl HeadTitle {
    fn new(title: &str, site: &SiteNames) -> HeadTitle {
        let parts = parts(title);
        let is_short = |range: &std::ops::Range<usize>| range.len() <= LONGEST_PART;
        let beginnings = parts.iter().rev().skip(1).rev().take(MOST_PARTS).map(|part| 0..part.end).filter(is_short);
        let ends = parts.iter().skip(1).rev().take(MOST_PARTS).map(|part| part.start..title.len()).filter(is_short);
        HeadTitle {
            whole: fold(title),
            beginnings: beginnings.map(|range| fold(&title[range])).collect(),
            // One word alone at the end of a title is a section, not the headline.
            ends: ends.map(|range| fold(&title[range])).filter(|end| end.contains(' ')).collect(),
            words: words(site.strip(title)),
        }
    }

    /// True when a heading is what the title says, or its beginning or end at one of the marks
    /// that part titles.
    fn agrees(&self, heading: &str) -> bool {
        let heading = fold(heading);
        !heading.is_empty()
            && (heading == self.whole || self.ends.contains(&heading) || self.beginnings.contains(&heading))
    }
}

/// The words of a text, folded.
fn words(text: &str) -> HashSet<String> {
    fold(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The share of words that two texts have in common, of the one with fewer.
fn likeness(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let fewer = a.len().min(b.len());
    if fewer == 0 { 0.0 } else { a.intersection(b).count() as f64 / fewer as f64 }
}

/// A title up to a bar.
fn until_bar(title: &str) -> &str {
    let bar = title.find(" | ").or_else(|| title.find('｜'));
    let before = bar.map_or(title, |at| title[..at].trim_end());
    if before.split_whitespace().count() >= LEAST_BEFORE_BAR { before } else { title }
}
