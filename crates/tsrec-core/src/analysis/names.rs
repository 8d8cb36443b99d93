//! The names in the markup: the words in `class`, `id`, `role` and `itemprop`.

mod remembered;

use html5ever::{LocalName, local_name};

use super::text::WordHash;
use crate::html::document::Attributes;
pub(super) use remembered::{ElementNaming, PageNames};

/// The greatest number of names read of one element. Judgement: generated markup has hundreds of
/// classes on an element, and people use few names.
const MOST_NAMES: usize = 24;

/// The elements of the HTML standard (section 4.3) for what is beside the content: tangential text,
/// text of the site, or links.
const SIDE_ELEMENTS: [&str; 3] = ["aside", "footer", "nav"];

/// Whether an element is beside the content. Stronger signs come last. An element with several
/// signs has the last of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// No sign that it is.
    #[default]
    Not,
    /// One of the standard's elements for what is beside the content.
    Element,
    /// Named for readers' comments in `class` or `id`.
    Comments,
}

/// Whether the element's own markup says that it is side matter.
///
/// Authors use few words for comments, and the same ones in all years and content management
/// systems. Names for other asides (related, promo, sidebar) also name articles, and did more harm
/// than good on the tuning pages. The elements did good alone: 0.030 F1 on the news of 2017
/// (`tsrec-lab eval`). `html`, `body`, `main` and `article` are never side matter, since their
/// classes describe the whole page.
pub(super) fn side(name: &str, attributes: Attributes<'_>) -> Side {
    match names_comments(name, attributes) {
        true => Side::Comments,
        false if SIDE_ELEMENTS.contains(&name) => Side::Element,
        false => Side::Not,
    }
}

fn names_comments(name: &str, attributes: Attributes<'_>) -> bool {
    if ["html", "body", "main", "article"].contains(&name) {
        return false;
    }
    attributes.of_names(is_class_or_id).any(|(_, value)| has_word_of_comments(value))
}

fn is_class_or_id(attribute: &LocalName) -> bool {
    matches!(*attribute, local_name!("class") | local_name!("id"))
}

/// True of the attributes that [`push_names`], [`name_hash`] and [`side`] read.
fn is_naming(attribute: &LocalName) -> bool {
    let of_kinds = matches!(*attribute, local_name!("role") | local_name!("itemprop") | local_name!("itemtype"));
    of_kinds || is_class_or_id(attribute)
}

/// Whether a word of the text begins with a word for comments. Few words begin with the first
/// letter of one.
fn has_word_of_comments(text: &str) -> bool {
    let begins = |at: usize, with: &str| {
        text.as_bytes().get(at..at + with.len()).is_some_and(|word| word.eq_ignore_ascii_case(with.as_bytes()))
    };
    text.bytes().enumerate().any(|(at, byte)| {
        matches!(byte, b'c' | b'C' | b'd' | b'D')
            && (begins(at, "comment") || begins(at, "disqus"))
            && !text[..at].ends_with(char::is_alphanumeric)
    })
}

/// Hashes the names of an element into `names`. It splits each token into words at hyphens,
/// underscores and capitals, and folds digits. A token of several words is also hashed as a whole.
/// An element without a name has its tag as its name. Linear, at most [`MOST_NAMES`] names.
fn push_names(tag: &str, attributes: Attributes<'_>, names: &mut Vec<u32>) {
    let before = names.len();
    for (attribute, value) in attributes.of_names(is_naming) {
        let salt = match *attribute {
            local_name!("class") | local_name!("id") => 'n',
            local_name!("role") => 'r',
            _ => 'i',
        };
        for token in value.split_ascii_whitespace() {
            push_token(salt, token, names);
            if names.len() >= before + MOST_NAMES {
                names.truncate(before + MOST_NAMES);
                return;
            }
        }
    }
    if names.len() == before {
        names.push(tag.chars().fold(WordHash::EMPTY.with('<'), WordHash::with).finish());
    }
}

/// The hash of a word of a class or id.
pub(crate) fn name_hash_of(word: &str) -> u32 {
    word.chars().fold(WordHash::EMPTY.with('n'), WordHash::with).finish()
}

/// The hash of a word of a role.
pub(crate) fn role_hash_of(word: &str) -> u32 {
    word.chars().fold(WordHash::EMPTY.with('r'), WordHash::with).finish()
}

fn push_token(salt: char, token: &str, names: &mut Vec<u32>) {
    let begin = WordHash::EMPTY.with(salt);
    let (mut whole, mut word, mut letters, mut words) = (begin.with('='), begin, 0, 0);
    let mut previous = ' ';
    let mut flush = |word: &mut WordHash, letters: &mut usize| {
        if *letters > 0 {
            names.push(word.finish());
            words += 1;
        }
        (*word, *letters) = (begin, 0);
    };
    for c in token.chars() {
        let folded = if c.is_ascii_digit() { '0' } else { c };
        if !folded.is_alphanumeric() {
            flush(&mut word, &mut letters);
        } else if !(folded == '0' && previous == '0') {
            if folded.is_uppercase() && previous.is_lowercase() {
                flush(&mut word, &mut letters);
            }
            (word, whole) = (word.with(folded), whole.with(folded));
            letters += 1;
        }
        previous = folded;
    }
    flush(&mut word, &mut letters);
    if words > 1 {
        names.push(whole.finish());
    }
}

/// The number of classes of an element that make it a place. Only the first ones count: authors
/// write the general name first and the special ones after it, such as the categories of a post.
/// With all classes, two thirds of the content of `dragnet` was at places that another page of its
/// site has. With two classes, five sixths was.
const PLACE_CLASSES: usize = 2;

/// Elements whose `id` is an anchor into the text and is named after that text. Sections of a
/// manual, for example, have other ids on each page.
#[rustfmt::skip]
const ANCHORS: [&str; 23] = [
    "a", "article", "blockquote", "code", "dd", "dt", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "img", "li", "p", "pre", "section", "span",
    "table", "td", "th", "tr",
];

/// The hash of an element's tag and its first classes, or of its id if it has no class and the id
/// names a place, with digits folded. The same place on another page of the site has the same hash.
///
/// An id beside classes is often an anchor: Texinfo, Sphinx and DocBook put each section into a
/// `div` with an id of its own. The classes say what the element is (`docs/decisions/062`).
fn name_hash(tag: &str, attributes: Attributes<'_>) -> u64 {
    let (mut hash, mut id) = (fold(FNV, tag), None);
    let mut has_class = false;
    for (attribute, value) in attributes.of_names(is_class_or_id) {
        if *attribute == local_name!("class") {
            for class in value.split_ascii_whitespace().take(PLACE_CLASSES) {
                hash = fold(mix(hash, 2), class);
                has_class = true;
            }
        } else if !ANCHORS.contains(&tag) {
            id = Some(value.trim());
        }
    }
    match id.filter(|_| !has_class) {
        Some(id) => fold(mix(hash, 1), id),
        None => hash,
    }
}

const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// Mixes one more number into a hash.
pub(crate) fn mix(hash: u64, with: u64) -> u64 {
    (hash ^ with).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

fn fold(hash: u64, text: &str) -> u64 {
    let mut previous = 0;
    text.bytes().fold(hash, |hash, byte| {
        let byte = if byte.is_ascii_digit() { b'0' } else { byte };
        let again = byte == b'0' && previous == b'0';
        previous = byte;
        if again { hash } else { (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::Limits;
    use crate::html::builder::DocumentBuilder;

    /// Calls `read` with an element that has these attributes.
    fn with<T>(tag: &str, pairs: &[(&str, &str)], read: impl FnOnce(Attributes<'_>) -> T) -> T {
        let mut builder = DocumentBuilder::new(&Limits::default(), Vec::new());
        let id = builder.element(builder.root(), tag, pairs.iter().copied()).unwrap();
        read(builder.finish("UTF-8", false).attributes(id))
    }

    fn names(pairs: &[(&str, &str)]) -> Vec<u32> {
        let mut names = Vec::new();
        with("div", pairs, |attributes| push_names("div", attributes, &mut names));
        names
    }

    #[test]
    fn words_of_names_are_parted_and_digits_folded() {
        assert_eq!(names(&[("class", "postBody")])[..2], names(&[("class", "post body")])[..]);
        assert_eq!(names(&[("class", "post-1234")]), names(&[("id", "post_7")]));
        assert_eq!(names(&[("class", "a-b")]).len(), 3);
        assert_ne!(names(&[("class", "main")]), names(&[("role", "main")]));
        assert_eq!(names(&[("style", "color: red")]), names(&[]));
        assert_eq!(names(&[("class", &"x-y ".repeat(100))]).len(), MOST_NAMES);
    }

    #[test]
    fn places_differ_by_what_names_them() {
        let hash = |pairs: &[(&str, &str)]| with("div", pairs, |attributes| name_hash("div", attributes));
        assert_eq!(hash(&[("class", "post-12")]), hash(&[("class", "post-345"), ("style", "x")]));
        assert_ne!(hash(&[("class", "a")]), hash(&[("id", "a")]));
        assert_ne!(hash(&[("class", "a")]), hash(&[("class", "b")]));
        assert_ne!(hash(&[("class", "a b")]), hash(&[("class", "a c")]));
    }

    #[test]
    fn what_differs_from_page_to_page_names_no_place() {
        let hash = |tag: &str, pairs: &[(&str, &str)]| with(tag, pairs, |attributes| name_hash(tag, attributes));
        let post = |categories: &str| hash("article", &[("class", &format!("post-7 hentry {categories}"))]);
        assert_eq!(post("category-boats tag-sails"), post("category-harbours"));
        let anchor = |tag: &str, id: &str| hash(tag, &[("id", id)]);
        assert_eq!(anchor("h2", "how-to-tie-a-knot"), anchor("h2", "how-to-steer"));
        assert_eq!(anchor("section", "knots"), anchor("section", "steering"));
        assert_ne!(anchor("div", "content"), anchor("div", "sidebar"));
    }

    #[test]
    fn a_section_of_a_manual_is_named_by_its_class() {
        let hash = |pairs: &[(&str, &str)]| with("div", pairs, |attributes| name_hash("div", attributes));
        for class in ["section", "sect1", "refentry", "chapter-level-extent", "section level2"] {
            let (one, other) = ([("id", "Knots"), ("class", class)], [("class", class), ("id", "s-how-to-steer")]);
            assert_eq!(hash(&one), hash(&other), "{class}");
            assert_ne!(hash(&one), hash(&[("id", "Knots")]), "{class}");
        }
        assert_eq!(hash(&[("class", " "), ("id", "content")]), hash(&[("id", "content")]), "an empty class is none");
    }

    #[test]
    fn comments_are_side_matter_and_whole_pages_are_not() {
        for (tag, class, expect) in [
            ("div", "x commentList", Side::Comments),
            ("div", "comments", Side::Comments),
            ("section", "disqus_thread", Side::Comments),
            ("aside", "comments", Side::Comments),
            ("body", "comments-open", Side::Not),
            ("div", "uncommented", Side::Not),
            ("nav", "", Side::Element),
        ] {
            assert_eq!(with(tag, &[("class", class)], |attributes| side(tag, attributes)), expect, "{tag} {class}");
        }
    }
}
