//! Prints every element of a page as a row: the paper's figures 6 and 7 for any page.

use std::io::Write;

use anyhow::Result;

use tsrec_core::evidence::Kind;
use tsrec_core::evidence::model::Reason;
use tsrec_core::extract::Extracted;
use tsrec_core::extract::report::block_of_elements;
use tsrec_core::html::printable;
use tsrec_core::tsrec::{Element, Inline};

/// Number of characters of an element's content to show.
const EXCERPT: usize = 60;

/// Number of pieces of evidence to show for an element: those that changed its score most.
const REASONS: usize = 4;

/// Prints the rows: number, tag, (begin, end, parent, level), label, the probability that its first
/// block is content, the partner's number, an excerpt. Below each row it prints the evidence that
/// changed the probability, by how much in log-odds: first that of the diff in all, if other pages
/// are known.
pub(super) fn print(found: &Extracted<'_>) -> Result<()> {
    let (page, extraction) = (found.page(), found.extraction());
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let header = "tag (begin, end, parent, level)";
    writeln!(out, "{:>5}  {header:<34} {:<8} {:>5} {:>5}  excerpt", "#", "label", "p", "#B")?;
    let (blocks, labels) = (block_of_elements(page), extraction.labels(page));
    for (index, element) in page.sequence().elements().iter().enumerate() {
        let likely = blocks[index].and_then(|block| extraction.likely(block));
        let likely = likely.map_or_else(|| "-".to_owned(), |likely| format!("{likely:.2}"));
        let partner = extraction.partner(index);
        let partner = partner.map_or_else(|| "-".to_owned(), |partner| (partner + 1).to_string());
        writeln!(
            out,
            "{:>5}  {:<34} {:<8} {likely:>5} {partner:>5}  {}",
            index + 1,
            tag(element),
            labels[index],
            excerpt(page.sequence().content(element))
        )?;
        if let Some(reasons) = blocks[index].and_then(|block| extraction.reasons(block)) {
            writeln!(out, "{:>5}  {}", "", shown_reasons(reasons))?;
        }
    }
    out.flush()?;
    Ok(())
}

/// The strongest reasons, after the effect of all that the template diff found.
fn shown_reasons(reasons: &[Reason]) -> String {
    let diffs: Vec<f64> = reasons.iter().filter(|reason| reason.column.kind == Kind::Diff).map(|of| of.moves).collect();
    let diff = if diffs.is_empty() { None } else { Some(format!("diff in all {:+.2}", diffs.iter().sum::<f64>())) };
    diff.into_iter().chain(reasons.iter().take(REASONS).map(reason)).collect::<Vec<_>>().join(", ")
}

fn reason(reason: &Reason) -> String {
    let Reason { column, value, moves } = reason;
    match value.is_nan() {
        true => format!("{} absent {moves:+.2}", column.name),
        false => format!("{} {value:.4} {moves:+.2}", column.name),
    }
}

fn tag(element: &Element) -> String {
    let Element { name, begin, end, parent, level, .. } = element;
    let indent = " ".repeat((*level as usize).min(12));
    let name = if name.is_empty() { "(anonymous)" } else { name };
    format!("{indent}<{name}> ({begin}, {end}, {parent}, {level})")
}

fn excerpt(content: &[Inline<'_>]) -> String {
    let mut whole = String::new();
    for piece in content {
        match piece {
            Inline::Tag(name) => whole.push_str(&format!("<{name}>")),
            Inline::Text { text, .. } => {
                if !whole.is_empty() && !whole.ends_with('>') {
                    whole.push(' ');
                }
                whole.push_str(text);
            }
        }
    }
    shown(&whole, EXCERPT)
}

/// The beginning of a page's text, [safe to show](printable), on one line.
pub(super) fn shown(text: &str, most: usize) -> String {
    let text = printable(text);
    let shown: String = text.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if shown.len() < text.len() { shown + "…" } else { shown }
}
