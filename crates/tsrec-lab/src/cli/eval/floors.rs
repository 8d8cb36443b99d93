//! `tsrec-lab eval --floors FILE`: compares figures with their floors.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;

use super::args::Args;
use super::measure;
use super::table::ScoreTable;
use crate::eval::floors::{FloorRun, Floors, Moves};
use tsrec_core::words::number_of;
use tsrec_terminal::progress::progress;
use tsrec_terminal::whole_file;

/// Parses a run's options.
#[derive(Debug, Parser)]
#[command(name = "tsrec-lab eval", no_binary_name = true)]
struct FloorOptions {
    #[command(flatten)]
    args: Args,
}

/// Makes the file's runs on the sets. Fails and names every figure that is below its floor.
pub(super) fn run(file: &Path, args: &Args) -> Result<()> {
    let moves = match (args.update_floors, args.lower_floors) {
        (true, _) => Moves::Up,
        (_, true) => Moves::Down,
        _ => Moves::None,
    };
    let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let mut floors = Floors::parse(&text).with_context(|| format!("{} holds no floors", file.display()))?;
    let before = floors.clone();
    let (mut fallen, mut held) = (Vec::new(), 0);
    let mut last: Option<(String, ScoreTable)> = None;
    for run in &mut floors.runs {
        let said = format!("{} on {}\n", run.options, run.sets().join(" "));
        // Entries that only differ in their column are measured once.
        let table = match last.take() {
            Some((before, table)) if before == said => table,
            _ => {
                progress(&said);
                measure::table(&line(run, &args.sets)?)?
            }
        };
        held += run.rows.len();
        let column = run.column.clone();
        fallen.extend(run.hold(moves, |row| table.value(row, &column)));
        last = Some((said, table));
    }
    if floors != before {
        whole_file::write(file, floors.to_text().as_bytes())?;
        progress(&format!("{}: floors were moved\n", file.display()));
    }
    if !fallen.is_empty() {
        let named: String = fallen.iter().map(|fallen| format!("\n  {fallen}")).collect();
        bail!("{} of {held} figures are below their floors:{named}", fallen.len());
    }
    progress(&format!("of {} none is below its floor\n", number_of(held, "figure")));
    Ok(())
}

/// The arguments of a run, with those of the given sets that it needs.
fn line(run: &FloorRun, given: &[PathBuf]) -> Result<Args> {
    let mut line: Vec<String> = run.options.split_whitespace().map(str::to_owned).collect();
    for set in run.sets() {
        let folder = given.iter().find(|folder| folder.file_name().is_some_and(|name| name == set));
        let folder = folder.with_context(|| format!("{set} has floors, and is not among the sets that were named"))?;
        line.push(folder.to_str().with_context(|| format!("{} is no UTF-8", folder.display()))?.to_owned());
    }
    let args = FloorOptions::try_parse_from(line).with_context(|| format!("{:?} is nothing to run", run.options))?.args;
    ensure!(args.floors.is_none() && args.compare.is_empty(), "{:?} is nothing to run", run.options);
    Ok(args)
}
