//! Which images of a page are kept with its text, and by which address.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use url::Url;

use super::kept::mark;
use super::lazy::{Lazy, is_pixel};
use super::sources::sources;
use crate::html::document::{Document, NodeId};
use crate::html::{is_space, permalink, printable, visibility};

/// An image, ready to be written.
#[derive(Clone)]
pub(super) struct Image<'d> {
    pub(super) source: String,
    pub(super) alternative: Cow<'d, str>,
}

/// An image that stands this often on a page is an icon. Judgement: arrows, bullets, buttons.
const MOST_OFTEN: usize = 2;
/// How many elements around an image may be the box that also holds its caption. Judgement.
const BOX_AROUND: usize = 4;
/// How many nodes such a box may have, and how many words its caption. Judgement.
const BOX_NODES: usize = 64;
const CAPTION_WORDS: usize = 80;
/// Parts of the class names of such boxes, if they are not `figure`.
const BOX_NAMES: [&str; 6] = ["image", "img", "photo", "picture", "figure", "caption"];
/// Words for an image in a link that leads through a manual, in lower case.
const WAYS: [&str; 24] = [
    "home",
    "start",
    "contents",
    "table of contents",
    "toc",
    "index",
    "summary",
    "up",
    "top",
    "back to top",
    "next",
    "next page",
    "prev",
    "previous",
    "previous page",
    "back",
    "forward",
    "first",
    "last",
    "inhalt",
    "zurück",
    "weiter",
    "précédent",
    "suivant",
];
/// No word of [`WAYS`] has more bytes.
const LONGEST_WAY: usize = 24;
/// The bytes of the longest emoji: a family is 25. Judgement.
const LONGEST_EMOJI: usize = 32;
/// Words in the name of a file that stands in for an image, or only keeps a place. No other word
/// is in it but those of [`OF_STAND_INS`] and numbers.
const STAND_INS: [&str; 2] = ["placeholder", "spacer"];
const OF_STAND_INS: [&str; 8] = ["image", "img", "lazy", "loading", "default", "grey", "gray", "transparent"];
/// Names of such files that say nothing else.
const BLANKS: [&str; 6] = ["blank.gif", "pixel.gif", "transparent.gif", "clear.gif", "trans.gif", "1x1.gif"];
/// Class names of images and boxes for some devices only.
const DEVICES: [&str; 8] = ["mobile", "desktop", "tablet", "phone", "hidden-", "visible-", "d-none", "show-for-"];

/// The kept images of a page, by node.
pub(super) struct Images<'d> {
    written: HashMap<NodeId, Image<'d>>,
}

impl<'d> Images<'d> {
    /// No images.
    pub(super) fn none() -> Self {
        Images { written: HashMap::new() }
    }

    /// Finds the kept images, and marks the elements around them in `holds`, which has the elements
    /// with kept text. Linear in the page, and in the depth of each image.
    pub(super) fn find(document: &'d Document, base: Option<&Url>, holds: &mut [bool]) -> Self {
        let found = FoundImages::new(document);
        if found.images.is_empty() {
            return Images::none();
        }
        let lazy = Lazy::find(document);
        let mut written: Vec<(NodeId, Image<'d>)> = Vec::new();
        let mut uses: HashMap<String, usize> = HashMap::new();
        let mut latest: Option<ImageGroup<'d>> = None;
        for &(node, at) in &found.images {
            let Some((group, image)) = found.image(node, at, base, holds, &lazy) else { continue };
            let of_group = match latest.take().filter(|latest| latest.around == group) {
                Some(latest) => latest,
                None => ImageGroup::new(group),
            };
            if latest.insert(of_group).adds(document, node, &image) {
                *uses.entry(image.source.clone()).or_default() += 1;
                written.push((node, image));
            }
        }
        written.retain(|(_, image)| uses.get(&image.source).is_some_and(|uses| *uses <= MOST_OFTEN));
        for (node, _) in &written {
            document.parent(*node).into_iter().for_each(|parent| mark(document, parent, holds));
        }
        Images { written: written.into_iter().collect() }
    }

    /// The image of an element, if it is kept.
    pub(super) fn at(&self, node: NodeId) -> Option<&Image<'d>> {
        self.written.get(&node)
    }
}

/// True of an element that is an image.
pub(super) fn is_image(name: &str) -> bool {
    matches!(name, "img" | "amp-img" | "amp-anim")
}

/// Images and words of a page, in document order.
struct FoundImages<'d> {
    document: &'d Document,
    /// The text nodes with words.
    texts: Vec<NodeId>,
    /// For every node, whether it holds words.
    has_words: Vec<bool>,
    /// Each image, with the number of texts before it.
    images: Vec<(NodeId, usize)>,
}

impl<'d> FoundImages<'d> {
    fn new(document: &'d Document) -> Self {
        let mut found = FoundImages { document, texts: Vec::new(), has_words: Vec::new(), images: Vec::new() };
        for node in document.descendants(document.root()) {
            match (document.text(node), document.local_name(node)) {
                (Some(text), _) if text.contains(char::is_alphanumeric) && !is_in_code_of_page(document, node) => {
                    found.texts.push(node);
                }
                (None, Some(name)) if is_image(name) => found.images.push((node, found.texts.len())),
                _ => {}
            }
        }
        if !found.images.is_empty() {
            found.has_words = vec![false; document.len()];
            found.texts.iter().for_each(|&text| mark(document, text, &mut found.has_words));
        }
        found
    }

    /// An image with its group, if it is kept: the text next to it is kept. So pictures between
    /// paragraphs are kept, even in wrappers, and those of dropped teasers are not. Invisible
    /// images and permalinks of headings are dropped.
    fn image(
        &self,
        node: NodeId,
        at: usize,
        base: Option<&Url>,
        holds: &[bool],
        lazy: &Lazy,
    ) -> Option<(NodeId, Image<'d>)> {
        let document = self.document;
        if lazy.has_placeholder(node) || is_in_own_noscript(document, node) {
            return None;
        }
        let boxed = self.caption_box(node);
        let top = boxed.filter(|top| !holds[top.index()]).unwrap_or(node);
        let around = document.ancestors(top).find(|ancestor| self.has_words[ancestor.index()])?;
        let is_page = document.is_element(around, "html") || document.parent(around).is_none();
        if !holds[around.index()] || is_page || !self.is_beside_kept(top, at, around, holds) {
            return None;
        }
        if is_unseen(document, node, around, lazy) || permalink::is_in(document, node) || self.is_way(node, around) {
            return None;
        }
        let picture = lazy.picture(node);
        let source =
            picture.and_then(|picture| sources(document, picture, base)).or_else(|| sources(document, node, base))?;
        if is_stand_in(&source) {
            return None;
        }
        let alternative = |node| document.attribute(node, "alt").map(str::trim).filter(|text| !text.is_empty());
        let alternative = alternative(node).or_else(|| alternative(picture?)).unwrap_or_default();
        let group = boxed.or_else(|| document.parent(node)).unwrap_or(around);
        Some((group, Image { source, alternative: printable(alternative) }))
    }

    /// Whether the nearest words before or after, within `around` and outside `top`, are kept.
    fn is_beside_kept(&self, top: NodeId, at: usize, around: NodeId, holds: &[bool]) -> bool {
        let is_in = |text: NodeId, element: NodeId| self.document.ancestors(text).any(|above| above == element);
        let before = self.texts[..at].iter().rev().take(BOX_NODES).find(|text| !is_in(**text, top));
        let after = self.texts[at..].iter().take(BOX_NODES).find(|text| !is_in(**text, top));
        before.into_iter().chain(after).any(|&text| holds[text.index()] && is_in(text, around))
    }

    /// The box of an image and its caption: a `figure`, or an element that is named for images and
    /// holds few words besides, outside of links.
    fn caption_box(&self, node: NodeId) -> Option<NodeId> {
        let document = self.document;
        let near =
            document.ancestors(node).take(BOX_AROUND).take_while(|&around| !document.is_element(around, "article"));
        let is_box = |&around: &NodeId| {
            document.is_element(around, "figure")
                || is_named(document, around, &BOX_NAMES)
                    && !matches!(document.name(around), Some("body" | "main" | "img"))
        };
        near.filter(is_box).filter(|&around| self.has_only_caption(around)).last()
    }

    fn has_only_caption(&self, around: NodeId) -> bool {
        let document = self.document;
        let mut nodes = document.descendants(around);
        let texts = nodes.by_ref().take(BOX_NODES).filter(|&node| document.text(node).is_some());
        let (mut words, mut linked) = (0, 0);
        for text in texts {
            let count = document.text(text).map_or(0, |text| text.split_whitespace().count());
            words += count;
            let mut above = document.ancestors(text).take_while(|&above| above != around);
            linked += if above.any(|above| document.is_element(above, "a")) { count } else { 0 };
        }
        nodes.next().is_none() && words <= CAPTION_WORDS && 2 * linked <= words
    }

    /// Whether an image is alone in a link to another part of the page, such as an arrow to its
    /// top, in a link that its words say leads through a manual, or in an element for navigation
    /// that has no words.
    fn is_way(&self, node: NodeId, around: NodeId) -> bool {
        let document = self.document;
        let words = document.attribute(node, "alt").unwrap_or_default().trim_matches(['[', ']', ' ', '<', '>']);
        let is_named = words.len() <= LONGEST_WAY && WAYS.contains(&words.to_lowercase().as_str());
        document.ancestors(node).take_while(|&above| above != around).any(|above| match document.name(above) {
            Some("a") => {
                is_named || document.attribute(above, "href").is_some_and(|target| target.trim().starts_with('#'))
            }
            Some("nav" | "footer" | "button") => true,
            Some("header") => document.parent(above).is_some_and(|parent| document.is_element(parent, "body")),
            _ => false,
        })
    }
}

/// Whether an image shows an emoji, which its words are.
pub(super) fn is_emoji(document: &Document, node: NodeId, words: &str) -> bool {
    let is_sign = |c: char| !c.is_ascii() && !c.is_alphanumeric();
    let is_named = || {
        let names = ["class", "src"].map(|name| document.attribute(node, name).unwrap_or_default());
        names.iter().any(|name| name.contains("emoji") || name.contains("smiley") || name.contains("smilie"))
    };
    !words.is_empty() && words.len() <= LONGEST_EMOJI && words.chars().all(is_sign) && is_named()
}

/// Whether an address is that of a file that stands in for an image.
fn is_stand_in(source: &str) -> bool {
    let path = source.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x');
    let mut words = file.split('.').next().unwrap_or_default().split(['-', '_']);
    let is_known = |word: &str| STAND_INS.contains(&word) || OF_STAND_INS.contains(&word) || is_number(word);
    BLANKS.contains(&file.as_str()) || words.clone().any(|word| STAND_INS.contains(&word)) && words.all(is_known)
}

/// Whether a text is that of a script or a style sheet.
fn is_in_code_of_page(document: &Document, text: NodeId) -> bool {
    document.parent(text).is_some_and(|parent| matches!(document.name(parent), Some("script" | "style" | "template")))
}

/// Whether an image is what an image of AMP has for readers without scripts.
fn is_in_own_noscript(document: &Document, node: NodeId) -> bool {
    let mut around = document.ancestors(node).take(2);
    around.any(|around| document.name(around).is_some_and(|name| name != "img" && is_image(name)))
}

/// Whether an image is a pixel or hidden, by itself or by an element up to `around`. A `noscript`
/// does not hide it, because its content is kept.
fn is_unseen(document: &Document, node: NodeId, around: NodeId, lazy: &Lazy) -> bool {
    // A placeholder may be hidden until it is loaded.
    let own = Some(node).filter(|&node| lazy.picture(node).is_none());
    let mut between = document.ancestors(node).take_while(|&ancestor| ancestor != around).chain(own);
    own.is_some_and(|node| is_pixel(document, node))
        || between.any(|node| !document.is_element(node, "noscript") && visibility::is_hidden(document, node))
}

/// The images of a group that follow each other. Two of them are one, for different devices, if
/// they have the same address, or the same words in a figure, or between names of devices.
struct ImageGroup<'d> {
    around: NodeId,
    sources: HashSet<String>,
    /// By their words.
    alike: HashMap<Cow<'d, str>, AlikeImages>,
}

/// The images of a group that have the same words.
#[derive(Default)]
struct AlikeImages {
    any_for_device: bool,
    /// Those that were not looked at yet, since it takes some time.
    unknown: Vec<NodeId>,
}

impl<'d> ImageGroup<'d> {
    fn new(around: NodeId) -> Self {
        ImageGroup { around, sources: HashSet::new(), alike: HashMap::new() }
    }

    /// Adds an image, unless it is the same as one before it. Amortized, linear in the depth.
    fn adds(&mut self, document: &Document, node: NodeId, image: &Image<'d>) -> bool {
        if self.sources.contains(&image.source) {
            return false;
        }
        let for_device = |node: NodeId| {
            let above = document.ancestors(node).take_while(|&above| above != self.around);
            std::iter::once(node).chain(above).any(|near| is_named(document, near, &DEVICES))
        };
        if let Some(alike) = self.alike.get_mut(&image.alternative) {
            let is_described = !image.alternative.is_empty() && document.is_element(self.around, "figure");
            if is_described || for_device(node) && alike.has_for_device(for_device) {
                return false;
            }
        }
        self.sources.insert(image.source.clone());
        self.alike.entry(image.alternative.clone()).or_default().unknown.push(node);
        true
    }
}

impl AlikeImages {
    fn has_for_device(&mut self, for_device: impl Fn(NodeId) -> bool) -> bool {
        self.any_for_device = self.any_for_device || std::mem::take(&mut self.unknown).into_iter().any(for_device);
        self.any_for_device
    }
}

/// Whether the class of an element has one of these parts.
fn is_named(document: &Document, node: NodeId, parts: &[&str]) -> bool {
    let is_part = |class: &str| parts.iter().any(|part| class.to_ascii_lowercase().contains(part));
    document.attribute(node, "class").is_some_and(|classes| classes.split(is_space).any(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::page::{Content, Piece};
    use crate::render::{Along, html};

    /// The addresses of the images that are written of a page, whose text is kept.
    fn written(images: &str) -> String {
        let page = format!("<div><p>The ferry sails.</p>{images}<p>It is late.</p></div>");
        let document = parse(page.as_bytes(), None, &Default::default());
        let texts = document.descendants(document.root()).filter(|&node| document.text(node).is_some());
        let content = Content::new(texts.map(|node| Piece::whole(&document, node)));
        let base = Url::parse("http://a.example/").unwrap();
        let html = html::html(&document, &content, Some(&base), Along::default());
        let sources = html.split("src=\"http://a.example/").skip(1).filter_map(|rest| rest.split('.').next());
        sources.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn images_beside_each_other_are_one_for_devices_alone() {
        for (images, expect) in [
            ("<img src=a.png><img src=b.png>", "a b"),
            ("<img src=a.png><img src=a.png>", "a"),
            ("<img src=a.png><img src=b.png><img src=a.png>", "a b"),
            ("<img src=a.png alt=x><img src=b.png alt=x>", "a b"),
            ("<figure><img src=a.png alt=x><img src=b.png alt=x></figure>", "a"),
            ("<figure><img src=a.png alt=x><img src=b.png alt=y><img src=c.png alt=x></figure>", "a b"),
            ("<figure><img src=a.png><img src=b.png></figure>", "a b"),
            ("<img src=a.png class=mobile><img src=b.png class=desktop>", "a"),
            ("<img src=a.png><img src=b.png class=mobile><img src=c.png class=desktop>", "a b"),
            ("<img src=a.png class=mobile><img src=b.png><img src=c.png class=desktop>", "a b"),
            ("<img src=a.png class=mobile alt=x><img src=b.png class=desktop alt=y>", "a b"),
            ("<p><img src=a.png class=mobile></p><p><img src=b.png class=desktop></p>", "a b"),
        ] {
            assert_eq!(written(images), expect, "{images}");
        }
    }
}
