//! Pages written as XML, in which every tag can close itself. There `<title/>` is an empty title;
//! in HTML it would take the rest of the page as its text.
//!
//! Browsers read a page as XML if it is sent as `application/xhtml+xml`. We do not know the label
//! here, but XHTML begins with an XML declaration, which HTML does not need. In such a page,
//! self-closing ends an element whose text HTML does not read as markup. As HTML that page would be
//! empty to its end, so nobody meant it so. All other elements stay open, as in browsers for
//! `text/html`; that loses nothing.

use html5ever::LocalName;

use super::raw::is_space;

/// True of a text that begins with an XML declaration.
pub(super) fn is_declared(text: &str) -> bool {
    text.strip_prefix("<?xml").is_some_and(|rest| rest.bytes().next().is_some_and(is_space))
}

/// True of an element for which HTML takes what follows as its text, or leaves it out. See sections
/// 13.2.5.2 to 13.2.5.5, and `noscript` where scripts do not run.
pub(super) fn takes_what_follows(name: &LocalName) -> bool {
    matches!(
        &**name,
        "title"
            | "textarea"
            | "style"
            | "script"
            | "iframe"
            | "noembed"
            | "noframes"
            | "noscript"
            | "xmp"
            | "plaintext"
    )
}

#[cfg(test)]
mod tests {
    use crate::html::parse;

    /// The texts of a page, each with its element.
    fn texts(page: &str) -> String {
        let page = parse(page.as_bytes(), None, &Default::default());
        let said = page.descendants(page.root()).filter_map(|id| Some((page.parent(id)?, page.text(id)?.trim())));
        let said = said.filter(|(_, text)| !text.is_empty());
        said.map(|(parent, text)| format!("{}:{text}", page.local_name(parent).unwrap())).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn in_xml_an_element_that_closes_itself_takes_no_text() {
        for (page, expect) in [
            ("<html><head><title/></head><body><p>a</p></body></html>", "p:a"),
            ("<head><title/><script src='x.js'/><style/></head><body><p>a</p>", "p:a"),
            ("<body><p>a</p><iframe src='x'/><textarea/><p>b</p>", "p:a p:b"),
            ("<body><p>a</p><div class='clear'/>b", "p:a div:b"),
            ("<body><noscript/><p>a</p><plaintext/><p>b</p>", "p:a p:b"),
            // Void elements and elements outside HTML do not change.
            ("<body><p>a<br/>b<img src='x'/>c</p>", "p:a p:b p:c"),
            ("<body><svg><g><path d=''/><text>a</text></g></svg><svg/><p>b</p>", "text:a p:b"),
        ] {
            assert_eq!(texts(&format!("<?xml version='1.0' encoding='UTF-8'?>{page}")), expect, "{page}");
        }
    }

    #[test]
    fn in_html_a_tag_does_not_close_itself() {
        assert_eq!(texts("<title/>a<body><p>b</p></title>"), "title:a<body><p>b</p>");
        assert_eq!(texts("<?xmlish?><body><div/>a"), "div:a");
    }

    #[test]
    fn what_closes_itself_too_deep_closes_nothing_else() {
        let limits = crate::html::Limits { depth: 8, ..Default::default() };
        let page = format!("<?xml version='1.0'?><body>{}<p>a<b/>b</p>", "<div>".repeat(200));
        let page = parse(page.as_bytes(), None, &limits);
        let parents: Vec<_> = page.descendants(page.root()).filter(|&id| page.text(id).is_some()).collect();
        assert!(parents.windows(2).all(|pair| page.parent(pair[0]) == page.parent(pair[1])));
    }
}
