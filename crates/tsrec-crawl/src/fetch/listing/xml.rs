//! One reader for the XML formats. It knows which elements hold entries, and which children hold
//! the URL and the date.

use std::io::BufRead;

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;
use url::Url;

use super::{EntryKind, ListingEnd, MAX_DEPTH, MAX_ENTRIES, MAX_VALUE_BYTES, NoListing, Take, entry};

/// The format that a root element names.
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

/// A child of an entry whose text the reader needs.
#[derive(Clone, Copy, PartialEq)]
enum ListingField {
    Url,
    /// A `guid`, which is the URL if there is no `link`.
    Guid,
    Date,
}

/// The reader's state.
pub(super) struct Xml<'b, 't> {
    /// Takes the entries.
    take: &'b mut Take<'t>,
    base: &'b Url,
    /// Bases of open elements (`xml:base`), each with its depth.
    bases: Vec<(usize, Url)>,
    format: Option<ListingFormat>,
    /// The namespace of the root.
    namespace: Option<Vec<u8>>,
    depth: usize,
    /// The depth of the open entry.
    entry_at: Option<usize>,
    field: Option<ListingField>,
    text: String,
    url: Option<String>,
    guid: Option<String>,
    date: Option<String>,
    /// Other versions of the entry's page.
    alternates: Vec<String>,
    /// Entries kept, without alternates.
    kept: usize,
    /// Alternates kept of all entries.
    alternates_kept: usize,
    /// Whether something was left out.
    cut: bool,
}

/// The namespaces of RSS. Most feeds have none.
const RSS: [&[u8]; 4] = [
    b"http://purl.org/rss/1.0/",
    b"http://my.netscape.com/rdf/simple/0.9/",
    b"http://backend.userland.com/rss2",
    b"http://purl.org/dc/elements/1.1/",
];

/// The namespace of `xhtml:link`.
const XHTML: &[u8] = b"http://www.w3.org/1999/xhtml";

/// Alternates read of an entry. Judgement: a page in each language of the web.
const MOST_ALTERNATES: usize = 200;

/// The namespace of an element; `None` if it has none.
fn namespace<'n>(resolved: &ResolveResult<'n>) -> Option<&'n [u8]> {
    match resolved {
        ResolveResult::Bound(namespace) => Some(namespace.0),
        ResolveResult::Unbound => None,
        // Not declared: it is none of ours.
        ResolveResult::Unknown(_) => Some(b"?"),
    }
}

impl<'b, 't> Xml<'b, 't> {
    pub(super) fn new(base: &'b Url, take: &'b mut Take<'t>) -> Self {
        Self {
            take,
            base,
            bases: Vec::new(),
            format: None,
            namespace: None,
            depth: 0,
            entry_at: None,
            field: None,
            text: String::new(),
            url: None,
            guid: None,
            date: None,
            alternates: Vec::new(),
            kept: 0,
            alternates_kept: 0,
            cut: false,
        }
    }

    /// Reads events until the end, a limit, or an error. An error ends the listing as a limit does.
    pub(super) fn read(mut self, stream: &mut impl BufRead) -> Result<ListingEnd, NoListing> {
        let mut reader = NsReader::from_reader(stream);
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        reader.config_mut().allow_dangling_amp = true;
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let goes_on = match reader.read_resolved_event_into(&mut buffer) {
                Ok((of, Event::Start(element))) => self.start(namespace(&of), &element, false)?,
                Ok((of, Event::Empty(element))) => self.start(namespace(&of), &element, true)?,
                Ok((_, Event::End(_))) => self.end(),
                Ok((_, Event::Text(text))) => self.add(&String::from_utf8_lossy(&text)),
                Ok((_, Event::CData(text))) => self.add(&String::from_utf8_lossy(&text)),
                Ok((_, Event::GeneralRef(reference))) => self.add_reference(&reference),
                Ok((_, Event::Eof)) => break,
                Ok(_) => true,
                Err(_) => false,
            };
            if !goes_on {
                self.cut = true;
                break;
            }
        }
        match self.format {
            Some(_) => Ok(ListingEnd { cut: self.cut }),
            None => Err(NoListing),
        }
    }

    /// An element begins. `false` at a limit.
    fn start(&mut self, of: Option<&[u8]>, element: &BytesStart<'_>, is_empty: bool) -> Result<bool, NoListing> {
        let name = element.local_name().as_ref().to_ascii_lowercase();
        let Some(format) = self.format else {
            self.format = Some(ListingFormat::from_root(&name).ok_or(NoListing)?);
            self.namespace = of.map(<[u8]>::to_vec);
            self.depth = usize::from(!is_empty);
            self.rebase(element);
            return Ok(true);
        };
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Ok(false);
        }
        self.rebase(element);
        let is_ours = match format {
            // Dates are those of Dublin Core, however it is named.
            ListingFormat::Rss => {
                let is_date = matches!(&*name, b"date" | b"pubdate");
                is_date || of.is_none_or(|of| RSS.contains(&of)) || of == self.namespace.as_deref()
            }
            _ => of == self.namespace.as_deref(),
        };
        match self.entry_at {
            Some(at) if self.depth == at + 1 && !is_ours => self.alternate(of, element, &name),
            _ if !is_ours => {}
            None if name == format.entry() => {
                if self.kept >= MAX_ENTRIES {
                    return Ok(false);
                }
                self.entry_at = Some(self.depth);
            }
            Some(at) if self.depth == at + 1 => self.field(format, element, &name),
            _ => {}
        }
        Ok(!is_empty || self.end())
    }

    /// An element may move the base of what is in it.
    fn rebase(&mut self, element: &BytesStart<'_>) {
        let base = attribute(element, "xml:base").and_then(|base| self.base().join(base.trim()).ok());
        if let Some(base) = base.filter(|base| matches!(base.scheme(), "http" | "https")) {
            self.bases.push((self.depth, base));
        }
    }

    fn base(&self) -> &Url {
        self.bases.last().map_or(self.base, |(_, base)| base)
    }

    /// A child of an entry that is none of the format: perhaps an alternate of its page.
    fn alternate(&mut self, of: Option<&[u8]>, element: &BytesStart<'_>, name: &[u8]) {
        let is_alternate = of == Some(XHTML)
            && name == b"link"
            && attribute(element, "rel").is_none_or(|rel| rel.eq_ignore_ascii_case("alternate"));
        if is_alternate && self.alternates.len() < MOST_ALTERNATES {
            self.alternates.extend(attribute(element, "href"));
        }
    }

    /// A child of an entry begins.
    fn field(&mut self, format: ListingFormat, element: &BytesStart<'_>, name: &[u8]) {
        let attribute = |wanted: &str| attribute(element, wanted);
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
                    // Its own `xml:base` counts, too.
                    let href = attribute("href").and_then(|href| self.base().join(&href).ok());
                    self.url = self.url.take().or(href.map(String::from));
                }
                None
            }
            _ => None,
        };
    }

    /// An element ends. `false` if no more entries are taken.
    fn end(&mut self) -> bool {
        let mut goes_on = true;
        if self.entry_at == Some(self.depth) {
            self.entry_at = None;
            goes_on = self.keep();
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
        while self.bases.last().is_some_and(|(depth, _)| *depth >= self.depth) {
            self.bases.pop();
        }
        self.depth = self.depth.saturating_sub(1);
        goes_on
    }

    /// An entry is complete. `false` if no more are taken.
    fn keep(&mut self) -> bool {
        let (url, guid, date) = (self.url.take(), self.guid.take(), self.date.take());
        let url = match url {
            Some(url) => self.base().join(&url).ok(),
            None => guid.and_then(|guid| Url::parse(&guid).ok()), // A guid that is no URL is but a name.
        };
        let kind = if self.format == Some(ListingFormat::Index) { EntryKind::Sitemap } else { EntryKind::Page };
        if let Some(listed) = url.and_then(|url| entry(kind, url, date.as_deref())) {
            self.kept += 1;
            if !(self.take)(listed) {
                return false;
            }
        }
        for alternate in std::mem::take(&mut self.alternates) {
            let alternate = self.base().join(alternate.trim()).ok();
            let Some(listed) = alternate.and_then(|url| entry(EntryKind::Alternate, url, None)) else { continue };
            if self.alternates_kept >= MAX_ENTRIES {
                self.cut = true;
                break;
            }
            self.alternates_kept += 1;
            if !(self.take)(listed) {
                return false;
            }
        }
        true
    }

    /// Text. The reader keeps one byte more than the limit, to see that a value is too long.
    fn add(&mut self, text: &str) -> bool {
        if self.field.is_some() {
            let left = (MAX_VALUE_BYTES + 1).saturating_sub(self.text.len());
            self.text.extend(text.chars().take(left));
        }
        true
    }

    /// A reference such as `&amp;`. Entities that the document defines itself are ignored.
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

/// An attribute of an element, unless it is too long.
fn attribute(element: &BytesStart<'_>, wanted: &str) -> Option<String> {
    let found = element.attributes().with_checks(false).flatten().find(|a| a.key.as_ref() == wanted.as_bytes());
    found.filter(|found| found.value.len() <= MAX_VALUE_BYTES).map(|found| unescaped(&found.value))
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

/// An attribute's value with its references resolved. Unknown references stay as they are.
/// Quadratic at worst, in a value with a length limit.
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
