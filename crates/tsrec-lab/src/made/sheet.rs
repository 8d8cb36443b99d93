//! A page while it is written: its HTML, and the text of its content.

/// A page while it is written.
#[derive(Default)]
pub(super) struct PageSheet {
    pub(super) html: String,
    /// The text of the content, a line for each block.
    pub(super) gold: String,
    in_content: bool,
}

impl PageSheet {
    /// Writes markup.
    pub(super) fn raw(&mut self, html: &str) {
        self.html += html;
    }

    /// Writes text. Within the content it is gold, too.
    pub(super) fn text(&mut self, text: &str) {
        self.html += &text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        if self.in_content {
            self.gold += text;
            self.gold.push('\n');
        }
    }

    /// An element. `open` is its name and its attributes.
    pub(super) fn element(&mut self, open: &str, inside: impl FnOnce(&mut PageSheet)) {
        let name = open.split(' ').next().expect("split gives one part at least");
        self.html += &format!("<{open}>");
        inside(self);
        self.html += &format!("</{name}>\n");
    }

    /// An element with nothing but text.
    pub(super) fn leaf(&mut self, open: &str, text: &str) {
        self.element(open, |sheet| sheet.text(text));
    }

    /// Writes a part of the content.
    pub(super) fn content(&mut self, inside: impl FnOnce(&mut PageSheet)) {
        self.as_content(true, inside);
    }

    /// Writes something that is no content, perhaps within the content.
    pub(super) fn other(&mut self, inside: impl FnOnce(&mut PageSheet)) {
        self.as_content(false, inside);
    }

    fn as_content(&mut self, is: bool, inside: impl FnOnce(&mut PageSheet)) {
        let before = std::mem::replace(&mut self.in_content, is);
        inside(self);
        self.in_content = before;
    }
}
