//! Features for the kind of a page: the words of its title, headings and text, and the names in its
//! markup. Its address is no feature: the same bytes are of the same kind wherever they stand.

use crate::analysis::Analysis;
use crate::analysis::names::mix;
use crate::evidence::tables::whole;

/// The source of a feature. A feature weighs more if its group has few features on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FeatureGroup {
    /// Words of the title.
    Title,
    /// Words of headings of the first level.
    Headline,
    /// Words of headings of other levels.
    Heading,
    /// Words in `class`, `id`, `role` and `itemprop`, and tags of elements without any of these.
    Names,
    /// Words of [short](LABEL) blocks: buttons, prices, names of posters.
    Label,
    /// The hash of a short block as a whole.
    WholeLabel,
    /// Words of longer blocks.
    Text,
}

impl FeatureGroup {
    /// The number of groups.
    pub(super) const COUNT: usize = FeatureGroup::Text as usize + 1;
}

/// A block of at most this many words is a label. Judgement.
const LABEL: usize = 4;

/// Passes every feature of a page to `say`, some of them more than once. Hashes of different groups
/// differ. Linear in the page.
pub(super) fn each(analysis: &Analysis, mut say: impl FnMut(FeatureGroup, u32)) {
    for &word in &analysis.head().title {
        say(FeatureGroup::Title, salted(FeatureGroup::Title, word));
    }
    for block in analysis.blocks() {
        let words = analysis.words(block);
        let heading = analysis
            .heading_level(block)
            .map(|level| if level == 1 { FeatureGroup::Headline } else { FeatureGroup::Heading });
        let length = if words.len() <= LABEL { FeatureGroup::Label } else { FeatureGroup::Text };
        for group in heading.into_iter().chain([length]) {
            words.iter().for_each(|&word| say(group, salted(group, word)));
        }
        if length == FeatureGroup::Label && !words.is_empty() {
            say(FeatureGroup::WholeLabel, salted(FeatureGroup::WholeLabel, whole(words)));
        }
    }
    for container in analysis.containers() {
        for &name in analysis.names(container) {
            say(FeatureGroup::Names, salted(FeatureGroup::Names, name));
        }
    }
}

fn salted(group: FeatureGroup, hash: u32) -> u32 {
    (mix(mix(7, group as u64), u64::from(hash)) >> 32) as u32
}
