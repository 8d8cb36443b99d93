//! Text to tokens: the HTML standard's section 13.2.5, for a text that is complete.
//!
//! html5ever's tokenizer reads a character at a time. Here each text, script and attribute is one
//! search ([`raw`]). Tests compare the tokens with html5ever's.

mod doctype;
mod names;
mod raw;
pub(super) mod reference;
mod xml;

use std::borrow::Cow;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::{Attribute, LocalName, QualName, local_name, ns};
use memchr::{memchr, memchr_iter, memchr3};

use doctype::doctype;
use names::Names;
use raw::is_space;

/// Receives tokens.
pub(super) trait Receiver: TokenSink {
    /// Takes the attributes of the next start tag, unless its token must hold them.
    fn take_attributes<'a>(&self, name: &LocalName, list: impl Iterator<Item = (LocalName, &'a str)>) -> bool;

    /// True once it takes nothing more.
    fn is_full(&self) -> bool;
}

/// What the next characters are.
enum TokenizerState {
    Data,
    Raw(RawKind),
    Plaintext,
}

/// An attribute's value: a range of the text, or a text with references resolved.
enum AttributeValue {
    Range(usize, usize),
    Resolved(String),
}

/// See the [module](self).
pub(super) struct Tokenizer<'t, R> {
    pub(super) receiver: R,
    text: &'t str,
    /// The same text; tokens share it.
    shared: StrTendril,
    at: usize,
    state: TokenizerState,
    names: Names,
    last_start: LocalName,
    /// Whether the page is declared as XML, in which any tag can close itself.
    is_xml: bool,
    /// Whether a `noscript` is open, and where the next `noscript` end tag begins (searched once).
    /// A browser ends the text of `noscript` there, whatever is in it.
    in_noscript: bool,
    noscript_end: usize,
    attributes: Vec<(LocalName, AttributeValue)>,
    most_attributes: usize,
    had_more_attributes: bool,
}

/// The text after the standard's preprocessing: every line ends in a line feed.
pub(super) fn normalised(text: &str) -> Cow<'_, str> {
    let mut returns = memchr_iter(b'\r', text.as_bytes()).peekable();
    if returns.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    for at in returns {
        out.push_str(&text[kept..at]);
        kept = at + 1;
        if text.as_bytes().get(kept) != Some(&b'\n') {
            out.push('\n');
        }
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

impl<'t, R: Receiver> Tokenizer<'t, R> {
    /// Reads a [`normalised`] text, and at most `most_attributes` attributes of each tag.
    pub(super) fn new(text: &'t str, receiver: R, most_attributes: usize) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Tokenizer {
            receiver,
            text,
            shared: StrTendril::from_slice(text),
            at: 0,
            state: TokenizerState::Data,
            names: Names::new(),
            last_start: LocalName::default(),
            is_xml: xml::is_declared(text),
            in_noscript: false,
            noscript_end: 0,
            attributes: Vec::new(),
            most_attributes,
            had_more_attributes: false,
        }
    }

    /// Reads all of it.
    pub(super) fn run(&mut self) {
        while self.at < self.text.len() && !self.receiver.is_full() {
            match self.state {
                TokenizerState::Data => self.data(),
                TokenizerState::Raw(kind) => self.raw_text(kind),
                TokenizerState::Plaintext => {
                    self.emit_replaced(self.at, self.text.len());
                    self.at = self.text.len();
                }
            }
        }
        let _ = self.receiver.process_token(Token::EOFToken, 1);
        self.receiver.end();
    }

    /// True if a tag had more attributes than were read.
    pub(super) fn had_more_attributes(&self) -> bool {
        self.had_more_attributes
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes().get(at).copied()
    }

    fn emit(&mut self, token: Token) {
        match self.receiver.process_token(token, 1) {
            TokenSinkResult::RawData(kind) => self.state = TokenizerState::Raw(kind),
            TokenSinkResult::Plaintext => self.state = TokenizerState::Plaintext,
            // We run no script, and the encoding is known.
            TokenSinkResult::Continue | TokenSinkResult::Script(_) | TokenSinkResult::EncodingIndicator(_) => {}
        }
    }

    /// A range of the text, shared.
    fn slice(&self, from: usize, to: usize) -> StrTendril {
        self.shared.subtendril(from as u32, (to - from) as u32)
    }

    fn emit_slice(&mut self, from: usize, to: usize) {
        if from < to {
            let text = self.slice(from, to);
            self.emit(Token::CharacterTokens(text));
        }
    }

    /// Emits text with NUL replaced by U+FFFD.
    fn emit_replaced(&mut self, from: usize, to: usize) {
        match memchr(0, &self.bytes()[from..to]) {
            None => self.emit_slice(from, to),
            Some(_) => {
                let text = self.text[from..to].replace('\0', "\u{fffd}");
                self.emit(Token::CharacterTokens(text.into()));
            }
        }
    }

    /// Emits text up to the next markup, and that markup.
    fn data(&mut self) {
        let from = self.at;
        let mut to = from;
        loop {
            let Some(found) = memchr3(b'<', b'&', 0, &self.bytes()[to..]) else {
                to = self.text.len();
                break;
            };
            to += found;
            match self.byte(to) {
                Some(b'<') if self.is_markup(to) => break,
                Some(0) => {
                    self.emit_slice(from, to);
                    self.emit(Token::NullCharacterToken);
                    self.at = to + 1;
                    return;
                }
                Some(b'&') if reference::read(&self.text[to + 1..], false).is_some() => {
                    self.at = self.resolved_text(from, to);
                    return;
                }
                _ => to += 1,
            }
        }
        self.emit_slice(from, to);
        self.at = to;
        if to < self.text.len() {
            self.markup();
        }
    }

    /// Emits text with references up to the next markup or NUL, and returns its position. The first
    /// reference is at `next`.
    fn resolved_text(&mut self, from: usize, next: usize) -> usize {
        let mut out = String::new();
        let (mut kept, mut at) = (from, next);
        while let Some(byte) = self.byte(at) {
            match byte {
                b'<' if self.is_markup(at) => break,
                0 => break,
                b'&' => kept = self.resolve(&mut out, kept, at, false, &mut at),
                _ => at += 1,
            }
            at += memchr3(b'<', b'&', 0, &self.bytes()[at..]).unwrap_or(self.text.len() - at);
        }
        out.push_str(&self.text[kept..at]);
        self.emit(Token::CharacterTokens(out.into()));
        at
    }

    /// Reads the `&` at `at` and moves past it. Returns where the text not yet in `out` begins.
    fn resolve(&self, out: &mut String, kept: usize, from: usize, in_attribute: bool, at: &mut usize) -> usize {
        *at = from + 1;
        let Some(found) = reference::read(&self.text[*at..], in_attribute) else { return kept };
        out.push_str(&self.text[kept..from]);
        out.extend(found.characters.into_iter().flatten());
        *at += found.length;
        *at
    }

    /// Whether a `<` begins a tag, a comment or the like.
    fn is_markup(&self, at: usize) -> bool {
        match self.byte(at + 1) {
            Some(b'!' | b'?') => true,
            Some(b'/') => at + 2 < self.text.len(),
            Some(next) => next.is_ascii_alphabetic(),
            None => false,
        }
    }

    fn markup(&mut self) {
        let next = self.at + 1;
        match self.byte(next) {
            Some(b'!') => self.declaration(next + 1),
            Some(b'/') => match self.byte(next + 1) {
                Some(letter) if letter.is_ascii_alphabetic() => self.tag(TagKind::EndTag, next + 1),
                Some(b'>') => self.at = next + 2,
                _ => self.bogus_comment(next + 1),
            },
            Some(b'?') => self.bogus_comment(next),
            _ => self.tag(TagKind::StartTag, next),
        }
    }

    fn bogus_comment(&mut self, from: usize) {
        self.at = memchr(b'>', &self.bytes()[from..]).map_or(self.text.len(), |end| from + end + 1);
        self.emit(Token::CommentToken(StrTendril::new()));
    }

    /// Reads what follows `<!`.
    fn declaration(&mut self, from: usize) {
        const CDATA: &[u8] = b"[CDATA[";
        let rest = &self.bytes()[from..];
        if rest.starts_with(b"--") {
            self.at = raw::comment_end(self.bytes(), from + 2);
            self.emit(Token::CommentToken(StrTendril::new()));
        } else if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            self.at = memchr(b'>', rest).map_or(self.text.len(), |end| from + end + 1);
            let doctype = doctype(&self.text[from - 2..self.at]);
            self.emit(Token::DoctypeToken(doctype));
        } else if rest.starts_with(CDATA) && self.receiver.adjusted_current_node_present_but_not_in_html_namespace() {
            self.cdata(from + CDATA.len());
        } else {
            self.bogus_comment(from);
        }
    }

    fn cdata(&mut self, from: usize) {
        let end = memchr::memmem::find(&self.bytes()[from..], b"]]>").map(|end| from + end);
        let to = end.unwrap_or(self.text.len());
        let mut kept = from;
        for null in memchr_iter(0, &self.bytes()[from..to]) {
            self.emit_slice(kept, from + null);
            self.emit(Token::NullCharacterToken);
            kept = from + null + 1;
        }
        self.emit_slice(kept, to);
        self.at = end.map_or(to, |end| end + 3);
    }

    /// Reads a tag whose name begins at `from`. If the page ends in it, it is not a tag.
    fn tag(&mut self, kind: TagKind, from: usize) {
        let end = self.skip(from, |byte| !is_space(byte) && byte != b'/' && byte != b'>');
        let Some(self_closing) = self.read_attributes(end, kind) else {
            self.at = self.text.len();
            return;
        };
        let name = self.names.get(&self.text[from..end]);
        self.state = TokenizerState::Data;
        let mut attrs = Vec::new();
        if kind == TagKind::StartTag {
            self.last_start = name.clone();
            if !self.attributes.is_empty() {
                attrs = self.hand_over(&name);
            }
        }
        if name == local_name!("noscript") {
            self.noscript(kind);
        }
        let is_empty = self_closing && kind == TagKind::StartTag && self.is_empty_in_xml(&name);
        let closed = is_empty.then(|| name.clone());
        // An element that is closed here must count as open until then.
        let self_closing = self_closing && !is_empty;
        self.emit(Token::TagToken(Tag { kind, name, self_closing, attrs, had_duplicate_attributes: false }));
        if let Some(name) = closed {
            self.close(name);
        }
    }

    /// Whether a self-closing tag ends the element although HTML would not end it. In SVG and
    /// MathML, HTML does end it.
    fn is_empty_in_xml(&self, name: &LocalName) -> bool {
        self.is_xml
            && xml::takes_what_follows(name)
            && !self.receiver.adjusted_current_node_present_but_not_in_html_namespace()
    }

    /// Closes an element that has no end tag in the page.
    fn close(&mut self, name: LocalName) {
        self.state = TokenizerState::Data;
        self.in_noscript &= name != local_name!("noscript");
        let (kind, attrs) = (TagKind::EndTag, Vec::new());
        self.emit(Token::TagToken(Tag { kind, name, self_closing: false, attrs, had_duplicate_attributes: false }));
    }

    /// Opens or closes a `noscript`.
    fn noscript(&mut self, kind: TagKind) {
        self.in_noscript = kind == TagKind::StartTag;
        if self.in_noscript && self.noscript_end < self.at {
            self.noscript_end = raw::end_tag(self.bytes(), self.at, "noscript").unwrap_or(self.text.len());
        }
    }

    /// The attributes for the token of a start tag; none if the receiver took them.
    fn hand_over(&mut self, name: &LocalName) -> Vec<Attribute> {
        let text = self.text;
        let mut list = std::mem::take(&mut self.attributes);
        let borrowed = list.iter().map(|(name, value)| {
            let value = match value {
                AttributeValue::Range(from, to) => &text[*from..*to],
                AttributeValue::Resolved(value) => value,
            };
            (name.clone(), value)
        });
        let attrs = match self.receiver.take_attributes(name, borrowed) {
            true => Vec::new(),
            false => list
                .drain(..)
                .map(|(name, value)| {
                    let value = match value {
                        AttributeValue::Range(from, to) => self.slice(from, to),
                        AttributeValue::Resolved(value) => value.into(),
                    };
                    Attribute { name: QualName::new(None, ns!(), name), value }
                })
                .collect(),
        };
        list.clear();
        self.attributes = list;
        attrs
    }

    fn skip(&self, from: usize, test: impl Fn(u8) -> bool) -> usize {
        self.bytes()[from..].iter().position(|&byte| !test(byte)).map_or(self.text.len(), |found| from + found)
    }

    /// Reads attributes from `at` to past the tag's `>`. Returns whether the tag closes itself;
    /// `None` if the page ends in it.
    fn read_attributes(&mut self, mut at: usize, kind: TagKind) -> Option<bool> {
        self.attributes.clear();
        let mut seen = 0;
        loop {
            at = self.skip(at, is_space);
            match self.byte(at)? {
                b'>' => {
                    self.at = at + 1;
                    return Some(false);
                }
                b'/' if self.byte(at + 1)? == b'>' => {
                    self.at = at + 2;
                    return Some(true);
                }
                b'/' => {
                    at += 1;
                    continue;
                }
                _ => {}
            }
            // A name may begin with `=`.
            let name_end = self.skip(at + 1, |byte| !is_space(byte) && !matches!(byte, b'/' | b'>' | b'='));
            let equals = self.skip(name_end, is_space);
            let (value, end) = match self.byte(equals)? {
                b'=' => self.value(equals + 1)?,
                _ => (AttributeValue::Range(equals, equals), equals),
            };
            seen += 1;
            if kind == TagKind::StartTag && seen <= self.most_attributes {
                let name = self.names.get(&self.text[at..name_end]);
                if self.attributes.iter().all(|(known, _)| *known != name) {
                    self.attributes.push((name, value));
                }
            } else {
                self.had_more_attributes |= kind == TagKind::StartTag;
            }
            at = end;
        }
    }

    /// The value of an attribute whose `=` is before `at`, and where it ends. `None` if the page
    /// ends in it.
    fn value(&self, at: usize) -> Option<(AttributeValue, usize)> {
        let from = self.skip(at, is_space);
        match self.byte(from)? {
            quote @ (b'"' | b'\'') => {
                let to = from + 1 + memchr(quote, &self.bytes()[from + 1..])?;
                Some((self.resolved_value(from + 1, to), to + 1))
            }
            b'>' => Some((AttributeValue::Range(from, from), from)),
            _ => {
                let to = self.skip(from, |byte| !is_space(byte) && byte != b'>');
                self.byte(to)?;
                Some((self.resolved_value(from, to), to))
            }
        }
    }

    fn resolved_value(&self, from: usize, to: usize) -> AttributeValue {
        let bytes = &self.bytes()[from..to];
        let Some(first) = memchr::memchr2(b'&', 0, bytes) else { return AttributeValue::Range(from, to) };
        let mut out = String::new();
        let (mut kept, mut at) = (from, from + first);
        while at < to {
            match self.byte(at) {
                // A quotation mark, white space or `>` follows the value; none is part of a
                // reference.
                Some(b'&') => kept = self.resolve(&mut out, kept, at, true, &mut at),
                _ => at += 1,
            }
            at += memchr(b'&', &self.bytes()[at..to]).unwrap_or(to - at);
        }
        out.push_str(&self.text[kept..to]);
        AttributeValue::Resolved(if memchr(0, bytes).is_some() { out.replace('\0', "\u{fffd}") } else { out })
    }

    /// Emits the text of an element without markup, up to its end tag, and that tag. In a
    /// `noscript` it ends at the end of that; else an unclosed `iframe` there would take the rest
    /// of the page.
    fn raw_text(&mut self, kind: RawKind) {
        let from = self.at;
        let is_bounded = self.in_noscript && self.noscript_end >= from;
        let until = if is_bounded { self.noscript_end } else { self.text.len() };
        let bytes = &self.bytes()[..until];
        let end = match kind {
            RawKind::ScriptData | RawKind::ScriptDataEscaped(_) => raw::script_end(bytes, from),
            RawKind::Rcdata | RawKind::Rawtext => raw::end_tag(bytes, from, &self.last_start),
        };
        let to = end.unwrap_or(until);
        match kind {
            RawKind::Rcdata => match self.resolved_value_of_text(from, to) {
                AttributeValue::Range(from, to) => self.emit_slice(from, to),
                AttributeValue::Resolved(text) => self.emit(Token::CharacterTokens(text.into())),
            },
            _ => self.emit_replaced(from, to),
        }
        self.at = to;
        if end.is_some() {
            self.tag(TagKind::EndTag, to + 2);
        } else if to < self.text.len() {
            self.close(self.last_start.clone());
        }
    }

    fn resolved_value_of_text(&self, from: usize, to: usize) -> AttributeValue {
        let bytes = &self.bytes()[from..to];
        if memchr::memchr2(b'&', 0, bytes).is_none() {
            return AttributeValue::Range(from, to);
        }
        let mut out = String::new();
        let (mut kept, mut at) = (from, from);
        while at < to {
            at += memchr(b'&', &self.bytes()[at..to]).unwrap_or(to - at);
            if at < to {
                kept = self.resolve(&mut out, kept, at, false, &mut at);
            }
        }
        out.push_str(&self.text[kept..to]);
        AttributeValue::Resolved(out.replace('\0', "\u{fffd}"))
    }
}

#[cfg(test)]
mod tests;
