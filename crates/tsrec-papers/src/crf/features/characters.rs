//! `char.*`: what characters the block is made of (section 4.2).

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::View;

/// `char.CLASS-abs` and `char.CLASS-rel`, the classes being alpha, num, punct, white and other.
pub(super) fn numbers(what: &str, view: &View<'_>) -> Option<Vec<f64>> {
    let (class, kind) = what.rsplit_once('-')?;
    let class = match class {
        "alpha" => Class::Alpha,
        "num" => Class::Number,
        "punct" => Class::Punctuation,
        "white" => Class::White,
        "other" => Class::Other,
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
enum Class {
    Alpha,
    Number,
    Punctuation,
    White,
    Other,
}

fn class_of(c: char) -> Class {
    if c.is_whitespace() {
        return Class::White;
    }
    match c.general_category_group() {
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark => Class::Alpha,
        GeneralCategoryGroup::Number => Class::Number,
        GeneralCategoryGroup::Punctuation => Class::Punctuation,
        _ => Class::Other,
    }
}
