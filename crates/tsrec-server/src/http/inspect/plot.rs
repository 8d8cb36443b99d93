//! Plots: bars with numbers, and a curve over time.

use std::fmt::Write;

use super::encoded;
use crate::inspector::escaped;

/// The most bars of a plot; the largest are shown.
const MOST_BARS: usize = 30;

/// Bars with numbers, which a screen reader reads as a table. With `to`, their names are links.
pub(super) fn bars(name: &str, mut bars: Vec<(String, usize)>, to: Option<&str>) -> String {
    let left_out = bars.len().saturating_sub(MOST_BARS);
    if left_out > 0 {
        bars.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        bars.truncate(MOST_BARS);
    }
    let most = bars.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let row = |(bar, count): &(String, usize)| {
        let bar = match to {
            Some(to) => format!("<a href=\"{to}{}\">{}</a>", encoded(bar), escaped(bar)),
            None => escaped(bar),
        };
        format!("<tr><th scope=row>{bar}<td>{count}<td><meter aria-hidden=true min=0 max={most} value={count}></meter>")
    };
    let rows: String = bars.iter().map(row).collect();
    let more = if left_out > 0 { format!("<p>And {left_out} more.") } else { String::new() };
    format!("<section class=plot><h2>{name}</h2><table><tbody>{rows}</table>{more}</section>")
}

/// The most columns of the curve.
const MOST_COLUMNS: usize = 120;
/// The curve's height in its own units.
const HEIGHT: usize = 40;

/// Pages a minute; the last value is now.
pub(super) fn speed(minutes: &[u32]) -> String {
    let heading = "<section class=speed><h2>Speed</h2>";
    let (Some(now), Some(most)) = (minutes.last(), minutes.iter().max()) else {
        return format!("{heading}<p>No crawl runs here.</section>");
    };
    // Each column covers as many minutes; the first may cover fewer.
    let each = minutes.len().div_ceil(MOST_COLUMNS);
    let columns: Vec<f64> =
        minutes.rchunks(each).rev().map(|of| f64::from(of.iter().sum::<u32>()) / of.len() as f64).collect();
    let highest = columns.iter().copied().fold(1.0, f64::max);
    let all: u64 = minutes.iter().map(|&pages| u64::from(pages)).sum();
    let said = format!(
        "{all} pages visited in the last {}; most in a minute: {most}; in this one so far: {now}",
        time(minutes.len())
    );
    let mut svg = format!(
        "<svg role=img aria-label=\"{said}\" viewBox=\"0 0 {} {HEIGHT}\" preserveAspectRatio=none>",
        columns.len().max(10)
    );
    for (at, pages) in columns.iter().enumerate() {
        let height = pages / highest * HEIGHT as f64;
        let _ = write!(svg, "<rect x={at} y={:.2} width=1 height={height:.2} />", HEIGHT as f64 - height);
    }
    format!("{heading}{svg}</svg><p>{said}.</section>")
}

fn time(minutes: usize) -> String {
    match minutes {
        1 => "minute".to_owned(),
        minutes if minutes < 120 => format!("{minutes} minutes"),
        minutes => format!("{} hours", minutes / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_has_a_bounded_number_of_columns_and_says_what_it_shows() {
        assert!(speed(&[]).contains("No crawl runs"));
        let short = speed(&[0, 30, 10]);
        assert!(short.contains("40 pages visited in the last 3 minutes; most in a minute: 30; in this one so far: 10"));
        assert_eq!(short.matches("<rect").count(), 3);
        assert!(short.contains("height=40.00"));
        let day = speed(&[7; 1_440]);
        assert!(day.contains("in the last 24 hours"));
        assert_eq!(day.matches("<rect").count(), 120);
    }

    #[test]
    fn of_many_bars_the_largest_are_shown() {
        let many = (0..100).map(|n| (format!("h{n}"), n)).collect();
        let html = bars("Hosts", many, Some("/?host="));
        assert!(html.contains("href=\"/?host=h99\"") && !html.contains(">h69<") && html.contains("And 70 more."));
    }
}
