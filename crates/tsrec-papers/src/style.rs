//! The look of a page: the computed style of its nodes, and their boxes if there is a browser.

mod color;
mod compute;
mod declaration;
mod defaults;
mod display;
mod font_size;
mod media;
mod name;
mod rules;
mod selector;
mod sheet;
mod tree;

use tsrec_core::html::NodeId;

pub use color::Color;
pub use compute::{compute, defaults};
pub use display::Display;

/// Width and height of the viewport, in CSS pixels: a common desktop screen. Judgement.
pub const VIEWPORT: (f32, f32) = (1280.0, 1024.0);

/// The computed style of every node of one document. If the page was rendered, also the box of
/// every node that has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Styles {
    styles: Vec<Style>,
    boxes: Option<Vec<Option<Rect>>>,
}

/// The computed style of a node, in CSS terms its computed values. A text node has its parent's
/// style, except that it is [`Display::Inline`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// How the node takes part in layout.
    pub display: Display,
    /// False if the node is never seen: `visibility` is not `visible`, or the node or an ancestor
    /// is [`Display::None`].
    pub visible: bool,
    /// Font size in CSS pixels: finite, 0 or more.
    pub font_size: f32,
    /// Text colour.
    pub color: Color,
}

/// The border box of a node in CSS pixels, from the top left corner of the page. For an element it
/// is the result of `getBoundingClientRect`, for a text node the bounds of its lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Distance from the page's left edge; negative if the node begins outside.
    pub left: f32,
    /// Distance from the page's top edge.
    pub top: f32,
    /// Width, 0 or more.
    pub width: f32,
    /// Height, 0 or more.
    pub height: f32,
}

impl Rect {
    /// Distance of the right edge from the page's left edge.
    pub fn right(&self) -> f32 {
        self.left + self.width
    }
}

impl Styles {
    /// Styles of a document: one for each node, by [`NodeId::index`]. If the page was rendered,
    /// also a box for each node that has one.
    ///
    /// # Panics
    ///
    /// If there are boxes, but their number differs from the number of styles.
    pub fn new(styles: Vec<Style>, boxes: Option<Vec<Option<Rect>>>) -> Self {
        if let Some(boxes) = &boxes {
            assert_eq!(styles.len(), boxes.len(), "styles and boxes are of one document");
        }
        Styles { styles, boxes }
    }

    /// The style of a node of the document.
    pub fn style(&self, id: NodeId) -> &Style {
        &self.styles[id.index()]
    }

    /// The box of a node: `None` if the node has none (it is not displayed), and for all nodes if
    /// the page was not rendered.
    pub fn rect(&self, id: NodeId) -> Option<Rect> {
        self.boxes.as_ref()?[id.index()]
    }

    /// True if the page was rendered.
    pub fn has_boxes(&self) -> bool {
        self.boxes.is_some()
    }
}
