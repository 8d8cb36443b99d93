//! Which pages of many are kept: by language, and without copies of earlier ones.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use anyhow::Result;

/// The most bits in which the simhashes of two copies differ. Manku, Jain and Das Sarma,
/// "Detecting near-duplicates for web crawling" (2007), found 3 right for hashes of 64 bits.
const MOST_BITS: u32 = 3;

/// Pages that a later one is compared with; the oldest are forgotten. Judgement: some 60 MB.
const MOST_PAGES: usize = 1 << 20;

/// Options for many pages.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct FilterArgs {
    /// Keep only pages in these languages, such as de,fr. Each also stands for its variants: de for
    /// de-AT.
    #[arg(long, value_delimiter = ',', value_name = "LANGUAGES", value_parser = language)]
    language: Vec<String>,
    /// Drop pages whose text is a copy of an earlier page's, but for a few words: their simhashes
    /// differ in at most 3 of 64 bits. The last million pages are compared.
    #[arg(long)]
    dedupe: bool,
}

fn language(text: &str) -> Result<String, String> {
    let is_tag =
        text.split('-').all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()));
    let is_known = is_tag && text.split('-').next().is_some_and(|first| matches!(first.len(), 2 | 3));
    if is_known {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("it must be a language tag, such as de or pt-BR".to_owned())
    }
}

/// What the filter reads of a page.
pub(super) struct FilterTraits {
    pub(super) language: Option<String>,
    pub(super) simhash: Option<u64>,
    /// A hash of what identifies the page, which is no copy of itself.
    pub(super) id: u64,
}

/// The pages so far.
pub(super) struct PageFilter {
    languages: Vec<String>,
    copies: Option<Copies>,
    pub(super) dropped: u64,
}

impl FilterArgs {
    /// Whether any page may be dropped.
    pub(super) fn is_given(&self) -> bool {
        self.dedupe || !self.language.is_empty()
    }

    pub(super) fn filter(&self) -> PageFilter {
        PageFilter { languages: self.language.clone(), copies: self.dedupe.then(Copies::default), dropped: 0 }
    }
}

impl PageFilter {
    /// Whether a page is kept. Call it in the order of the pages.
    pub(super) fn keeps(&mut self, page: &FilterTraits) -> bool {
        let keeps = self.has_language(page.language.as_deref()) && !self.is_copy(page);
        self.dropped += u64::from(!keeps);
        keeps
    }

    fn has_language(&self, given: Option<&str>) -> bool {
        let given = given.map(str::to_ascii_lowercase);
        let is = |wanted: &String| {
            let rest = given.as_deref().and_then(|given| given.strip_prefix(wanted.as_str()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        self.languages.is_empty() || self.languages.iter().any(is)
    }

    /// A page without words is no copy.
    fn is_copy(&mut self, page: &FilterTraits) -> bool {
        let (Some(copies), Some(simhash)) = (&mut self.copies, page.simhash) else { return false };
        copies.is_copy(simhash, page.id)
    }
}

/// Simhashes, by each of their four parts: two hashes that differ in three bits have one part in
/// common.
#[derive(Default)]
struct Copies {
    by_part: [FxHashMap<u16, Vec<(u64, u64)>>; 4],
    /// The oldest first.
    order: VecDeque<(u64, u64)>,
}

fn parts(simhash: u64) -> [u16; 4] {
    [0, 16, 32, 48].map(|shift| (simhash >> shift) as u16)
}

impl Copies {
    /// Whether an earlier page, other than this one, has nearly the same hash. If not, it is noted.
    fn is_copy(&mut self, simhash: u64, id: u64) -> bool {
        let is_near = |(other, of): &(u64, u64)| *of != id && (other ^ simhash).count_ones() <= MOST_BITS;
        let mut known = self.by_part.iter().zip(parts(simhash)).filter_map(|(table, part)| table.get(&part));
        if known.any(|pages| pages.iter().any(is_near)) {
            return true;
        }
        self.note((simhash, id));
        false
    }

    fn note(&mut self, page: (u64, u64)) {
        if self.order.len() >= MOST_PAGES
            && let Some(oldest) = self.order.pop_front()
        {
            for (table, part) in self.by_part.iter_mut().zip(parts(oldest.0)) {
                table.entry(part).and_modify(|pages| pages.retain(|page| *page != oldest));
            }
        }
        for (table, part) in self.by_part.iter_mut().zip(parts(page.0)) {
            table.entry(part).or_default().push(page);
        }
        self.order.push_back(page);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_pages_within_three_bits() {
        let mut copies = Copies::default();
        let first = 0x0123_4567_89ab_cdef;
        assert!(!copies.is_copy(first, 1));
        assert!(!copies.is_copy(first, 1), "a page is no copy of itself");
        for (bits, is_copy) in [
            (0b1, true),
            (0b111, true),
            (1 << 15 | 1 << 31 | 1 << 47, true),
            (1 << 63 | 1 << 20, true),
            (0b1111, false),
        ] {
            let mut copies = Copies::default();
            copies.note((first, 1));
            assert_eq!(copies.is_copy(first ^ bits, 2), is_copy, "{bits:b}");
        }
    }

    #[test]
    fn languages_stand_for_their_variants() {
        let args = FilterArgs { language: vec!["de".to_owned(), "pt-br".to_owned()], dedupe: false };
        for (given, expect) in [
            (Some("de"), true),
            (Some("de-AT"), true),
            (Some("den"), false),
            (Some("pt"), false),
            (Some("pt-BR"), true),
            (None, false),
        ] {
            let page = FilterTraits { language: given.map(str::to_owned), simhash: None, id: 0 };
            assert_eq!(args.filter().keeps(&page), expect, "{given:?}");
        }
        for (text, is_tag) in
            [("de", true), ("pt-BR", true), ("german", false), ("", false), ("d", false), ("de_AT", false)]
        {
            assert_eq!(language(text).is_ok(), is_tag, "{text}");
        }
    }
}
