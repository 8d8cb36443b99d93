//! The methods and their names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which method made an extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Method {
    /// The template diff, which removes common and regular parts (Li et al. 2006).
    Template,
    /// Simple maximum subsequence segmentation (Pasternack, Roth 2009, baseline 2).
    Mss,
    /// Maximum subsequence segmentation over the blocks of the tag sequence (ours).
    #[serde(rename = "mss-blocks")]
    MssBlocks,
    /// The table cell or `div` with the most characters (Pasternack, Roth 2009, baseline 1).
    Longest,
    /// The template diff as printed (Li et al. 2006), with its two heuristics and none of our
    /// additions.
    #[serde(rename = "template-paper")]
    TemplatePaper,
    /// Maximum subsequence segmentation over a naive Bayes classifier's scores (Pasternack, Roth
    /// 2009, section 6.2.3).
    #[serde(rename = "mss-supervised")]
    Supervised,
    /// The same, also trained on the source's own pages without labels (section 6.2.4).
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
    /// Boosted trees over all evidence of each block, then segmentation (ours).
    Blocks,
    /// The same with the memory of the site, which knows the page's template (ours). No method of
    /// its own: `auto` chooses it.
    Memory,
}

impl Method {
    /// Every method that can be asked for, in the order of the documentation.
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

    /// The method's name, as records and `--method` have it.
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
            Method::Memory => "memory",
        }
    }

    /// What the method does, in a sentence, as `--help` says it.
    pub fn summary(self) -> &'static str {
        match self {
            Method::Template => {
                "The template diff against the first sibling that passes the gates; where none does, mss"
            }
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
            Method::Memory => "The same with what is remembered of the page's template",
        }
    }

    /// How the model that ships differs from the paper's, in a sentence, as `--help` says it.
    /// `None` for a method without a model. No model is a paper's own: their training pages are
    /// lost.
    pub fn shipped_model(self) -> Option<&'static str> {
        Some(match self {
            Method::Blocks => "The model is ours; no paper describes it",
            Method::Supervised | Method::Semi => {
                "The model that ships is not the paper's: it learned from 1,234 of our pages by our recipe, --recipe transfer, and keeps 30,000 features"
            }
            Method::Crf => {
                "The model that ships is not the paper's: it learned from 1,292 of our pages, whose blocks a program labelled from the text, and its features have our values"
            }
            Method::Swarm => {
                "The model that ships is not the paper's: it learned from 1,234 of our pages, which it splits at block elements, --splitting blocks"
            }
            Method::Vote => "No paper describes the vote; its models are those of mss-supervised and crf",
            _ => return None,
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The error of [`Method::from_str`] for an unknown name.
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
