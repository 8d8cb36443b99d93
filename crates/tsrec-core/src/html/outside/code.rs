//! Code of several lines that is in no `pre`: a `code` with a style that keeps its lines, and the
//! tables and boxes in which highlighters put a line each.

use html5ever::{LocalName, local_name};

use super::super::arena::{Arena, Kind, Space};
use super::super::document::NodeId;

/// Classes of boxes with a line in each child: SyntaxHighlighter, in a cell of its own, and Crayon.
const BOXES: [&str; 2] = ["container", "crayon-pre"];
/// Classes of the highlighters around them.
const HIGHLIGHTERS: [&str; 2] = ["syntaxhighlighter", "crayon-syntax"];
/// The class of GitHub's cells with a line of code each.
const CELLS: &str = "blob-code";
/// How many elements around a box or cell may name its highlighter, or be its table.
const AROUND: usize = 6;
/// How many nodes of a `code` are searched for its lines. Judgement: one text, or its tokens.
const MOST_NODES: usize = 256;

/// Names all of them `pre`. Linear in the page.
pub(super) fn name(arena: &mut Arena) {
    let is_known = |class: &str| HIGHLIGHTERS.contains(&class) || class == CELLS;
    let is_class =
        |name: &LocalName, value: &str| *name == local_name!("class") && value.split_ascii_whitespace().any(is_known);
    let is_style = |name: &LocalName, value: &str| *name == local_name!("style") && keeps_lines(value);
    let is_one = |name, value| is_class(name, value) || is_style(name, value);
    if !arena.attributes.iter().any(|stored| is_one(&stored.name, arena.str(stored.value))) {
        return;
    }
    let found = (0..arena.nodes.len()).map(NodeId::new).filter_map(|node| code(arena, node));
    for node in found.collect::<Vec<_>>() {
        if let Kind::Element { name, .. } = &mut arena.nodes[node.index()].kind {
            *name = local_name!("pre");
        }
    }
}

/// The element that is the code, if the node is one, or a cell of one.
fn code(arena: &Arena, node: NodeId) -> Option<NodeId> {
    let Kind::Element { name, space: Space::Html, .. } = &arena.node(node).kind else { return None };
    let has_class = |node, wanted: &[&str]| {
        let classes = arena.attribute(node, &local_name!("class")).unwrap_or_default();
        classes.split_ascii_whitespace().any(|class| wanted.contains(&class))
    };
    let mut around = arena.above(node).take(AROUND);
    match *name {
        local_name!("code") => {
            let has_style = arena.attribute(node, &local_name!("style")).is_some_and(keeps_lines);
            (has_style && is_alone(arena, node) && has_lines(arena, node)).then_some(node)
        }
        local_name!("div") if has_class(node, &BOXES) => {
            around.any(|around| has_class(around, &HIGHLIGHTERS)).then_some(node)
        }
        local_name!("td") if has_class(node, &[CELLS]) => {
            around.find(|&around| arena.is_named(around, &local_name!("table")))
        }
        _ => None,
    }
}

/// Whether a style shows each line of the source as one.
fn keeps_lines(style: &str) -> bool {
    let mut declarations = style.split(';').filter_map(|one| one.split_once(':'));
    declarations.any(|(name, value)| {
        name.trim().eq_ignore_ascii_case("white-space") && matches!(value.trim(), "pre" | "pre-wrap" | "break-spaces")
    })
}

/// Whether nothing is beside a node in the element around it.
fn is_alone(arena: &Arena, node: NodeId) -> bool {
    let is_blank = |child| arena.text(child).is_some_and(|text| text.trim().is_empty());
    arena.node(node).parent.is_some_and(|parent| {
        !arena.is_named(parent, &local_name!("pre"))
            && arena.children(parent).all(|child| child == node || is_blank(child))
    })
}

fn has_lines(arena: &Arena, node: NodeId) -> bool {
    let mut due = vec![node];
    for _ in 0..MOST_NODES {
        let Some(node) = due.pop() else { break };
        if arena.text(node).is_some_and(|text| text.trim().contains('\n')) || arena.is_named(node, &local_name!("br")) {
            return true;
        }
        due.extend(arena.children(node));
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::html::{Limits, parse};

    #[test]
    fn code_of_several_lines_is_preformatted() {
        for (page, expect) in [
            ("<div><code style='white-space: pre'>a\nb</code></div>", 1),
            ("<p><code style='color:red;white-space:pre-wrap'><span>a\n</span>b</code>", 0),
            ("<p><code style='color:red;white-space:pre-wrap'><span>a\n b</span></code>", 1),
            ("<p><code style='white-space:break-spaces'>a<br>b</code></p>", 1),
            // One line, amid other text, or folded.
            ("<p><code style='white-space:pre'>a</code>", 0),
            ("<p>c <code style='white-space:pre'>a\nb</code>", 0),
            ("<p><code style='white-space:normal'>a\nb</code>", 0),
            ("<pre><code style='white-space:pre'>a\nb</code></pre>", 1),
            // Highlighters with a line in each element.
            (
                "<div class='syntaxhighlighter java'><table><td class=gutter><div>1</div><td class=code><div class=container><div>a</div></div></table></div>",
                1,
            ),
            ("<div class=crayon-syntax><div class=crayon-pre><div>a</div></div></div>", 1),
            ("<table><tr><td class='blob-num'>1<td class='blob-code x'>a<tr><td>2<td class=blob-code>b</table>", 1),
            ("<div class=syntaxhighlighter></div><div class=container>a</div>", 0),
        ] {
            let document = parse(page.as_bytes(), None, &Limits::default());
            let found = document.descendants(document.root()).filter(|&node| document.is_element(node, "pre"));
            assert_eq!(found.count(), expect, "{page}");
        }
    }
}
