//! The XML formats, in one reader: which elements hold entries, and which of their children say
//! where and when.

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use url::Url;

use super::{MAX_DEPTH, MAX_ENTRIES, MAX_VALUE_BYTES, NoListing, SiteListing, entry};

/// What a root element announces.
#[derive(Clone, Copy, PartialEq)]
enum ListingFormat {
    /// `urlset`: pages, in `url`.
    Sitemap,
    /// `sitemapindex`: sitemaps, in `sitemap`.
    Index,
    /// `rss` or `RDF`: pages, in `item`.
    Rss,
    /// `feed`: pages, in `entry`.
    Atom,
}

/// A child of an entry whose text is wanted.
#[derive(Clone, Copy, PartialEq)]
enum ListingField {
    Url,
    /// A `guid`, which is the URL where there is no `link`.
    Guid,
    Date,
}

/// The reader's state.
pub(super) struct Xml<'b> {
    base: &'b Url,
    format: Option<ListingFormat>,
    depth: usize,
    /// The depth of the entry that is open.
    entry_at: Option<usize>,
    field: Option<ListingField>,
    text: String,
    url: Option<String>,
    guid: Option<String>,
    date: Option<String>,
    listing: SiteListing,
}

impl<'b> Xml<'b> {
    pub(super) fn new(base: &'b Url) -> Self {
        Self {
            base,
            format: None,
            depth: 0,
            entry_at: None,
            field: None,
            text: String::new(),
            url: None,
            guid: None,
            date: None,
            listing: SiteListing::default(),
        }
    }

    /// Reads events until the end, a bound, or an error, which ends it like a bound.
    pub(super) fn read(mut self, stream: &mut impl BufRead) -> Result<SiteListing, NoListing> {
        let mut reader = Reader::from_reader(stream);
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        reader.config_mut().allow_dangling_amp = true;
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let goes_on = match reader.read_event_into(&mut buffer) {
                Ok(Event::Start(element)) => self.start(&element, false)?,
                Ok(Event::Empty(element)) => self.start(&element, true)?,
                Ok(Event::End(_)) => {
                    self.end();
                    true
                }
                Ok(Event::Text(text)) => self.add(&String::from_utf8_lossy(&text)),
                Ok(Event::CData(text)) => self.add(&String::from_utf8_lossy(&text)),
                Ok(Event::GeneralRef(reference)) => self.add_reference(&reference),
                Ok(Event::Eof) => break,
                Ok(_) => true,
                Err(_) => false,
            };
            if !goes_on {
                self.listing.cut = true;
                break;
            }
        }
        match self.format {
            Some(_) => Ok(self.listing),
            None => Err(NoListing),
        }
    }

    /// An element begins. `false` where a bound is reached.
    fn start(&mut self, element: &BytesStart<'_>, is_empty: bool) -> Result<bool, NoListing> {
        let name = element.local_name().as_ref().to_ascii_lowercase();
        let Some(format) = self.format else {
            self.format = Some(ListingFormat::from_root(&name).ok_or(NoListing)?);
            self.depth = usize::from(!is_empty);
            return Ok(true);
        };
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Ok(false);
        }
        match self.entry_at {
            None if name == format.entry() => {
                if self.listing.pages.len() + self.listing.sitemaps.len() >= MAX_ENTRIES {
                    return Ok(false);
                }
                self.entry_at = Some(self.depth);
            }
            Some(at) if self.depth == at + 1 => self.field(format, element, &name),
            _ => {}
        }
        if is_empty {
            self.end();
        }
        Ok(true)
    }

    /// A child of an entry begins.
    fn field(&mut self, format: ListingFormat, element: &BytesStart<'_>, name: &[u8]) {
        let attribute = |wanted: &str| {
            let found = element.attributes().with_checks(false).flatten().find(|a| a.key.as_ref() == wanted.as_bytes());
            found.filter(|found| found.value.len() <= MAX_VALUE_BYTES).map(|found| unescaped(&found.value))
        };
        self.text.clear();
        self.field = match (format, name) {
            (ListingFormat::Sitemap | ListingFormat::Index, b"loc") | (ListingFormat::Rss, b"link") => {
                Some(ListingField::Url)
            }
            (ListingFormat::Rss, b"guid") if attribute("isPermaLink").as_deref() != Some("false") => {
                Some(ListingField::Guid)
            }
            (ListingFormat::Sitemap | ListingFormat::Index, b"lastmod")
            | (ListingFormat::Rss, b"pubdate" | b"date")
            | (ListingFormat::Atom, b"updated" | b"modified") => Some(ListingField::Date),
            (ListingFormat::Atom, b"link") => {
                if attribute("rel").is_none_or(|rel| rel == "alternate") {
                    self.url = self.url.take().or_else(|| attribute("href"));
                }
                None
            }
            _ => None,
        };
    }

    fn end(&mut self) {
        if self.entry_at == Some(self.depth) {
            self.entry_at = None;
            self.keep();
        } else if self.entry_at.is_some_and(|at| self.depth == at + 1) {
            let text = std::mem::take(&mut self.text);
            let text = Some(text.trim().to_owned()).filter(|text| !text.is_empty() && text.len() <= MAX_VALUE_BYTES);
            match self.field.take() {
                Some(ListingField::Url) => self.url = self.url.take().or(text),
                Some(ListingField::Guid) => self.guid = self.guid.take().or(text),
                Some(ListingField::Date) => self.date = self.date.take().or(text),
                None => {}
            }
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// An entry is complete.
    fn keep(&mut self) {
        let (url, guid, date) = (self.url.take(), self.guid.take(), self.date.take());
        let url = match url {
            Some(url) => self.base.join(&url).ok(),
            None => guid.and_then(|guid| Url::parse(&guid).ok()), // A guid that is no URL is but a name.
        };
        let listed = url.and_then(|url| entry(url, date.as_deref()));
        match self.format {
            Some(ListingFormat::Index) => self.listing.sitemaps.extend(listed),
            _ => self.listing.pages.extend(listed),
        }
    }

    /// Text. What is too long for a value is known to be by a byte more.
    fn add(&mut self, text: &str) -> bool {
        if self.field.is_some() {
            let left = (MAX_VALUE_BYTES + 1).saturating_sub(self.text.len());
            self.text.extend(text.chars().take(left));
        }
        true
    }

    /// `&amp;` and the like. An entity of the document's own means nothing.
    fn add_reference(&mut self, reference: &BytesRef<'_>) -> bool {
        match resolve(&String::from_utf8_lossy(reference)) {
            Some(character) => self.add(character.encode_utf8(&mut [0; 4])),
            None => true,
        }
    }
}

impl ListingFormat {
    fn from_root(root: &[u8]) -> Option<Self> {
        match root {
            b"urlset" => Some(Self::Sitemap),
            b"sitemapindex" => Some(Self::Index),
            b"rss" | b"rdf" => Some(Self::Rss),
            b"feed" => Some(Self::Atom),
            _ => None,
        }
    }

    fn entry(self) -> &'static [u8] {
        match self {
            Self::Sitemap => b"url",
            Self::Index => b"sitemap",
            Self::Rss => b"item",
            Self::Atom => b"entry",
        }
    }
}

/// The character that a reference stands for: one of XML's five, or a number.
fn resolve(reference: &str) -> Option<char> {
    match reference {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = reference.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

/// An attribute's value with its references resolved; those that mean nothing stay as they are.
/// Quadratic at worst, in a value that is bounded.
fn unescaped(value: &[u8]) -> String {
    let value = String::from_utf8_lossy(value);
    let mut out = String::new();
    let mut rest = &*value;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let resolved = after.split_once(';').and_then(|(name, after)| Some((resolve(name)?, after)));
        let (character, after) = resolved.unwrap_or(('&', after));
        out.push(character);
        rest = after;
    }
    out.push_str(rest);
    out
}
