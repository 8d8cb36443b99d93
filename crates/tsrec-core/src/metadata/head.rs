//! What only the head states: description, image, canonical URL, licence, keywords.

use url::{Host, Url};

use super::statements::{StatementMark, Statements, first_of};
use super::{Source, Sourced, Subject, filled, fold, properties, untagged};
use crate::html::links;

/// What programs write for no value.
const NO_VALUES: [&str; 5] = ["", "null", "undefined", "None", "false"];
/// Most keywords and sections. Judgement.
const MOST_TAGS: usize = 50;
/// Most characters of one. Judgement: a longer one is a sentence.
const LONGEST_TAG: usize = 80;
/// How many times as long as a title, in bytes, its copy may be: letters of one case may take three
/// times as many as those of the other.
const LONGER_THAN_TITLE: usize = 3;

/// The base URL for the URLs of a page, if its own URL is known.
pub(super) struct AddressBase(Option<Url>);

impl AddressBase {
    pub(super) fn from_subject(subject: &Subject<'_>) -> AddressBase {
        AddressBase(subject.url.map(|url| links::base_url(subject.document, url)))
    }

    /// An absolute http or https URL. `None` for all others, and for a relative one without a base
    /// URL.
    fn resolved(&self, address: &str) -> Option<String> {
        let address = address.trim();
        let is_address = !address.starts_with('#') && !address.contains("{{") && !NO_VALUES.contains(&address);
        let url = match &self.0 {
            Some(base) => base.join(address),
            None => Url::parse(address),
        };
        url.ok().filter(|url| is_address && is_of_the_web(url) && !self.is_of_maker(url)).map(String::from)
    }

    /// True of an address on the computer where the page was made, if the page is elsewhere.
    fn is_of_maker(&self, url: &Url) -> bool {
        let own = self.0.as_ref().and_then(Url::host_str);
        let is_private = match url.host() {
            Some(Host::Domain(name)) => !name.trim_end_matches('.').contains('.') || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback() || address.is_private() || address.is_unspecified(),
            Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
            None => true,
        };
        is_private && url.host_str() != own
    }

    /// A licence: a URL, else a name.
    fn resolved_or_name(&self, license: &str) -> Option<String> {
        let license = filled(license)?;
        match Url::parse(&license) {
            Err(_) if !license.starts_with('/') => Some(license),
            _ => self.resolved(&license),
        }
    }
}

fn is_of_the_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

/// Open Graph, `description`, JSON-LD, Dublin Core, microdata.
pub(super) fn description(subject: &Subject<'_>) -> Sourced<String> {
    let statements = subject.statements;
    let read = |text: &str| filled(&untagged(text)).filter(|text| !NO_VALUES.contains(&text.as_str()));
    // A copy of the title is no summary, if there is another.
    let titles = [statements.title.as_deref(), statements.meta(&["og:title"])];
    // Most summaries are far longer than any title.
    let may_begin = |title: &str, text: &str| text.len() <= LONGER_THAN_TITLE * title.len();
    let is_title = |text: &str| {
        let of_its_length = titles.iter().flatten().filter(|title| may_begin(title, text));
        of_its_length.map(|title| fold(title)).any(|title| title.starts_with(&fold(text)))
    };
    let other = |text: &str| read(text).filter(|text| !is_title(text) && !text.starts_with('<'));
    let of = |read: &dyn Fn(&str) -> Option<String>| {
        first_of(statements, &["og:description", "description"], read)
            .or_else(|| of_things(statements, |thing| read(thing.description.as_deref()?)))
            .or_else(|| first_of(statements, &["dc.description", "dcterms.description", "twitter:description"], read))
            .or_else(|| properties::text(subject, "description").filter(|(text, _)| read(text).is_some()))
    };
    of(&other).or_else(|| of(&read))
}

/// Open Graph, JSON-LD, `twitter:image`, `rel=image_src`, microdata; resolved.
pub(super) fn image(subject: &Subject<'_>, addresses: &AddressBase) -> Sourced<String> {
    let statements = subject.statements;
    let resolved = |address: &str| addresses.resolved(address);
    first_of(statements, &["og:image", "og:image:url", "og:image:secure_url"], resolved)
        .or_else(|| of_things(statements, |thing| resolved(thing.image.as_deref()?)))
        .or_else(|| {
            first_of(
                statements,
                &["twitter:image", "twitter:image:src", "image", "thumbnail", "parsely-image-url"],
                resolved,
            )
        })
        .or_else(|| href(subject, addresses, "image_src").map(|image| (image, Source::Rel)))
        .or_else(|| properties::address(subject, "image", resolved))
}

/// `rel=canonical`, `og:url`; resolved.
pub(super) fn canonical_url(subject: &Subject<'_>, addresses: &AddressBase) -> Sourced<String> {
    let stated = links::canonical(subject.document).and_then(|href| addresses.resolved(href));
    stated
        .map(|address| (address, Source::Rel))
        .or_else(|| first_of(subject.statements, &["og:url"], |value| addresses.resolved(value)))
}

/// `rel=license`, JSON-LD, Dublin Core, microdata.
pub(super) fn license(subject: &Subject<'_>, addresses: &AddressBase) -> Sourced<String> {
    let statements = subject.statements;
    let names = ["dcterms.license", "dc.rights", "dcterms.rights", "dc.license"];
    let read = |license: &str| addresses.resolved_or_name(license);
    href(subject, addresses, "license")
        .map(|license| (license, Source::Rel))
        .or_else(|| of_things(statements, |thing| read(thing.license.as_deref()?)))
        .or_else(|| first_of(statements, &names, read))
        .or_else(|| properties::address(subject, "license", read))
}

/// JSON-LD's keywords and sections, `article:tag` and `article:section`, `rel=tag`, `keywords`,
/// microdata's keywords, Dublin Core's subjects. The first source that has any.
pub(super) fn tags(subject: &Subject<'_>) -> Sourced<Vec<String>> {
    let statements = subject.statements;
    let with_commas = |value: &String| value.split(',').map(str::to_owned).collect::<Vec<_>>();
    let of_metas = |names: &[&str]| -> Vec<String> {
        let values = names.iter().filter_map(|name| statements.metas.get(*name)).flatten();
        values.flat_map(with_commas).collect()
    };
    let of_properties = properties::texts(subject, "keywords").iter().flat_map(with_commas).collect();
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
        (of_properties, Source::Microdata),
        (of_metas(&["dc.subject", "dcterms.subject"]), Source::DublinCore),
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

fn of_things(statements: &Statements, read: impl Fn(&super::linked_data::Thing) -> Option<String>) -> Sourced<String> {
    statements.linked.things.iter().find_map(read).map(|value| (value, Source::JsonLd))
}

/// The target of the first link with this relation.
fn href(subject: &Subject<'_>, addresses: &AddressBase, relation: &'static str) -> Option<String> {
    let mark = StatementMark::Rel(relation);
    let mut links = subject.statements.with(&mark);
    links.find_map(|node| addresses.resolved(subject.document.attribute(node, "href")?))
}
