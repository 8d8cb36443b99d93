//! How elements are laid out, by their names: the HTML standard's default style sheet (section 15.3, "Rendering").
//!
//! This is the documented table of tags that break the flow of text. The paper (Li et al. 2006, section 4) names `P`,
//! `DIV`, `TABLE` "and so on"; the standard's `display` values say which those are.

/// How an element takes part in the flow of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// `display: block`, `list-item` or one of the table values: breaks the flow of text, makes a tag sequence element.
    Block,
    /// Flows with the text around it, as unknown elements do.
    Inline,
    /// `br`: flows, but begins a new line.
    LineBreak,
    /// A widget or an embedded resource: flows as one unit, and what stands inside is no text of the page
    /// (options, fallback content).
    Replaced,
    /// `display: none`: never seen.
    None,
}

/// The default display of an element. `name` is in lower case.
pub fn display(name: &str) -> Display {
    match name {
        // 15.3.2 The page; 15.3.3 Flow content.
        "html" | "body" | "address" | "blockquote" | "center" | "dialog" | "div" | "figure" | "figcaption"
        | "footer" | "form" | "header" | "hr" | "legend" | "listing" | "main" | "p" | "plaintext" | "pre"
        | "search" | "xmp" => Display::Block,
        // 15.3.7 Sections and headings.
        "article" | "aside" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "hgroup" | "nav" | "section" => Display::Block,
        // 15.3.8 Lists.
        "dir" | "dd" | "dl" | "dt" | "menu" | "ol" | "ul" | "li" => Display::Block,
        // 15.3.9 Tables.
        "table" | "caption" | "colgroup" | "col" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th" => Display::Block,
        // 15.3.13 Fieldsets, 15.5.5 details and summary, 15.6 frames.
        "fieldset" | "details" | "summary" | "optgroup" | "option" | "frameset" | "frame" => Display::Block,
        "br" => Display::LineBreak,
        // 15.4 Replaced elements, 15.5 widgets.
        "applet" | "audio" | "canvas" | "embed" | "iframe" | "img" | "input" | "meter" | "object" | "progress"
        | "select" | "svg" | "textarea" | "video" => Display::Replaced,
        // 15.3.1 Hidden elements. `noscript` is there because most readers run scripts; evidence reads it all the same.
        "area" | "base" | "basefont" | "datalist" | "head" | "link" | "meta" | "noembed" | "noframes" | "noscript"
        | "param" | "rp" | "script" | "style" | "template" | "title" => Display::None,
        _ => Display::Inline,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_examples_break_the_flow_and_its_decorations_do_not() {
        for (name, expect) in [
            ("p", Display::Block),
            ("div", Display::Block),
            ("table", Display::Block),
            ("td", Display::Block),
            ("li", Display::Block),
            ("b", Display::Inline),
            ("font", Display::Inline),
            ("a", Display::Inline),
            ("x-unknown", Display::Inline),
            ("br", Display::LineBreak),
            ("select", Display::Replaced),
            ("script", Display::None),
            ("noscript", Display::None),
        ] {
            assert_eq!(display(name), expect, "{name}");
        }
    }
}
