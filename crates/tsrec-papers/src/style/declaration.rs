//! Declarations: the supported properties and their values.

use cssparser::{
    AtRuleParser, CowRcStr, DeclarationParser, ParseError, Parser, ParserState, QualifiedRuleParser,
    RuleBodyItemParser, RuleBodyParser, Token, parse_important,
};

use super::color::{self, Color};
use super::display::Display;
use super::font_size::FontSize;
use super::selector::Error;

/// A property with its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Declaration {
    Display(CssValue<Display>),
    /// Whether the element's content is seen.
    Visibility(CssValue<bool>),
    FontSize(CssValue<FontSize>),
    Color(CssValue<Color>),
    /// Whether the element floats. If so, it is a block (CSS Display 3, section 2.7).
    Float(CssValue<bool>),
    /// Whether the element is positioned out of the flow. If so, it is a block too.
    Position(CssValue<bool>),
}

/// A value, or one of the keywords that all properties take (CSS Cascade 5, section 7.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CssValue<T> {
    Set(T),
    Initial,
    Inherit,
    Unset,
    /// `revert` and `revert-layer`: as if the author had set nothing.
    Revert,
}

/// The declarations of a block, in order, with the important ones apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DeclarationBlock {
    pub(super) normal: Vec<Declaration>,
    pub(super) important: Vec<Declaration>,
}

impl DeclarationBlock {
    /// Parses the inside of `{ … }`, or of a `style` attribute. Invalid or unknown declarations are
    /// skipped, as CSS demands. Linear.
    pub(super) fn parse(input: &mut Parser<'_>, quirks: Quirks) -> Self {
        let mut body = DeclarationBody { block: DeclarationBlock::default(), quirks };
        for _valid_or_not in RuleBodyParser::new(input, &mut body) {}
        body.block
    }

    /// True if it sets none of the supported properties.
    pub(super) fn is_empty(&self) -> bool {
        self.normal.is_empty() && self.important.is_empty()
    }
}

/// Whether values may be written in the pre-standard way: numbers without `px`, colours without `#`
/// (Quirks standard, section 3).
pub(super) type Quirks = bool;

struct DeclarationBody {
    block: DeclarationBlock,
    quirks: Quirks,
}

impl<'i> DeclarationParser<'i> for DeclarationBody {
    type Declaration = ();
    type Error = Error;

    fn parse_value(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i>,
        _start: &ParserState,
    ) -> Result<(), ParseError<Error>> {
        let declaration = parse(&name, input, self.quirks)?;
        let block = match input.try_parse(parse_important) {
            Ok(()) => &mut self.block.important,
            Err(_) => &mut self.block.normal,
        };
        input.expect_exhausted()?;
        block.push(declaration);
        Ok(())
    }
}

impl<'i> AtRuleParser<'i> for DeclarationBody {
    type Prelude = ();
    type AtRule = ();
    type Error = Error;
}

impl<'i> QualifiedRuleParser<'i> for DeclarationBody {
    type Prelude = ();
    type QualifiedRule = ();
    type Error = Error;
}

impl RuleBodyItemParser<'_, (), Error> for DeclarationBody {
    fn parse_declarations(&self) -> bool {
        true
    }

    /// Nested rules are not supported; this finds their ends.
    fn parse_qualified(&self) -> bool {
        true
    }
}

fn parse(name: &str, input: &mut Parser<'_>, quirks: Quirks) -> Result<Declaration, ParseError<Error>> {
    Ok(match &*name.to_ascii_lowercase() {
        "display" => Declaration::Display(value(input, display)?),
        "visibility" => Declaration::Visibility(value(input, |input| {
            keyword(input, |name| match name {
                "visible" => Some(true),
                "hidden" | "collapse" => Some(false),
                _ => None,
            })
        })?),
        "font-size" => Declaration::FontSize(value(input, |input| Ok(FontSize::parse(input, quirks)?))?),
        "font" => Declaration::FontSize(value(input, font)?),
        "color" => color(input, quirks)?,
        "float" => Declaration::Float(value(input, |input| {
            keyword(input, |name| match name {
                "none" => Some(false),
                "left" | "right" | "inline-start" | "inline-end" => Some(true),
                _ => None,
            })
        })?),
        "position" => Declaration::Position(value(input, |input| {
            keyword(input, |name| match name {
                "static" | "relative" | "sticky" | "-webkit-sticky" => Some(false),
                "absolute" | "fixed" => Some(true),
                _ => None,
            })
        })?),
        _ => return Err(ParseError::unexpected_token()),
    })
}

/// A keyword that all properties take, or one of the property's own values.
fn value<'i, T>(
    input: &mut Parser<'i>,
    own: impl FnOnce(&mut Parser<'i>) -> Result<T, ParseError<Error>>,
) -> Result<CssValue<T>, ParseError<Error>> {
    let wide = input.try_parse(|input| {
        keyword(input, |name| {
            Some(match name {
                "initial" => CssValue::Initial,
                "inherit" => CssValue::Inherit,
                "unset" => CssValue::Unset,
                "revert" | "revert-layer" => CssValue::Revert,
                _ => return None,
            })
        })
    });
    wide.or_else(|_| own(input).map(CssValue::Set))
}

fn keyword<T>(input: &mut Parser<'_>, known: impl FnOnce(&str) -> Option<T>) -> Result<T, ParseError<Error>> {
    known(&input.expect_ident()?.to_ascii_lowercase()).ok_or_else(ParseError::unexpected_token)
}

fn display(input: &mut Parser<'_>) -> Result<Display, ParseError<Error>> {
    let mut words = input.expect_ident()?.to_string();
    while let Ok(word) = input.try_parse(|input| input.expect_ident_cloned()) {
        words.push(' ');
        words.push_str(&word);
    }
    Display::from_css(&words).ok_or_else(ParseError::unexpected_token)
}

/// The size in the `font` shorthand. Style, variant, weight and width may come before it, the line
/// height and the families after it.
fn font(input: &mut Parser<'_>) -> Result<FontSize, ParseError<Error>> {
    /// The most words before the size (CSS Fonts 4, section 2.7).
    const BEFORE: usize = 4;
    for _ in 0..=BEFORE {
        if let Ok(size) = input.try_parse(|input| FontSize::parse(input, false)) {
            if input.try_parse(|input| input.expect_delim('/')).is_ok() {
                input.next()?;
            }
            input.expect_ident_or_string()?;
            let is_family =
                |token: &Token<'_>| matches!(token, Token::Ident(_) | Token::QuotedString(_) | Token::Comma);
            while input
                .try_parse(|input| input.next().ok().filter(|token| is_family(token)).map(drop).ok_or(()))
                .is_ok()
            {}
            return Ok(size);
        }
        match input.next()? {
            Token::Ident(_) | Token::Number { .. } => {}
            _ => break,
        }
    }
    Err(ParseError::unexpected_token())
}

fn color(input: &mut Parser<'_>, quirks: Quirks) -> Result<Declaration, ParseError<Error>> {
    let parsed = value(input, |input| {
        let start = input.position();
        match input.try_parse(color::parse) {
            Ok(color) => Ok(color),
            Err(_) if quirks => {
                input.next()?;
                let color = Color::from_hex(input.slice_from(start).trim());
                color.map(Some).ok_or_else(ParseError::unexpected_token)
            }
            Err(_) => Err(ParseError::unexpected_token()),
        }
    })?;
    Ok(Declaration::Color(match parsed {
        CssValue::Set(Some(color)) => CssValue::Set(color),
        // Here `currentcolor` is the parent's colour (CSS Color 4, section 9).
        CssValue::Set(None) | CssValue::Inherit => CssValue::Inherit,
        CssValue::Initial => CssValue::Initial,
        CssValue::Unset => CssValue::Unset,
        CssValue::Revert => CssValue::Revert,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_read() {
        use CssValue::{Inherit, Revert, Set};
        use Declaration::*;
        let pixels = |value| FontSize(Set(super::FontSize::Pixels(value)));
        let red = Color(Set(super::Color::rgb(255, 0, 0)));
        for (style, quirks, normal, important) in [
            ("", false, vec![], vec![]),
            ("font-size: 12px; COLOR:RED", false, vec![pixels(12.0), red], vec![]),
            ("color: red !important; font-size: 12px !ie", false, vec![], vec![red]),
            ("color: red blue; display: none", false, vec![Display(Set(super::Display::None))], vec![]),
            (
                "visibility: collapse; float: left; position: absolute",
                false,
                vec![Visibility(Set(false)), Float(Set(true)), Position(Set(true))],
                vec![],
            ),
            ("font: italic bold 12px/1.4 'Arial', sans-serif", false, vec![pixels(12.0)], vec![]),
            ("font: 700 small-caps 9pt Times New Roman", false, vec![pixels(12.0)], vec![]),
            ("font: 12px", false, vec![], vec![]),
            (
                "font: inherit; color: revert; color: currentcolor",
                false,
                vec![FontSize(Inherit), Color(Revert), Color(Inherit)],
                vec![],
            ),
            ("font-size: 12; color: ff0000", false, vec![], vec![]),
            ("font-size: 12; color: ff0000", true, vec![pixels(12.0), red], vec![]),
            ("color: var(--x); {color: green} & b { color: green } color: red", false, vec![red], vec![]),
            ("b:hover { color: green; } color: red", false, vec![red], vec![]),
            ("}} color: red", false, vec![red], vec![]),
            ("color: red; font-size: (((", false, vec![red], vec![]),
        ] {
            let block = DeclarationBlock::parse(&mut Parser::new(style), quirks);
            assert_eq!(block, DeclarationBlock { normal, important }, "{style}");
        }
    }
}
