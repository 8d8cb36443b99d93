//! What a page has beside its content: who wrote it, when, and what readers said.
//!
//! Title, byline and date are what the page says of itself in its head; where that is silent, byline and date are read from elements that the HTML
//! standard, microdata or a name marks as such. Comments are the text in places named for them that the extraction did not keep: on a page whose posts
//! are the content, they are none.

use super::Page;
use crate::analysis::{Analysis, Container, Tag};
use crate::html::Document;
use crate::html::metadata::{Metadata, author_name, date};
use crate::page::{Content, Piece};

/// Fields of a page that are not its content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beside {
    /// Who wrote it, as the page names them.
    pub byline: Option<String>,
    /// When it was published, as the page writes it; it begins with a date of ISO 8601.
    pub date: Option<String>,
    /// What readers said.
    pub comments: Content,
}

impl Beside {
    /// What stands beside this content of a page with this head. Linear.
    pub fn of(page: &Page<'_>, metadata: &Metadata, content: &Content) -> Beside {
        let marked = |find: &dyn Fn(&Document, &Container) -> Option<String>| only(page, find);
        Beside {
            byline: metadata.author.clone().or_else(|| marked(&byline)),
            date: metadata.published.clone().or_else(|| marked(&published)),
            comments: comments(page, content),
        }
    }
}

/// What the page's visible elements say, outside side matter. `None` where they say several things: a page of many teasers names others' authors.
fn only(page: &Page<'_>, find: &dyn Fn(&Document, &Container) -> Option<String>) -> Option<String> {
    let (document, analysis) = (page.document(), page.analysis());
    let is_seen =
        |container: &&Container| !analysis.is_hidden(container.node) && !analysis.is_side_matter(container.node);
    let mut found: Vec<String> = Vec::new();
    for value in analysis.containers().iter().filter(is_seen).filter_map(|container| find(document, container)) {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    if found.len() == 1 { found.pop() } else { None }
}

/// The author that an element names: `rel=author`, `itemprop=author`, or the class `byline`.
fn byline(document: &Document, container: &Container) -> Option<String> {
    let has = |attribute, token: &str| {
        let list = document.attribute(container.node, attribute).unwrap_or_default();
        list.split_ascii_whitespace().any(|given| given.eq_ignore_ascii_case(token))
    };
    if !(has("rel", "author") || has("itemprop", "author") || has("class", "byline")) {
        return None;
    }
    let text: String = document.descendants(container.node).filter_map(|node| document.text(node)).collect();
    author_name(&text)
}

/// The date of a `time` that is marked as that of publication, or the only one of the page.
fn published(document: &Document, container: &Container) -> Option<String> {
    (container.tag == Tag::Time).then(|| document.attribute(container.node, "datetime").and_then(date)).flatten()
}

/// The visible text in comment containers, without what was kept, and without forms.
fn comments(page: &Page<'_>, content: &Content) -> Content {
    let (document, analysis) = (page.document(), page.analysis());
    let mut kept = vec![false; document.len()];
    content.pieces().iter().for_each(|piece| kept[piece.node.index()] = true);
    let in_form = |analysis: &Analysis, number| {
        analysis.upwards(number).any(|(_, container)| matches!(container.tag, Tag::Form | Tag::Control))
    };
    let leaves = analysis.leaves().iter().filter(|leaf| {
        analysis.is_comment(leaf.node)
            && !analysis.is_hidden(leaf.node)
            && !kept[leaf.node.index()]
            && !in_form(analysis, leaf.container)
    });
    Content::new(leaves.map(|leaf| Piece::whole(document, leaf.node)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Extractor;
    use crate::extract::scored::Scored;
    use crate::html::metadata::metadata;
    use crate::html::parse;
    use crate::render::text::text;

    /// Byline, date and comments.
    fn beside(page: &str) -> (Option<String>, Option<String>, String) {
        let document = parse(page.as_bytes(), None, &Default::default());
        let page = Page::new(&document);
        let content = Scored::shipped().extract(&page).content;
        let Beside { byline, date, comments } = Beside::of(&page, &metadata(&document), &content);
        (byline, date, text(&document, &comments))
    }

    fn story() -> String {
        let sentence = "The ferry sailed at nine with the band on board, and a cat in the wheelhouse kept watch. ";
        (0..5).map(|_| format!("<p>{}</p>", sentence.repeat(3))).collect()
    }

    #[test]
    fn comments_are_what_stands_in_their_place_and_was_not_kept() {
        let comments = "<section id=comments><h3>Two comments</h3><div class=comment><p>Lovely ferry.</p></div>\
                        <div class=comment><p>Poor cat!</p></div><form><p>Leave a comment</p><button>Send</button></form></section>";
        let page = format!("<title>Ferry</title><article><h1>Ferry</h1>{}</article>{comments}", story());
        assert_eq!(beside(&page).2, "Two comments\n\nLovely ferry.\n\nPoor cat!");
        assert_eq!(beside(&format!("<title>Ferry</title><h1>Ferry</h1>{}", story())).2, "");
    }

    #[test]
    fn the_head_goes_before_the_page_and_doubt_is_silence() {
        let none = (None, None);
        let both = |name: &str, date: &str| (Some(name.to_owned()), Some(date.to_owned()));
        for (page, expect) in [
            (
                "<meta name=author content='Ann Orr'><meta property=article:published_time content=2026-01-02T03:04:05Z>",
                both("Ann Orr", "2026-01-02T03:04:05Z"),
            ),
            (
                "<script type=application/ld+json>{\"author\":{\"name\":\"Ann Orr\"},\"datePublished\":\"2026-01-02\"}</script><meta name=author content=CMS>",
                both("Ann Orr", "2026-01-02"),
            ),
            (
                "<p class=byline>By <a rel=author href=/ann>Ann Orr</a> <time datetime=2026-01-02>yesterday</time></p>",
                (None, Some("2026-01-02".to_owned())),
            ),
            (
                "<a rel=author href=/ann>By Ann Orr</a> <time datetime=2026-01-02>yesterday</time>",
                both("Ann Orr", "2026-01-02"),
            ),
            (
                "<a rel=author href=/a>Ann</a> <a rel=author href=/b>Ben</a> <time datetime=2026-01-02>x</time> <time datetime=2026-01-03>y</time>",
                none.clone(),
            ),
            (
                "<div class=comments><a rel=author href=/a>Ann</a> <time datetime=2026-01-02>x</time></div>",
                none.clone(),
            ),
            ("<meta name=author content=https://x.example/ann><time datetime='2 January'>x</time>", none.clone()),
            ("", none.clone()),
        ] {
            let (byline, date, _) = beside(&format!("<title>Ferry</title>{page}{}", story()));
            assert_eq!((byline, date), expect, "{page}");
        }
    }
}
