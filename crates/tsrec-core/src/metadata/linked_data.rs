//! What schema.org's JSON-LD says about a page: its things, those about the page first.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value};

use super::mend::mend;
use super::{filled, untagged};
use crate::html::decode_references;
use crate::words::is_ideograph;

/// A thing of schema.org.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Thing {
    pub(super) rank: Rank,
    /// Whether it is a news article.
    pub(super) is_news: bool,
    pub(super) headline: Option<String>,
    pub(super) authors: Vec<String>,
    /// Whether these are organisations.
    pub(super) is_by_organisation: bool,
    pub(super) published: Option<String>,
    pub(super) modified: Option<String>,
    pub(super) description: Option<String>,
    pub(super) image: Option<String>,
    pub(super) license: Option<String>,
    pub(super) language: Option<String>,
    pub(super) tags: Vec<String>,
}

/// How closely a thing matches the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// A text: an article, a posting, a question, a recipe.
    Text,
    /// The page itself.
    Page,
    /// Something else.
    #[default]
    Other,
}

/// What all scripts of a page state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LinkedData {
    /// By rank, then in order.
    pub(super) things: Vec<Thing>,
    /// The names of sites, organisations and publishers.
    pub(super) sites: Vec<String>,
}

/// Keys of things with their own authors and dates: comments, and items shown or listed beside the
/// page.
const BESIDE: [&str; 27] = [
    "about",
    "acceptedAnswer",
    "aggregateRating",
    "associatedMedia",
    "audio",
    "author",
    "blogPost",
    "blogPosts",
    "citation",
    "comment",
    "contributor",
    "creator",
    "editor",
    "hasPart",
    "image",
    "isBasedOn",
    "isRelatedTo",
    "itemListElement",
    "itemReviewed",
    "mentions",
    "offers",
    "publisher",
    "relatedLink",
    "review",
    "reviews",
    "suggestedAnswer",
    "video",
];
/// Types of things that are never the page's text, at any place.
const NEVER: [&str; 8] =
    ["Answer", "BreadcrumbList", "Comment", "ImageObject", "ItemList", "Person", "Review", "VideoObject"];
/// Types that are texts, besides those whose names end in `Article` or `Posting`.
const TEXTS: [&str; 8] =
    ["Report", "Question", "Recipe", "CreativeWork", "HowTo", "AdvertiserContentArticle", "LiveBlog", "Chapter"];
/// Most things to read. Judgement: a page that has more is a list.
const MOST_THINGS: usize = 500;
/// Most names of authors to read. Judgement: a longer list is of an organisation.
const MOST_AUTHORS: usize = 30;

/// Reads the scripts of a page. Skips what is not JSON even after mending. Linear.
pub(super) fn read(scripts: &[String]) -> LinkedData {
    let roots: Vec<Value> = scripts.iter().filter_map(|script| parse(script)).collect();
    let ids = ids(&roots);
    let mut found = LinkedData::default();
    let mut waiting: VecDeque<(&Value, bool)> = roots.iter().map(|root| (root, false)).collect();
    let mut seen = 0;
    while let Some((value, beside)) = waiting.pop_front() {
        match value {
            Value::Array(values) => waiting.extend(values.iter().map(|value| (value, beside))),
            Value::Object(object) => {
                seen += 1;
                if seen > MOST_THINGS {
                    break;
                }
                if !beside {
                    found.add_site(object, &ids);
                }
                if !beside && !types(object).any(|kind| NEVER.contains(&kind)) {
                    found.things.extend(thing(object, &ids));
                }
                waiting.extend(object.iter().map(|(key, value)| (value, beside || BESIDE.contains(&key.as_str()))));
            }
            _ => {}
        }
    }
    found.things.sort_by_key(|thing| thing.rank);
    found
}

fn parse(script: &str) -> Option<Value> {
    // Some programs escape the quotes, too.
    let is_escaped = !script.contains('"') && script.contains("&quot;");
    let text = if is_escaped { decode_references(script) } else { script.into() };
    serde_json::from_str(&text).or_else(|_| serde_json::from_str(&mend(&text))).ok()
}

/// Things by their `@id`, to resolve references.
type ThingsById<'v> = HashMap<&'v str, &'v Map<String, Value>>;

fn ids(roots: &[Value]) -> ThingsById<'_> {
    let mut things = HashMap::new();
    let mut waiting: Vec<&Value> = roots.iter().collect();
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(values) => waiting.extend(values),
            Value::Object(object) => {
                if let Some(id) = object.get("@id").and_then(Value::as_str) {
                    // The fullest description counts.
                    let known: &mut &Map<String, Value> = things.entry(id).or_insert(object);
                    if known.len() < object.len() {
                        *known = object;
                    }
                }
                waiting.extend(object.values());
            }
            _ => {}
        }
    }
    things
}

/// A name, and whether it is an organisation's.
type NameOfKind = (String, bool);

/// The names that a value has or refers to.
fn names<'v>(ids: &ThingsById<'v>, value: &'v Value) -> Vec<NameOfKind> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting = VecDeque::from([(value, false)]);
    while let Some((value, is_organisation)) = waiting.pop_front().filter(|_| found.len() < MOST_AUTHORS) {
        match value {
            Value::Array(values) => waiting.extend(values.iter().map(|value| (value, is_organisation))),
            Value::String(name) => {
                let name = text(name).filter(|name| !name.contains("://"));
                found.extend(name.map(|name| (name, is_organisation)));
            }
            Value::Object(object) => {
                let is_reference = !["name", "givenName", "familyName"].iter().any(|key| object.contains_key(*key));
                let id = object.get("@id").and_then(Value::as_str).filter(|_| is_reference);
                let object = id.and_then(|id| ids.get(id)).copied().unwrap_or(object);
                let is_organisation = is_organisation || types(object).any(is_organisation_type);
                if !seen.insert(std::ptr::from_ref(object)) {
                    continue;
                }
                // A role has the author in it.
                match ["name", "@value", "author"].iter().find_map(|key| object.get(*key)) {
                    Some(name) => waiting.push_front((name, is_organisation)),
                    None => found.extend(name_in_parts(object).map(|name| (name, is_organisation))),
                }
            }
            _ => {}
        }
    }
    found
}

/// A person's name from its parts. In scripts without spaces the family's name is first.
fn name_in_parts(object: &Map<String, Value>) -> Option<String> {
    let part = |key: &str| object.get(key).and_then(first_string).and_then(|value| text(&value));
    match ["givenName", "additionalName", "familyName"].map(part) {
        [Some(given), None, Some(family)] if family.chars().all(is_ideograph) => Some(family + &given),
        parts => Some(parts.into_iter().flatten().collect::<Vec<_>>().join(" ")),
    }
    .filter(|name| !name.is_empty())
}

fn is_organisation_type(kind: &str) -> bool {
    kind.ends_with("Organization") || kind.ends_with("Business") || kind == "Corporation"
}

fn types(object: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let given = object
        .get("@type")
        .map_or(&[][..], |given| given.as_array().map_or(std::slice::from_ref(given), Vec::as_slice));
    given.iter().filter_map(Value::as_str).map(without_vocabulary)
}

/// A type without its vocabulary: `Article` of `https://schema.org/Article`.
pub(super) fn without_vocabulary(kind: &str) -> &str {
    kind.rsplit(['/', ':', '#']).next().unwrap_or(kind)
}

/// The rank of a type.
pub(super) fn rank_of(kind: &str) -> Rank {
    match kind {
        _ if kind.ends_with("Article") || kind.ends_with("Posting") || TEXTS.contains(&kind) => Rank::Text,
        _ if kind.ends_with("Page") => Rank::Page,
        _ => Rank::Other,
    }
}

impl LinkedData {
    /// Collects the names of the site that publishes or published an object.
    fn add_site<'v>(&mut self, object: &'v Map<String, Value>, ids: &ThingsById<'v>) {
        let is_site = types(object).any(|kind| kind == "WebSite" || is_organisation_type(kind));
        let own = object.get("name").filter(|_| is_site);
        for (name, _) in own.into_iter().chain(object.get("publisher")).flat_map(|value| names(ids, value)) {
            if !self.sites.contains(&name) {
                self.sites.push(name);
            }
        }
    }
}

/// Reads a thing, if it can be the page.
fn thing<'v>(object: &'v Map<String, Value>, ids: &ThingsById<'v>) -> Option<Thing> {
    let rank = types(object).map(rank_of).min();
    // A thing without a type but with an author is about the page.
    let rank = rank.or_else(|| object.contains_key("author").then_some(Rank::Text))?;
    let string = |key: &str| object.get(key).and_then(first_string).and_then(|value| text(&value));
    let names = |key: &str| object.get(key).map(|value| names(ids, value)).unwrap_or_default();
    let named = Some(names("author")).filter(|authors| !authors.is_empty()).unwrap_or_else(|| names("creator"));
    let is_by_organisation = !named.is_empty() && named.iter().all(|(_, is)| *is);
    let authors = named.into_iter().map(|(name, _)| name).collect();
    let address = |key: &str| object.get(key).and_then(|value| address(value, ids));
    let mut tags = words_of(object.get("keywords"));
    tags.extend(words_of(object.get("articleSection")));
    Some(Thing {
        rank,
        is_news: types(object).any(|kind| kind.ends_with("NewsArticle")),
        headline: string("headline").or_else(|| string("name")),
        authors,
        is_by_organisation,
        published: string("datePublished").or_else(|| string("dateCreated")).or_else(|| string("uploadDate")),
        modified: string("dateModified"),
        description: string("description"),
        image: ["image", "thumbnailUrl", "primaryImageOfPage"].into_iter().find_map(address),
        license: address("license"),
        language: string("inLanguage"),
        tags,
    })
}

fn first_string(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(values) => values.iter().find_map(|value| value.as_str().map(str::to_owned)),
        Value::Object(object) => {
            object.get("@value").or_else(|| object.get("name")).and_then(Value::as_str).map(str::to_owned)
        }
        _ => None,
    }
}

/// The URL of an image or a licence, which may be a reference to a thing of the page. An `@id` with
/// a fragment names a thing and is no address.
fn address(value: &Value, ids: &ThingsById<'_>) -> Option<String> {
    const MOST: usize = 16;
    match value {
        Value::Array(values) => values.iter().take(MOST).find_map(|value| address_of(value, ids)),
        _ => address_of(value, ids),
    }
}

fn address_of(value: &Value, ids: &ThingsById<'_>) -> Option<String> {
    match value {
        Value::String(written) => match ids.get(written.as_str()).and_then(|thing| own_address(thing)) {
            Some(address) => Some(address),
            None => text(written).filter(|written| !written.starts_with('#')),
        },
        Value::Object(object) => own_address(object).or_else(|| {
            let id = object.get("@id").and_then(Value::as_str)?;
            let referred = ids.get(id).and_then(|thing| own_address(thing));
            referred.or_else(|| text(id).filter(|id| !id.contains('#')))
        }),
        _ => None,
    }
}

/// The address that a thing states.
fn own_address(thing: &Map<String, Value>) -> Option<String> {
    let stated = ["url", "contentUrl"].iter().filter_map(|key| thing.get(*key));
    let written = |value: &Value| match value {
        Value::Object(object) => object.get("@id").and_then(Value::as_str).and_then(text),
        value => first_string(value).and_then(|value| text(&value)),
    };
    stated.filter_map(written).next()
}

/// Keywords, as a list or separated by commas.
fn words_of(value: Option<&Value>) -> Vec<String> {
    let list = match value {
        Some(Value::String(words)) => words.split(',').filter_map(text).collect(),
        Some(Value::Array(values)) => values.iter().filter_map(first_string).filter_map(|word| text(&word)).collect(),
        _ => Vec::new(),
    };
    list.into_iter().filter(|word: &String| !word.contains("://")).collect()
}

/// A value as text: on one line, without the character references and tags that some pages leave in
/// their JSON.
fn text(value: &str) -> Option<String> {
    filled(&untagged(&decode_references(&decode_references(value))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(json: &str) -> LinkedData {
        read(&[json.to_owned()])
    }

    #[test]
    fn authors_and_dates_are_those_of_the_page() {
        for (json, authors, published) in [
            (r#"{"author": "Ann", "datePublished": "2026-01-02"}"#, &["Ann"][..], Some("2026-01-02")),
            (
                r#"{"@graph": [{"@type": "Person", "author": "no"}, {"@type": "BlogPosting", "author": {"name": "Ann"}}]}"#,
                &["Ann"],
                None,
            ),
            (
                r##"{"@graph": [{"@type": "Article", "author": {"@id": "#a"}}, {"@type": "Person", "@id": "#a", "name": "Ann"}]}"##,
                &["Ann"],
                None,
            ),
            (
                r#"[{"@type": "NewsArticle", "author": [{"name": "Ann"}, {"name": ["Ben"]}, {}]}]"#,
                &["Ann", "Ben"],
                None,
            ),
            (r#"{"@type": "Product", "review": [{"@type": "Review", "author": "no"}]}"#, &[], None),
            (r#"{"@type": ["Review", "Thing"], "author": "no"}"#, &[], None),
            (
                r#"{"@type": "WebPage", "datePublished": "2020-01-01", "mainEntity": {"@type": "Article", "author": "in"}}"#,
                &["in"],
                None,
            ),
            (r#"{"@type": "Article", "author": {"@id": "x"}, "headline": 7}"#, &[], None),
            ("{\"@type\": \"Article\",\n\"author\": \"Ann\",}", &["Ann"], None),
            ("{\"@type\": \"Article\", \"author\": \"Ann", &["Ann"], None),
            ("{&quot;@type&quot;: &quot;Article&quot;, &quot;author&quot;: &quot;Ann&quot;}", &["Ann"], None),
            (
                "/* {a} */ {\"@type\": \"BreadcrumbList\"}\n{\"@type\": \"Article\", \"author\": \"Ann \"A.\" Orr\"}",
                &["Ann \"A.\" Orr"],
                None,
            ),
            ("<html>", &[], None),
        ] {
            let found = read_one(json);
            let first = found.things.first().cloned().unwrap_or_default();
            assert_eq!(
                (&first.authors[..], first.published.as_deref()),
                (&authors.iter().map(|&a| a.to_owned()).collect::<Vec<_>>()[..], published),
                "{json}"
            );
        }
    }

    #[test]
    fn the_rest_is_read_too() {
        let found = read_one(
            r##"{"@context": "https://schema.org", "@graph": [
            {"@type": "WebSite", "@id": "#site", "name": "The Courier"},
            {"@type": ["WebPage", "FAQPage"], "name": "page"},
            {"@type": "https://schema.org/NewsArticle", "headline": "Ferry &amp; cat", "image": [{"url": "/a.jpg"}], "license": "https://l.example/",
             "keywords": "ferry, cat", "articleSection": ["Harbour"], "inLanguage": "en-GB", "publisher": {"name": "Courier Ltd"}}]}"##,
        );
        assert_eq!(found.sites, ["The Courier", "Courier Ltd"]);
        let first = &found.things[0];
        assert_eq!(
            (first.rank, first.headline.as_deref(), first.image.as_deref()),
            (Rank::Text, Some("Ferry & cat"), Some("/a.jpg"))
        );
        assert_eq!((first.tags.join("|"), first.language.as_deref()), ("ferry|cat|Harbour".to_owned(), Some("en-GB")));
        assert_eq!(found.things[1].rank, Rank::Page);
    }
}
