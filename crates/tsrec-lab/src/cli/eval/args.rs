//! The arguments of `tsrec-lab eval`.

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
    /// Sets of pages: folders with html/<id>.html (or .html.gz), gold/<id>.txt and meta.jsonl.
    #[arg(required_unless_present = "compare", value_name = "DIR")]
    pub(super) sets: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) said: SetArgs,
    /// How to find the content.
    #[arg(long, value_parser = methods::choice(), default_value_t = Choice::Auto)]
    pub(super) method: Choice,
    #[command(flatten)]
    pub(super) options: MethodOptions,
    /// Train the method on these pages, in N parts. Each part is judged by a model trained on the
    /// others. No site is in two parts.
    #[arg(long, value_name = "N", conflicts_with_all = ["model", "hold_out"])]
    pub(super) folds: Option<usize>,
    /// --folds: keep the models in this folder. Models that are there and that the same pages,
    /// settings and seed made are read instead of trained. For auto and blocks.
    #[arg(long, value_name = "DIR", requires = "folds")]
    pub(super) models: Option<PathBuf>,
    /// Hold out this share of the pages to judge, and train the method on the rest. No site is in
    /// both.
    #[arg(long, value_name = "SHARE", conflicts_with = "model")]
    pub(super) hold_out: Option<f64>,
    /// Hold out every page in this language, of any set, to judge, and train the method on the
    /// rest. L is a code of ISO 639-1, such as zh. The language is the one that tsrec reports for
    /// the page: that of its text if the text is long enough to be sure, else the one that the page
    /// declares. A page of unknown language counts as a page in another language. Other pages of a
    /// site that has a page in L are neither trained on nor judged.
    #[arg(long, value_name = "L", conflicts_with_all = ["model", "folds", "hold_out"])]
    pub(super) leave_out_language: Option<String>,
    /// The seed for --folds, --hold-out, --leave-out-language, and their training.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) training: TrainingArgs,
    /// Train and judge without this kind of evidence, to see what it is worth. Repeat it for
    /// several kinds. For auto and blocks, with --folds, --hold-out or --leave-out-language.
    #[arg(long, value_parser = methods::evidence_kind(), value_name = "KIND", conflicts_with_all = ["model", "floors"])]
    pub(super) without: Vec<Kind>,
    /// Where the labels come from that --folds, --hold-out and --leave-out-language train on.
    /// Judging uses gold.
    #[arg(long, value_enum, default_value_t)]
    pub(super) labels: Labels,
    /// What to measure instead of the text alone.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) report: Option<EvalReport>,
    /// Print one row for each of these.
    #[arg(long, value_enum, default_value_t = By::Set)]
    pub(super) by: By,
    /// Write each page's text to OUT/<name of DIR>/<id>.txt.
    #[arg(long, value_name = "OUT")]
    pub(super) texts: Option<PathBuf>,
    /// Offer each page at most N siblings to compare with, the most similar first. 0 offers none.
    #[arg(long, value_name = "N", default_value_t = SIBLINGS_TRIED)]
    pub(super) siblings: usize,
    /// For --method auto: treat the first N siblings offered as taught by a person. The person
    /// called their gold content.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) taught: usize,
    /// Pair each page with pages of other sites instead, to see what passes the gates.
    #[arg(long)]
    pub(super) strangers: bool,
    /// For --report sources: a set of pages whose sites to learn from. Repeat it for several sets.
    #[arg(long, value_name = "DIR", requires = "report")]
    pub(super) train: Vec<PathBuf>,
    /// Judge only pages whose gold is an article. An article has two paragraphs, eight sentences,
    /// and mostly prose (Pasternack, Roth 2009, section 4.1).
    #[arg(long)]
    pub(super) articles: bool,
    #[command(flatten)]
    pub(super) render: RenderArgs,
    /// Print one JSON object per page, with its scores, method and gates, and one per set. With
    /// --report calibration, print one object.
    #[arg(long)]
    pub(super) json: bool,
    /// Print 95 % bootstrap intervals over sites, for the F1 of each row and of all pages together.
    /// They are drawn with --seed.
    #[arg(long, conflicts_with = "json")]
    pub(super) intervals: bool,
    /// Name the N pages with the lowest F1, and what is wrong there. Shows the words wrongly kept
    /// and lost, and the elements with most of them.
    #[arg(long, value_name = "N", conflicts_with = "json")]
    pub(super) worst: Option<usize>,
    /// Also write the figures as one HTML page: by set and kind, with intervals, calibration, and
    /// the worst pages.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(super) html: Option<PathBuf>,
    /// Compare two runs that --json wrote. Nothing is extracted. The difference of each set has its
    /// 95 % interval, as with --intervals.
    #[arg(
        long,
        num_args = 2,
        value_names = ["BEFORE", "AFTER"],
        conflicts_with_all = ["sets", "json", "intervals", "worst", "html", "texts", "folds", "hold_out", "leave_out_language", "floors"]
    )]
    pub(super) compare: Vec<PathBuf>,
    /// Check figures against their floors. Makes the runs in FILE, on those of the sets that it
    /// names. Fails if a figure is below its floor.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["method", "report", "by", "json", "intervals", "worst", "html", "texts", "folds", "hold_out", "leave_out_language"]
    )]
    pub(super) floors: Option<PathBuf>,
    /// --floors: raise floors to just below the measured figures.
    #[arg(long, requires = "floors")]
    pub(super) update_floors: bool,
    /// --floors: lower the floors that were missed.
    #[arg(long, requires = "floors", conflicts_with = "update_floors")]
    pub(super) lower_floors: bool,
}

/// What to measure instead of the text alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EvalReport {
    /// Any method: labels of text blocks, and beginnings and types of blocks, as CleanEval marks
    /// them.
    Markup,
    /// Any method: text segments, which are lines of text as the page shows them. Prints precision
    /// and recall of each page, and their means over the pages.
    Segments,
    /// Any method: WCXB's own measure. This is word F1 over all pages, including those without gold
    /// words, and shares of snippets found.
    Wcxb,
    /// Any method: the content as Markdown, without links and images. Prints the share of required
    /// WCXB snippets that it has, and of forbidden ones that it lacks. Marks and white space are
    /// ignored.
    Markdown,
    /// Any method: title, authors and date of publication. Of the pages that have one, prints how
    /// many are right, after NFKC, with case and punctuation folded. Of the pages that have none,
    /// prints how many got one. With --json, one line per page.
    Metadata,
    /// Any method: F1 against confidence, by tenths, and how well confidence ranks failures. The
    /// ranking has two measures. One is the area under the curve for F1 below 0.5 and 0.8. The
    /// other is the mean F1 when the least confident pages are dropped.
    Calibration,
    /// Any method that assigns kinds: how many pages get each kind. For pages of known kind, also
    /// the share that is right.
    Kinds,
    /// Any method: F1 against the number of siblings offered: 0, 1, 2, 4, 8, all.
    Siblings,
    /// No method: the gold itself, as alignment finds it on the page. This is the most that labels
    /// can teach.
    Aligned,
    /// For mss: F1 against the score of a tag, from -6 to -1.
    TagScores,
    /// For mss-supervised: F1 against the number of sites learned from. --train names the sites,
    /// and --seed draws them.
    Sources,
    /// For swarm: all text (TB), all blocks (PR), and the best possible choice of blocks (bound),
    /// by cosine. With --hold-out, on the pages held out.
    Baselines,
    /// For swarm: each feature alone, with its best threshold on these pages, by cosine. With
    /// --hold-out, on the pages held out.
    Features,
}

impl EvalReport {
    /// True if the report has one row per set. The others have their own tables, and need no
    /// method.
    pub(super) fn has_rows(self) -> bool {
        !matches!(self, EvalReport::TagScores | EvalReport::Sources | EvalReport::Baselines | EvalReport::Features)
    }

    /// True if the report needs the gold's place on the page.
    pub(super) fn needs_gold(self) -> bool {
        matches!(self, EvalReport::Markup | EvalReport::Segments | EvalReport::Aligned)
    }

    /// True if the report judges texts, so that each page has its own score.
    pub(super) fn judges_pages(self) -> bool {
        self.has_rows() && self != EvalReport::Siblings
    }
}

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    /// A set.
    Set,
    /// A kind of page in a set. Pages of unknown kind are left out.
    Kind,
    /// A site of a set. Also prints how many sites have a mean F1 over bags of words of 0.9 and
    /// more.
    Site,
}
