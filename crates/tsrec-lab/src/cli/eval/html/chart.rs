//! Charts in SVG.

use std::fmt::Write;

/// A bar's width, and the greatest height, in CSS pixels.
const BAR: f64 = 22.0;
const HEIGHT: f64 = 90.0;
/// Room for the numbers over and under the bars.
const LINE: f64 = 14.0;

/// How many scores, each from 0 to 1, are in each tenth. The last tenth includes 1.
pub(super) fn histogram(scores: &[f64]) -> String {
    let mut counts = [0usize; 10];
    scores.iter().for_each(|score| counts[((score * 10.0) as usize).min(9)] += 1);
    let most = counts.into_iter().max().unwrap_or(0).max(1) as f64;
    let (width, height) = (BAR * 10.0, HEIGHT + 2.0 * LINE);
    let mut svg = format!("<svg width=\"{width}\" height=\"{height}\" role=\"img\">");
    for (tenth, count) in counts.into_iter().enumerate() {
        let (x, tall) = (tenth as f64 * BAR, count as f64 / most * HEIGHT);
        let (top, middle) = (LINE + HEIGHT - tall, x + BAR / 2.0);
        // Writing to a string does not fail.
        let _ = write!(
            svg,
            "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{tall:.1}\"/>\
             <text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{count}</text>\
             <text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">.{tenth}</text>",
            x + 1.0,
            BAR - 2.0,
            top - 3.0,
            height - 3.0,
        );
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::histogram;

    #[test]
    fn bars_are_as_tall_as_their_tenth_has_scores() {
        let svg = histogram(&[0.0, 0.95, 1.0, 0.55, 0.58, 0.92, 0.99]);
        let heights: Vec<&str> = svg.split("height=\"").skip(2).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(heights, ["22.5", "0.0", "0.0", "0.0", "0.0", "45.0", "0.0", "0.0", "0.0", "90.0"]);
        assert!(histogram(&[]).starts_with("<svg") && !histogram(&[]).contains("NaN"));
    }
}
