//! Text that a reader sees, or that the page states, but that stands outside of the plain tree: the
//! sources of formulas, documents in attributes, articles in JSON-LD, elements that a style or
//! a role makes others. It is put into the tree once, so that every later step finds it.

mod blocks;
mod code;
mod embedded;
mod formula;
mod mathml;

use html5ever::{LocalName, local_name};

use super::arena::{Arena, Kind, Space};
use super::document::NodeId;
use super::{Limits, streamed};

/// Elements of a page that may hold such text, in the order in which they were parsed.
#[derive(Debug, Default)]
struct OutsideElements {
    templates: Vec<NodeId>,
    /// MathML.
    maths: Vec<NodeId>,
    /// Scripts with the source of a formula.
    sources: Vec<NodeId>,
    /// Scripts with JSON-LD.
    statements: Vec<NodeId>,
    /// Images that may be formulas.
    images: Vec<NodeId>,
    /// Containers of MathJax.
    containers: Vec<NodeId>,
    frames: Vec<NodeId>,
}

/// Puts it all in its places. Linear in the page; a page without such text costs one look at each
/// node.
pub(super) fn put_in_place(arena: &mut Arena, limits: &Limits) {
    let OutsideElements { templates, maths, sources, statements, images, containers, frames } =
        OutsideElements::find(arena);
    streamed::put_in_place(arena, &templates, limits.depth);
    formula::write_sources(arena, &sources);
    formula::write_maths(arena, &maths);
    formula::write_containers(arena, &containers);
    formula::write_images(arena, &images);
    embedded::open_frames(arena, &frames, limits);
    embedded::add_article(arena, &statements, limits);
    blocks::put_in_place(arena);
    code::name(arena);
}

impl OutsideElements {
    fn find(arena: &Arena) -> OutsideElements {
        let mut found = OutsideElements::default();
        let container = LocalName::from("mjx-container");
        for (index, node) in arena.nodes.iter().enumerate() {
            let Kind::Element { name, space, .. } = &node.kind else { continue };
            let list = match *name {
                local_name!("template") => &mut found.templates,
                local_name!("math") => &mut found.maths,
                local_name!("img") => &mut found.images,
                local_name!("iframe") => &mut found.frames,
                local_name!("script") => match arena.attribute(NodeId::new(index), &local_name!("type")) {
                    Some(kind) if kind.starts_with("math/tex") => &mut found.sources,
                    Some(kind) if kind.trim().eq_ignore_ascii_case("application/ld+json") => &mut found.statements,
                    _ => continue,
                },
                ref name if *name == container && *space == Space::Html => &mut found.containers,
                _ => continue,
            };
            list.push(NodeId::new(index));
        }
        found
    }
}
