//! `char.*`: the classes of characters in the block (section 4.2).

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::BlockView;

/// `char.CLASS-abs` and `char.CLASS-rel`. The classes are alpha, num, punct, white and other.
pub(super) fn numbers(what: &str, view: &BlockView<'_>) -> Option<Vec<f64>> {
    let (class, kind) = what.rsplit_once('-')?;
    let class = match class {
        "alpha" => CharacterClass::Alpha,
        "num" => CharacterClass::Number,
        "punct" => CharacterClass::Punctuation,
        "white" => CharacterClass::White,
        "other" => CharacterClass::Other,
        _ => return None,
    };
    let count = |text: &str| text.chars().filter(|&c| class_of(c) == class).count() as f64;
    match kind {
        "abs" => Some(view.texts(count)),
        "rel" => Some(view.texts(|text| count(text) / text.chars().count() as f64)),
        _ => None,
    }
}

#[derive(PartialEq, Eq)]
enum CharacterClass {
    Alpha,
    Number,
    Punctuation,
    White,
    Other,
}

fn class_of(c: char) -> CharacterClass {
    if c.is_whitespace() {
        return CharacterClass::White;
    }
    match c.general_category_group() {
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark => CharacterClass::Alpha,
        GeneralCategoryGroup::Number => CharacterClass::Number,
        GeneralCategoryGroup::Punctuation => CharacterClass::Punctuation,
        _ => CharacterClass::Other,
    }
}
