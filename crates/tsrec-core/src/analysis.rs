//! Document → [`Analysis`]: reads a page once and stores what many later steps ask for.
//!
//! One walk over the tree finds the *leaves* (text nodes that a reader sees) and the *containers*
//! (the elements around them). It also decides for every node whether it is hidden and whether it
//! is side matter. Leaves between two breaks of the flow of text are a *block*. The block is the
//! unit of [`evidence`](crate::evidence). A place of a site is a container's tag, class and id with
//! those of the containers around it.
//!
//! An analysis holds no text. It keeps words as hashes, and all else as numbers of the document's
//! nodes.

pub mod head;
pub mod language;
mod mark;
pub(crate) mod names;
mod place;
mod tag;
pub mod text;
mod walk;

use std::ops::Range;

use crate::html::elements::DefaultDisplay;
use crate::html::{Document, NodeId};
use head::Head;
use mark::NodeMark;
pub use tag::Tag;
pub use text::{TextCounts, TextSums};

/// A page, read once; see the [module](self).
#[derive(Clone, Debug)]
pub struct Analysis {
    marks: Vec<NodeMark>,
    containers: Vec<Container>,
    leaves: Vec<Leaf>,
    blocks: Vec<Block>,
    insides: Vec<Inside>,
    names: Vec<u32>,
    words: Vec<u32>,
    language: Option<usize>,
    head: Head,
}

/// An element that may contain text.
#[derive(Clone, Debug)]
pub struct Container {
    /// The element.
    pub node: NodeId,
    /// The number of the container around it. The outermost has its own number.
    pub parent: u32,
    /// How many containers are around it.
    pub depth: u32,
    /// The kind of element.
    pub tag: Tag,
    /// True when it breaks the flow of text.
    pub breaks: bool,
    /// Where its own names begin among the page's names, and how many they are; see
    /// [`Analysis::names`].
    first_name: u32,
    own_names: u8,
    /// The hash of its tag, its first two classes and its id, with digits folded. The hash leaves
    /// out an id that is an anchor into the text.
    pub name: u64,
    /// The blocks that are in it at least in part, by their numbers.
    pub blocks: Range<u32>,
    /// Counts of the text in it.
    pub text: TextSums,
    /// Words in it that are in links.
    pub linked_words: u32,
    /// Index of the counts of the elements in it; see [`Analysis::inside`].
    inside: u32,
}

/// How much of a text is in links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Linked {
    /// Words.
    pub words: u32,
    /// Characters that are not white space.
    pub characters: u32,
    /// Links.
    pub links: u32,
}

/// Elements in a container, at any depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inside {
    /// `p`.
    pub paragraphs: u32,
    /// `h1` to `h6`.
    pub headings: u32,
    /// `li`, `dt`, `dd`.
    pub items: u32,
    /// `td`, `th`.
    pub cells: u32,
    /// `img`, `picture`, `video`, `svg`.
    pub images: u32,
    /// `input`, `select`, `textarea`, `button`.
    pub controls: u32,
}

/// A text node that is not blank, and that a reader sees or may see after a script has run.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The text node.
    pub node: NodeId,
    /// The number of the container it is in.
    pub container: u32,
    /// The number of its block.
    pub block: u32,
    /// Its words.
    pub words: u32,
    /// True inside a link.
    pub linked: bool,
}

/// The text between two breaks of the flow, with at least one word or mark.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its leaves, by their numbers.
    pub leaves: Range<u32>,
    /// The number of the container that holds its first leaf.
    pub container: u32,
    /// The number of the nearest container around it that breaks the flow.
    pub flow: u32,
    /// The place of the block on the site, as one hash. It covers the names of the container of
    /// `flow`, of the three containers around that, and of the container that holds the first leaf.
    pub place: u64,
    /// Its range among the page's words; see [`Analysis::words`].
    words: Range<u32>,
    /// Counts of its text.
    pub text: TextCounts,
    /// Counts of the part of its text that is in links.
    pub linked: Linked,
    /// Characters in `b`, `strong`, `i`, `em` and the like.
    pub emphasised: u32,
    /// Words that are stop words of the page's language.
    pub stop_words: u32,
    /// The hash of its words. Blocks with the same words have equal hashes.
    pub hash: u64,
    /// What its last character is.
    pub ending: Ending,
    /// True when the first letter or digit of its text is a letter in upper case.
    pub begins_with_capital: bool,
    /// Line breaks (`br`) directly before it, at most 3.
    pub breaks_before: u8,
    /// True if the markup hides the text, or if it is in `noscript`. If scripts show the page,
    /// hidden text may be the content.
    pub hidden: bool,
}

/// The kind of the last character of a text, without white space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Ending {
    /// A letter or a digit, or the text is empty.
    #[default]
    Word,
    /// The end of a sentence, with or without a quotation mark or bracket after it.
    Sentence,
    /// A colon.
    Colon,
    /// A comma.
    Comma,
    /// Any other.
    Other,
}

impl Analysis {
    /// Reads a page. Linear in the page.
    pub fn new(document: &Document) -> Analysis {
        walk::analyse(document)
    }

    /// True if the node, or an element around it, is hidden.
    #[inline]
    pub fn is_hidden(&self, node: NodeId) -> bool {
        self.marks[node.index()].is_hidden()
    }

    /// True if text inside the element is not text of the page: the element is hidden, a widget or
    /// an embedded resource.
    pub fn holds_no_text(&self, node: NodeId) -> bool {
        self.marks[node.index()].holds_no_text()
    }

    /// True if the node is side matter or is inside side matter. Side matter is `aside`, `footer`,
    /// `nav`, and elements that are named for readers' comments.
    pub fn is_side_matter(&self, node: NodeId) -> bool {
        self.marks[node.index()].is_side_matter()
    }

    /// True if the node is, or is inside, an element that is named for readers' comments.
    pub fn is_comment(&self, node: NodeId) -> bool {
        self.marks[node.index()].is_comment()
    }

    /// The default display of an element that is not inside another element's [own
    /// content](Self::holds_no_text).
    #[inline]
    pub(crate) fn display(&self, element: NodeId) -> DefaultDisplay {
        self.marks[element.index()].display()
    }

    /// True of a text of white space alone that is part of the page's text.
    #[inline]
    pub(crate) fn is_blank(&self, text: NodeId) -> bool {
        self.marks[text.index()].is_blank()
    }

    /// The containers, in document order. A container comes after the one around it.
    pub fn containers(&self) -> &[Container] {
        &self.containers
    }

    /// A container, by its number.
    pub fn container(&self, number: u32) -> &Container {
        &self.containers[number as usize]
    }

    /// The containers around a block, the nearest first, each with its number.
    pub fn around(&self, block: &Block) -> impl Iterator<Item = (u32, &Container)> + '_ {
        self.upwards(block.container)
    }

    /// A container and those around it, the nearest first, each with its number.
    pub fn upwards(&self, number: u32) -> impl Iterator<Item = (u32, &Container)> + '_ {
        let first = (!self.containers.is_empty()).then_some(number);
        std::iter::successors(first, |&at| Some(self.container(at).parent).filter(|&parent| parent != at))
            .map(|at| (at, self.container(at)))
    }

    /// Counts of elements in a container. Most containers have none of these, and share one entry.
    pub fn inside(&self, container: &Container) -> &Inside {
        &self.insides[container.inside as usize]
    }

    /// The leaves, in document order.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// The leaves of a block.
    pub fn leaves_of(&self, block: &Block) -> &[Leaf] {
        &self.leaves[block.leaves.start as usize..block.leaves.end as usize]
    }

    /// The blocks, in document order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The hashes of a block's words, in order.
    pub fn words(&self, block: &Block) -> &[u32] {
        &self.words[block.words.start as usize..block.words.end as usize]
    }

    /// The hashes of all words of the page, in order.
    pub fn all_words(&self) -> &[u32] {
        &self.words
    }

    /// The heading level of a block, from 1 to 6, if one of its three nearest containers is a
    /// heading. `None` for other blocks.
    pub fn heading_level(&self, block: &Block) -> Option<u8> {
        self.around(block).take(3).find_map(|(_, container)| container.tag.heading())
    }

    /// How many words come before a block.
    pub fn words_before(&self, block: &Block) -> u32 {
        block.words.start
    }

    /// The hashes of the words in a container's `class`, `id`, `role` and `itemprop`. A container
    /// without any of these has the hash of its tag.
    pub fn names(&self, container: &Container) -> &[u32] {
        let first = container.first_name as usize;
        &self.names[first..first + usize::from(container.own_names)]
    }

    /// The language with the most stop words on the page, by its number in
    /// [`language::LANGUAGES`].
    pub fn language(&self) -> Option<usize> {
        self.language
    }

    /// What the page's head says of the page.
    pub fn head(&self) -> &Head {
        &self.head
    }
}

#[cfg(test)]
mod tests;
