//! Floors of accuracy: figures that a change must not bring down.
//!
//! They stand in a file that is checked by running what it says. A floor rises by itself when it is
//! asked to, and falls only when somebody says so.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// How far under what was reached a floor is set. Judgement: what models and machines differ by,
/// apart from their last digits, is less; what a reader of the tables would notice is more.
pub const MARGIN: f64 = 0.005;

/// Written before the floors, for who opens the file.
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
    /// What the reader should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What `tsrec-lab eval` is run with, besides the sets.
    pub options: String,
    /// The column.
    pub column: String,
    /// For each row the floor.
    pub rows: BTreeMap<String, f64>,
}

/// A figure under its floor, or one that is no longer there.
#[derive(Clone, Debug, PartialEq)]
pub struct Fallen {
    /// As in [`FloorRun`].
    pub options: String,
    /// As in [`FloorRun`].
    pub column: String,
    /// The row.
    pub row: String,
    /// What had to be reached.
    pub floor: f64,
    /// What was.
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

/// What a floor that differs from what was reached is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Nothing moves.
    None,
    /// Floors rise.
    Up,
    /// Those that were missed fall.
    Down,
}

impl Floors {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When it is no TOML, or says anything else than floors.
    pub fn parse(text: &str) -> Result<Floors, toml::de::Error> {
        toml::from_str(text)
    }

    /// The file.
    pub fn to_text(&self) -> String {
        let body = toml::to_string(self).expect("floors are strings and numbers");
        format!("{HEAD}\n{body}")
    }
}

impl FloorRun {
    /// The sets that its rows are of.
    pub fn sets(&self) -> Vec<&str> {
        let mut sets: Vec<&str> = self.rows.keys().map(|row| row.split('/').next().unwrap_or(row)).collect();
        sets.dedup();
        sets
    }

    /// Holds the floors against what was reached, moves them, and tells which were missed and did
    /// not move.
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

/// A floor for what was reached, in thousandths.
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
