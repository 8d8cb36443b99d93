//! Features for the kind of a page: the words of its address, title, headings and text, and the
//! names in its markup.

use url::Url;

use crate::analysis::Analysis;
use crate::analysis::names::mix;
use crate::analysis::text::WordHash;
use crate::evidence::tables::whole;

/// The source of a feature. A feature weighs more if its group has few features on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FeatureGroup {
    /// The labels of the host name.
    Host,
    /// The path and the query's keys.
    Path,
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

/// Path segments of at most this many words are read word by word. Judgement: longer ones are
/// titles.
const SHORT_SEGMENT: usize = 3;
/// A block of at most this many words is a label. Judgement.
const LABEL: usize = 4;
/// A number of this many digits is an identifier or a year.
const LONG_NUMBER: usize = 4;

/// Passes every feature of a page to `say`, some of them more than once. Hashes of different groups
/// differ. Linear in the page.
pub(super) fn each(analysis: &Analysis, url: Option<&Url>, mut say: impl FnMut(FeatureGroup, u32)) {
    if let Some(url) = url {
        host(url, |hash| say(FeatureGroup::Host, salted(FeatureGroup::Host, hash)));
        path(url, |hash| say(FeatureGroup::Path, salted(FeatureGroup::Path, hash)));
    }
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

fn host(url: &Url, mut say: impl FnMut(u32)) {
    let labels =
        url.host_str().unwrap_or_default().split(['.', '-']).filter(|label| !label.is_empty() && *label != "www");
    labels.for_each(|label| say(folded(label)));
}

fn path(url: &Url, mut say: impl FnMut(u32)) {
    let segments: Vec<&str> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
    let mut say_about = |what: &str, hash: u32| say((mix(u64::from(folded(what)), u64::from(hash)) >> 32) as u32);
    say_about("segments", segments.len().min(6) as u32);
    for segment in &segments {
        let words = segment.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        match words.clone().count() {
            ..=SHORT_SEGMENT => words.for_each(|word| say_about("word", folded(word))),
            _ => say_about("word", 0),
        }
    }
    if let [first, ..] = segments[..] {
        say_about("first", folded(first));
    }
    if let [.., last] = segments[..] {
        let words = last.split(['-', '_']).filter(|word| !word.is_empty()).count();
        say_about("words of the last", words.min(8) as u32);
        say_about("extension", last.rsplit_once('.').map_or(0, |(_, extension)| folded(extension)));
        let longest = last.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
        say_about("number in the last", u32::from(longest >= LONG_NUMBER));
    }
    for (key, _) in url.query_pairs() {
        say_about("key", folded(&key));
    }
}

/// The hash of a word in any case, with each run of digits as one.
fn folded(word: &str) -> u32 {
    let mut previous = ' ';
    let fold = |hash: WordHash, c: char| {
        let c = if c.is_ascii_digit() { '0' } else { c };
        let again = c == '0' && std::mem::replace(&mut previous, c) == '0';
        previous = c;
        if again { hash } else { hash.with(c) }
    };
    word.chars().fold(WordHash::EMPTY, fold).finish()
}
