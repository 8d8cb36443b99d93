//! The features of a token in the local classifier: its trigram and its most recent unclosed tag
//! (section 6.2).

use tsrec_core::block::symbols::{Symbol, SymbolKind};

/// Stands for positions outside the page, and for no open tag. A symbol is unlikely to have this
/// code, and one that has it does no harm.
const NOTHING: u32 = 0;

/// For each token the trigram ⟨u(i), u(i+1), u(i+2)⟩ as one number. Linear.
pub fn trigrams(symbols: &[Symbol]) -> impl Iterator<Item = u32> {
    let code = |at: usize| symbols.get(at).map_or(NOTHING, |symbol| symbol.code);
    (0..symbols.len())
        .map(move |at| mix(mix(code(at)) ^ code(at + 1)).wrapping_add(1).wrapping_mul(31) ^ mix(code(at + 2)))
}

/// For each token the most recent tag that was opened before it and is still open. Linear.
///
/// As in the paper, a tag that is never closed (`<br>`, `<img>`) stays the most recent until the
/// element around it ends.
pub fn unclosed_tags(symbols: &[Symbol]) -> impl Iterator<Item = u32> {
    let mut open: Vec<Symbol> = Vec::new();
    symbols.iter().map(move |&symbol| {
        if symbol.kind == SymbolKind::Close {
            while open.pop().is_some_and(|tag| tag.kind == SymbolKind::Void) {}
        }
        let most_recent = open.last().map_or(NOTHING, |tag| tag.code);
        if matches!(symbol.kind, SymbolKind::Open | SymbolKind::Void) {
            open.push(symbol);
        }
        most_recent
    })
}

/// The finaliser of MurmurHash3 (Appleby): every bit of the input affects every bit of the output.
fn mix(mut hash: u32) -> u32 {
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::block::symbols::symbols;
    use tsrec_core::block::tokens::tokens;
    use tsrec_core::html::parse;

    fn symbols_in(page: &str) -> Vec<Symbol> {
        let document = parse(page.as_bytes(), None, &Default::default());
        symbols(&document, &tokens(&document))
    }

    #[test]
    fn trigrams_are_told_apart_by_order() {
        let trigrams = |page| trigrams(&symbols_in(page)).collect::<Vec<_>>();
        // Before the text: html, head, /head, body.
        let both = trigrams("a b c a b c");
        assert_eq!(both[4], both[7]);
        for other in ["b a c", "a c b", "c b a", "a b b"] {
            assert_ne!(both[4], trigrams(other)[4], "{other}");
        }
    }

    #[test]
    fn void_tags_linger_until_their_parent_ends() {
        let symbols = symbols_in("<div>a<br>b<p>c<b>d</b>e</p>f</div>g");
        let found: Vec<u32> = unclosed_tags(&symbols)
            .zip(&symbols)
            .filter(|(_, symbol)| symbol.kind == SymbolKind::Word)
            .map(|(tag, _)| tag)
            .collect();
        let expect = ["<div>", "<br>", "<p>", "<b>", "<p>", "<br>", "<body>"];
        assert_eq!(found, expect.map(|form| Symbol::new(SymbolKind::Open, form).code));
    }
}
