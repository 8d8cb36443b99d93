//! The methods by name, with the models that some of them need.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;

use crate::block::symbols::{Symbol, symbols};
use crate::block::tokens::tokens;
use crate::extract::blocks::Blocks;
use crate::extract::cascade::Cascade;
use crate::extract::crf::Crf;
use crate::extract::longest::Longest;
use crate::extract::model::Model;
use crate::extract::mss::Mss;
use crate::extract::mss::semi::Semi;
use crate::extract::mss::supervised::Supervised;
use crate::extract::segments::{CommonText, Segments};
use crate::extract::swarm::Swarm;
use crate::extract::template::Template;
use crate::extract::template_paper::TemplatePaper;
use crate::extract::vote::Vote;
use crate::extract::{Extraction, Extractor, Method, Page, Sibling};
use crate::html::Document;
use crate::learn::model::Header;
use crate::style::{self, Styles};

/// The methods that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodChoice {
    /// The template diff where a sibling passes its gates; otherwise vote.
    Auto,
    /// The template diff against the first sibling, whatever its gates say.
    Template,
    /// The template diff as its paper prints it, against the first sibling.
    TemplatePaper,
    /// Maximum subsequence segmentation of the page alone.
    Mss,
    /// The same over blocks: links inside a sentence do not break it up.
    MssBlocks,
    /// The same over a trained classifier's scores.
    MssSupervised,
    /// The same, trained further on the page and its siblings, without labels.
    MssSemi,
    /// A trained conditional random field over blocks of text.
    Crf,
    /// Blocks whose features meet thresholds that a particle swarm learned.
    Swarm,
    /// Maximum subsequence over text segments, by font size, colour and links.
    Segments,
    /// What most of mss-blocks, mss-supervised and crf keep of an article; of other pages what mss-blocks keeps.
    Vote,
    /// The table cell or div with the most characters.
    Longest,
    /// Every method but auto, side by side (extract only).
    All,
}

impl MethodChoice {
    /// True when the method is run with a model.
    fn is_trained(self) -> bool {
        matches!(self, MethodChoice::MssSupervised | MethodChoice::MssSemi | MethodChoice::Swarm | MethodChoice::Crf)
    }

    /// Every method but `auto`, in the order of the documentation.
    pub(super) fn each() -> impl Iterator<Item = (Self, Method)> {
        Method::ALL.into_iter().filter_map(|method| {
            let choice = Self::value_variants().iter().find(|choice| choice.method() == Some(method))?;
            Some((*choice, method))
        })
    }

    /// The method; `None` for `auto`, which chooses, and for `all`.
    pub(super) fn method(self) -> Option<Method> {
        Some(match self {
            MethodChoice::Auto | MethodChoice::All => return None,
            MethodChoice::Template => Method::Template,
            MethodChoice::TemplatePaper => Method::TemplatePaper,
            MethodChoice::Mss => Method::Mss,
            MethodChoice::MssBlocks => Method::Blocks,
            MethodChoice::MssSupervised => Method::Supervised,
            MethodChoice::MssSemi => Method::Semi,
            MethodChoice::Crf => Method::Crf,
            MethodChoice::Swarm => Method::Swarm,
            MethodChoice::Segments => Method::Segments,
            MethodChoice::Vote => Method::Vote,
            MethodChoice::Longest => Method::Longest,
        })
    }
}

/// Options of methods.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Options {
    /// The model of a trained method, made by tsrec train; without it the one that ships with this program.
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<PathBuf>,
    /// mss: keep so many runs of the page, the best that do not touch; for pages of several articles.
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    runs: NonZeroUsize,
    /// mss-supervised: the content ends at its first <hr>.
    #[arg(long)]
    hr: bool,
    /// segments: what tells how the page looks.
    #[arg(long, value_enum, default_value_t = StylesChoice::Css)]
    pub(super) styles: StylesChoice,
    /// segments: the commonest font size and colour are those of the text outside links.
    #[arg(long)]
    unlinked: bool,
}

/// Where the looks of a page come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum StylesChoice {
    /// The page's own <style> elements and style attributes, over what HTML says.
    Css,
    /// What HTML says alone: elements and attributes such as <font size>.
    Html,
}

impl StylesChoice {
    /// How a page looks.
    pub(super) fn of(self, document: &Document) -> Styles {
        match self {
            StylesChoice::Css => style::compute(document),
            StylesChoice::Html => style::defaults(document),
        }
    }
}

/// `segments` with the looks that were chosen.
#[derive(Clone, Copy)]
struct StyledSegments<'s> {
    /// Those of the rendered page, which go before any choice.
    rendered: Option<&'s Styles>,
    styles: StylesChoice,
    common: CommonText,
}

impl Extractor for StyledSegments<'_> {
    fn extract(&self, page: &Page<'_>) -> Extraction {
        let common = self.common;
        match self.rendered {
            Some(styles) => Segments { styles: Some(styles), common }.extract(page),
            None => Segments { styles: Some(&self.styles.of(page.document)), common }.extract(page),
        }
    }
}

impl Options {
    /// Without what the method does not take.
    pub(super) fn for_method(self, choice: MethodChoice) -> Self {
        Options {
            model: self.model.filter(|_| choice.is_trained()),
            runs: if choice == MethodChoice::Mss { self.runs } else { NonZeroUsize::MIN },
            hr: self.hr && choice == MethodChoice::MssSupervised,
            styles: if choice == MethodChoice::Segments { self.styles } else { StylesChoice::Css },
            unlinked: self.unlinked && choice == MethodChoice::Segments,
        }
    }
}

impl Options {
    /// True when one of them is.
    pub(super) fn are_given(&self) -> bool {
        self.model.is_some() || self.hr || self.runs != NonZeroUsize::MIN
    }
}

/// A method, ready to be used.
pub(super) struct Tool {
    choice: MethodChoice,
    model: Option<Model>,
    /// What `mss-semi` learned of the sources.
    semi: Option<Semi>,
    /// The field of `crf`, ready for use.
    crf: Option<Crf>,
    /// That of `vote` and `auto`, where it is not the one that ships.
    vote: Option<Vote>,
    runs: usize,
    hr: bool,
    styles: StylesChoice,
    common: CommonText,
}

impl Tool {
    /// With the model that the options name, or the one that ships.
    pub(super) fn new(choice: MethodChoice, options: &Options) -> Result<Self> {
        ensure!(choice != MethodChoice::All, "--method all is for tsrec extract: name one method");
        ensure!(!options.hr || choice == MethodChoice::MssSupervised, "--hr is for --method mss-supervised");
        ensure!(choice == MethodChoice::Mss || options.runs == NonZeroUsize::MIN, "--runs is for --method mss");
        ensure!(
            choice == MethodChoice::Segments || (options.styles == StylesChoice::Css && !options.unlinked),
            "--styles and --unlinked are for --method segments"
        );
        let model = match (&options.model, choice.method()) {
            (Some(file), Some(method)) => {
                let (header, model) = read_model(file)?;
                let of = &header.method;
                ensure!(model.serves(method), "{}: a model of {of}, which {method} cannot use", file.display());
                Some(model)
            }
            (Some(_), None) => bail!("--model needs a --method that is trained, such as mss-supervised"),
            (None, method) => method.and_then(Model::shipped).map(|(_, model)| model),
        };
        Self::with_models(choice, options, model.into_iter().collect())
    }

    /// With models at hand: the one that the method takes, or the two that vote.
    pub(super) fn with_models(choice: MethodChoice, options: &Options, models: Vec<Model>) -> Result<Self> {
        let (mut model, mut crf, mut vote) = (None, None, None);
        match <[Model; 2]>::try_from(models) {
            Ok([Model::Mss(mss), Model::Crf(crf)]) => vote = Some(Vote::new(mss, &crf)?),
            Ok(_) => unreachable!("two models are those of a vote"),
            Err(models) => model = models.into_iter().next(),
        }
        if let Some(Model::Crf(model)) = &model {
            crf = Some(Crf::new(model)?);
        }
        let common = if options.unlinked { CommonText::Unlinked } else { CommonText::All };
        Ok(Tool {
            choice,
            model,
            semi: None,
            crf,
            vote,
            runs: options.runs.get(),
            hr: options.hr,
            styles: options.styles,
            common,
        })
    }

    /// Learns the pages of some sources, where the method does that; before the first extraction.
    pub(super) fn learn(&mut self, sources: &[Vec<&Document>]) {
        let (MethodChoice::MssSemi, Some(Model::Mss(model))) = (self.choice, &self.model) else { return };
        let symbols: Vec<Vec<Vec<Symbol>>> =
            sources.iter().map(|pages| pages.iter().map(|page| symbols(page, &tokens(page))).collect()).collect();
        let sources: Vec<Vec<&[Symbol]>> =
            symbols.iter().map(|pages| pages.iter().map(Vec::as_slice).collect()).collect();
        self.semi = Some(Semi::bootstrap(model, &sources));
    }

    /// The extractor for a page with these siblings, and these styles where it was rendered. `None` when the method needs
    /// a sibling and there is none.
    pub(super) fn extractor<'t>(
        &'t self,
        siblings: Vec<Sibling<'t>>,
        rendered: Option<&'t Styles>,
    ) -> Option<Box<dyn Extractor + 't>> {
        let vote = || self.vote.as_ref().unwrap_or_else(|| Vote::shipped());
        Some(match (self.choice, &self.model) {
            (MethodChoice::Auto, _) => Box::new(Cascade::new(siblings).with_vote(vote())),
            (MethodChoice::Vote, _) => Box::new(vote()),
            (MethodChoice::Template, _) => Box::new(Template::new(siblings.into_iter().next()?)),
            (MethodChoice::TemplatePaper, _) => Box::new(TemplatePaper::new(siblings.into_iter().next()?)),
            (MethodChoice::Mss, _) => Box::new(Mss { runs: self.runs, ..Mss::default() }),
            (MethodChoice::MssBlocks, _) => Box::new(Blocks),
            (MethodChoice::MssSupervised, Some(Model::Mss(model))) if self.hr => {
                Box::new(Supervised::new(model).ending_at_rule())
            }
            (MethodChoice::MssSupervised, Some(Model::Mss(model))) => Box::new(Supervised::new(model)),
            (MethodChoice::MssSemi, _) => Box::new(self.semi.as_ref()?),
            (MethodChoice::Crf, _) => Box::new(self.crf.as_ref()?),
            (MethodChoice::Swarm, Some(Model::Swarm(model))) => Box::new(Swarm::new(model)),
            (MethodChoice::Segments, _) => {
                Box::new(StyledSegments { rendered, styles: self.styles, common: self.common })
            }
            (MethodChoice::Longest, _) => Box::new(Longest),
            (_, _) => unreachable!("a trained method has a model of its kind from its making"),
        })
    }
}

/// Reads a model file.
pub(super) fn read_model(file: &std::path::Path) -> Result<(Header, Model)> {
    let bytes = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    Model::from_file(&bytes).with_context(|| format!("{} cannot be used", file.display()))
}
