//! Finds methods by name and creates their extractors.

use tsrec_core::evidence::favor::Favor;
use tsrec_core::evidence::model::BlockModel;
use tsrec_core::extract::auto::Auto;
use tsrec_core::extract::choice::Choice;
use tsrec_core::extract::mss::Mss;
use tsrec_core::extract::scored::Scored;
use tsrec_core::extract::template::TemplateDiff;
use tsrec_core::extract::template_paper::{Heuristics, TemplatePaper};
use tsrec_core::extract::{Extractor, Method};

use crate::crf::{self, BadModel, Crf};
use crate::model::AnyModel;
use crate::mss::semi::SemiSupervised;
use crate::mss::supervised::Supervised;
use crate::segments::{CommonText, Looks, StyledSegments};
use crate::swarm::Swarm;
use crate::vote::Vote;

/// Options of methods. Each method reads only its own options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `auto` and `blocks`: what they favour where precision and recall conflict.
    pub favor: Favor,
    /// `mss`: how many runs of the page to keep, at least 1.
    pub runs: usize,
    /// `mss-supervised`: the content ends at its first `<hr>`.
    pub ends_at_rule: bool,
    /// `segments`: the source of a page's look if the page was not rendered.
    pub looks: Looks,
    /// `template`: against the first sibling, whatever its gates say, and without MSS.
    pub no_fallback: bool,
    /// `template-paper`: which of the paper's heuristics it uses.
    pub heuristics: Heuristics,
    /// `segments`: which text counts in the search for the commonest font size and colour.
    pub common: CommonText,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            favor: Favor::default(),
            runs: 1,
            ends_at_rule: false,
            looks: Looks::default(),
            no_fallback: false,
            heuristics: Heuristics::default(),
            common: CommonText::default(),
        }
    }
}

/// Why a method cannot be created.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(#[from] MethodFailure);

#[derive(Debug, thiserror::Error)]
enum MethodFailure {
    #[error("{0} is run without a model")]
    Untrained(Choice),
    #[error("{0} cannot use this model")]
    Unfit(Choice),
    #[error(transparent)]
    Bad(#[from] BadModel),
}

impl Error {
    /// True if a given model does not fit the method.
    pub fn is_unfit(&self) -> bool {
        matches!(self.0, MethodFailure::Untrained(_) | MethodFailure::Unfit(_))
    }
}

/// Creates the method with these models. Missing models are replaced by the shipped ones.
///
/// # Errors
///
/// If the method does not take one of the models, or a model contradicts itself.
pub fn extractor(choice: Choice, options: &Options, mut models: Vec<AnyModel>) -> Result<Box<dyn Extractor>, Error> {
    let method = with_models(choice, options, &mut models)?;
    match models.is_empty() {
        true => Ok(method),
        false if is_trained(choice) => Err(MethodFailure::Unfit(choice).into()),
        false => Err(MethodFailure::Untrained(choice).into()),
    }
}

/// Creates the method with the shipped models.
pub fn shipped(choice: Choice) -> Box<dyn Extractor> {
    extractor(choice, &Options::default(), Vec::new()).expect("a test makes every method with what ships")
}

/// Creates the method and removes the models that it uses from those given.
fn with_models(
    choice: Choice,
    options: &Options,
    models: &mut Vec<AnyModel>,
) -> Result<Box<dyn Extractor>, MethodFailure> {
    let Choice::One(method) = choice else { return Ok(Box::new(Auto::new(scored(models, options.favor)?))) };
    Ok(match method {
        Method::Mss => Box::new(Mss { runs: options.runs, ..Mss::default() }),
        Method::Template if options.no_fallback => Box::new(TemplateDiff),
        Method::TemplatePaper => Box::new(TemplatePaper { heuristics: options.heuristics }),
        Method::Blocks => Box::new(scored(models, options.favor)?),
        Method::Supervised => {
            let supervised = Supervised::new(take_or_shipped(models, method)?);
            Box::new(if options.ends_at_rule { supervised.ending_at_rule() } else { supervised })
        }
        Method::Semi => Box::new(SemiSupervised::new(take_or_shipped(models, method)?)),
        Method::Swarm => Box::new(Swarm::new(take_or_shipped(models, method)?)),
        Method::Segments => Box::new(StyledSegments { looks: options.looks, common: options.common }),
        Method::Crf => Box::new(Crf::new(&take_or_shipped(models, method)?)?),
        Method::Vote => vote(models)?,
        core => Choice::One(core).extractor().expect("a method of the core"),
    })
}

/// True if the method can take models.
fn is_trained(choice: Choice) -> bool {
    match choice {
        Choice::Auto | Choice::One(Method::Vote) => true,
        Choice::One(method) => AnyModel::is_taken_by(method),
    }
}

/// The score with the given model, or with the shipped one.
fn scored(models: &mut Vec<AnyModel>, favor: Favor) -> Result<Scored, MethodFailure> {
    if models.is_empty() {
        return Ok(Scored::shipped().clone().favoring(favor));
    }
    let model: Box<BlockModel> = take_or_shipped(models, Method::Blocks)?;
    Ok(Scored::new(*model).favoring(favor))
}

/// The vote with the given models, or with the shipped ones.
fn vote(models: &mut Vec<AnyModel>) -> Result<Box<dyn Extractor>, MethodFailure> {
    if models.is_empty() {
        return Ok(Box::new(Vote::shipped()));
    }
    let mss = take_or_shipped(models, Method::Supervised)?;
    let crf: crf::CrfModel = take_or_shipped(models, Method::Crf)?;
    Ok(Box::new(Vote::new(mss, &crf)?))
}

/// The given model of this kind, or else the shipped model of the method.
fn take_or_shipped<M: TryFrom<AnyModel, Error = AnyModel>>(
    models: &mut Vec<AnyModel>,
    method: Method,
) -> Result<M, MethodFailure> {
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
    use tsrec_core::extract::{Extract, Extracted, NoSibling};
    use tsrec_core::html::{Document, parse};

    fn page(story: &str) -> Document {
        let page = format!("<ul><li><a href=a>Menu</a></ul><div><h1>{story}</h1><p>{story}. {story}!</div>");
        parse(page.as_bytes(), None, &Default::default())
    }

    fn extracted<'d>(
        method: Method,
        page: &'d Document,
        sibling: Option<&Document>,
    ) -> Result<Extracted<'d>, NoSibling> {
        let request = Extract::new(page).method(shipped(Choice::One(method)));
        sibling.into_iter().fold(request, |request, other| request.sibling("other", other)).run()
    }

    /// Every method, by name, with a sibling and shipped models, extracts and reports its own name.
    #[test]
    fn every_method_is_ready_and_says_its_name() {
        let [page, other] = ["The ferry sails again, later", "A cat was found on the quay"].map(page);
        for method in Method::ALL {
            let expect = match method {
                // The vote uses the blocks' result for pages without an article.
                Method::Vote => Method::MssBlocks,
                // The pages are too short for the gates of the diff.
                Method::Template => Method::Mss,
                method => method,
            };
            assert_eq!(extracted(method, &page, Some(&other)).unwrap().method(), expect);
        }
    }

    #[test]
    fn a_method_that_compares_needs_a_sibling() {
        let page = page("The ferry sails again, later");
        for method in Method::ALL {
            assert_eq!(extracted(method, &page, None).is_err(), method == Method::TemplatePaper, "{method}");
        }
    }

    #[test]
    fn a_model_that_does_not_fit_is_refused() {
        let model = |method| AnyModel::shipped(method).unwrap().1;
        let made = |choice, models| extractor(choice, &Options::default(), models);
        let crf = || vec![model(Method::Crf)];
        assert!(made(Choice::One(Method::Crf), crf()).is_ok());
        assert!(made(Choice::One(Method::Vote), crf()).is_ok());
        assert!(made(Choice::One(Method::Vote), vec![model(Method::Supervised), model(Method::Crf)]).is_ok());
        assert!(made(Choice::Auto, vec![model(Method::Blocks)]).is_ok());
        assert!(made(Choice::Auto, crf()).unwrap_err().is_unfit());
        for choice in [Choice::One(Method::Swarm), Choice::One(Method::Mss), Choice::One(Method::Semi)] {
            assert!(made(choice, crf()).unwrap_err().is_unfit(), "{choice}");
        }
        assert!(made(Choice::Auto, vec![model(Method::Swarm)]).unwrap_err().is_unfit());
    }
}
