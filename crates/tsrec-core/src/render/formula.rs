//! Formulas within the text: their source is TeX, in which nothing may be escaped.
//!
//! The parser makes a `math` element of each formula that has a source. Others stand in elements
//! named for it, or in the text between marks, for a script that shows them.

use crate::html::document::{Document, NodeId};
use crate::html::is_space;

/// Classes of elements that hold TeX between marks: pandoc, MathJax, Stack Exchange, CKEditor,
/// MkDocs, Sphinx.
const CLASSES: [&str; 9] = [
    "math",
    "tex",
    "latex",
    "math-container",
    "math-tex",
    "arithmatex",
    "tex2jax_process",
    "mathjax_process",
    "MathJax_Preview",
];
/// Marks around TeX in any text: those that are no text of their own.
const MARKS: [(&str, &str, bool); 3] = [("\\(", "\\)", false), ("\\[", "\\]", true), ("$$", "$$", true)];
/// The mark that counts only in an element for formulas, because prices have it too.
const DOLLAR: (&str, &str, bool) = ("$", "$", false);
/// The class of formulas in our HTML.
pub(super) const OUR_CLASS: &str = "math";

/// The source of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Formula<'d> {
    pub(super) tex: &'d str,
    /// Whether it stands on a line of its own.
    pub(super) is_display: bool,
}

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FormulaPart<'d> {
    Text(&'d str),
    Formula(Formula<'d>),
}

/// The formula that is all that an element holds.
pub(super) fn of_element<'d>(document: &'d Document, node: NodeId) -> Option<Formula<'d>> {
    let is_named = |class: &str| CLASSES.contains(&class);
    let is_formula = match document.name(node)? {
        "math" => true,
        "span" | "div" | "p" | "script" => document.attribute(node, "class")?.split(is_space).any(is_named),
        _ => false,
    };
    let mut children = is_formula.then(|| document.children(node))?;
    let text = children.next().and_then(|child| document.text(child)).filter(|_| children.next().is_none())?.trim();
    let whole = |(begin, end, is_display): (&str, &str, bool)| {
        let tex = text.strip_prefix(begin)?.strip_suffix(end)?.trim();
        (!tex.is_empty() && !tex.contains(end)).then_some(Formula { tex, is_display })
    };
    MARKS.into_iter().chain([DOLLAR]).find_map(whole)
}

/// The formulas within a text and what is between them. One part if there are none. Linear.
pub(super) fn parts(text: &str) -> Vec<FormulaPart<'_>> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(next) = text[at..].find(['\\', '$']).map(|next| at + next) {
        let found = MARKS.iter().find(|(begin, _, _)| text[next..].starts_with(begin));
        let Some((begin, end, is_display)) = found else {
            // An escaped mark is none.
            let escaped = text[next + 1..].chars().next().map_or(0, char::len_utf8);
            at = next + 1 + if text[next..].starts_with('\\') { escaped } else { 0 };
            continue;
        };
        let inner = next + begin.len();
        // The next mark ends it, so that no text is searched twice.
        let Some(length) = text[inner..].find(end) else { break };
        let between = &text[inner..inner + length];
        let tex = between.trim();
        at = inner + length + end.len();
        if is_tex(tex) && (*begin != "$$" || reads_like_tex(between)) {
            if from < next {
                parts.push(FormulaPart::Text(&text[from..next]));
            }
            parts.push(FormulaPart::Formula(Formula { tex, is_display: *is_display }));
            from = at;
        }
    }
    if from < text.len() || parts.is_empty() {
        parts.push(FormulaPart::Text(&text[from..]));
    }
    parts
}

/// Whether what stands between marks can be TeX: it has a letter, digit or sign, and is not long.
fn is_tex(tex: &str) -> bool {
    /// Judgement: longer formulas are several lines, and in an element of their own.
    const LONGEST: usize = 2_000;
    !tex.is_empty() && tex.len() <= LONGEST && !tex.contains("$$")
}

/// Whether it reads like TeX: two dollars also stand for a price.
fn reads_like_tex(tex: &str) -> bool {
    tex.contains(['\\', '^', '_', '=', '{']) || tex.chars().all(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_found_between_their_marks() {
        let tex = |tex, is_display| FormulaPart::Formula(Formula { tex, is_display });
        for (text, expect) in [
            ("", vec![FormulaPart::Text("")]),
            ("a", vec![FormulaPart::Text("a")]),
            ("a \\(x_1\\) b", vec![FormulaPart::Text("a "), tex("x_1", false), FormulaPart::Text(" b")]),
            ("\\[ x^2 \\]", vec![tex("x^2", true)]),
            ("$$x$$ and $$y$$", vec![tex("x", true), FormulaPart::Text(" and "), tex("y", true)]),
            ("$$ - $$$, $$ and $$", vec![FormulaPart::Text("$$ - $$$, $$ and $$")]),
            ("$5 and $6", vec![FormulaPart::Text("$5 and $6")]),
            ("\\\\(x\\\\)", vec![FormulaPart::Text("\\\\(x\\\\)")]),
            ("C:\\dir \\(open", vec![FormulaPart::Text("C:\\dir \\(open")]),
            ("$$", vec![FormulaPart::Text("$$")]),
            ("$$$$", vec![FormulaPart::Text("$$$$")]),
            ("a\\", vec![FormulaPart::Text("a\\")]),
        ] {
            assert_eq!(parts(text), expect, "{text}");
        }
    }
}
