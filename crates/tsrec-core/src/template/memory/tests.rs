//! Sums, samples and merging.

use proptest::prelude::*;

use super::*;

fn seen(place: u64, text: u64, words: u32, odds: f32) -> SeenBlock {
    let mut evidence = [f32::NAN; EVIDENCE];
    evidence[0] = words as f32;
    SeenBlock { place, text: text.wrapping_mul(0x9e37_79b9_7f4a_7c15), words, odds, evidence }
}

fn whole(pages: &[Vec<SeenBlock>]) -> Memory {
    pages.iter().fold(Memory::default(), |mut memory, page| {
        memory.merge(&Memory::of_page(page.iter().copied()));
        memory
    })
}

#[test]
fn a_place_knows_what_repeats_there() {
    let page = |n: u64| vec![seen(1, 7, 4, -3.0), seen(2, 100 + n, 50, 2.0), seen(2, 200 + n, 30, 1.0)];
    let memory = whole(&[page(0), page(1), page(2)]);
    let (menu, story) = (memory.place(1).unwrap(), memory.place(2).unwrap());
    assert_eq!((memory.pages(), memory.words(), menu.pages(), story.blocks()), (3, 252, 3, 6));
    assert_eq!((menu.repeated(), story.repeated()), (1.0, 0.0));
    assert_eq!((menu.different_texts(), story.different_texts()), (1.0, 6.0));
    assert_eq!((menu.text_pages(), story.range()), (3.0, (1.0, 2.0)));
    let text = seen(1, 7, 4, -3.0).text;
    assert_eq!((menu.pages_of_text(text), story.pages_of_text(text)), (3, 0));
    assert!((story.odds().0 - 1.625).abs() < 1e-3 && menu.odds().1 < 1e-3);
    assert_eq!(story.evidence()[0], 40.0);
    assert!(story.evidence()[1].is_nan() && memory.place(3).is_none());
}

#[test]
fn many_texts_are_counted_by_a_sample() {
    let pages: Vec<Vec<SeenBlock>> = (0..4000).map(|n| vec![seen(1, n, 10, 0.0)]).collect();
    let memory = whole(&pages);
    let different = memory.place(1).unwrap().different_texts();
    assert!((2000.0..8000.0).contains(&different), "{different}");
    assert!(postcard::to_stdvec(&memory).unwrap().len() < 600);
}

proptest! {
    /// In any order of pages and merges, the memory is the same, and it survives being written and
    /// read.
    #[test]
    fn halves_make_the_whole(
        blocks in proptest::collection::vec((0u64..6, 0u64..60, 0u32..80, -6.0f32..6.0, 0usize..8), 0..160),
        cut in 0usize..8,
    ) {
        let mut pages = vec![Vec::new(); 8];
        for (place, text, words, odds, page) in blocks {
            pages[page].push(seen(place, text, words, odds));
        }
        let all = whole(&pages);
        let (mut one, other) = (whole(&pages[cut..]), whole(&pages[..cut]));
        one.merge(&other);
        prop_assert_eq!(&one, &all);
        let bytes = postcard::to_stdvec(&all).unwrap();
        prop_assert_eq!(postcard::from_bytes::<Memory>(&bytes).unwrap(), all);
    }
}
