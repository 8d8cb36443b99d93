//! What `tsrec eval --report` can measure in place of the text alone.

use std::io::Write;

use anyhow::{Result, ensure};
use clap::ValueEnum;

use super::{Args, Outcome, curves, features, folds, lines, markup};
use crate::cli::corpus::Corpus;
use crate::extract::registry::Choice;

/// The reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Report {
    /// Any method: labels of text blocks, and beginnings and types of blocks, as CleanEval marks them.
    Markup,
    /// Any method: text segments, lines of text as the page shows them: precision and recall of each page, and their means over the pages.
    Segments,
    /// For mss: F1 against what a tag scores, from -6 to -1.
    TagScores,
    /// For mss-supervised: F1 against the number of sites learned from, which --train has and --seed draws.
    Sources,
    /// For swarm: all text (TB), all blocks (PR), and the best choice of blocks there is (bound), by cosine; with --hold-out, on the pages held out.
    Baselines,
    /// For swarm: each feature alone, with the threshold at which it does best on these pages, by cosine; --hold-out as above.
    Features,
}

impl Report {
    /// True when the report judges what a method extracts; the others need no method.
    pub(super) fn needs_extraction(self) -> bool {
        matches!(self, Report::Markup | Report::Segments)
    }

    /// Prints a report that needs no extraction.
    pub(super) fn print(self, out: &mut impl Write, args: &Args, corpora: &[Corpus]) -> Result<()> {
        ensure!(
            args.method == Choice::Auto && args.options.model.is_none() && args.folds.is_none() && args.texts.is_none(),
            "this --report needs no method: leave --method, --model, --folds and --texts out"
        );
        match self {
            Report::TagScores | Report::Sources => curves::print(out, self, args, corpora),
            Report::Baselines | Report::Features => {
                let parts = args.hold_out.map(|share| folds::hold_out(corpora, share, args.seed)).transpose()?;
                features::print(out, self, args.training.swarm.splitting(), corpora, parts.as_ref())
            }
            Report::Markup | Report::Segments => unreachable!("it judges an extraction"),
        }
    }

    /// Prints the row of a set, with the table's head before it where there is none yet.
    pub(super) fn print_set(
        self,
        out: &mut impl Write,
        name: &str,
        outcomes: &[Outcome],
        has_head: bool,
    ) -> Result<()> {
        match self {
            Report::Markup => markup::print_set(out, name, outcomes, has_head),
            Report::Segments => lines::print_set(out, name, outcomes, has_head),
            _ => unreachable!("it judges no extraction"),
        }
    }
}
