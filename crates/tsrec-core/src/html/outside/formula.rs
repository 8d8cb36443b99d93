//! Formulas: each becomes one `math` element with one text, its source as TeX between `$`, or `$$`
//! if it stands on a line of its own.
//!
//! Pages show a formula as glyphs in spans, as an image or as MathML, often as several of these,
//! one of them hidden. The source is in an annotation of the MathML, an attribute, or a script.
//! MathML without a source is [converted](super::mathml).

use html5ever::{LocalName, local_name};

use super::super::arena::{Arena, Kind, Owned, Space};
use super::super::document::NodeId;
use super::mathml;

/// How many elements around MathML are examined for the box of the formula. Judgement: KaTeX has
/// three, MathJax four.
const AROUND: usize = 6;
/// How many elements before a script are examined for what the script was shown as.
const BEFORE: usize = 2;
/// Beginnings of the classes of such boxes: KaTeX, MediaWiki, MathJax 2, and their parts.
const BOXES: [&str; 6] = ["katex", "mwe-math", "MathJax", "mjx", "MJX", "mathjax"];
/// Classes of images that show a formula and have its source as words.
const IMAGES: [&str; 5] = ["latex", "tex", "math", "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display"];
/// Parts of the addresses of such images.
const ADDRESSES: [&str; 5] = ["latex.php?", "latex.codecogs.com", "/math/render/", "chart?cht=tx", "/equation?tex="];
/// Elements searched for an annotation, or for an attribute with the source. Judgement.
const MOST_NODES: usize = 2_000;

/// Writes the formulas of scripts, and removes what MathJax 2 shows for them.
pub(super) fn write_sources(arena: &mut Arena, scripts: &[NodeId]) {
    for &script in scripts {
        let Some(parent) = arena.node(script).parent else { continue };
        let tex = text_below(arena, script);
        let kind = arena.attribute(script, &local_name!("type")).unwrap_or_default();
        let is_display = kind.contains("mode=display");
        for _ in 0..BEFORE {
            let Some(before) = element_before(arena, script).filter(|&before| is_box(arena, before)) else { break };
            arena.detach(before);
        }
        if let Some(text) = delimited(&tex, is_display) {
            let formula = new_formula(arena, &text);
            arena.attach(parent, formula, Some(script));
        }
    }
}

/// Writes the formulas of MathML.
pub(super) fn write_maths(arena: &mut Arena, maths: &[NodeId]) {
    for &math in maths {
        let around: Vec<NodeId> = arena.above(math).take(AROUND).collect();
        let boxes = around.iter().take_while(|&&above| is_box(arena, above)).count();
        let outer = boxes.checked_sub(1).map_or(math, |last| around[last]);
        let Some(parent) = arena.node(outer).parent else { continue };
        let is_display = std::iter::once(&math).chain(&around[..boxes]).any(|&node| is_display(arena, node));
        let tex = annotation(arena, math).or_else(|| described(arena, math)).or_else(|| mathml::tex(arena, math));
        let Some(text) = tex.and_then(|tex| delimited(&tex, is_display)) else { continue };
        arena.detach_children(math);
        if outer != math {
            arena.detach(math);
            arena.attach(parent, math, Some(outer));
            arena.detach(outer);
        }
        add_text(arena, math, &text);
    }
}

/// Writes the formulas of MathJax without MathML, of which an attribute has the source.
pub(super) fn write_containers(arena: &mut Arena, containers: &[NodeId]) {
    for &container in containers {
        let Some(parent) = arena.node(container).parent else { continue };
        let source = first_below(arena, container, |node| arena.attribute(node, &LocalName::from("data-latex")));
        let text = source.map(str::to_owned).and_then(|tex| delimited(&tex, is_display(arena, container)));
        if let Some(text) = text {
            let formula = new_formula(arena, &text);
            arena.attach(parent, formula, Some(container));
            arena.detach(container);
        }
    }
}

/// Writes the formulas of images.
pub(super) fn write_images(arena: &mut Arena, images: &[NodeId]) {
    for &image in images {
        let Some(tex) = arena.attribute(image, &local_name!("alt")).filter(|_| shows_formula(arena, image)) else {
            continue;
        };
        let tex = tex.to_owned();
        let is_display = classes(arena, image).any(|class| class.ends_with("display"));
        if let (Some(parent), Some(text)) = (arena.node(image).parent, delimited(&tex, is_display)) {
            let formula = new_formula(arena, &text);
            arena.attach(parent, formula, Some(image));
            arena.detach(image);
        }
    }
}

fn shows_formula(arena: &Arena, image: NodeId) -> bool {
    let source = arena.attribute(image, &local_name!("src")).unwrap_or_default();
    classes(arena, image).any(|class| IMAGES.contains(&class)) || ADDRESSES.iter().any(|part| source.contains(part))
}

fn new_formula(arena: &mut Arena, text: &str) -> NodeId {
    let formula = arena.push(Kind::element(local_name!("math"), Space::Html, Owned::default()));
    add_text(arena, formula, text);
    formula
}

fn add_text(arena: &mut Arena, parent: NodeId, text: &str) {
    let span = arena.store(text);
    let text = arena.push(Kind::Text(span));
    arena.attach(parent, text, None);
}

fn classes(arena: &Arena, node: NodeId) -> impl Iterator<Item = &str> {
    arena.attribute(node, &local_name!("class")).unwrap_or_default().split_ascii_whitespace()
}

/// Whether an element holds a formula and nothing else, by its name or class.
fn is_box(arena: &Arena, node: NodeId) -> bool {
    let Kind::Element { name, .. } = &arena.node(node).kind else { return false };
    let is_page = matches!(&**name, "html" | "body" | "article" | "main" | "p");
    let is_named = || classes(arena, node).any(|class| BOXES.iter().any(|name| class.starts_with(name)));
    name.starts_with("mjx-") || !is_page && is_named()
}

fn is_display(arena: &Arena, node: NodeId) -> bool {
    let is = |name: &str, value: &str| arena.attribute(node, &LocalName::from(name)) == Some(value);
    let is_named = |class: &str| {
        class == "katex-display"
            || class.starts_with("MathJax_Display")
            || class.ends_with("MathJax_Display")
            || class.ends_with("-display")
    };
    is("display", "block") || is("display", "true") || is("mode", "display") || classes(arena, node).any(is_named)
}

fn element_before(arena: &Arena, node: NodeId) -> Option<NodeId> {
    let mut before = std::iter::successors(arena.node(node).previous, |&before| arena.node(before).previous);
    let before = before.find(|&before| !arena.text(before).is_some_and(super::super::is_blank))?;
    arena.text(before).is_none().then_some(before)
}

/// The TeX in an annotation of MathML.
fn annotation(arena: &Arena, math: NodeId) -> Option<String> {
    let is_tex = |node: NodeId| {
        let encoding = arena.attribute(node, &local_name!("encoding"))?;
        (arena.is_named(node, &local_name!("annotation")) && encoding.to_ascii_lowercase().contains("tex"))
            .then_some(node)
    };
    first_below(arena, math, is_tex)
        .map(|annotation| text_below(arena, annotation))
        .filter(|tex| !tex.trim().is_empty())
}

/// The TeX in the words for MathML: LaTeXML and MediaWiki put it there. Others put a sentence.
fn described(arena: &Arena, math: NodeId) -> Option<String> {
    let words = arena.attribute(math, &local_name!("alttext"))?.trim();
    let is_tex = words.contains(['\\', '^', '_', '{', '=', '+']) || !words.contains(' ') && words.chars().count() <= 3;
    (is_tex && !words.is_empty()).then(|| words.to_owned())
}

/// The first result for a node below, in document order.
fn first_below<'a, T>(arena: &'a Arena, top: NodeId, find: impl Fn(NodeId) -> Option<T> + 'a) -> Option<T> {
    let mut due: Vec<NodeId> = vec![top];
    for _ in 0..MOST_NODES {
        let node = due.pop()?;
        if let Some(found) = find(node) {
            return Some(found);
        }
        let from = due.len();
        due.extend(arena.children(node));
        due[from..].reverse();
    }
    None
}

/// The texts directly in an element: all of the text of a script or an annotation.
fn text_below(arena: &Arena, element: NodeId) -> String {
    arena.children(element).filter_map(|child| arena.text(child)).collect()
}

/// TeX between `$`, without the marks that it has and without comments. `None` if nothing is left.
fn delimited(tex: &str, is_display: bool) -> Option<String> {
    let tex: Vec<&str> = tex.lines().flat_map(|line| without_comment(line).split_whitespace()).collect();
    let tex = tex.join(" ");
    let mut tex = tex.trim_start_matches("% <![CDATA[").trim();
    let mut is_display = is_display;
    for (begin, end, display) in [
        ("$$", "$$", true),
        ("$", "$", false),
        ("\\[", "\\]", true),
        ("\\(", "\\)", false),
        ("{\\displaystyle", "}", false),
        ("{\\textstyle", "}", false),
    ] {
        if let Some(inner) =
            tex.strip_prefix(begin).and_then(|tex| tex.strip_suffix(end)).filter(|inner| is_whole(inner))
        {
            tex = inner.trim();
            is_display |= display;
        }
    }
    let mark = if is_display { "$$" } else { "$" };
    (!tex.is_empty()).then(|| format!("{mark}{tex}{mark}"))
}

/// Whether every brace is closed where it was opened.
fn is_whole(tex: &str) -> bool {
    let mut depth = 0_i32;
    let mut is_escaped = false;
    let goes_on = tex.chars().all(|c| {
        let escaped = is_escaped;
        is_escaped = c == '\\' && !escaped;
        depth += if escaped { 0 } else { i32::from(c == '{') - i32::from(c == '}') };
        depth >= 0
    });
    goes_on && depth == 0
}

fn without_comment(line: &str) -> &str {
    let comment = line.char_indices().find(|&(at, c)| c == '%' && !line[..at].ends_with('\\'));
    comment.map_or(line, |(at, _)| &line[..at])
}

#[cfg(test)]
mod tests {
    use crate::html::visibility::is_no_text;
    use crate::html::{Limits, parse};

    /// The text of the page, with hidden text, without scripts.
    fn text(page: &str) -> String {
        let document = parse(page.as_bytes(), None, &Limits::default());
        let is_shown = |&node: &_| !document.ancestors(node).any(|above| document.name(above).is_some_and(is_no_text));
        document.descendants(document.root()).filter(is_shown).filter_map(|node| document.text(node)).collect()
    }

    const MATHML: &str = "<math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><annotation encoding='application/x-tex'>x^2</annotation></semantics></math>";

    #[test]
    fn a_formula_is_one_text() {
        let katex = format!(
            "<span class=katex><span class=katex-mathml>{MATHML}</span><span class=katex-html aria-hidden=true><span class=base>x<span>2</span></span></span></span>"
        );
        let assistive = "<math><msup><mi>x</mi><mn>2</mn></msup></math>";
        for (formula, expect) in [
            (MATHML.to_owned(), "$x^2$"),
            (katex.clone(), "$x^2$"),
            (format!("<span class=katex-display>{katex}</span>"), "$$x^2$$"),
            (format!("<p class=katex-block><span class=katex-display>{katex}</span></p>"), "$$x^2$$"),
            (MATHML.replace("<math>", "<math display=block>"), "$$x^2$$"),
            // MediaWiki, with an image beside the hidden MathML; and images alone.
            (
                format!("<span class=mwe-math-element><span class=mwe-math-mathml-inline style='display: none;'>{}</span><img src=/math/render/svg/1 class=mwe-math-fallback-image-inline alt='x^2'></span>", MATHML.replace(">x^2<", ">{\\displaystyle x^2}<")),
                "$x^2$",
            ),
            (
                format!("<div class=mwe-math-element><div class=mwe-math-mathml-display style='display: none;'>{MATHML}</div><img class='mwe-math-fallback-image-display' alt=x></div>"),
                "$$x^2$$",
            ),
            ("<img class=latex alt='x^2' src=//x.example/latex.php?latex=x%5E2>".to_owned(), "$x^2$"),
            ("<img src='https://latex.codecogs.com/svg.image?x^2' alt='$x^2$'>".to_owned(), "$x^2$"),
            ("<img src='https://x.example/equation?tex=x%5E2' alt='x^2' eeimg=1>".to_owned(), "$x^2$"),
            ("<img class=tex alt=''>".to_owned(), ""),
            // MathJax 2: a preview, what is shown, and the source.
            (
                format!("<span class=MathJax_Preview>x2</span><span class=MathJax id=M-1-Frame><nobr><span class=math>x2</span></nobr><span class=MJX_Assistive_MathML>{assistive}</span></span><script type='math/tex' id=M-1>x^2</script>"),
                "$x^2$",
            ),
            (
                "<span class=MathJax_Preview></span><div class=MathJax_Display><span class=MathJax>x2</span></div><script type='math/tex; mode=display'>% <![CDATA[\nx^2 % the square\n</script>".to_owned(),
                "$$x^2$$",
            ),
            ("<script type=math/tex>x^2</script>".to_owned(), "$x^2$"),
            // MathJax 3 and 4.
            (
                format!("<mjx-container class=MathJax jax=CHTML><mjx-math aria-hidden=true><mjx-c></mjx-c></mjx-math><mjx-assistive-mml>{assistive}</mjx-assistive-mml></mjx-container>"),
                "$x^2$",
            ),
            (format!("<mjx-container display=true><svg></svg><mjx-assistive-mml>{assistive}</mjx-assistive-mml></mjx-container>"), "$$x^2$$"),
            ("<mjx-container><mjx-math data-latex='x^2'><mjx-c></mjx-c></mjx-math></mjx-container>".to_owned(), "$x^2$"),
            // LaTeXML; plain MathML; and words of a description, which are no source.
            ("<math alttext='x^{2}' display=inline><msup><mi>x</mi><mn>2</mn></msup></math>".to_owned(), "$x^{2}$"),
            ("<math alttext='the square of x'><msup><mi>x</mi><mn>2</mn></msup></math>".to_owned(), "$x^2$"),
            (assistive.to_owned(), "$x^2$"),
        ] {
            assert_eq!(text(&format!("<p>a {formula} b")), format!("a {expect} b"), "{formula}");
        }
    }

    #[test]
    fn marks_and_comments_of_a_source_go() {
        for (tex, expect) in [
            ("$x$", "$x$"),
            ("\\(x\\)", "$x$"),
            ("\\[x\\]", "$$x$$"),
            ("{a} + {b}", "${a} + {b}$"),
            ("{\\displaystyle a} + {b}", "${\\displaystyle a} + {b}$"),
            ("50\\% % a comment", "$50\\%$"),
            (" x\n  y ", "$x y$"),
        ] {
            assert_eq!(text(&format!("<p><script type=math/tex>{tex}</script>")), expect, "{tex}");
        }
    }
}
