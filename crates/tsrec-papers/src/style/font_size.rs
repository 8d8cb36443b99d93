//! Font sizes: parsing and result.

use cssparser::{BasicParseError, Parser, Token};

use super::VIEWPORT;

/// The `medium` size, in CSS pixels: the initial size in all browsers.
pub(super) const MEDIUM: f32 = 16.0;

/// The absolute sizes from `xx-small` to `xxx-large` in CSS pixels, as in browsers with a `medium`
/// of 16.
const ABSOLUTE: [f32; 8] = [9.0, 10.0, 13.0, MEDIUM, 18.0, 24.0, 32.0, 48.0];

/// `larger` multiplies by this, and `smaller` divides by it (CSS Fonts 4, section 2.5.3).
const STEP: f32 = 1.2;

/// The largest font size, in CSS pixels: the limit in browsers.
const MOST: f32 = 10_000.0;

/// A declared `font-size`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FontSize {
    /// CSS pixels.
    Pixels(f32),
    /// Times the parent's.
    Em(f32),
    /// Times the root's.
    Rem(f32),
}

impl FontSize {
    pub(super) const LARGER: FontSize = FontSize::Em(STEP);
    pub(super) const SMALLER: FontSize = FontSize::Em(1.0 / STEP);

    /// Parses a value. `unitless`: numbers without a unit are pixels (Quirks standard, section
    /// 3.2).
    pub(super) fn parse(input: &mut Parser<'_>, unitless: bool) -> Result<Self, BasicParseError> {
        let size = match input.next()? {
            Token::Ident(name) => return keyword(name).ok_or_else(BasicParseError::unexpected_token),
            Token::Percentage { unit_value, .. } => FontSize::Em(*unit_value),
            Token::Number { value, .. } if *value == 0.0 || unitless => FontSize::Pixels(*value),
            Token::Dimension { value, unit, .. } => {
                dimension(*value, unit).ok_or_else(BasicParseError::unexpected_token)?
            }
            _ => return Err(BasicParseError::unexpected_token()),
        };
        let (FontSize::Pixels(value) | FontSize::Em(value) | FontSize::Rem(value)) = size;
        if value >= 0.0 { Ok(size) } else { Err(BasicParseError::unexpected_token()) }
    }

    /// The size for `<font size>` (HTML standard, section 15.3.4, "rules for parsing a legacy font
    /// size").
    pub(super) fn from_attribute(value: &str) -> Option<Self> {
        let value = value.trim_start();
        let digits = value.trim_start_matches(['+', '-']);
        let signs = value.len() - digits.len();
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        if signs > 1 || end == 0 {
            return None;
        }
        // If a number is too long for its type, it is out of range anyway.
        let number: i32 = digits[..end].parse().unwrap_or(i32::MAX);
        let number = match &value[..signs] {
            "+" => number.saturating_add(3),
            "-" => 3 - number,
            _ => number,
        };
        Some(FontSize::Pixels(ABSOLUTE[number.clamp(1, 7) as usize]))
    }

    /// The size in CSS pixels, 0 to 10,000.
    pub(super) fn resolve(self, parent: f32, root: f32) -> f32 {
        let size = match self {
            FontSize::Pixels(size) => size,
            FontSize::Em(times) => times * parent,
            FontSize::Rem(times) => times * root,
        };
        // 0 times infinity is NaN.
        if size.is_nan() { 0.0 } else { size.clamp(0.0, MOST) }
    }
}

fn keyword(name: &str) -> Option<FontSize> {
    const NAMES: [&str; 8] = ["xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large"];
    match () {
        () if name.eq_ignore_ascii_case("larger") => Some(FontSize::LARGER),
        () if name.eq_ignore_ascii_case("smaller") => Some(FontSize::SMALLER),
        () => {
            let index = NAMES.iter().position(|keyword| name.eq_ignore_ascii_case(keyword))?;
            Some(FontSize::Pixels(ABSOLUTE[index]))
        }
    }
}

fn dimension(value: f32, unit: &str) -> Option<FontSize> {
    Some(match &*unit.to_ascii_lowercase() {
        "em" => FontSize::Em(value),
        // Half the font's height, as in CSS for fonts without metrics.
        "ex" | "ch" => FontSize::Em(value / 2.0),
        "rem" => FontSize::Rem(value),
        unit => FontSize::Pixels(pixels(value, unit)?),
    })
}

/// An absolute length, or one relative to the viewport, in CSS pixels (CSS Values 4, section 6).
/// `unit` is in lower case.
pub(super) fn pixels(value: f32, unit: &str) -> Option<f32> {
    Some(match unit {
        "px" => value,
        "pt" => value * 96.0 / 72.0,
        "pc" => value * 16.0,
        "in" => value * 96.0,
        "cm" => value * 96.0 / 2.54,
        "mm" => value * 96.0 / 25.4,
        "q" => value * 96.0 / 101.6,
        "vw" => value * VIEWPORT.0 / 100.0,
        "vh" => value * VIEWPORT.1 / 100.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_resolved() {
        for (value, unitless, expect) in [
            ("12px", false, Some(12.0)),
            ("9pt", false, Some(12.0)),
            ("1.5em", false, Some(30.0)),
            ("150%", false, Some(30.0)),
            ("2REM", false, Some(32.0)),
            ("0", false, Some(0.0)),
            ("12", false, None),
            ("12", true, Some(12.0)),
            ("-1px", false, None),
            ("X-Large", false, Some(24.0)),
            ("larger", false, Some(24.0)),
            ("1e39px", false, Some(10_000.0)),
            ("1furlong", false, None),
            ("red", false, None),
        ] {
            let parsed = FontSize::parse(&mut Parser::new(value), unitless);
            assert_eq!(parsed.ok().map(|size| size.resolve(20.0, 16.0)), expect, "{value}");
        }
        assert_eq!(FontSize::Em(f32::INFINITY).resolve(0.0, 16.0), 0.0);
    }

    #[test]
    fn the_font_elements_sizes_are_those_of_the_standard() {
        for (value, expect) in [
            ("1", Some(10.0)),
            (" 3", Some(16.0)),
            ("+1", Some(18.0)),
            ("-1", Some(13.0)),
            ("-9", Some(10.0)),
            ("99999999999", Some(48.0)),
            ("7pt", Some(48.0)),
            ("+-1", None),
            ("", None),
            ("big", None),
        ] {
            assert_eq!(FontSize::from_attribute(value), expect.map(FontSize::Pixels), "{value}");
        }
    }
}
