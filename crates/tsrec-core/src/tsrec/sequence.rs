//! The tag sequence: plain data, which can be stored for later comparisons without its page.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use html5ever::LocalName;

use super::prepared::Prepared;
use crate::html::NodeId;
use crate::words;

/// The name of an anonymous block: text after a nested block in the same parent, such as "three" in
/// `<div>one<p>two</p>three</div>`. The term is from CSS, which puts such text in an anonymous
/// block box.
pub const ANONYMOUS: &str = "";

/// A page as a sequence of elements in document order, each with its region code.
///
/// It borrows its text from the page's [`Document`](crate::html::Document);
/// [`TagSequence::into_owned`] copies it.
#[derive(Clone, Debug, Default)]
pub struct TagSequence<'d> {
    elements: Vec<Element>,
    /// The content of all elements, one after the other. A separate list for each would be an
    /// allocation for each, and more than half would be empty.
    content: Vec<Inline<'d>>,
    /// Computed from the elements, which do not change, at the first comparison.
    prepared: OnceLock<Prepared>,
    /// Counted on first use, or known before.
    words: OnceLock<Vec<WordCounts>>,
}

impl PartialEq for TagSequence<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.elements == other.elements && self.content == other.content
    }
}

impl Eq for TagSequence<'_> {}

/// One element: a tag that breaks the flow of text, with the inline content directly in it.
///
/// The codes are those of the paper's definition (section 4). One counter steps at every opening
/// and closing and gives begin and end. So `x` is inside `y` exactly when `y.begin < x.begin &&
/// x.end < y.end`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The tag's name in lower case, or [`ANONYMOUS`].
    pub name: LocalName,
    /// `RC_b`: the counter at the opening. The root has 0.
    pub begin: u32,
    /// `RC_e`: the counter at the closing.
    pub end: u32,
    /// `RC_p`: the `begin` of the parent; 0 for the root.
    pub parent: u32,
    /// `RC_l`: the depth in the sequence; 0 for the root.
    pub level: u32,
    /// True if the page hides the element or one around it: then it is not matched.
    pub hidden: bool,
    /// The node of the element (of an anonymous block, the parent's). Not stored.
    pub node: NodeId,
    /// The range of its content in the sequence: see [`TagSequence::content`].
    pub(super) content: Range<u32>,
}

/// The words of an element's texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordCounts {
    /// Outside links.
    pub free: u32,
    /// In links.
    pub linked: u32,
}

impl WordCounts {
    /// Both together.
    pub fn all(self) -> u32 {
        self.free + self.linked
    }
}

/// A piece of inline content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline<'d> {
    /// The start of an inline tag. End tags are not kept, as in the paper's figure 6.
    Tag(LocalName),
    /// Text, never blank: white space is folded and trimmed.
    Text {
        /// The text that is compared and counted.
        text: Cow<'d, str>,
        /// True inside a link.
        linked: bool,
        /// The text node. Not stored.
        node: NodeId,
    },
}

impl<'d> TagSequence<'d> {
    /// A sequence of these elements, by ascending `begin`, and their content.
    pub(super) fn new(elements: Vec<Element>, content: Vec<Inline<'d>>) -> Self {
        TagSequence { elements, content, ..TagSequence::default() }
    }

    /// The elements, by ascending `begin`.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// The inline content of an element: tags that do not break the flow, and text.
    pub fn content(&self, element: &Element) -> &[Inline<'d>] {
        &self.content[element.content.start as usize..element.content.end as usize]
    }

    /// The texts of an element's content, each with whether it is linked.
    pub fn texts(&self, element: &Element) -> impl Iterator<Item = (&str, bool)> {
        self.content(element).iter().filter_map(|piece| match piece {
            Inline::Text { text, linked, .. } => Some((&**text, *linked)),
            Inline::Tag(_) => None,
        })
    }

    /// True if an element has its own text.
    pub fn has_text(&self, element: &Element) -> bool {
        self.texts(element).next().is_some()
    }

    /// The text nodes of an element's content, in order.
    pub fn text_nodes(&self, element: &Element) -> impl Iterator<Item = NodeId> + '_ {
        self.content(element).iter().filter_map(|piece| match piece {
            Inline::Text { node, .. } => Some(*node),
            Inline::Tag(_) => None,
        })
    }

    /// The words of each element, counted once.
    pub fn word_counts(&self) -> &[WordCounts] {
        self.words.get_or_init(|| {
            self.elements.iter().map(|element| self.count_words(element, |_, text| words::count(text) as u32)).collect()
        })
    }

    /// Sets word counts that are already known, by text node in document order. Text nodes that are
    /// missing there are counted.
    pub(crate) fn with_words(self, mut known: impl Iterator<Item = (NodeId, u32)>) -> Self {
        let mut count = |node, text: &str| match known.find(|&(of, _)| of == node) {
            Some((_, words)) => words,
            None => words::count(text) as u32,
        };
        let words: Vec<_> = self.elements.iter().map(|element| self.count_words(element, &mut count)).collect();
        TagSequence { words: OnceLock::from(words), ..self }
    }

    /// The words of an element's texts, as `count` counts them.
    fn count_words(&self, element: &Element, mut count: impl FnMut(NodeId, &str) -> u32) -> WordCounts {
        let mut counts = WordCounts::default();
        for piece in self.content(element) {
            if let Inline::Text { text, linked, node } = piece {
                *if *linked { &mut counts.linked } else { &mut counts.free } += count(*node, text);
            }
        }
        counts
    }

    /// The data for comparing. Linear on first use.
    pub(super) fn prepared(&self) -> &Prepared {
        self.prepared.get_or_init(|| Prepared::new(self))
    }

    /// The number of its visible elements with their own text. Linear at the first comparison or
    /// first use.
    pub(crate) fn with_text(&self) -> usize {
        self.prepared().with_text
    }

    /// A copy that owns its text.
    pub fn into_owned(self) -> TagSequence<'static> {
        let content = self.content.into_iter().map(Inline::into_owned).collect();
        TagSequence { elements: self.elements, content, prepared: self.prepared, words: self.words }
    }

    /// The indices of the elements that are matched: the visible ones.
    pub fn visible(&self) -> impl Iterator<Item = usize> + '_ {
        self.elements.iter().enumerate().filter(|(_, element)| !element.hidden).map(|(index, _)| index)
    }

    /// For each element, the index of its parent; the root's is its own. Linear.
    pub fn parents(&self) -> Vec<usize> {
        let mut open: Vec<usize> = Vec::new();
        let mut parents = Vec::with_capacity(self.elements.len());
        for (index, element) in self.elements.iter().enumerate() {
            while open.last().is_some_and(|&top| self.elements[top].end < element.begin) {
                open.pop();
            }
            parents.push(open.last().copied().unwrap_or(index));
            open.push(index);
        }
        parents
    }
}

impl Element {
    /// True if `self` is inside `other`, by region code.
    pub fn is_inside(&self, other: &Element) -> bool {
        other.begin < self.begin && self.end < other.end
    }
}

impl Inline<'_> {
    fn into_owned(self) -> Inline<'static> {
        match self {
            Inline::Tag(name) => Inline::Tag(name),
            Inline::Text { text, linked, node } => Inline::Text { text: Cow::Owned(text.into_owned()), linked, node },
        }
    }
}
