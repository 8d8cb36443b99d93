//! Tests that everyone can read the style sheet's colours: contrast.

use std::collections::BTreeMap;

use super::STYLE;

/// The colours in the style sheet, in light and dark.
fn colours() -> [BTreeMap<&'static str, [f64; 3]>; 2] {
    let mut blocks = STYLE.split(":root { ").skip(1).map(|rest| rest.split('}').next().unwrap());
    let read = |block: &'static str| {
        let pairs = block.split(';').filter_map(|line| line.trim().strip_prefix("--")?.split_once(": #"));
        pairs.map(|(name, hex)| (name, rgb(hex))).collect::<BTreeMap<_, _>>()
    };
    [read(blocks.next().unwrap()), read(blocks.next().unwrap())]
}

/// `fff`, or `1b1f24`.
fn rgb(hex: &str) -> [f64; 3] {
    let long: String =
        if hex.len() == 3 { hex.chars().flat_map(|digit| [digit, digit]).collect() } else { hex.to_owned() };
    [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&long[at..at + 2], 16).unwrap()) / 255.0)
}

/// Relative luminance (WCAG 2.2).
fn luminance(colour: [f64; 3]) -> f64 {
    let [r, g, b] = colour.map(|part| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn contrast_is_as_wcag_has_it() {
    assert!((contrast(rgb("000"), rgb("fff")) - 21.0).abs() < 1e-9);
    assert!((contrast(rgb("767676"), rgb("fff")) - 4.54).abs() < 0.01);
}

/// Text has at least 4.5 to 1 on its background (WCAG 2.2, 1.4.3), in light and dark: labels,
/// links, and quiet text.
#[test]
fn text_can_be_read_on_its_ground() {
    for (theme, colours) in ["light", "dark"].into_iter().zip(colours()) {
        assert!(colours.len() > 10, "{theme}: {colours:?}");
        let inks = ["ink", "quiet", "link", "content", "common", "regular", "hidden", "outside"];
        let pairs = inks.map(|ink| (ink, "paper")).into_iter().chain([
            ("ink", "content-back"),
            ("quiet", "content-back"),
            ("link", "content-back"),
            ("content", "content-back"),
            ("outside", "content-back"),
        ]);
        for (ink, ground) in pairs {
            let found = contrast(colours[ink], colours[ground]);
            assert!(found >= 4.5, "{theme}: {ink} on {ground} has {found:.2}");
        }
    }
}
