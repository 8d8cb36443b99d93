//! Screens as text.

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::cli::annotate::keys;
use crate::cli::annotate::outline::Outline;
use tsrec_core::block::text_blocks::text_blocks;
use tsrec_core::html::parse;

const PAGE: &str = "<nav id=menu><ul><li><a>Home</a><li>News</ul></nav><div id=main class=wide><h1>The ferry sails again</h1>\
    <p>It was late by a year. See <a>the timetable</a> for more, or ask on the quay, where nobody minded, since the band \
    had used the time to learn a second tune.<p>渡し船 \u{1f980} שלום <b>\u{1b}[31mred</b></div><footer>Imprint</footer>";

fn state(page: &str, labels: &str, suggestions: &str) -> State {
    let document = parse(format!("<!DOCTYPE html><body>{page}").as_bytes(), None, &Default::default());
    let outline = Outline::new(&document, &text_blocks(&document));
    let blocks = outline.blocks().len();
    let labels: Vec<_> = labels.chars().map(BlockLabel::from_key).chain(std::iter::repeat(None)).take(blocks).collect();
    State::new(outline, labels, suggestions.chars().filter_map(BlockLabel::from_key).collect())
}

fn screen(state: &State, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, state, "ferry.html")).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| {
        let mut row = String::new();
        let mut x = 0;
        while x < width {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            x += (Span::raw(symbol).width() as u16).max(1);
        }
        row.trim_end().to_owned()
    };
    (0..height).map(row).collect::<Vec<_>>().join("\n")
}

fn press(state: &mut State, pressed: &str) {
    for key in pressed.chars() {
        state.apply(keys::of_char(key).unwrap());
    }
}

fn check(state: &State, width: u16, height: u16, expect: &str) {
    let screen = screen(state, width, height);
    assert_eq!(screen, expect.strip_prefix('\n').and_then(|expect| expect.strip_suffix('\n')).unwrap(), "\n{screen}");
}

#[test]
fn a_terminal_of_the_usual_size() {
    check(
        &state(PAGE, "ooh", ""),
        80,
        18,
        r"
 ferry.html                                                   3/9 labelled, 33%
  [o] li         Home
  [o] li         News
  [h] h1         The ferry sails again
>│[?] p          It was late by a year. See
 │[?] p           ↳ the timetable
 │[?] p           ↳ for more, or ask on the quay, where nobody minded, since th…
  [?] p          渡し船 🦀 שלום
  [?] p           ↳ \u{1b}[31mred
  [?] footer     Imprint
body > div#main > p                               │ p: 3 blocks · 26 characters
It was late by a year. See




h header  p paragraph  l list  c continuation  o other  HPLCO the group │
? help  q quit  u undo  n next  x rest other  + - widen group
",
    );
}

#[test]
fn suggestions_stand_in_round_brackets() {
    check(
        &state(PAGE, "oo", "oohpccpco"),
        80,
        12,
        r"
 ferry.html                                                   2/9 labelled, 22%
  [o] li         News
>│(h) h1         The ferry sails again
 │(p) p          It was late by a year. See
 │(c) p           ↳ the timetable
 │(c) p           ↳ for more, or ask on the quay, where nobody minded, since th…
body > div#main > h1                       │ div#main: 6 blocks · 21 characters
The ferry sails again


h header  p paragraph  l list  c continuation  o other  HPLCO the group │
? help  q quit  u undo  n next  a accept  A accept group  e accept all
",
    );
}

#[test]
fn a_narrow_terminal() {
    check(
        &state(PAGE, "ooh", ""),
        28,
        8,
        r"
 ferry.ht 3/9 labelled, 33%
  [h] The ferry sails again
>│[?] It was late by a year…
 │[?]  ↳ the timetable
 │[?]  ↳ for more, or ask o…
  [?] 渡し船 🦀 שלום

h   p   l   c   o
",
    );
}

#[test]
fn a_filter_and_a_message() {
    let mut state = state(PAGE, "ooh", "");
    press(&mut state, "fP");
    check(
        &state,
        80,
        10,
        r"
 ferry.html                     only blocks without a label · 6/9 labelled, 66%
>│[?] p          渡し船 🦀 שלום
 │[?] p           ↳ \u{1b}[31mred
  [?] footer     Imprint
body > div#main > p                               │ p: 2 blocks · 10 characters
渡し船 🦀 שלום

3 blocks labelled paragraph; u takes it back.
h header  p paragraph  l list  c continuation  o other  HPLCO the group │
? help  q quit  u undo  n next  x rest other  + - widen group
",
    );
}

#[test]
fn the_help() {
    let mut state = state(PAGE, "", "");
    press(&mut state, "?");
    check(
        &state,
        80,
        24,
        r"
 ferry.html                                                    0/9 labelled, 0%
>│[?] li ┌ keys; a capital labels the group │ ─────────────────────────┐
 │[?] li │ h H       a header begins: headline, byline, dateline       │
  [?] h1 │ p P       a paragraph begins                                │
  [?] p  │ l L       a list item begins                                │
  [?] p  │ c C       what began last goes on                           │
  [?] p  │ o O       not content: it is cleaned away                   │ince th…
  [?] p  │ ?         this help; any key leaves it                      │
  [?] p  │ q         write and quit (so does ctrl-c)                   │
  [?] foo│ u         take the last change back; ctrl-r makes it again  │
         │ n         go to the next block without a label              │
         │ a         accept the suggestion (so does enter)             │
         │ A         accept the group's suggestions                    │
         │ e         accept all suggestions of the page                │
         │ x         label other all that has no label from here on    │
         │ + -       make the group larger, smaller again              │
body > na│ r         repeat the last label to the end of the group     │racters
Home     │ d         take the block's label away (so does delete)      │
         │ f         show all, unlabelled, content or other alone      │
         │ j k       down, up (so do the arrows)                       │
         │ PgDn PgUp a screen down, up                                 │
         │ g G       first block, last block (home, end)               │
h header └─────────────────────────────────────────────────────────────┘│
? help  q quit  u undo  n next  x rest other  + - widen group
",
    );
}

#[test]
fn no_size_makes_it_panic() {
    let long = format!("<p>{}<p>{}<p id={}>x", "渡".repeat(5_000), "a\u{301}\u{301}".repeat(900), "y".repeat(300));
    for page in [PAGE, "<p>x", &long] {
        let mut state = state(page, "", "");
        for (width, height) in
            [(1, 1), (2, 1), (1, 2), (3, 3), (5, 4), (7, 7), (1, 30), (10, 10), (12, 40), (300, 3), (200, 60)]
        {
            screen(&state, width, height);
            state.apply(super::super::state::Action::Help);
            screen(&state, width, height);
            state.apply(super::super::state::Action::Help);
            press(&mut state, "j");
            screen(&state, width, height);
        }
    }
}

#[test]
fn what_the_page_holds_never_steers_the_terminal() {
    let state = state("<p>\u{1b}]0;title\u{7}\u{9b}2J\u{202e}x</p>", "", "");
    let screen = screen(&state, 80, 24);
    assert!(screen.chars().all(|c| c == '\n' || !c.is_control()) && !screen.contains('\u{202e}'), "{screen}");
    assert!(screen.contains("\\u{1b}]0;title\\u{7}"), "{screen}");
}
