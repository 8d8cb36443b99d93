//! The address of an image. Pages load images late, in the size of the window, or in the best
//! format, and give other addresses for that beside `src`.

use url::Url;

use super::kept::safe;
use crate::html::document::{Document, NodeId};

/// Attributes with the address of an image that a script loads, besides those named for `src`.
const LOADED_LATER: [&str; 6] =
    ["data-original", "data-lazy", "data-lazyload", "data-echo", "data-actual", "data-defer"];
/// Attributes with a larger version of the image. They count only without any other address.
const LARGER: [&str; 7] =
    ["data-url", "data-image", "data-full-url", "data-large-file", "data-orig-file", "data-large_image", "data-hi-res"];
/// Parts of the file name of a placeholder.
const PLACEHOLDERS: [&str; 10] =
    ["placeholder", "loading", "spinner", "blank", "spacer", "lazy", "transparent", "pixel", "1x1", "grey."];
/// How many candidates of a `srcset` are read. Judgement: pages name up to twenty.
const MOST_CANDIDATES: usize = 64;

/// The address of an image: what a script would load, else its `src`, else the largest of a set of
/// sizes, its own or that of its `picture`. Linear in the attributes.
pub(super) fn sources(document: &Document, image: NodeId, base: Option<&Url>) -> Option<String> {
    let is_address = |value: &&str| !value.trim().contains(char::is_whitespace) && !value.contains(['{', '<']);
    let usable = |value: &str| {
        Some(value).filter(is_address).and_then(|value| safe(value, base)).filter(|url| !url.starts_with("mailto:"))
    };
    let of_names = |is_one: &dyn Fn(&str) -> bool| {
        let mut given = document.attributes(image).iter().filter(|given| is_one(given.name));
        given.find_map(|given| usable(given.value))
    };
    let later = of_names(&|name| {
        let is_set = name.ends_with("set");
        name.starts_with("data-") && (name.contains("src") && !is_set || LOADED_LATER.contains(&name))
    });
    if later.is_some() {
        return later;
    }
    let source = document.attribute(image, "src");
    let shown = source.and_then(usable);
    if shown.is_some() && !source.is_some_and(is_placeholder) {
        return shown;
    }
    let sets = sets(document, image).into_iter().filter_map(|set| largest(set));
    sets.filter_map(usable).next().or_else(|| of_names(&|name| LARGER.contains(&name))).or(shown)
}

/// The sets of sizes of an image, and those of the sources of its `picture`, widespread formats
/// first.
fn sets(document: &Document, image: NodeId) -> Vec<&str> {
    let names = ["data-srcset", "data-lazy-srcset", "srcset"];
    let of = |node: NodeId| {
        let mut given = document.attributes(node).iter().filter(|given| {
            names.contains(&given.name) || given.name.starts_with("data-") && given.name.ends_with("srcset")
        });
        given.find(|given| !given.value.trim_start().starts_with("data:")).map(|given| given.value)
    };
    let picture = document.parent(image).filter(|&parent| document.is_element(parent, "picture"));
    let others = picture.into_iter().flat_map(|picture| document.children(picture));
    let mut others: Vec<NodeId> = others.filter(|&child| document.is_element(child, "source")).collect();
    let is_rare = |&source: &NodeId| {
        let kind = document.attribute(source, "type").unwrap_or_default();
        ["webp", "avif", "jxl", "heic"].iter().any(|format| kind.contains(format))
    };
    others.sort_by_key(is_rare);
    std::iter::once(image).chain(others).filter_map(of).collect()
}

/// The largest candidate of a `srcset` (HTML standard, section 4.8.4.2.2). Addresses may hold
/// commas, but not end with one.
fn largest(set: &str) -> Option<&str> {
    let mut best: Option<(f64, &str)> = None;
    let mut rest = set;
    for _ in 0..MOST_CANDIDATES {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (url, after) = rest.split_at(end);
        if url.is_empty() {
            break;
        }
        let (address, size) = match url.strip_suffix(',') {
            Some(address) => {
                rest = after;
                (address, "")
            }
            None => {
                let (size, after) = after.split_once(',').unwrap_or((after, ""));
                rest = after;
                (url, size.trim())
            }
        };
        let size = size.trim_end_matches(['w', 'x', 'h']).trim().parse().unwrap_or(1.0);
        if best.is_none_or(|(largest, _)| size > largest) {
            best = Some((size, address));
        }
    }
    best.map(|(_, address)| address)
}

/// Whether the address of an image is that of a placeholder, by its file name.
fn is_placeholder(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|part| file.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    #[test]
    fn the_address_is_found_wherever_a_page_puts_it() {
        for (image, expect) in [
            ("<img src=a.jpg>", "a.jpg"),
            ("<img src=a.jpg data-src=b.jpg>", "b.jpg"),
            ("<img data-lazy=a.jpg src=/i/loading.svg>", "a.jpg"),
            ("<img data-original=a.jpg src=data:image/gif;base64,R0>", "a.jpg"),
            ("<img data-gallery-src=a.jpg src=blank.gif>", "a.jpg"),
            ("<img src=a.jpg data-large-file=b.jpg>", "a.jpg"),
            ("<img src=spacer.gif data-orig-file=b.jpg>", "b.jpg"),
            ("<img srcset='a.jpg 400w, b.jpg 800w, c.jpg 600w'>", "b.jpg"),
            ("<img srcset='a.jpg, b.jpg 2x'>", "b.jpg"),
            (
                "<img srcset='https://x.example/w_1,h_2/a.jpg 1x, https://x.example/w_2,h_4/a.jpg 2x'>",
                "https://x.example/w_2,h_4/a.jpg",
            ),
            ("<img srcset='a.jpg 1x,b.jpg 2x'>", "b.jpg"),
            ("<img data-srcset='a.jpg 1w,\n b.jpg 2w' src=placeholder.png>", "b.jpg"),
            ("<img data-lazy-srcset='a.jpg 1w' src=data:x srcset='data:x 1w'>", "a.jpg"),
            ("<img src=a.jpg srcset='b.jpg 2x'>", "a.jpg"),
            ("<img data-src='{width}.jpg' src=a.jpg>", "a.jpg"),
            (
                "<picture><source srcset='a.webp 9w' type=image/webp><source data-srcset='a.jpg 1w, b.jpg 2w'><img alt=x></picture>",
                "b.jpg",
            ),
            ("<picture><source srcset='a.avif' type=image/avif><img src=data:x></picture>", "a.avif"),
            ("<img src=loading-dock.jpg>", "loading-dock.jpg"),
            ("<img src=data:image/gif;base64,R0>", ""),
            ("<img src='javascript:x()' data-src='mailto:a@b.example'>", ""),
            ("<img>", ""),
        ] {
            let document = parse(image.as_bytes(), None, &Default::default());
            let node = document.descendants(document.root()).find(|&node| document.is_element(node, "img")).unwrap();
            assert_eq!(sources(&document, node, None).unwrap_or_default(), expect, "{image}");
        }
    }
}
