//! Command-line arguments for the registry's methods.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::favor::FavorArgs;
use crate::usage;
use tsrec_core::evidence::Kind;
use tsrec_core::evidence::favor::Favor;
use tsrec_core::extract::choice::Choice;
use tsrec_core::extract::template_paper::Heuristics;
use tsrec_core::extract::{Extractor, Method};
use tsrec_core::learn::model::Header;
use tsrec_papers::model::AnyModel;
use tsrec_papers::registry;
use tsrec_papers::segments::{CommonText, Looks, Segments};
use tsrec_papers::style::Styles;

/// Parses the name of a method, or `auto`.
pub fn choice() -> impl TypedValueParser<Value = Choice> {
    PossibleValuesParser::new(Choice::all().map(possible_choice))
        .map(|name| name.parse().expect("possible values are names of methods"))
}

/// A method's name with its description, and that of the model that ships with it.
pub fn possible_choice(choice: Choice) -> PossibleValue {
    let told: Vec<&str> = [choice.summary()].into_iter().chain(choice.shipped_model()).collect();
    PossibleValue::new(choice.as_str()).help(told.join(". "))
}

/// Parses the name of a kind of evidence.
pub fn evidence_kind() -> impl TypedValueParser<Value = Kind> {
    let values = Kind::ALL.map(|kind| PossibleValue::new(kind.as_str()).help(kind.about()));
    PossibleValuesParser::new(values).map(|name| {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == name).expect("possible values are names of kinds")
    })
}

/// Options of methods.
#[derive(Clone, Debug, clap::Args)]
pub struct MethodOptions {
    /// The file of a trained model, made by tsrec-lab train [default: the model that ships with
    /// this program].
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
    #[command(flatten)]
    favor: FavorArgs,
    /// mss: keep the N best runs of the page that do not touch. For pages with several articles.
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    runs: NonZeroUsize,
    /// mss-supervised: end the content at its first <hr>.
    #[arg(long)]
    hr: bool,
    /// segments: where the page's styles come from.
    #[arg(long, value_enum, default_value_t = StylesChoice::Css)]
    styles: StylesChoice,
    /// template: compare with the first sibling, whatever its gates say, and do without MSS.
    #[arg(long)]
    no_fallback: bool,
    /// template-paper: do without the paper's two heuristics (its column R1). Long texts can be
    /// regular, and hidden text is compared and kept like other text.
    #[arg(long)]
    no_heuristics: bool,
    /// segments: take the most common font size and colour from the text outside links.
    #[arg(long)]
    unlinked: bool,
}

/// Where the styles of a page come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StylesChoice {
    /// The page's own <style> elements and style attributes, on top of what HTML itself says.
    Css,
    /// HTML itself only: elements and attributes such as <font size>.
    Html,
}

impl MethodOptions {
    /// Without the options that the method does not take.
    pub fn for_method(self, method: Method) -> Self {
        MethodOptions {
            model: self.model.filter(|_| AnyModel::is_taken_by(method)),
            favor: if method == Method::Blocks { self.favor } else { FavorArgs::default() },
            runs: if method == Method::Mss { self.runs } else { NonZeroUsize::MIN },
            hr: self.hr && method == Method::Supervised,
            styles: if method == Method::Segments { self.styles } else { StylesChoice::Css },
            no_fallback: self.no_fallback && method == Method::Template,
            no_heuristics: self.no_heuristics && method == Method::TemplatePaper,
            unlinked: self.unlinked && method == Method::Segments,
        }
    }

    /// Whether any option is given.
    pub fn are_given(&self) -> bool {
        self.model.is_some() || self.hr || self.runs != NonZeroUsize::MIN
    }

    /// The source of a page's looks when it was not rendered.
    pub fn looks(&self) -> Looks {
        match self.styles {
            StylesChoice::Css => Looks::Css,
            StylesChoice::Html => Looks::Html,
        }
    }

    /// The options for the registry.
    ///
    /// # Errors
    ///
    /// If an option belongs to another method.
    pub fn check(&self, choice: Choice) -> Result<registry::Options> {
        let is = |method| choice == Choice::One(method);
        let favor = self.favor.favor();
        usage::ensure(
            favor == Favor::Balance || choice.favors(),
            &format!("--{favor} is for --method auto and blocks: no other method weighs what it may lose"),
        )?;
        usage::ensure(!self.hr || is(Method::Supervised), "--hr is for --method mss-supervised")?;
        usage::ensure(!self.no_fallback || is(Method::Template), "--no-fallback is for --method template")?;
        usage::ensure(
            !self.no_heuristics || is(Method::TemplatePaper),
            "--no-heuristics is for --method template-paper",
        )?;
        usage::ensure(is(Method::Mss) || self.runs == NonZeroUsize::MIN, "--runs is for --method mss")?;
        usage::ensure(
            is(Method::Segments) || (self.styles == StylesChoice::Css && !self.unlinked),
            "--styles and --unlinked are for --method segments",
        )?;
        Ok(registry::Options {
            favor,
            runs: self.runs.get(),
            ends_at_rule: self.hr,
            looks: self.looks(),
            no_fallback: self.no_fallback,
            heuristics: if self.no_heuristics { Heuristics::Without } else { Heuristics::Both },
            common: self.common(),
        })
    }

    /// The method for a rendered page, if it uses the page's looks.
    pub fn for_rendered<'s>(&self, choice: Choice, styles: Option<&'s Styles>) -> Option<Segments<'s>> {
        let styles = styles.filter(|_| choice == Choice::One(Method::Segments))?;
        Some(Segments { styles: Some(styles), common: self.common() })
    }

    fn common(&self) -> CommonText {
        if self.unlinked { CommonText::Unlinked } else { CommonText::All }
    }

    /// The method with the options' model, or with the shipped one.
    pub fn extractor(&self, choice: Choice) -> Result<Box<dyn Extractor>> {
        let options = self.check(choice)?;
        let Some(file) = &self.model else { return Ok(registry::extractor(choice, &options, Vec::new())?) };
        usage::ensure(
            choice.method().is_some_and(AnyModel::is_taken_by),
            "--model needs a --method that is trained, such as mss-supervised",
        )?;
        let (header, model) = read_model(file)?;
        match registry::extractor(choice, &options, vec![model]) {
            Err(error) if error.is_unfit() => {
                bail!("{}: a model of {}, which {choice} cannot use", file.display(), header.method)
            }
            made => made.with_context(|| format!("{} cannot be used", file.display())),
        }
    }
}

/// Reads a model file.
fn read_model(file: &Path) -> Result<(Header, AnyModel)> {
    let bytes = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    AnyModel::from_file(&bytes).with_context(|| format!("{} cannot be used", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_says_of_each_model_that_it_is_not_the_papers() {
        for choice in Choice::all() {
            let value = possible_choice(choice);
            let help = value.get_help().unwrap().to_string();
            let is_trained =
                choice.method().is_none_or(|method| AnyModel::is_taken_by(method) || method == Method::Vote);
            assert_eq!(help.contains("not the paper's") || help.contains("o paper describes"), is_trained, "{help}");
        }
    }

    #[test]
    fn heuristics_are_an_option_of_the_printed_diff() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            options: MethodOptions,
        }
        let of = |line: &[&str]| <Line as clap::Parser>::parse_from([&["tsrec"], line].concat()).options;
        let paper = Choice::One(Method::TemplatePaper);
        let heuristics = |line: &[&str]| of(line).check(paper).unwrap().heuristics;
        assert_eq!((heuristics(&[]), heuristics(&["--no-heuristics"])), (Heuristics::Both, Heuristics::Without));
        let error = of(&["--no-heuristics"]).check(Choice::One(Method::Template)).unwrap_err();
        assert!(error.is::<usage::Usage>() && error.to_string().contains("template-paper"), "{error}");
    }
}
