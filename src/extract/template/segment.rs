//! The labels of a template diff as scores for one maximum subsequence.

use crate::learn::subsequence;
use crate::page::Label;
use crate::tsrec::TagSequence;

/// Bounds the content: elements labelled content that lie outside the best run become [`Label::Outside`]. Linear.
pub(super) fn segment(sequence: &TagSequence<'_>, labels: &[Label]) -> Vec<Label> {
    let param = |name: &str, default: f64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (tag, linked_w, templ_w) = (param("P_TAG", 1.0), param("P_LINK", 1.0), param("P_TEMPL", 1.0));
    if param("P_OFF", 0.0) > 0.0 {
        return labels.to_vec();
    }
    let scores = sequence.elements.iter().zip(labels).map(|(element, label)| {
        let (free, linked) = element.word_counts();
        let (free, linked) = (free as f64, linked as f64);
        match label {
            Label::Content => free - linked_w * linked - tag,
            Label::Hidden => 0.0,
            _ => -templ_w * (free + linked) - tag,
        }
    });
    let best = subsequence::maximum(scores).map_or(0..0, |(range, _)| range);
    let outside = |index: usize, label: Label| match label {
        Label::Content if !best.contains(&index) => Label::Outside,
        label => label,
    };
    labels.iter().enumerate().map(|(index, &label)| outside(index, label)).collect()
}
