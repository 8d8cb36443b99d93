//! Computed styles from the page alone: its markup, its `<style>` elements and its `style`
//! attributes.

use cssparser::Parser;
use selectors::context::SelectorCaches;

use super::color::Color;
use super::declaration::{CssValue, Declaration, DeclarationBlock};
use super::defaults::{self, Hints};
use super::display::Display;
use super::font_size::{FontSize, MEDIUM};
use super::name::CssName;
use super::rules::CssRules;
use super::selector::DEPTH;
use super::tree::StyleTree;
use super::{Style, Styles, media, sheet};
use tsrec_core::html::{Document, NodeId};

/// The most selectors of one page; further rules are ignored. Judgement: five times as many as the
/// largest style sheets hold.
const SELECTORS: usize = 50_000;

/// The most steps of selector matching for one page: see [`StyleTree`]. A page that needs more is
/// styled without its style sheets. Judgement: about half a second, and some hundred times the
/// usual need.
const STEPS: u64 = 50_000_000;

/// The styles of a page according to its markup and its own CSS.
///
/// It reads `<style>` elements and `style` attributes. They cascade by origin, importance,
/// specificity and order, as in CSS Cascade 5. It does not fetch style sheets in separate files.
/// Pages that keep their CSS there get the HTML standard's default style, as [`defaults()`] gives
/// it. Custom properties (`var()`), `calc()`, nested rules, `:has()` and scripts have no effect.
///
/// Linear in the page times the selectors that may match an element, with a bound. No input makes
/// it fail or overflow the stack.
///
/// ```
/// use tsrec_core::html::{Limits, parse};
/// use tsrec_papers::style::compute;
/// let page = parse(b"<style>p { font-size: 150% }</style><p>text", None, &Limits::default());
/// let text = page.descendants(page.root()).last().unwrap();
/// assert_eq!(compute(&page).style(text).font_size, 24.0);
/// ```
pub fn compute(document: &Document) -> Styles {
    let rules = CssRules::new(document, page_rules(document));
    cascade(document, Author::Css(&rules))
        .or_else(|| cascade(document, Author::Css(&CssRules::default())))
        .unwrap_or_else(|| defaults(document))
}

/// The styles of a page according to its markup alone: element names, and attributes such as `<font
/// size>`; no CSS. Linear.
pub fn defaults(document: &Document) -> Styles {
    cascade(document, Author::Nobody).expect("without selectors nothing is matched")
}

/// The rules in the page's `<style>` elements.
fn page_rules(document: &Document) -> Vec<sheet::CssRule> {
    let mut rules = Vec::new();
    for id in document.descendants(document.root()).filter(|&id| document.is_element(id, "style")) {
        let is_css =
            document.attribute(id, "type").is_none_or(|kind| kind.is_empty() || kind.eq_ignore_ascii_case("text/css"));
        let is_for_us = document.attribute(id, "media").is_none_or(|query| media::applies(&mut Parser::new(query)));
        if is_css && is_for_us {
            for css in document.children(id).filter_map(|child| document.text(child)) {
                sheet::parse(css, document.has_quirks(), &mut rules, SELECTORS);
            }
        }
    }
    rules
}

/// The author's styles besides the markup.
#[derive(Clone, Copy)]
enum Author<'r> {
    Nobody,
    Css(&'r CssRules),
}

/// A node's style, with data for its children.
#[derive(Clone, Copy)]
struct Computed {
    style: Style,
    /// The computed `visibility`. Children inherit it separately: a child may be visible in a
    /// hidden element.
    visibility: bool,
    /// False inside `display: none`.
    displayed: bool,
}

impl Computed {
    /// Every property at its initial value.
    const INITIAL: Computed = Computed {
        style: Style { display: Display::Inline, visible: true, font_size: MEDIUM, color: Color::BLACK },
        visibility: true,
        displayed: true,
    };
}

/// The styles of all nodes, parents before children. `None` if matching the author's rules takes
/// too long.
fn cascade(document: &Document, author: Author<'_>) -> Option<Styles> {
    let tree = match author {
        Author::Css(rules) if !rules.is_empty() => Some(StyleTree::new(document, STEPS)),
        _ => None,
    };
    let mut caches = SelectorCaches::default();
    let hints = Hints::new(document);
    let mut computed = vec![Computed::INITIAL; document.len()];
    let mut root_size = MEDIUM;
    for id in document.descendants(document.root()) {
        let parent = document.parent(id).map_or(Computed::INITIAL, |parent| computed[parent.index()]);
        let Some(name) = document.local_name(id) else {
            let style = Style { display: Display::Inline, ..parent.style };
            computed[id.index()] = Computed { style, ..parent };
            continue;
        };
        let user_agent = Declared::default().with(&defaults::user_agent(document, id));
        let mut declared = user_agent.with(&hints.declarations(document, id));
        if let Author::Css(rules) = author {
            let own = own_block(document, id);
            let matched = match &tree {
                Some(tree) => rules.matching(tree, tree.node(id), &CssName(name.clone()), &mut caches),
                None => Vec::new(),
            };
            let blocks = || matched.iter().copied().chain(&own);
            declared = blocks().fold(declared, |declared, block| declared.with(&block.normal));
            declared = blocks().fold(declared, |declared, block| declared.with(&block.important));
        }
        let is_root = document.parent(id) == Some(document.root());
        computed[id.index()] = declared.compute(&user_agent, &parent, if is_root { MEDIUM } else { root_size });
        if is_root {
            root_size = computed[id.index()].style.font_size;
        }
    }
    let in_time = tree.is_none_or(|tree| !tree.is_exhausted());
    in_time.then(|| Styles::new(computed.into_iter().map(|computed| computed.style).collect(), None))
}

/// The element's `style` attribute.
fn own_block(document: &Document, id: NodeId) -> Option<DeclarationBlock> {
    let mut input = Parser::new(document.attribute(id, "style")?);
    input.set_nested_block_limit(DEPTH);
    Some(DeclarationBlock::parse(&mut input, document.has_quirks())).filter(|block| !block.is_empty())
}

/// The last declared value of each property.
#[derive(Clone, Copy, Default)]
struct Declared {
    display: Option<CssValue<Display>>,
    visibility: Option<CssValue<bool>>,
    font_size: Option<CssValue<FontSize>>,
    color: Option<CssValue<Color>>,
    float: Option<CssValue<bool>>,
    position: Option<CssValue<bool>>,
}

impl Declared {
    fn with(mut self, declarations: &[Declaration]) -> Self {
        for declaration in declarations {
            match *declaration {
                Declaration::Display(value) => self.display = Some(value),
                Declaration::Visibility(value) => self.visibility = Some(value),
                Declaration::FontSize(value) => self.font_size = Some(value),
                Declaration::Color(value) => self.color = Some(value),
                Declaration::Float(value) => self.float = Some(value),
                Declaration::Position(value) => self.position = Some(value),
            }
        }
        self
    }

    fn compute(&self, user_agent: &Declared, parent: &Computed, root_size: f32) -> Computed {
        let size = |size: FontSize| size.resolve(parent.style.font_size, root_size);
        let declared = inherited(self.font_size, user_agent.font_size, FontSize::Pixels(MEDIUM));
        let font_size = declared.map_or(parent.style.font_size, size);
        let color = inherited(self.color, user_agent.color, Color::BLACK).unwrap_or(parent.style.color);
        let visibility = inherited(self.visibility, user_agent.visibility, true).unwrap_or(parent.visibility);
        let own = |value, user_agent| own_value(value, user_agent, false, || false);
        let out_of_flow = own(self.float, user_agent.float) || own(self.position, user_agent.position);
        let display = own_value(self.display, user_agent.display, Display::Inline, || parent.style.display);
        let display = match display {
            // Floats, positioned elements and the children of a flex container are blocks (CSS
            // Display 3, section 2.7).
            Display::Inline | Display::InlineBlock if out_of_flow || parent.style.display == Display::Flex => {
                Display::Block
            }
            display => display,
        };
        let displayed = parent.displayed && display != Display::None;
        let style = Style { display, visible: displayed && visibility, font_size, color };
        Computed { style, visibility, displayed }
    }
}

/// The value of an inherited property: `None` for the parent's.
fn inherited<T>(value: Option<CssValue<T>>, user_agent: Option<CssValue<T>>, initial: T) -> Option<T> {
    let value = match value {
        Some(CssValue::Revert) => user_agent,
        value => value,
    };
    match value? {
        CssValue::Set(value) => Some(value),
        CssValue::Initial => Some(initial),
        CssValue::Inherit | CssValue::Unset | CssValue::Revert => None,
    }
}

/// The value of a property that is only inherited if it says so.
fn own_value<T>(value: Option<CssValue<T>>, user_agent: Option<CssValue<T>>, initial: T, parent: impl Fn() -> T) -> T {
    let value = match value {
        Some(CssValue::Revert) => user_agent,
        value => value,
    };
    match value {
        Some(CssValue::Set(value)) => value,
        Some(CssValue::Inherit) => parent(),
        Some(CssValue::Initial | CssValue::Unset | CssValue::Revert) | None => initial,
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;
    use tsrec_core::html::parse;

    /// The style of the first text that is `x`.
    fn style_of_x(page: &str) -> Style {
        let document = parse(page.as_bytes(), None, &Default::default());
        let x = document.descendants(document.root()).find(|&id| document.text(id) == Some("x")).expect("an x");
        *compute(&document).style(x)
    }

    const RED: Color = Color::rgb(255, 0, 0);
    const BLUE: Color = Color::rgb(0, 0, 255);

    #[test]
    fn sizes_come_from_the_cascade() {
        for (page, expect) in [
            ("x", 16.0),
            ("<h1>x", 32.0),
            ("<h2><small>x", 20.0),
            ("<font size=+2>x", 24.0),
            ("<font size=1><font size=7>x", 48.0),
            // Chains of relative sizes multiply; rem starts at the root.
            ("<style>div { font-size: 0.5em }</style><div><div>x", 4.0),
            ("<style>html { font-size: 10px } p { font-size: 1.5rem }</style><div style='font-size: 3em'><p>x", 15.0),
            ("<style>html { font-size: 2rem }</style>x", 32.0),
            // Specificity, then order.
            ("<style>#a { font-size: 1px } .a.a { font-size: 2px } p { font-size: 3px }</style><p id=a class=a>x", 1.0),
            ("<style>p { font-size: 1px } p { font-size: 2px }</style><p>x", 2.0),
            ("<style>body p { font-size: 1px } p { font-size: 2px }</style><p>x", 1.0),
            ("<style>:where(body) p { font-size: 1px } p { font-size: 2px }</style><p>x", 2.0),
            // The style attribute wins over all rules except the important ones.
            ("<style>#a { font-size: 1px }</style><p id=a style='font-size: 2px'>x", 2.0),
            ("<style>p { font-size: 1px !important }</style><p style='font-size: 2px'>x", 1.0),
            ("<style>p { font-size: 1px !important }</style><p style='font-size: 2px !important'>x", 2.0),
            // All rules win over hints, even the universal one.
            ("<style>* { font-size: 5px }</style><font size=7>x", 5.0),
            // Invalid declarations are skipped. An invalid selector skips its whole rule.
            ("<style>p { font-size: bogus } q, p:bogus { font-size: 1px } } p { font-size: 3px }</style><p>x", 16.0),
            ("<style>p:bogus, p { font-size: 1px } p { font-size: 3px }</style><p>x", 3.0),
            ("<style><!-- p { font-size: 3px } --></style><p>x", 3.0),
            ("<style>p { font-size: 3px</style><p>x", 3.0),
            // Media, layers and conditions.
            ("<style>@media print { p { font-size: 3px } }</style><p>x", 16.0),
            ("<style>@media screen { @media all { p { font-size: 3px } } }</style><p>x", 3.0),
            ("<style>@layer a { @supports (display: grid) { p { font-size: 3px } } }</style><p>x", 3.0),
            ("<style>@supports not (display: grid) { p { font-size: 3px } }</style><p>x", 16.0),
            ("<style>@import 'a.css'; p { font-size: 3px }</style><p>x", 3.0),
            ("<style media=print>p { font-size: 3px }</style><p>x", 16.0),
            ("<style type=text/less>p { font-size: 3px }</style><p>x", 16.0),
            // Selectors of all kinds.
            ("<style>a:link { font-size: 3px } a:hover { font-size: 4px }</style><a href=/>x", 3.0),
            ("<style>li:nth-child(2) { font-size: 3px }</style><ul><li>y<li>x", 3.0),
            ("<style>h1 + p:not(.b):first-of-type { font-size: 3px }</style><h1>y</h1><p>x", 3.0),
            ("<style>[class^=art] > p { font-size: 3px }</style><div class=article><p>x", 3.0),
            ("<style>p::first-line, p:before { font-size: 3px }</style><p>x", 16.0),
            // Keywords that all properties take.
            ("<style>h1 { font-size: inherit }</style><h1>x", 16.0),
            ("<style>h1 { font-size: 3px } h1 { font-size: revert }</style><h1>x", 32.0),
            // Without a doctype, tables do not inherit, and class names ignore case.
            ("<body style='font-size: 3px'><table><tr><td>x", 16.0),
            ("<!doctype html><body style='font-size: 3px'><table><tr><td>x", 3.0),
            ("<style>.A { font-size: 3px }</style><p class=a>x", 3.0),
            ("<!doctype html><style>.A { font-size: 3px }</style><p class=a>x", 16.0),
        ] {
            let size = style_of_x(page).font_size;
            assert!((size - expect).abs() < 1e-3, "{size}: {page}");
        }
    }

    #[test]
    fn colours_are_inherited_and_hinted() {
        for (page, expect) in [
            ("x", Color::BLACK),
            ("<body text=red>x", RED),
            ("<body link=red><a href=/>x", RED),
            ("<body link=red><a>x", Color::BLACK),
            ("<a href=/><b>x", Color::rgb(0, 0, 238)),
            ("<style>body { color: red }</style><div><p>x", RED),
            ("<style>body { color: red } a { color: inherit }</style><a href=/>x", RED),
            ("<font color=blue>x", BLUE),
            ("<div style='color: blue'><p style='color: initial'>x", Color::BLACK),
            ("<div style='color: blue'><p style='color: unset'>x", BLUE),
        ] {
            assert_eq!(style_of_x(page).color, expect, "{page}");
        }
    }

    #[test]
    fn what_is_hidden_is_not_visible() {
        for (page, expect) in [
            ("x", true),
            ("<style>.h { display: none }</style><div class=h><p>x", false),
            ("<style>.h { visibility: hidden }</style><div class=h><p>x", false),
            ("<style>.h { visibility: hidden } p { visibility: visible }</style><div class=h><p>x", true),
            ("<style>.h { display: none } p { display: block }</style><div class=h><p>x", false),
            ("<div hidden>x", false),
            ("<style>div { display: block }</style><div hidden>x", true),
            ("<body><noscript>x", false),
            ("<dialog>x", false),
        ] {
            assert_eq!(style_of_x(page).visible, expect, "{page}");
        }
    }

    #[test]
    fn displays_are_computed() {
        for (page, expect) in [
            ("<p>", Display::Block),
            ("<li>", Display::ListItem),
            ("<table>", Display::Table),
            ("<b>", Display::Inline),
            ("<b style='display: block'>", Display::Block),
            ("<b style='float: left'>", Display::Block),
            ("<b style='position: absolute; position: static'>", Display::Inline),
            ("<p style='display: inline'>", Display::Inline),
            ("<p style='display: inline; display: revert'>", Display::Block),
            ("<button>", Display::InlineBlock),
        ] {
            let document = parse(format!("<body>{page}").as_bytes(), None, &Default::default());
            let last = document.descendants(document.root()).last().unwrap();
            assert_eq!(compute(&document).style(last).display, expect, "{page}");
        }
        let flex = parse(b"<div style='display: flex'><b>x</b>", None, &Default::default());
        let b = flex.descendants(flex.root()).find(|&id| flex.is_element(id, "b")).unwrap();
        assert_eq!(compute(&flex).style(b).display, Display::Block);
    }

    /// The most time that a page may take here. A test build is some five times slower than a
    /// released one.
    const PATIENCE: Duration = Duration::from_secs(20);

    #[test]
    fn hostile_pages_are_styled_in_time_and_without_overflow() {
        let deep =
            |open: &str, shut: &str| format!("<style>{}x{}</style>x", open.repeat(100_000), shut.repeat(100_000));
        let siblings = "<i></i>".repeat(20_000);
        let pages = [
            deep("{", "}"),
            deep("a{", "}"),
            deep("a:b{", "}"),
            deep("@media all{", "}"),
            deep("@media (", ")"),
            deep(":not(", ")"),
            deep(":is(", ")"),
            deep("a:not([", "])"),
            deep("p{color:(", ")}"),
            deep("p > ", ""),
            format!("<style>{}p {{}}</style><p>x", "p ~ ".repeat(50_000)),
            format!("<style>{} i {{ color: red }}</style>{siblings}x", "i ~ ".repeat(60)),
            format!("<style>i:nth-last-of-type(3n) ~ b ~ i {{ color: red }}</style>{siblings}x"),
            format!("<style>{}</style>{siblings}x", "u i, [a] ~ i { color: red }".repeat(5_000)),
            format!("<style>{}</style><p class='{}'>x", ".a.b { color: red }".repeat(20_000), "a ".repeat(100_000)),
            format!("<style>{}</style><p a='{}'>x", "[a*=bb] { color: red }".repeat(2_000), "b".repeat(200_000)),
            format!("<p style='{}'>x", "font: ".repeat(100_000)),
            format!("{}x", "<p style='font-size: 99em'>".repeat(400)),
        ];
        for page in pages {
            let start = Instant::now();
            let document = parse(page.as_bytes(), None, &Default::default());
            let styles = compute(&document);
            assert!(document.descendants(document.root()).all(|id| styles.style(id).font_size.is_finite()));
            assert!(start.elapsed() < PATIENCE, "{:?}: {}…", start.elapsed(), &page[..60]);
        }
    }

    fn css() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            proptest::sample::select(vec![
                "p",
                ".a",
                "#b",
                "*",
                ">",
                "~",
                "+",
                " ",
                ",",
                "{",
                "}",
                "(",
                ")",
                "[",
                "]",
                ":not(",
                ":nth-child(2n+1",
                "::before",
                "@media ",
                "@supports ",
                "not",
                "screen",
                "and",
                "font-size:",
                "font:",
                "color:",
                "display:",
                "hsl(1e39 2% 3%",
                "calc(",
                "1e39",
                "-1",
                "px",
                "em",
                "rem",
                "%",
                "!important",
                ";",
                "/*",
                "*/",
                "url(",
                "'",
                "\\",
                "inherit",
                "block",
                "red",
            ])
            .prop_map(str::to_owned),
            "\\PC{0,3}",
        ];
        proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_css_gives_finite_sizes(sheet in css(), style in css(), class in css()) {
            let page = format!("<style>{sheet}</style><div id=b class=\"{class}\"><p class=a style=\"{style}\">x<i>y</i>");
            let document = parse(page.as_bytes(), None, &Default::default());
            let styles = compute(&document);
            for id in document.descendants(document.root()) {
                let size = styles.style(id).font_size;
                prop_assert!((0.0..=10_000.0).contains(&size), "{size}");
            }
        }

        #[test]
        fn any_bytes_have_styles(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let document = parse(&[b"<style>", &bytes[..]].concat(), None, &Default::default());
            prop_assert!(document.descendants(document.root()).all(|id| compute(&document).style(id).font_size.is_finite()));
        }
    }
}
