//! Which text a reader never sees.
//!
//! Li et al. 2006 (section 6, failure F2) found that text kept for scripts, above all pop-up menus,
//! spoils the match. They removed it first. We have no style sheet, so we read what the markup
//! itself says.

use html5ever::{LocalName, local_name};

use super::document::{Attributes, Document, NodeId};
use super::elements::{DefaultDisplay, default_display};

/// True when the element and everything below it is invisible. The cause is its name, `hidden`, its
/// inline style, or that it is a menu removed from the accessibility tree.
///
/// Linear in the element's attributes. The first call on an element with `aria-hidden` is linear in
/// the page.
pub fn is_hidden(document: &Document, id: NodeId) -> bool {
    let Some(name) = document.local_name(id) else { return false };
    match element_visibility(name, default_display(name), document.attributes(id)) {
        Visibility::Visible => false,
        Visibility::Hidden => true,
        Visibility::AriaHidden => document.is_menu(id),
    }
}

/// What an element's own name and attributes say about its visibility.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Nothing hides it.
    Visible,
    /// It is invisible, with all below it.
    Hidden,
    /// It is removed from the accessibility tree. That hides it if it is a menu.
    AriaHidden,
}

/// Reads an element's name and attributes. Linear in the attributes.
pub fn element_visibility(name: &str, display: DefaultDisplay, attributes: Attributes<'_>) -> Visibility {
    if display == DefaultDisplay::None || (name == "dialog" && attributes.get("open").is_none()) {
        return Visibility::Hidden;
    }
    let mut found = Visibility::Visible;
    let hides =
        |name: &LocalName| matches!(*name, local_name!("hidden") | local_name!("style") | local_name!("aria-hidden"));
    for (name, value) in attributes.of_names(hides) {
        match *name {
            // Browsers can find the text of `hidden=until-found`, and should.
            local_name!("hidden") if !value.eq_ignore_ascii_case("until-found") => return Visibility::Hidden,
            local_name!("style") if style_hides(value) => return Visibility::Hidden,
            local_name!("aria-hidden") if value.eq_ignore_ascii_case("true") => found = Visibility::AriaHidden,
            _ => {}
        }
    }
    found
}

/// True when the element's content is not text of the page. The element is hidden, a widget, or an
/// embedded resource (options, fallback content). Costs as much as [`is_hidden`].
pub fn holds_no_text(document: &Document, id: NodeId) -> bool {
    document.local_name(id).is_some_and(|name| default_display(name) == DefaultDisplay::Replaced)
        || is_hidden(document, id)
}

/// True of an element name that never holds text of the page: a script, a style sheet, a widget or
/// an embedded resource. `noscript` does hold text: readers without scripts see it.
pub fn is_no_text(name: &str) -> bool {
    is_no_text_of(name, default_display(name))
}

/// Like `is_no_text`, for a known default display.
pub(crate) fn is_no_text_of(name: &str, display: DefaultDisplay) -> bool {
    matches!(display, DefaultDisplay::None | DefaultDisplay::Replaced) && name != "noscript"
}

/// True when a declaration block says `display: none` or `visibility: hidden` (or `collapse`). The
/// last declaration of a property counts.
fn style_hides(style: &str) -> bool {
    let mut display_none = false;
    let mut invisible = false;
    for declaration in style.split(';') {
        let Some((property, value)) = declaration.split_once(':') else { continue };
        let value = value.trim();
        let value = value.split_once('!').map_or(value, |(value, _important)| value.trim_end());
        match property.trim() {
            p if p.eq_ignore_ascii_case("display") => display_none = value.eq_ignore_ascii_case("none"),
            p if p.eq_ignore_ascii_case("visibility") => {
                invisible = value.eq_ignore_ascii_case("hidden") || value.eq_ignore_ascii_case("collapse");
            }
            _ => {}
        }
    }
    display_none || invisible
}

#[cfg(test)]
mod tests {
    use crate::html::parse;

    fn check(fragment: &str, expect: bool) {
        let document = parse(format!("<body><main>{fragment}</main>").as_bytes(), None, &Default::default());
        let main = document.descendants(document.root()).find(|&n| document.is_element(n, "main")).unwrap();
        let element = document.children(main).next().unwrap();
        assert_eq!(super::is_hidden(&document, element), expect, "{fragment}");
    }

    #[test]
    fn a_link_around_it_makes_no_menu() {
        let document = parse(b"<a href=/><b aria-hidden=true>star</b></a>", None, &Default::default());
        let bold = document.descendants(document.root()).find(|&n| document.is_element(n, "b")).unwrap();
        assert!(!super::is_hidden(&document, bold));
    }

    #[test]
    fn invisible_elements_are_told_from_visible_ones() {
        for (fragment, expect) in [
            ("<div>text</div>", false),
            ("<div hidden>text</div>", true),
            ("<div hidden='until-found'>text</div>", false),
            ("<div style='display:none'>text</div>", true),
            ("<div style='color: red; DISPLAY : None !important'>text</div>", true),
            ("<div style='display:none; display:block'>text</div>", false),
            ("<div style='visibility:hidden'>text</div>", true),
            ("<div style='display:inline'>text</div>", false),
            ("<script>text</script>", true),
            ("<noscript>text</noscript>", true),
            ("<template>text</template>", true),
            ("<dialog>text</dialog>", true),
            ("<dialog open>text</dialog>", false),
            ("<ul aria-hidden=true><li><a href=/>one</a><li><a href=/>two</a></ul>", true),
            ("<p aria-hidden=true>a decorated sentence with <a href=/>one link</a></p>", false),
            ("<ul aria-hidden=true><li><a href=/>one</a><script>not a text of the menu</script></ul>", true),
            ("<p aria-hidden=true>words <a href=/>a<select><option>not a text of the link</select></a></p>", false),
            ("<p aria-hidden=false><a href=/>link</a></p>", false),
            ("<p aria-hidden=true>words outside <b aria-hidden=true>and <a href=/>a link</a></b></p>", false),
            ("<p aria-hidden=true>two <b aria-hidden=true>and <a href=/>a long link in it</a></b></p>", true),
            ("<a href=/ aria-hidden=true>link</a>", true),
        ] {
            check(fragment, expect);
        }
    }
}
