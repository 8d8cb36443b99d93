//! What schema.org's JSON-LD says of a page: its things, those that are about the page first.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value};

use super::filled;
use super::mend::mend;

/// A thing of schema.org.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Thing {
    pub(super) rank: Rank,
    pub(super) headline: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) published: Option<String>,
    pub(super) modified: Option<String>,
    pub(super) description: Option<String>,
    pub(super) image: Option<String>,
    pub(super) license: Option<String>,
    pub(super) language: Option<String>,
    pub(super) tags: Vec<String>,
}

/// How much a thing is the page.
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

/// What all scripts of a page say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LinkedData {
    /// By rank, then in order.
    pub(super) things: Vec<Thing>,
    /// The names of sites, organisations and publishers.
    pub(super) sites: Vec<String>,
}

/// Keys of things that have authors and dates of their own, which are not the page's: what others
/// said, what is shown or listed beside.
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
/// Types of things that are never the page's text, wherever they stand.
const NEVER: [&str; 8] =
    ["Answer", "BreadcrumbList", "Comment", "ImageObject", "ItemList", "Person", "Review", "VideoObject"];
/// Types that are texts, beside those whose names end in `Article` or `Posting`.
const TEXTS: [&str; 8] =
    ["Report", "Question", "Recipe", "CreativeWork", "HowTo", "AdvertiserContentArticle", "LiveBlog", "Chapter"];
/// Things that are read at most. Judgement: a page that has more is a list.
const MOST_THINGS: usize = 500;
/// Names of authors that are read. Judgement: a longer list is of an organisation.
const MOST_AUTHORS: usize = 30;

/// Reads the scripts of a page. What is no JSON, even mended, says nothing. Linear.
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
    let text =
        script.trim().trim_start_matches("<!--").trim_start_matches("//<![CDATA[").trim_start_matches("<![CDATA[");
    let text = text.trim_end_matches("-->").trim_end_matches("]]>").trim_end_matches("//").trim();
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&mend(text))).ok()
}

/// Things by their `@id`, for those that only refer to them.
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

/// The names that a value has or refers to.
fn names<'v>(ids: &ThingsById<'v>, value: &'v Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting = VecDeque::from([value]);
    while let Some(value) = waiting.pop_front().filter(|_| found.len() < MOST_AUTHORS) {
        match value {
            Value::Array(values) => waiting.extend(values),
            Value::String(name) => found.extend(text(name).filter(|name| !name.contains("://"))),
            Value::Object(object) => {
                let id = object.get("@id").and_then(Value::as_str).filter(|_| !object.contains_key("name"));
                let object = id.and_then(|id| ids.get(id)).copied().unwrap_or(object);
                if let Some(name) = object.get("name").filter(|_| seen.insert(std::ptr::from_ref(object))) {
                    waiting.push_front(name);
                }
            }
            _ => {}
        }
    }
    found
}

fn types(object: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let given = object
        .get("@type")
        .map_or(&[][..], |given| given.as_array().map_or(std::slice::from_ref(given), Vec::as_slice));
    given.iter().filter_map(Value::as_str).map(without_vocabulary)
}

/// A type without the vocabulary that it is of: `Article` of `https://schema.org/Article`.
pub(super) fn without_vocabulary(kind: &str) -> &str {
    kind.rsplit(['/', ':', '#']).next().unwrap_or(kind)
}

/// How much a thing of such a type is the page.
pub(super) fn rank_of(kind: &str) -> Rank {
    match kind {
        _ if kind.ends_with("Article") || kind.ends_with("Posting") || TEXTS.contains(&kind) => Rank::Text,
        _ if kind.ends_with("Page") => Rank::Page,
        _ => Rank::Other,
    }
}

impl LinkedData {
    /// Notes the names of the site that an object is or was published by.
    fn add_site<'v>(&mut self, object: &'v Map<String, Value>, ids: &ThingsById<'v>) {
        let is_site = types(object).any(|kind| {
            kind == "WebSite" || kind.ends_with("Organization") || kind.ends_with("Business") || kind == "Corporation"
        });
        let own = object.get("name").filter(|_| is_site);
        for name in own.into_iter().chain(object.get("publisher")).flat_map(|value| names(ids, value)) {
            if !self.sites.contains(&name) {
                self.sites.push(name);
            }
        }
    }
}

/// What a thing says, if it is one that can be the page.
fn thing<'v>(object: &'v Map<String, Value>, ids: &ThingsById<'v>) -> Option<Thing> {
    let rank = types(object).map(rank_of).min();
    // One without a type that says who wrote it is about the page.
    let rank = rank.or_else(|| object.contains_key("author").then_some(Rank::Text))?;
    let string = |key: &str| object.get(key).and_then(first_string).and_then(|value| text(&value));
    let names = |key: &str| object.get(key).map(|value| names(ids, value)).unwrap_or_default();
    let mut authors = names("author");
    if authors.is_empty() {
        authors = names("creator");
    }
    let mut tags = words_of(object.get("keywords"));
    tags.extend(words_of(object.get("articleSection")));
    Some(Thing {
        rank,
        headline: string("headline").or_else(|| string("name")),
        authors,
        published: string("datePublished").or_else(|| string("dateCreated")).or_else(|| string("uploadDate")),
        modified: string("dateModified"),
        description: string("description"),
        image: object.get("image").or_else(|| object.get("thumbnailUrl")).and_then(address),
        license: object.get("license").and_then(address),
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

/// The address of an image or a licence.
fn address(value: &Value) -> Option<String> {
    let value = value.as_array().map_or(Some(value), |values| values.first())?;
    let found = match value {
        Value::String(text) => Some(text.as_str()),
        Value::Object(object) => {
            ["url", "contentUrl", "@id"].iter().find_map(|key| object.get(*key).and_then(Value::as_str))
        }
        _ => None,
    };
    found.and_then(text)
}

/// Keywords, as a list or with commas between.
fn words_of(value: Option<&Value>) -> Vec<String> {
    let list = match value {
        Some(Value::String(words)) => words.split(',').filter_map(text).collect(),
        Some(Value::Array(values)) => values.iter().filter_map(first_string).filter_map(|word| text(&word)).collect(),
        _ => Vec::new(),
    };
    list.into_iter().filter(|word: &String| !word.contains("://")).collect()
}

/// A value as text: on one line, without the character references that pages leave in their JSON.
fn text(value: &str) -> Option<String> {
    let mut out = value.to_owned();
    if out.contains('&') {
        for (reference, letter) in [
            ("&quot;", "\""),
            ("&#34;", "\""),
            ("&#039;", "'"),
            ("&#39;", "'"),
            ("&apos;", "'"),
            ("&#x27;", "'"),
            ("&rsquo;", "\u{2019}"),
            ("&#8217;", "\u{2019}"),
            ("&#8211;", "\u{2013}"),
            ("&ndash;", "\u{2013}"),
            ("&nbsp;", " "),
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&amp;", "&"),
        ] {
            out = out.replace(reference, letter);
        }
    }
    filled(&out)
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
