//! Keys pressed on a small page.

use super::*;
use crate::cli::annotate::keys;
use tsrec_core::block::text_blocks::text_blocks;
use tsrec_core::html::parse;

/// A menu of two, a heading, a paragraph of three blocks, one of one, and a footer.
const PAGE: &str = "<ul><li>Home<li>News</ul><div><h1>Ferry</h1><p>See <a>us</a> for more.<p>Soon</div><p>Imprint";

fn state(labels: &str, suggestions: &str) -> State {
    let document = parse(format!("<!DOCTYPE html><body>{PAGE}").as_bytes(), None, &Default::default());
    let outline = Outline::new(&document, &text_blocks(&document));
    let suggestions = suggestions.chars().filter_map(BlockLabel::from_key).collect();
    State::new(outline, labels.chars().map(BlockLabel::from_key).collect(), suggestions)
}

/// The labels as keys, `.` where there is none, with `>` before the block that keys speak of.
fn screen(state: &State) -> String {
    let mut screen = String::new();
    for (block, label) in state.labels().iter().enumerate() {
        if block == state.cursor() {
            screen.push('>');
        }
        screen.push(label.map_or('.', BlockLabel::key));
    }
    screen
}

fn press(state: &mut State, pressed: &str) {
    for key in pressed.chars() {
        // R stands for ctrl-r, which undoes an undo.
        let action = if key == 'R' { Some(Action::Redo) } else { keys::of_char(key) };
        state.apply(action.unwrap_or_else(|| panic!("{key} is no key")));
    }
}

fn check(labels: &str, pressed: &str, expect: &str) {
    let mut state = state(labels, "oohpccpo");
    press(&mut state, pressed);
    assert_eq!(screen(&state), expect, "{pressed:?} on {labels}: {}", state.message());
}

fn check_all(cases: &[(&str, &str, &str)]) {
    for (labels, pressed, expect) in cases {
        check(labels, pressed, expect);
    }
}

#[test]
fn one_key_labels_a_block() {
    check_all(&[
        ("........", "", ">........"),
        ("........", "oohpcc", "oohpcc>.."),
        ("oohp....", "", "oohp>...."),
        ("oohpccpo", "", ">oohpccpo"),
        ("oohpccp.", "o", "oohpccp>o"),
        // A continuation needs something that it goes on with.
        ("........", "c", ">........"),
        ("oo......", "c", "oo>......"),
        ("........", "jc", ".c>......"),
        // The rest is other; what is labelled stays.
        ("oohp..p.", "x", "oohp>oopo"),
        ("ooh...p.", "gx", ">oohooopo"),
        // A label is taken away.
        ("oohpccpo", "jjd", "oo>.pccpo"),
    ]);
}

#[test]
fn the_cursor_stays_on_the_page() {
    check_all(&[
        ("........", "jjk", ".>......."),
        ("........", "kk", ">........"),
        ("........", "Gj", ".......>."),
        ("........", "Gg", ">........"),
        ("o.h.cc..", "nn", "o.h.cc>.."),
        ("o.h.ccpo", "nnn", "o.h>.ccpo"),
        ("oohpccpo", "jn", "o>ohpccpo"),
    ]);
}

#[test]
fn one_key_labels_a_group() {
    check_all(&[
        ("........", "O", "oo>......"),
        ("........", "L", "ll>......"),
        ("ooh.....", "O", "oohooo>.."),
        // A paragraph's later blocks go on with it, wherever in it the key is pressed.
        ("ooh.....", "P", "oohpcc>.."),
        ("ooh.....", "jP", "oohpcc>.."),
        // Each paragraph of a larger element begins.
        ("oo......", "P", "ooppccp>."),
        ("ooh.....", "+P", "ooppccp>."),
        ("ooh.....", "++P", "ppp>pccpp"),
        ("ooh.....", "+-P", "oohpcc>.."),
        ("........", "+O", ">oooooooo"),
        ("........", "+++++O", ">oooooooo"),
        // Away from the group it is small again.
        ("ooh.....", "+GgO", "oo>h....."),
        // What is repeated goes on where the first began.
        ("ooh.....", "pr", "oohpcc>.."),
        ("oo......", "hr", "oohhcc>.."),
        ("........", "or", "oo>......"),
        ("........", "r", ">........"),
    ]);
}

#[test]
fn suggestions_are_taken_where_no_label_is() {
    check_all(&[
        ("........", "aa", "oo>......"),
        ("........", "A", "oo>......"),
        ("........", "e", ">oohpccpo"),
        ("..l.....", "e", ">oolpccpo"),
        ("l.......", "kA", "lo>......"),
        ("l.......", "ka", "l>......."),
        ("oohpccpo", "e", ">oohpccpo"),
    ]);
    let mut alone = state("........", "");
    press(&mut alone, "aAe");
    assert_eq!(screen(&alone), ">........");
    assert!(alone.message().starts_with("Nothing is suggested"));
    assert!(!alone.has_suggestions());
}

#[test]
fn what_was_done_can_be_undone_and_done_again() {
    check_all(&[
        ("........", "u", ">........"),
        ("........", "R", ">........"),
        ("........", "Ou", ">........"),
        ("........", "OuR", "oo>......"),
        ("........", "OhuuR", "oo>......"),
        ("........", "OhuuRR", "ooh>....."),
        ("........", "OuhR", "h>......."),
        ("oohpccpo", "Gxdu", "oohpccp>o"),
        // What changes nothing is no step.
        ("oohpccpo", "oou", "oo>hpccpo"),
    ]);
}

#[test]
fn only_what_is_shown_is_touched() {
    check_all(&[
        ("ooh.....", "+fO", "oohoooo>."),
        ("oohpccpo", "ff", "oo>hpccpo"),
        ("oohpccpo", "ffj", "ooh>pccpo"),
        ("oohpccpo", "fffGk", "o>ohpccpo"),
        ("oohpccpo", "f", ">oohpccpo"),
        ("oohpccpo", "ffGfg", ">oohpccpo"),
    ]);
    let mut state = state("oohpccpo", "");
    press(&mut state, "ff");
    assert_eq!(state.shown().collect::<Vec<_>>(), [2, 3, 4, 5, 6]);
}

#[test]
fn the_help_takes_one_key_and_quitting_is_told() {
    let mut state = state("........", "");
    press(&mut state, "?");
    assert!(state.shows_help());
    press(&mut state, "o");
    assert!(!state.shows_help());
    assert_eq!((screen(&state).as_str(), state.revision()), (">........", 0));
    press(&mut state, "+O");
    assert_eq!(
        state.message(),
        "8 blocks labelled other; u takes it back. Every block is labelled: q writes and quits."
    );
    press(&mut state, "?q");
    assert!(state.quits());
    state.stay();
    assert!(!state.quits());
}
