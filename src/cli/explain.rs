//! Every element of a page as a row: the paper's figures 6 and 7 for any page.

use std::io::Write;

use anyhow::Result;

use crate::extract::Extraction;
use crate::tsrec::{Element, Inline, TagSequence};

/// Characters of an element's content that are shown.
const EXCERPT: usize = 60;

/// Prints the rows: number, tag, (begin, end, parent, level), label, the partner's number, an excerpt.
pub(super) fn print(sequence: &TagSequence<'_>, extraction: &Extraction) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{:>5}  {:<34} {:<8} {:>5}  excerpt", "#", "tag (begin, end, parent, level)", "label", "#B")?;
    for (index, element) in sequence.elements.iter().enumerate() {
        let partner = extraction.partners.get(index).copied().flatten();
        let partner = partner.map_or_else(|| "-".to_owned(), |partner| (partner + 1).to_string());
        writeln!(
            out,
            "{:>5}  {:<34} {:<8} {partner:>5}  {}",
            index + 1,
            tag(element),
            extraction.labels[index],
            excerpt(element)
        )?;
    }
    out.flush()?;
    Ok(())
}

fn tag(element: &Element<'_>) -> String {
    let Element { name, begin, end, parent, level, .. } = element;
    let indent = " ".repeat((*level as usize).min(12));
    let name = if name.is_empty() { "(anonymous)" } else { name };
    format!("{indent}<{name}> ({begin}, {end}, {parent}, {level})")
}

fn excerpt(element: &Element<'_>) -> String {
    let mut whole = String::new();
    for piece in &element.content {
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

/// The beginning of a page's text, safe to show: control characters of a page must not reach a terminal.
pub(super) fn shown(text: &str, most: usize) -> String {
    let shown: String = text.chars().take(most).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if shown.len() < text.len() { shown + "…" } else { shown }
}
