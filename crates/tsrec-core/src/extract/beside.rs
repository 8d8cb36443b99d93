//! What a page has besides its content: its metadata and the comments of readers.
//!
//! Comments are the text in places named for comments that the extraction did not keep. If the
//! posts of a page are its content, they are not comments.

use super::Page;
use crate::analysis::Analysis;
use crate::evidence::kind::PageKind;
use crate::metadata;
use crate::metadata::{Described, Sort, Stated, Subject};
use crate::page::{Content, Piece};

/// The probability above which a page counts as a text. Judgement: more likely than not.
const LIKELY: f32 = 0.5;

/// What a page states about itself. Linear.
pub fn stated(page: &Page<'_>) -> Stated {
    metadata::stated(&subject(page, Sort::Unknown, &Stated::default()))
}

/// The metadata of a page of this kind and probability, given what other pages of its site state.
/// Linear.
pub fn metadata(page: &Page<'_>, kind: Option<(PageKind, f32)>, siblings: &Stated) -> Described {
    let sort = match kind {
        None => Sort::Unknown,
        Some((PageKind::Article, likely)) if likely < LIKELY => Sort::Unknown,
        Some((PageKind::Article, _)) => Sort::Text,
        Some((PageKind::Forum, _)) => Sort::Thread,
        Some(_) => Sort::Other,
    };
    metadata::read(&subject(page, sort, siblings))
}

fn subject<'p>(page: &'p Page<'_>, sort: Sort, siblings: &'p Stated) -> Subject<'p> {
    let (document, analysis, statements) = (page.document(), page.analysis(), page.statements());
    Subject { document, analysis, statements, url: page.url(), sort, siblings }
}

/// The comments of readers: the visible text in comment containers, without kept text and without
/// forms. Linear.
pub fn comments(page: &Page<'_>, content: &Content) -> Content {
    let (document, analysis) = (page.document(), page.analysis());
    let mut kept = vec![false; document.len()];
    content.pieces().iter().for_each(|piece| kept[piece.node.index()] = true);
    let in_form = |analysis: &Analysis, number| {
        analysis
            .upwards(number)
            .any(|(_, container)| matches!(container.tag, crate::analysis::Tag::Form | crate::analysis::Tag::Control))
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
    use crate::extract::Extract;
    use crate::html::parse;

    #[test]
    fn comments_are_what_stands_in_their_place_and_was_not_kept() {
        let said = |page: &str| {
            let document = parse(page.as_bytes(), None, &Default::default());
            Extract::new(&document).run().unwrap().comments()
        };
        let sentence = "The ferry sailed at nine with the band on board, and a cat in the wheelhouse kept watch. ";
        let story: String = (0..5).map(|_| format!("<p>{}</p>", sentence.repeat(3))).collect();
        let comments = "<section id=comments><h3>Two comments</h3><div class=comment><p>Lovely ferry.</p></div>\
                        <div class=comment><p>Poor cat!</p></div><form><p>Leave a comment</p><button>Send</button></form></section>";
        let page = format!("<title>Ferry</title><article><h1>Ferry</h1>{story}</article>{comments}");
        assert_eq!(said(&page), "Two comments\n\nLovely ferry.\n\nPoor cat!");
        assert_eq!(said(&format!("<title>Ferry</title><h1>Ferry</h1>{story}")), "");
    }
}
