//! The input of the tables of evidence: a page's analysis, and values for the whole page, for the
//! elements above a block, and for the containers around it.

use std::collections::HashSet;
use std::ops::Range;


use super::column::share;
use super::dominant::{self, Dominant};
use super::tables::Tables;
use crate::analysis::names::mix;
use crate::analysis::{Analysis, Block, Container, Inside, Tag};
use crate::words::hashed::{ByHash, Numbers};

/// The greatest number of containers around a block that are read, each with more text than the one
/// before.
pub(super) const CONTAINERS: usize = 6;
/// The greatest number of containers around a block whose names are read. (Judgement: names further
/// out describe the whole page.)
pub(super) const NAMED: usize = 8;

/// A page and the values that evidence needs.
pub(super) struct EvidenceReader<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) total: Total,
    /// For each container the log-odds of its names, if any of them is known.
    pub(super) names: ContainerNames,
    pub(super) title: Title,
    /// For each block, how many blocks have the same words.
    repeats: Vec<u32>,
    /// Counts of the blocks at each place.
    places: Vec<PlaceTotal>,
    /// For each block the index of its place.
    place_of_block: Vec<u32>,
    /// For each container, the index of its group and how many of the group come before it. A group
    /// is the containers with the same name and parent.
    alike: Vec<(u32, u32)>,
    groups: Vec<Alike>,
    /// The dominant container for each share.
    pub(super) dominant: [Dominant; dominant::SHARES.len()],
    /// The first block of the page's first `h1`.
    pub(super) first_h1: Option<u32>,
    /// For each block, the number of blocks up to and including the last heading before it; see
    /// [`EvidenceReader::heading`].
    headings: Vec<u32>,
}

/// Sums over a page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Total {
    pub(super) words: u32,
    pub(super) unlinked: u32,
    pub(super) blocks: u32,
    pub(super) articles: u32,
    pub(super) mains: u32,
    pub(super) h1s: u32,
    pub(super) h2s: u32,
    pub(super) forms: u32,
    pub(super) pres: u32,
    pub(super) lists: u32,
    pub(super) asides: u32,
    pub(super) navs: u32,
}

/// The words of the title, each once.
pub(super) struct Title {
    words: HashSet<u32, ByHash>,
    /// One bit for the end of each hash. Most words of a page have none of these bits.
    ends: u64,
}

impl Title {
    fn new(words: &[u32]) -> Title {
        let ends = words.iter().fold(0, |ends, word| ends | 1 << (word % u64::BITS));
        Title { words: words.iter().copied().collect(), ends }
    }

    pub(super) fn has(&self, word: u32) -> bool {
        self.ends >> (word % u64::BITS) & 1 == 1 && self.words.contains(&word)
    }

    /// How many different words it has.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }
}

/// The log-odds of content that the names of a container give.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameOdds {
    pub(super) sum: f32,
    pub(super) least: f32,
    pub(super) greatest: f32,
}

/// Counts of the text at a place of the page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlaceTotal {
    pub(super) blocks: u32,
    pub(super) words: u32,
    pub(super) linked: u32,
}

/// Containers with the same name and parent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Alike {
    /// How many they are, including this one.
    count: u32,
    /// How many of them come before this one.
    before: u32,
    words: u32,
    linked: u32,
}

impl<'a> EvidenceReader<'a> {
    /// Computes the values that every block needs. Linear.
    pub(super) fn new(analysis: &'a Analysis, tables: &'a Tables) -> Self {
        let blocks = analysis.blocks();
        let repeats = repeats(blocks);
        let (alike, groups) = alike(analysis);
        let (places, place_of_block) = places(analysis);
        let mut headings = Vec::with_capacity(blocks.len());
        let (mut behind, mut first_h1) = (0, None);
        for (number, block) in (0..).zip(blocks) {
            headings.push(behind);
            if let Some(level) = analysis.heading_level(block) {
                behind = number + 1;
                first_h1 = first_h1.or((level == 1).then_some(number));
            }
        }
        EvidenceReader {
            analysis,
            total: Total::from_analysis(analysis),
            names: ContainerNames::new(analysis, tables),
            title: Title::new(&analysis.head().title),
            repeats,
            places,
            place_of_block,
            alike,
            groups,
            dominant: Dominant::from_analysis(analysis),
            first_h1,
            headings,
        }
    }

    /// How many blocks of the page have this block's words.
    pub(super) fn repeats(&self, block: u32) -> u32 {
        self.repeats[block as usize]
    }

    /// Counts of the text at the place of a block.
    pub(super) fn place(&self, block: u32) -> PlaceTotal {
        self.places[self.place_of_block[block as usize] as usize]
    }

    /// The block of the last heading before a block.
    pub(super) fn heading(&self, block: u32) -> Option<u32> {
        self.headings[block as usize].checked_sub(1)
    }

    /// The containers with the same name and parent as this one.
    fn alike(&self, container: u32) -> Alike {
        let (group, before) = self.alike[container as usize];
        Alike { before, ..self.groups[group as usize] }
    }

    /// The number of places of the page.
    pub(super) fn places(&self) -> u32 {
        self.places.len() as u32
    }

    /// The share of stop words. Absent if no list has the page's language.
    pub(super) fn stop_words(&self, block: &Block) -> f32 {
        match self.analysis.language() {
            Some(_) => share(block.stop_words, block.text.words),
            None => f32::NAN,
        }
    }
}

impl Total {
    fn from_analysis(analysis: &Analysis) -> Total {
        let mut total = Total::default();
        if let Some(all) = analysis.containers().first() {
            total.words = all.text.words;
            total.unlinked = unlinked(all);
        }
        total.blocks = analysis.blocks().len() as u32;
        for container in analysis.containers() {
            match container.tag {
                Tag::Article => total.articles += 1,
                Tag::Main => total.mains += 1,
                Tag::Heading1 => total.h1s += 1,
                Tag::Heading2 => total.h2s += 1,
                Tag::Form => total.forms += 1,
                Tag::Pre => total.pres += 1,
                Tag::List => total.lists += 1,
                Tag::Aside => total.asides += 1,
                Tag::Nav => total.navs += 1,
                _ => {}
            }
        }
        total
    }
}

/// Words of a container outside links.
pub(super) fn unlinked(container: &Container) -> u32 {
    container.text.words.saturating_sub(container.linked_words)
}

/// For each container the index of its group, and how many of the group come before it; and the
/// groups. A group is the containers with the same name and parent. Linear.
fn alike(analysis: &Analysis) -> (Vec<(u32, u32)>, Vec<Alike>) {
    let containers = analysis.containers();
    // About a fourth of the containers have a name of their own. On very large pages, a table with
    // room for all of them would set the peak of memory.
    let mut numbers = Numbers::with_capacity(containers.len() / 4);
    let group = |container: &Container| numbers.number(mix(container.name, u64::from(container.parent)));
    let mut alike: Vec<(u32, u32)> = containers.iter().map(group).map(|group| (group, 0)).collect();
    let mut groups = vec![Alike::default(); numbers.len()];
    // A container without words is not counted, but it still has a group.
    for (container, (group, before)) in containers.iter().zip(&mut alike).filter(|(one, _)| one.text.words > 0) {
        let group = &mut groups[*group as usize];
        *before = group.count;
        group.count += 1;
        group.words += container.text.words;
        group.linked += container.linked_words;
    }
    (alike, groups)
}

/// For each block, how many blocks have the same words. Linear.
fn repeats(blocks: &[Block]) -> Vec<u32> {
    let mut numbers = Numbers::with_capacity(blocks.len());
    let texts: Vec<u32> = blocks.iter().map(|block| numbers.number(block.hash)).collect();
    let mut counts = vec![0; numbers.len()];
    // The table is several times larger than the result.
    drop(numbers);
    texts.iter().for_each(|&text| counts[text as usize] += 1);
    texts.into_iter().map(|text| counts[text as usize]).collect()
}

/// Counts for each place of the page, and the index of each block's place. Linear.
fn places(analysis: &Analysis) -> (Vec<PlaceTotal>, Vec<u32>) {
    let blocks = analysis.blocks();
    let mut numbers = Numbers::with_capacity(blocks.len());
    let of_block: Vec<u32> = blocks.iter().map(|block| numbers.number(block.place)).collect();
    let mut places = vec![PlaceTotal::default(); numbers.len()];
    for (block, &place) in blocks.iter().zip(&of_block) {
        let place = &mut places[place as usize];
        place.blocks += 1;
        place.words += block.text.words;
        place.linked += block.linked.words;
    }
    (places, of_block)
}

/// The log-odds of the names of each container.
pub(super) struct ContainerNames {
    /// The log-odds of the names that are known. Remembered names share one entry.
    odds: Vec<NameOdds>,
    /// For each container its index in `odds` plus 1, or 0 if no name is known.
    of: Vec<u32>,
}

impl ContainerNames {
    /// The number of remembered names. A name replaces the one whose hash has the same end.
    /// Judgement: pages have some hundred.
    const REMEMBERED: usize = 256;

    /// Looks up all names. The items of a list have the same names, which are looked up once.
    /// Linear.
    fn new(analysis: &Analysis, tables: &Tables) -> ContainerNames {
        let mut remembered: Vec<(&[u32], u32)> = vec![(&[], 0); ContainerNames::REMEMBERED];
        let mut odds = Vec::new();
        let mut number = |container: &Container| {
            let names = analysis.names(container);
            let slot = &mut remembered[container.name as usize % ContainerNames::REMEMBERED];
            if slot.0 != names {
                let found = tables.name_odds(names).map_or(0, |found| {
                    odds.push(found);
                    odds.len() as u32
                });
                *slot = (names, found);
            }
            slot.1
        };
        let of = analysis.containers().iter().map(&mut number).collect();
        ContainerNames { odds, of }
    }

    /// The log-odds of a container, if any of its names is known.
    pub(super) fn get(&self, container: u32) -> Option<NameOdds> {
        self.of[container as usize].checked_sub(1).map(|at| self.odds[at as usize])
    }
}

/// The elements above a block.
pub(super) struct Above<'a> {
    analysis: &'a Analysis,
    block: &'a Block,
    total: Total,
    tags: [u8; 64],
    levels: [u8; 64],
}

impl<'a> Above<'a> {
    pub(super) fn new(page: &EvidenceReader<'a>, block: &'a Block) -> Self {
        let (mut tags, mut levels) = ([0_u8; 64], [u8::MAX; 64]);
        for (level, (_, container)) in page.analysis.around(block).enumerate() {
            let tag = container.tag as usize;
            tags[tag] = tags[tag].saturating_add(1);
            levels[tag] = levels[tag].min(level.min(254) as u8);
        }
        Above { analysis: page.analysis, block, total: page.total, tags, levels }
    }

    pub(super) fn has(&self, tag: Tag) -> bool {
        self.tags[tag as usize] > 0
    }

    pub(super) fn count(&self, tag: Tag) -> u8 {
        self.tags[tag as usize]
    }

    /// The number of levels up to the nearest element with this tag. Absent if there is none.
    pub(super) fn levels_to(&self, tag: Tag) -> f32 {
        match self.levels[tag as usize] {
            u8::MAX => f32::NAN,
            levels => f32::from(levels),
        }
    }

    pub(super) fn heading(&self) -> u8 {
        self.analysis.around(self.block).find_map(|(_, container)| container.tag.heading()).unwrap_or(0)
    }

    pub(super) fn flow_kind(&self) -> u8 {
        match self.analysis.container(self.block.flow).tag {
            Tag::Div => 0,
            Tag::P => 1,
            Tag::Item => 2,
            Tag::Cell => 3,
            tag if tag.heading().is_some() => 4,
            _ => 5,
        }
    }

    pub(super) fn depth(&self) -> u32 {
        self.analysis.container(self.block.flow).depth
    }

    pub(super) fn articles_on_page(&self) -> u32 {
        self.total.articles
    }
}

/// The containers around a block, each with more text than the one before.
pub(super) struct OuterContainers<'a> {
    page: &'a EvidenceReader<'a>,
    number: u32,
    containers: [u32; CONTAINERS],
    alike: Alike,
}

impl<'a> OuterContainers<'a> {
    pub(super) fn new(page: &'a EvidenceReader<'a>, number: u32, block: &Block) -> Self {
        let (mut containers, mut found) = ([0; CONTAINERS], 0);
        let mut words = block.text.words;
        let mut best = Alike::default();
        for (level, (at, container)) in page.analysis.around(block).enumerate() {
            if container.text.words > words && found < CONTAINERS {
                containers[found] = at;
                found += 1;
                words = container.text.words;
            }
            let alike = page.alike(at);
            if level < NAMED && alike.count > best.count {
                best = alike;
            }
        }
        let last = if found == 0 { 0 } else { containers[found - 1] };
        containers[found..].fill(last);
        OuterContainers { page, number, containers, alike: best }
    }

    pub(super) fn at(&self, index: usize) -> &Container {
        self.page.analysis.container(self.containers[index])
    }

    pub(super) fn inside(&self, index: usize) -> &Inside {
        self.page.analysis.inside(self.at(index))
    }

    pub(super) fn page_share(&self, index: usize) -> f32 {
        share(self.at(index).text.words, self.page.total.words)
    }

    pub(super) fn linked(&self, index: usize) -> f32 {
        share(self.at(index).linked_words, self.at(index).text.words)
    }

    pub(super) fn unlinked_share(&self, index: usize) -> f32 {
        share(unlinked(self.at(index)), self.page.total.unlinked)
    }

    pub(super) fn blocks(&self, index: usize) -> u32 {
        length(&self.at(index).blocks)
    }

    pub(super) fn words_a_block(&self, index: usize) -> f32 {
        share(self.at(index).text.words, self.blocks(index))
    }

    pub(super) fn a_block(&self, index: usize, count: impl Fn(&Inside) -> u32) -> f32 {
        share(count(self.inside(index)), self.blocks(index))
    }

    pub(super) fn position(&self, index: usize) -> f32 {
        share(self.number.saturating_sub(self.at(index).blocks.start), self.blocks(index))
    }

    pub(super) fn alike(&self) -> u32 {
        self.alike.count
    }

    pub(super) fn alike_words(&self) -> u32 {
        self.alike.words.checked_div(self.alike.count).unwrap_or(0)
    }

    pub(super) fn alike_share(&self) -> f32 {
        share(self.alike.words, self.page.total.words)
    }

    pub(super) fn alike_linked(&self) -> f32 {
        share(self.alike.linked, self.alike.words)
    }

    pub(super) fn alike_before(&self) -> f32 {
        share(self.alike.before, self.alike.count)
    }
}

pub(super) fn length(range: &Range<u32>) -> u32 {
    range.end.saturating_sub(range.start)
}
