//! MathML as TeX, for formulas without a source (MathML Core, section 3).
//!
//! Signs and letters stay as they are: TeX programs of today read Unicode. Structure becomes
//! commands.

use html5ever::{LocalName, local_name};

use super::super::arena::{Arena, Kind, Space};
use super::super::document::NodeId;

/// The greatest number of nodes of a formula; a larger one stays MathML. Judgement.
const MOST_NODES: usize = 5_000;
/// Names of functions that TeX has a command for.
const FUNCTIONS: [&str; 32] = [
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp", "gcd", "hom",
    "inf", "ker", "lg", "lim", "limsup", "liminf", "ln", "log", "max", "min", "Pr", "sec", "sin", "sinh", "sup", "tan",
    "tanh",
];
/// Operators whose limits stand below and above them.
const WITH_LIMITS: [&str; 20] = [
    "∑", "∏", "∐", "∫", "∬", "∭", "∮", "⋃", "⋂", "⋁", "⋀", "⨁", "⨂", "\\lim", "\\max", "\\min", "\\sup", "\\inf",
    "\\limsup", "\\liminf",
];
/// Signs over a letter, with their commands.
const ACCENTS: [(&str, &str); 20] = [
    ("¯", "\\overline"),
    ("‾", "\\overline"),
    ("ˉ", "\\overline"),
    ("_", "\\overline"),
    ("^", "\\hat"),
    ("ˆ", "\\hat"),
    ("̂", "\\hat"),
    ("~", "\\tilde"),
    ("˜", "\\tilde"),
    ("→", "\\vec"),
    ("⃗", "\\vec"),
    ("⟶", "\\vec"),
    (".", "\\dot"),
    ("˙", "\\dot"),
    ("¨", "\\ddot"),
    ("..", "\\ddot"),
    ("ˇ", "\\check"),
    ("˘", "\\breve"),
    ("´", "\\acute"),
    ("⏞", "\\overbrace"),
];

/// An open element, with what its children became.
struct MathPart {
    node: NodeId,
    children: Vec<String>,
    /// How many children come before `mprescripts`.
    pre: Option<usize>,
}

/// The formula as TeX. `None` if it is empty or too large. Linear in its nodes, and in its depth.
pub(super) fn tex(arena: &Arena, math: NodeId) -> Option<String> {
    if arena.children(math).all(|child| arena.text(child).is_some()) {
        // Some pages write TeX between the tags.
        return Some(own_text(arena, math)).filter(|tex| !tex.is_empty());
    }
    let mut open = vec![MathPart { node: math, children: Vec::new(), pre: None }];
    let mut due: Vec<Option<NodeId>> = vec![None];
    push_children(arena, math, &mut due);
    for _ in 0..2 * MOST_NODES {
        let next = due.pop()?;
        let Some(node) = next else {
            let part = open.pop()?;
            let tex = write(arena, &part);
            let Some(around) = open.last_mut() else {
                return Some(tex.trim().to_owned()).filter(|tex| !tex.is_empty());
            };
            if arena.is_named(part.node, &local_name!("mprescripts")) {
                around.pre = Some(around.children.len());
            } else {
                around.children.push(tex);
            }
            continue;
        };
        match arena.node(node).kind {
            Kind::Element { space: Space::MathMl, .. } => {}
            // Text in a formula may be HTML of any kind.
            Kind::Element { .. } => return None,
            _ => continue,
        }
        open.push(MathPart { node, children: Vec::new(), pre: None });
        due.push(None);
        if !is_left_out(arena, node) {
            push_children(arena, node, &mut due);
        }
    }
    None
}

fn push_children(arena: &Arena, node: NodeId, due: &mut Vec<Option<NodeId>>) {
    let from = due.len();
    due.extend(arena.children(node).map(Some));
    due[from..].reverse();
}

/// Elements that are not shown.
fn is_left_out(arena: &Arena, node: NodeId) -> bool {
    let Kind::Element { name, .. } = &arena.node(node).kind else { return true };
    matches!(&**name, "annotation" | "annotation-xml" | "mphantom" | "none" | "mspace" | "malignmark" | "maligngroup")
}

fn write(arena: &Arena, part: &MathPart) -> String {
    let Kind::Element { name, .. } = &arena.node(part.node).kind else { return String::new() };
    let parts = &part.children;
    let child = |at: usize| parts.get(at).map_or("", String::as_str);
    match &**name {
        "mi" => identifier(&own_text(arena, part.node)),
        "mn" => escaped(&own_text(arena, part.node)),
        "mo" => operator(&own_text(arena, part.node)),
        "mtext" | "ms" => text(&own_text(arena, part.node)),
        "mspace" => " ".to_owned(),
        "mfrac"
            if arena
                .attribute(part.node, &LocalName::from("linethickness"))
                .is_some_and(|line| line.starts_with('0')) =>
        {
            format!("\\binom{{{}}}{{{}}}", child(0), child(1))
        }
        "mfrac" => format!("\\frac{{{}}}{{{}}}", child(0), child(1)),
        "msqrt" => format!("\\sqrt{{{}}}", joined(parts)),
        "mroot" => format!("\\sqrt[{}]{{{}}}", child(1), child(0)),
        "msub" => scripted(child(0), Some(child(1)), None),
        "msup" => scripted(child(0), None, Some(child(1))),
        "msubsup" => scripted(child(0), Some(child(1)), Some(child(2))),
        "munder" => under_over(child(0), Some(child(1)), None),
        "mover" => under_over(child(0), None, Some(child(1))),
        "munderover" => under_over(child(0), Some(child(1)), Some(child(2))),
        "mmultiscripts" => multiscripts(part),
        "mfenced" => fenced(arena, part),
        "mtable" => format!("\\begin{{matrix}} {} \\end{{matrix}}", parts.join(" \\\\ ")),
        "mtr" => parts.join(" & "),
        "mlabeledtr" => parts.get(1..).unwrap_or_default().join(" & "),
        "semantics" => child(0).to_owned(),
        "annotation" | "annotation-xml" | "mphantom" | "none" => String::new(),
        _ if parts.is_empty() => text(&own_text(arena, part.node)),
        _ => joined(parts),
    }
}

fn own_text(arena: &Arena, node: NodeId) -> String {
    let texts: String = arena.children(node).filter_map(|child| arena.text(child)).collect();
    texts.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Joins parts. A command and a letter after it stay apart.
fn joined(parts: &[String]) -> String {
    let mut out = String::new();
    for part in parts {
        let letters = out.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let ends_command = letters.len() < out.len() && letters.ends_with('\\');
        if ends_command && part.starts_with(|c: char| c.is_ascii_alphabetic()) {
            out.push(' ');
        }
        out.push_str(part);
    }
    out
}

fn identifier(name: &str) -> String {
    match name.chars().count() {
        0 | 1 => escaped(name),
        _ if FUNCTIONS.contains(&name) => format!("\\{name}"),
        _ if name.chars().all(|c| c.is_ascii_alphabetic()) => format!("\\mathrm{{{name}}}"),
        _ => escaped(name),
    }
}

fn operator(sign: &str) -> String {
    match sign {
        // Invisible: function application, times, separator, plus.
        "\u{2061}" | "\u{2062}" | "\u{2063}" | "\u{2064}" => String::new(),
        "−" => "-".to_owned(),
        _ if FUNCTIONS.contains(&sign) => format!("\\{sign}"),
        _ if sign.chars().count() > 1 && sign.chars().all(|c| c.is_ascii_alphabetic()) => {
            format!("\\operatorname{{{sign}}}")
        }
        _ => escaped(sign),
    }
}

fn text(words: &str) -> String {
    if words.is_empty() { " ".to_owned() } else { format!("\\text{{{}}}", escaped(words)) }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '{' | '}' | '%' | '#' | '&' | '$' | '_' => out.extend(['\\', c]),
            '\\' => out.push_str("\\backslash "),
            c => out.push(c),
        }
    }
    out
}

/// A part that a script belongs to, or a script: in braces if it is more than one sign.
fn grouped(part: &str) -> String {
    if part.chars().count() == 1 && part != "\\" { part.to_owned() } else { format!("{{{part}}}") }
}

fn scripted(base: &str, sub: Option<&str>, sup: Option<&str>) -> String {
    let is_command = base.starts_with('\\') && base[1..].chars().all(|c| c.is_ascii_alphabetic());
    let mut out = if is_command { base.to_owned() } else { grouped(base) };
    if let Some(sub) = sub.filter(|sub| !sub.trim().is_empty()) {
        out += &format!("_{}", grouped(sub));
    }
    match sup.map(str::trim) {
        None | Some("") => {}
        Some("′" | "'") => out.push('\''),
        Some(sup) => out += &format!("^{}", grouped(sup)),
    }
    out
}

fn under_over(base: &str, under: Option<&str>, over: Option<&str>) -> String {
    if WITH_LIMITS.contains(&base.trim()) {
        return scripted(base.trim(), under, over);
    }
    let mut out = base.to_owned();
    if let Some(over) = over {
        let accent = ACCENTS.iter().find(|(sign, _)| *sign == over.trim().trim_start_matches('\\'));
        out = match accent {
            Some((_, command)) => format!("{command}{{{out}}}"),
            None => format!("\\overset{{{over}}}{{{out}}}"),
        };
    }
    match under.map(str::trim) {
        None => out,
        Some("_" | "\\_" | "¯" | "‾" | "̲") => format!("\\underline{{{out}}}"),
        Some("⏟") => format!("\\underbrace{{{out}}}"),
        Some(under) => format!("\\underset{{{under}}}{{{out}}}"),
    }
}

fn multiscripts(part: &MathPart) -> String {
    let end = part.pre.unwrap_or(part.children.len()).clamp(0, part.children.len());
    let Some(base) = part.children.first().filter(|_| end > 0) else { return joined(&part.children) };
    let pairs = |scripts: &[String]| -> String {
        let of = |pair: &[String]| scripted("", pair.first().map(String::as_str), pair.get(1).map(String::as_str));
        scripts.chunks(2).map(of).collect::<String>()
    };
    let (after, before) = (pairs(&part.children[1..end]), pairs(&part.children[end..]));
    [before, grouped(base), after.replacen("{}", "", 1)].concat()
}

fn fenced(arena: &Arena, part: &MathPart) -> String {
    let given = |name: &str, default: &str| {
        arena.attribute(part.node, &LocalName::from(name)).unwrap_or(default).trim().to_owned()
    };
    let (open, close, between) = (given("open", "("), given("close", ")"), given("separators", ","));
    let separator = between.chars().next().map_or_else(String::new, |c| format!("{c} "));
    [escaped(&open), part.children.join(&separator), escaped(&close)].concat()
}

#[cfg(test)]
mod tests {
    use crate::html::{Limits, parse};

    #[test]
    fn structure_becomes_commands() {
        for (mathml, expect) in [
            ("<msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mfrac><mn>1</mn><mn>2</mn></mfrac>", "x^2+\\frac{1}{2}"),
            ("<msqrt><mi>a</mi><mo>−</mo><mn>10</mn></msqrt>", "\\sqrt{a-10}"),
            ("<mroot><mi>x</mi><mn>3</mn></mroot>", "\\sqrt[3]{x}"),
            ("<msub><mi>x</mi><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msub>", "x_{i+1}"),
            ("<msubsup><mi>x</mi><mn>1</mn><mo>′</mo></msubsup>", "x_1'"),
            (
                "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
                "∑_{i=1}^ni",
            ),
            ("<munder><mi>lim</mi><mi>n</mi></munder><mi>x</mi>", "\\lim_nx"),
            ("<mover><mi>x</mi><mo>¯</mo></mover>", "\\overline{x}"),
            ("<mover accent=true><mi>v</mi><mo>→</mo></mover>", "\\vec{v}"),
            ("<mover><mo>=</mo><mtext>def</mtext></mover>", "\\overset{\\text{def}}{=}"),
            ("<mi>sin</mi><mo>&ApplyFunction;</mo><mi>x</mi>", "\\sin x"),
            ("<mn>2</mn><mo>&InvisibleTimes;</mo><mi>rank</mi>", "2\\mathrm{rank}"),
            ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
            ("<mfenced open='{' close='}'><mi>a</mi></mfenced>", "\\{a\\}"),
            (
                "<mo>[</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable><mo>]</mo>",
                "[\\begin{matrix} a & b \\\\ 0 & 1 \\end{matrix}]",
            ),
            ("<mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac>", "\\binom{n}{k}"),
            (
                "<mmultiscripts><mi>X</mi><mi>a</mi><mi>b</mi><mprescripts></mprescripts><mi>c</mi><none></none></mmultiscripts>",
                "{}_cX_a^b",
            ),
            ("<mtext>if 50% {a}</mtext>", "\\text{if 50\\% \\{a\\}}"),
            ("<semantics><mi>x</mi><annotation-xml><mi>y</mi></annotation-xml></semantics>", "x"),
            ("<mi>x</mi><mphantom><mi>y</mi></mphantom><mspace></mspace><mi>z</mi>", "x z"),
            ("x^2", "x^2"),
        ] {
            let document = parse(format!("<math>{mathml}</math>").as_bytes(), None, &Limits::default());
            let text: String = document.descendants(document.root()).filter_map(|node| document.text(node)).collect();
            assert_eq!(text, format!("${expect}$"), "{mathml}");
        }
    }

    #[test]
    fn text_of_html_within_a_formula_is_not_lost() {
        let document = parse(b"<math><mtext><b>x</b></mtext></math><math></math>", None, &Limits::default());
        let text: String = document.descendants(document.root()).filter_map(|node| document.text(node)).collect();
        assert_eq!(text, "x");
    }
}
