//! Text colours: parsing and result.

use cssparser::{ParseError, Parser};
use cssparser_color::{hsl_to_rgb, hwb_to_rgb};

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

    /// The colour of a CSS colour value. `None` if it is no colour, is outside sRGB (`lab()`,
    /// `oklch()`, …), or depends on the element (`currentcolor`).
    ///
    /// ```
    /// use tsrec_papers::style::Color;
    /// assert_eq!(Color::from_css("hsl(120 100% 25%)"), Some(Color::rgb(0, 128, 0)));
    /// ```
    pub fn from_css(value: &str) -> Option<Self> {
        Parser::new(value).parse_entirely(parse).ok()?
    }

    /// The colour of an attribute such as `<font color>`, by the HTML standard's "rules for parsing
    /// a legacy color value" (section 2.3.6). They find a colour in nearly any text.
    pub(super) fn from_attribute(value: &str) -> Option<Self> {
        let value = value.trim_matches(|c: char| c.is_ascii_whitespace());
        if value.is_empty() || value.eq_ignore_ascii_case("transparent") {
            return None;
        }
        if let Ok((red, green, blue)) = cssparser::color::parse_named_color(value) {
            return Some(Color::rgb(red, green, blue));
        }
        if let Some(hex) = value.strip_prefix('#').filter(|hex| hex.len() == 3)
            && let Some(color) = Self::from_hex(hex)
        {
            return Some(color);
        }
        Some(Self::from_any_text(value))
    }

    /// Three or six hexadecimal digits.
    pub(super) fn from_hex(digits: &str) -> Option<Self> {
        if !matches!(digits.len(), 3 | 6) {
            return None;
        }
        let (red, green, blue, _) = cssparser::color::parse_hash_color(digits.as_bytes()).ok()?;
        Some(Color::rgb(red, green, blue))
    }

    /// The steps of the standard's rules, from the one that replaces non-digits.
    fn from_any_text(value: &str) -> Self {
        /// The greatest number of characters that are read, and so of digits of each component.
        const LOOKED_AT: usize = 128;
        const COMPONENT: usize = 8;
        let wide = value.chars().flat_map(|c| match c {
            '\u{10000}'.. => ['0', '0'].into_iter().take(2),
            c => [c, '0'].into_iter().take(1),
        });
        let text: String = wide.take(LOOKED_AT).collect();
        let text = text.strip_prefix('#').unwrap_or(&text);
        let mut digits: Vec<u8> = text.chars().map(|c| if c.is_ascii_hexdigit() { c as u8 } else { b'0' }).collect();
        while digits.is_empty() || !digits.len().is_multiple_of(3) {
            digits.push(b'0');
        }
        let mut components: Vec<&[u8]> = digits.chunks(digits.len() / 3).collect();
        for component in &mut components {
            *component = &component[component.len().saturating_sub(COMPONENT)..];
        }
        while components[0].len() > 2 && components.iter().all(|component| component[0] == b'0') {
            components.iter_mut().for_each(|component| *component = &component[1..]);
        }
        let value = |component: &[u8]| {
            component.iter().take(2).fold(0, |sum, &digit| sum * 16 + (digit as char).to_digit(16).unwrap_or(0)) as u8
        };
        Color::rgb(value(components[0]), value(components[1]), value(components[2]))
    }
}

/// Parses a colour value: `None` for `currentcolor`.
pub(super) fn parse(input: &mut Parser<'_>) -> Result<Option<Color>, ParseError<()>> {
    use cssparser_color::Color as Parsed;
    let unit = |part: Option<f32>| part.filter(|part| part.is_finite()).unwrap_or(0.0).clamp(0.0, 1.0);
    let turn = |degrees: Option<f32>| degrees.filter(|hue| hue.is_finite()).unwrap_or(0.0).rem_euclid(360.0) / 360.0;
    let (rgb, alpha) = match Parsed::parse(input)? {
        Parsed::CurrentColor => return Ok(None),
        Parsed::Rgba(color) => {
            let alpha = cssparser::color::clamp_unit_f32(color.alpha);
            return Ok(Some(Color { red: color.red, green: color.green, blue: color.blue, alpha }));
        }
        Parsed::Hsl(color) => {
            (hsl_to_rgb(turn(color.hue).min(1.0), unit(color.saturation), unit(color.lightness)), color.alpha)
        }
        Parsed::Hwb(color) => {
            (hwb_to_rgb(turn(color.hue).min(1.0), unit(color.whiteness), unit(color.blackness)), color.alpha)
        }
        _ => return Err(ParseError::unexpected_token()),
    };
    let byte = cssparser::color::clamp_unit_f32;
    Ok(Some(Color { red: byte(rgb.0), green: byte(rgb.1), blue: byte(rgb.2), alpha: byte(unit(alpha.or(Some(1.0)))) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn css_colours_are_read() {
        for (value, expect) in [
            ("red", Some(Color::rgb(255, 0, 0))),
            (" #0f8 ", Some(Color::rgb(0, 255, 136))),
            ("rgb(1, 2, 3)", Some(Color::rgb(1, 2, 3))),
            ("rgba(1 2 3 / 50%)", Some(Color { red: 1, green: 2, blue: 3, alpha: 128 })),
            ("hsl(0, 100%, 50%)", Some(Color::rgb(255, 0, 0))),
            ("hsl(-120deg 100% 50%)", Some(Color::rgb(0, 0, 255))),
            ("hwb(0 0% 100%)", Some(Color::rgb(0, 0, 0))),
            ("transparent", Some(Color { red: 0, green: 0, blue: 0, alpha: 0 })),
            ("currentcolor", None),
            ("oklch(1 0 0)", None),
            ("red green", None),
            ("", None),
        ] {
            assert_eq!(Color::from_css(value), expect, "{value}");
        }
    }

    #[test]
    fn legacy_colours_are_read_as_the_standard_says() {
        for (value, expect) in [
            ("Red", Some((255, 0, 0))),
            ("#123", Some((0x11, 0x22, 0x33))),
            ("336699", Some((0x33, 0x66, 0x99))),
            ("#336699 ", Some((0x33, 0x66, 0x99))),
            // The best known unintended colour.
            ("chucknorris", Some((0xc0, 0, 0))),
            ("#0000000000ff", Some((0, 0, 0xff))),
            ("#1", Some((1, 0, 0))),
            ("\u{1f600}", Some((0, 0, 0))),
            ("transparent", None),
            ("", None),
        ] {
            assert_eq!(Color::from_attribute(value), expect.map(|(r, g, b)| Color::rgb(r, g, b)), "{value}");
        }
    }
}
