//! Removes divisions that only hold another division. Pages nest them for layout; they mean
//! nothing.

use std::ops::Range;

/// Tracks the open divisions, and which closed ones to remove.
#[derive(Debug, Default)]
pub(super) struct Nest {
    open: Vec<Division>,
    removed: Vec<Range<usize>>,
}

#[derive(Debug)]
struct Division {
    /// The range of its start tag.
    tag: Range<usize>,
    /// True if it has attributes that mean something: a language, a name.
    has_attributes: bool,
    /// The last division in it.
    child: Option<Range<usize>>,
}

impl Nest {
    /// A division begins; its start tag was written at `from`.
    pub(super) fn open(&mut self, from: usize, out: &str) {
        self.open.push(Division { tag: from..out.len(), has_attributes: &out[from..] != "<div>", child: None });
    }

    /// A division ends. Writes its end tag, unless the division in it replaces it.
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

    /// The output without the start tags of removed divisions.
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
