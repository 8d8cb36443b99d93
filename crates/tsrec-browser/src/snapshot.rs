//! Turns the browser's description of a page (`DOMSnapshot.captureSnapshot`) into a document and
//! its styles.
//!
//! The description is flat: lists with one entry for each node, a node after its parent, texts as
//! indices into a list of strings. It follows the flat tree, so contents of shadow trees stand
//! where they are seen. Nodes with layout have a second entry with their computed style and box.

use std::borrow::Cow;

use serde::Deserialize;

use super::Rendered;
use super::columns::{Columns, DeclaredColumns};
use super::connection::BrowserFault;
use tsrec_core::html::builder::DocumentBuilder;
use tsrec_core::html::{Limits, NodeId, SourceText};
use tsrec_papers::style::{Color, Display, Rect, Style, Styles};

/// The requested computed properties. [`ComputedValues`] reads them in this order.
pub(super) const PROPERTIES: [&str; 12] = [
    "display",
    "visibility",
    "font-size",
    "color",
    "column-count",
    "column-width",
    "column-gap",
    "column-span",
    "padding-left",
    "padding-right",
    "border-left-width",
    "border-right-width",
];

/// The description of a page.
#[derive(Debug, Deserialize)]
pub(super) struct Snapshot {
    /// The page, then the documents of its frames.
    documents: Vec<SnapshotTree>,
    strings: Vec<String>,
    /// Not in the description: whether the page has quirks mode layout.
    #[serde(skip)]
    pub(super) has_quirks: bool,
}

#[derive(Debug, Deserialize)]
struct SnapshotTree {
    nodes: SnapshotNodes,
    layout: BoxLayout,
}

/// Index into [`Snapshot::strings`], or -1.
type StringIndex = i64;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SnapshotNodes {
    /// -1 for the document node.
    parent_index: Vec<i64>,
    node_type: Vec<u32>,
    node_name: Vec<StringIndex>,
    node_value: Vec<StringIndex>,
    attributes: Vec<Vec<StringIndex>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct BoxLayout {
    node_index: Vec<usize>,
    styles: Vec<Vec<StringIndex>>,
    /// Left, top, width, height.
    bounds: Vec<[f32; 4]>,
}

/// `Node.nodeType`, as the DOM standard numbers them (section 4.4).
mod node_type {
    pub(super) const ELEMENT: u32 = 1;
    pub(super) const TEXT: u32 = 3;
    pub(super) const DOCUMENT: u32 = 9;
}

/// Where a node of the description went.
#[derive(Clone, Copy)]
struct Placed {
    /// The node. If it is too deep, its nearest ancestor that is not.
    node: NodeId,
    style: Style,
    /// False inside `noscript`.
    may_be_seen: bool,
    /// The columns around it: an index into [`Building::columns`].
    columns: Option<usize>,
}

/// The columns of an element, and the columns around the element itself.
struct Nested {
    columns: Columns,
    outer: Option<usize>,
}

struct Building {
    document: DocumentBuilder,
    styles: Vec<Style>,
    boxes: Vec<Option<Rect>>,
    columns: Vec<Nested>,
}

/// The initial values of CSS, for nodes without a style.
const INITIAL: Style = Style { display: Display::Block, visible: true, font_size: 16.0, color: Color::BLACK };

impl Snapshot {
    /// Linear in the description, under fixed limits.
    pub(super) fn into_rendered(self, source: SourceText<'_>, limits: &Limits) -> Result<Rendered, BrowserFault> {
        let (encoding, cuts) = (source.encoding, source.cuts);
        let tree = self.documents.first().ok_or_else(|| nonsense("no document"))?;
        let laid_out = LaidOut::new(tree)?;
        let document = DocumentBuilder::new(limits, cuts);
        let unseen = Style { display: Display::None, visible: false, ..INITIAL };
        // The document node, and the place that parsed documents reserve for templates.
        let mut building =
            Building { document, styles: vec![INITIAL, unseen], boxes: vec![None; 2], columns: Vec::new() };
        // `None`: omitted, with everything below it.
        let mut placed: Vec<Option<Placed>> = Vec::with_capacity(tree.nodes.parent_index.len());
        for (index, &parent) in tree.nodes.parent_index.iter().enumerate() {
            let place = match usize::try_from(parent) {
                Err(_) => (index == 0).then(|| Placed {
                    node: building.document.root(),
                    style: INITIAL,
                    may_be_seen: true,
                    columns: None,
                }),
                Ok(parent) => match placed.get(parent).ok_or_else(|| nonsense("a node before its parent"))? {
                    Some(parent) => self.place(&mut building, tree, index, &laid_out, *parent)?,
                    None => None,
                },
            };
            placed.push(place);
        }
        let Building { document, styles, boxes, .. } = building;
        Ok(Rendered { document: document.finish(encoding, self.has_quirks), styles: Styles::new(styles, Some(boxes)) })
    }

    /// Appends a node and its data.
    fn place(
        &self,
        building: &mut Building,
        tree: &SnapshotTree,
        index: usize,
        laid_out: &LaidOut,
        parent: Placed,
    ) -> Result<Option<Placed>, BrowserFault> {
        let at = |list: &[StringIndex]| list.get(index).copied().ok_or_else(|| nonsense("lists of unlike length"));
        let name = self.string(at(&tree.nodes.node_name)?)?;
        let computed = laid_out.entry[index].map(|entry| self.computed(tree, entry)).transpose()?;
        match tree.nodes.node_type.get(index) {
            Some(&node_type::TEXT) => {
                let Some(node) = building.document.text(parent.node, self.string(at(&tree.nodes.node_value)?)?) else {
                    return Ok(None);
                };
                let visible = computed.is_some() && parent.style.visible;
                let style = Style { display: Display::Inline, visible, ..parent.style };
                let place = Placed { node, style, ..parent };
                building.record(place, laid_out.bounds[index]);
                Ok(Some(place))
            }
            // In names from the parser, only pseudo elements begin with a colon.
            Some(&node_type::ELEMENT) if !name.starts_with(':') => {
                let name = element_name(name);
                let may_be_seen = parent.may_be_seen && name != "noscript";
                let style = match &computed {
                    Some(computed) => computed.style(parent.style, may_be_seen),
                    None if laid_out.holds[index] => Style { display: Display::Contents, ..parent.style },
                    None => Style { display: Display::None, visible: false, ..parent.style },
                };
                let attributes = tree.nodes.attributes.get(index).map_or(&[][..], Vec::as_slice);
                let attributes = self.attributes(attributes)?;
                let columns = match &computed {
                    Some(computed) if computed.spans_columns() => {
                        parent.columns.and_then(|inner| building.columns[inner].outer)
                    }
                    _ => parent.columns,
                };
                let mut place = Placed { node: parent.node, style, may_be_seen, columns };
                if let Some(node) = building.document.element(parent.node, &name, attributes) {
                    place.node = node;
                    building.record(place, laid_out.bounds[index]);
                } else if building.document.is_full() {
                    return Ok(None);
                }
                if let Some(columns) = computed.and_then(|computed| computed.columns(laid_out.bounds[index]?)) {
                    building.columns.push(Nested { columns, outer: place.columns });
                    place.columns = Some(building.columns.len() - 1);
                }
                Ok(Some(place))
            }
            Some(&node_type::DOCUMENT) => Err(nonsense("a document inside a document")),
            _ => Ok(None),
        }
    }

    fn string(&self, index: StringIndex) -> Result<&str, BrowserFault> {
        match usize::try_from(index) {
            Err(_) => Ok(""),
            Ok(index) => self.strings.get(index).map(String::as_str).ok_or_else(|| nonsense("no such string")),
        }
    }

    fn attributes(&self, list: &[StringIndex]) -> Result<Vec<(&str, &str)>, BrowserFault> {
        list.chunks_exact(2).map(|pair| Ok((self.string(pair[0])?, self.string(pair[1])?))).collect()
    }

    fn computed(&self, tree: &SnapshotTree, entry: usize) -> Result<ComputedValues<'_>, BrowserFault> {
        let list = tree.layout.styles.get(entry).ok_or_else(|| nonsense("lists of unlike length"))?;
        let mut values = [""; PROPERTIES.len()];
        // The document node has an entry without a style.
        for (value, &index) in values.iter_mut().zip(list) {
            *value = self.string(index)?;
        }
        Ok(ComputedValues { values })
    }
}

impl Building {
    /// Records the style and box of a node. If a text joined the previous one, their boxes join
    /// too.
    fn record(&mut self, place: Placed, bounds: Option<Rect>) {
        let rect = bounds.map(|rect| self.unfold(rect, place.columns));
        match self.boxes.get_mut(place.node.index()) {
            Some(known) => *known = union(*known, rect),
            None => {
                self.boxes.push(rect);
                self.styles.push(place.style);
            }
        }
    }

    /// The box within its columns, and those within their outer columns.
    fn unfold(&self, mut rect: Rect, mut columns: Option<usize>) -> Rect {
        while let Some(Nested { columns: own, outer }) = columns.map(|index| &self.columns[index]) {
            rect = own.fold(rect);
            columns = *outer;
        }
        rect
    }
}

/// The layout entries of nodes, by node.
struct LaidOut {
    /// The first entry of each node.
    entry: Vec<Option<usize>>,
    /// The bounds of all its entries: a text has two if its first letter has a style of its own.
    bounds: Vec<Option<Rect>>,
    /// Whether a node below it has layout.
    holds: Vec<bool>,
}

impl LaidOut {
    fn new(tree: &SnapshotTree) -> Result<Self, BrowserFault> {
        let nodes = tree.nodes.parent_index.len();
        let (mut entry, mut bounds, mut holds) = (vec![None; nodes], vec![None; nodes], vec![false; nodes]);
        for (number, (&index, &[left, top, width, height])) in
            tree.layout.node_index.iter().zip(&tree.layout.bounds).enumerate()
        {
            let first = entry.get_mut(index).ok_or_else(|| nonsense("a style of no node"))?;
            first.get_or_insert(number);
            bounds[index] = union(bounds[index], Some(Rect { left, top, width, height }));
        }
        for index in (0..nodes).rev() {
            let is_here = entry[index].is_some() || holds[index];
            if let Some(parent) = usize::try_from(tree.nodes.parent_index[index]).ok().and_then(|p| holds.get_mut(p)) {
                *parent |= is_here;
            }
        }
        Ok(LaidOut { entry, bounds, holds })
    }
}

/// Computed values, in the order of [`PROPERTIES`].
struct ComputedValues<'s> {
    values: [&'s str; PROPERTIES.len()],
}

impl ComputedValues<'_> {
    fn style(&self, parent: Style, may_be_seen: bool) -> Style {
        let [display, visibility, font_size, color, ..] = self.values;
        Style {
            display: Display::from_css(display).unwrap_or(Display::Block),
            visible: may_be_seen && visibility == "visible",
            font_size: pixels(font_size).unwrap_or(parent.font_size),
            // Colours outside sRGB are not supported; no page needs them for its text.
            color: Color::from_css(color).unwrap_or(parent.color),
        }
    }

    fn spans_columns(&self) -> bool {
        let [_, _, _, _, _, _, _, span, ..] = self.values;
        span == "all"
    }

    /// The columns of the element's content; `border_box` is the element's own box.
    fn columns(&self, border_box: Rect) -> Option<Columns> {
        let [display, _, font_size, _, count, width, gap, _, padding_left, padding_right, border_left, border_right] =
            self.values;
        // In flex and grid containers and tables these properties have no effect.
        let is_block_container = matches!(
            Display::from_css(display)?,
            Display::Block | Display::ListItem | Display::InlineBlock | Display::TableCell
        );
        if !is_block_container {
            return None;
        }
        let zero = |value| pixels(value).unwrap_or(0.0);
        let left = border_box.left + zero(border_left) + zero(padding_left);
        let right = border_box.right() - zero(border_right) - zero(padding_right);
        let declared = DeclaredColumns {
            count: count.parse().ok(),
            width: pixels(width),
            gap: match gap.strip_suffix('%').and_then(|gap| gap.parse::<f32>().ok()) {
                Some(percent) => percent / 100.0 * (right - left),
                // `normal` is 1em.
                None => pixels(gap).unwrap_or(zero(font_size)),
            },
        };
        Columns::new(left, right - left, declared)
    }
}

/// A length in computed form: `12.5px`.
fn pixels(value: &str) -> Option<f32> {
    let number: f32 = value.strip_suffix("px")?.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// `nodeName` is upper case for an HTML element. For a foreign element it is as the parser wrote
/// it, which is never upper case.
fn element_name(name: &str) -> Cow<'_, str> {
    match name.bytes().any(|b| b.is_ascii_lowercase()) {
        true => Cow::Borrowed(name),
        false => Cow::Owned(name.to_ascii_lowercase()),
    }
}

/// The smallest box around both.
fn union(one: Option<Rect>, other: Option<Rect>) -> Option<Rect> {
    let (Some(a), Some(b)) = (one, other) else { return one.or(other) };
    let (left, top) = (a.left.min(b.left), a.top.min(b.top));
    let bottom = (a.top + a.height).max(b.top + b.height);
    Some(Rect { left, top, width: a.right().max(b.right()) - left, height: bottom - top })
}

fn nonsense(what: &str) -> BrowserFault {
    BrowserFault::Answer(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read() {
        for (value, expect) in
            [("16px", Some(16.0)), ("13.3333px", Some(13.3333)), ("auto", None), ("-1px", None), ("NaNpx", None)]
        {
            assert_eq!(pixels(value), expect, "{value}");
        }
    }

    #[test]
    fn nonsense_is_told_and_never_a_panic() {
        let good = serde_json::json!({
            "documents": [{
                "nodes": {
                    "parentIndex": [-1, 0, 1], "nodeType": [9, 1, 3], "nodeName": [0, 1, 2], "nodeValue": [-1, -1, 3],
                    "attributes": [[], [4, 5], []],
                },
                "layout": { "nodeIndex": [1, 2], "styles": [[6, 7, 8, 9], []], "bounds": [[0, 0, 9, 9], [1, 2, 3, 4]] },
            }],
            "strings": ["#document", "P", "#text", "words", "id", "a", "block", "visible", "20px", "rgb(1, 2, 3)"],
        });
        let limits = Limits::default();
        let render = |value: &serde_json::Value| {
            let snapshot: Snapshot = serde_json::from_value(value.clone()).unwrap();
            snapshot.into_rendered(SourceText::read(b"", None, &limits), &limits)
        };
        let Rendered { document, styles } = render(&good).unwrap();
        let text = document.descendants(document.root()).find(|&node| document.text(node) == Some("words")).unwrap();
        assert_eq!(styles.style(text).font_size, 20.0);
        assert_eq!(styles.rect(text), Some(Rect { left: 1.0, top: 2.0, width: 3.0, height: 4.0 }));
        for (pointer, value) in [
            ("/documents", serde_json::json!([])),
            ("/documents/0/nodes/parentIndex", serde_json::json!([-1, 2, 1])),
            ("/documents/0/nodes/nodeType", serde_json::json!([9, 1, 9])),
            ("/documents/0/nodes/nodeName", serde_json::json!([0, 1])),
            ("/documents/0/nodes/nodeValue", serde_json::json!([0, 1, 100])),
            ("/documents/0/layout/nodeIndex", serde_json::json!([1, 3])),
            ("/documents/0/layout/styles", serde_json::json!([[]])),
        ] {
            let mut bad = good.clone();
            *bad.pointer_mut(pointer).unwrap() = value;
            assert!(render(&bad).is_err(), "{pointer}");
        }
    }
}
