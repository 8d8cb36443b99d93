//! Page to content: one [`Extractor`] trait, one file a method, and the cascade that chooses among
//! them.
//!
//! Extraction is total: every page gives an [`Extraction`], maybe an empty one, that says which
//! method made it, which gates were passed or failed, and what every element of the page was found
//! to be. What a method needs (a sibling) is asked for when it is made, not while it runs.

pub mod beside;
pub mod blocks;
pub mod cascade;
pub mod choice;
mod comparison;
pub mod example;
pub mod gates;
pub mod learner;
pub mod longest;
pub mod mss;
pub mod report;
pub mod scored;
mod segment;
pub mod starts;
pub mod template;
pub mod template_paper;
pub mod tool;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::analysis::Analysis;
use crate::evidence::kind::PageKind;
use crate::evidence::model::Reason;
use crate::html::Document;
use crate::metadata::statements;
use crate::metadata::statements::Statements;
use crate::page::{Content, Label, Start};
use crate::render::cleaneval::cleaneval;
use crate::template::Memory;
use crate::tsrec::TagSequence;
use crate::tsrec::build::sequence_of_analysed;

pub use gates::Gate;

/// A page as the extractors see it: parsed once, its analysis built once, its sequence and what it
/// states when they are first asked for; of this document and no other.
#[derive(Clone, Debug)]
pub struct Page<'d> {
    document: &'d Document,
    url: Option<&'d Url>,
    sequence: OnceLock<TagSequence<'d>>,
    statements: OnceLock<Statements>,
    analysis: Analysis,
}

impl<'d> Page<'d> {
    /// Reads a document. Linear.
    pub fn new(document: &'d Document) -> Self {
        let analysis = Analysis::new(document);
        Page { document, url: None, sequence: OnceLock::new(), statements: OnceLock::new(), analysis }
    }

    /// With its address, which is evidence too.
    pub fn at(self, url: Option<&'d Url>) -> Self {
        Page { url, ..self }
    }

    /// The parsed page.
    pub fn document(&self) -> &'d Document {
        self.document
    }

    /// Its address, where it is known.
    pub fn url(&self) -> Option<&'d Url> {
        self.url
    }

    /// Its tag sequence. Linear when it is first asked for: the score needs none, unless it has
    /// siblings.
    pub fn sequence(&self) -> &TagSequence<'d> {
        self.sequence.get_or_init(|| sequence_of_analysed(self.document, &self.analysis))
    }

    /// Its leaves, containers and blocks.
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// What it states of itself. Linear when it is first asked for: content is found without.
    pub(crate) fn statements(&self) -> &Statements {
        self.statements.get_or_init(|| statements::collect(self.document, &self.analysis))
    }

    /// Labels for every element: an element with kept text is content; hidden ones are so in any
    /// method; the rest is as `otherwise` says.
    fn labels(&self, content: &Content, otherwise: impl Fn(usize) -> Label) -> Vec<Label> {
        let mut kept = vec![false; self.document.len()];
        for piece in content.pieces() {
            kept[piece.node.index()] = true;
        }
        let sequence = self.sequence();
        let elements = sequence.elements().iter();
        elements
            .enumerate()
            .map(|(index, element)| match element.hidden {
                _ if sequence.text_nodes(element).any(|node| kept[node.index()]) => Label::Content,
                true => Label::Hidden,
                false => otherwise(index),
            })
            .collect()
    }
}

/// A page to compare with, and what to call it.
#[derive(Clone, Debug)]
pub struct Sibling<'s> {
    /// Its URL or file name, for reports.
    pub name: String,
    /// Its tag sequence.
    pub sequence: &'s TagSequence<'s>,
    /// What the score's first stage made of it; without, it says nothing of the page's places.
    pub memory: Option<&'s Memory>,
}

/// A way to find the content of a page.
pub trait Extractor {
    /// Extracts the content. Total: any page gives an extraction.
    fn extract(&self, page: &Page<'_>) -> Extraction;
}

impl<E: Extractor + ?Sized> Extractor for &E {
    fn extract(&self, page: &Page<'_>) -> Extraction {
        (**self).extract(page)
    }
}

/// Which method made an extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Method {
    /// The template diff: common and regular parts are taken away (Li et al. 2006).
    Template,
    /// Simple maximum subsequence segmentation (Pasternack, Roth 2009, baseline 2).
    Mss,
    /// Maximum subsequence segmentation over the blocks of the tag sequence (ours).
    #[serde(rename = "mss-blocks")]
    MssBlocks,
    /// The table cell or `div` with the most characters (Pasternack, Roth 2009, baseline 1).
    Longest,
    /// The template diff as it is printed (Li et al. 2006), with its two heuristics and nothing of
    /// ours.
    #[serde(rename = "template-paper")]
    TemplatePaper,
    /// Maximum subsequence segmentation over a naive Bayes classifier's scores (Pasternack, Roth
    /// 2009, section 6.2.3).
    #[serde(rename = "mss-supervised")]
    Supervised,
    /// The same, trained further on the source's own pages without labels (section 6.2.4).
    #[serde(rename = "mss-semi")]
    Semi,
    /// Block features with thresholds that a particle swarm learned (Ziegler, Skubacz 2007).
    Swarm,
    /// Maximum subsequence over text segments, with alignment (Luo et al. 2009).
    Segments,
    /// A conditional random field over text blocks (Marek 2007).
    Crf,
    /// What most of `mss-blocks`, `mss-supervised` and `crf` keep.
    Vote,
    /// Boosted trees over everything that is known of each block, segmented (ours).
    Blocks,
}

impl Method {
    /// Every method, in the order of the documentation.
    pub const ALL: [Method; 12] = [
        Method::Blocks,
        Method::Template,
        Method::TemplatePaper,
        Method::Mss,
        Method::MssBlocks,
        Method::Supervised,
        Method::Semi,
        Method::Swarm,
        Method::Segments,
        Method::Crf,
        Method::Vote,
        Method::Longest,
    ];

    /// The method's name, as `--method` takes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Template => "template",
            Method::Mss => "mss",
            Method::MssBlocks => "mss-blocks",
            Method::Longest => "longest",
            Method::TemplatePaper => "template-paper",
            Method::Supervised => "mss-supervised",
            Method::Semi => "mss-semi",
            Method::Swarm => "swarm",
            Method::Segments => "segments",
            Method::Crf => "crf",
            Method::Vote => "vote",
            Method::Blocks => "blocks",
        }
    }

    /// What the method does, in a sentence, as `--help` says it.
    pub fn summary(self) -> &'static str {
        match self {
            Method::Template => "The template diff against the first sibling, whatever its gates say",
            Method::TemplatePaper => "The template diff as its paper prints it, against the first sibling",
            Method::Mss => "Maximum subsequence segmentation of the page alone",
            Method::MssBlocks => "The same over blocks: links inside a sentence do not break it up",
            Method::Supervised => "The same over a trained classifier's scores",
            Method::Semi => "The same, trained further on the page and its siblings, without labels",
            Method::Crf => "A trained conditional random field over blocks of text",
            Method::Swarm => "Blocks whose features meet thresholds that a particle swarm learned",
            Method::Segments => "Maximum subsequence over text segments, by font size, colour and links",
            Method::Vote => {
                "What most of mss-blocks, mss-supervised and crf keep of an article; of other pages what mss-blocks keeps"
            }
            Method::Blocks => "One learned score over everything that is known of each block of the page alone",
            Method::Longest => "The table cell or div with the most characters",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What [`Method::from_str`] says of a name that is no method's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMethod(String);

impl fmt::Display for UnknownMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Method::ALL.map(Method::as_str).join(", ");
        write!(f, "unknown method {:?}: it is one of {names}", self.0)
    }
}

impl std::error::Error for UnknownMethod {}

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Method::ALL.into_iter().find(|method| method.as_str() == name).ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}

/// What was found on a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Extraction {
    /// The text that is kept.
    pub content: Content,
    /// The method that made it.
    pub method: Method,
    /// How far the result can be trusted, 0 to 1: see each method for what it measures.
    pub confidence: f64,
    /// The comparisons that were tried, in order, with their gates.
    pub attempts: Vec<Attempt>,
    /// What each element of the tag sequence was found to be, where that is more than the content
    /// says: see [`Extraction::labels`].
    labels: Vec<Label>,
    /// For each element its partner on the sibling: the equal element of a common one. Empty unless
    /// a template diff was made.
    pub partners: Vec<Option<usize>>,
    /// Where blocks begin in the content, in document order, when the method says so; empty
    /// otherwise. What the tags say is in [`starts::of_content`].
    pub starts: Vec<Start>,
    /// What kind of page it is, and how likely; `None` where the method does not say.
    pub kind: Option<(PageKind, f32)>,
    /// For each block of the page's analysis the probability that it is content; empty where the
    /// method has none.
    pub likely: Vec<f32>,
    /// For each block which evidence moved that, the strongest first; empty unless it was asked
    /// for.
    pub reasons: Vec<Vec<Reason>>,
    /// Of how many other pages of the site something was remembered; 0 where the page stood alone.
    pub remembered: u32,
    /// What a reader of the result should know beyond it, such as a step that could not be taken:
    /// whole sentences.
    pub notes: Vec<String>,
}

/// A comparison with one sibling.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Attempt {
    /// The sibling's name.
    pub sibling: String,
    /// What was measured, and what each measure must be.
    pub gates: Vec<Gate>,
    /// False when the pages were too long for exact alignment, so that some common parts may have
    /// been missed.
    pub exact: bool,
}

impl Attempt {
    /// True when every gate was passed.
    pub fn passed(&self) -> bool {
        self.gates.iter().all(Gate::passed)
    }
}

impl Extraction {
    /// What a method found on the page alone: no comparison, no starts, no notes; and no confidence
    /// where that is nothing.
    pub fn of_page(method: Method, content: Content, confidence: f64) -> Self {
        Extraction {
            // A sum of shares may be a rounding above 1.
            confidence: if content.is_empty() { 0.0 } else { confidence.clamp(0.0, 1.0) },
            content,
            method,
            attempts: Vec::new(),
            labels: Vec::new(),
            partners: Vec::new(),
            starts: Vec::new(),
            kind: None,
            likely: Vec::new(),
            reasons: Vec::new(),
            remembered: 0,
            notes: Vec::new(),
        }
    }

    fn labelled(self, labels: Vec<Label>) -> Self {
        Extraction { labels, ..self }
    }

    /// What each element of the tag sequence of the page, the one that this was found on, was found
    /// to be. Linear.
    pub fn labels(&self, page: &Page<'_>) -> Cow<'_, [Label]> {
        match self.labels.is_empty() {
            true => page.labels(&self.content, |_| Label::Outside).into(),
            false => (&self.labels).into(),
        }
    }

    /// How many elements of the page have each label.
    pub fn label_counts(&self, page: &Page<'_>) -> BTreeMap<Label, usize> {
        let mut counts = BTreeMap::new();
        for &label in &*self.labels(page) {
            *counts.entry(label).or_insert(0) += 1;
        }
        counts
    }

    /// The content with CleanEval's marks: blocks begin where the method says, or else where the
    /// tags say. Linear in the page.
    pub fn cleaneval(&self, document: &Document) -> String {
        match self.starts.is_empty() {
            true => cleaneval(document, &self.content, &starts::of_content(document, &self.content)),
            false => cleaneval(document, &self.content, &self.starts),
        }
    }

    /// The sibling whose comparison made the content, if one did.
    pub fn sibling(&self) -> Option<&str> {
        match self.method {
            Method::Template => {
                let passed = self.attempts.iter().find(|attempt| attempt.passed()).or(self.attempts.last());
                passed.map(|attempt| attempt.sibling.as_str())
            }
            Method::TemplatePaper => self.attempts.last().map(|attempt| attempt.sibling.as_str()),
            _ => None,
        }
    }
}
