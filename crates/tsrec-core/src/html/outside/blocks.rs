//! Inline elements that their own style makes blocks: `<span style="display: block">`.

use html5ever::{LocalName, local_name};

use super::super::arena::{Arena, Kind, Owned, Space};
use super::super::document::NodeId;
use super::super::elements::{DefaultDisplay, default_display};

/// Values of `display` that break the flow of text (CSS Display 3, section 2).
const BREAKING: [&str; 9] =
    ["block", "flex", "grid", "table", "list-item", "flow-root", "table-row", "table-cell", "table-caption"];

/// Makes them divisions: a `span` becomes a `div`, and in other elements a `div` holds all
/// children.
pub(super) fn part(arena: &mut Arena) {
    let is_style = |stored: &super::super::arena::StoredAttribute| stored.name == local_name!("style");
    if !arena.attributes.iter().any(|stored| is_style(stored) && breaks(arena.str(stored.value))) {
        return;
    }
    let is_one = |&node: &NodeId| match &arena.node(node).kind {
        Kind::Element { name, space: Space::Html, .. } => {
            default_display(name) == DefaultDisplay::Inline
                && arena.attribute(node, &local_name!("style")).is_some_and(breaks)
        }
        _ => false,
    };
    let inline: Vec<NodeId> = (0..arena.nodes.len()).map(NodeId::new).filter(is_one).collect();
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

/// Whether a style makes a block of its element. The last declaration counts.
fn breaks(style: &str) -> bool {
    // Quick for most styles.
    if !style.contains("isplay") && !style.contains("ISPLAY") {
        return false;
    }
    let mut declarations = style.split(';').filter_map(|one| one.split_once(':'));
    let last = declarations.rfind(|(name, _)| name.trim().eq_ignore_ascii_case("display"));
    last.is_some_and(|(_, value)| {
        let value = value.split('!').next().unwrap_or_default().trim();
        BREAKING.iter().any(|breaking| value.eq_ignore_ascii_case(breaking))
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
            let document = parse(page.as_bytes(), None, &Limits::default());
            let texts = document.descendants(document.root()).filter(|&node| document.text(node).is_some());
            let content = Content::new(texts.map(|node| Piece::whole(&document, node)));
            assert_eq!(text(&document, &content), expect, "{page}");
        }
    }
}
