//! Finds the headline: where the head and the headings agree, without the site's name.
//!
//! The sources, in this order:
//!
//! 1. on news, Open Graph's title, if the `title` element continues it: their headings often leave
//!    out the kicker, or have another;
//! 2. on a text, Open Graph's title, if it is no first heading but a line of the text: then the
//!    first heading is for search engines, in a path of links, or has a kicker;
//! 3. the highest heading that Open Graph, the `title` element or JSON-LD has too, whole or one
//!    end;
//! 4. a paper's `citation_title`;
//! 5. on a single text (or if the kind is unknown), the heading that shares most words with them;
//!    on other pages only one that shares nearly all;
//! 6. Open Graph's title, if the `title` element continues it;
//! 7. the `title` element, Open Graph, JSON-LD's headline, microdata's, the first heading. The
//!    `title` comes last if it is only the site's name, or what programs write for none.
//!
//! The site's name goes from the end, and from the beginning of a text's title; so does an end that
//! the titles of the site share. What follows a bar goes, unless a heading has it and the head has
//! the heading beside other parts. A kicker goes if previews do not have it.

mod notice;
mod section;

use std::cell::LazyCell;
use std::collections::HashSet;

use super::near::text_of;
use super::site::{SiteNames, parts};
use super::statements::{Statements, first_of};
use super::{Sort, Source, Sourced, Subject, filled, fold, properties, untagged};
use crate::analysis::{Block, Leaf};
use crate::html::printable;
use crate::words::{is_ideograph, is_unspaced};

/// The share of words that a text's heading must have in common with a title in the head.
/// Calibration: `tsrec-lab eval --report metadata`, half of the sites.
const ALIKE: f64 = 0.3;
/// The same for other pages, whose headings are slogans.
const NEARLY_SAME: f64 = 0.8;
/// Fewest words of a heading that is taken although the head says something else. Judgement.
const LEAST_WORDS: usize = 2;
/// `<meta>` names for the title of a page or a paper.
const TITLES: [&str; 4] = ["og:title", "citation_title", "twitter:title", "dc.title"];
/// Titles that programs write where the author has given none, folded.
const NO_TITLES: [&str; 14] = [
    "home",
    "home page",
    "homepage",
    "index",
    "article",
    "document",
    "page",
    "title",
    "loading",
    "new page",
    "new page 1",
    "no title",
    "untitled",
    "untitled document",
];
/// Most bytes of a title part that may be a heading. Judgement: longer text is not a headline.
const LONGEST_PART: usize = 4_096;
/// How many separators at each end of a title are tried. Judgement: titles with more parts are
/// lists of words.
const MOST_PARTS: usize = 64;
/// Fewest words before a bar for the rest to be cut. Judgement: `C | the language`.
const LEAST_BEFORE_BAR: usize = 3;
/// The same in letters of a script without spaces.
const LEAST_LETTERS: usize = 6;
/// Fewest and most words of a line that is the headline of previews. Judgement: shorter ones are
/// labels, longer ones are text.
const LEAST_OF_LINE: u32 = 3;
const MOST_OF_LINE: u32 = 40;

pub(super) fn find(subject: &Subject<'_>, statements: &Statements, site: &SiteNames) -> Sourced<String> {
    let found = headline(subject, statements, site)?;
    Some(match subject.sort {
        Sort::Thread => section::without(subject, statements, found),
        _ => found,
    })
}

fn headline(subject: &Subject<'_>, statements: &Statements, site: &SiteNames) -> Sourced<String> {
    let title = statements.title.as_deref();
    let of_metas = first_of(statements, &TITLES, |title| filled(&untagged(title)));
    let (og, of_og) = of_metas.as_ref().map_or((None, Source::OpenGraph), |(og, source)| (Some(og.as_str()), *source));
    let stated = statements.linked.things.first().and_then(|thing| thing.headline.as_deref());
    let heads: Vec<HeadTitle> =
        [title, og, stated].into_iter().flatten().map(|title| HeadTitle::new(title, site)).collect();
    let agrees = |text: &str| heads.iter().any(|head| head.agrees(text));
    let is_of_notices = LazyCell::new(|| heads.iter().any(|head| notice::is_one(&head.whole)));
    let headings: Vec<(u8, &str)> = statements
        .headings
        .iter()
        .filter(|heading| !heading.is_logo)
        .map(|heading| {
            let other = heading.others.iter().find(|other| !agrees(&heading.text) && agrees(other));
            let unprefixed = heading.unprefixed.as_ref().filter(|_| subject.sort == Sort::Thread);
            (heading.level, unprefixed.or(other).unwrap_or(&heading.text).as_str())
        })
        .filter(|(_, text)| !site.is_named(text))
        .filter(|(_, text)| !notice::is_one(text) || *is_of_notices)
        .collect();
    // The head has this heading beside other parts: a bar in it is the writer's.
    let is_part = |text: &str| heads.iter().any(|head| head.has_as_part(text));
    let whole = |text: &str| {
        let stripped = site.strip(text);
        filled(if is_part(text) { stripped } else { until_bar(stripped) })
    };
    let tidy = |text: &str| filled(until_bar(strip_name(subject, site, text)));
    let continued = || {
        let (title, og) = title.zip(og)?;
        let is_continued = fold(title).strip_prefix(&fold(og)).is_some_and(|rest| rest.starts_with(' '));
        Some((tidy(og).filter(|_| is_continued)?, of_og))
    };
    let is_news = statements.linked.things.first().is_some_and(|thing| thing.is_news);
    let is_shown = |text: &str| headings.iter().any(|(level, heading)| *level == 1 && fold(heading) == fold(text));
    if let Some((found, source)) = continued().filter(|(found, _)| is_news && !is_shown(found)) {
        return Some((found, source));
    }
    let line = og.filter(|og| {
        let folded = if og.len() <= LONGEST_PART { fold(og) } else { return false };
        // What a first heading continues was cut off.
        let is_begun = || headings.iter().any(|(level, heading)| *level == 1 && fold(heading).starts_with(&folded));
        subject.sort != Sort::Other && !site.is_named(og) && !is_begun() && is_line(subject, &folded)
    });
    if let Some(found) = line.and_then(whole) {
        return Some((found, of_og));
    }
    let level = |least: u8| headings.iter().filter(move |(level, _)| *level <= least).map(|(_, text)| *text);
    // A kicker in a heading of a lower level may agree, too, and come first. So may the site's
    // name, which is shorter.
    let agrees_first = |text: &str| agrees(text) || heads.iter().any(|head| head.before_bracket == Some(fold(text)));
    let longest =
        level(1).filter(|heading| agrees_first(heading)).map(|heading| (fold(heading).split(' ').count(), heading));
    let longest = longest.reduce(|most, next| if next.0 > most.0 { next } else { most });
    let longest = longest.map(|(_, heading)| heading);
    // On a text, what comes before the headline is a kicker, or the name of the blog.
    let is_chapter = |heading: &&str| heads.iter().any(|head| head.is_chapter(heading, longest));
    let chapter = || level(2).find(is_chapter).filter(|_| subject.sort == Sort::Other);
    // One word that comes after other headings is a part of the text.
    let is_whole = |at: usize, heading: &str| at == 0 || !is_word(heading);
    let second = || level(2).enumerate().find(|&(at, heading)| agrees(heading) && is_whole(at, heading));
    let agreeing = chapter().or(longest).or_else(|| second().map(|(_, heading)| heading));
    if let Some(found) = agreeing.and_then(whole) {
        return Some((found, Source::Heading));
    }
    let of_paper = statements.meta(&["citation_title"]).and_then(|title| tidy(&untagged(title)));
    if let Some(found) = of_paper.filter(|found| !site.is_named(found)) {
        return Some((found, Source::Meta));
    }
    let alike = |heading: &str| {
        let heading = words(heading);
        heads.iter().map(|head| likeness(&heading, &head.words)).fold(0.0, f64::max)
    };
    let best = level(1)
        .map(|heading| (alike(heading), heading))
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    // Of some threads the head has only the title of the site's first page: its name and a slogan.
    let is_first_page = || title.is_some_and(|title| site.strip_start(title).len() < title.trim().len());
    let least = match subject.sort {
        Sort::Thread if is_first_page() => 0.0,
        Sort::Text | Sort::Thread | Sort::Unknown => ALIKE,
        Sort::Other => NEARLY_SAME,
    };
    if let Some((likeness, heading)) = best
        && likeness >= least
        && fold(heading).split(' ').count() >= LEAST_WORDS
    {
        // The heading has a kicker before the headline.
        let own = title.map(|title| strip_name(subject, site, title));
        let after_kicker =
            [(og, of_og), (stated, Source::JsonLd), (own, Source::Title)].into_iter().find_map(|(head, source)| {
                let head = head.filter(|head| is_end_of(head, heading))?;
                Some((whole(head)?, source))
            });
        return after_kicker.or_else(|| Some((whole(heading)?, Source::Heading)));
    }
    if let Some(found) = continued() {
        return Some(found);
    }
    let of_things = || stated.and_then(tidy).map(|found| (found, Source::JsonLd));
    let of_properties = || {
        let (headline, source) = properties::text(subject, "headline")?;
        tidy(&headline).map(|found| (found, source))
    };
    let otherwise = || og.and_then(tidy).map(|found| (found, of_og)).or_else(of_things).or_else(of_properties);
    if let Some(found) = title.and_then(tidy) {
        // A title that is only the site's name says less than what else is stated, or a heading.
        let is_text = subject.sort != Sort::Other;
        let is_unnamed = |text: &str| is_text && (NO_TITLES.contains(&fold(text).as_str()) || site.is_only_name(text));
        let says_nothing = |text: &str| site.is_named(text) || is_unnamed(text);
        let other = || otherwise().filter(|(other, _)| is_text && !says_nothing(other));
        let heading = || {
            let mut first = level(1);
            let second = || level(2).next().filter(|_| is_unnamed(&found));
            let only = match (first.next(), first.next()) {
                (Some(_), Some(_)) => None,
                (only, _) => only.or_else(second),
            };
            only.map(|only| (only.to_owned(), Source::Heading))
        };
        let better = if says_nothing(&found) { other().or_else(heading) } else { None };
        let of_site = || site.name().filter(|_| NO_TITLES.contains(&fold(&found).as_str()));
        return better.or_else(of_site).or(Some((found, Source::Title)));
    }
    let first = || (1..=3).find_map(|least| level(least).next());
    otherwise().or_else(|| first().map(|heading| (heading.to_owned(), Source::Heading)))
}

/// Whether readers see a folded title of some words as a line of the text, or as what follows a
/// kicker there: not in a link, and not as part of a first heading. Linear.
fn is_line(subject: &Subject<'_>, title: &str) -> bool {
    let (document, analysis) = (subject.document, subject.analysis);
    let is_own = |block: &&Block| {
        let is_aside = |leaf: &Leaf| analysis.is_side_matter(leaf.node) || analysis.is_comment(leaf.node);
        !block.hidden
            && block.linked.links == 0
            && analysis.heading_level(block) != Some(1)
            && (LEAST_OF_LINE..=MOST_OF_LINE).contains(&block.text.words)
            && !analysis.leaves_of(block).iter().any(is_aside)
    };
    let is_title = |text: &str| fold(&printable(text)) == title;
    let is_leaf = |leaf: &Leaf| document.text(leaf.node).is_some_and(is_title);
    analysis.blocks().iter().filter(is_own).any(|block| {
        analysis.leaves_of(block).last().is_some_and(is_leaf) || is_title(&text_of(document, analysis, block))
    })
}

/// A title without the site's name. On a text also without one at its beginning: the first page of
/// a site begins with its name and goes on with a slogan.
fn strip_name<'t>(subject: &Subject<'_>, site: &SiteNames, title: &'t str) -> &'t str {
    match subject.sort {
        Sort::Other => site.strip(title),
        _ => site.strip_start(site.strip(title)),
    }
}

/// True of a single word, in a script that parts words.
fn is_word(text: &str) -> bool {
    !fold(text).contains(' ') && !text.contains(|c| is_ideograph(c) || is_unspaced(c))
}

/// True of a title of some words with which a heading ends, after some others.
fn is_end_of(title: &str, heading: &str) -> bool {
    // A single word before a colon is a kicker too; else it is an article, or the year.
    let parts = parts(heading);
    if parts.iter().skip(1).any(|part| fold(&heading[part.start..]) == fold(title)) {
        return true;
    }
    let (title, heading) = (fold(title), fold(heading));
    let has_words = title.split(' ').count() >= LEAST_BEFORE_BAR || title.chars().count() >= LEAST_LETTERS;
    let kicker = heading.strip_suffix(title.as_str()).filter(|kicker| kicker.ends_with(' '));
    has_words && kicker.is_some_and(|kicker| kicker.trim_end().contains(' '))
}

/// A title in the head, prepared once. A heading then costs only its own length.
struct HeadTitle {
    /// The title, folded.
    whole: String,
    /// Its beginnings up to a separator, folded.
    beginnings: HashSet<String>,
    /// Those of some words that no colon ends: a kicker may be before a colon.
    chapters: HashSet<String>,
    /// What is before a bracket at its end, folded: wikis put the site's name there.
    before_bracket: Option<String>,
    /// Its ends after a separator, folded.
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
        let bracket = title.trim_end().ends_with(']').then(|| title.rfind(" [")).flatten();
        let marks = parts.windows(2).map(|pair| pair[0].end..pair[1].start);
        let chapters = marks.take(MOST_PARTS).filter(|mark| {
            let is_colon = title[mark.clone()].trim().starts_with([':', '：']);
            !is_colon && mark.start <= LONGEST_PART
        });
        let chapters = chapters.map(|mark| fold(&title[..mark.start])).filter(|chapter| chapter.contains(' '));
        HeadTitle {
            whole: fold(title),
            beginnings: beginnings.map(|range| fold(&title[range])).collect(),
            chapters: chapters.collect(),
            before_bracket: bracket.filter(|&at| at <= LONGEST_PART).map(|at| fold(&title[..at])),
            // A single word at the end of a title is a section, not the headline.
            ends: ends.map(|range| fold(&title[range])).filter(|end| end.contains(' ')).collect(),
            words: words(site.strip(title)),
        }
    }

    /// True if a heading is the title, or its beginning or end at a separator.
    fn agrees(&self, heading: &str) -> bool {
        let folded = fold(heading);
        !folded.is_empty() && folded == self.whole || self.has_as_part(heading)
    }

    /// True if a heading is its beginning, and another one is the rest: the name of a book.
    fn is_chapter(&self, heading: &str, book: Option<&str>) -> bool {
        let chapter = fold(heading);
        let rest = self.whole.strip_prefix(chapter.as_str()).map(str::trim_start);
        self.chapters.contains(&chapter) && book.is_some_and(|book| rest == Some(fold(book).as_str()))
    }

    /// True if a heading is its beginning or end at a separator.
    fn has_as_part(&self, heading: &str) -> bool {
        let heading = fold(heading);
        !heading.is_empty() && (self.ends.contains(&heading) || self.beginnings.contains(&heading))
    }
}

/// The words of a text, folded.
fn words(text: &str) -> HashSet<String> {
    fold(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The share of words in common, of the text with fewer words.
fn likeness(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let fewer = a.len().min(b.len());
    if fewer == 0 { 0.0 } else { a.intersection(b).count() as f64 / fewer as f64 }
}

/// The title before a bar: ` | `, or where the letters need no spaces also `|` and `_`.
fn until_bar(title: &str) -> &str {
    let mut marks = title.match_indices(['|', '_']).map(|(at, _)| at);
    let unspaced = marks.find(|&at| title[..at].ends_with(is_ideograph));
    let bar = [title.find(" | "), title.find('｜'), unspaced].into_iter().flatten().min();
    let before = bar.map_or(title, |at| title[..at].trim_end());
    let letters = before.chars().filter(|&c| is_ideograph(c)).count();
    let has_words = before.split_whitespace().count() >= LEAST_BEFORE_BAR || letters >= LEAST_LETTERS;
    if has_words { before } else { title }
}
