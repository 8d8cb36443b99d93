//! Encodes text blocks for the field (Marek 2007, section 3.4): numbers, mapped to values, looked
//! up at neighbours.
//!
//! Each family of features has its module, which gives a feature's number for every block of a
//! page. [`Encoder`] picks the features that are used. Everything here is linear in the page.

mod characters;
mod container;
mod duplicates;
mod groups;
mod page;
mod patterns;
mod sentences;
mod split;
mod tokens;

use self::patterns::FeaturePatterns;
use super::config::{Error, Features};
use crate::learn::crf::{Chain, FieldShape};
use tsrec_core::block::block_label::BlockLabel;
use tsrec_core::block::text_blocks::TextBlock;
use tsrec_core::html::Document;

/// A page's blocks, with data that several features share.
struct BlockView<'d> {
    document: &'d Document,
    blocks: &'d [TextBlock],
    /// For each block, whether it is in a link.
    linked: Vec<bool>,
    /// For each block, its number of words.
    words: Vec<usize>,
}

impl<'d> BlockView<'d> {
    fn new(document: &'d Document, blocks: &'d [TextBlock]) -> Self {
        let in_link = container::inside(document, |name| name == "a");
        BlockView {
            document,
            blocks,
            linked: blocks.iter().map(|block| in_link[block.parent.index()]).collect(),
            words: blocks.iter().map(|block| tsrec_core::words::count(&block.text)).collect(),
        }
    }

    /// A feature's number for each block, from the block's text alone.
    fn texts(&self, number: impl Fn(&str) -> f64) -> Vec<f64> {
        self.blocks.iter().map(|block| number(&block.text)).collect()
    }

    /// The same number for each block.
    fn same(&self, number: f64) -> Vec<f64> {
        vec![number; self.blocks.len()]
    }
}

/// The numbers of a feature for each block; `None` if there is no such feature.
fn numbers(name: &str, view: &BlockView<'_>, features: &Features, patterns: &FeaturePatterns) -> Option<Vec<f64>> {
    match name.split_once('.') {
        Some(("container", what)) => container::numbers(what, view, features),
        Some(("split", what)) => split::numbers(what, view),
        Some(("char", what)) => characters::numbers(what, view),
        Some(("token", what)) => tokens::numbers(what, view),
        Some(("sentence", what)) => sentences::numbers(what, view),
        Some(("regexp", what)) => patterns.first(what, view),
        Some(("div-group" | "td-group", _)) => groups::numbers(name, view),
        Some(("document", what)) => page::numbers(what, view),
        Some(_) => None,
        None => match name {
            "sentence-begin" => Some(sentences::begins(view)),
            "sentence-end" => Some(sentences::ends(view)),
            "first-duplicate" | "duplicate-count" => duplicates::numbers(name, view),
            "bullet" => Some(patterns.bullets(view)),
            "position" => Some(page::positions(view)),
            _ => None,
        },
    }
}

/// The largest offset at which a block can look up a feature.
const FARTHEST: i32 = 16;
/// The most weights that a list of features may need: 16 MiB of them. This guards against
/// conjunctions that explode.
const MOST_WEIGHTS: usize = 4 << 20;

/// Checked features, ready for use.
#[derive(Clone, Debug)]
pub(super) struct Encoder {
    features: Features,
    patterns: FeaturePatterns,
    /// The used features, with their values.
    columns: Vec<(String, Vec<f64>)>,
    /// Templates for a label.
    states: FeatureTemplates,
    /// Templates for a label together with the one before.
    edges: FeatureTemplates,
}

impl Encoder {
    pub(super) fn new(features: &Features) -> Result<Encoder, Error> {
        let patterns = FeaturePatterns::new(features)?;
        let nothing = tsrec_core::html::parse(b"", None, &Default::default());
        let empty = BlockView::new(&nothing, &[]);
        let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
        let mut states = FeatureTemplates::default();
        let mut edges = FeatureTemplates::default();
        for (name, feature) in features.features.iter().filter(|(name, _)| features.uses(name)) {
            let wrong = |what: &str| Error(format!("{name}: {what}"));
            numbers(name, &empty, features, &patterns).ok_or_else(|| wrong("there is no such feature"))?;
            let values = feature.thresholds();
            if values.is_empty() || (feature.scale > 0 && !feature.values.is_empty()) {
                return Err(wrong("it needs either values or a scale"));
            }
            if !values.windows(2).all(|pair| pair[0] < pair[1]) || values.len() > 64 {
                return Err(wrong("its values must ascend, and be at most 64"));
            }
            if name == "bullet" && values != patterns.bullet_values() {
                let most = patterns.bullet_values().len() - 1;
                return Err(wrong(&format!("each combination of its patterns needs a value: all from 0 to {most}")));
            }
            if feature.at.iter().any(|at| !(-FARTHEST..=FARTHEST).contains(at)) {
                return Err(wrong("a block sees 16 blocks to either side at most"));
            }
            for &at in &feature.at {
                states.push(vec![Lookup { column: columns.len(), at, values: values.len() }]);
            }
            columns.push((name.clone(), values));
        }
        let lookup = |place: &String| {
            let wrong = || Error(format!("{place:?} should be a feature's name and an offset, such as \"split.p@-1\""));
            let (name, at) = place.split_once('@').ok_or_else(wrong)?;
            let at: i32 = at.parse().ok().filter(|at| (-FARTHEST..=FARTHEST).contains(at)).ok_or_else(wrong)?;
            if !features.uses(name) {
                return Ok(None);
            }
            let column = columns.iter().position(|column| column.0 == *name).ok_or_else(wrong)?;
            Ok(Some(Lookup { column, at, values: columns[column].1.len() }))
        };
        // A conjunction with a feature that is left out is left out too.
        for conjunction in &features.conjunctions {
            let lookups: Option<Vec<Lookup>> = conjunction.iter().map(lookup).collect::<Result<_, Error>>()?;
            lookups.into_iter().for_each(|lookups| states.push(lookups));
        }
        for step in &features.steps {
            lookup(step)?.into_iter().for_each(|lookup| edges.push(vec![lookup]));
        }
        let encoder = Encoder { features: features.clone(), patterns, columns, states, edges };
        let pairs = BlockLabel::ALL.len() * BlockLabel::ALL.len();
        let weights = encoder.states.size.saturating_add(encoder.edges.size).saturating_mul(pairs);
        match weights > MOST_WEIGHTS {
            true => Err(Error("they ask for too many weights: fewer conjunctions, or fewer values".to_owned())),
            false => Ok(encoder),
        }
    }

    /// The shape of fields that read this encoder's output.
    pub(super) fn shape(&self) -> FieldShape {
        FieldShape { labels: BlockLabel::ALL.len(), states: self.states.size, edges: self.edges.size }
    }

    /// The page's blocks as a chain.
    pub(super) fn chain(&self, document: &Document, blocks: &[TextBlock]) -> Chain {
        let view = BlockView::new(document, blocks);
        let values: Vec<Vec<usize>> = self
            .columns
            .iter()
            .map(|(name, values)| {
                let numbers = numbers(name, &view, &self.features, &self.patterns);
                numbers
                    .expect("names are checked")
                    .into_iter()
                    .map(|number| largest_not_above(values, number))
                    .collect()
            })
            .collect();
        let mut chain = Chain::default();
        let (mut states, mut edges) = (Vec::new(), Vec::new());
        for at in 0..blocks.len() {
            self.states.attributes(&values, at, blocks.len(), &mut states);
            self.edges.attributes(&values, at, blocks.len(), &mut edges);
            chain.push(&states, &edges);
        }
        chain
    }
}

/// The index of the largest value that is less than or equal to the number, else 0 (section 3.4).
fn largest_not_above(values: &[f64], number: f64) -> usize {
    values.partition_point(|&value| value <= number).saturating_sub(1)
}

/// Lookups of values that make attributes: each row of lookups makes one attribute per block.
#[derive(Clone, Debug, Default)]
struct FeatureTemplates {
    rows: Vec<(usize, Vec<Lookup>)>,
    /// The total number of attributes.
    size: usize,
}

#[derive(Clone, Copy, Debug)]
struct Lookup {
    column: usize,
    at: i32,
    /// The number of values of the column. One more value stands for blocks outside the page.
    values: usize,
}

impl FeatureTemplates {
    fn push(&mut self, row: Vec<Lookup>) {
        let size = row.iter().fold(1usize, |size, lookup| size.saturating_mul(lookup.values + 1));
        self.rows.push((self.size, row));
        self.size = self.size.saturating_add(size);
    }

    /// The numbers of the attributes that hold at a block.
    fn attributes(&self, values: &[Vec<usize>], at: usize, length: usize, out: &mut Vec<u32>) {
        out.clear();
        out.extend(self.rows.iter().map(|(base, row)| {
            let number = row.iter().fold(0, |number, lookup| {
                let place = at.checked_add_signed(lookup.at as isize).filter(|&place| place < length);
                let value = place.map_or(lookup.values, |place| values[lookup.column][place]);
                number * (lookup.values + 1) + value
            });
            (base + number) as u32
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsrec_core::block::text_blocks::text_blocks;
    use tsrec_core::html::parse;

    fn check(body: &str, name: &str, expect: &[f64]) {
        let document = parse(format!("<body>{body}").as_bytes(), None, &Default::default());
        let blocks = text_blocks(&document);
        let features = Features::default();
        let patterns = FeaturePatterns::new(&features).unwrap();
        let found = numbers(name, &BlockView::new(&document, &blocks), &features, &patterns).unwrap();
        let near = found.len() == expect.len() && found.iter().zip(expect).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(near, "{name} of {body}: {found:?}");
    }

    #[test]
    fn markup() {
        check("<p>a <a>b</a></p>c", "container.p", &[1.0, 1.0, 0.0]);
        check("<p>a <a>b</a></p>c", "container.a", &[0.0, 1.0, 0.0]);
        check("a<img alt=b>", "container.img", &[0.0, 1.0]);
        check("<h2>a <i>b</i></h2>c", "container.class-header", &[1.0, 1.0, 0.0]);
        check("<strong>a</strong><b>b</b><i>c</i>", "container.class-bold", &[1.0, 1.0, 0.0]);
        check("<ul><li>a</ul><dl><dd>b</dl>c", "container.class-list", &[1.0, 1.0, 0.0]);
        check("<form>a</form>b", "container.class-form", &[1.0, 0.0]);
        check("a<br>b<br><br>c", "split.br", &[0.0, 1.0, 2.0]);
        check("<p>a<p>b", "split.p", &[1.0, 2.0]);
        check("a<hr>b", "split.hr", &[0.0, 1.0]);
        check("a<b><i>b</i></b>c<p>d", "split.class-inline", &[0.0, 2.0, 2.0, 0.0]);
        check("a<div><p>b", "split.class-block", &[2.0, 2.0]); // html and body first
    }

    #[test]
    fn characters_and_tokens() {
        check("ab 1, €", "char.alpha-rel", &[2.0 / 7.0]);
        check("ab 1, €", "char.num-rel", &[1.0 / 7.0]);
        check("ab 1, €", "char.punct-rel", &[1.0 / 7.0]);
        check("ab 1, €", "char.white-rel", &[2.0 / 7.0]);
        check("ab 1, €", "char.other-abs", &[1.0]);
        check("It was 3.5 km in MP3 — 1,000.", "token.alpha-abs", &[4.0]);
        check("It was 3.5 km in MP3 — 1,000.", "token.num-abs", &[2.0]);
        check("It was 3.5 km in MP3 — 1,000.", "token.mix-rel", &[1.0 / 8.0]);
        check("It was 3.5 km in MP3 — 1,000.", "token.other-rel", &[1.0 / 8.0]);
    }

    #[test]
    fn sentences() {
        check("One two. Three 3.5! Four?<p>no", "sentence.count", &[3.0, 0.0]);
        check("One two. Three four five six.<p>a b c", "sentence.avg-length", &[3.0, 3.0]);
        check("“One<p>two<p>3", "sentence-begin", &[1.0, 0.0, 0.0]);
        check("One.”<p>two<p>(Three!)<p>a:", "sentence-end", &[1.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn repetition() {
        check("Read more…<p>x<p>read  more<p>readmore 2", "duplicate-count", &[3.0, 1.0, 3.0, 3.0]);
        check("Read more…<p>x<p>read  more<p>readmore 2", "first-duplicate", &[1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn patterns() {
        check("http://a.example/<p>see http://a.example/<p>a", "regexp.url", &[1.0, 2.0, 0.0]);
        check("3 May 2007<p>Tuesday, May 3, 2007<p>on 3.5.2007<p>May I", "regexp.date", &[1.0, 2.0, 3.0, 0.0]);
        check("at 10:30 pm<p>10:30<p>10 a.m.<p>10", "regexp.time", &[1.0, 2.0, 3.0, 0.0]);
        check("- a b c d<p>plain text", "bullet", &[4.0, 0.0]);
        check("1) first item", "bullet", &[11.0]);
        // A dash before a number is not the same as a dash, nor as a number.
        check("- 1 a b<p>- a b c<p>1 a b", "bullet", &[4.0, 4.0, 2.0]);
    }

    #[test]
    fn groups() {
        // The paper's example, one word per block except the link: (a, d, g), (b, c), (e, f).
        let example = "<div>a <div>b <a>c</a></div> d <div>e <i>f</i></div> g</div>";
        check(
            example,
            "div-group.word-ratio",
            &[3.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0, 3.0 / 6.0, 2.0 / 6.0, 2.0 / 6.0, 3.0 / 6.0],
        );
        check(example, "document.max-div-group", &[0.5; 7]);
        check("<table><tr><td>a b<td>c</table>d", "td-group.word-ratio", &[0.5, 0.25, 0.25]);
    }

    #[test]
    fn documents() {
        check("a<p>b<p>c<p>d", "position", &[0.0, 0.25, 0.5, 0.75]);
        check("a b.<p>C!", "document.word-count", &[3.0, 3.0]);
        check("a b.<p>C!", "document.sentence-count", &[2.0, 2.0]);
        check("a b.<p>C!", "document.block-count", &[2.0, 2.0]);
    }

    #[test]
    fn numbers_are_mapped_to_the_largest_value_not_above() {
        for (number, expect) in [(-1.0, 0), (0.0, 0), (0.9, 0), (1.0, 1), (4.0, 1), (5.0, 2), (1e9, 2)] {
            assert_eq!(largest_not_above(&[0.0, 1.0, 5.0], number), expect, "{number}");
        }
    }

    #[test]
    fn each_combination_of_bullets_has_its_own_value() {
        let values = Features::default().features["bullet"].thresholds();
        let found: std::collections::BTreeSet<usize> =
            (0..32).map(|combination| largest_not_above(&values, f64::from(combination))).collect();
        assert_eq!(found.len(), 32);
    }

    #[test]
    fn every_attribute_is_below_the_shape() {
        let encoder = Encoder::new(&Features::default()).unwrap();
        let field = crate::learn::crf::Field::new(encoder.shape(), vec![0.0; encoder.shape().weights()]).unwrap();
        for body in ["", "a", "<p>one<p>two <a>three</a><br>4"] {
            let document = parse(body.as_bytes(), None, &Default::default());
            let blocks = text_blocks(&document);
            assert_eq!(field.decode(&encoder.chain(&document, &blocks)).len(), blocks.len());
        }
    }

    #[test]
    fn wrong_lists_are_refused_by_name() {
        let text = include_str!("features.toml");
        for (from, to, message) in [
            (
                "\"container.p\" = { values = [0, 1]",
                "\"container.p\" = { values = [1, 0]",
                "container.p: its values must ascend",
            ),
            ("\"container.p\" = { values = [0, 1]", "\"container.p\" = { values = []", "container.p: it needs either"),
            ("\"container.u\"", "\"char.heavy\"", "char.heavy: there is no such feature"),
            ("at = [0, 1] }", "at = [-17] }", "16 blocks"),
            ("\"split.br@0\"", "\"split.br\"", "split.br"),
            ("url = ['", "url = ['(', '", "regexp.url"),
            (" 9, 10, ", " 10, ", "bullet: each combination of its patterns needs a value: all from 0 to 31"),
            ("patterns = ['", "patterns = ['a', 'b', '", "bullet: 7 patterns, at most 6"),
        ] {
            assert!(text.contains(from), "{from}");
            let features = Features::parse(&text.replacen(from, to, 1)).unwrap();
            let error = Encoder::new(&features).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
