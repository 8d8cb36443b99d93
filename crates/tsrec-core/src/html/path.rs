//! The path to an element, as a CSS selector.

use std::collections::HashMap;

use html5ever::LocalName;

use super::document::{Document, NodeId};

/// The paths of a document's elements. Positions among siblings are counted once for the document.
pub struct Paths<'d> {
    document: &'d Document,
    /// For each element, its position among the siblings of its name, from 1.
    places: Vec<u32>,
    /// How many children of each name a node has.
    counts: HashMap<(NodeId, &'d LocalName), u32>,
}

impl<'d> Paths<'d> {
    /// Counts the siblings: linear in the page.
    pub fn new(document: &'d Document) -> Self {
        let mut places = vec![0; document.len()];
        let mut counts = HashMap::new();
        for id in document.descendants(document.root()) {
            if let (Some(parent), Some(name)) = (document.parent(id), document.local_name(id)) {
                let count = counts.entry((parent, name)).or_insert(0);
                *count += 1;
                places[id.index()] = *count;
            }
        }
        Paths { document, places, counts }
    }

    /// A CSS selector that finds this element in a browser's inspector, such as `html > body >
    /// div:nth-of-type(2) > p`. For a text node, the path of its parent. Linear in depth.
    pub fn path(&self, id: NodeId) -> String {
        let up = std::iter::once(id).chain(self.document.ancestors(id));
        let mut steps: Vec<String> = up.filter_map(|node| self.step(node)).collect();
        steps.reverse();
        steps.join(" > ")
    }

    /// `name`, with `:nth-of-type` if the parent holds more than one of that name.
    fn step(&self, id: NodeId) -> Option<String> {
        let (parent, name) = (self.document.parent(id)?, self.document.local_name(id)?);
        let alone = self.counts.get(&(parent, name)) == Some(&1);
        let name = escape(name);
        Some(if alone { name } else { format!("{name}:nth-of-type({})", self.places[id.index()]) })
    }
}

/// Escapes what a CSS identifier must not hold, for the parser of CSS Syntax section 4.3.7.
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
    use super::Paths;
    use crate::html::parse;

    #[test]
    fn paths_name_one_element() {
        let document = parse(b"<div><p>a<p>b<span><o:p>c</o:p></span></div><ul><li>d", None, &Default::default());
        let all = Paths::new(&document);
        let paths: Vec<String> = document
            .descendants(document.root())
            .filter(|&n| document.text(n).is_some())
            .map(|n| all.path(n))
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
