//! Tokens as symbols: the input of the trained methods of Pasternack and Roth 2009 (section 5.2).
//!
//! Words are in lower case and stemmed. A number is `1`, and a tag that is not common is
//! `<UNKNOWN>`. A character that belongs to no word is itself. Each symbol is then a hash of 32
//! bits, so that no text of the page is stored. Symbols alone are enough to train and to predict,
//! and a model made of them holds no words.
//!
//! # Deviations
//!
//! - The paper uses Porter's stemmer of 1980. We use Porter's own revision of it ("English", or
//!   Porter2), since that is the one still maintained. Words of other languages go through the same
//!   stemmer, which mostly leaves them alone.
//! - The paper calls a tag common if it occurs in training pages of more than one source. Training
//!   in one pass cannot know that in advance, and a stored page would mean different things under
//!   different models. So the common tags are the elements that the HTML standard names, in use or
//!   obsolete.

use std::borrow::Cow;
use std::collections::HashMap;

use html5ever::LocalName;
use rust_stemmers::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};

use super::tokens::{BlockToken, is_void};
use crate::html::Document;

/// A token without its text: small, comparable, stable over versions and machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Symbol {
    /// A hash of the token's normal form; see [`Symbol::new`].
    pub code: u32,
    /// What kind of token it is.
    pub kind: SymbolKind,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SymbolKind {
    /// A start tag that has an end tag.
    Open,
    /// An end tag.
    Close,
    /// A start tag of a void element, such as `<br>`, which has no end tag.
    Void,
    /// A word or a number.
    Word,
    /// A character that belongs to no word.
    Symbol,
}

impl Symbol {
    /// The symbol of a token's normal form: `<name>`, `</name>`, a stem, or a character. Only the
    /// two kinds of start tags share forms, and no element name is of both kinds.
    pub fn new(kind: SymbolKind, form: &str) -> Symbol {
        Symbol { code: fnv1a(form.as_bytes()), kind }
    }

    /// The symbol of a tag. The form has three parts, which are hashed one after the other.
    fn tag(kind: SymbolKind, [before, name, after]: [&str; 3]) -> Symbol {
        let code = [before, name, after].into_iter().fold(BASIS, |hash, part| fnv1a_on(hash, part.as_bytes()));
        Symbol { code, kind }
    }

    /// True of start and end tags.
    pub fn is_tag(self) -> bool {
        matches!(self.kind, SymbolKind::Open | SymbolKind::Close | SymbolKind::Void)
    }

    /// True of `<hr>`, the horizontal rule.
    pub fn is_rule(self) -> bool {
        self.kind == SymbolKind::Void && self.code == const { fnv1a(b"<hr>") }
    }
}

/// The symbols of a page's tokens, one for each token. Linear.
pub fn symbols(document: &Document, tokens: &[BlockToken]) -> Vec<Symbol> {
    let stemmer = Stemmer::create(Algorithm::English);
    let text = |node, range: &std::ops::Range<usize>| &document.text(node).unwrap_or_default()[range.clone()];
    // Words and names repeat often, and a look-up is faster than stemming.
    let (mut words, mut names) = (HashMap::<&str, Symbol>::new(), HashMap::<&LocalName, &str>::new());
    let mut word = |text| *words.entry(text).or_insert_with(|| word(&stemmer, text));
    let mut name = |node| match document.local_name(node) {
        Some(name) => *names.entry(name).or_insert_with(|| common(name)),
        None => UNKNOWN,
    };
    tokens
        .iter()
        .map(|token| match token {
            BlockToken::Open(node) => {
                let void = document.local_name(*node).is_some_and(|name| is_void(name));
                let kind = if void { SymbolKind::Void } else { SymbolKind::Open };
                Symbol::tag(kind, ["<", name(*node), ">"])
            }
            BlockToken::Close(node) => Symbol::tag(SymbolKind::Close, ["</", name(*node), ">"]),
            BlockToken::Word(node, range) => word(text(*node, range)),
            BlockToken::Symbol(node, range) => Symbol::new(SymbolKind::Symbol, text(*node, range)),
        })
        .collect()
}

fn word(stemmer: &Stemmer, text: &str) -> Symbol {
    if text.chars().all(char::is_numeric) {
        return Symbol::new(SymbolKind::Word, "1");
    }
    let is_lower = text.bytes().all(|byte| byte.is_ascii_lowercase());
    let lower = if is_lower { Cow::Borrowed(text) } else { Cow::Owned(text.to_lowercase()) };
    Symbol::new(SymbolKind::Word, &stemmer.stem(&lower))
}

const UNKNOWN: &str = "UNKNOWN";

/// The name of the element if the HTML standard names it, else [`UNKNOWN`].
fn common(name: &str) -> &str {
    match COMMON.binary_search(&name) {
        Ok(_) => name,
        Err(_) => UNKNOWN,
    }
}

/// The 32-bit hash FNV-1a (Fowler, Noll, Vo). It is stable; the standard library's hash is not.
const fn fnv1a(bytes: &[u8]) -> u32 {
    fnv1a_on(BASIS, bytes)
}

/// The initial value of FNV-1a.
const BASIS: u32 = 0x811c_9dc5;

/// Continues FNV-1a with more bytes.
const fn fnv1a_on(mut hash: u32, bytes: &[u8]) -> u32 {
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

/// The elements of the HTML standard (its index of elements and section 16, obsolete features), in
/// ascending order.
const COMMON: [&str; 143] = [
    "a",
    "abbr",
    "acronym",
    "address",
    "applet",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "basefont",
    "bdi",
    "bdo",
    "bgsound",
    "big",
    "blink",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "data",
    "datalist",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "isindex",
    "kbd",
    "keygen",
    "label",
    "legend",
    "li",
    "link",
    "listing",
    "main",
    "map",
    "mark",
    "marquee",
    "math",
    "menu",
    "menuitem",
    "meta",
    "meter",
    "multicol",
    "nav",
    "nextid",
    "nobr",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "output",
    "p",
    "param",
    "picture",
    "plaintext",
    "pre",
    "progress",
    "q",
    "rb",
    "rp",
    "rt",
    "rtc",
    "ruby",
    "s",
    "samp",
    "script",
    "search",
    "section",
    "select",
    "slot",
    "small",
    "source",
    "spacer",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "track",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
    "xmp",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tokens::tokens;
    use crate::html::parse;

    fn symbols_in(page: &str) -> Vec<Symbol> {
        let document = parse(page.as_bytes(), None, &Default::default());
        symbols(&document, &tokens(&document))
    }

    #[test]
    fn normal_forms_are_shared_by_what_should_be_one() {
        for (a, b, equal) in [
            ("The FERRIES", "the ferry", true),
            ("1 2005", "77 9", true),
            ("3rd", "4th", false),
            ("<newselement>x", "<othertag>x", true),
            ("<i>x", "<b>x", false),
            ("!", "?", false),
            ("<br class=a>x", "<br>x", true),
        ] {
            assert_eq!(symbols_in(a) == symbols_in(b), equal, "{a} {b}");
        }
    }

    /// Shipped models hold these hashes.
    #[test]
    fn a_symbol_is_the_hash_of_its_normal_form() {
        let forms = [(SymbolKind::Open, "<i>"), (SymbolKind::Word, "ferri"), (SymbolKind::Close, "</i>")];
        let expect = forms.map(|(kind, form)| Symbol { code: fnv1a(form.as_bytes()), kind });
        assert!(symbols_in("<i>Ferries</i>").windows(3).any(|three| three == expect));
    }

    #[test]
    fn kinds_are_told_apart() {
        let tags = |page| symbols_in(page).into_iter().map(|symbol| symbol.kind).collect::<Vec<_>>();
        use SymbolKind::{Close, Open, Void, Word};
        let (before, after) = ([Open, Open, Close, Open], [Close, Close]);
        let between = [Open, Word, SymbolKind::Symbol, Void, Close];
        assert_eq!(tags("<p>a.<hr>"), [&before[..], &[Open, Word, SymbolKind::Symbol, Close, Void], &after].concat());
        assert_eq!(tags("<p>a.<br>"), [&before[..], &between, &after].concat());
        assert_eq!(symbols_in("<hr><br>hr<p>").into_iter().filter(|symbol| symbol.is_rule()).count(), 1);
        assert!(symbols_in("<hr>")[4].is_tag() && !symbols_in("hr")[4].is_tag());
    }

    #[test]
    fn codes_never_change() {
        // FNV-1a's published test vectors and one stem. Stored lessons and models depend on them.
        for (form, code) in [("", 0x811c_9dc5), ("a", 0xe40c_292c), ("foobar", 0xbf9c_f968)] {
            assert_eq!(fnv1a(form.as_bytes()), code, "{form}");
        }
        assert_eq!(symbols_in("generously")[4], Symbol::new(SymbolKind::Word, "generous"));
        assert!(COMMON.is_sorted());
    }
}
