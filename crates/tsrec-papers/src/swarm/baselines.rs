//! The paper's lower bounds (section 4.2): all blocks without features, and all text.

use crate::block::removal::{Splitting, text_blocks};
use tsrec_core::html::Document;
use tsrec_core::page::{Content, Piece};

/// Strategy PR: only removal and pruning; every block is accepted. Both splittings give the same
/// text, except at the edges of pruned elements.
pub fn all_blocks(document: &Document, splitting: Splitting) -> Content {
    Content::new(text_blocks(document, splitting).into_iter().flat_map(|block| block.pieces))
}

/// Strategy TB: "all text nodes within the original HTML document". This includes all text nodes of
/// the tree, seen or not, also those of scripts, style sheets and the title. Comments are no text
/// nodes.
pub fn all_text(document: &Document) -> Content {
    let nodes = document.descendants(document.root()).filter(|&node| document.text(node).is_some());
    Content::new(nodes.map(|node| Piece::whole(document, node)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::html::parse;
    use tsrec_core::render::text::text;

    #[test]
    fn all_text_is_all_and_all_blocks_are_what_is_left_of_it() {
        let page = "<title>t</title><script>s</script><p>a <b>b</b><p hidden>h</p><button>c</button><td>d";
        let document = parse(page.as_bytes(), None, &Default::default());
        let shown = |content: Content| text(&document, &content).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(shown(all_text(&document)), "ts a b h cd");
        for splitting in [Splitting::Paper, Splitting::Blocks] {
            assert_eq!(shown(all_blocks(&document, splitting)), "a b d");
        }
        let nothing = parse(b"", None, &Default::default());
        assert!(all_text(&nothing).is_empty() && all_blocks(&nothing, Splitting::Paper).is_empty());
    }
}
