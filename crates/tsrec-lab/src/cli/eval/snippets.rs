//! `tsrec-lab eval --report markdown`: WCXB's snippets in the content as Markdown.

use super::sites::EvalSubject;
use super::table::ScoreCell;
use crate::eval::wcxb::{Snippets, mean_snippets, snippets};
use tsrec_core::extract::Extracted;
use tsrec_core::html::strip_and_collapse;
use tsrec_core::render::Along;
use tsrec_core::render::markdown::markdown;

/// The number of pages with snippets; the share of required snippets that are there; and the share
/// of forbidden ones that are absent.
pub(super) const COLUMNS: [&str; 3] = ["pages", "with", "absent"];

/// Looks for a page's snippets in its content as Markdown, without links and images. Returns the
/// shares that are there. `None` if the set has no snippets for it.
pub(super) fn judge(subject: &EvalSubject<'_>, found: &Extracted<'_>) -> Option<Snippets> {
    let info = subject.entry().info;
    let along = Along { links: false, images: false };
    let text = plain(&markdown(found.document(), found.content(), None, along));
    let all_plain = |given: &[String]| given.iter().map(|snippet| plain(snippet)).collect::<Vec<_>>();
    let has_some = !info.with.is_empty() || !info.without.is_empty();
    has_some.then(|| snippets(&all_plain(&info.with), &all_plain(&info.without), &text))
}

/// A text without tags and Markdown characters, with its white space folded. A snippet and the
/// Markdown that holds it then agree.
fn plain(text: &str) -> String {
    let text = ["<sup>", "</sup>", "<sub>", "</sub>"]
        .iter()
        .fold(text.replace("<br>", " "), |text, tag| text.replace(tag, ""));
    strip_and_collapse(&text.replace(['\\', '*', '_', '`', '~', '#', '>', '|'], "")).into_owned()
}

/// The figures of some pages. `None` if no page has snippets.
pub(super) fn cells(pages: impl Iterator<Item = Snippets>) -> Option<Vec<ScoreCell>> {
    let pages: Vec<Snippets> = pages.collect();
    let Snippets { with, without } = mean_snippets(&pages);
    let absent = 1.0 - without;
    (!pages.is_empty())
        .then(|| vec![ScoreCell::Count(pages.len()), ScoreCell::Score(Some(with)), ScoreCell::Score(Some(absent))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_lines_part_no_snippet() {
        assert_eq!(plain("## The *ferry* \\[late\\]\n\n> sails  `again`"), plain("The ferry [late] sails again"));
    }
}
