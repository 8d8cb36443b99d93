//! Computed values of the `display` property, as far as they matter for the flow of text.

/// How a node takes part in layout: the values of the CSS `display` property. Values with the same
/// layout share a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Display {
    /// `none`: neither the node nor anything below it is laid out.
    None,
    /// `contents`: the node makes no box, and its children take its place.
    Contents,
    /// `inline`, and the values for ruby: flows in a line. Text nodes have this value too.
    Inline,
    /// `inline-block`, `inline-table`, `inline-flex`, `inline-grid`: flows in a line as one unit.
    InlineBlock,
    /// `block` and `flow-root`: begins and ends a line.
    Block,
    /// `list-item`: a block with a marker.
    ListItem,
    /// `flex` and `grid`: a block whose children are laid out in its own way.
    Flex,
    /// `table`: a block of rows.
    Table,
    /// `table-cell`.
    TableCell,
    /// A part of a table that holds cells or is beside them: `table-row`, `table-row-group`,
    /// `table-caption`, ….
    TablePart,
}

impl Display {
    /// The value for a keyword, or a pair of keywords, of the `display` property, ignoring case.
    /// `None` if the property has no such value. Keywords that all properties take (`inherit`,
    /// `unset`) give `None`.
    ///
    /// ```
    /// use tsrec_papers::style::Display;
    /// assert_eq!(Display::from_css("inline flow-root"), Some(Display::InlineBlock));
    /// assert_eq!(Display::from_css("bogus"), None);
    /// ```
    pub fn from_css(value: &str) -> Option<Self> {
        let words: Vec<String> = value.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Some(match words[..] {
            ["none"] => Display::None,
            ["contents"] => Display::Contents,
            [
                "inline" | "ruby" | "ruby-base" | "ruby-text" | "ruby-base-container" | "ruby-text-container" | "math",
            ]
            | ["inline", "flow" | "ruby" | "math"]
            | ["run-in"] => Display::Inline,
            [
                "inline-block"
                | "inline-table"
                | "inline-flex"
                | "inline-grid"
                | "-webkit-inline-box"
                | "-webkit-inline-flex",
            ]
            | ["inline", "flow-root" | "table" | "flex" | "grid"] => Display::InlineBlock,
            ["block" | "flow-root" | "flow"] | ["block", "flow" | "flow-root" | "ruby" | "math"] => Display::Block,
            ["list-item"] | ["block", "list-item"] | ["list-item", "block"] => Display::ListItem,
            ["flex" | "grid" | "-webkit-box" | "-webkit-flex" | "-ms-flexbox" | "-ms-grid"]
            | ["block", "flex" | "grid"] => Display::Flex,
            ["table"] | ["block", "table"] => Display::Table,
            ["table-cell"] => Display::TableCell,
            [
                "table-row" | "table-row-group" | "table-header-group" | "table-footer-group" | "table-column"
                | "table-column-group" | "table-caption",
            ] => Display::TablePart,
            _ => return None,
        })
    }

    /// True if a line ends before the node and after it.
    pub fn breaks_lines(self) -> bool {
        !matches!(self, Display::None | Display::Contents | Display::Inline | Display::InlineBlock)
    }
}

#[cfg(test)]
mod tests {
    use super::Display;

    #[test]
    fn keywords_are_told_apart() {
        for (value, expect) in [
            ("block", Some(Display::Block)),
            (" BLOCK  flow ", Some(Display::Block)),
            ("list-item", Some(Display::ListItem)),
            ("inline", Some(Display::Inline)),
            ("inline-flex", Some(Display::InlineBlock)),
            ("table-header-group", Some(Display::TablePart)),
            ("table-cell", Some(Display::TableCell)),
            ("-webkit-box", Some(Display::Flex)),
            ("none", Some(Display::None)),
            ("", None),
            ("inherit", None),
            ("block block block", None),
        ] {
            assert_eq!(Display::from_css(value), expect, "{value:?}");
        }
    }
}
