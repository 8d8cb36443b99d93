//! What each method's training can be told.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;

use tsrec_papers::block::removal::Splitting;
use tsrec_papers::mss::model::{Recipe, Setting};
use tsrec_papers::mss::train::MssLearner;
use tsrec_papers::{crf, swarm};
use tsrec_terminal::usage;

/// The variance that [`tsrec_papers::learn::crf::Config`] has by default.
const VARIANCE: f64 = 1.0;

/// The methods that can be trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TrainedMethod {
    /// The classifier of mss-supervised and mss-semi.
    Mss,
    /// The thresholds of swarm.
    Swarm,
    /// The field of crf.
    Crf,
    /// The score of blocks, which auto is over too.
    Blocks,
}

/// What each method's training takes.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct TrainingArgs {
    #[command(flatten)]
    pub(super) mss: MssArgs,
    #[command(flatten)]
    pub(super) swarm: SwarmArgs,
    #[command(flatten)]
    pub(super) crf: CrfArgs,
}

impl TrainingArgs {
    /// The options that were given and are not what they are anyway, each with a space before it,
    /// as `tsrec-lab train` takes them.
    ///
    /// # Errors
    ///
    /// When one was given that belongs to another method.
    pub(super) fn options(&self, method: TrainedMethod) -> Result<String> {
        let of = [
            (TrainedMethod::Mss, self.mss.options()),
            (TrainedMethod::Swarm, self.swarm.options()),
            (TrainedMethod::Crf, self.crf.options()),
        ];
        let mut options = String::new();
        for (owner, given) in of {
            usage::ensure(
                owner == method || given.is_empty(),
                &format!("{given} is an option of {owner:?}, not of {method:?}"),
            )?;
            options += &given;
        }
        Ok(options)
    }

    /// True when no option was given that changes a training.
    pub(super) fn are_usual(&self) -> bool {
        [self.mss.options(), self.swarm.options(), self.crf.options()].iter().all(String::is_empty)
    }
}

/// What only `tsrec-lab train mss` takes.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct MssArgs {
    /// mss: what the model is to be for.
    #[arg(long, value_enum, default_value_t = SettingChoice::Article)]
    setting: SettingChoice,
    /// mss: how the classifier is counted.
    #[arg(long, value_enum, default_value_t = RecipeChoice::Paper)]
    recipe: RecipeChoice,
    /// mss: features of tokens that the model keeps at most, four bytes each; those that say most.
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true, value_name = "N")]
    most_features: usize,
}

/// The settings of the MSS classifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SettingChoice {
    /// Articles: trigrams.
    Article,
    /// Pages of any kind: single tokens, recall before precision.
    Cleaneval,
}

/// The recipes of the MSS classifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RecipeChoice {
    /// As published.
    Paper,
    /// For pages unlike the training pages: no class is likelier than the other, parent tags are no
    /// evidence, nor is what was seen once.
    Transfer,
}

impl MssArgs {
    pub(super) fn training(&self) -> MssLearner {
        let setting = match self.setting {
            SettingChoice::Article => Setting::Article,
            SettingChoice::Cleaneval => Setting::CleanEval,
        };
        let recipe = match self.recipe {
            RecipeChoice::Paper => Recipe::Paper,
            RecipeChoice::Transfer => Recipe::Transfer,
        };
        MssLearner { setting, recipe, most_features: self.most_features }
    }

    fn options(&self) -> String {
        let mut options = String::new();
        if self.setting == SettingChoice::Cleaneval {
            options += " --setting cleaneval";
        }
        if self.recipe == RecipeChoice::Transfer {
            options += " --recipe transfer";
        }
        if self.most_features != usize::MAX {
            options += &format!(" --most-features {}", self.most_features);
        }
        options
    }
}

/// What only `tsrec-lab train crf` takes.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct CrfArgs {
    /// crf: the features and their values, in place of the usual ones; a TOML file like
    /// crates/tsrec-papers/src/crf/features.toml.
    #[arg(long, value_name = "FILE")]
    features: Option<PathBuf>,
    /// crf: the variance of the prior; less of it keeps weights smaller.
    #[arg(long, default_value_t = VARIANCE, value_name = "V")]
    variance: f64,
}

impl CrfArgs {
    pub(super) fn training(&self) -> Result<crf::CrfLearner> {
        usage::ensure(self.variance > 0.0, &format!("--variance {}: a variance is above 0", self.variance))?;
        let features = match &self.features {
            None => crf::Features::default(),
            Some(file) => {
                let text =
                    std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
                crf::Features::parse(&text).with_context(|| format!("{} cannot be used", file.display()))?
            }
        };
        let field = tsrec_papers::learn::crf::Config { variance: self.variance, ..Default::default() };
        Ok(crf::CrfLearner::new(&crf::Config { features, field })?)
    }

    fn options(&self) -> String {
        let mut options = String::new();
        if let Some(file) = &self.features {
            options += &format!(" --features {}", file.file_name().unwrap_or_default().display());
        }
        if self.variance != VARIANCE {
            options += &format!(" --variance {}", self.variance);
        }
        options
    }
}

/// What only `tsrec-lab train swarm` takes.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct SwarmArgs {
    /// swarm: where one block of text ends and the next begins.
    #[arg(long, value_enum, default_value_t = SplittingChoice::Blocks)]
    splitting: SplittingChoice,
}

/// Where blocks end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SplittingChoice {
    /// As the paper has it: at what its figure 2 does not name, such as table cells.
    Paper,
    /// At every element that is laid out as a block.
    Blocks,
}

impl SwarmArgs {
    pub(super) fn splitting(&self) -> Splitting {
        match self.splitting {
            SplittingChoice::Paper => Splitting::Paper,
            SplittingChoice::Blocks => Splitting::Blocks,
        }
    }

    fn options(&self) -> String {
        match self.splitting {
            SplittingChoice::Paper => " --splitting paper".to_owned(),
            SplittingChoice::Blocks => String::new(),
        }
    }

    pub(super) fn training(&self) -> swarm::train::SwarmLearner {
        swarm::train::SwarmLearner { splitting: self.splitting(), ..Default::default() }
    }
}
