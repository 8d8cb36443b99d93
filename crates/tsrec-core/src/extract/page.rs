//! A page as the methods see it: parsed once, analysed once, and its tag sequence made on demand.

use std::borrow::Cow;
use std::sync::OnceLock;

use url::Url;

use crate::analysis::Analysis;
use crate::evidence;
use crate::html::{Document, PageSteps};
use crate::metadata::statements;
use crate::metadata::statements::Statements;
use crate::page::{Content, Label};
use crate::tsrec::TagSequence;
use crate::tsrec::build::sequence_of_analysed;

/// A page as the extractors see it, of one document. It is parsed and analysed once. Its tag
/// sequence and its own metadata are made on first use.
#[derive(Clone, Debug)]
pub struct Page<'d> {
    pub(super) document: &'d Document,
    pub(super) url: Option<&'d Url>,
    sequence: OnceLock<TagSequence<'d>>,
    statements: OnceLock<Statements>,
    pub(super) analysis: Analysis,
}

impl<'d> Page<'d> {
    /// Reads a document. Linear.
    pub fn new(document: &'d Document) -> Self {
        let analysis = Analysis::new(document);
        Page { document, url: None, sequence: OnceLock::new(), statements: OnceLock::new(), analysis }
    }

    /// Adds the address, by which links are absolute.
    pub fn at(self, url: Option<&'d Url>) -> Self {
        Page { url, ..self }
    }

    /// The parsed page.
    pub fn document(&self) -> &'d Document {
        self.document
    }

    /// Its address, if known.
    pub fn url(&self) -> Option<&'d Url> {
        self.url
    }

    /// Its tag sequence. The first call is linear. The score needs no sequence unless there are
    /// siblings.
    #[doc(hidden)]
    pub fn sequence(&self) -> &TagSequence<'d> {
        self.sequence.get_or_init(|| sequence_of_analysed(self.document, &self.analysis))
    }

    /// Its leaves, containers and blocks.
    #[doc(hidden)]
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// The budget of the work on the page, after parsing and [`Page::new`].
    #[doc(hidden)]
    pub fn steps(&self) -> PageSteps {
        let steps = self.document.steps();
        // What is left out shows when the next steps are charged.
        let _ = steps.charge(self.document.steps_of_pass());
        steps
    }

    /// Whether its score alone takes more steps than the page may take.
    #[doc(hidden)]
    pub fn is_too_much_work(&self) -> bool {
        !self.steps().charge(self.steps_of_score())
    }

    /// The steps of the score: a column for each block.
    pub(super) fn steps_of_score(&self) -> u64 {
        (self.analysis.blocks().len() * evidence::columns().len()) as u64
    }

    /// The metadata that the page states. The first call is linear. Finding content does not need
    /// them.
    pub(crate) fn statements(&self) -> &Statements {
        self.statements.get_or_init(|| statements::collect(self.document, &self.analysis))
    }

    /// Labels for every element. An element with kept text is content. A hidden element is hidden
    /// in any method. `otherwise` gives the labels of the rest.
    pub(super) fn labels(&self, content: &Content, otherwise: impl Fn(usize) -> Label) -> Vec<Label> {
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

impl<'d> From<Page<'d>> for Cow<'d, Page<'d>> {
    fn from(page: Page<'d>) -> Self {
        Cow::Owned(page)
    }
}

impl<'d> From<&'d Page<'d>> for Cow<'d, Page<'d>> {
    fn from(page: &'d Page<'d>) -> Self {
        Cow::Borrowed(page)
    }
}

impl<'d> From<&'d Document> for Cow<'d, Page<'d>> {
    /// Reads the document. Linear.
    fn from(document: &'d Document) -> Self {
        Cow::Owned(Page::new(document))
    }
}
