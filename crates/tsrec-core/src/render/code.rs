//! Preformatted text: its lines.

use crate::html::elements::{DefaultDisplay, default_display};
use crate::html::is_space;

/// Collects preformatted text. Blocks within it become lines.
#[derive(Debug, Default)]
pub(super) struct Code {
    text: String,
}

impl Code {
    /// Adds text, or white space between texts. White space before the first text is layout.
    pub(super) fn text(&mut self, text: &str) {
        if !self.text.is_empty() || !text.chars().all(is_space) {
            self.text.push_str(text);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// An element begins or ends. A block ends a line once, each line break ends one. True if a
    /// line ends.
    pub(super) fn boundary(&mut self, name: &str) -> bool {
        let is_due = name == "br" || default_display(name) == DefaultDisplay::Block && !self.text.ends_with('\n');
        let is_ended = is_due && !self.text.is_empty();
        self.text.push_str(if is_ended { "\n" } else { "" });
        is_ended
    }

    /// The whole text, without empty lines at its ends.
    pub(super) fn finish(&self) -> &str {
        self.text.trim_start_matches('\n').trim_end()
    }
}
