//! What the site calls itself, and how its name is told in a title.

use std::sync::LazyLock;

use regex::Regex;

use super::statements::Statements;
use super::{Source, Subject, fold};

/// Characters between the name of a host and what else may stand in a name of its site: `The …
/// Blog`. Judgement.
const MORE: usize = 12;
/// Names of hosts that name no site.
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
    /// Parts of the host's name, without the suffix that registries give.
    host: Vec<String>,
}

/// What parts a title: the marks between a headline and what follows.
static SEPARATOR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\s+[|\-–—―·»›•/:~<>]+\s+|\s*[|｜»]\s*|:\s+|\s[–—]\s?").expect("it is tested"));

/// The parts of a title with where each begins and ends, in bytes.
pub(super) fn parts(title: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    for separator in SEPARATOR.find_iter(title) {
        found.push(from..separator.start());
        from = separator.end();
    }
    found.push(from..title.len());
    found
}

impl SiteNames {
    pub(super) fn from_subject(subject: &Subject<'_>, statements: &Statements) -> SiteNames {
        let mut site = SiteNames { host: host_names(subject), ..SiteNames::default() };
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
        if let Some(name) = statements.title.as_deref().and_then(|title| subject.siblings.shared_part(title)) {
            add(name, Source::Siblings, true);
        }
        for name in [
            "application-name",
            "apple-mobile-web-app-title",
            "al:ios:app_name",
            "twitter:app:name:iphone",
            "dc.publisher",
            "copyright",
        ] {
            if let Some(value) = statements.meta(&[name]) {
                add(value, Source::Meta, name == "application-name");
            }
        }
        if site.name.is_none()
            && let Some(part) = statements.title.as_deref().and_then(|title| site.last_part(title))
        {
            site.name = Some((part, Source::Title));
        }
        site
    }

    pub(super) fn into_name(self) -> Option<(String, Source)> {
        self.name
    }

    /// The last part of a title, where it is the site's name.
    fn last_part(&self, title: &str) -> Option<String> {
        let parts = parts(title);
        let last = title[parts.last().filter(|_| parts.len() > 1)?.clone()].trim();
        self.is_named(last).then(|| last.to_owned())
    }

    /// True of a text that names the site: one of its names, or the name of its host as people
    /// write it.
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

    /// True of one of the site's names, whole.
    pub(super) fn is_exactly(&self, part: &str) -> bool {
        self.names.contains(&fold(part))
    }

    /// True of a text that names the site, or is its name but for the words before it: `The
    /// Courier` of `Harbour Courier`.
    pub(super) fn is_called(&self, part: &str) -> bool {
        let folded = fold(part);
        let bare = folded.strip_prefix("the ").unwrap_or(&folded);
        let is_end = |name: &String| name.strip_suffix(bare).is_some_and(|before| before.ends_with(' '));
        self.is_named(part) || bare != folded && self.names.iter().any(is_end)
    }

    /// A title without the site's name at its end.
    pub(super) fn strip<'t>(&self, title: &'t str) -> &'t str {
        let mut parts = parts(title);
        while parts.len() > 1 && parts.last().is_some_and(|last| self.is_named(&title[last.clone()])) {
            parts.pop();
        }
        let end = parts.last().map_or(title.len(), |last| last.end);
        title[..end].trim()
    }
}

/// The names in a host: `courier` of `www.the-courier.example.co.uk`'s registered name, and of what
/// stands before it.
fn host_names(subject: &Subject<'_>) -> Vec<String> {
    let Some(host) = subject.url.and_then(url::Url::host_str) else { return Vec::new() };
    let suffix = psl::suffix_str(host).map_or(0, |suffix| suffix.len() + 1);
    let own = host.get(..host.len().saturating_sub(suffix)).unwrap_or_default();
    let labels = own.split('.').filter(|label| !GENERIC.contains(label));
    labels.map(|label| label.replace('-', "")).filter(|label| !label.is_empty()).collect()
}
