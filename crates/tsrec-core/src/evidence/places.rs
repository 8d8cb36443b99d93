//! Evidence from a place: what a [`Memory`] has there.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::column::{Column, Kind};
use super::{ablation, columns, score, site};
use crate::analysis::{Analysis, Block};
use crate::float::log2;
use crate::learn::boosting::Rows;
use crate::template::{EVIDENCE, Memory, Place, SeenBlock};
use crate::words::hashed::ByHash;

/// A place of a site.
pub(super) struct AtPlace<'m> {
    pub(super) memory: &'m Memory,
    pub(super) place: &'m Place,
}

impl AtPlace<'_> {
    /// The number of pages of the memory.
    pub(super) fn pages(&self) -> f32 {
        self.memory.pages() as f32
    }

    /// The number of their words, at least 1.
    pub(super) fn words(&self) -> f32 {
        (self.memory.words() as f32).max(1.0)
    }
}

/// The evidence of blocks whose mean a place remembers, and the name of that mean. They are the 16
/// features that a forest over all of them used most.
const TAKEN: [(&str, &str); EVIDENCE] = [
    ("names sum", "there names sum"),
    ("names greatest", "there names greatest"),
    ("names least", "there names least"),
    ("-1 names sum", "there -1 names sum"),
    ("+1 names sum", "there +1 names sum"),
    ("c1 unlinked share", "there c1 unlinked share"),
    ("c1 block words", "there c1 block words"),
    ("c1 linked", "there c1 linked"),
    ("below dominant", "there below dominant"),
    ("below minor", "there below minor"),
    ("since heading", "there since heading"),
    ("words mean", "there words mean"),
    ("words greatest", "there words greatest"),
    ("depth", "there depth"),
    ("alike", "there alike"),
    ("title overlap", "there title overlap"),
];

static AT: LazyLock<[usize; EVIDENCE]> = LazyLock::new(|| {
    let at = |name: &str| columns().iter().position(|column| column.name == name);
    TAKEN.map(|(name, _)| at(name).expect("what a place remembers is evidence of a block"))
});

/// The columns of a place, in the order of a row.
pub fn place_columns() -> &'static [Column] {
    static ALL: LazyLock<Vec<Column>> = LazyLock::new(|| {
        let means = TAKEN.iter().zip(&*AT).map(|((_, name), &at)| Column { name, ..columns()[at] });
        [score::COLUMNS, site::COLUMNS].into_iter().flatten().copied().chain(means).collect()
    });
    &ALL
}

/// The part of a block's evidence that its place remembers.
pub(super) fn taken(row: &[f32]) -> [f32; EVIDENCE] {
    AT.map(|at| row[at])
}

/// The memory of a page: for each block the [taken] evidence and the first stage's log-odds.
pub(super) fn remember(analysis: &Analysis, taken: impl Iterator<Item = [f32; EVIDENCE]>, odds: &[f32]) -> Memory {
    let blocks = analysis.blocks().iter().zip(taken).zip(odds);
    Memory::of_page(blocks.map(|((block, evidence), &odds)| seen(block, evidence, odds)))
}

/// A block in its remembered form.
pub(super) fn seen(block: &Block, evidence: [f32; EVIDENCE], odds: f32) -> SeenBlock {
    SeenBlock { place: block.place, text: block.hash, words: block.text.words, odds, evidence }
}

/// Adds to the memory of a page which blocks a person labelled content. `None` stands for a block
/// without a label.
pub fn teach(memory: &mut Memory, analysis: &Analysis, said: &[Option<bool>]) {
    for (block, said) in analysis.blocks().iter().zip(said) {
        if let Some(is_content) = *said {
            memory.teach(block.place, block.text.words, is_content);
        }
    }
}

/// The places of one page in a memory that includes it: a row for each place, and for each block
/// its row.
pub(super) struct Places {
    pub(super) rows: Rows,
    pub(super) of_block: Vec<usize>,
    /// For each block, how much its exact text repeats on the site: the share of the other pages
    /// that have it at its place. Less with three pages, and nothing with two, which may quote each
    /// other.
    pub(super) repeated: Vec<f32>,
    /// For each row the label of the place, if a person gave one.
    pub(super) taught: Vec<Option<bool>>,
    /// For each row, whether no block there could be content, whatever the second stage says; see
    /// [`SURELY_NONE`].
    pub(super) surely_none: Vec<bool>,
}

/// From so many pages on what repeats has its full weight. Calibration (`docs/decisions/059`).
const SURE_PAGES: u32 = 4;

/// If a block alone has log-odds of at most this, no place makes it content. If a page is alone and
/// no block of a place has more, the second stage is skipped for that place. Calibration: with -4,
/// 12 of 3,176 pages get another text, and F1 is the same on all sets. With -3 and -5 only a few
/// others do (`docs/decisions/049`). Training does not skip places, since so few decisions depend
/// on it.
const SURELY_NONE: f32 = -4.0;

impl Places {
    /// The places of the page. Linear in the page.
    pub(super) fn new(analysis: &Analysis, memory: &Memory) -> Places {
        let mut rows = Rows::new(place_columns().len());
        let mut known: HashMap<u64, usize, ByHash> = HashMap::default();
        let (mut row, mut taught, mut surely_none) = (Vec::new(), Vec::new(), Vec::new());
        let is_surely_none = |place: &Place| memory.pages() == 1 && place.range().1 <= SURELY_NONE;
        let of_block = analysis.blocks().iter().map(|block| {
            let key = block.place;
            *known.entry(key).or_insert_with(|| {
                row.clear();
                fill(&mut row, memory, memory.place(key));
                rows.push(&row);
                taught.push(memory.place(key).and_then(Place::mind));
                surely_none.push(memory.place(key).is_some_and(is_surely_none));
                rows.len() - 1
            })
        });
        let of_block = of_block.collect();
        let others = memory.pages().saturating_sub(1);
        let weight = log2(memory.pages().clamp(2, SURE_PAGES) as f32 / 2.0);
        let repeated = |block: &Block| {
            if weight == 0.0 {
                return 0.0;
            }
            let pages = memory.place(block.place).map_or(0, |place| place.pages_of_text(block.hash));
            // The page itself is one of them, so it is subtracted.
            weight * pages.saturating_sub(1) as f32 / others as f32
        };
        let repeated = analysis.blocks().iter().map(repeated).collect();
        Places { rows, of_block, repeated, taught, surely_none }
    }

    /// Makes evidence of these kinds absent.
    pub(super) fn remove(&mut self, kinds: &[Kind]) {
        if !kinds.is_empty() {
            let mut values = self.rows.values().to_vec();
            ablation::remove(kinds, place_columns(), &mut values);
            self.rows = Rows::of_values(place_columns().len(), values);
        }
    }
}

/// All places of a memory, a row each, in its order.
pub(super) fn of_memory(memory: &Memory) -> Rows {
    let mut values = Vec::with_capacity(memory.places().len() * place_columns().len());
    memory.places().for_each(|(_, place)| fill(&mut values, memory, Some(place)));
    Rows::of_values(place_columns().len(), values)
}

/// Appends the evidence of a place. All of it is absent if the memory has no such place.
pub(super) fn fill(row: &mut Vec<f32>, memory: &Memory, place: Option<&Place>) {
    let Some(place) = place else {
        row.resize(row.len() + place_columns().len(), f32::NAN);
        return;
    };
    let at = AtPlace { memory, place };
    score::fill(row, &at);
    site::fill(row, &at);
    row.extend(place.evidence());
}
