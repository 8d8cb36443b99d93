//! What a page looks like: the computed style of its nodes, and where there is a browser, their
//! boxes.

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

/// Width and height in CSS pixels of the window that a page is looked at in: a common desktop
/// screen. Judgement.
pub const VIEWPORT: (f32, f32) = (1280.0, 1024.0);

/// The computed style of every node of one document, and where the page was rendered, the box of
/// every node that has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Styles {
    styles: Vec<Style>,
    boxes: Option<Vec<Option<Rect>>>,
}

/// The computed style of a node: what CSS calls computed values. A text node has that of its
/// parent, but is [`Display::Inline`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// How the node takes part in the layout of what is around it.
    pub display: Display,
    /// False where the node is never seen: `visibility` is not `visible`, or the node or an
    /// ancestor is [`Display::None`].
    pub visible: bool,
    /// Font size in CSS pixels: finite, 0 or more.
    pub font_size: f32,
    /// Text colour.
    pub color: Color,
}

/// The border box of a node in CSS pixels, from the top left corner of the page: that of an element
/// as `getBoundingClientRect` gives it, that of a text node the bounds of its lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Distance from the page's left edge; negative where the node begins outside.
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
    /// Styles of a document: one for each node, by [`NodeId::index`], and, where the page was
    /// rendered, a box for each node that has one.
    ///
    /// # Panics
    ///
    /// When there are boxes, but not one place for each style.
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

    /// The box of a node: `None` where it has none (it is not displayed), and for all nodes where
    /// the page was not rendered.
    pub fn rect(&self, id: NodeId) -> Option<Rect> {
        self.boxes.as_ref()?[id.index()]
    }

    /// True when the page was rendered.
    pub fn has_boxes(&self) -> bool {
        self.boxes.is_some()
    }
}
