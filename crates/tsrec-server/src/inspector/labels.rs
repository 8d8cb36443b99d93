//! The text blocks of a page, each with a choice of labels. Between them are the elements with
//! several blocks, which can be marked.

use std::fmt::Write;
use std::ops::Range;

use super::escaped;
use super::rows::{DEEPEST, mark, open};
use tsrec_core::block::block_label::BlockLabel;
use tsrec_core::block::text_blocks::TextBlock;
use tsrec_core::extract::Page;
use tsrec_core::extract::report::element_of_text_blocks;
use tsrec_core::html::{Document, NodeId};
use tsrec_core::words::number_of;

/// Letters shown of a block. Judgement: a long paragraph; the beginning of a longer block is
/// enough to label it.
const MOST_SHOWN: usize = 2_000;

/// Letters shown of an element's name: some sites have ids of hundreds. Judgement.
const LONGEST_NAME: usize = 26;

/// The meaning of each label.
const MEANINGS: [(BlockLabel, &str); 5] = [
    (BlockLabel::Header, "a header begins: headline, byline, dateline"),
    (BlockLabel::Paragraph, "a paragraph begins"),
    (BlockLabel::List, "a list item begins"),
    (BlockLabel::Continuation, "what began last goes on, as behind a link in a paragraph"),
    (BlockLabel::Other, "not content: menus, advertisements, footers"),
];

/// A page's text blocks and the elements around them, ready for display.
#[derive(Debug)]
pub struct LabelSheet {
    blocks: Vec<BlockRow>,
    /// Elements with two blocks or more, in document order. If several elements have the same
    /// blocks, it is the innermost.
    groups: Vec<GroupRow>,
}

#[derive(Debug)]
struct BlockRow {
    /// Its element's tag.
    tag: String,
    /// Whether its element differs from the previous block's.
    begins: bool,
    text: String,
    /// The number of letters, if not all are shown.
    letters: Option<usize>,
    step: u32,
}

#[derive(Debug)]
struct GroupRow {
    /// Its number in the tag sequence, from 1.
    element: usize,
    name: String,
    blocks: Range<usize>,
    step: u32,
}

/// The labels so far.
pub struct GivenLabels<'l> {
    /// The label of each block, if it has one.
    pub given: &'l [Option<BlockLabel>],
    /// The suggestion for a block without a label.
    pub suggested: &'l dyn Fn(usize) -> Option<BlockLabel>,
    /// The `id` of the form. It has a field `b1` for the first block, with a label's key or
    /// nothing. For elements it has the fields of [`super::InspectorContext::form`].
    pub form: &'l str,
}

impl LabelSheet {
    /// The sheet of a page with these text blocks. O(blocks × depth).
    pub fn new(page: &Page<'_>, text_blocks: &[TextBlock]) -> LabelSheet {
        let elements = element_of_text_blocks(page, text_blocks);
        let groups = groups(page, &elements);
        let sequence = page.sequence().elements();
        let mut open: Vec<&GroupRow> = Vec::new();
        let mut next = groups.iter().peekable();
        let mut blocks = Vec::with_capacity(text_blocks.len());
        for (index, (block, &element)) in text_blocks.iter().zip(&elements).enumerate() {
            while let Some(group) = next.next_if(|group| group.blocks.start <= index) {
                open.push(group);
            }
            open.retain(|group| group.blocks.end > index);
            let letters = block.text.chars().count();
            blocks.push(BlockRow {
                tag: sequence[element].name.to_string(),
                begins: index == 0 || elements[index - 1] != element,
                text: block.text.chars().take(MOST_SHOWN).collect(),
                letters: (letters > MOST_SHOWN).then_some(letters),
                step: u32::try_from(open.len()).map_or(DEEPEST, |step| step.min(DEEPEST)),
            });
        }
        LabelSheet { blocks, groups }
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Rows for some of the blocks, and the elements around them. Each element counts the labels
    /// in it: O(blocks × depth).
    pub fn rows(&self, shown: Range<usize>, labels: &GivenLabels<'_>) -> String {
        let mut out = String::new();
        let mut groups = self
            .groups
            .iter()
            .filter(|group| group.blocks.start < shown.end && group.blocks.end > shown.start)
            .peekable();
        for (index, block) in self.blocks.iter().enumerate().take(shown.end).skip(shown.start) {
            while let Some(group) = groups.next_if(|group| group.blocks.start <= index) {
                group.row(&mut out, labels);
            }
            block.row(&mut out, index, labels);
        }
        out
    }
}

/// The meaning of each label, in a list that opens.
pub fn meanings() -> String {
    let meanings = MEANINGS.map(|(label, says)| format!("<div><dt><b>{label}</b><dd>{says}</div>"));
    format!("<details class=meanings><summary>What the labels mean</summary><dl>{}</dl></details>", meanings.concat())
}

/// The number of blocks with each label; each label can be hidden.
pub fn label_legend(given: &[Option<BlockLabel>]) -> String {
    let count = |class| given.iter().filter(|label| class_of(**label) == class).count();
    let entries =
        [("content", "content"), ("outside", "other"), ("unlabelled", "without a label")].map(|(class, name)| {
            let count = count(class);
            format!("<label class={class}><input type=checkbox id=show-{class} checked> {name} <b>{count}</b></label>")
        });
    format!("<fieldset class=show><legend>Show</legend>{}</fieldset>", entries.concat())
}

/// The colours match an extraction's labels.
fn class_of(label: Option<BlockLabel>) -> &'static str {
    match label {
        None => "unlabelled",
        Some(BlockLabel::Other) => "outside",
        Some(_) => "content",
    }
}

impl BlockRow {
    fn row(&self, out: &mut String, index: usize, labels: &GivenLabels<'_>) {
        let (label, number) = (labels.given[index], index + 1);
        let _ = write!(
            out,
            "<label id=b{number} class=\"block {}\"><select form={} name=b{number}><option value=\"\">–",
            class_of(label),
            labels.form
        );
        for choice in BlockLabel::ALL {
            let selected = if label == Some(choice) { " selected" } else { "" };
            let _ = write!(out, "<option value={}{selected}>{choice}", choice.key());
        }
        let suggested = match (labels.suggested)(index) {
            Some(label) => format!("<b class={}>{label}?</b> ", class_of(Some(label))),
            None => String::new(),
        };
        let tag = if self.begins { escaped(&self.tag) } else { "↳".to_owned() };
        let cut = self.letters.map(|letters| format!(" … <small>({letters} characters in all)</small>"));
        let _ = writeln!(
            out,
            "</select><span class=i{}><code>{tag}</code> {suggested}<span dir=auto>{}{}</span></span></label>",
            self.step,
            escaped(&self.text),
            cut.unwrap_or_default()
        );
    }
}

impl GroupRow {
    fn row(&self, out: &mut String, labels: &GivenLabels<'_>) {
        let GroupRow { element, name, blocks, step } = self;
        let given = &labels.given[blocks.clone()];
        let count = |class| given.iter().filter(|label| class_of(**label) == class).count();
        let (content, other, open_ones) = (count("content"), count("outside"), count("unlabelled"));
        let counts = [(content, "content"), (other, "other"), (open_ones, "without a label")];
        let counts: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
        open(
            out,
            &format!("p{element}"),
            &format!("group i{step}"),
            name,
            &number_of(blocks.len(), "block"),
            &counts.join(", "),
        );
        mark(out, labels.form, *element, "All that is in this element is");
        out.push_str("</details>\n");
    }
}

/// The elements with two blocks or more, by the start of their blocks, outer before inner.
fn groups(page: &Page<'_>, element_of_blocks: &[usize]) -> Vec<GroupRow> {
    let (elements, parents) = (page.sequence().elements(), page.sequence().parents());
    let mut ranges: Vec<Option<Range<usize>>> = vec![None; elements.len()];
    let join = |range: &mut Option<Range<usize>>, other: Range<usize>| {
        let range = range.get_or_insert(other.clone());
        *range = range.start.min(other.start)..range.end.max(other.end);
    };
    for (block, &element) in element_of_blocks.iter().enumerate() {
        join(&mut ranges[element], block..block + 1);
    }
    let inner = || parents.iter().copied().enumerate().filter(|(index, parent)| index != parent);
    // The contents of an element come after it.
    for (index, parent) in inner().rev() {
        if let Some(own) = ranges[index].clone() {
            join(&mut ranges[parent], own);
        }
    }
    let mut has_equal_inside = vec![false; elements.len()];
    for (index, parent) in inner() {
        has_equal_inside[parent] |= ranges[index] == ranges[parent];
    }
    let mut open: Vec<usize> = Vec::new();
    let mut groups = Vec::new();
    for (index, blocks) in ranges.into_iter().enumerate() {
        let Some(blocks) = blocks.filter(|blocks| blocks.len() > 1 && !has_equal_inside[index]) else { continue };
        open.retain(|&end| end > blocks.start);
        let step = u32::try_from(open.len()).map_or(DEEPEST, |step| step.min(DEEPEST));
        open.push(blocks.end);
        let name = name_of(page.document(), elements[index].node);
        groups.push(GroupRow { element: index + 1, name, blocks, step });
    }
    groups
}

/// An element's tag with its id, or else its first class.
fn name_of(document: &Document, node: NodeId) -> String {
    let tag = document.local_name(node).map_or("", |name| &**name);
    let first = |attribute, sign: &str| {
        let word = document.attribute(node, attribute)?.split_whitespace().next()?;
        Some(format!("{tag}{sign}{word}"))
    };
    let name = first("id", "#").or_else(|| first("class", ".")).unwrap_or_else(|| tag.to_owned());
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

#[cfg(test)]
mod tests;
