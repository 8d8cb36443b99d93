//! Divisions that hold nothing but another: pages nest them to lay out, and they say nothing.

use std::ops::Range;

/// What is written of the divisions that are open, and what of those that are closed is to go.
#[derive(Debug, Default)]
pub(super) struct Nest {
    open: Vec<Division>,
    removed: Vec<Range<usize>>,
}

#[derive(Debug)]
struct Division {
    /// Where its start tag stands.
    tag: Range<usize>,
    /// It says something of its own: a language, a name.
    has_attributes: bool,
    /// The last division in it.
    child: Option<Range<usize>>,
}

impl Nest {
    /// A division begins, whose start tag was written from here.
    pub(super) fn open(&mut self, from: usize, out: &str) {
        self.open.push(Division { tag: from..out.len(), has_attributes: &out[from..] != "<div>", child: None });
    }

    /// A division ends: writes its end tag, unless it is to go for the one that it holds.
    pub(super) fn close(&mut self, out: &mut String) {
        let Some(Division { tag, has_attributes, child }) = self.open.pop() else { return };
        let is_blank = |part: &str| part.trim().is_empty();
        let only = child
            .filter(|child| !has_attributes && is_blank(&out[tag.end..child.start]) && is_blank(&out[child.end..]));
        match only {
            Some(child) => self.removed.push(tag.start..child.start),
            None => out.push_str("</div>\n"),
        }
        if let Some(around) = self.open.last_mut() {
            around.child = Some(tag.start..out.len());
        }
    }

    /// What was written, without the start tags of those that are to go.
    pub(super) fn without_removed(mut self, out: &str) -> String {
        self.removed.sort_unstable_by_key(|range| range.start);
        let mut left = String::with_capacity(out.len());
        let mut from = 0;
        for Range { start, end } in self.removed {
            left.push_str(&out[from..start]);
            from = end;
        }
        left.push_str(&out[from..]);
        left
    }
}
