//! Screens as text.

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::block::text_blocks::text_blocks;
use crate::cli::annotate::keys;
use crate::cli::annotate::outline::Outline;
use crate::html::parse;

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
    assert_eq!(screen, expect.trim_matches('\n'), "\n{screen}");
}

#[test]
fn a_terminal_of_the_usual_size() {
    check(&state(PAGE, "ooh", ""), 80, 18, "");
}

#[test]
fn suggestions_stand_in_round_brackets() {
    check(&state(PAGE, "oo", "oohpccpco"), 80, 12, "");
}

#[test]
fn a_narrow_terminal() {
    check(&state(PAGE, "ooh", ""), 28, 8, "");
}

#[test]
fn a_filter_and_a_message() {
    let mut state = state(PAGE, "ooh", "");
    press(&mut state, "Pf");
    check(&state, 80, 10, "");
}

#[test]
fn the_help() {
    let mut state = state(PAGE, "", "");
    press(&mut state, "?");
    check(&state, 80, 24, "");
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
