//! Reads what a page says in its head: title, Open Graph, schema.org.

use html5ever::local_name;

use super::text::count;
use crate::html::document::{Document, NodeId};

/// What the head of a page says about the kind of page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The hashes of the words of the `title` element.
    pub title: Vec<u32>,
    /// The Open Graph type.
    pub og_type: Option<OgType>,
    /// The types that schema.org's JSON-LD names, one bit for each [`SchemaType`].
    pub schema: u32,
    /// The number of `meta` elements.
    pub metas: u32,
    /// True if the page names a `generator`.
    pub generator: bool,
    /// True if that is a program for documentation.
    pub documentation: bool,
    has_title: bool,
}

/// Open Graph types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OgType {
    /// `article`, `blog`, `news`.
    Article,
    /// `website`.
    Website,
    /// `product`, `og:product`, `product.item`.
    Product,
    /// Any other.
    Other,
}

/// Groups of schema.org types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SchemaType {
    /// `Article` and its kinds.
    Article,
    /// `Product`, `Offer`.
    Product,
    /// `DiscussionForumPosting`, `QAPage`, `Question`.
    Forum,
    /// `ItemList`, `CollectionPage`, `SearchResultsPage`.
    Collection,
    /// `FAQPage`.
    Faq,
    /// `TechArticle`, `APIReference`, `SoftwareSourceCode`.
    Technical,
    /// `Organization`, `LocalBusiness`, `Service` and their kinds.
    Organisation,
    /// `Recipe`, `HowTo`.
    HowTo,
    /// `Event`, `JobPosting`, `Course`.
    Event,
    /// `BreadcrumbList`.
    Breadcrumb,
    /// `Review`, `AggregateRating`.
    Review,
    /// `VideoObject`, `Movie`, `Book` and other works.
    Work,
    /// `WebPage`, `WebSite`.
    Page,
}

impl Head {
    /// True if the page names a type of that group.
    pub fn has(&self, kind: SchemaType) -> bool {
        self.schema >> (kind as u8) & 1 == 1
    }

    /// Reads an element if it is of use here.
    pub(super) fn read(&mut self, document: &Document, id: NodeId, name: &str) {
        match name {
            "title" if !self.has_title => {
                // The title of an SVG is not the page's. It comes after the head's.
                self.has_title = true;
                for text in document.children(id).filter_map(|child| document.text(child)) {
                    count(text, |word| self.title.push(word));
                }
            }
            "meta" => {
                self.metas += 1;
                let is = |attribute, value: &str| {
                    document.attribute(id, attribute).is_some_and(|given| given.eq_ignore_ascii_case(value))
                };
                if is("property", "og:type") {
                    self.og_type = document.attribute(id, "content").map(og_type);
                }
                if is("name", "generator") {
                    self.generator = true;
                    self.documentation |= document.attribute(id, "content").is_some_and(makes_documentation);
                }
            }
            "script" if document.attribute(id, "type").is_some_and(|kind| kind.contains("ld+json")) => {
                for text in document.children(id).filter_map(|child| document.text(child)) {
                    self.schema |= schema_types(text);
                }
            }
            _ => {
                let mut types = document.attributes(id).of_names(|name| *name == local_name!("itemtype"));
                if let Some(kind) = types.next().and_then(|(_, kind)| kind.rsplit('/').next()) {
                    self.schema |= schema_type(kind).map_or(0, |kind| 1 << kind as u8);
                }
            }
        }
    }
}

/// Beginnings of the names of programs for documentation, in lower case. Some write blogs, too.
const DOCUMENTERS: [&str; 27] = [
    "antora",
    "asciidoc",
    "bookdown",
    "dita",
    "docbook",
    "docfx",
    "docusaurus",
    "docutils",
    "doxygen",
    "exdoc",
    "gi-docgen",
    "gtk-doc",
    "haddock",
    "javadoc",
    "latex2html",
    "makeinfo",
    "mandoc",
    "mdbook",
    "mkdocs",
    "naturaldocs",
    "pdoc",
    "phpdocumentor",
    "rustdoc",
    "starlight",
    "texi2html",
    "texinfo",
    "typedoc",
];

fn makes_documentation(generator: &str) -> bool {
    let name = generator.trim().to_ascii_lowercase();
    DOCUMENTERS.iter().any(|program| name.starts_with(program))
}

fn og_type(value: &str) -> OgType {
    let value = value.trim().to_ascii_lowercase();
    match &*value {
        "website" => OgType::Website,
        "article" | "blog" | "news" => OgType::Article,
        _ if value.contains("product") => OgType::Product,
        _ => OgType::Other,
    }
}

/// The types in a JSON-LD text. It does not parse the JSON but reads the value after each
/// `"@type"`, so that it also reads damaged JSON.
fn schema_types(json: &str) -> u32 {
    let mut types = 0;
    for (at, key) in json.match_indices("\"@type\"") {
        let value = json[at + key.len()..].trim_start().strip_prefix(':').unwrap_or_default().trim_start();
        let value = match value.strip_prefix('[') {
            Some(list) => list.split(']').next().unwrap_or_default(),
            None => value.strip_prefix('"').and_then(|rest| rest.split('"').next()).unwrap_or_default(),
        };
        for name in value.split(|c: char| !c.is_ascii_alphanumeric()) {
            types |= schema_type(name).map_or(0, |kind| 1 << kind as u8);
        }
    }
    types
}

fn schema_type(name: &str) -> Option<SchemaType> {
    Some(match name {
        "Article"
        | "NewsArticle"
        | "BlogPosting"
        | "Blog"
        | "Report"
        | "OpinionNewsArticle"
        | "LiveBlogPosting"
        | "ScholarlyArticle"
        | "ReportageNewsArticle"
        | "AnalysisNewsArticle" => SchemaType::Article,
        "Product" | "Offer" | "AggregateOffer" | "ProductGroup" | "IndividualProduct" | "ProductModel" => {
            SchemaType::Product
        }
        "DiscussionForumPosting" | "QAPage" | "Question" | "Answer" | "Comment" => SchemaType::Forum,
        "ItemList" | "CollectionPage" | "SearchResultsPage" | "OfferCatalog" | "ListItem" => SchemaType::Collection,
        "FAQPage" => SchemaType::Faq,
        "TechArticle" | "APIReference" | "SoftwareSourceCode" | "SoftwareApplication" | "WebApplication" => {
            SchemaType::Technical
        }
        "Organization"
        | "LocalBusiness"
        | "Service"
        | "Corporation"
        | "ProfessionalService"
        | "MedicalBusiness"
        | "Restaurant"
        | "Store"
        | "Person"
        | "ProfilePage"
        | "AboutPage"
        | "ContactPage" => SchemaType::Organisation,
        "Recipe" | "HowTo" | "HowToStep" => SchemaType::HowTo,
        "Event" | "JobPosting" | "Course" => SchemaType::Event,
        "BreadcrumbList" => SchemaType::Breadcrumb,
        "Review" | "AggregateRating" => SchemaType::Review,
        "VideoObject" | "Movie" | "Book" | "TVSeries" | "MusicRecording" | "PodcastEpisode" => SchemaType::Work,
        "WebPage" | "WebSite" => SchemaType::Page,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_out_of_json() {
        let bit = |kind: SchemaType| 1_u32 << kind as u8;
        for (json, expect) in [
            (r#"{"@type": "NewsArticle"}"#, bit(SchemaType::Article)),
            (
                r#"{"@graph":[{"@type":["Product","Thing"]},{"@type":"BreadcrumbList"#,
                bit(SchemaType::Product) | bit(SchemaType::Breadcrumb),
            ),
            (r#"{"@type""#, 0),
            (r#"{"type": "Article"}"#, 0),
        ] {
            assert_eq!(schema_types(json), expect, "{json}");
        }
    }
}
