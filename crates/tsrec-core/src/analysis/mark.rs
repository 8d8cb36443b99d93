//! What the analysis knows of each node of a page, in one byte. There are as many marks as nodes in
//! memory while the rest is built.

use super::names::Side;
use crate::html::elements::DefaultDisplay;

/// What is known of a node. If the walk did not reach it, nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeMark(u8);

/// Bits of a [`NodeMark`]. The bits above these hold the display of an element.
const HIDDEN: u8 = 1;
const NO_TEXT: u8 = 1 << 1;
const BLANK: u8 = 1 << 2;
const SIDE_ELEMENT: u8 = 1 << 3;
const COMMENTS: u8 = 1 << 4;
const DISPLAY: u32 = 5;

impl NodeMark {
    /// The mark of an element. `hidden` is true if the element, or one around it, is hidden.
    pub(super) fn element(display: DefaultDisplay, hidden: bool, side: Side) -> NodeMark {
        let no_text = hidden || display == DefaultDisplay::Replaced;
        NodeMark((display as u8) << DISPLAY | bit(hidden, HIDDEN) | bit(no_text, NO_TEXT) | side_bits(side))
    }

    /// The mark of a text. `blank` is true if it is white space alone; `hidden`, if an element
    /// around it is hidden.
    pub(super) fn text(blank: bool, hidden: bool, side: Side) -> NodeMark {
        NodeMark(bit(blank, BLANK) | bit(hidden, HIDDEN | NO_TEXT) | side_bits(side))
    }

    /// The same mark, hidden.
    pub(super) fn hidden(self) -> NodeMark {
        NodeMark(self.0 | HIDDEN | NO_TEXT)
    }

    pub(super) fn is_hidden(self) -> bool {
        self.0 & HIDDEN != 0
    }

    pub(super) fn holds_no_text(self) -> bool {
        self.0 & NO_TEXT != 0
    }

    pub(super) fn is_blank(self) -> bool {
        self.0 & BLANK != 0
    }

    pub(super) fn is_side_matter(self) -> bool {
        self.0 & (SIDE_ELEMENT | COMMENTS) != 0
    }

    pub(super) fn is_comment(self) -> bool {
        self.0 & COMMENTS != 0
    }

    /// The display of an element.
    pub(super) fn display(self) -> DefaultDisplay {
        const ALL: [DefaultDisplay; 5] = [
            DefaultDisplay::Block,
            DefaultDisplay::Inline,
            DefaultDisplay::LineBreak,
            DefaultDisplay::Replaced,
            DefaultDisplay::None,
        ];
        ALL[usize::from(self.0 >> DISPLAY)]
    }
}

fn bit(is: bool, bit: u8) -> u8 {
    if is { bit } else { 0 }
}

fn side_bits(side: Side) -> u8 {
    match side {
        Side::Not => 0,
        Side::Element => SIDE_ELEMENT,
        Side::Comments => COMMENTS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_tells_all_of_a_node() {
        use DefaultDisplay::{Block, Inline, LineBreak, None, Replaced};
        for display in [Block, Inline, LineBreak, Replaced, None] {
            for side in [Side::Not, Side::Element, Side::Comments] {
                for hidden in [false, true] {
                    let mark = NodeMark::element(display, hidden, side);
                    let told = (mark.display(), mark.is_hidden(), mark.is_side_matter(), mark.is_comment());
                    assert_eq!(told, (display, hidden, side != Side::Not, side == Side::Comments));
                    assert_eq!(mark.holds_no_text(), hidden || display == Replaced);
                    assert!(mark.hidden().is_hidden() && mark.hidden().display() == display);
                    let text = NodeMark::text(hidden, !hidden, side);
                    assert_eq!(
                        (text.is_blank(), text.is_hidden(), text.is_comment()),
                        (hidden, !hidden, side == Side::Comments)
                    );
                }
            }
        }
        assert_eq!(size_of::<NodeMark>(), 1);
    }
}
