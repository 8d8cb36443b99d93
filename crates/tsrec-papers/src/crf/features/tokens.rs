//! `token.*`: the strings between white space (section 4.2).
//!
//! The letters and digits in a token make it a word, a number or a mixture. So a full stop at its
//! end changes nothing. A token without letters and digits is other. The paper does not say how it
//! treats such a full stop.

use super::BlockView;

/// `token.CLASS-abs` and `token.CLASS-rel`. The classes are alpha, num, mix and other.
pub(super) fn numbers(what: &str, view: &BlockView<'_>) -> Option<Vec<f64>> {
    let (class, kind) = what.rsplit_once('-')?;
    let has = match class {
        "alpha" => (true, false),
        "num" => (false, true),
        "mix" => (true, true),
        "other" => (false, false),
        _ => return None,
    };
    let is_one = |token: &&str| (token.contains(char::is_alphabetic), token.contains(char::is_numeric)) == has;
    let count = |text: &str| text.split_whitespace().filter(is_one).count() as f64;
    match kind {
        "abs" => Some(view.texts(count)),
        "rel" => Some(view.texts(|text| count(text) / text.split_whitespace().count() as f64)),
        _ => None,
    }
}
