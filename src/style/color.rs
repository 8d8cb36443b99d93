//! A text colour.

/// A colour in sRGB with its opacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Color {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
    /// Opacity: 255 is opaque.
    pub alpha: u8,
}

impl Color {
    /// `CanvasText`, the initial text colour.
    pub const BLACK: Color = Color::rgb(0, 0, 0);

    /// An opaque colour.
    pub const fn rgb(red: u8, green: u8, blue: u8) -> Self {
        Color { red, green, blue, alpha: 255 }
    }
}
