//! Progress of long work, with rate and remaining time.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use super::progress;
use tsrec_core::learn::Step;

/// A terminal line that is overwritten. It shows nothing if the results go to the terminal.
pub struct Show {
    /// For example "pages extracted".
    what: String,
    shows: bool,
    began: Instant,
    last: Instant,
}

/// The interval between updates. Judgement: nobody can read faster changes.
const EVERY: Duration = Duration::from_millis(200);

impl Show {
    /// Counts `what`, such as "pages extracted". `prints`: whether the results go to standard
    /// output.
    pub fn new(what: impl Into<String>, prints: bool) -> Show {
        let own = !(prints && std::io::stdout().is_terminal());
        let now = Instant::now();
        Show { what: what.into(), shows: own && std::io::stderr().is_terminal(), began: now, last: now }
    }

    /// Updates the counts of done and failed; `share` is the part done, from 0 to 1, if known.
    pub fn step(&mut self, done: u64, failed: u64, share: Option<f64>) {
        if self.shows && self.last.elapsed() >= EVERY {
            self.last = Instant::now();
            progress::progress(&line(&self.what, (done, failed), self.began.elapsed().as_secs_f64(), share));
        }
    }

    /// Ends the progress line.
    pub fn end(&self) {
        if self.shows {
            progress::clear();
        }
    }
}

/// The progress of a training, one line a step on a terminal.
#[derive(Default)]
pub struct Steps {
    began: Option<Instant>,
}

impl Steps {
    /// Shows a training step.
    pub fn show(&mut self, step: &Step<'_>) {
        let began = *self.began.get_or_insert_with(Instant::now);
        let stays = step.what.ends_with('\n');
        progress::progress(&if stays { step.what.to_owned() } else { step_line(step, began.elapsed().as_secs_f64()) });
    }
}

/// A step, the rate of steps, and the remaining time.
fn step_line(Step { what, done, of }: &Step<'_>, seconds: f64) -> String {
    if *done == 0 {
        return (*what).to_owned();
    }
    let rate = per_second(*done as f64 / seconds.max(1e-3));
    let share = *done as f64 / (*of).max(1) as f64;
    format!("{} {what}, {rate}, {}", bar(share), ahead(share, seconds))
}

/// Number, rate and errors. If the end is known, also the share done and the time left.
fn line(what: &str, (pages, errors): (u64, u64), seconds: f64, share: Option<f64>) -> String {
    let rate = (pages + errors) as f64 / seconds.max(1e-3);
    let errors = if errors == 0 { String::new() } else { format!(", {errors} not") };
    let Some(share) = share.filter(|share| *share > 0.0) else {
        return format!("{pages} {what}{errors}, {}", per_second(rate));
    };
    format!("{} {pages} {what}{errors}, {}, {}", bar(share), per_second(rate), ahead(share, seconds))
}

/// The share done, and the time left at the same rate.
fn ahead(share: f64, seconds: f64) -> String {
    let left = Duration::from_secs((seconds / share * (1.0 - share)).max(0.0) as u64);
    format!("{:.0} %, {} left", share * 100.0, humantime::format_duration(left))
}

/// Shows a slow rate as more than zero.
fn per_second(rate: f64) -> String {
    if rate >= 9.5 { format!("{rate:.0} a second") } else { format!("{rate:.1} a second") }
}

/// The width of the bar, in letters.
const WIDTH: usize = 20;

fn bar(share: f64) -> String {
    let done = ((share * WIDTH as f64) as usize).min(WIDTH);
    format!("[{}{}]", "#".repeat(done), ".".repeat(WIDTH - done))
}

#[cfg(test)]
mod tests {
    use super::{line, step_line};
    use tsrec_core::learn::Step;

    #[test]
    fn a_step_tells_rate_and_time_left() {
        let step = |done| step_line(&Step { what: "round 5", done, of: 20 }, 10.0);
        assert_eq!(
            (step(0).as_str(), step(5).as_str()),
            ("round 5", "[#####...............] round 5, 0.5 a second, 25 %, 30s left")
        );
        assert!(step(20).ends_with("100 %, 0s left"));
    }

    #[test]
    fn the_line_tells_rate_and_time_left() {
        assert_eq!(
            line("pages extracted", (300, 0), 10.0, Some(0.25)),
            "[#####...............] 300 pages extracted, 30 a second, 25 %, 30s left"
        );
        assert_eq!(line("pages extracted", (300, 2), 10.0, None), "300 pages extracted, 2 not, 30 a second");
        assert_eq!(line("pages extracted", (0, 0), 0.0, Some(0.0)), "0 pages extracted, 0.0 a second");
    }
}
