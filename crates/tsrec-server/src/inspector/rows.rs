//! The elements of a page, one row each. Opening a row shows its evidence.

use std::fmt::Write;

use super::{InspectorContext, escaped};
use tsrec_core::evidence::model::Reason;
use tsrec_core::extract::Extracted;
use tsrec_core::extract::report::block_of_elements;
use tsrec_core::html::Paths;
use tsrec_core::template::{Memory, Place};

/// The most steps of indentation: deeper ones would leave no room for text.
pub(super) const DEEPEST: u32 = 16;

/// Pieces of evidence shown of an element: those that moved its score most. Judgement: the rest
/// moves little.
const REASONS: usize = 12;

/// Which of the two pages it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum InspectorSide {
    Page,
    Sibling,
}

impl InspectorSide {
    /// The first letter of its elements' identifiers.
    fn letter(self) -> char {
        if self == InspectorSide::Page { 'p' } else { 's' }
    }

    fn other(self) -> InspectorSide {
        if self == InspectorSide::Page { InspectorSide::Sibling } else { InspectorSide::Page }
    }

    fn name(self) -> &'static str {
        if self == InspectorSide::Page { "the page" } else { "the sibling" }
    }
}

/// The rows of a page, each with its partner on the other page as `partner` gives it. Linear in
/// the page.
pub(super) fn rows(
    found: &Extracted<'_>,
    side: InspectorSide,
    partner: impl Fn(usize) -> Option<usize>,
    beside: &InspectorContext<'_>,
) -> String {
    let (page, found) = (found.page(), found.extraction());
    let (paths, blocks, labels) = (Paths::new(page.document()), block_of_elements(page), found.labels(page));
    let sequence = page.sequence();
    let with_text = sequence.elements().iter().filter(|element| sequence.has_text(element));
    let least = with_text.map(|element| element.level).min();
    let mut out = String::new();
    for (index, element) in sequence.elements().iter().enumerate() {
        let (label, number, letter) = (labels[index], index + 1, side.letter());
        let empty = if sequence.has_text(element) { "" } else { " empty" };
        let step = element.level.saturating_sub(least.unwrap_or(0)).min(DEEPEST);
        let tag = if element.name.is_empty() { "text" } else { &*element.name };
        open(
            &mut out,
            &format!("{letter}{number}"),
            &format!("{label}{empty} i{step}"),
            tag,
            label.as_str(),
            &text(sequence.texts(element)),
        );
        if let Some(form) = beside.form {
            mark(&mut out, form, number, "Teach the site: this element is");
        }
        let _ = write!(
            out,
            "<dl><div><dt>number<dd>{number}</div><div><dt>code<dd>({}, {}, {}, {})</div>",
            element.begin, element.end, element.parent, element.level
        );
        let likely = blocks[index].and_then(|block| found.likely(block));
        if let Some(likely) = likely {
            let _ = write!(
                out,
                "<div><dt>content with probability<dd><meter min=0 max=1 value={likely:.3}>{likely:.2}</meter> {likely:.2}</div>"
            );
        }
        if let Some(partner) = partner(index) {
            let (other, number) = (side.other(), partner + 1);
            let _ = write!(
                out,
                "<div><dt>equal to<dd><a href=\"#{}{number}\">element {number} of {}</a></div>",
                other.letter(),
                other.name()
            );
        }
        if let (Some(known), Some(block)) =
            (beside.known, blocks[index].and_then(|block| page.analysis().blocks().get(block)))
        {
            let said = place(known, known.place(block.place));
            for (name, value) in &said {
                let _ = write!(out, "<div><dt>{name}<dd>{value}</div>");
            }
        }
        let _ =
            write!(out, "<div class=path><dt>path<dd><code>{}</code></div></dl>", escaped(&paths.path(element.node)));
        match (blocks[index].and_then(|block| found.reasons(block)), beside.why.zip(blocks[index])) {
            (Some(reasons), _) => out.push_str(&evidence(reasons)),
            (None, Some((why, block))) => {
                let _ = write!(out, "<div class=why><a href=\"{}{block}\">evidence</a></div>", escaped(why));
            }
            (None, None) => {}
        }
        out.push_str("</details>\n");
    }
    out
}

/// Opens the row of an element. `text` is markup; the rest is plain text.
pub(super) fn open(out: &mut String, id: &str, class: &str, tag: &str, label: &str, text: &str) {
    let _ = write!(
        out,
        "<details id={id} class=\"{class}\"><summary><code>{}</code> <b>{label}</b> <span dir=auto>{text}</span></summary>",
        escaped(tag),
    );
}

/// A choice of whether the element is content. Its form is elsewhere on the page.
pub(super) fn mark(out: &mut String, form: &str, number: usize, legend: &str) {
    let _ = write!(out, "<fieldset class=mark><legend>{legend}</legend>");
    for (value, name, checked) in MARKS {
        let _ = write!(
            out,
            "<label><input type=radio form={form} name=m{number} value=\"{value}\"{checked}> {name}</label> "
        );
    }
    out.push_str("</fieldset>");
}

/// The choices for an element: the form's value, and words.
const MARKS: [(&str, &str, &str); 3] =
    [("", "not marked", " checked"), ("content", "content", ""), ("other", "not content", "")];

/// What a template knows about a place, each fact with its name; `None` if it does not have the
/// place.
pub fn place(known: &Memory, place: Option<&Place>) -> Vec<(&'static str, String)> {
    let Some(place) = place else {
        return vec![("its place", "on no page of the template".to_owned())];
    };
    let mut said = vec![
        ("its place", format!("on {} of {} pages", place.pages(), known.pages())),
        ("texts there", format!("{:.0} different", place.different_texts())),
        ("words that repeat there", format!("{:.0} %", 100.0 * place.repeated())),
        ("content there", format!("{:.2} on average", place.likely().0)),
    ];
    said.extend(taught(place).map(|taught| ("a person said", taught.to_owned())));
    said
}

/// What a person taught about a place; `None` if nobody did.
pub fn taught(place: &Place) -> Option<&'static str> {
    let said =
        |mind: Option<bool>| mind.map_or("now this, now that", |is_content| MARKS[if is_content { 1 } else { 2 }].1);
    place.taught().map(|_| said(place.mind()))
}

/// The texts directly in an element, with those of links marked.
fn text<'s>(texts: impl Iterator<Item = (&'s str, bool)>) -> String {
    let mut out = String::new();
    for (text, linked) in texts {
        let text = escaped(text);
        let _ = if linked { write!(out, "<u>{text}</u> ") } else { write!(out, "{text} ") };
    }
    out
}

/// The evidence that moved a block's score most, as a table; empty if there is none.
pub fn evidence(reasons: &[Reason]) -> String {
    if reasons.is_empty() {
        return String::new();
    }
    let rows: String = reasons.iter().take(REASONS).map(row).collect();
    format!("<table><thead><tr><th>evidence<th>value<th>moves<tbody>{rows}</table>")
}

fn row(Reason { column, value, moves }: &Reason) -> String {
    let value = if value.is_nan() { "absent".to_owned() } else { format!("{value:.4}") };
    let way = if *moves < 0.0 { "against" } else { "for" };
    format!("<tr><th scope=row>{}<td>{value}<td class={way}>{moves:+.2}", escaped(column.name))
}
