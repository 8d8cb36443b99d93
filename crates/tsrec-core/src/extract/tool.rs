//! The methods of this crate by name: what was asked for, and the extractor that does it.

use super::blocks::Blocks;
use super::cascade::Cascade;
use super::choice::Choice;
use super::longest::Longest;
use super::mss::Mss;
use super::scored::Scored;
use super::template::Template;
use super::template_paper::TemplatePaper;
use super::{Extractor, Method, Sibling};
use crate::learn::parallel::Workers;
use crate::template::Site;

/// A method, ready for use: made once, it gives the extractor for any number of pages, from any
/// number of threads.
#[derive(Clone, Debug)]
pub enum Tool {
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

impl Tool {
    /// The method, with the model that ships. `None` for a method that another crate has
    /// (`tsrec-papers`).
    pub fn new(choice: Choice) -> Option<Tool> {
        let Choice::One(method) = choice else { return Some(Tool::Auto(Scored::shipped().clone())) };
        Some(match method {
            Method::Blocks => Tool::Scored(Scored::shipped().clone()),
            Method::Template => Tool::Template,
            Method::TemplatePaper => Tool::TemplatePaper,
            Method::Mss => Tool::Mss(Mss::default()),
            Method::MssBlocks => Tool::MssBlocks,
            Method::Longest => Tool::Longest,
            _ => return None,
        })
    }

    /// The same, with the evidence of each block said where the method knows it, which is work for
    /// these.
    pub fn explaining(self, workers: &'static dyn Workers) -> Tool {
        match self {
            Tool::Auto(scored) => Tool::Auto(scored.explaining(workers)),
            Tool::Scored(scored) => Tool::Scored(scored.explaining(workers)),
            tool => tool,
        }
    }

    /// The score that asks what other pages of the site have. `None` where the method does not.
    pub fn score(&self) -> Option<&Scored> {
        match self {
            Tool::Auto(scored) => Some(scored),
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
            Tool::Auto(scored) => Box::new(Cascade::new(siblings).with_site(site).with_score(scored)),
            Tool::Scored(scored) => Box::new(scored),
            Tool::Template => Box::new(Template::new(siblings.into_iter().next()?)),
            Tool::TemplatePaper => Box::new(TemplatePaper::new(siblings.into_iter().next()?)),
            Tool::Mss(mss) => Box::new(mss),
            Tool::MssBlocks => Box::new(Blocks),
            Tool::Longest => Box::new(Longest),
        })
    }
}
