//! `--precision` and `--recall`.

use tsrec_core::evidence::favor::Favor;

/// What to favour where precision and recall conflict.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct FavorArgs {
    /// auto and blocks: keep less of the page, so that fewer words are no content.
    #[arg(long, conflicts_with = "recall")]
    precision: bool,
    /// auto and blocks: keep more of the page, so that less of the content is missing.
    #[arg(long)]
    recall: bool,
}

impl FavorArgs {
    /// What is favoured.
    pub fn favor(self) -> Favor {
        match self {
            FavorArgs { precision: true, .. } => Favor::Precision,
            FavorArgs { recall: true, .. } => Favor::Recall,
            _ => Favor::Balance,
        }
    }
}
