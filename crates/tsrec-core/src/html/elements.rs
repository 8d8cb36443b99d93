//! How elements are laid out, by their names: the HTML standard's default style sheet (section
//! 15.3, "Rendering").
//!
//! This is the documented table of tags that break the flow of text. The paper (Li et al. 2006,
//! section 4) names `P`, `DIV`, `TABLE` "and so on"; the standard's `display` values say which
//! those are.

/// How an element takes part in the flow of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultDisplay {
    /// `display: block`, `list-item` or a table value: breaks the flow of text and makes a tag
    /// sequence element.
    Block,
    /// Flows with the text around it, as unknown elements do.
    Inline,
    /// `br`: flows, but starts a new line.
    LineBreak,
    /// A widget or an embedded resource. It flows as one unit, and its content (options, fallback
    /// content) is not text of the page.
    Replaced,
    /// `display: none`: never seen.
    None,
}

/// The default display of an element. `name` is in lower case.
pub fn default_display(name: &str) -> DefaultDisplay {
    // Matching bytes decides byte by byte; strings would be compared with each name in turn.
    match name.as_bytes() {
        // 15.3.2 The page; 15.3.3 Flow content.
        b"html" | b"body" | b"address" | b"blockquote" | b"center" | b"dialog" | b"div" | b"figure" | b"figcaption"
        | b"footer" | b"form" | b"header" | b"hr" | b"legend" | b"listing" | b"main" | b"p" | b"plaintext" | b"pre"
        | b"search" | b"xmp" => DefaultDisplay::Block,
        // 15.3.7 Sections and headings.
        b"article" | b"aside" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"hgroup" | b"nav" | b"section" => {
            DefaultDisplay::Block
        }
        // 15.3.8 Lists.
        b"dir" | b"dd" | b"dl" | b"dt" | b"menu" | b"ol" | b"ul" | b"li" => DefaultDisplay::Block,
        // 15.3.9 Tables.
        b"table" | b"caption" | b"colgroup" | b"col" | b"thead" | b"tbody" | b"tfoot" | b"tr" | b"td" | b"th" => {
            DefaultDisplay::Block
        }
        // 15.3.13 Fieldsets, 15.5.5 details and summary, 15.6 frames.
        b"fieldset" | b"details" | b"summary" | b"optgroup" | b"option" | b"frameset" | b"frame" => {
            DefaultDisplay::Block
        }
        b"br" => DefaultDisplay::LineBreak,
        // 15.4 Replaced elements, 15.5 widgets.
        b"applet" | b"audio" | b"canvas" | b"embed" | b"iframe" | b"img" | b"input" | b"meter" | b"object"
        | b"progress" | b"select" | b"svg" | b"textarea" | b"video" => DefaultDisplay::Replaced,
        // 15.3.1 Hidden elements. `noscript` is hidden because most readers run scripts; the
        // evidence reads it anyway.
        b"area" | b"base" | b"basefont" | b"datalist" | b"head" | b"link" | b"meta" | b"noembed" | b"noframes"
        | b"noscript" | b"param" | b"rp" | b"script" | b"style" | b"template" | b"title" => DefaultDisplay::None,
        _ => DefaultDisplay::Inline,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_examples_break_the_flow_and_its_decorations_do_not() {
        for (name, expect) in [
            ("p", DefaultDisplay::Block),
            ("div", DefaultDisplay::Block),
            ("table", DefaultDisplay::Block),
            ("td", DefaultDisplay::Block),
            ("li", DefaultDisplay::Block),
            ("b", DefaultDisplay::Inline),
            ("font", DefaultDisplay::Inline),
            ("a", DefaultDisplay::Inline),
            ("x-unknown", DefaultDisplay::Inline),
            ("br", DefaultDisplay::LineBreak),
            ("select", DefaultDisplay::Replaced),
            ("script", DefaultDisplay::None),
            ("noscript", DefaultDisplay::None),
        ] {
            assert_eq!(default_display(name), expect, "{name}");
        }
    }
}
