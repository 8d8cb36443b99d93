//! The names that authors give to places: the words in `class`, `id`, `role` and `itemprop`.

mod remembered;

use html5ever::{LocalName, local_name};

use super::text::WordHash;
use crate::html::document::Attributes;
pub(super) use remembered::{ElementNaming, PageNames};

/// Names of one element that are read. Judgement: generated markup has hundreds of classes an
/// element, and people name with few.
const MOST_NAMES: usize = 24;

/// Elements that the HTML standard has for what is beside the content (section 4.3): tangential, of
/// the site, or links.
const SIDE_ELEMENTS: [&str; 3] = ["aside", "footer", "nav"];

/// Whether an element is beside the content, the more telling last: what stands in several is the
/// last of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// It does not say so.
    #[default]
    Not,
    /// One of the standard's elements for what is beside the content.
    Element,
    /// Named for readers' comments by `class` or `id`.
    Comments,
}

/// Whether an element says itself that it is side matter.
///
/// The words that authors use for comments are few and alike in all years and content management
/// systems; names for other asides (related, promo, sidebar) also name articles, and did more harm
/// than good on the tuning pages. The elements did good alone: 0.030 F1 on the news of 2017
/// (`tsrec-lab eval`). `html`, `body`, `main` and `article` are never such a place: their classes
/// speak of the whole page.
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

/// True of the attributes that [`push_names`] reads, and [`name_hash`], and [`side`].
fn is_naming(attribute: &LocalName) -> bool {
    let of_kinds = matches!(*attribute, local_name!("role") | local_name!("itemprop") | local_name!("itemtype"));
    of_kinds || is_class_or_id(attribute)
}

/// Whether a word of the text begins with one of those for comments. Most letters begin neither.
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

/// Hashes the names of an element into `names`: each word of each token, at hyphens, underscores
/// and capitals, digits folded; and each token of several words as a whole. An element without a
/// name goes by its tag. Linear, at most [`MOST_NAMES`] names.
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

/// Classes of an element that make it a place: the first ones. What a thing is called comes first,
/// and what this one is after it, such as the categories of a post. With all of them two thirds of
/// the content of `dragnet` stood at places that another page of its site has, with two five
/// sixths.
const PLACE_CLASSES: usize = 2;

/// Elements whose `id` is an anchor into the text, named after what stands there: the sections of a
/// manual have another one on each page.
#[rustfmt::skip]
const ANCHORS: [&str; 23] = [
    "a", "article", "blockquote", "code", "dd", "dt", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "img", "li", "p", "pre", "section", "span",
    "table", "td", "th", "tr",
];

/// The hash of an element's tag, of its first classes, and of its id where that names a place,
/// digits folded: what makes it the same place on another page of its site.
fn name_hash(tag: &str, attributes: Attributes<'_>) -> u64 {
    let mut hash = fold(FNV, tag);
    for (attribute, value) in attributes.of_names(is_class_or_id) {
        if *attribute == local_name!("class") {
            let classes = value.split_ascii_whitespace().take(PLACE_CLASSES);
            hash = classes.fold(hash, |hash, class| fold(mix(hash, 2), class));
        } else if !ANCHORS.contains(&tag) {
            hash = fold(mix(hash, 1), value.trim());
        }
    }
    hash
}

const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// One more number in a hash.
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

    /// What `read` says of an element with these attributes.
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
