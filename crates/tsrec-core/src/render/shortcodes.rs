//! Shortcodes that a content management system did not replace: `[vc_row][vc_column_text]`. Pages
//! show them where a plugin is gone.

use std::ops::Range;

/// Beginnings of the names that page builders of WordPress give.
const BUILDERS: [&str; 12] = [
    "vc_",
    "et_pb_",
    "fusion_",
    "av_",
    "su_",
    "cs_",
    "mk_",
    "rev_slider",
    "contact-form",
    "wpforms",
    "elementor-",
    "fl_",
];
/// The longest shortcode that is read. Judgement: some hold a style sheet.
const LONGEST: usize = 2_000;

/// The range of a text without the shortcodes at its beginning and its end. Quick for text without
/// a bracket there. Linear.
pub(super) fn trimmed(text: &str) -> Range<usize> {
    let bare = text.trim();
    if bare.as_bytes().first() != Some(&b'[') && bare.as_bytes().last() != Some(&b']') {
        return 0..text.len();
    }
    let start = text.len() - text.trim_start().len();
    let (mut from, mut to) = (start, start + bare.len());
    let mut is_any = false;
    while let Some(end) = text[from..to].starts_with('[').then(|| shortcode(&text[from..to])).flatten() {
        is_any = true;
        from += end;
        from += text[from..to].len() - text[from..to].trim_start().len();
    }
    while text[from..to].ends_with(']')
        && let Some(open) = text[from..to].rfind('[').map(|open| from + open)
        && shortcode(&text[open..to]) == Some(to - open)
    {
        is_any = true;
        to = open;
        to -= text[from..to].len() - text[from..to].trim_end().len();
    }
    if is_any { from..to } else { 0..text.len() }
}

/// The length of the shortcode that a text begins with.
fn shortcode(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let end = inner.char_indices().take_while(|(at, _)| *at < LONGEST).find(|(_, c)| *c == ']')?.0;
    let inner = &inner[..end];
    let (is_end, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
    let length = inner.find(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && !matches!(c, '_' | '-'));
    let (name, settings) = inner.split_at(length.unwrap_or(inner.len()));
    let is_name = name.len() >= 2 && name.starts_with(|c: char| c.is_ascii_lowercase());
    let is_built = BUILDERS.iter().any(|builder| name.starts_with(builder));
    let is_set = settings.starts_with(char::is_whitespace)
        && settings.contains(['='])
        && settings.contains(['"', '\'', '”', '″']);
    let is_bare_end = is_end && settings.is_empty() && name.len() >= 3;
    (is_name && (is_built || is_set || is_bare_end)).then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortcodes_at_the_ends_of_a_text_go() {
        for (text, expect) in [
            ("[vc_row][vc_column width=\"1/2\"]a[/vc_column][/vc_row]", "a"),
            (" [vc_row] ", ""),
            ("[caption id=\"a1\" align=\"left\"] a [/caption]", "a"),
            ("[gallery ids=\"1,2\"]", ""),
            ("[et_pb_text admin_label=”Text”]a", "a"),
            ("[/fusion_text]", ""),
            ("a [contact-form-7 id=\"5\" title=\"Write\"]", "a"),
            // Words in brackets are words.
            (" a ", " a "),
            ("[edit]", "[edit]"),
            ("[1] a [sic]", "[1] a [sic]"),
            ("[Ann = Ben]", "[Ann = Ben]"),
            ("[a", "[a"),
            ("]", "]"),
            ("[/]", "[/]"),
            ("[é=\"x\"]", "[é=\"x\"]"),
            ("a[vc_row", "a[vc_row"),
        ] {
            assert_eq!(&text[trimmed(text)], expect, "{text}");
        }
    }
}
