//! The methods by name: what was asked for, and the extractor that does it.
//!
//! A [`Tool`] is made once of a [`Choice`], [`Options`] and models, and gives the extractor for any
//! number of pages, from any number of threads. What a method lacks (a model that does not fit)
//! shows when the tool is made; what a page lacks (a sibling), when its extractor is.

use tsrec_core::block::symbols::{Symbol, symbols};
use tsrec_core::block::tokens::tokens;
use tsrec_core::evidence::model::BlockModel;
use tsrec_core::extract::choice::Choice;
use tsrec_core::extract::mss::Mss;
use tsrec_core::extract::scored::Scored;
use tsrec_core::extract::{Extraction, Extractor, Method, Page, Sibling, tool};
use tsrec_core::html::Document;
use tsrec_core::template::{Memory, Site};

use crate::crf::{self, BadModel, Crf};
use crate::learn::threads::Threads;
use crate::model::AnyModel;
use crate::mss;
use crate::mss::semi::Semi;
use crate::mss::supervised::Supervised;
use crate::segments::{CommonText, Looks, Segments, StyledSegments};
use crate::style::Styles;
use crate::swarm::{self, Swarm};
use crate::vote::Vote;

/// Options of methods. Each method reads those that are its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `mss`: how many runs of the page are kept, at least 1.
    pub runs: usize,
    /// `mss-supervised`: the content ends at its first `<hr>`.
    pub ends_at_rule: bool,
    /// `segments`: what tells how a page looks that was not rendered.
    pub looks: Looks,
    /// `segments`: which text counts when the commonest font size and colour are looked for.
    pub common: CommonText,
}

impl Default for Options {
    fn default() -> Self {
        Options { runs: 1, ends_at_rule: false, looks: Looks::default(), common: CommonText::default() }
    }
}

/// A method, ready for use.
#[derive(Debug)]
pub struct Tool {
    ready: Ready,
}

/// What each method keeps between pages.
#[derive(Debug)]
enum Ready {
    /// A method of the core.
    Core(tool::CoreTool),
    Supervised {
        model: mss::model::MssModel,
        ends_at_rule: bool,
    },
    /// The model, and what was learned beyond it of the sources.
    Semi(mss::model::MssModel, Option<Box<Semi>>),
    Swarm(swarm::SwarmModel),
    Segments(StyledSegments),
    Crf(Box<Crf>),
    /// `None` for the models that ship.
    Vote(Option<Box<Vote>>),
}

/// Why a tool cannot be made.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(#[from] ToolFailure);

#[derive(Debug, thiserror::Error)]
enum ToolFailure {
    #[error("{0} is run without a model")]
    Untrained(Choice),
    #[error("{0} cannot use this model")]
    Unfit(Choice),
    #[error(transparent)]
    Bad(#[from] BadModel),
}

impl Error {
    /// True when a model was given that the method does not take.
    pub fn is_unfit(&self) -> bool {
        matches!(self.0, ToolFailure::Untrained(_) | ToolFailure::Unfit(_))
    }
}

impl Tool {
    /// With these models, and for the others that it takes those that ship.
    ///
    /// # Errors
    ///
    /// When one of the models is none that the method takes, or contradicts itself; when the method
    /// is not built in.
    pub fn new(choice: Choice, options: &Options, mut models: Vec<AnyModel>) -> Result<Self, Error> {
        let ready = Ready::new(choice, options, &mut models)?;
        match models.is_empty() {
            true => Ok(Tool { ready }),
            false if is_trained(choice) => Err(ToolFailure::Unfit(choice).into()),
            false => Err(ToolFailure::Untrained(choice).into()),
        }
    }

    /// True when the method has to [`learn`](Tool::learn).
    pub fn learns(&self) -> bool {
        matches!(self.ready, Ready::Semi(..))
    }

    /// The same, with the evidence of each block said where the method knows it.
    pub fn explaining(self, explains: bool) -> Self {
        let ready = match self.ready {
            Ready::Core(tool) if explains => Ready::Core(tool.explaining(&Threads)),
            ready => ready,
        };
        Tool { ready }
    }

    /// What other pages of the site are to remember of a page. `None` where the method asks for
    /// nothing.
    pub fn remember(&self, page: &Page<'_>) -> Option<Memory> {
        match &self.ready {
            Ready::Core(tool) => tool.score().map(|score| score.remember(page)),
            _ => None,
        }
    }

    /// Learns the pages of some sources, where the method does that; before the first extraction.
    pub fn learn(&mut self, sources: &[Vec<&Document>]) {
        let Ready::Semi(model, learned) = &mut self.ready else { return };
        let symbols: Vec<Vec<Vec<Symbol>>> =
            sources.iter().map(|pages| pages.iter().map(|page| symbols(page, &tokens(page))).collect()).collect();
        let sources: Vec<Vec<&[Symbol]>> =
            symbols.iter().map(|pages| pages.iter().map(Vec::as_slice).collect()).collect();
        *learned = Some(Box::new(Semi::bootstrap(model, &sources)));
    }

    /// Extracts a page beside its siblings, best first, each with its name: learns them where the
    /// method does that, and remembers them where it asks for that. `None` when the method needs a
    /// sibling and there is none.
    pub fn extract(&mut self, page: &Page<'_>, others: &[(&str, Page<'_>)], site: Option<&Site>) -> Option<Extraction> {
        let source = std::iter::once(page.document()).chain(others.iter().map(|(_, other)| other.document()));
        self.learn(&[source.collect()]);
        let memories: Vec<Option<Memory>> = others.iter().map(|(_, other)| self.remember(other)).collect();
        let siblings = others.iter().zip(&memories).map(|((name, other), memory)| Sibling {
            name: (*name).to_owned(),
            sequence: other.sequence(),
            memory: memory.as_ref(),
        });
        Some(self.extractor(siblings.collect(), site)?.extract(page))
    }

    /// The extractor for a page that was rendered, where the method asks what it looks like.
    pub fn of_rendered<'t>(&'t self, styles: &'t Styles) -> Option<Box<dyn Extractor + 't>> {
        let Ready::Segments(styled) = &self.ready else { return None };
        Some(Box::new(Segments { styles: Some(styles), common: styled.common }))
    }

    /// The extractor for a page with these siblings, best first, with what is remembered of its
    /// site. `None` when the method needs a sibling and there is none, or has to learn first.
    pub fn extractor<'t>(
        &'t self,
        siblings: Vec<Sibling<'t>>,
        site: Option<&'t Site>,
    ) -> Option<Box<dyn Extractor + 't>> {
        Some(match &self.ready {
            Ready::Core(tool) => return tool.extractor(siblings, site),
            Ready::Vote(vote) => Box::new(or_shipped(vote)),
            Ready::Supervised { model, ends_at_rule: true } => Box::new(Supervised::new(model).ending_at_rule()),
            Ready::Supervised { model, ends_at_rule: false } => Box::new(Supervised::new(model)),
            Ready::Semi(_, learned) => Box::new(learned.as_deref()?),
            Ready::Crf(crf) => Box::new(&**crf),
            Ready::Swarm(model) => Box::new(Swarm::new(model)),
            Ready::Segments(styled) => Box::new(*styled),
        })
    }
}

impl Ready {
    /// Takes the models that the method is run with out of those given.
    fn new(choice: Choice, options: &Options, models: &mut Vec<AnyModel>) -> Result<Self, ToolFailure> {
        let core = || tool::CoreTool::new(choice).expect("a method of the core");
        let Choice::One(method) = choice else { return Ok(Ready::Core(tool::CoreTool::Auto(scored(models)?))) };
        Ok(match method {
            Method::Template | Method::TemplatePaper | Method::MssBlocks | Method::Longest => Ready::Core(core()),
            Method::Mss => Ready::Core(tool::CoreTool::Mss(Mss { runs: options.runs, ..Mss::default() })),
            Method::Blocks => Ready::Core(tool::CoreTool::Scored(scored(models)?)),
            Method::Supervised => {
                Ready::Supervised { model: take_or_shipped(models, method)?, ends_at_rule: options.ends_at_rule }
            }
            Method::Semi => Ready::Semi(take_or_shipped(models, method)?, None),
            Method::Swarm => Ready::Swarm(take_or_shipped(models, method)?),
            Method::Segments => Ready::Segments(StyledSegments { looks: options.looks, common: options.common }),
            Method::Crf => Ready::Crf(Box::new(Crf::new(&take_or_shipped(models, method)?)?)),
            Method::Vote => Ready::Vote(vote(models)?),
            other => unreachable!("{other} is matched above"),
        })
    }
}

/// True when models can be given for it.
fn is_trained(choice: Choice) -> bool {
    match choice {
        Choice::Auto | Choice::One(Method::Vote) => true,
        Choice::One(method) => AnyModel::is_taken_by(method),
    }
}

/// The score with the model given, or the one that ships.
fn scored(models: &mut Vec<AnyModel>) -> Result<Scored, ToolFailure> {
    if models.is_empty() {
        return Ok(Scored::shipped().clone());
    }
    let model: Box<BlockModel> = take_or_shipped(models, Method::Blocks)?;
    Ok(Scored::new(*model))
}

/// The vote with the models given; `None` where none is, for those that ship.
fn vote(models: &mut Vec<AnyModel>) -> Result<Option<Box<Vote>>, ToolFailure> {
    if models.is_empty() {
        return Ok(None);
    }
    let mss = take_or_shipped(models, Method::Supervised)?;
    let crf: crf::CrfModel = take_or_shipped(models, Method::Crf)?;
    Ok(Some(Box::new(Vote::new(mss, &crf)?)))
}

fn or_shipped(vote: &Option<Box<Vote>>) -> &Vote {
    vote.as_deref().unwrap_or_else(|| Vote::shipped())
}

/// The model of this kind among those given, or else the one that ships for the method.
fn take_or_shipped<M: TryFrom<AnyModel, Error = AnyModel>>(
    models: &mut Vec<AnyModel>,
    method: Method,
) -> Result<M, ToolFailure> {
    let mut taken = None;
    for model in std::mem::take(models) {
        match M::try_from(model) {
            Ok(model) if taken.is_none() => taken = Some(model),
            Ok(_) => {}
            Err(other) => models.push(other),
        }
    }
    let shipped = || M::try_from(AnyModel::shipped(method)?.1).ok();
    Ok(taken.or_else(shipped).expect("a test finds the model that ships for each method that takes one"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::html::parse;
    use tsrec_core::tsrec::build::tag_sequence;

    /// Every method by its name, with a sibling at hand and models that ship, extracts; and says
    /// that it was it.
    #[test]
    fn every_method_is_ready_and_says_its_name() {
        let site =
            |story: &str| format!("<ul><li><a href=a>Menu</a></ul><div><h1>{story}</h1><p>{story}. {story}!</div>");
        let page = parse(site("The ferry sails again, later").as_bytes(), None, &Default::default());
        let other = parse(site("A cat was found on the quay").as_bytes(), None, &Default::default());
        let sibling = tag_sequence(&other);
        for method in Method::ALL {
            let mut tool = Tool::new(Choice::One(method), &Options::default(), Vec::new()).unwrap();
            tool.learn(&[vec![&page, &other]]);
            let siblings = vec![Sibling { name: "other".to_owned(), sequence: &sibling, memory: None }];
            let extraction = tool.extractor(siblings, None).unwrap().extract(&Page::new(&page));
            // The vote leaves pages without an article to the blocks.
            let expect = if method == Method::Vote { Method::MssBlocks } else { method };
            assert_eq!(extraction.method, expect);
        }
    }

    #[test]
    fn a_method_that_compares_needs_a_sibling_and_mss_semi_a_lesson() {
        for method in Method::ALL {
            let tool = Tool::new(Choice::One(method), &Options::default(), Vec::new()).unwrap();
            let lacks = matches!(method, Method::Template | Method::TemplatePaper | Method::Semi);
            assert_eq!(tool.extractor(Vec::new(), None).is_none(), lacks, "{method}");
        }
    }

    #[test]
    fn a_model_that_does_not_fit_is_refused() {
        let model = |method| AnyModel::shipped(method).unwrap().1;
        let tool = |choice, models| Tool::new(choice, &Options::default(), models);
        let crf = || vec![model(Method::Crf)];
        assert!(tool(Choice::One(Method::Crf), crf()).is_ok());
        assert!(tool(Choice::One(Method::Vote), crf()).is_ok());
        assert!(tool(Choice::One(Method::Vote), vec![model(Method::Supervised), model(Method::Crf)]).is_ok());
        assert!(tool(Choice::Auto, vec![model(Method::Blocks)]).is_ok());
        assert!(tool(Choice::Auto, crf()).unwrap_err().is_unfit());
        for choice in [Choice::One(Method::Swarm), Choice::One(Method::Mss), Choice::One(Method::Semi)] {
            assert!(tool(choice, crf()).unwrap_err().is_unfit(), "{choice}");
        }
        assert!(tool(Choice::Auto, vec![model(Method::Swarm)]).unwrap_err().is_unfit());
    }
}
