//! Declarative shadow roots: `<template shadowrootmode=open>` (HTML standard, section 4.12.3).
//!
//! A browser shows such a template in place of the children of the element around it, its host. It
//! shows those children in the `slot` elements of the template.

use std::collections::{HashMap, HashSet};

use html5ever::{LocalName, local_name};

use super::arena::{Arena, Kind, Owned, Space};
use super::document::NodeId;

/// The element that holds a shadow root in our tree.
const ROOT: &str = "shadow-root";

/// The shadow roots of a page while it is parsed.
#[derive(Debug, Default)]
pub(super) struct Shadows {
    roots: HashMap<NodeId, NodeId>,
    /// The hosts with their roots, in document order.
    hosts: Vec<(NodeId, NodeId)>,
    known: HashSet<NodeId>,
}

impl Shadows {
    /// Gives a template to its host. False if the host can have none, or has one already.
    pub(super) fn attach(&mut self, arena: &mut Arena, host: NodeId, template: NodeId) -> bool {
        let can_host =
            matches!(&arena.node(host).kind, Kind::Element { name, space: Space::Html, .. } if is_host(name));
        if !can_host || !self.known.insert(host) {
            return false;
        }
        let root = arena.push(Kind::element(LocalName::from(ROOT), Space::Html, Owned::default()));
        arena.attach(host, root, None);
        self.roots.insert(template, root);
        self.hosts.push((host, root));
        true
    }

    /// The root that takes the content of a template.
    #[inline]
    pub(super) fn root_of(&self, template: NodeId) -> Option<NodeId> {
        if self.roots.is_empty() { None } else { self.roots.get(&template).copied() }
    }

    /// Moves the children of each host into its slots, outer hosts first. Children without a slot
    /// are not shown and go. A slot deeper than `most_depth` takes nothing. Linear in the nodes,
    /// and in the depth of each slot.
    pub(super) fn fill_slots(self, arena: &mut Arena, most_depth: usize) {
        for (host, root) in self.hosts {
            let slots = slots_below(arena, root);
            if slots.values().any(|&slot| arena.depth(slot, most_depth).is_none()) {
                continue;
            }
            let children: Vec<NodeId> = arena.children(host).filter(|&child| child != root).collect();
            let mut emptied = HashSet::new();
            for child in children {
                let name = arena.attribute(child, &local_name!("slot")).unwrap_or_default().to_owned();
                arena.detach(child);
                let Some(&slot) = slots.get(&name) else { continue };
                if emptied.insert(slot) {
                    arena.detach_children(slot);
                }
                arena.attach(slot, child, None);
            }
        }
    }
}

/// Elements that can have a shadow root (DOM standard, "attach a shadow root"): custom elements and
/// some others.
fn is_host(name: &LocalName) -> bool {
    let named =
        ["article", "aside", "blockquote", "body", "div", "footer", "header", "main", "nav", "p", "section", "span"];
    name.contains('-') || named.contains(&&**name) || matches!(name.as_bytes(), [b'h', b'1'..=b'6'])
}

/// The first slot of each name in a shadow root, without those of shadow roots within it.
fn slots_below(arena: &Arena, root: NodeId) -> HashMap<String, NodeId> {
    let mut slots = HashMap::new();
    let mut due: Vec<NodeId> = arena.children(root).collect();
    due.reverse();
    while let Some(node) = due.pop() {
        match &arena.node(node).kind {
            Kind::Element { name, .. } if &**name == ROOT => continue,
            Kind::Element { name, .. } if *name == local_name!("slot") => {
                let name = arena.attribute(node, &local_name!("name")).unwrap_or_default();
                slots.entry(name.to_owned()).or_insert(node);
            }
            _ => {}
        }
        let from = due.len();
        due.extend(arena.children(node));
        due[from..].reverse();
    }
    slots
}

#[cfg(test)]
mod tests {
    use crate::html::{Document, Limits, parse};

    fn text(document: &Document) -> String {
        document.descendants(document.root()).filter_map(|node| document.text(node)).collect()
    }

    #[test]
    fn a_shadow_root_is_shown_with_its_slots_filled() {
        for (page, expect) in [
            ("<x-a><template shadowrootmode=open>a <slot></slot> c</template>b</x-a>", "a b c"),
            ("<x-a>b<template shadowrootmode=open>a <slot></slot> c</template></x-a>", "a b c"),
            ("<div><template shadowrootmode=closed><style></style><p>a</p></template></div>b", "ab"),
            // Named slots, fallback content, and children that no slot takes.
            (
                "<x-a><template shadowrootmode=open><slot name=h>x</slot>, <slot>y</slot></template><p>b</p><b slot=h>a</b></x-a>",
                "a, b",
            ),
            ("<x-a><template shadowrootmode=open>a <slot name=h>fallback</slot></template></x-a>", "a fallback"),
            ("<x-a><template shadowrootmode=open>a</template><p>old browsers</p></x-a>", "a"),
            // Roots within roots, and within slotted children.
            (
                "<x-a><template shadowrootmode=open>a <x-b><template shadowrootmode=open>b <slot></slot></template>c</x-b> <slot></slot></template>d</x-a>",
                "a b c d",
            ),
            (
                "<x-a><template shadowrootmode=open>a <slot></slot></template><x-b><template shadowrootmode=open>b <slot></slot></template>c</x-b></x-a>",
                "a b c",
            ),
            // Only the first root of a host counts; other templates and elements show nothing.
            ("<x-a><template shadowrootmode=open>a</template><template shadowrootmode=open>b</template></x-a>", "a"),
            ("<x-a><template>a</template>b</x-a>", "b"),
            ("<x-a><template shadowroot=open>a</template>b</x-a>", "b"),
            ("<ul><template shadowrootmode=open>a</template><li>b</ul>", "b"),
            ("<x-a><template shadowrootmode=open>a", "a"),
        ] {
            let document = parse(page.as_bytes(), None, &Limits::default());
            let shown: String = text(&document).split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(shown, expect, "{page}");
        }
    }

    #[test]
    fn hosts_in_hosts_do_not_deepen_the_tree_without_end() {
        let host = format!("<x-a><template shadowrootmode=open>{}<slot></slot></template>", "<div>".repeat(200));
        let page = format!("{}deep", host.repeat(400));
        let limits = Limits::default();
        let document = parse(page.as_bytes(), None, &limits);
        let deepest = document.descendants(document.root()).map(|node| document.ancestors(node).count()).max().unwrap();
        assert!(deepest < 3 * limits.depth, "{deepest}");
    }
}
