//! The kinds of elements that evidence tells apart.

/// The kinds of elements that evidence knows; all others are [`Tag::Other`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "each is the element of that name, or the group that its comment names")]
pub enum Tag {
    Other,
    Html,
    Body,
    Div,
    Span,
    P,
    A,
    /// `h1` to `h6`.
    Heading1,
    Heading2,
    Heading3,
    Heading4,
    Heading5,
    Heading6,
    /// `ul`, `ol`, `menu`, `dir`.
    List,
    /// `li`.
    Item,
    /// `dl`.
    DescriptionList,
    /// `dt`, `dd`.
    Description,
    /// `table`, `tbody`, `thead`, `tfoot`, `tr`.
    Table,
    /// `td`, `th`.
    Cell,
    Article,
    Main,
    Section,
    Nav,
    Aside,
    Header,
    Footer,
    Form,
    /// `button`, `label`, `fieldset`, `legend`.
    Control,
    Figure,
    /// `figcaption`, `caption`.
    Caption,
    Blockquote,
    /// `pre`, `listing`, `xmp`, `plaintext`.
    Pre,
    /// `code`, `kbd`, `samp`, `tt`, `var`.
    Code,
    /// `details`, `summary`.
    Details,
    Dialog,
    /// `b`, `strong`, `i`, `em`, `u`, `mark`, `big`.
    Emphasis,
    Time,
    Address,
}

impl Tag {
    /// The tag of an element with this name, in lower case.
    pub fn from_name(name: &str) -> Tag {
        // Matches bytes; see `html::elements::default_display`.
        match name.as_bytes() {
            b"html" => Tag::Html,
            b"body" => Tag::Body,
            b"div" => Tag::Div,
            b"span" | b"font" => Tag::Span,
            b"p" => Tag::P,
            b"a" => Tag::A,
            b"h1" => Tag::Heading1,
            b"h2" => Tag::Heading2,
            b"h3" => Tag::Heading3,
            b"h4" => Tag::Heading4,
            b"h5" => Tag::Heading5,
            b"h6" => Tag::Heading6,
            b"ul" | b"ol" | b"menu" | b"dir" => Tag::List,
            b"li" => Tag::Item,
            b"dl" => Tag::DescriptionList,
            b"dt" | b"dd" => Tag::Description,
            b"table" | b"tbody" | b"thead" | b"tfoot" | b"tr" => Tag::Table,
            b"td" | b"th" => Tag::Cell,
            b"article" => Tag::Article,
            b"main" => Tag::Main,
            b"section" => Tag::Section,
            b"nav" => Tag::Nav,
            b"aside" => Tag::Aside,
            b"header" | b"hgroup" => Tag::Header,
            b"footer" => Tag::Footer,
            b"form" => Tag::Form,
            b"button" | b"label" | b"fieldset" | b"legend" => Tag::Control,
            b"figure" => Tag::Figure,
            b"figcaption" | b"caption" => Tag::Caption,
            b"blockquote" | b"q" => Tag::Blockquote,
            b"pre" | b"listing" | b"xmp" | b"plaintext" => Tag::Pre,
            b"code" | b"kbd" | b"samp" | b"tt" | b"var" => Tag::Code,
            b"details" | b"summary" => Tag::Details,
            b"dialog" => Tag::Dialog,
            b"b" | b"strong" | b"i" | b"em" | b"u" | b"mark" | b"big" => Tag::Emphasis,
            b"time" => Tag::Time,
            b"address" => Tag::Address,
            _ => Tag::Other,
        }
    }

    /// The level of a heading, 1 to 6.
    pub fn heading(self) -> Option<u8> {
        let level = (self as u8).checked_sub(Tag::Heading1 as u8)? + 1;
        (level <= 6).then_some(level)
    }
}

#[cfg(test)]
mod tests {
    use super::Tag;

    #[test]
    fn headings_have_levels() {
        for (name, level) in [("h1", Some(1)), ("h6", Some(6)), ("ul", None), ("a", None), ("x-y", None)] {
            assert_eq!(Tag::from_name(name).heading(), level, "{name}");
        }
    }
}
