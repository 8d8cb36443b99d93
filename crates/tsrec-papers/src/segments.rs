//! Maximum subsequence over text segments, by their look: "Web Article Extraction for Web Printing:
//! a DOM+Visual based Approach" (Luo, Fan, Liu, Lin, Xiong, Liu 2009).
//!
//! The method cuts the page into [text segments](crate::block::segments) (section 3). It judges
//! each segment by the share of its text in the page's commonest font size, in its commonest
//! colour, and in links. A segment's weight is the length of its text. The run of segments with the
//! greatest sum bounds the article's body (section 4.1). Inside it, segments out of line with the
//! body, such as captions and boxes of links, are dropped (section 4.2). That step needs a rendered
//! page. Each segment that is left is a paragraph of the output (section 1).
//!
//! # Deviations
//!
//! - Section 4.2 needs boxes. Without them the step is skipped, and [`Extraction::notes`] says so.
//! - The paper reads styles from a browser. Without a browser they come from
//!   [`crate::style::compute`], which ignores style sheets in separate files.
//! - The paper does not say how far apart edges in line may be: see `TOLERANCE`.
//! - Title and images are not searched for. The paper finds them by other means.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::block::segments::{Segment, segments};
use crate::style;
use crate::style::{Color, Styles, compute};
use tsrec_core::extract::starts;
use tsrec_core::extract::{Extraction, Extractor, Method, NoSibling, PageContext};
use tsrec_core::html::elements::{DefaultDisplay, default_display};
use tsrec_core::html::{Document, NodeId, strip_and_collapse};
use tsrec_core::learn::subsequence;
use tsrec_core::page::{Content, Piece, Start};

/// c1: the least share of a segment's text in the page's commonest font size (section 4.1).
const LEAST_SIZE: f64 = 0.7;
/// c2: the least share in its commonest colour.
const LEAST_COLOR: f64 = 0.2;
/// c3: the greatest share in links.
const MOST_LINKED: f64 = 0.5;

/// How far the edge of a segment may be from the body's, as a share of the body's width. Judgement:
/// an article's lists and quotations are indented by 40 CSS pixels (HTML standard, section 15.3), a
/// tenth of a narrow column. Captions and boxes cover half of it or less.
const TOLERANCE: f32 = 0.1;

/// The note for pages without boxes.
const NO_BOXES: &str = "segments: the page was not rendered, so segments out of line with the body were not looked for";

/// Text segments. Linear in the page, apart from its styles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Segments<'s> {
    /// The styles of the extracted document. `None`: as its own CSS says, see [`compute`].
    pub styles: Option<&'s Styles>,
    /// Which text counts in the search for the page's commonest font size and colour.
    pub common: CommonText,
}

/// The text that counts in the search for the commonest font size and colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CommonText {
    /// All text, as in the paper.
    #[default]
    All,
    /// The text outside links, if there is any; our addition. On a page with more text in links
    /// than outside, the commonest colour is that of links, above all if its style sheets are in
    /// other files. Then no paragraph has that colour.
    Unlinked,
}

impl Extractor for Segments<'_> {
    /// Confidence is the greatest sum's share of the page's text. It is near 1 if nearly all text
    /// is of one kind and in one place, and near 0 if it is scattered among other text.
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        let page = context.page();
        let computed;
        let styles = match self.styles {
            Some(styles) => styles,
            None => {
                computed = compute(page.document());
                &computed
            }
        };
        let segments = segments(page.document(), styles);
        let looks: Vec<Look> = segments.iter().map(|segment| Look::new(page.document(), styles, segment)).collect();
        let common = Common::new(&looks, self.common);
        let total: usize = looks.iter().map(Look::length).sum();
        let best = subsequence::maximum(looks.iter().map(|look| common.classify(look) * look.length() as f64));
        let (body, value) = best.unwrap_or((0..0, 0.0));
        let kept = in_line(styles, &segments, &looks, body);
        let kept: Vec<&Segment> = kept.into_iter().map(|index| &segments[index]).collect();
        let pieces = kept.iter().flat_map(|segment| &segment.texts).map(|&text| Piece::whole(page.document(), text));
        let content = Content::new(pieces).parted_at(paragraphs(page.document(), &kept));
        let starts = Some(starts(page.document(), &kept));
        let confidence = if total == 0 { 0.0 } else { value / total as f64 };
        let notes = if styles.has_boxes() { Vec::new() } else { vec![NO_BOXES.to_owned()] };
        Ok(Extraction { notes, starts, ..Extraction::of_page(Method::Segments, content, confidence) })
    }
}

/// The segments that begin a paragraph although the tags do not say so, by their first text: those
/// in the same block element as the segment before, as behind a `br`. Where a list item, a table
/// cell or another block begins, the tags say how the text is parted. Linear.
fn paragraphs(document: &Document, kept: &[&Segment]) -> Vec<NodeId> {
    let is_block =
        |node: &NodeId| document.local_name(*node).is_some_and(|name| default_display(name) == DefaultDisplay::Block);
    let block = |segment: &Segment| document.ancestors(segment.texts[0]).find(is_block);
    let pairs = kept.windows(2).filter(|pair| block(pair[0]) == block(pair[1]));
    pairs.map(|pair| pair[1].texts[0]).collect()
}

/// The beginning of each segment. Linear in the page.
fn starts(document: &Document, kept: &[&Segment]) -> Vec<Start> {
    let types = starts::types(document);
    kept.iter()
        .map(|segment| {
            let node = segment.texts[0];
            Start { node, at: 0, kind: types[node.index()] }
        })
        .collect()
}

/// The source of a page's look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Looks {
    /// The page's own `<style>` elements and `style` attributes, on top of HTML's defaults.
    #[default]
    Css,
    /// HTML alone: elements and attributes such as `<font size>`.
    Html,
}

impl Looks {
    /// The styles of a page. Linear in the page times the number of its rules.
    pub fn styles(self, document: &Document) -> Styles {
        match self {
            Looks::Css => style::compute(document),
            Looks::Html => style::defaults(document),
        }
    }
}

/// `segments` for pages that were not rendered, with the chosen source of their look.
#[derive(Clone, Copy, Debug)]
pub(super) struct StyledSegments {
    pub(super) looks: Looks,
    pub(super) common: CommonText,
}

impl Extractor for StyledSegments {
    fn extract(&self, context: &PageContext<'_, '_>) -> Result<Extraction, NoSibling> {
        let styles = self.looks.styles(context.page().document());
        Segments { styles: Some(&styles), common: self.common }.extract(context)
    }
}

/// A comparable font size: hundredths of a CSS pixel.
type Size = u32;

/// The look of a segment's text.
struct Look {
    texts: Vec<TextLook>,
}

/// The look of a text node.
struct TextLook {
    /// Number of characters. A run of white space counts as one.
    length: usize,
    size: Size,
    color: Color,
    is_linked: bool,
}

impl Look {
    fn new(document: &Document, styles: &Styles, segment: &Segment) -> Self {
        let look = |&node: &NodeId| {
            let style = styles.style(node);
            TextLook {
                length: strip_and_collapse(document.text(node).unwrap_or_default()).chars().count(),
                size: (style.font_size * 100.0).round() as Size,
                color: style.color,
                is_linked: is_linked(document, node),
            }
        };
        Look { texts: segment.texts.iter().map(look).collect() }
    }

    fn length(&self) -> usize {
        self.texts.iter().map(|text| text.length).sum()
    }

    /// The share of the text for which `holds` is true.
    fn share(&self, holds: impl Fn(&TextLook) -> bool) -> f64 {
        let part: usize = self.texts.iter().filter(|text| holds(text)).map(|text| text.length).sum();
        part as f64 / self.length().max(1) as f64
    }
}

fn is_linked(document: &Document, node: NodeId) -> bool {
    document.ancestors(node).any(|above| document.is_element(above, "a") && document.attribute(above, "href").is_some())
}

/// The look of most of the page's text.
struct Common {
    size: Option<Size>,
    color: Option<Color>,
}

impl Common {
    fn new(looks: &[Look], among: CommonText) -> Self {
        let all = || looks.iter().flat_map(|look| &look.texts);
        let only_unlinked = among == CommonText::Unlinked && all().any(|text| !text.is_linked);
        let texts = || all().filter(|text| !(only_unlinked && text.is_linked));
        Common {
            size: commonest(texts().map(|text| (text.size, text.length))),
            color: commonest(texts().map(|text| (text.color, text.length))),
        }
    }

    /// F of equation 3: 1 for text as it stands in an article's body, −1 for other text.
    fn classify(&self, look: &Look) -> f64 {
        let in_size = look.share(|text| Some(text.size) == self.size);
        let in_color = look.share(|text| Some(text.color) == self.color);
        let linked = look.share(|text| text.is_linked);
        if in_size >= LEAST_SIZE && in_color >= LEAST_COLOR && linked <= MOST_LINKED { 1.0 } else { -1.0 }
    }
}

/// The key with the greatest sum of lengths; if several are equal, the greatest key.
fn commonest<K: Ord + Copy>(items: impl Iterator<Item = (K, usize)>) -> Option<K> {
    let mut lengths: BTreeMap<K, usize> = BTreeMap::new();
    for (key, length) in items {
        *lengths.entry(key).or_insert(0) += length;
    }
    lengths.into_iter().max_by_key(|&(_, length)| length).map(|(key, _)| key)
}

/// The segments of the body in line with most of its text: their left and right edges are nearly
/// the body's. All segments if no edges are known.
fn in_line(styles: &Styles, segments: &[Segment], looks: &[Look], body: Range<usize>) -> Vec<usize> {
    let edges = |index: usize| {
        let rect = styles.rect(segments[index].line_break)?;
        Some((rect.left.round() as i64, rect.right().round() as i64))
    };
    let of_body = commonest(body.clone().filter_map(|index| Some((edges(index)?, looks[index].length()))));
    let Some((left, right)) = of_body else { return body.collect() };
    let tolerance = ((right - left) as f32 * TOLERANCE).ceil() as i64;
    let is_near = |own: i64, other: i64| (own - other).abs() <= tolerance;
    body.filter(|&index| edges(index).is_none_or(|own| is_near(own.0, left) && is_near(own.1, right))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::{Rect, defaults};
    use tsrec_core::extract::Extract;
    use tsrec_core::html::parse;
    use tsrec_core::render::Along;
    use tsrec_core::render::text::text;

    fn check(page: &str, styles: impl Fn(&Document) -> Option<Styles>, expect: &str) -> Extraction {
        let document = parse(page.as_bytes(), None, &Default::default());
        let styles = styles(&document);
        let extraction = Segments { styles: styles.as_ref(), ..Segments::default() }
            .extract(&PageContext::alone(&document))
            .unwrap();
        assert_eq!(text(&document, &extraction.content), expect, "{page}");
        assert!((0.0..=1.0).contains(&extraction.confidence));
        extraction
    }

    const LONG: &str = "The ferry sails again. It was late by a year, and nobody on the quay minded.";

    #[test]
    fn a_page_without_text_has_no_content() {
        for page in ["", "<p>", "<script>x</script><p> </p>", "<img><br>"] {
            assert_eq!(check(page, |_| None, "").confidence, 0.0);
        }
    }

    #[test]
    fn each_segment_is_a_paragraph_in_every_format() {
        let page = format!(
            "<div>{LONG}<br>\n<b>{LONG}</b> too <span style='display: block'>{LONG}</span></div><ul><li>{LONG}<li>{LONG}</ul>"
        );
        let document = parse(page.as_bytes(), None, &Default::default());
        let found = Extract::new(&document).method(Segments::default()).run().unwrap();
        assert_eq!(found.text(), format!("{LONG}\n\n{LONG} too\n\n{LONG}\n\n{LONG}\n{LONG}"));
        let markdown = format!("{LONG}\n\n**{LONG}** too\n\n{LONG}\n\n- {LONG}\n- {LONG}");
        assert_eq!(found.markdown(Along::default()), markdown);
        let html = format!("{LONG}<br> <b><br>{LONG}</b> too <div>{LONG}</div>");
        assert!(found.html(Along::default()).contains(&html), "{}", found.html(Along::default()));
        assert_eq!(found.tei(Along::default()).matches("<p>").count(), 5);
        let marked = format!("<p>{LONG}\n\n<p>{LONG} too\n\n<p>{LONG}\n\n<l>{LONG}\n\n<l>{LONG}");
        assert_eq!(found.cleaneval(), marked);
    }

    #[test]
    fn the_body_is_told_by_its_looks() {
        let body = format!("{LONG}\n\n{LONG} more.");
        for (head, expect) in [
            // Links and other font sizes on either side end the body.
            (
                format!("<p><a href=/>{LONG}</a></p><p>{LONG}</p><p>{LONG} <a href=/>more</a>.</p><h2>{LONG}</h2>"),
                &body,
            ),
            // Sizes and colours from the style sheet end it too.
            (
                format!(
                    "<style>.n {{ font-size: 11px }} .m {{ color: gray }}</style>\
                     <div class=n>{LONG}</div><p>{LONG}</p><p>{LONG} more.</p><div class=m>{LONG}</div>"
                ),
                &body,
            ),
            // Short text with another look stays inside.
            (
                format!(
                    "<p>{LONG}</p><h2>Headline</h2><p>{LONG}</p><h1>Too long for the little that follows</h1><p>end</p>"
                ),
                &format!("{LONG}\n\nHeadline\n\n{LONG}"),
            ),
        ] {
            check(&head, |_| None, expect);
        }
    }

    #[test]
    fn links_may_be_left_out_of_what_is_common() {
        let page = format!("<ul><li><a href=/>{LONG}</a><li><a href=/>{LONG}</a></ul><p>{LONG}</p>");
        let document = parse(page.as_bytes(), None, &Default::default());
        for (common, expect) in [(CommonText::All, ""), (CommonText::Unlinked, LONG)] {
            let segments = Segments { common, ..Segments::default() };
            let extraction = segments.extract(&PageContext::alone(&document)).unwrap();
            assert_eq!(text(&document, &extraction.content), expect, "{common:?}");
        }
    }

    #[test]
    fn without_its_css_a_page_is_of_one_kind() {
        let page = format!("<style>.n {{ font-size: 11px }}</style><div class=n>Home</div><p>{LONG}</p>");
        check(&page, |_| None, LONG);
        check(&page, |document| Some(defaults(document)), &format!("Home\n\n{LONG}"));
    }

    #[test]
    fn segments_out_of_line_go_where_there_are_boxes() {
        let page = format!("<p>{LONG}</p><div>A caption</div><blockquote>{LONG} said he.</blockquote><p>{LONG}</p>");
        let boxed = |document: &Document| {
            let (mut styles, mut boxes) = (Vec::new(), vec![None; document.len()]);
            let own = compute(document);
            styles.resize(document.len(), *own.style(document.root()));
            for id in document.descendants(document.root()) {
                styles[id.index()] = *own.style(id);
                let (left, width) = match document.local_name(id).map(|name| &**name) {
                    Some("p") => (100.0, 500.0),
                    Some("blockquote") => (140.0, 420.0),
                    Some("div") => (100.0, 200.0),
                    _ => continue,
                };
                boxes[id.index()] = Some(Rect { left, top: 0.0, width, height: 20.0 });
            }
            Some(Styles::new(styles, Some(boxes)))
        };
        let kept = check(&page, boxed, &format!("{LONG}\n\n{LONG} said he.\n\n{LONG}"));
        assert!(kept.notes.is_empty());
        let all = check(&page, |_| None, &format!("{LONG}\n\nA caption\n\n{LONG} said he.\n\n{LONG}"));
        assert_eq!(all.notes, [NO_BOXES]);
    }
}
