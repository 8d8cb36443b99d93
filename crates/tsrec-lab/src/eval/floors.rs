//! Floors of accuracy: a change must not bring these figures down.
//!
//! They are in a file. To check it, the command makes the file's runs. A floor rises automatically
//! on request, and falls only if a person says so.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A floor is this far below the measured figure. Judgement: models and machines differ by less,
/// apart from their last digits; a reader of the tables would notice more.
pub const MARGIN: f64 = 0.005;

/// The text before the floors, for a reader of the file.
const HEAD: &str = "\
# Floors of accuracy, checked with `tsrec-lab eval --floors FILE DIR…`. Each entry says how
# `tsrec-lab eval` is run, the column that is looked at, and for each row (a set, or set/kind with
# --by kind) the least that must be reached. `--update-floors` raises them to 0.005 under what was
# reached. `--lower-floors` lowers those that fell: say why in the commit.
";

/// The floors of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floors {
    /// In the order of the file.
    #[serde(rename = "floor")]
    pub runs: Vec<FloorRun>,
}

/// A run of `tsrec-lab eval`, with the floors of one of its columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloorRun {
    /// A note for the reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The options of `tsrec-lab eval`, besides the sets.
    pub options: String,
    /// The column.
    pub column: String,
    /// The floor of each row.
    pub rows: BTreeMap<String, f64>,
}

/// A figure below its floor, or one that no longer exists.
#[derive(Clone, Debug, PartialEq)]
pub struct Fallen {
    /// As in [`FloorRun`].
    pub options: String,
    /// As in [`FloorRun`].
    pub column: String,
    /// The row.
    pub row: String,
    /// The floor.
    pub floor: f64,
    /// The measured figure.
    pub reached: Option<f64>,
}

impl fmt::Display for Fallen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fallen { options, column, row, floor, reached } = self;
        match reached {
            Some(reached) => write!(f, "{row}: {column} {reached:.4} is below {floor} ({options})"),
            None => write!(f, "{row}: there is no {column}, whose floor is {floor} ({options})"),
        }
    }
}

/// How to change a floor that differs from the measured figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Change no floor.
    None,
    /// Raise floors.
    Up,
    /// Lower the floors that were missed.
    Down,
}

impl Floors {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If the file is not TOML, or has other content than floors.
    pub fn parse(text: &str) -> Result<Floors, toml::de::Error> {
        toml::from_str(text)
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        let body = toml::to_string(self).expect("floors are strings and numbers");
        format!("{HEAD}\n{body}")
    }
}

impl FloorRun {
    /// The sets of its rows.
    pub fn sets(&self) -> Vec<&str> {
        let mut sets: Vec<&str> = self.rows.keys().map(|row| row.split('/').next().unwrap_or(row)).collect();
        sets.dedup();
        sets
    }

    /// Compares the floors with the measured figures and moves them. Returns the missed ones that
    /// did not move.
    ///
    /// ```
    /// use tsrec_lab::eval::floors::{FloorRun, Moves};
    /// let mut run = FloorRun { rows: [("a".to_owned(), 0.9), ("b".to_owned(), 0.8)].into(), ..FloorRun::default() };
    /// let reached = |row: &str| Some(if row == "a" { 0.95 } else { 0.7 });
    /// assert_eq!(run.hold(Moves::Up, reached).len(), 1);
    /// assert_eq!((run.rows["a"], run.rows["b"]), (0.945, 0.8));
    /// assert!(run.hold(Moves::Down, reached).is_empty());
    /// assert_eq!((run.rows["a"], run.rows["b"]), (0.945, 0.695));
    /// ```
    pub fn hold(&mut self, moves: Moves, reached: impl Fn(&str) -> Option<f64>) -> Vec<Fallen> {
        let mut fallen = Vec::new();
        for (row, floor) in &mut self.rows {
            let figure = reached(row);
            match (figure, moves) {
                (Some(figure), Moves::Down) if figure < *floor => *floor = under(figure),
                (Some(figure), Moves::Up) if figure >= *floor => *floor = floor.max(under(figure)),
                (Some(figure), _) if figure >= *floor => {}
                (reached, _) => fallen.push(Fallen {
                    options: self.options.clone(),
                    column: self.column.clone(),
                    row: row.clone(),
                    floor: *floor,
                    reached,
                }),
            }
        }
        fallen
    }
}

/// A floor for a measured figure, in thousandths.
fn under(reached: f64) -> f64 {
    ((reached - MARGIN) * 1e3 + 1e-6).floor() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "
        [[floor]]
        options = \"--method mss\"
        column = \"bowF\"
        rows = { news = 0.9, blogs = 0.8 }

        [[floor]]
        note = \"why\"
        options = \"--report wcxb --by kind\"
        column = \"F1\"
        [floor.rows]
        \"set/forum\" = 0.5
        \"set/article\" = 0.8
        other = 0.7
    ";

    #[test]
    fn what_is_written_is_read() {
        let floors = Floors::parse(FILE).unwrap();
        assert_eq!(Floors::parse(&floors.to_text()).unwrap(), floors);
        assert_eq!(floors.runs[0].sets(), ["blogs", "news"]);
        assert_eq!(floors.runs[1].sets(), ["other", "set"]);
        for line in HEAD.lines() {
            assert!(line.starts_with("# ") && line.chars().count() <= 120, "{line}");
        }
    }

    #[test]
    fn what_is_no_floor_is_refused() {
        for file in ["floor = 1", "[[floor]]\ncolumn = \"bowF\"", "[[flor]]", "[[floor]]\noptions = 3"] {
            assert!(Floors::parse(file).is_err(), "{file}");
        }
    }

    #[test]
    fn a_floor_never_falls_by_itself() {
        for (moves, reached, expect, missed) in [
            (Moves::None, Some(0.9), 0.8, false),
            (Moves::None, Some(0.8), 0.8, false),
            (Moves::None, Some(0.7999), 0.8, true),
            (Moves::None, None, 0.8, true),
            (Moves::Up, Some(0.9), 0.895, false),
            (Moves::Up, Some(0.802), 0.8, false),
            (Moves::Up, Some(0.7), 0.8, true),
            (Moves::Down, Some(0.9), 0.8, false),
            (Moves::Down, Some(0.7), 0.695, false),
            (Moves::Down, None, 0.8, true),
        ] {
            let mut run = FloorRun { rows: [("set".to_owned(), 0.8)].into(), ..FloorRun::default() };
            let fallen = run.hold(moves, |_| reached);
            assert_eq!((run.rows["set"], !fallen.is_empty()), (expect, missed), "{moves:?} {reached:?}");
        }
    }
}
