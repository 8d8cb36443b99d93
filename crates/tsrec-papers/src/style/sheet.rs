//! Style sheets: the rules that may apply to a page on a screen.
//!
//! Rules inside a matching `@media`, inside `@supports` and inside `@layer` are used. Those of
//! `@supports not` are not. Layers keep the order of the source. Other at-rules are ignored,
//! `@import` included.

use cssparser::{
    AtRuleParser, CowRcStr, DeclarationParser, ParseError, Parser, ParserState, QualifiedRuleParser,
    RuleBodyItemParser, RuleBodyParser, StyleSheetParser,
};

use super::declaration::{DeclarationBlock, Quirks};
use super::media;
use super::selector::{self, DEPTH, Error, Selector};

/// A rule that sets at least one supported property.
pub(super) struct CssRule {
    pub(super) selectors: Vec<Selector>,
    pub(super) block: DeclarationBlock,
}

/// Appends the rules of a style sheet, until `rules` holds `most` selectors. Linear; never fails.
pub(super) fn parse(css: &str, quirks: Quirks, rules: &mut Vec<CssRule>, most: usize) {
    let mut input = Parser::new(css);
    input.set_nested_block_limit(DEPTH);
    let left = most.saturating_sub(rules.iter().map(|rule| rule.selectors.len()).sum());
    let mut sheet = Sheet { rules, quirks, left };
    for _valid_or_not in StyleSheetParser::new(&mut input, &mut sheet) {}
}

struct Sheet<'r> {
    rules: &'r mut Vec<CssRule>,
    quirks: Quirks,
    /// The number of selectors that may still be added.
    left: usize,
}

impl<'i> QualifiedRuleParser<'i> for Sheet<'_> {
    type Prelude = Vec<Selector>;
    type QualifiedRule = ();
    type Error = Error;

    fn parse_prelude(&mut self, input: &mut Parser<'i>) -> Result<Vec<Selector>, ParseError<Error>> {
        selector::parse(input)
    }

    fn parse_block(
        &mut self,
        selectors: Vec<Selector>,
        _start: &ParserState,
        input: &mut Parser<'i>,
    ) -> Result<(), ParseError<Error>> {
        let block = DeclarationBlock::parse(input, self.quirks);
        if !block.is_empty() && !selectors.is_empty() && selectors.len() <= self.left {
            self.left -= selectors.len();
            self.rules.push(CssRule { selectors, block });
        }
        Ok(())
    }
}

impl<'i> AtRuleParser<'i> for Sheet<'_> {
    /// Whether the rules inside are used.
    type Prelude = bool;
    type AtRule = ();
    type Error = Error;

    fn parse_prelude(&mut self, name: CowRcStr<'i>, input: &mut Parser<'i>) -> Result<bool, ParseError<Error>> {
        let taken = match &*name.to_ascii_lowercase() {
            "media" => media::applies(input),
            "supports" => input.try_parse(|input| input.expect_ident_matching("not")).is_err(),
            "layer" => true,
            _ => false,
        };
        while input.next().is_ok() {}
        Ok(taken)
    }

    fn parse_block(
        &mut self,
        taken: bool,
        _start: &ParserState,
        input: &mut Parser<'i>,
    ) -> Result<(), ParseError<Error>> {
        if taken {
            for _valid_or_not in RuleBodyParser::new(input, self) {}
        }
        Ok(())
    }
}

/// [`RuleBodyParser`] requires this. At-rules hold rules, not declarations.
impl<'i> DeclarationParser<'i> for Sheet<'_> {
    type Declaration = ();
    type Error = Error;
}

impl RuleBodyItemParser<'_, (), Error> for Sheet<'_> {
    fn parse_declarations(&self) -> bool {
        false
    }

    fn parse_qualified(&self) -> bool {
        true
    }
}
