//! Writes runs as Markdown, with marks where the style changes.
//!
//! Pages nest and cut styles freely. Markdown recognises a mark by the characters around it
//! (CommonMark 0.31, section 6.2, "flanking"). So a mark that would not be recognised is left out:
//! the text itself is never changed for style.

use super::super::runs::{BlockPlace, RunKind, RunStyle, StyledRun};
use super::escape;

/// Writes a block's runs, with line breaks as line feeds. Empty if there is no text.
pub(super) fn write(mut runs: Vec<StyledRun>, links: &[String], place: BlockPlace) -> String {
    if place.is_heading {
        // A heading is already strong.
        runs.iter_mut().for_each(|run| run.style.strong = false);
    }
    let mut runs = spaces_apart(runs);
    let order = order_of(&runs);
    for at in 0..order.len() {
        leave_out_unread(&mut runs, &order[..=at]);
    }
    leave_out_touching(&mut runs, &order);
    InlineWriter { out: String::new(), open: Vec::new(), links, place, order }.write(&merged(runs))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InlineMark {
    Link(usize),
    Strong,
    Emphasis,
    Deleted,
    Superscript,
    Subscript,
}

impl InlineMark {
    /// The style's flag for this mark. Links have none here.
    fn flag_in(self, style: &mut RunStyle) -> Option<&mut bool> {
        match self {
            InlineMark::Emphasis => Some(&mut style.emphasis),
            InlineMark::Deleted => Some(&mut style.deleted),
            InlineMark::Strong => Some(&mut style.strong),
            InlineMark::Superscript => Some(&mut style.superscript),
            InlineMark::Subscript => Some(&mut style.subscript),
            InlineMark::Link(_) => None,
        }
    }

    fn is_in(self, mut style: RunStyle) -> bool {
        self.flag_in(&mut style).is_some_and(|mark| *mark)
    }

    fn take_off(self, runs: &mut [StyledRun]) {
        runs.iter_mut().filter_map(|run| self.flag_in(&mut run.style)).for_each(|mark| *mark = false);
    }

    /// Its opening and closing characters.
    fn delimiters(self) -> (&'static str, &'static str) {
        match self {
            InlineMark::Link(_) => ("[", "]"),
            InlineMark::Strong => ("**", "**"),
            InlineMark::Emphasis => ("*", "*"),
            InlineMark::Deleted => ("~~", "~~"),
            InlineMark::Superscript => ("<sup>", "</sup>"),
            InlineMark::Subscript => ("<sub>", "</sub>"),
        }
    }

    /// True if it is always recognised as a mark.
    fn is_tag(self) -> bool {
        matches!(self, InlineMark::Superscript | InlineMark::Subscript)
    }

    /// True if it is made of asterisks, which merge with neighbouring ones.
    fn is_starred(self) -> bool {
        matches!(self, InlineMark::Strong | InlineMark::Emphasis)
    }
}

/// The nesting order of marks, outermost first. Links are outside all others, tags inside.
type MarkOrder = [InlineMark; 5];

/// The marks around a run, the outermost first.
fn around(style: RunStyle, order: &[InlineMark]) -> Vec<InlineMark> {
    let link = (style.link > 0).then_some(InlineMark::Link(style.link));
    link.into_iter().chain(order.iter().copied().filter(|mark| mark.is_in(style))).collect()
}

/// Splits off white space at the ends of runs, so that marks can leave it out.
fn spaces_apart(runs: Vec<StyledRun>) -> Vec<StyledRun> {
    let mut apart = Vec::with_capacity(runs.len());
    for StyledRun { what, style } in runs {
        let RunKind::Text(text) = what else {
            apart.push(StyledRun { what, style });
            continue;
        };
        let bare = text.trim();
        let begin = text.len() - text.trim_start().len();
        for part in [&text[..begin], bare, &text[begin + bare.len()..]] {
            if !part.is_empty() {
                apart.push(StyledRun { what: RunKind::Text(part.to_owned()), style });
            }
        }
    }
    apart
}

/// The nesting order that opens the fewest marks.
fn order_of(runs: &[StyledRun]) -> MarkOrder {
    let within = |first, second| [first, second, InlineMark::Deleted, InlineMark::Superscript, InlineMark::Subscript];
    let orders = [within(InlineMark::Strong, InlineMark::Emphasis), within(InlineMark::Emphasis, InlineMark::Strong)];
    let opened = |order: &MarkOrder| {
        let mut before = Vec::new();
        let mut opened = 0;
        for run in runs {
            let now = around(run.style, order);
            opened += now.len() - before.iter().zip(&now).take_while(|(before, now)| before == now).count();
            before = now;
        }
        opened
    };
    let [first, second] = orders;
    if opened(&second) < opened(&first) { second } else { first }
}

/// The runs from `at` on that have the last of these marks without a break. The outer marks are the
/// same for all of them.
fn stretch(runs: &[StyledRun], at: usize, order: &[InlineMark]) -> usize {
    let first = around(runs[at].style, order);
    runs[at..].iter().take_while(|run| around(run.style, order) == first).count()
}

/// The first and last character that a run writes.
fn ends(run: &StyledRun) -> (char, char) {
    let both = |c| (c, c);
    match &run.what {
        RunKind::Break => both(' '),
        _ if run.style.superscript || run.style.subscript => ('<', '>'),
        RunKind::QuotationBegins(depth) => both(quotation_marks(*depth).0),
        RunKind::QuotationEnds(depth) => both(quotation_marks(*depth).1),
        RunKind::Text(_) if run.style.code => ('`', '`'),
        RunKind::Text(text) | RunKind::Raw(text) => {
            (text.chars().next().unwrap_or(' '), text.chars().next_back().unwrap_or(' '))
        }
    }
}

/// The quotation marks at a depth, from the standard's style sheet for English (section 15.3.4).
fn quotation_marks(depth: usize) -> (char, char) {
    if depth.is_multiple_of(2) { ('“', '”') } else { ('‘', '’') }
}

/// Removes the last of these marks from white space at its ends, and from runs where its ends would
/// not be recognised (section 6.2: left- and right-flanking).
fn leave_out_unread(runs: &mut [StyledRun], order: &[InlineMark]) {
    let Some(&mark) = order.last() else { return };
    let is_blank =
        |run: &StyledRun| !run.style.code && matches!(&run.what, RunKind::Text(text) if text.trim().is_empty());
    let mut at = 0;
    while at < runs.len() {
        if !mark.is_in(runs[at].style) {
            at += 1;
            continue;
        }
        let end = at + stretch(runs, at, order);
        let words = at..end;
        let start = words.clone().find(|at| !is_blank(&runs[*at])).unwrap_or(end);
        let stop = words.rev().find(|at| !is_blank(&runs[*at])).map_or(start, |last| last + 1);
        mark.take_off(&mut runs[at..start]);
        mark.take_off(&mut runs[stop..end]);
        if start < stop && !mark.is_tag() {
            let before = start.checked_sub(1).map_or(' ', |before| ends(&runs[before]).1);
            let after = runs.get(stop).map_or(' ', |after| ends(after).0);
            // Other marks may be between it and the text.
            let inner =
                |run: &StyledRun, end: char| if run.style.deleted && mark != InlineMark::Deleted { '~' } else { end };
            let first = inner(&runs[start], ends(&runs[start]).0);
            let last = inner(&runs[stop - 1], ends(&runs[stop - 1]).1);
            // Within another mark of asterisks it must not close that one.
            let outer = order.iter().filter(|outer| outer.is_starred() && **outer != mark && mark.is_starred());
            let is_amid = start.checked_sub(1).is_some_and(|at| outer.clone().any(|outer| outer.is_in(runs[at].style)));
            let only_begins = before.is_whitespace() || is_punctuation(before) && !is_punctuation(first);
            if !(flanks(before, first) && flanks(after, last)) || is_amid && !only_begins {
                mark.take_off(&mut runs[start..stop]);
            }
        }
        at = end;
    }
}

/// Whether a mark between these characters is recognised. `inner` is on the marked side.
fn flanks(outer: char, inner: char) -> bool {
    let is_word = |c: char| !c.is_whitespace() && !is_punctuation(c);
    !inner.is_whitespace() && (!is_punctuation(inner) || !is_word(outer))
}

/// Anything that is not a letter, digit or white space. This is more than the standard's
/// punctuation, so we leave out a mark rather than write a wrong one.
fn is_punctuation(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace()
}

/// Removes marks from a run that begins with an asterisk if the one before ends with one. Together
/// they would be another mark.
fn leave_out_touching(runs: &mut [StyledRun], order: &MarkOrder) {
    for at in 1..runs.len() {
        loop {
            let (before, after) = (around(runs[at - 1].style, order), around(runs[at].style, order));
            let same = before.iter().zip(&after).take_while(|(before, after)| before == after).count();
            let ends = before[same..].iter().any(|mark| mark.is_starred());
            let begins = after[same..].iter().copied().find(|mark| mark.is_starred());
            let Some(mark) = begins.filter(|_| ends) else { break };
            let depth = order.iter().position(|one| *one == mark).map_or(order.len(), |depth| depth + 1);
            let length = stretch(runs, at, &order[..depth]);
            mark.take_off(&mut runs[at..at + length]);
        }
    }
}

/// Joins neighbours that now have one style.
fn merged(runs: Vec<StyledRun>) -> Vec<StyledRun> {
    let mut merged: Vec<StyledRun> = Vec::with_capacity(runs.len());
    for run in runs {
        match (merged.last_mut(), &run.what) {
            (Some(StyledRun { what: RunKind::Text(last), style }), RunKind::Text(text)) if *style == run.style => {
                last.push_str(text)
            }
            _ => merged.push(run),
        }
    }
    merged
}

struct InlineWriter<'l> {
    out: String,
    /// Marks that are open, the outermost first.
    open: Vec<InlineMark>,
    links: &'l [String],
    place: BlockPlace,
    order: MarkOrder,
}

impl InlineWriter<'_> {
    fn write(mut self, runs: &[StyledRun]) -> String {
        for (at, run) in runs.iter().enumerate() {
            self.turn_to(run.style);
            match &run.what {
                RunKind::Text(text) if run.style.code => escape::code(&mut self.out, text, self.place.is_cell),
                RunKind::Text(text) => {
                    let after = self.after(run, runs.get(at + 1));
                    let around =
                        escape::Surroundings { in_table: self.place.is_cell, in_link: run.style.link > 0, after };
                    escape::text(&mut self.out, text, around);
                }
                RunKind::Raw(text) => self.out.push_str(text),
                RunKind::QuotationBegins(depth) => self.out.push(quotation_marks(*depth).0),
                RunKind::QuotationEnds(depth) => self.out.push(quotation_marks(*depth).1),
                RunKind::Break if self.place.is_cell => self.out.push_str("<br>"),
                RunKind::Break if self.place.is_heading => self.out.push(' '),
                RunKind::Break => self.out.push_str("\\\n"),
            }
        }
        self.turn_to(RunStyle::default());
        if self.place.is_heading && self.out.ends_with('#') {
            // Trailing marks could close a heading.
            self.out.insert(self.out.len() - 1, '\\');
        }
        if self.place.is_cell || self.place.is_heading {
            return self.out;
        }
        let mut lines = String::new();
        for line in self.out.split_inclusive('\n') {
            escape::line(&mut lines, line);
        }
        lines
    }

    /// The first character written after a run: of a mark, or of the next run. A space at the end
    /// of the block.
    fn after(&self, run: &StyledRun, next: Option<&StyledRun>) -> char {
        let style = next.map_or_else(RunStyle::default, |next| next.style);
        let (now, then) = (around(run.style, &self.order), around(style, &self.order));
        let same = now.iter().zip(&then).take_while(|(now, then)| now == then).count();
        let closing = now[same..].last().map(|mark| mark.delimiters().1);
        let mark = closing.or_else(|| then.get(same).map(|mark| mark.delimiters().0));
        mark.and_then(|mark| mark.chars().next()).unwrap_or_else(|| match next {
            Some(StyledRun { what: RunKind::Break, .. }) if !self.place.is_heading => '\\',
            next => next.map_or(' ', |next| ends(next).0),
        })
    }

    /// Closes and opens the marks that differ between two styles.
    fn turn_to(&mut self, style: RunStyle) {
        let wanted = around(style, &self.order);
        let same = self.open.iter().zip(&wanted).take_while(|(open, wanted)| open == wanted).count();
        while self.open.len() > same {
            let Some(mark) = self.open.pop() else { break };
            self.out.push_str(mark.delimiters().1);
            if let InlineMark::Link(number) = mark {
                self.out.push('(');
                escape::target(&mut self.out, &self.links[number - 1]);
                self.out.push(')');
            }
        }
        for &mark in &wanted[same..] {
            self.out.push_str(mark.delimiters().0);
            self.open.push(mark);
        }
    }
}
