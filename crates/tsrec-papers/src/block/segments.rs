//! Text segments: the lines of text of a page, as "Web Article Extraction for Web Printing: a
//! DOM+Visual based Approach" (Luo, Fan, Liu, Lin, Xiong, Liu 2009, section 3) finds them.
//!
//! A *line-break node* ends the line before it and begins a line after it. The *nearest line-break
//! node* of a leaf is the first one on the path from the leaf to the root, the leaf included.
//! Consecutive leaves with the same nearest line-break node form a group. The groups that hold text
//! are the segments. So a paragraph is one segment, whatever links and emphasis it holds.
//!
//! # Deviations
//!
//! - The paper calls a node a line-break node if its `display` is `block`. Its reason, the line
//!   breaks, applies to all block-level values: also list items, tables with their parts, and flex
//!   containers. See [`Display::breaks_lines`].
//! - The paper does not mention invisible text. Here a node that is not displayed is no leaf. White
//!   space, and text that is displayed but not visible, join a group as single tags do, but do not
//!   count as its text. The same holds for text inside widgets and embedded resources.

use crate::style::{Display, Styles};
use tsrec_core::html::document::{Document, Edge, NodeId};
use tsrec_core::html::visibility;

/// A run of text between two line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The nearest line-break node of all its leaves, or the document itself if there is none.
    pub line_break: NodeId,
    /// Its text nodes, in document order: at least one, none of white space only.
    pub texts: Vec<NodeId>,
}

/// The text segments of a page in document order. Linear.
pub fn segments(document: &Document, styles: &Styles) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut group: Option<Segment> = None;
    for SegmentLeaf { node, line_break, is_text } in leaves(document, styles) {
        if group.as_ref().is_none_or(|group| group.line_break != line_break) {
            segments.extend(group.replace(Segment { line_break, texts: Vec::new() }));
        }
        if let Some(group) = group.as_mut().filter(|_| is_text) {
            group.texts.push(node);
        }
    }
    segments.extend(group);
    segments.retain(|group| !group.texts.is_empty());
    segments
}

/// A node without children, as the grouping needs it.
struct SegmentLeaf {
    node: NodeId,
    line_break: NodeId,
    /// Whether it is visible text.
    is_text: bool,
}

/// The displayed leaves, each with its nearest line-break node.
fn leaves(document: &Document, styles: &Styles) -> Vec<SegmentLeaf> {
    let mut leaves = Vec::new();
    let mut line_breaks = vec![document.root()];
    let mut walk = document.walk(document.root());
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Open(node) => {
                let is_hidden = is_out_of_sight(document, styles, node);
                let is_atom = is_hidden || visibility::holds_no_text(document, node);
                if is_atom {
                    walk.skip_children(node);
                }
                if is_line_break(document, styles, node) && !is_hidden {
                    line_breaks.push(node);
                }
                let line_break = *line_breaks.last().expect("the document stays at the bottom");
                if let Some(text) = document.text(node) {
                    let is_text = !text.trim().is_empty() && styles.style(node).visible;
                    leaves.push(SegmentLeaf { node, line_break, is_text });
                } else if !is_hidden && (is_atom || document.children(node).next().is_none()) {
                    leaves.push(SegmentLeaf { node, line_break, is_text: false });
                }
            }
            Edge::Close(node) => {
                if line_breaks.len() > 1 && line_breaks.last() == Some(&node) {
                    line_breaks.pop();
                }
            }
        }
    }
    leaves
}

/// Definition 1.
fn is_line_break(document: &Document, styles: &Styles, node: NodeId) -> bool {
    document
        .local_name(node)
        .is_some_and(|name| matches!(&**name, "br" | "hr") || styles.style(node).display.breaks_lines())
}

/// True if an element makes no box, because of its style or its markup.
fn is_out_of_sight(document: &Document, styles: &Styles, node: NodeId) -> bool {
    document.local_name(node).is_some()
        && (styles.style(node).display == Display::None || visibility::is_hidden(document, node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::compute;
    use tsrec_core::html::parse;

    /// Checks the segments' texts. `|` joins the texts of one segment.
    fn check(page: &str, expect: &[&str]) {
        let document = parse(page.as_bytes(), None, &Default::default());
        let found: Vec<String> = segments(&document, &compute(&document))
            .iter()
            .map(|segment| {
                segment.texts.iter().map(|&id| document.text(id).unwrap().trim()).collect::<Vec<_>>().join("|")
            })
            .collect();
        assert_eq!(found, expect, "{page}");
    }

    /// A tree with the leaves of figure 2: 2 and 14 and 3 are blocks, 6 is a `br`.
    const FIGURE_2: &str = "<div id=n2><b><i>n12</i></b><b>n13</b><br id=n6><b>n7</b><i><div id=n14><b>n19</b></div>n20</i><b>n16</b></div>\
                            <div id=n3><b>n17</b><i>n18</i></div>";

    #[test]
    fn the_papers_tree_has_its_five_segments() {
        check(FIGURE_2, &["n12|n13", "n7", "n19", "n20|n16", "n17|n18"]);
    }

    #[test]
    fn the_papers_leaves_have_the_line_break_nodes_of_table_1() {
        let document = parse(FIGURE_2.as_bytes(), None, &Default::default());
        let id = |node| document.attribute(node, "id").unwrap_or_default();
        let rows: Vec<(&str, &str)> = leaves(&document, &compute(&document))
            .iter()
            .filter(|leaf| !document.is_element(leaf.node, "head"))
            .map(|leaf| (document.text(leaf.node).unwrap_or_else(|| id(leaf.node)), id(leaf.line_break)))
            .collect();
        let table_1 = [
            ("n12", "n2"),
            ("n13", "n2"),
            ("n6", "n6"),
            ("n7", "n2"),
            ("n19", "n14"),
            ("n20", "n2"),
            ("n16", "n2"),
            ("n17", "n3"),
            ("n18", "n3"),
        ];
        assert_eq!(rows, table_1);
    }

    #[test]
    fn lines_of_text_are_told_apart() {
        for (page, expect) in [
            ("", &[][..]),
            ("<p> </p><br>", &[]),
            ("a <a href=/>b</a> c", &["a|b|c"]),
            ("a<div></div>b", &["a", "b"]),
            ("a<div> </div>b", &["a", "b"]),
            ("a<img>b<input>c", &["a|b|c"]),
            ("a<hr>b", &["a", "b"]),
            ("<ul><li>a<li>b</ul>", &["a", "b"]),
            ("<table><tr><td>a<td>b</table>", &["a", "b"]),
            // CSS decides, not the element's name.
            (
                "<style>b { display: block } div { display: inline }</style>a<b>b</b>c<div>d</div>e",
                &["a", "b", "c|d|e"],
            ),
            ("<style>.h { display: none }</style>a<div class=h>b</div>c<script>d</script>e", &["a|c|e"]),
            ("a<p hidden>b</p>c<select><option>d</select>e", &["a|c|e"]),
            ("a<span style='visibility: hidden'>b</span>c", &["a|c"]),
            ("<style>.v { visibility: hidden }</style>a<div class=v>b</div>c", &["a", "c"]),
        ] {
            check(page, expect);
        }
    }
}
