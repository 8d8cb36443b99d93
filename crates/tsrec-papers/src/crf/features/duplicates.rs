//! `duplicate-count` and `first-duplicate`: blocks that the page repeats (section 4.2).

use std::collections::HashMap;

use super::BlockView;

/// `duplicate-count` is the number of blocks with the same letters, this block included.
/// `first-duplicate` is 1 for the first of several such blocks, else 0.
pub(super) fn numbers(name: &str, view: &BlockView<'_>) -> Option<Vec<f64>> {
    let letters =
        |text: &str| -> String { text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect() };
    let keys: Vec<String> = view.blocks.iter().map(|block| letters(&block.text)).collect();
    let mut seen: HashMap<&str, (usize, usize)> = HashMap::new(); // the first block, and how many
    for (index, key) in keys.iter().enumerate() {
        seen.entry(key).or_insert((index, 0)).1 += 1;
    }
    let number = |index: usize, (first, count): (usize, usize)| match name {
        "duplicate-count" => count as f64,
        _ => f64::from(u8::from(count > 1 && first == index)),
    };
    Some(keys.iter().enumerate().map(|(index, key)| number(index, seen[key.as_str()])).collect())
}
