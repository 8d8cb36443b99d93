//! The parts into which pages are split, for training on some and judging others.

/// The part of each page, by set and page: `parts[set][page]`. The held-out parts come first.
pub(super) type PagesByPart = Vec<Vec<usize>>;

/// The part of pages that are neither judged nor trained on.
pub(super) const LEFT_OUT: usize = usize::MAX;
