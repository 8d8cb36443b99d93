//! The walk over a page's tree, and the analysis made from it.

use std::num::NonZeroU32;

use super::head::Head;
use super::language::{Tally, languages_of};
use super::mark::NodeMark;
use super::names::{self, ElementNaming, PageNames, Side, mix};
use super::place;
use super::tag::Tag;
use super::text::{TextCounts, TextSums, count, ends_sentence, is_comma};
use super::{Analysis, Block, Container, Ending, Inside, Leaf, Linked};
use crate::html::document::{Document, Edge, NodeId};
use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::menus::{Menus, is_clickable};
use crate::html::{is_blank, visibility};

/// The greatest number of line breaks before a block that is counted.
const MOST_BREAKS: u8 = 3;

/// Walks over the page, then gathers leaves into blocks and sums up containers. Linear.
pub(super) fn analyse(document: &Document) -> Analysis {
    let mut walker = Walker::new(document);
    let mut walk = document.walk(document.root());
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Open(id) => match (document.text(id), document.local_name(id)) {
                (Some(text), _) => walker.text(id, text),
                (None, Some(name)) => {
                    if walker.open(id, name) == Enter::Skip {
                        walk.skip_children(id);
                    }
                }
                (None, None) => {}
            },
            Edge::Close(id) if document.local_name(id).is_some() => walker.close(id),
            Edge::Close(_) => {}
        }
    }
    walker.finish()
}

/// Whether the walk enters an element.
#[derive(PartialEq, Eq)]
enum Enter {
    Yes,
    Skip,
}

struct Walker<'d> {
    document: &'d Document,
    marks: Vec<NodeMark>,
    /// `blocks` of a container counts texts until all blocks are made.
    containers: Vec<Container>,
    insides: Insides,
    named: PageNames,
    texts: Vec<TextNode>,
    open: Vec<Open>,
    /// Steps at each break of the flow.
    flow: u32,
    breaks: u8,
    links: u32,
    counting: Menus,
    /// Hidden menus, the innermost first, with the range of texts in them.
    menus: Vec<(NodeId, std::ops::Range<u32>)>,
    head: Head,
}

/// An element that is open.
struct Open {
    /// The container of the text in it.
    container: u32,
    /// True when this element made that container.
    is_container: bool,
    breaks: bool,
    clickable: bool,
    hidden: bool,
    side: Side,
    link: Option<NonZeroU32>,
    emphasised: bool,
}

/// A text node that is not blank.
struct TextNode {
    node: NodeId,
    container: u32,
    flow: u32,
    breaks: u8,
    link: Option<NonZeroU32>,
    emphasised: bool,
    hidden: bool,
}

impl<'d> Walker<'d> {
    fn new(document: &'d Document) -> Self {
        Walker {
            document,
            marks: vec![NodeMark::default(); document.len()],
            containers: Vec::with_capacity(document.len() / 3),
            insides: Insides::default(),
            named: PageNames::default(),
            texts: Vec::with_capacity(document.len() / 4),
            open: Vec::new(),
            flow: 0,
            breaks: 0,
            links: 0,
            counting: Menus::default(),
            menus: Vec::new(),
            head: Head::default(),
        }
    }

    fn open(&mut self, id: NodeId, name: &str) -> Enter {
        let attributes = self.document.attributes(id);
        let display = default_display(name);
        let above = self.open.last();
        let visibility = visibility::element_visibility(name, display, attributes);
        let inherited = above.is_some_and(|above| above.hidden);
        let hidden = inherited || visibility == visibility::Visibility::Hidden;
        let skip = visibility::is_no_text_of(name, display);
        let makes_one = !(skip || display == DefaultDisplay::LineBreak);
        // Only the outermost element has none above it, and its name never hides it.
        let named = (makes_one || above.is_none()).then(|| self.named.named(self.document, id, name));
        let own_side = named.map_or_else(|| names::side(name, attributes), |named| named.side);
        let side = above.map_or(Side::Not, |above| above.side).max(own_side);
        self.marks[id.index()] = NodeMark::element(display, hidden, side);
        self.head.read(self.document, id, name);
        match display {
            DefaultDisplay::LineBreak => {
                self.flow += 1;
                self.breaks = (self.breaks + 1).min(MOST_BREAKS);
            }
            DefaultDisplay::Block => self.break_flow(),
            _ => {}
        }
        let tag = Tag::from_name(name);
        let clickable = is_clickable(name);
        if visibility == visibility::Visibility::AriaHidden {
            self.counting.open(id, self.texts.len());
        }
        if clickable {
            self.counting.open_clickable();
        }
        let above = self.open.last();
        let (mut link, mut emphasised) = above.map_or((None, false), |above| (above.link, above.emphasised));
        if tag == Tag::A {
            self.links += 1;
            link = NonZeroU32::new(self.links);
        }
        emphasised |= tag == Tag::Emphasis;
        let parent = above.map(|above| above.container);
        if let Some(parent) = parent {
            self.insides.add(&mut self.containers[parent as usize].inside, &Inside::from_name(name, tag));
        }
        let breaks = display == DefaultDisplay::Block || name == "noscript";
        if breaks && display != DefaultDisplay::Block {
            self.break_flow();
        }
        let container = match named {
            Some(named) => self.push(id, named, tag, breaks || !makes_one, parent),
            None => parent.expect("the outermost element is named"),
        };
        self.open.push(Open { container, is_container: makes_one, breaks, clickable, hidden, side, link, emphasised });
        // A head is not shown, but it describes the page.
        if skip && name != "head" { Enter::Skip } else { Enter::Yes }
    }

    fn push(&mut self, node: NodeId, named: ElementNaming, tag: Tag, breaks: bool, parent: Option<u32>) -> u32 {
        let number = u32::try_from(self.containers.len()).expect("nodes are bounded");
        let depth = parent.map_or(0, |parent| self.containers[parent as usize].depth + 1);
        let texts = self.texts.len() as u32;
        self.containers.push(Container {
            node,
            parent: parent.unwrap_or(number),
            depth,
            tag,
            breaks,
            first_name: named.first,
            own_names: named.count,
            name: named.hash,
            blocks: texts..texts,
            text: TextSums::default(),
            linked_words: 0,
            inside: 0,
        });
        number
    }

    fn break_flow(&mut self) {
        self.flow += 1;
        self.breaks = 0;
    }

    fn text(&mut self, node: NodeId, text: &str) {
        self.counting.text(text);
        let Some(top) = self.open.last() else { return };
        let blank = is_blank(text);
        self.marks[node.index()] = NodeMark::text(blank, top.hidden, top.side);
        if blank {
            return;
        }
        self.texts.push(TextNode {
            node,
            container: top.container,
            flow: self.flow,
            breaks: std::mem::take(&mut self.breaks),
            link: top.link,
            emphasised: top.emphasised,
            hidden: top.hidden,
        });
    }

    fn close(&mut self, id: NodeId) {
        let Some(closed) = self.open.pop() else { return };
        if closed.clickable {
            self.counting.close_clickable();
        }
        let texts = self.texts.len() as u32;
        if let Some(first) = self.counting.close(id) {
            self.menus.push((id, first as u32..texts));
        }
        if closed.is_container {
            self.containers[closed.container as usize].blocks.end = texts;
        }
        if closed.breaks {
            self.break_flow();
        }
    }

    /// Marks everything in hidden menus. The outermost menu comes first, so that no node is visited
    /// twice.
    fn hide_menus(&mut self) {
        for &(menu, _) in self.menus.iter().rev() {
            if !self.marks[menu.index()].is_hidden() {
                for node in self.document.descendants(menu) {
                    let mark = &mut self.marks[node.index()];
                    *mark = mark.hidden();
                }
            }
        }
    }

    fn finish(mut self) -> Analysis {
        self.hide_menus();
        let in_menu = in_menu(self.texts.len(), &self.menus);
        let mut gathered = Gathered::new(self.document, self.texts.len());
        let mut containers = self.containers;
        let mut previous = None;
        for (number, text) in self.texts.iter().enumerate() {
            let hidden = text.hidden || in_menu.get(number).copied().unwrap_or_default();
            if previous != Some((text.flow, hidden)) {
                previous = Some((text.flow, hidden));
                gathered.begin(text, hidden, &containers);
            }
            gathered.add(text, &mut containers);
        }
        let Gathered { leaves, mut blocks, words, languages, tally, .. } = gathered;
        let language = tally.best();
        if let Some(language) = language {
            for block in &mut blocks {
                let languages = &languages[block.words.start as usize..block.words.end as usize];
                block.stop_words = languages.iter().filter(|bits| *bits >> language & 1 == 1).count() as u32;
            }
        }
        for container in &mut containers {
            let texts = container.blocks.start as usize..container.blocks.end as usize;
            // Each text is a leaf. The first one may continue a block that began before the
            // container.
            container.blocks = match &leaves[texts] {
                [first, .., last] => first.block..last.block + 1,
                [only] => only.block..only.block + 1,
                [] => 0..0,
            };
        }
        sum_up(&mut containers, &mut self.insides);
        let (marks, names, head, Insides(insides)) = (self.marks, self.named.names, self.head, self.insides);
        Analysis { marks, containers, leaves, blocks, insides, names, words, language, head }
    }
}

/// For each text, whether it is in a menu. Menus nest, so beginnings and ends are counted. Empty if
/// there are no menus.
fn in_menu(texts: usize, menus: &[(NodeId, std::ops::Range<u32>)]) -> Vec<bool> {
    if menus.is_empty() {
        return Vec::new();
    }
    let mut steps = vec![0_i32; texts + 1];
    for (_, menu) in menus {
        steps[menu.start as usize] += 1;
        steps[menu.end as usize] -= 1;
    }
    let mut depth = 0;
    steps[..texts]
        .iter()
        .map(|step| {
            depth += step;
            depth > 0
        })
        .collect()
}

/// Leaves and blocks under construction.
struct Gathered<'d> {
    document: &'d Document,
    leaves: Vec<Leaf>,
    blocks: Vec<Block>,
    words: Vec<u32>,
    /// For each word the languages in which it is a stop word, one bit each.
    languages: Vec<u32>,
    tally: Tally,
    last_link: Option<NonZeroU32>,
}

impl<'d> Gathered<'d> {
    /// With room for this many texts.
    fn new(document: &'d Document, texts: usize) -> Self {
        Gathered {
            document,
            leaves: Vec::with_capacity(texts),
            blocks: Vec::with_capacity(texts),
            words: Vec::new(),
            languages: Vec::new(),
            tally: Tally::default(),
            last_link: None,
        }
    }

    fn begin(&mut self, text: &TextNode, hidden: bool, containers: &[Container]) {
        let flow = place::flow(containers, text.container);
        let (leaf, word) = (self.leaves.len() as u32, self.words.len() as u32);
        self.blocks.push(Block {
            leaves: leaf..leaf,
            container: text.container,
            flow,
            place: place::place(containers, flow, text.container),
            words: word..word,
            text: TextCounts::default(),
            linked: Linked::default(),
            emphasised: 0,
            stop_words: 0,
            hash: 0,
            ending: Ending::Word,
            begins_with_capital: false,
            breaks_before: text.breaks,
            hidden,
        });
        self.last_link = None;
    }

    fn add(&mut self, text: &TextNode, containers: &mut [Container]) {
        let block = self.blocks.last_mut().expect("a block has begun");
        let (words, languages, tally) = (&mut self.words, &mut self.languages, &mut self.tally);
        let content = self.document.text(text.node).unwrap_or_default();
        if block.text.letters + block.text.digits == 0 {
            block.begins_with_capital = content.chars().find(|c| c.is_alphanumeric()).is_some_and(char::is_uppercase);
        }
        block.ending = Ending::from_text(content);
        let counts = count(content, |word| {
            let of = languages_of(word);
            words.push(word);
            languages.push(of);
            tally.add(of);
            block.hash = mix(block.hash, u64::from(word));
        });
        block.text += counts;
        block.leaves.end += 1;
        block.words.end = words.len() as u32;
        block.emphasised += if text.emphasised { counts.characters } else { 0 };
        if text.link.is_some() {
            block.linked.words += counts.words;
            block.linked.characters += counts.characters;
            block.linked.links += u32::from(text.link != self.last_link);
            self.last_link = text.link;
        }
        self.leaves.push(Leaf {
            node: text.node,
            container: text.container,
            block: self.blocks.len() as u32 - 1,
            words: counts.words,
            linked: text.link.is_some(),
        });
        let container = &mut containers[text.container as usize];
        container.text += TextSums::from(counts);
        if text.link.is_some() {
            container.linked_words += counts.words;
        }
    }
}

/// Adds up the counts of each container, from the innermost outwards. Before this, a container
/// counts only text that is in no container below it.
fn sum_up(containers: &mut [Container], insides: &mut Insides) {
    for number in (1..containers.len()).rev() {
        let (before, from) = containers.split_at_mut(number);
        let child = &from[0];
        let Some(parent) = before.get_mut(child.parent as usize) else { continue };
        parent.text += child.text;
        parent.linked_words += child.linked_words;
        let inside = insides.0[child.inside as usize];
        insides.add(&mut parent.inside, &inside);
    }
}

impl Ending {
    fn from_text(text: &str) -> Ending {
        let mut from_the_end = text.chars().rev().filter(|c| !c.is_whitespace());
        let Some(last) = from_the_end.next() else { return Ending::Word };
        let closes = |c| matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '」' | '』' | '）');
        let ends = ends_sentence(last) || (closes(last) && from_the_end.next().is_some_and(ends_sentence));
        match last {
            _ if ends => Ending::Sentence,
            ':' | '：' => Ending::Colon,
            _ if is_comma(last) => Ending::Comma,
            _ if last.is_alphanumeric() => Ending::Word,
            _ => Ending::Other,
        }
    }
}

/// Counts of elements in containers. The first entry is for containers that have none of these.
struct Insides(Vec<Inside>);

impl Default for Insides {
    fn default() -> Self {
        Insides(vec![Inside::default()])
    }
}

impl Insides {
    /// Adds to the counts of a container. `entry` is the index of its counts.
    fn add(&mut self, entry: &mut u32, more: &Inside) {
        if *more == Inside::default() {
            return;
        }
        if *entry == 0 {
            *entry = u32::try_from(self.0.len()).expect("nodes are bounded");
            self.0.push(Inside::default());
        }
        self.0[*entry as usize] += *more;
    }
}

impl Inside {
    /// The counts of one element alone.
    fn from_name(name: &str, tag: Tag) -> Inside {
        let mut inside = Inside::default();
        match tag {
            Tag::P => inside.paragraphs = 1,
            _ if tag.heading().is_some() => inside.headings = 1,
            Tag::Item | Tag::Description => inside.items = 1,
            Tag::Cell => inside.cells = 1,
            Tag::Control => inside.controls = 1,
            _ => match name {
                "img" | "picture" | "video" | "svg" => inside.images = 1,
                "input" | "select" | "textarea" => inside.controls = 1,
                _ => {}
            },
        }
        inside
    }
}

impl std::ops::AddAssign for Inside {
    fn add_assign(&mut self, other: Self) {
        self.paragraphs += other.paragraphs;
        self.headings += other.headings;
        self.items += other.items;
        self.cells += other.cells;
        self.images += other.images;
        self.controls += other.controls;
    }
}
