//! Reports of an extraction: as JSON, as YAML, and in words.

use serde_json::{Value, json};
use url::Url;

use super::{Attempt, Extracted, Page};
use crate::block::text_blocks::TextBlock;
use crate::evidence::model::Reason;
use crate::html::Paths;
use crate::metadata::Metadata;
use crate::page::identity;
use crate::render::tei::TeiHeader;

impl Extracted<'_> {
    /// Everything known of the extraction, with the names of `tsrec extract --format json`: the
    /// fields, the text, and the elements. Linear in the page.
    pub fn json(&self) -> Value {
        let text = self.text();
        let mut all = self.fields_beside(&text);
        all["text"] = text.into();
        all["elements"] = self.elements();
        all
    }

    /// The same without the text and without the elements, which are most of it. All JSON, records
    /// and answers use these names.
    pub fn fields(&self) -> Value {
        self.fields_beside(&self.text())
    }

    /// The same for a caller that has the text already: [`Extracted::text`].
    #[doc(hidden)]
    pub fn fields_beside(&self, text: &str) -> Value {
        let (document, extraction) = (self.document(), self.extraction());
        let described = self.described();
        let mut object = json!({
            "input": self.name(),
            "url": self.url(),
            "comments": self.comments(),
            "charset": document.encoding(),
            "cut": self.cuts(),
            "method": extraction.method,
            "sibling": extraction.sibling(),
            "remembered": extraction.remembered(),
            "confidence": extraction.confidence,
            "kind": extraction.kind.map(|(kind, _)| kind),
            "kind_probability": extraction.kind.map(|(_, probability)| probability),
            "gates": gates(&extraction.attempts),
            "notes": extraction.notes,
            "words": self.words(),
            "content_hash": identity::content_hash_hex(described.metadata.title.as_deref(), text),
            "simhash": identity::simhash_hex(text),
        });
        if let (Some(object), Ok(Value::Object(metadata))) =
            (object.as_object_mut(), serde_json::to_value(&described.metadata))
        {
            object.extend(metadata);
            if self.is_explained() {
                object.insert("sources".to_owned(), json!(described.sources));
                object.insert("steps".to_owned(), json!(self.steps().made()));
            }
        }
        object
    }

    /// The label of each element of the tag sequence. Numbers count from 1, and paths are those of
    /// [`Paths`].
    pub fn elements(&self) -> Value {
        let (page, extraction) = (self.page(), self.extraction());
        let paths = Paths::new(self.document());
        let (blocks, labels) = (block_of_elements(page), extraction.labels(page));
        let elements = page.sequence().elements().iter().enumerate().map(|(index, element)| {
            json!({
                "number": index + 1,
                "name": &*element.name,
                "begin": element.begin,
                "end": element.end,
                "parent": element.parent,
                "level": element.level,
                "label": labels[index],
                "partner": extraction.partner(index).map(|partner| partner + 1),
                "probability": blocks[index].and_then(|block| extraction.likely(block)),
                "evidence": blocks[index].and_then(|block| extraction.reasons(block)).map(evidence),
                "path": paths.path(element.node),
            })
        });
        elements.collect()
    }
}

/// The TEI header of a page with these metadata. A site without a name gets the name of its host.
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

/// For each element of the tag sequence, the block that holds its first text. `None` if it has no
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

/// For each text block, the element of the tag sequence that holds it, counted from 0. O(blocks ×
/// depth).
pub fn element_of_text_blocks(page: &Page<'_>, blocks: &[TextBlock]) -> Vec<usize> {
    let mut element_of = vec![None; page.document().len()];
    for (index, element) in page.sequence().elements().iter().enumerate() {
        // An anonymous element has its parent's node, and comes after the parent.
        element_of[element.node.index()].get_or_insert(index);
    }
    let nearest = |block: &TextBlock| block.containers(page.document()).find_map(|node| element_of[node.index()]);
    blocks.iter().map(|block| nearest(block).unwrap_or(0)).collect()
}

/// The fields that describe a page, in this order.
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

/// Fields ([`Extracted::fields`]) as YAML between lines of dashes, without empty ones. Values are
/// written as JSON, which YAML includes.
pub fn front_matter(fields: &Value) -> String {
    let is_known = |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
    let known = FRONT_MATTER.iter().filter(|name| is_known(&fields[**name]));
    let lines: String = known.map(|name| format!("{name}: {}\n", fields[*name])).collect();
    format!("---\n{lines}---\n\n")
}

/// The evidence that moved a block's score by a hundredth or more, as JSON.
fn evidence(reasons: &[Reason]) -> Value {
    let told = reasons.iter().filter(|reason| reason.moves.abs() >= 0.01);
    told.map(|reason| {
        let Reason { column, value, moves } = reason;
        json!({ "name": column.name, "kind": column.kind, "value": (!value.is_nan()).then_some(value), "moves": moves })
    })
    .collect()
}

/// The attempts with their gates, and whether each gate passed.
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
