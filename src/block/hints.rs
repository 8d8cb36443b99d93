//! What the names of a place say about what stands there.

use crate::html::{Document, NodeId};

/// Elements that the HTML standard has for what is beside the content (section 4.3): tangential, of the site, or links.
const SIDE_ELEMENTS: [&str; 3] = ["aside", "footer", "nav"];

/// For every node, whether it is, or stands in, side matter: readers' comments, named so by `class` or `id`, or an element that says so itself.
///
/// The words that authors use for comments are few and alike in all years and content management systems; names for
/// other asides (related, promo, sidebar) also name articles, and did more harm than good on the tuning pages. The elements did good alone: 0.030 F1 on
/// the news of 2017 (`tsrec eval`). `html`, `body`, `main` and `article` are never such a place: their classes speak of the whole page. Linear.
pub fn side_matter(document: &Document) -> Vec<bool> {
    let mut places = vec![false; document.len()];
    for id in document.descendants(document.root()) {
        let inherited = document.parent(id).is_some_and(|parent| places[parent.index()]);
        let by_element = document.name(id).is_some_and(|name| SIDE_ELEMENTS.contains(&&**name));
        places[id.index()] = inherited || by_element || names_comments(document, id);
    }
    places
}

fn names_comments(document: &Document, id: NodeId) -> bool {
    let whole_page = ["html", "body", "main", "article"];
    if document.name(id).is_none_or(|name| whole_page.contains(&&**name)) {
        return false;
    }
    ["class", "id"].iter().filter_map(|name| document.attribute(id, name)).any(|value| {
        let names = value.split(|c: char| !c.is_alphanumeric());
        names.map(str::to_ascii_lowercase).any(|name| name.starts_with("comment") || name.starts_with("disqus"))
    })
}

#[cfg(test)]
mod tests {
    use crate::html::parse;

    #[test]
    fn side_matter_is_told_by_its_place() {
        let page =
            b"<body class=comments-open><p>a</p><div id=comments><p>b</p></div><ol class='list commentList'><li>c</ol>\
                     <article>d<aside><b>e</b></aside>f</article><footer>g</footer>";
        let document = parse(page, None, &Default::default());
        let places = super::side_matter(&document);
        let texts: Vec<(&str, bool)> = document
            .descendants(document.root())
            .filter_map(|id| Some((document.text(id)?, places[id.index()])))
            .collect();
        assert_eq!(
            texts,
            [("a", false), ("b", true), ("c", true), ("d", false), ("e", true), ("f", false), ("g", true)]
        );
    }
}
