//! The methods of the registry as the command line takes them.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::usage;
use tsrec_core::evidence::Kind;
use tsrec_core::extract::Method;
use tsrec_core::extract::choice::Choice;
use tsrec_core::learn::model::Header;
use tsrec_papers::model::AnyModel;
use tsrec_papers::registry;
use tsrec_papers::registry::Tool;
use tsrec_papers::segments::{CommonText, Looks};

/// Reads the name of a method, or `auto`.
pub fn choice() -> impl TypedValueParser<Value = Choice> {
    PossibleValuesParser::new(Choice::all().map(possible_choice))
        .map(|name| name.parse().expect("possible values are names of methods"))
}

/// A method's name with what it does.
pub fn possible_choice(choice: Choice) -> PossibleValue {
    PossibleValue::new(choice.as_str()).help(choice.summary())
}

/// Reads the name of a kind of evidence.
pub fn evidence_kind() -> impl TypedValueParser<Value = Kind> {
    let values = Kind::ALL.map(|kind| PossibleValue::new(kind.as_str()).help(kind.about()));
    PossibleValuesParser::new(values).map(|name| {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == name).expect("possible values are names of kinds")
    })
}

/// Options of methods.
#[derive(Clone, Debug, clap::Args)]
pub struct MethodOptions {
    /// The model of a trained method, made by tsrec-lab train; without it the one that ships with
    /// this program.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    /// mss: keep so many runs of the page, the best that do not touch; for pages of several
    /// articles.
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    runs: NonZeroUsize,
    /// mss-supervised: the content ends at its first <hr>.
    #[arg(long)]
    hr: bool,
    /// segments: what tells how the page looks.
    #[arg(long, value_enum, default_value_t = StylesChoice::Css)]
    styles: StylesChoice,
    /// segments: the commonest font size and colour are those of the text outside links.
    #[arg(long)]
    unlinked: bool,
}

/// Where the looks of a page come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StylesChoice {
    /// The page's own <style> elements and style attributes, over what HTML says.
    Css,
    /// What HTML says alone: elements and attributes such as <font size>.
    Html,
}

impl MethodOptions {
    /// Without what the method does not take.
    pub fn for_method(self, method: Method) -> Self {
        MethodOptions {
            model: self.model.filter(|_| AnyModel::is_taken_by(method)),
            runs: if method == Method::Mss { self.runs } else { NonZeroUsize::MIN },
            hr: self.hr && method == Method::Supervised,
            styles: if method == Method::Segments { self.styles } else { StylesChoice::Css },
            unlinked: self.unlinked && method == Method::Segments,
        }
    }

    /// True when one of them is.
    pub fn are_given(&self) -> bool {
        self.model.is_some() || self.hr || self.runs != NonZeroUsize::MIN
    }

    /// What tells how a page looks that was not rendered.
    pub fn looks(&self) -> Looks {
        match self.styles {
            StylesChoice::Css => Looks::Css,
            StylesChoice::Html => Looks::Html,
        }
    }

    /// For the registry.
    ///
    /// # Errors
    ///
    /// When one was given that another method takes.
    pub fn check(&self, choice: Choice) -> Result<registry::Options> {
        let is = |method| choice == Choice::One(method);
        usage::ensure(!self.hr || is(Method::Supervised), "--hr is for --method mss-supervised")?;
        usage::ensure(is(Method::Mss) || self.runs == NonZeroUsize::MIN, "--runs is for --method mss")?;
        usage::ensure(
            is(Method::Segments) || (self.styles == StylesChoice::Css && !self.unlinked),
            "--styles and --unlinked are for --method segments",
        )?;
        Ok(registry::Options {
            runs: self.runs.get(),
            ends_at_rule: self.hr,
            looks: self.looks(),
            common: if self.unlinked { CommonText::Unlinked } else { CommonText::All },
        })
    }

    /// The method with the model that the options name, or with what ships.
    pub fn tool(&self, choice: Choice) -> Result<Tool> {
        let options = self.check(choice)?;
        let Some(file) = &self.model else { return Ok(Tool::new(choice, &options, Vec::new())?) };
        usage::ensure(
            choice.method().is_some_and(AnyModel::is_taken_by),
            "--model needs a --method that is trained, such as mss-supervised",
        )?;
        let (header, model) = read_model(file)?;
        match Tool::new(choice, &options, vec![model]) {
            Err(error) if error.is_unfit() => {
                bail!("{}: a model of {}, which {choice} cannot use", file.display(), header.method)
            }
            tool => tool.with_context(|| format!("{} cannot be used", file.display())),
        }
    }
}

/// Reads a model file.
fn read_model(file: &Path) -> Result<(Header, AnyModel)> {
    let bytes = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    AnyModel::from_file(&bytes).with_context(|| format!("{} cannot be used", file.display()))
}
