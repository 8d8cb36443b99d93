//! What is known of an extraction, for machines and for people: as JSON, as YAML, in words.

use serde_json::{Value, json};
use url::Url;

use super::{Attempt, Extraction, Page, beside};
use crate::block::text_blocks::TextBlock;
use crate::evidence::model::Reason;
use crate::html::Paths;
use crate::metadata::{Described, Metadata, Stated};
use crate::page::identity;
use crate::render;
use crate::render::tei::TeiHeader;

/// An extraction with the page it was made from.
#[derive(Clone, Copy, Debug)]
pub struct Report<'r> {
    /// What the page is called.
    pub name: &'r str,
    /// Its address, where that is known.
    pub url: Option<&'r Url>,
    /// The page.
    pub page: &'r Page<'r>,
    /// What was found on it.
    pub extraction: &'r Extraction,
    /// Whether [`Report::fields`] says where the metadata were found.
    pub explain: bool,
    /// What other pages of its site state.
    pub siblings: &'r Stated,
}

impl Report<'_> {
    /// What is said of the page, each value with where it was found. Linear.
    pub fn metadata(&self) -> Described {
        beside::metadata(self.page, self.extraction.kind, self.siblings)
    }

    /// What a TEI document says of itself. Linear.
    pub fn header(&self) -> TeiHeader {
        header(self.metadata().metadata, self.url)
    }

    /// All that is known: the fields, the text, and the elements. Linear in the page.
    pub fn json(&self) -> Value {
        let mut all = self.fields();
        all["text"] = render::text::text(self.page.document(), &self.extraction.content).into();
        all["elements"] = self.elements();
        all
    }

    /// The same without the text, and without its elements, which are most of it. The names are
    /// those of every JSON, record and answer.
    pub fn fields(&self) -> Value {
        let (document, extraction) = (self.page.document(), self.extraction);
        let described = self.metadata();
        let comments = beside::comments(self.page, &extraction.content);
        let text = render::text::text(document, &extraction.content);
        let mut object = json!({
            "input": self.name,
            "url": self.url,
            "comments": render::text::text(document, &comments),
            "charset": document.encoding(),
            "cut": document.cuts(),
            "method": extraction.method,
            "sibling": extraction.sibling(),
            "remembered": extraction.remembered,
            "confidence": extraction.confidence,
            "kind": extraction.kind.map(|(kind, _)| kind),
            "kind_probability": extraction.kind.map(|(_, probability)| probability),
            "gates": gates(&extraction.attempts),
            "notes": extraction.notes,
            "words": extraction.content.words(document),
            "content_hash": identity::content_hash_hex(described.metadata.title.as_deref(), &text),
            "simhash": identity::simhash_hex(&text),
        });
        if let (Some(object), Ok(Value::Object(metadata))) =
            (object.as_object_mut(), serde_json::to_value(&described.metadata))
        {
            object.extend(metadata);
            if self.explain {
                object.insert("sources".to_owned(), json!(described.sources));
            }
        }
        object
    }

    /// What was made of each element of the tag sequence: numbers count from 1, paths are those of
    /// [`Paths`].
    pub fn elements(&self) -> Value {
        let (document, extraction) = (self.page.document(), self.extraction);
        let paths = Paths::new(document);
        let (blocks, labels) = (block_of_elements(self.page), extraction.labels(self.page));
        let elements = self.page.sequence().elements().iter().enumerate().map(|(index, element)| {
            json!({
                "number": index + 1,
                "name": &*element.name,
                "begin": element.begin,
                "end": element.end,
                "parent": element.parent,
                "level": element.level,
                "label": labels[index],
                "partner": extraction.partners.get(index).copied().flatten().map(|partner| partner + 1),
                "probability": blocks[index].and_then(|block| extraction.likely.get(block)),
                "evidence": blocks[index].and_then(|block| extraction.reasons.get(block)).map(|of| evidence(of)),
                "path": paths.path(element.node),
            })
        });
        elements.collect()
    }
}

/// What a TEI document says of a page with these metadata: a site without a name is called by its
/// host.
pub fn header(metadata: Metadata, url: Option<&Url>) -> TeiHeader {
    TeiHeader {
        title: metadata.title,
        authors: metadata.authors,
        published: metadata.published,
        site: metadata.site_name.or_else(|| url.and_then(Url::host_str).map(str::to_owned)),
        url: url.map(Url::to_string),
        language: metadata.language,
    }
}

/// For each element of the tag sequence the block that its first text is in; `None` where it has no
/// text. Linear.
pub fn block_of_elements(page: &Page<'_>) -> Vec<Option<usize>> {
    let mut block_of = vec![None; page.document().len()];
    for leaf in page.analysis().leaves() {
        block_of[leaf.node.index()] = Some(leaf.block as usize);
    }
    let sequence = page.sequence();
    sequence
        .elements()
        .iter()
        .map(|element| sequence.text_nodes(element).find_map(|node| block_of[node.index()]))
        .collect()
}

/// For each text block the element of the tag sequence that it stands in, counted from 0.
/// O(blocks × depth).
pub fn element_of_text_blocks(page: &Page<'_>, blocks: &[TextBlock]) -> Vec<usize> {
    let mut element_of = vec![None; page.document().len()];
    for (index, element) in page.sequence().elements().iter().enumerate() {
        // An anonymous element has its parent's node, and stands behind it.
        element_of[element.node.index()].get_or_insert(index);
    }
    let nearest = |block: &TextBlock| block.containers(page.document()).find_map(|node| element_of[node.index()]);
    blocks.iter().map(|block| nearest(block).unwrap_or(0)).collect()
}

/// The fields of a page that say what it is, in this order.
const FRONT_MATTER: [&str; 14] = [
    "title",
    "authors",
    "published",
    "modified",
    "language",
    "site_name",
    "description",
    "image",
    "url",
    "canonical_url",
    "tags",
    "license",
    "kind",
    "confidence",
];

/// Fields ([`Report::fields`]) as YAML, of which JSON's values are a part, between lines of dashes;
/// those that are empty are left out.
pub fn front_matter(fields: &Value) -> String {
    let is_known = |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
    let known = FRONT_MATTER.iter().filter(|name| is_known(&fields[**name]));
    let lines: String = known.map(|name| format!("{name}: {}\n", fields[*name])).collect();
    format!("---\n{lines}---\n\n")
}

/// The evidence that moved a block's score by a hundredth and more, for machines.
fn evidence(reasons: &[Reason]) -> Value {
    let told = reasons.iter().filter(|reason| reason.moves.abs() >= 0.01);
    told.map(|reason| {
        let Reason { column, value, moves } = reason;
        json!({ "name": column.name, "kind": column.kind, "value": (!value.is_nan()).then_some(value), "moves": moves })
    })
    .collect()
}

/// The attempts with their gates, and for each whether it was passed.
pub fn gates(attempts: &[Attempt]) -> Value {
    attempts
        .iter()
        .map(|attempt| {
            let gates = attempt.gates.iter().map(|gate| {
                json!({
                    "name": gate.name, "measured": gate.measured, "least": gate.least, "most": gate.most, "passed": gate.passed(),
                })
            });
            json!({
                "sibling": attempt.sibling, "passed": attempt.passed(), "exact": attempt.exact, "gates": gates.collect::<Vec<_>>(),
            })
        })
        .collect()
}

/// The gates that failed, in words.
pub fn failures(attempt: &Attempt) -> String {
    let failed = attempt.gates.iter().filter(|gate| !gate.passed()).map(|gate| {
        let bound = match (gate.least, gate.most) {
            (Some(least), _) => format!("at least {least}"),
            (_, Some(most)) => format!("at most {most}"),
            (None, None) => "anything".to_owned(),
        };
        format!("{} (measured {:.2}, must be {bound})", gate.name, gate.measured)
    });
    failed.collect::<Vec<_>>().join(", ")
}
