//! Media queries: whether a rule applies to our screen.
//!
//! The types `all` and `screen` match. Of the features, the viewport's width, height and
//! orientation are known, as `min-`, `max-` and exact values. A query with any other feature, with
//! `or`, or with a range (`width > 600px`) counts as false.

use cssparser::{BasicParseError, Parser, Token};

use super::VIEWPORT;
use super::font_size::{MEDIUM, pixels};

/// True if a list of media queries holds: one of them holds, or the list is empty.
pub(super) fn applies(input: &mut Parser<'_>) -> bool {
    if input.is_exhausted() {
        return true;
    }
    let queries = input.parse_comma_separated_ignoring_errors::<_, bool, ()>(|input| {
        Ok(query(input).is_ok_and(|holds| holds && input.is_exhausted()))
    });
    queries.contains(&true)
}

fn query(input: &mut Parser<'_>) -> Result<bool, BasicParseError> {
    let negated = input.try_parse(|input| input.expect_ident_matching("not")).is_ok();
    if !negated {
        // `only` exists to hide queries from browsers that did not support them.
        let _ = input.try_parse(|input| input.expect_ident_matching("only"));
    }
    let mut holds = match input.try_parse(|input| input.expect_ident_cloned()) {
        Ok(kind) => kind.eq_ignore_ascii_case("all") || kind.eq_ignore_ascii_case("screen"),
        Err(_) => feature(input)?,
    };
    while !input.is_exhausted() {
        input.expect_ident_matching("and")?;
        holds &= feature(input)?;
    }
    Ok(holds != negated)
}

/// `(name)` or `(name: value)`.
fn feature(input: &mut Parser<'_>) -> Result<bool, BasicParseError> {
    input.expect_parenthesis_block()?;
    input
        .parse_nested_block(|input| {
            let name = input.expect_ident()?.to_ascii_lowercase();
            input.expect_colon()?;
            let name = name.replace("device-", "");
            Ok(match &*name {
                "width" => length(input)? == VIEWPORT.0,
                "height" => length(input)? == VIEWPORT.1,
                "min-width" => VIEWPORT.0 >= length(input)?,
                "max-width" => VIEWPORT.0 <= length(input)?,
                "min-height" => VIEWPORT.1 >= length(input)?,
                "max-height" => VIEWPORT.1 <= length(input)?,
                "orientation" => input.expect_ident()?.eq_ignore_ascii_case("landscape"),
                _ => return Err(cssparser::ParseError::<()>::unexpected_token()),
            })
        })
        .map_err(|_| BasicParseError::unexpected_token())
}

fn length(input: &mut Parser<'_>) -> Result<f32, BasicParseError> {
    match input.next()? {
        Token::Number { value, .. } => Ok(*value),
        Token::Dimension { value, unit, .. } => match &*unit.to_ascii_lowercase() {
            // In a query both are relative to the initial size.
            "em" | "rem" => Ok(value * MEDIUM),
            unit => pixels(*value, unit).ok_or_else(BasicParseError::unexpected_token),
        },
        _ => Err(BasicParseError::unexpected_token()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_hold_on_a_wide_screen() {
        for (query, expect) in [
            ("", true),
            ("all", true),
            ("SCREEN", true),
            ("print", false),
            ("print, screen", true),
            ("only screen and (min-width: 600px)", true),
            ("screen and (max-width: 600px)", false),
            ("(max-width: 40em)", false),
            ("(min-device-width: 100px) and (orientation: landscape)", true),
            ("not print", true),
            ("not screen", false),
            ("handheld", false),
            ("(-webkit-min-device-pixel-ratio: 2)", false),
            ("screen (", false),
            ("screen and (width > 1px), all", true),
        ] {
            assert_eq!(applies(&mut Parser::new(query)), expect, "{query}");
        }
    }
}
