//! Elements that a style or a role makes others: `<span style="display: block">`, `<div
//! role=heading aria-level=2>`, and tables of `role=row`.

use html5ever::{LocalName, local_name};

use super::super::arena::{Arena, Kind, Owned, Space, StoredAttribute};
use super::super::document::NodeId;
use super::super::elements::{DefaultDisplay, default_display};

/// Values of `display` that break the flow of text (CSS Display 3, section 2).
const BREAKING: [&str; 9] =
    ["block", "flex", "grid", "table", "list-item", "flow-root", "table-row", "table-cell", "table-caption"];

/// Values of `display` that set the children of an element apart.
const PARTING: [&str; 4] = ["flex", "grid", "inline-flex", "inline-grid"];
/// The deepest level of a heading.
const DEEPEST: u8 = 6;
/// The most nodes and bytes of a heading by its role. Judgement: whole comments have that role,
/// too.
const MOST_NODES: usize = 32;
const LONGEST: usize = 300;
/// How many elements around such a heading may be a cell. Judgement.
const AROUND: usize = 6;

/// Gives the elements their meaning. Linear in the page, and in the depth of each such element.
pub(super) fn put_in_place(arena: &mut Arena) {
    name_roles(arena);
    set_apart(arena);
    part(arena);
}

/// Names headings, and the parts of tables, as their roles say.
fn name_roles(arena: &mut Arena) {
    if !arena.attributes.iter().any(|stored| stored.name == local_name!("role")) {
        return;
    }
    for node in (0..arena.nodes.len()).map(NodeId::new) {
        let Kind::Element {
            name: local_name!("div") | local_name!("span") | local_name!("p"), space: Space::Html, ..
        } = arena.node(node).kind
        else {
            continue;
        };
        let Some(role) = arena.attribute(node, &local_name!("role")) else { continue };
        let is_in = |names: &[LocalName]| {
            arena.node(node).parent.is_some_and(|parent| names.iter().any(|name| arena.is_named(parent, name)))
        };
        let meant = match role.trim() {
            "heading" if is_line(arena, node) => heading(arena, node),
            "table" => local_name!("table"),
            "rowgroup" if is_in(&[local_name!("table")]) => local_name!("tbody"),
            "row" if is_in(&[local_name!("table"), local_name!("tbody")]) => local_name!("tr"),
            "cell" if is_in(&[local_name!("tr")]) => local_name!("td"),
            "columnheader" | "rowheader" if is_in(&[local_name!("tr")]) => local_name!("th"),
            _ => continue,
        };
        if let Kind::Element { name, .. } = &mut arena.nodes[node.index()].kind {
            *name = meant;
        }
    }
}

/// Whether a heading is a line of its own: it holds no other blocks than divisions, and few nodes,
/// and is not in a cell.
fn is_line(arena: &Arena, node: NodeId) -> bool {
    let is_cell = |around| arena.is_named(around, &local_name!("td")) || arena.is_named(around, &local_name!("th"));
    if arena.above(node).take(AROUND).any(is_cell) {
        return false;
    }
    let (mut due, mut bytes) = (vec![node], 0);
    for _ in 0..MOST_NODES {
        let Some(node) = due.pop() else { return bytes <= LONGEST };
        bytes += arena.text(node).map_or(0, str::len);
        let children = arena.children(node);
        let is_block = |child: NodeId| match &arena.node(child).kind {
            Kind::Element { name, .. } => *name != local_name!("div") && default_display(name) == DefaultDisplay::Block,
            _ => false,
        };
        if arena.children(node).any(is_block) {
            return false;
        }
        due.extend(children);
    }
    false
}

fn heading(arena: &Arena, node: NodeId) -> LocalName {
    let level = arena.attribute(node, &LocalName::from("aria-level")).and_then(|level| level.trim().parse().ok());
    match level.unwrap_or(2_u8).clamp(1, DEEPEST) {
        1 => local_name!("h1"),
        2 => local_name!("h2"),
        3 => local_name!("h3"),
        4 => local_name!("h4"),
        5 => local_name!("h5"),
        _ => local_name!("h6"),
    }
}

/// Puts a space between the children of a flex container, which readers see apart. Not in code,
/// where the container is a line.
fn set_apart(arena: &mut Arena) {
    for node in nodes_with_style(arena, |style| displays(style, &PARTING)) {
        let is_code = |node| arena.is_named(node, &local_name!("pre")) || arena.is_named(node, &local_name!("code"));
        if is_code(node) || arena.above(node).any(is_code) {
            continue;
        }
        let children: Vec<NodeId> = arena.children(node).collect();
        let touching = children.windows(2).filter(|pair| pair.iter().all(|&child| is_inline(arena, child)));
        let seconds: Vec<NodeId> = touching.map(|pair| pair[1]).collect();
        for second in seconds {
            let span = arena.store(" ");
            let space = arena.push(Kind::Text(span));
            arena.attach(node, space, Some(second));
        }
    }
}

/// The elements of the page with such a style.
fn nodes_with_style(arena: &Arena, is_one: impl Fn(&str) -> bool) -> Vec<NodeId> {
    let is_style = |stored: &StoredAttribute| stored.name == local_name!("style");
    if !arena.attributes.iter().any(|stored| is_style(stored) && is_one(arena.str(stored.value))) {
        return Vec::new();
    }
    let has_style = |&node: &NodeId| {
        matches!(arena.node(node).kind, Kind::Element { space: Space::Html, .. })
            && arena.attribute(node, &local_name!("style")).is_some_and(&is_one)
    };
    (0..arena.nodes.len()).map(NodeId::new).filter(has_style).collect()
}

fn is_inline(arena: &Arena, node: NodeId) -> bool {
    matches!(&arena.node(node).kind, Kind::Element { name, .. } if default_display(name) == DefaultDisplay::Inline)
}

/// Makes inline elements with the style of blocks divisions: a `span` becomes a `div`, and in other
/// elements a `div` holds all children.
fn part(arena: &mut Arena) {
    let mut inline = nodes_with_style(arena, |style| displays(style, &BREAKING));
    inline.retain(|&node| is_inline(arena, node));
    for node in inline {
        let division = local_name!("div");
        if let Kind::Element { name, .. } = &mut arena.nodes[node.index()].kind
            && *name == local_name!("span")
        {
            *name = division;
            continue;
        }
        let inner = arena.push(Kind::element(LocalName::from("div"), Space::Html, Owned::default()));
        while let Some(child) = arena.node(node).first_child {
            arena.detach(child);
            arena.attach(inner, child, None);
        }
        arena.attach(node, inner, None);
    }
}

/// Whether a style gives `display` one of these values. The last declaration counts.
fn displays(style: &str, values: &[&str]) -> bool {
    // Quick for most styles.
    if !style.contains("isplay") && !style.contains("ISPLAY") {
        return false;
    }
    let mut declarations = style.split(';').filter_map(|one| one.split_once(':'));
    let last = declarations.rfind(|(name, _)| name.trim().eq_ignore_ascii_case("display"));
    last.is_some_and(|(_, value)| {
        let value = value.split('!').next().unwrap_or_default().trim();
        values.iter().any(|one| value.eq_ignore_ascii_case(one))
    })
}

#[cfg(test)]
mod tests {
    use crate::html::{Limits, parse};
    use crate::page::{Content, Piece};
    use crate::render::text::text;

    #[test]
    fn an_inline_element_with_the_style_of_a_block_breaks_the_flow() {
        for (page, expect) in [
            (
                "<p><span style='display:block'>a</span><span style='color:red; DISPLAY: Block !important'>b</span>c",
                "a\n\nb\n\nc",
            ),
            ("<a href=/ style='display:flex'>a</a><a href=/ style='display: grid;'>b</a>", "a\n\nb"),
            ("<b style='display:list-item'>a</b><x-y style='display:block'>b</x-y>c", "a\n\nb\n\nc"),
            ("<span style='display:inline-block'>a</span><span style='display:inline'>b</span>", "ab"),
            ("<span style='display:block;display:inline'>a</span><span style='display:none'>b</span>", "ab"),
            ("<span style='background:url(display:block)'>a</span><span style=''>b</span>", "ab"),
            (
                "<pre><span style='display:flex'><span>a\n</span></span><span style='display:flex'>b\n</span></pre>",
                "a\nb",
            ),
        ] {
            check(page, expect);
        }
    }

    #[test]
    fn roles_and_flex_containers_part_texts() {
        for (page, expect) in [
            ("<div style='display:flex'><span>a</span><span>b</span></div>", "a b"),
            ("<p style='display: inline-grid'><b>a</b><i>b</i>c", "a bc"),
            ("<pre><span style='display:flex'><span>1</span><span>a</span></span></pre>", "1a"),
            ("<div role=heading>a</div>b", "a\n\nb"),
            ("<span role=heading aria-level=3>a</span>b", "a\n\nb"),
            (
                "<div role=table><div role=row><span role=columnheader>a</span><span role=columnheader>b</span></div><div role=rowgroup><div role=row><span role=cell>c</span><span role=cell>d</span></div></div></div>",
                "a b\nc d",
            ),
            // A cell outside of a row, and a role that an element has already.
            ("<span role=cell>a</span><span role=cell>b</span>", "ab"),
            ("<ul role=table><li>a<li>b</ul>", "a\nb"),
        ] {
            check(page, expect);
        }
    }

    #[test]
    fn only_a_line_is_a_heading_by_its_role() {
        for (inside, is_one) in [
            ("a", true),
            ("<div><b>a</b></div>", true),
            ("<p>a<p>b", false),
            ("<ul><li>a</ul>", false),
            ("<h3>a</h3>", false),
            (&"a".repeat(400), false),
            (&"<b>a</b>".repeat(40), false),
        ] {
            let page = format!(
                "<div role=heading aria-level=4>{inside}</div><table><tr><td><div role=heading>a</div></table>"
            );
            let document = parse(page.as_bytes(), None, &Limits::default());
            let names =
                |name| document.descendants(document.root()).filter(|&node| document.is_element(node, name)).count();
            assert_eq!((names("h4"), names("h2")), (usize::from(is_one), 0), "{page}");
        }
    }

    fn check(page: &str, expect: &str) {
        let document = parse(page.as_bytes(), None, &Limits::default());
        let texts = document.descendants(document.root()).filter(|&node| document.text(node).is_some());
        let content = Content::new(texts.map(|node| Piece::whole(&document, node)));
        assert_eq!(text(&document, &content), expect, "{page}");
    }
}
