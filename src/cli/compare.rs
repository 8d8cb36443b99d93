//! `tsrec extract --method all`: compares all methods on one page.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Result;

use super::explain::shown;
use tsrec_core::extract::{Extracted, Method, Page};
use tsrec_core::html::NodeId;

/// Number of characters of an element's text to show.
const EXCERPT: usize = 80;

/// The result of one method: an extraction, or the reason that there is none.
pub(super) type MethodResult<'p> = (Method, Result<Extracted<'p>, String>);

/// Prints one row per method, then one row per element with text and one column per method. `#`
/// means that the method keeps all of its text nodes, `+` some, `.` none.
pub(super) fn print(page: &Page<'_>, outcomes: &[MethodResult<'_>]) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{:>3}  {:<15} {:>7} {:>10}  note", "", "method", "words", "confidence")?;
    for (number, (method, outcome)) in outcomes.iter().enumerate() {
        let column = column(number);
        match outcome {
            Ok(found) => {
                writeln!(out, "{column:>3}  {method:<15} {:>7} {:>10.2}", found.words(), found.confidence())?;
            }
            Err(why) => writeln!(out, "{column:>3}  {method:<15} {:>7} {:>10}  {why}", "-", "-")?,
        }
    }
    let kept: Vec<Option<BTreeSet<NodeId>>> = outcomes
        .iter()
        .map(|(_, outcome)| Some(outcome.as_ref().ok()?.content().pieces().iter().map(|piece| piece.node).collect()))
        .collect();
    let columns: String = (0..outcomes.len()).map(column).collect();
    writeln!(out, "\n{columns}  text")?;
    let sequence = page.sequence();
    for element in sequence.elements() {
        let nodes: Vec<NodeId> = sequence.text_nodes(element).collect();
        if nodes.is_empty() || element.hidden {
            continue;
        }
        let marks: String = kept.iter().map(|kept| mark(kept.as_ref(), &nodes)).collect();
        let text: Vec<&str> = sequence.texts(element).map(|(text, _)| text.trim()).collect();
        writeln!(out, "{marks}  {}", shown(&text.join(" "), EXCERPT))?;
    }
    out.flush()?;
    Ok(())
}

/// The letter of a method's column.
fn column(number: usize) -> char {
    char::from(b'A' + u8::try_from(number).expect("there are fewer methods than letters"))
}

fn mark(kept: Option<&BTreeSet<NodeId>>, nodes: &[NodeId]) -> char {
    let Some(kept) = kept else { return ' ' };
    match nodes.iter().filter(|node| kept.contains(node)).count() {
        0 => '.',
        some if some < nodes.len() => '+',
        _ => '#',
    }
}
