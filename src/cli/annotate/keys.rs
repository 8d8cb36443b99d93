//! Which key does what, and what the bottom line and the help say of it.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::state::Action;
use tsrec_core::block::block_label::BlockLabel;

/// A key, as the bottom line and the help name it.
pub(super) struct Hint {
    pub(super) key: &'static str,
    /// A word for the bottom line; empty for a key that only the help names.
    pub(super) short: &'static str,
    pub(super) long: &'static str,
}

const fn hint(key: &'static str, short: &'static str, long: &'static str) -> Hint {
    Hint { key, short, long }
}

/// The keys that do not stand for a label, those first that the bottom line must not lose.
pub(super) const HINTS: [Hint; 15] = [
    hint("?", "help", "this help; any key leaves it"),
    hint("q", "quit", "write and quit (so does ctrl-c)"),
    hint("u", "undo", "take the last change back; ctrl-r makes it again"),
    hint("n", "next", "go to the next block without a label"),
    hint("a", "accept", "accept the suggestion (so does enter)"),
    hint("A", "accept group", "accept the group's suggestions"),
    hint("e", "accept all", "accept all suggestions of the page"),
    hint("x", "rest other", "label other all that has no label from here on"),
    hint("+ -", "widen group", "make the group larger, smaller again"),
    hint("r", "", "repeat the last label to the end of the group"),
    hint("d", "", "take the block's label away (so does delete)"),
    hint("f", "", "show all, unlabelled, content or other alone"),
    hint("j k", "", "down, up (so do the arrows)"),
    hint("PgDn PgUp", "", "a screen down, up"),
    hint("g G", "", "first block, last block (home, end)"),
];

/// What a key asks for on a screen that lists so many rows; `None` for a key that means nothing.
pub(super) fn action(key: KeyEvent, rows: usize) -> Option<Action> {
    // A row of the last screen stays in sight.
    let screen = isize::try_from(rows.saturating_sub(1).max(1)).unwrap_or(isize::MAX);
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('r') if control => Some(Action::Redo),
        KeyCode::Char('c') if control => Some(Action::Quit),
        KeyCode::Char(_) if control || key.modifiers.contains(KeyModifiers::ALT) => None,
        KeyCode::Char(c) => of_char(c),
        KeyCode::Enter => Some(Action::Accept),
        KeyCode::Delete => Some(Action::Clear),
        KeyCode::Down => Some(Action::Rows(1)),
        KeyCode::Up => Some(Action::Rows(-1)),
        KeyCode::PageDown => Some(Action::Rows(screen)),
        KeyCode::PageUp => Some(Action::Rows(-screen)),
        KeyCode::Home => Some(Action::First),
        KeyCode::End => Some(Action::Last),
        _ => None,
    }
}

/// What a letter or sign asks for: that of a label gives it, in upper case to the group.
pub(super) fn of_char(c: char) -> Option<Action> {
    if let Some(label) = BlockLabel::from_key(c) {
        return Some(Action::Label(label));
    }
    if let Some(label) = BlockLabel::from_key(c.to_ascii_lowercase()) {
        return Some(Action::LabelGroup(label));
    }
    Some(match c {
        'r' => Action::Repeat,
        'x' => Action::Rest,
        'd' => Action::Clear,
        'a' => Action::Accept,
        'A' => Action::AcceptGroup,
        'e' => Action::AcceptAll,
        'j' => Action::Rows(1),
        'k' => Action::Rows(-1),
        'g' => Action::First,
        'G' => Action::Last,
        'n' => Action::NextUnlabelled,
        '+' | '=' => Action::Widen,
        '-' => Action::Narrow,
        'f' => Action::Filter,
        'u' => Action::Undo,
        '?' => Action::Help,
        'q' => Action::Quit,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_mean_what_the_help_says() {
        let key = |code, modifiers| action(KeyEvent::new(code, modifiers), 10);
        for (code, modifiers, expect) in [
            (KeyCode::Char('h'), KeyModifiers::NONE, Some(Action::Label(BlockLabel::Header))),
            (KeyCode::Char('H'), KeyModifiers::SHIFT, Some(Action::LabelGroup(BlockLabel::Header))),
            (KeyCode::Char('h'), KeyModifiers::CONTROL, None),
            (KeyCode::Char('p'), KeyModifiers::ALT, None),
            (KeyCode::Char('r'), KeyModifiers::CONTROL, Some(Action::Redo)),
            (KeyCode::Char('c'), KeyModifiers::CONTROL, Some(Action::Quit)),
            (KeyCode::PageDown, KeyModifiers::NONE, Some(Action::Rows(9))),
            (KeyCode::Up, KeyModifiers::NONE, Some(Action::Rows(-1))),
            (KeyCode::Enter, KeyModifiers::NONE, Some(Action::Accept)),
            (KeyCode::Char('z'), KeyModifiers::NONE, None),
            (KeyCode::F(1), KeyModifiers::NONE, None),
        ] {
            assert_eq!(key(code, modifiers), expect, "{modifiers:?} {code:?}");
        }
        assert_eq!(action(KeyEvent::from(KeyCode::PageUp), 0), Some(Action::Rows(-1)), "even where no row fits");
    }

    #[test]
    fn every_key_that_is_named_does_something() {
        for hint in &HINTS {
            for key in hint.key.split(' ').filter(|key| key.len() == 1) {
                assert!(key.chars().all(|c| of_char(c).is_some()), "{key}");
            }
        }
    }
}
