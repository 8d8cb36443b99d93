//! The page as the annotator sees it: its text blocks, and the elements that hold several of them.

use std::ops::Range;

use tsrec_core::annotation::escape;
use tsrec_core::block::text_blocks::{Tag, TextBlock};
use tsrec_core::html::elements::{DefaultDisplay, default_display};
use tsrec_core::html::{Document, NodeId};

/// A page's blocks and their containers.
#[derive(Debug)]
pub(super) struct Outline {
    blocks: Vec<Block>,
    /// The elements that hold text, each after the one around it.
    containers: Vec<Container>,
}

/// A text block, safe to show.
#[derive(Debug)]
pub(super) struct Block {
    /// The text, escaped.
    pub(super) text: String,
    /// The nearest element around it that breaks the flow of text, such as `p` or `li`.
    pub(super) tag: String,
    /// True when it begins a line of its own. Otherwise only inline tags, or a single line break, stand between it and the block before.
    pub(super) begins: bool,
    container: usize,
}

#[derive(Debug)]
struct Container {
    /// `div#main`, `ul.menu`, `p`.
    name: String,
    parent: Option<usize>,
    blocks: Range<usize>,
}

/// Blocks that are labelled with one key: those of one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group<'o> {
    pub(super) name: &'o str,
    pub(super) blocks: Range<usize>,
}

impl Outline {
    /// The outline of a page's text blocks. O(blocks × depth).
    pub(super) fn new(document: &Document, text_blocks: &[TextBlock]) -> Outline {
        let mut outline = Outline { blocks: Vec::with_capacity(text_blocks.len()), containers: Vec::new() };
        let mut known: Vec<Option<usize>> = vec![None; document.len()];
        for (index, block) in text_blocks.iter().enumerate() {
            let mut around: Vec<NodeId> = block.containers(document).collect();
            around.reverse();
            let mut container = None;
            for &node in &around {
                let number = *known[node.index()].get_or_insert_with(|| {
                    let (name, parent) = (name_of(document, node), container);
                    outline.containers.push(Container { name, parent, blocks: index..index });
                    outline.containers.len() - 1
                });
                outline.containers[number].blocks.end = index + 1;
                container = Some(number);
            }
            outline.blocks.push(Block {
                text: shown(&block.text),
                tag: flow_breaker(document, &around),
                begins: begins(&block.distance),
                container: container.expect("text stands in html at least"),
            });
        }
        outline
    }

    /// The text blocks, in document order.
    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The elements around a block, as `body > div#main > p`.
    pub(super) fn path(&self, block: usize) -> String {
        let mut names: Vec<&str> = self.around(block).map(|container| container.name.as_str()).collect();
        names.reverse();
        names.strip_prefix(&["html"]).unwrap_or(&names).join(" > ")
    }

    /// The blocks of the smallest element that holds this one and others; `widen` times the next larger one, up to the whole page. Where the
    /// smallest is the whole page, the block alone comes before it: a page is not labelled by chance.
    pub(super) fn group(&self, block: usize, widen: usize) -> Group<'_> {
        let mut levels: Vec<Group<'_>> = Vec::new();
        for container in self.around(block) {
            if container.blocks.len() > levels.last().map_or(1, |level| level.blocks.len()) {
                levels.push(Group { name: &container.name, blocks: container.blocks.clone() });
            }
        }
        if levels.first().is_none_or(|level| level.blocks.len() == self.blocks.len()) {
            let name = &self.containers[self.blocks[block].container].name;
            levels.insert(0, Group { name, blocks: block..block + 1 });
        }
        levels.swap_remove(widen.min(levels.len() - 1))
    }

    /// The containers of a block, the nearest first.
    fn around(&self, block: usize) -> impl Iterator<Item = &Container> {
        let nearest = &self.containers[self.blocks[block].container];
        std::iter::successors(Some(nearest), |container| container.parent.map(|parent| &self.containers[parent]))
    }
}

/// Invisible characters that do no harm are left out, those that would are written by their number.
fn shown(text: &str) -> String {
    const HARMLESS: [char; 4] = ['\u{ad}', '\u{200b}', '\u{2060}', '\u{feff}'];
    escape(&text.replace(HARMLESS, ""))
}

/// The most characters of an element's name that are shown: some sites have ids of hundreds. Judgement: a third of a line.
const NAME: usize = 26;

/// The element's tag with its id, or else its first class.
fn name_of(document: &Document, node: NodeId) -> String {
    let tag = document.local_name(node).map_or("", |name| &**name);
    let first = |attribute, mark: &str| {
        let word = document.attribute(node, attribute)?.split_whitespace().next()?;
        Some(format!("{tag}{mark}{word}"))
    };
    let name = shown(&first("id", "#").or_else(|| first("class", ".")).unwrap_or_else(|| tag.to_owned()));
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

fn flow_breaker(document: &Document, around: &[NodeId]) -> String {
    let names = around.iter().rev().filter_map(|&node| document.local_name(node));
    shown(names.into_iter().find(|name| default_display(name) == DefaultDisplay::Block).map_or("", |name| name))
}

/// A block begins a line of its own after a tag that breaks the flow of text, or after two line breaks. After a single one a paragraph goes on, as
/// in an address or a poem (judgement).
fn begins(distance: &[Tag]) -> bool {
    let breaks = distance.iter().filter(|tag| default_display(tag.name()) == DefaultDisplay::LineBreak).count();
    breaks > 1 || distance.iter().any(|tag| default_display(tag.name()) == DefaultDisplay::Block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::block::text_blocks::text_blocks;
    use tsrec_core::html::parse;

    fn outline(body: &str) -> Outline {
        let document = parse(format!("<!DOCTYPE html><body>{body}").as_bytes(), None, &Default::default());
        Outline::new(&document, &text_blocks(&document))
    }

    #[test]
    fn blocks_know_their_place() {
        let outline = outline(
            "<nav id=top class=menu><ul class='a b'><li><a>Home</a><li>News</ul></nav><p>See <a>us</a><br>there<br><br>or here\
             <p>Soft\u{ad}ly \u{1b}[2J",
        );
        let rows: Vec<(&str, &str, bool)> =
            outline.blocks().iter().map(|block| (block.text.as_str(), block.tag.as_str(), block.begins)).collect();
        assert_eq!(
            rows,
            [
                ("Home", "li", true),
                ("News", "li", true),
                ("See", "p", true),
                ("us", "p", false),
                ("there", "p", false),
                ("or here", "p", true),
                ("Softly \\u{1b}[2J", "p", true),
            ]
        );
        assert_eq!(outline.path(0), "body > nav#top > ul.a > li > a");
        assert_eq!(outline.path(6), "body > p");
    }

    #[test]
    fn groups_widen_to_the_page() {
        let outline = outline("<div id=a><ul><li><a>1</a><li>2</ul><p>3 <b>4</b></p></div><p>5");
        for (block, widen, name, blocks) in [
            (0, 0, "ul", 0..2),
            (0, 1, "div#a", 0..4),
            (0, 2, "body", 0..5),
            (0, 9, "body", 0..5),
            (2, 0, "p", 2..4),
            (3, 0, "p", 2..4),
            (3, 1, "div#a", 0..4),
            (4, 0, "p", 4..5),
            (4, 1, "body", 0..5),
        ] {
            assert_eq!(outline.group(block, widen), Group { name, blocks }, "block {block}, widened {widen}");
        }
        let alone = self::outline("<div><p>alone");
        assert_eq!(alone.group(0, 3), Group { name: "p", blocks: 0..1 });
    }

    #[test]
    fn names_are_bounded() {
        let outline = outline(&format!("<div id={}>x", "é".repeat(500)));
        assert_eq!(outline.path(0), format!("body > div#{}…", "é".repeat(22)));
    }
}
