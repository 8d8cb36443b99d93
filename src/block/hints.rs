//! What the names of a place say about what stands there.

use crate::html::{Document, NodeId};

/// For every node, whether it is, or stands in, a place whose `class` or `id` names readers' comments.
///
/// The words that authors use for comments are few and alike in all years and content management systems; names for
/// other asides (related, promo, sidebar) also name articles, and did more harm than good on the tuning pages.
/// `html`, `body`, `main` and `article` are never such a place: their classes speak of the whole page. Linear.
pub fn comment_places(document: &Document) -> Vec<bool> {
    let mut places = vec![false; document.len()];
    for id in document.descendants(document.root()) {
        let inherited = document.parent(id).is_some_and(|parent| places[parent.index()]);
        places[id.index()] = inherited || names_comments(document, id);
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
    fn comments_are_told_by_their_place() {
        let page =
            b"<body class=comments-open><p>a</p><div id=comments><p>b</p></div><ol class='list commentList'><li>c</ol>";
        let document = parse(page, None, &Default::default());
        let places = super::comment_places(&document);
        let texts: Vec<(&str, bool)> = document
            .descendants(document.root())
            .filter_map(|id| Some((document.text(id)?, places[id.index()])))
            .collect();
        assert_eq!(texts, [("a", false), ("b", true), ("c", true)]);
    }
}
