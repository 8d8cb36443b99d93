//! What `tsrec-lab eval` can be told.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::cli::labels::{Labels, SIBLINGS_TRIED};
use crate::cli::sets::SetArgs;
use crate::cli::training::TrainingArgs;
use tsrec_core::evidence::Kind;
use tsrec_core::extract::choice::Choice;
use tsrec_terminal::methods::{self, MethodOptions};
use tsrec_terminal::viewer::RenderArgs;

/// Arguments of `tsrec-lab eval`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Sets of pages: folders that hold html/<id>.html (or .html.gz), gold/<id>.txt and meta.jsonl.
    #[arg(required_unless_present = "compare", value_name = "DIR")]
    pub(super) sets: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) said: SetArgs,
    /// How to find the content.
    #[arg(long, value_parser = methods::choice(), default_value_t = Choice::Auto)]
    pub(super) method: Choice,
    #[command(flatten)]
    pub(super) options: MethodOptions,
    /// Train the method on these pages themselves, in so many parts: each is judged by a model of
    /// the others. No site is in two parts.
    #[arg(long, value_name = "N", conflicts_with_all = ["model", "hold_out"])]
    pub(super) folds: Option<usize>,
    /// Train the method on these pages themselves, but for this share of them, which is judged. No
    /// site is in both.
    #[arg(long, value_name = "SHARE", conflicts_with = "model")]
    pub(super) hold_out: Option<f64>,
    /// What --folds and --hold-out, and the training there, start from.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) training: TrainingArgs,
    /// auto and blocks, with --folds or --hold-out: train and judge without this kind of evidence,
    /// to see what it is worth; may be given several times.
    #[arg(long, value_parser = methods::evidence_kind(), value_name = "KIND", conflicts_with_all = ["model", "floors"])]
    pub(super) without: Vec<Kind>,
    /// Who says what is content on the pages that --folds and --hold-out train on. Judged is by
    /// gold.
    #[arg(long, value_enum, default_value_t)]
    pub(super) labels: Labels,
    /// What to measure in place of the text alone.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) report: Option<EvalReport>,
    /// A row for each of these.
    #[arg(long, value_enum, default_value_t = By::Set)]
    pub(super) by: By,
    /// Write each page's text to OUT/<name of DIR>/<id>.txt.
    #[arg(long, value_name = "OUT")]
    pub(super) texts: Option<PathBuf>,
    /// Offer each page at most so many siblings to compare with, the most similar first; 0 for
    /// none.
    #[arg(long, value_name = "N", default_value_t = SIBLINGS_TRIED)]
    pub(super) siblings: usize,
    /// For --method auto: of the siblings offered, the first N were shown to a person, who called
    /// their gold content.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) taught: usize,
    /// Pair each page with pages of other sites instead, to see what the gates let through.
    #[arg(long)]
    pub(super) strangers: bool,
    /// For --report sources: a set of pages whose sites are learned from; may be given several
    /// times.
    #[arg(long, value_name = "DIR", requires = "report")]
    pub(super) train: Vec<PathBuf>,
    /// Judge only pages whose gold is an article: two paragraphs, eight sentences, mostly prose
    /// (Pasternack, Roth 2009, section 4.1).
    #[arg(long)]
    pub(super) articles: bool,
    #[command(flatten)]
    pub(super) render: RenderArgs,
    /// Print a JSON object a page, with its scores, method and gates, and one a set; for --report
    /// calibration one object.
    #[arg(long)]
    pub(super) json: bool,
    /// Say between what the F1 of each row, and of all pages together, would lie were other sites
    /// drawn: 95 % bootstrap intervals over sites, drawn with --seed.
    #[arg(long, conflicts_with = "json")]
    pub(super) intervals: bool,
    /// Name the N pages with the lowest F1, and what is wrong there: words wrongly kept and lost,
    /// and the elements with most of them.
    #[arg(long, value_name = "N", conflicts_with = "json")]
    pub(super) worst: Option<usize>,
    /// Write the figures as one HTML page, too: by set and kind, with intervals, calibration, and
    /// the worst pages.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(super) html: Option<PathBuf>,
    /// Compare two runs, which --json has written: nothing is extracted. The difference of each set
    /// has its 95 % interval, as for --intervals.
    #[arg(
        long,
        num_args = 2,
        value_names = ["BEFORE", "AFTER"],
        conflicts_with_all = ["sets", "json", "intervals", "worst", "html", "texts", "folds", "hold_out", "floors"]
    )]
    pub(super) compare: Vec<PathBuf>,
    /// Hold figures against their floors: run what the file says, on those of the sets that it
    /// names, and fail where one is below its floor.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["method", "report", "by", "json", "intervals", "worst", "html", "texts", "folds", "hold_out"]
    )]
    pub(super) floors: Option<PathBuf>,
    /// --floors: raise floors to just under what was reached.
    #[arg(long, requires = "floors")]
    pub(super) update_floors: bool,
    /// --floors: lower those that were missed.
    #[arg(long, requires = "floors", conflicts_with = "update_floors")]
    pub(super) lower_floors: bool,
}

/// What can be measured in place of the text alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EvalReport {
    /// Any method: labels of text blocks, and beginnings and types of blocks, as CleanEval marks
    /// them.
    Markup,
    /// Any method: text segments, lines of text as the page shows them: precision and recall of
    /// each page, and their means over the pages.
    Segments,
    /// Any method: WCXB's own measure, word F1 over all pages, those without gold words too, and
    /// shares of snippets found.
    Wcxb,
    /// Any method: the content as Markdown, without links and images: of the snippets that WCXB
    /// says must be in it the share that is, and of those that must not be the share that is not,
    /// marks and white space apart.
    Markdown,
    /// Any method: title, authors and date of publication: how many are right of the pages that
    /// have one, after NFKC, with case and punctuation folded, and how many pages that have none
    /// are given one; with --json a line a page.
    Metadata,
    /// Any method: F1 against confidence, by tenths, and how well confidence ranks failures: the
    /// area under the curve for F1 below 0.5 and 0.8, and the mean F1 when the least confident
    /// pages are dropped.
    Calibration,
    /// Any method that tells kinds of pages: how many are told to be of each kind, and the share of
    /// those whose kind is known that are told right.
    Kinds,
    /// Any method: F1 against the number of siblings offered: 0, 1, 2, 4, 8, all.
    Siblings,
    /// No method: the gold itself, as alignment finds it on the page; the most that labels can
    /// teach.
    Aligned,
    /// For mss: F1 against what a tag scores, from -6 to -1.
    TagScores,
    /// For mss-supervised: F1 against the number of sites learned from, which --train has and
    /// --seed draws.
    Sources,
    /// For swarm: all text (TB), all blocks (PR), and the best choice of blocks there is (bound),
    /// by cosine; with --hold-out, on the pages held out.
    Baselines,
    /// For swarm: each feature alone, with the threshold at which it does best on these pages, by
    /// cosine; --hold-out as above.
    Features,
}

impl EvalReport {
    /// True when it has a row a set; the others are tables of their own, and need no method.
    pub(super) fn has_rows(self) -> bool {
        !matches!(self, EvalReport::TagScores | EvalReport::Sources | EvalReport::Baselines | EvalReport::Features)
    }

    /// True when it needs to know where on the page the gold is.
    pub(super) fn needs_gold(self) -> bool {
        matches!(self, EvalReport::Markup | EvalReport::Segments | EvalReport::Aligned)
    }

    /// True when it judges texts, so that each page has a score of its own.
    pub(super) fn judges_pages(self) -> bool {
        self.has_rows() && self != EvalReport::Siblings
    }
}

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    /// A set.
    Set,
    /// A kind of page in a set; nothing of pages whose kind is not known.
    Kind,
    /// A site of a set; and how many sites have a mean F1 over bags of words of 0.9 and more.
    Site,
}
