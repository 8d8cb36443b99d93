//! The way to an element, as a CSS selector.

use super::document::{Document, NodeId};

/// See [`Document::path`].
pub(super) fn css_path(document: &Document, id: NodeId) -> String {
    let mut steps: Vec<String> = std::iter::once(id)
        .chain(document.ancestors(id))
        .filter_map(|node| document.name(node).map(|name| step(document, node, name)))
        .collect();
    steps.reverse();
    steps.join(" > ")
}

/// `name`, with `:nth-of-type` where the parent holds more than one of that name.
fn step(document: &Document, id: NodeId, name: &str) -> String {
    let before = document.preceding_siblings(id).filter(|&n| document.is_element(n, name)).count();
    let alone = before == 0 && !document.following_siblings(id).any(|n| document.is_element(n, name));
    let name = escape(name);
    if alone { name } else { format!("{name}:nth-of-type({})", before + 1) }
}

/// Escapes what a CSS identifier may not hold, as CSS Syntax section 4.3.7 reads it back.
fn escape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (i, c) in name.chars().enumerate() {
        match c {
            'a'..='z' | 'A'..='Z' | '_' => out.push(c),
            '0'..='9' | '-' if i > 0 => out.push(c),
            c if !c.is_ascii() => out.push(c),
            c => out.push_str(&format!("\\{:x} ", c as u32)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::html::parse;

    #[test]
    fn paths_name_one_element() {
        let document = parse(b"<div><p>a<p>b<span><o:p>c</o:p></span></div><ul><li>d", None, &Default::default());
        let paths: Vec<String> = document
            .descendants(document.root())
            .filter(|&n| document.text(n).is_some())
            .map(|n| document.path(n))
            .collect();
        assert_eq!(
            paths,
            [
                "html > body > div > p:nth-of-type(1)",
                "html > body > div > p:nth-of-type(2)",
                "html > body > div > p:nth-of-type(2) > span > o\\3a p",
                "html > body > ul > li",
            ]
        );
    }
}
