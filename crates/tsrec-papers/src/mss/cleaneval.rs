//! The setting for pages of any kind (section 7.7):
//! - It uses single tokens in place of trigrams. Pages unlike the training pages have too few known
//!   trigrams.
//! - A token that was never seen is judged by its two neighbours.
//! - Every score is raised, for recall.
//! - The block is not cleaned.
//!
//! The paper takes "both of a token's neighbors as features". We read this as: add the two
//! neighbours' own odds as tokens. The most recent unclosed tag stays a feature, since the paper
//! only speaks of switching from trigrams.

use super::table::TokenOdds;
use tsrec_core::block::symbols::Symbol;

/// The value added to each score: the paper's, tuned on the CleanEval development set.
pub const BIAS: f64 = 0.14;

/// For each symbol its own log odds, or else those of its neighbours.
pub(super) fn log_odds(table: &TokenOdds, symbols: &[Symbol]) -> Vec<f64> {
    let own: Vec<Option<f64>> = symbols.iter().map(|symbol| table.log_odds(symbol.code)).collect();
    let neighbour = |at: Option<usize>| at.and_then(|at| *own.get(at)?).unwrap_or(0.0);
    (0..own.len()).map(|at| own[at].unwrap_or_else(|| neighbour(at.checked_sub(1)) + neighbour(Some(at + 1)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::block::symbols::SymbolKind;

    #[test]
    fn neighbours_speak_for_the_unseen() {
        let table = TokenOdds::new([(1, 2.0), (2, -1.0)]);
        for (codes, expect) in [
            (&[1, 2][..], &[2.0, -1.0][..]),
            (&[1, 9, 2], &[2.0, 1.0, -1.0]),
            (&[9, 1, 9, 9], &[2.0, 2.0, 2.0, 0.0]),
            (&[], &[]),
        ] {
            let symbols: Vec<Symbol> = codes.iter().map(|&code| Symbol { code, kind: SymbolKind::Word }).collect();
            assert_eq!(log_odds(&table, &symbols), expect);
        }
    }
}
