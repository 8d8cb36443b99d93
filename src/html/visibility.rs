//! Which text a reader never sees.
//!
//! Li et al. 2006 (section 6, failure F2) found that text kept for scripts (pop-up menus above all) spoils the match, and removed it
//! first. Without a style sheet at hand what can be known is what the markup itself says.

use super::document::{Attributes, Document, Edge, NodeId};
use super::elements::{Display, display};

/// True when the element, with all below it, is invisible: by its name, by `hidden`, by its own inline style, or
/// because it is a menu taken from the accessibility tree.
///
/// Linear in the element's attributes; the first question about an element with `aria-hidden` is linear in the page.
pub fn is_hidden(document: &Document, id: NodeId) -> bool {
    let Some(name) = document.name(id) else { return false };
    match of(name, display(name), document.attributes(id)) {
        Visibility::Visible => false,
        Visibility::Hidden => true,
        Visibility::AriaHidden => document.is_menu(id),
    }
}

/// What an element's own name and attributes say of its visibility.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Nothing hides it.
    Visible,
    /// It is invisible, with all below it.
    Hidden,
    /// It is taken from the accessibility tree, which hides it if it is a menu.
    AriaHidden,
}

/// Reads an element's name and attributes. Linear in the attributes.
pub fn of(name: &str, display: Display, attributes: Attributes<'_>) -> Visibility {
    if display == Display::None || (name == "dialog" && attributes.get("open").is_none()) {
        return Visibility::Hidden;
    }
    let mut found = Visibility::Visible;
    for attribute in attributes.iter() {
        match attribute.name {
            // `hidden=until-found` can be searched, and is meant to be.
            "hidden" if !attribute.value.eq_ignore_ascii_case("until-found") => return Visibility::Hidden,
            "style" if style_hides(attribute.value) => return Visibility::Hidden,
            "aria-hidden" if attribute.value.eq_ignore_ascii_case("true") => found = Visibility::AriaHidden,
            _ => {}
        }
    }
    found
}

/// True when what stands inside the element is no text of the page: it is hidden, or a widget's or an embedded resource's own (options, fallback
/// content). Costs as much as [`is_hidden`].
pub fn holds_no_text(document: &Document, id: NodeId) -> bool {
    document.name(id).is_some_and(|name| display(name) == Display::Replaced) || is_hidden(document, id)
}

/// True of an element of that name that holds no text of the page, whatever its attributes: a script's, a style sheet's, a widget's or an
/// embedded resource's own. `noscript` holds text: who runs no scripts reads it.
pub fn is_no_text(name: &str) -> bool {
    name != "noscript" && matches!(display(name), Display::None | Display::Replaced)
}

/// True when a declaration block says `display: none` or `visibility: hidden` (or `collapse`). The last declaration of
/// a property counts.
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

/// The elements with `aria-hidden` that are menus, in document order.
///
/// `aria-hidden` also marks text that is seen but need not be read aloud. It hides a menu when at least half of
/// the text (judgement) stands in links or buttons of its own. O(n log n), however deep they nest.
pub(super) fn menus(document: &Document) -> Vec<NodeId> {
    let mut open: Vec<Marked> = Vec::new();
    let (mut clickables, mut menus) = (0, Vec::new());
    let mut walk = document.walk(document.root());
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Open(node) => {
                let Some(name) = document.name(node) else {
                    Marked::count(&mut open, document.text(node).unwrap_or_default(), clickables);
                    continue;
                };
                let marked = document.attribute(node, "aria-hidden");
                if marked.is_some_and(|value| value.eq_ignore_ascii_case("true")) {
                    open.push(Marked { node, around: clickables, all: 0, clickable: 0 });
                }
                clickables += usize::from(is_clickable(name));
                if is_no_text(name) {
                    walk.skip_children(node);
                }
            }
            Edge::Close(node) => {
                clickables -= usize::from(document.name(node).is_some_and(|name| is_clickable(name)));
                let Some(closed) = open.pop_if(|open| open.node == node) else { continue };
                if let Some(around) = open.last_mut() {
                    around.all += closed.all;
                    around.clickable += closed.clickable;
                }
                if 2 * closed.clickable >= closed.all {
                    menus.push(node);
                }
            }
        }
    }
    menus.sort_unstable();
    menus
}

/// An open element with `aria-hidden`. What is counted here is handed on to the one around it.
struct Marked {
    node: NodeId,
    /// Links and buttons around it.
    around: usize,
    /// Characters of text.
    all: usize,
    /// Those of them in links or buttons.
    clickable: usize,
}

impl Marked {
    /// Counts a text that stands in so many links and buttons: for each of those that are open, its own are what it has more than stand around it.
    fn count(open: &mut [Marked], text: &str, clickables: usize) {
        let Some(last) = open.last_mut() else { return };
        let characters = text.chars().filter(|c| !c.is_whitespace()).count();
        last.all += characters;
        let own = open.partition_point(|marked| marked.around < clickables);
        if let Some(innermost) = own.checked_sub(1) {
            open[innermost].clickable += characters;
        }
    }
}

fn is_clickable(name: &str) -> bool {
    matches!(name, "a" | "button")
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
