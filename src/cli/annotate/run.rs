//! The event loop: draw, wait for a key, do what it asks for, write.

use std::io;
use std::time::Duration;

use anyhow::{Context, Result};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::layout::Rect;

use super::state::State;
use super::{keys, view};

/// Lets a person label the page until they quit. `page` names it, escaped; `write` writes the labels, after every change and at the end.
///
/// The terminal is as it was before when this returns, by whatever way, and after a panic.
pub(super) fn run(state: &mut State, page: &str, mut write: impl FnMut(&State) -> Result<()>) -> Result<()> {
    let mut screen = Screen::open()?;
    let mut written = state.revision();
    loop {
        screen.terminal.draw(|frame| view::draw(frame, state, page)).context("the terminal cannot be drawn on")?;
        let forced = wait_for_keys(&screen.terminal, state)?;
        let mut unwritten = None;
        if state.revision() != written {
            match write(state) {
                Ok(()) => written = state.revision(),
                Err(error) => unwritten = Some(error),
            }
        }
        match unwritten {
            None if state.quits() => return Ok(()),
            Some(error) if forced => return Err(error),
            None => {}
            // Labels are work: the annotator stays open while they lie nowhere else.
            Some(error) => {
                state.stay();
                state.say(format!("{error:#}. Mend it and press q; ctrl-c leaves without the last labels."));
            }
        }
    }
}

/// Waits for an event, then does what it and all that have come meanwhile ask for: a key that is held down is one writing. True when the last was
/// ctrl-c, which quits whatever happens.
fn wait_for_keys(terminal: &DefaultTerminal, state: &mut State) -> Result<bool> {
    loop {
        if let Event::Key(key) = event::read().context("the terminal gives no keys")?
            && key.kind != event::KeyEventKind::Release
        {
            let rows = view::list_rows(Rect::from((Default::default(), terminal.size()?)));
            if let Some(action) = keys::action(key, rows) {
                state.apply(action);
            }
            if state.quits() {
                return Ok(key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL));
            }
        }
        if !event::poll(Duration::ZERO)? {
            return Ok(false);
        }
    }
}

/// The terminal while it is ours. Pasted text comes in brackets, and is no sequence of keys.
struct Screen {
    terminal: DefaultTerminal,
}

impl Screen {
    fn open() -> Result<Screen> {
        let terminal = ratatui::try_init().context("the terminal cannot be drawn on")?;
        let screen = Screen { terminal };
        execute!(io::stdout(), EnableBracketedPaste).context("the terminal cannot be drawn on")?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that is gone cannot be put back.
        let _ = execute!(io::stdout(), DisableBracketedPaste);
        let _ = ratatui::try_restore();
    }
}
