//! The site's names, and how to find them in a title.

use super::statements::Statements;
use super::{Source, Subject, fold};
use crate::words::is_ideograph;

/// Most extra characters in a site's name around its host's name: `The … Blog`. Judgement.
const MORE: usize = 12;
/// Host labels that name no site.
const GENERIC: [&str; 24] = [
    "www",
    "blog",
    "blogs",
    "forum",
    "forums",
    "community",
    "shop",
    "store",
    "docs",
    "doc",
    "help",
    "support",
    "news",
    "en",
    "de",
    "fr",
    "es",
    "m",
    "app",
    "learn",
    "developer",
    "boards",
    "wiki",
    "pages",
];

/// The names of a page's site.
#[derive(Debug, Default)]
pub(super) struct SiteNames {
    name: Option<(String, Source)>,
    /// Folded.
    names: Vec<String>,
    /// What links to its home call it. Folded.
    homes: Vec<String>,
    /// Ends of titles that the site's pages share. Folded.
    ends: Vec<String>,
    /// Parts of the host name, without the registry's suffix.
    host: Vec<String>,
}

/// Marks that part a title with white space on both sides.
const APART: &str = "|-–—―−·»«›‹•/⁄\\:~*⋆★<>_－";
/// Marks that part a title with or without white space.
const BARE: &str = "|｜»«【】〈〉（）／";

/// The separator that is in front: its length in bytes. Separators are the marks between a headline
/// and what follows. The longest white space in front is examined, or none.
fn separator_at(text: &str) -> Option<usize> {
    let space = |text: &str| text.len() - text.trim_start().len();
    let before = space(text);
    let rest = &text[before..];
    let mark = rest.chars().next()?;
    let after = |marks: usize| marks + space(&rest[marks..]);
    let marks = rest.len() - rest.trim_start_matches(|c| APART.contains(c)).len();
    let is_apart = before > 0 && marks > 0 && after(marks) > marks;
    match mark {
        _ if is_apart => Some(before + after(marks)),
        _ if BARE.contains(mark) => Some(before + after(mark.len_utf8())),
        '—' if rest.starts_with("——") => Some(before + after("——".len())),
        ':' if before == 0 => Some(after(1)).filter(|&len| len > 1),
        '：' if before == 0 => Some(after(mark.len_utf8())),
        // One of white space on each side.
        '–' | '—' if text.chars().nth(1) == Some(mark) && before > 0 => {
            let end = mark.len_utf8();
            let next = rest[end..].chars().next().filter(|next| next.is_whitespace());
            Some(before + end + next.map_or(0, char::len_utf8))
        }
        '_' | '-' | '－' if before == 0 => {
            let second = rest[mark.len_utf8()..].chars().next().filter(|next| matches!(next, '_' | '-' | '－'));
            Some(mark.len_utf8() + second.map_or(0, char::len_utf8))
        }
        _ => None,
    }
}

/// The length of the quotation in guillemets that begins here: `«a»`, `« a »` or `»a«`.
fn quotation_at(title: &str, at: usize) -> Option<usize> {
    let rest = &title[at..];
    let (mark, other) = match rest.chars().next()? {
        '«' => ('«', '»'),
        '»' => ('»', '«'),
        _ => return None,
    };
    let within = &rest[mark.len_utf8()..];
    let end = within.find([mark, other]).filter(|&end| within[end..].starts_with(other))?;
    // Pointing outwards, they part titles if they stand apart.
    let is_close = || {
        let is_apart_before = !title[..at].ends_with(|c: char| c.is_alphanumeric());
        is_apart_before && !within.starts_with(is_white) && !within[..end].ends_with(is_white)
    };
    (mark == '«' || is_close()).then_some(mark.len_utf8() + end + other.len_utf8())
}

fn is_white(c: char) -> bool {
    c.is_whitespace()
}

/// The parts of a title as byte ranges. Linear.
pub(super) fn parts(title: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(next) = title[at..].chars().next() {
        let space = title[at..].len() - title[at..].trim_start().len();
        if let Some(len) = quotation_at(title, at + space) {
            at += space + len;
            continue;
        }
        let Some(len) = separator_at(&title[at..]) else {
            // Of a run of white space the last may be part of a separator.
            let run = title[at..].len() - title[at..].trim_start().len();
            let last = title[at..at + run].chars().next_back().map_or(0, char::len_utf8);
            at += if run > last { run - last } else { next.len_utf8() };
            continue;
        };
        let end = at + len;
        let is_bare = title[at..end].chars().all(|c| matches!(c, '_' | '-' | '－'));
        if !is_bare || is_between_ideographs(&title[..at], &title[end..]) {
            found.push(from..at);
            from = end;
        }
        at = end;
    }
    found.push(from..title.len());
    found
}

/// True if one text ends or the other begins with a letter that needs no spaces, and no number
/// begins: a hyphen there parts two titles.
fn is_between_ideographs(before: &str, after: &str) -> bool {
    let is_unspaced = |c: char| is_ideograph(c) || ('\u{ac00}'..='\u{d7a3}').contains(&c);
    (before.ends_with(is_unspaced) || after.starts_with(is_unspaced))
        && !after.starts_with(|c: char| c.is_ascii_digit())
}

impl SiteNames {
    pub(super) fn from_subject(subject: &Subject<'_>, statements: &Statements) -> SiteNames {
        let own = |href: &str| {
            let url = subject.url.filter(|_| href.contains("://"));
            let host = |url: &url::Url| url.host_str().map(|host| host.trim_start_matches("www.").to_owned());
            !href.contains("://")
                || url.is_some_and(|own| url::Url::parse(href).is_ok_and(|url| host(&url) == host(own)))
        };
        let homes = statements.homes.iter().filter(|(href, _)| own(href)).map(|(_, text)| fold(text));
        let homes = homes.filter(|home| !home.is_empty()).collect();
        let mut site = SiteNames { host: host_names(subject), homes, ..SiteNames::default() };
        let title = statements.title.as_deref();
        site.ends = title.into_iter().flat_map(|title| subject.siblings.shared_ends(title)).map(fold).collect();
        let mut add = |name: &str, source: Source, speaks: bool| {
            let folded = fold(name);
            if folded.is_empty() {
                return;
            }
            if speaks && site.name.is_none() {
                site.name = Some((name.to_owned(), source));
            }
            if !site.names.contains(&folded) {
                site.names.push(folded);
            }
        };
        if let Some(name) = statements.meta(&["og:site_name"]) {
            add(name, Source::OpenGraph, true);
        }
        for name in &statements.linked.sites {
            add(name, Source::JsonLd, true);
        }
        if let Some(name) = title.and_then(|title| subject.siblings.shared_part(title)) {
            add(name, Source::Siblings, true);
        }
        for name in [
            "application-name",
            "apple-mobile-web-app-title",
            "al:ios:app_name",
            "twitter:app:name:iphone",
            "dc.publisher",
            "publisher",
            "copyright",
        ] {
            if let Some(value) = statements.meta(&[name]) {
                add(value, Source::Meta, name == "application-name");
            }
        }
        if site.name.is_none()
            && let Some(part) = title.and_then(|title| site.last_part(title))
        {
            site.name = Some((part, Source::Title));
        }
        site
    }

    /// The name of the site that readers know, and where it was found.
    pub(super) fn name(&self) -> Option<(String, Source)> {
        self.name.clone()
    }

    pub(super) fn into_name(self) -> Option<(String, Source)> {
        self.name
    }

    /// The last part of a title, if it is the site's name.
    fn last_part(&self, title: &str) -> Option<String> {
        let parts = parts(title);
        let last = title[parts.last().filter(|_| parts.len() > 1)?.clone()].trim();
        (self.is_named(last) || self.homes.contains(&fold(last))).then(|| last.to_owned())
    }

    /// True of a text that names the site: one of its names, or its host name as people write it.
    pub(super) fn is_named(&self, part: &str) -> bool {
        let part = fold(part);
        let squeezed = part.replace(' ', "");
        if squeezed.is_empty() {
            return true;
        }
        let of_names = |name: &String| {
            *name == part
                || name.replace(' ', "") == squeezed
                || name.strip_prefix(&part).is_some_and(|rest| rest.starts_with(' '))
                || part.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(' '))
        };
        let length = squeezed.len();
        let initials: String = part.split(' ').filter_map(|word| word.chars().next()).collect();
        let of_host = |host: &String| {
            let known = host.len() > 3;
            squeezed == *host
                || initials == *host && host.len() > 1
                || known && squeezed.contains(host.as_str()) && length <= host.len() + MORE
                || known && length > 3 && host.starts_with(&squeezed) && host.len() - length <= MORE / 2
        };
        self.names.iter().any(of_names) || self.host.iter().any(of_host)
    }

    /// True of exactly one of the site's names.
    pub(super) fn is_exactly(&self, part: &str) -> bool {
        self.names.contains(&fold(part))
    }

    /// True of exactly one of the site's names, or of what links to its home call it.
    pub(super) fn is_only_name(&self, part: &str) -> bool {
        self.is_exactly(part) || self.homes.contains(&fold(part)) || self.host.contains(&fold(part).replace(' ', ""))
    }

    /// True of a text that names the site, or ends its name: `The Courier` of `Harbour Courier`.
    pub(super) fn is_called(&self, part: &str) -> bool {
        let folded = fold(part);
        let bare = folded.strip_prefix("the ").unwrap_or(&folded);
        let is_end = |name: &String| name.strip_suffix(bare).is_some_and(|before| before.ends_with(' '));
        self.is_named(part) || bare != folded && self.names.iter().any(is_end)
    }

    /// Removes the site's name from the end of a title.
    pub(super) fn strip<'t>(&self, title: &'t str) -> &'t str {
        let title = self.without_end(title);
        let mut parts = parts(title);
        let is_site = |part: &str| self.is_named(part) || self.homes.contains(&fold(part));
        while parts.len() > 1 && parts.last().is_some_and(|last| is_site(&title[last.clone()])) {
            parts.pop();
        }
        let end = parts.last().map_or(title.len(), |last| last.end);
        title[..end].trim()
    }

    /// Removes the site's name from the beginning of a title.
    pub(super) fn strip_start<'t>(&self, title: &'t str) -> &'t str {
        let parts = parts(title);
        let is_site = |part: &std::ops::Range<usize>| {
            let part = fold(&title[part.clone()]);
            let squeezed = part.replace(' ', "");
            // Blogs name their archive between the site and the post.
            part.is_empty()
                || part == "blog archive"
                || self.homes.contains(&part)
                || self.names.contains(&part)
                || self.host.contains(&squeezed)
        };
        let kept = parts.iter().take(parts.len() - 1).take_while(|part| is_site(part)).count();
        title[parts[kept].start..].trim()
    }

    /// Removes the end that the site's titles share.
    fn without_end<'t>(&self, title: &'t str) -> &'t str {
        let cuts = ends(title).filter(|&(cut, from)| cut > 0 && self.ends.contains(&fold(&title[from..])));
        cuts.map(|(cut, _)| cut).min().map_or(title, |cut| title[..cut].trim())
    }
}

/// How many ends of a title are compared with those of others. Judgement: a section, a part and the
/// site's name.
pub(super) const MOST_ENDS: usize = 4;

/// The last ends of a title: where its rest ends, and where it begins. After separators, and in
/// brackets.
pub(super) fn ends(title: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let parts = parts(title);
    let last = parts.windows(2).rev().take(MOST_ENDS).map(|pair| (pair[0].end, pair[1].start)).collect::<Vec<_>>();
    let bracket = title.trim_end().ends_with(')').then(|| title.rfind(" (")).flatten();
    last.into_iter().chain(bracket.map(|at| (at, at + 1)))
}

/// The names in a host: `courier` from the registered name of `www.the-courier.example.co.uk`, and
/// the labels before it.
fn host_names(subject: &Subject<'_>) -> Vec<String> {
    let Some(host) = subject.url.and_then(url::Url::host_str) else { return Vec::new() };
    let suffix = tsrec_suffixes::suffix(host).map_or(0, |suffix| suffix.len() + 1);
    let own = host.get(..host.len().saturating_sub(suffix)).unwrap_or_default();
    let labels = own.split('.').filter(|label| !GENERIC.contains(label));
    labels.map(|label| label.replace('-', "")).filter(|label| !label.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_parted_at_marks() {
        for (title, expect) in [
            ("The ferry sails", &["The ferry sails"][..]),
            ("The ferry | Courier", &["The ferry", "Courier"]),
            ("The ferry|Courier", &["The ferry", "Courier"]),
            ("The ferry  -  Courier", &["The ferry", "Courier"]),
            ("The ferry --> Courier", &["The ferry", "Courier"]),
            ("A low-cost ferry", &["A low-cost ferry"]),
            ("A low -cost ferry", &["A low -cost ferry"]),
            ("The ferry –Courier", &["The ferry", "Courier"]),
            ("The ferry  – Courier", &["The ferry", "Courier"]),
            ("The ferry–Courier", &["The ferry–Courier"]),
            ("The ferry——Courier", &["The ferry", "Courier"]),
            ("The ferry: a story", &["The ferry", "a story"]),
            ("The ferry : a story", &["The ferry", "a story"]),
            ("At 10:30", &["At 10:30"]),
            ("渡轮：故事", &["渡轮", "故事"]),
            ("渡轮-信使", &["渡轮", "信使"]),
            ("渡轮_信使 ", &["渡轮", "信使 "]),
            ("渡轮-2", &["渡轮-2"]),
            ("【新】渡轮", &["", "新", "渡轮"]),
            ("a » b « c", &["a", "b", "c"]),
            ("a « b « c", &["a", "b", "c"]),
            ("a » b » c", &["a", "b", "c"]),
            ("a»b", &["a", "b"]),
            ("Ann: «No wind» - b", &["Ann", "«No wind»", "b"]),
            ("«No wind»", &["«No wind»"]),
            ("«No | wind», she says | b", &["«No | wind», she says", "b"]),
            ("« Pas de vent » au port | b", &["« Pas de vent » au port", "b"]),
            ("»Kein Wind« am Hafen | b", &["»Kein Wind« am Hafen", "b"]),
            ("Ann: »Kein Wind« » b", &["Ann", "»Kein Wind«", "b"]),
            ("a\u{3000}|\u{a0}b", &["a", "b"]),
            ("a/b", &["a/b"]),
            ("a / b", &["a", "b"]),
            ("Ende: ", &["Ende", ""]),
            ("", &[""]),
        ] {
            let found: Vec<&str> = parts(title).into_iter().map(|part| &title[part]).collect();
            assert_eq!(found, expect, "{title}");
        }
        let spaces = " ".repeat(100_000);
        assert_eq!(parts(&spaces).len(), 1);
    }
}
