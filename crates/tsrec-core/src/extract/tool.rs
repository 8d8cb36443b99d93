//! The methods of this crate by name: what was asked for, and the extractor that does it.

use super::blocks::Blocks;
use super::cascade::Cascade;
use super::choice::Choice;
use super::longest::Longest;
use super::mss::Mss;
use super::scored::Scored;
use super::template::TemplateDiff;
use super::template_paper::TemplatePaper;
use super::{Extractor, Method, Sibling};
use crate::learn::parallel::Workers;
use crate::template::Site;

/// A method, ready for use: made once, it gives the extractor for any number of pages, from any
/// number of threads.
#[derive(Clone, Debug)]
pub enum CoreTool {
    /// The score that the cascade is over.
    Auto(Scored),
    /// The same without siblings.
    Scored(Scored),
    /// The template diff against the first sibling.
    Template,
    /// The template diff as its paper prints it.
    TemplatePaper,
    /// Simple maximum subsequence segmentation.
    Mss(Mss),
    /// The same over blocks.
    MssBlocks,
    /// The longest table cell or `div`.
    Longest,
}

impl CoreTool {
    /// The method, with the model that ships. `None` for a method that another crate has
    /// (`tsrec-papers`).
    pub fn new(choice: Choice) -> Option<CoreTool> {
        let Choice::One(method) = choice else { return Some(CoreTool::Auto(Scored::shipped().clone())) };
        Some(match method {
            Method::Blocks => CoreTool::Scored(Scored::shipped().clone()),
            Method::Template => CoreTool::Template,
            Method::TemplatePaper => CoreTool::TemplatePaper,
            Method::Mss => CoreTool::Mss(Mss::default()),
            Method::MssBlocks => CoreTool::MssBlocks,
            Method::Longest => CoreTool::Longest,
            _ => return None,
        })
    }

    /// The same, with the evidence of each block said where the method knows it, which is work for
    /// these.
    pub fn explaining(self, workers: &'static dyn Workers) -> CoreTool {
        match self {
            CoreTool::Auto(scored) => CoreTool::Auto(scored.explaining(workers)),
            CoreTool::Scored(scored) => CoreTool::Scored(scored.explaining(workers)),
            tool => tool,
        }
    }

    /// The score that asks what other pages of the site have. `None` where the method does not.
    pub fn score(&self) -> Option<&Scored> {
        match self {
            CoreTool::Auto(scored) => Some(scored),
            _ => None,
        }
    }

    /// The extractor for a page with these siblings, best first, with what is remembered of its
    /// site. `None` when the method needs a sibling and there is none.
    pub fn extractor<'t>(
        &'t self,
        siblings: Vec<Sibling<'t>>,
        site: Option<&'t Site>,
    ) -> Option<Box<dyn Extractor + 't>> {
        Some(match self {
            CoreTool::Auto(scored) => Box::new(Cascade::new(siblings).with_site(site).with_score(scored)),
            CoreTool::Scored(scored) => Box::new(scored),
            CoreTool::Template => Box::new(TemplateDiff::new(siblings.into_iter().next()?)),
            CoreTool::TemplatePaper => Box::new(TemplatePaper::new(siblings.into_iter().next()?)),
            CoreTool::Mss(mss) => Box::new(mss),
            CoreTool::MssBlocks => Box::new(Blocks),
            CoreTool::Longest => Box::new(Longest),
        })
    }
}
