//! The training options of each method.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;

use tsrec_core::evidence::model::BlockModel;
use tsrec_core::evidence::training::BlockTraining;
use tsrec_core::learn::model::{Payload, decode};
use tsrec_papers::block::removal::Splitting;
use tsrec_papers::learn::swarm::Settings;
use tsrec_papers::learn::threads::Threads;
use tsrec_papers::mss::model::{Recipe, Setting};
use tsrec_papers::mss::train::MssLearner;
use tsrec_papers::{crf, swarm};
use tsrec_terminal::usage;

/// The default variance of [`tsrec_papers::learn::crf::Config`].
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
    /// The score of blocks, which auto also uses.
    Blocks,
}

/// The training options of each method.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct TrainingArgs {
    #[command(flatten)]
    pub(super) mss: MssArgs,
    #[command(flatten)]
    pub(super) swarm: SwarmArgs,
    #[command(flatten)]
    pub(super) crf: CrfArgs,
    #[command(flatten)]
    pub(super) blocks: BlocksArgs,
}

impl TrainingArgs {
    /// The given options that differ from their defaults, each with a space before it, as
    /// `tsrec-lab train` takes them.
    ///
    /// # Errors
    ///
    /// If a given option belongs to another method.
    pub(super) fn options(&self, method: TrainedMethod) -> Result<String> {
        let of = [
            (TrainedMethod::Mss, self.mss.options()),
            (TrainedMethod::Swarm, self.swarm.options()),
            (TrainedMethod::Crf, self.crf.options()),
            (TrainedMethod::Blocks, self.blocks.options()),
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

    /// True if no given option changes the training.
    pub(super) fn are_usual(&self) -> bool {
        let given = [self.mss.options(), self.swarm.options(), self.crf.options(), self.blocks.options()];
        given.iter().all(String::is_empty)
    }
}

/// Options of `tsrec-lab train mss` only.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct MssArgs {
    /// mss: the pages that the model is for.
    #[arg(long, value_enum, default_value_t = SettingChoice::Article)]
    setting: SettingChoice,
    /// mss: how to train the classifier.
    #[arg(long, value_enum, default_value_t = RecipeChoice::Paper)]
    recipe: RecipeChoice,
    /// mss: the most token features that the model keeps, at four bytes each [default: no limit].
    /// It keeps the most informative ones.
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
    /// For pages unlike the training pages. All classes are equally likely. Parent tags, and what
    /// was seen only once, are not evidence.
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

/// Options of `tsrec-lab train crf` only.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct CrfArgs {
    /// crf: a TOML file with features and their values, to replace the usual ones. For an example,
    /// see crates/tsrec-papers/src/crf/features.toml.
    #[arg(long, value_name = "FILE")]
    features: Option<PathBuf>,
    /// crf: the variance of the prior. A lower variance keeps weights smaller.
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

/// Options of `tsrec-lab train blocks` only.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct BlocksArgs {
    /// blocks: a model whose first two stages are taken as they are, so that a page alone is judged
    /// as by that model. Only what a diff moves is trained.
    #[arg(long, value_name = "MODEL")]
    first_stages: Option<PathBuf>,
}

impl BlocksArgs {
    pub(super) fn training(&self) -> Result<BlockTraining> {
        let training = BlockTraining::default().with_workers(&Threads);
        let Some(file) = &self.first_stages else { return Ok(training) };
        let bytes = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
        let model = decode(&bytes).and_then(|(header, payload)| BlockModel::from_payload(&header, payload));
        let first_stages = Some(model.with_context(|| format!("{} cannot be used", file.display()))?);
        Ok(BlockTraining { first_stages, ..training })
    }

    fn options(&self) -> String {
        let name = |file: &PathBuf| format!(" --first-stages {}", file.file_name().unwrap_or_default().display());
        self.first_stages.as_ref().map(name).unwrap_or_default()
    }
}

/// Options of `tsrec-lab train swarm` only.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct SwarmArgs {
    /// swarm: where one block of text ends and the next begins.
    #[arg(long, value_enum, default_value_t = SplittingChoice::Blocks)]
    splitting: SplittingChoice,
    /// swarm: the number of particles, from 1 to 10,000.
    #[arg(long, default_value_t = Settings::default().particles, value_name = "N")]
    particles: usize,
    /// swarm: the number of populations that are judged, from 1 to 10,000.
    #[arg(long, default_value_t = Settings::default().rounds, value_name = "N")]
    rounds: usize,
    /// swarm: the pull towards a particle's own best position, from 0 to 10.
    #[arg(long, default_value_t = Settings::default().cognitive, value_name = "X")]
    cognitive: f64,
    /// swarm: the pull towards the best particle of the current population, from 0 to 10.
    #[arg(long, default_value_t = Settings::default().social, value_name = "X")]
    social: f64,
    /// swarm: how much of its velocity a particle keeps, from 0 to 1.
    #[arg(long, default_value_t = Settings::default().inertia, value_name = "X")]
    inertia: f64,
    /// swarm: the greatest velocity along each axis, from 0.001 to 1. Particles start between 0 and
    /// 1.
    #[arg(long, default_value_t = Settings::default().speed, value_name = "X")]
    speed: f64,
}

/// Where blocks end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SplittingChoice {
    /// As in the paper: at elements that its figure 2 does not name, such as table cells.
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
        let usual = Settings::default();
        let mut options = match self.splitting {
            SplittingChoice::Paper => " --splitting paper".to_owned(),
            SplittingChoice::Blocks => String::new(),
        };
        for (name, given, usual) in
            [("particles", self.particles, usual.particles), ("rounds", self.rounds, usual.rounds)]
        {
            options += &if given == usual { String::new() } else { format!(" --{name} {given}") };
        }
        for (name, given, usual) in [
            ("cognitive", self.cognitive, usual.cognitive),
            ("social", self.social, usual.social),
            ("inertia", self.inertia, usual.inertia),
            ("speed", self.speed, usual.speed),
        ] {
            options += &if given == usual { String::new() } else { format!(" --{name} {given}") };
        }
        options
    }

    /// # Errors
    ///
    /// If a number is out of its range.
    pub(super) fn training(&self) -> Result<swarm::train::SwarmLearner> {
        let &SwarmArgs { particles, rounds, cognitive, social, inertia, speed, .. } = self;
        within("--particles", particles, 1..=MOST_PARTICLES)?;
        within("--rounds", rounds, 1..=MOST_PARTICLES)?;
        within("--cognitive", cognitive, 0.0..=MOST_PULL)?;
        within("--social", social, 0.0..=MOST_PULL)?;
        within("--inertia", inertia, 0.0..=1.0)?;
        within("--speed", speed, LEAST_SPEED..=1.0)?;
        let swarm = Settings { particles, rounds, cognitive, social, inertia, speed };
        Ok(swarm::train::SwarmLearner { splitting: self.splitting(), swarm })
    }
}

/// The most particles, and the most rounds. Judgement: a hundred times the paper's.
const MOST_PARTICLES: usize = 10_000;
/// The greatest pull. Judgement: five times the paper's.
const MOST_PULL: f64 = 10.0;
/// The least bound on velocity. Judgement: in 100 rounds a particle still crosses a tenth of its
/// axis.
const LEAST_SPEED: f64 = 0.001;

/// Refuses a number out of its range.
fn within<T: PartialOrd + Display>(option: &str, given: T, range: RangeInclusive<T>) -> Result<()> {
    let (least, most) = (range.start(), range.end());
    usage::ensure(range.contains(&given), &format!("{option} {given}: it is a number from {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        training: TrainingArgs,
    }

    fn read(line: &str) -> TrainingArgs {
        Line::try_parse_from(line.split(' ')).unwrap().training
    }

    #[test]
    fn the_swarm_is_set_by_its_options() {
        let usual = read("train");
        assert_eq!(usual.swarm.training().unwrap(), swarm::train::SwarmLearner::default());
        assert!(usual.are_usual());
        let given = "--particles 20 --rounds 30 --cognitive 1 --social 2.5 --inertia 1 --speed 0.5";
        let args = read(&format!("train {given} --splitting paper"));
        let swarm = Settings { particles: 20, rounds: 30, cognitive: 1.0, social: 2.5, inertia: 1.0, speed: 0.5 };
        let expect = swarm::train::SwarmLearner { splitting: Splitting::Paper, swarm };
        assert_eq!(args.swarm.training().unwrap(), expect);
        assert_eq!(args.options(TrainedMethod::Swarm).unwrap(), format!(" --splitting paper {given}"));
        let error = args.options(TrainedMethod::Crf).unwrap_err().to_string();
        assert!(error.contains("--particles 20"), "{error}");
    }

    #[test]
    fn a_swarm_out_of_range_is_refused_by_name() {
        for (line, range) in [
            ("--particles 0", "from 1 to 10000"),
            ("--particles 10001", "from 1 to 10000"),
            ("--rounds 0", "from 1 to 10000"),
            ("--cognitive=-1", "from 0 to 10"),
            ("--social NaN", "from 0 to 10"),
            ("--inertia 1.1", "from 0 to 1"),
            ("--speed 0", "from 0.001 to 1"),
            ("--speed inf", "from 0.001 to 1"),
        ] {
            let error = read(&format!("train {line}")).swarm.training().unwrap_err();
            assert!(error.is::<usage::Usage>(), "{line}");
            let message = error.to_string();
            assert!(message.contains(&line.replace('=', " ")) && message.contains(range), "{message}");
        }
    }
}
