//! What an element is, as far as evidence tells elements apart.

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
    /// The tag of an element of this name, in lower case.
    pub fn of(name: &str) -> Tag {
        match name {
            "html" => Tag::Html,
            "body" => Tag::Body,
            "div" => Tag::Div,
            "span" | "font" => Tag::Span,
            "p" => Tag::P,
            "a" => Tag::A,
            "h1" => Tag::Heading1,
            "h2" => Tag::Heading2,
            "h3" => Tag::Heading3,
            "h4" => Tag::Heading4,
            "h5" => Tag::Heading5,
            "h6" => Tag::Heading6,
            "ul" | "ol" | "menu" | "dir" => Tag::List,
            "li" => Tag::Item,
            "dl" => Tag::DescriptionList,
            "dt" | "dd" => Tag::Description,
            "table" | "tbody" | "thead" | "tfoot" | "tr" => Tag::Table,
            "td" | "th" => Tag::Cell,
            "article" => Tag::Article,
            "main" => Tag::Main,
            "section" => Tag::Section,
            "nav" => Tag::Nav,
            "aside" => Tag::Aside,
            "header" | "hgroup" => Tag::Header,
            "footer" => Tag::Footer,
            "form" => Tag::Form,
            "button" | "label" | "fieldset" | "legend" => Tag::Control,
            "figure" => Tag::Figure,
            "figcaption" | "caption" => Tag::Caption,
            "blockquote" | "q" => Tag::Blockquote,
            "pre" | "listing" | "xmp" | "plaintext" => Tag::Pre,
            "code" | "kbd" | "samp" | "tt" | "var" => Tag::Code,
            "details" | "summary" => Tag::Details,
            "dialog" => Tag::Dialog,
            "b" | "strong" | "i" | "em" | "u" | "mark" | "big" => Tag::Emphasis,
            "time" => Tag::Time,
            "address" => Tag::Address,
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
            assert_eq!(Tag::of(name).heading(), level, "{name}");
        }
    }
}
