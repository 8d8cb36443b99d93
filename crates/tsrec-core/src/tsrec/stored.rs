//! The stored form of a tag sequence. Each element has its own content, so that older stores can
//! still be read.

use std::borrow::Cow;

use html5ever::LocalName;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::sequence::{Element, Inline, TagSequence};
use crate::html::NodeId;

/// A sequence: a list of elements.
#[derive(Serialize, Deserialize)]
#[serde(rename = "TagSequence")]
struct StoredSequence<E> {
    elements: E,
}

/// An element, without the node that made it.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Element")]
struct StoredElement<N, C> {
    name: N,
    begin: u32,
    end: u32,
    parent: u32,
    level: u32,
    hidden: bool,
    content: C,
}

/// A piece of content, without its node.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Inline")]
enum StoredInline<'d> {
    Tag(#[serde(borrow)] Cow<'d, str>),
    Text {
        #[serde(borrow)]
        text: Cow<'d, str>,
        linked: bool,
    },
}

/// Lets `collect_seq` write a field.
struct List<F>(F);

impl<F, I> Serialize for List<F>
where
    F: Fn() -> I,
    I: ExactSizeIterator,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

impl Serialize for TagSequence<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let element = |element| {
            let &Element { ref name, begin, end, parent, level, hidden, .. } = element;
            let content = List(move || self.content(element).iter().map(StoredInline::from_inline));
            StoredElement { name: &**name, begin, end, parent, level, hidden, content }
        };
        StoredSequence { elements: List(|| self.elements().iter().map(element)) }.serialize(serializer)
    }
}

impl<'de: 'd, 'd> Deserialize<'de> for TagSequence<'d> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        type Read<'d> = StoredElement<Cow<'d, str>, Vec<StoredInline<'d>>>;
        let StoredSequence { elements: stored } = StoredSequence::<Vec<Read<'d>>>::deserialize(deserializer)?;
        let mut content = Vec::with_capacity(stored.iter().map(|element| element.content.len()).sum());
        let element = |stored: Read<'d>| {
            let StoredElement { name, begin, end, parent, level, hidden, content: own } = stored;
            let start = content.len() as u32;
            content.extend(own.into_iter().map(StoredInline::read));
            let own = start..content.len() as u32;
            let node = NodeId::default();
            Element { name: LocalName::from(&*name), begin, end, parent, level, hidden, node, content: own }
        };
        let elements = stored.into_iter().map(element).collect();
        Ok(TagSequence::new(elements, content))
    }
}

impl<'d> StoredInline<'d> {
    fn from_inline(piece: &'d Inline<'_>) -> StoredInline<'d> {
        match piece {
            Inline::Tag(name) => StoredInline::Tag(Cow::Borrowed(name)),
            Inline::Text { text, linked, .. } => StoredInline::Text { text: Cow::Borrowed(text), linked: *linked },
        }
    }

    fn read(self) -> Inline<'d> {
        match self {
            StoredInline::Tag(name) => Inline::Tag(LocalName::from(&*name)),
            StoredInline::Text { text, linked } => Inline::Text { text, linked, node: NodeId::default() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::tsrec::build::tag_sequence;

    /// The sequence of the page below, field by field, as stores hold it (`postcard`).
    const BEFORE: &[u8] = b"\x06\
        \x04html\x00\x0b\x00\x00\x00\x00\
        \x04body\x01\x0a\x00\x01\x00\x00\
        \x01p\x02\x03\x01\x02\x00\x03\x01\x03one\x00\x00\x01a\x01\x03two\x01\
        \x02ul\x04\x07\x01\x02\x01\x00\
        \x02li\x05\x06\x04\x03\x01\x01\x01\x05three\x00\
        \x00\x08\x09\x01\x02\x00\x01\x01\x04four\x00";

    #[test]
    fn what_was_stored_before_is_read_and_written_the_same() {
        let page = "<p>one <a href=x>two</a><ul hidden><li>three</ul>four";
        let document = parse(page.as_bytes(), None, &Default::default());
        let sequence = tag_sequence(&document);
        let written = postcard::to_stdvec(&sequence).unwrap();
        assert_eq!(written, BEFORE);
        let read: TagSequence<'_> = postcard::from_bytes(BEFORE).unwrap();
        assert_eq!(postcard::to_stdvec(&read).unwrap(), BEFORE);
        let texts = |sequence: &TagSequence<'_>| {
            let texts = sequence.elements().iter().flat_map(|element| sequence.texts(element));
            texts.map(|(text, linked)| (text.to_owned(), linked)).collect::<Vec<_>>()
        };
        assert_eq!(texts(&read), texts(&sequence));
        assert_eq!(texts(&read).len(), 4);
    }
}
