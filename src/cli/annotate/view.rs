//! The screen: the list of blocks, the one that keys speak of in full, and the keys.
//!
//! Labels are told by their letter first, and by colour as a help: suggestions stand in round brackets, labels in square ones. The list scrolls under
//! the cursor, which keeps its height, so that the eyes may rest there.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block as Border, Clear, Paragraph, Widget, Wrap};

use super::keys::{HINTS, Hint};
use super::state::{Filter, State, count};
use tsrec_core::block::block_label::BlockLabel;

/// Where the parts of the screen stand. A screen too low for all of them keeps the list.
struct Parts {
    title: Rect,
    list: Rect,
    place: Rect,
    detail: Rect,
    message: Rect,
    labels: Rect,
    keys: Rect,
}

impl Parts {
    /// Heights by the screen's: the more room, the more of the block's text is shown in full.
    fn of(area: Rect) -> Parts {
        let [title, place, detail, message, labels, keys] = match area.height {
            0..=2 => [0; 6],
            3..=5 => [0, 0, 0, 0, 1, 0],
            6..=9 => [1, 0, 0, 1, 1, 0],
            10..=17 => [1, 1, 2, 1, 1, 1],
            18..=39 => [1, 1, 4, 1, 1, 1],
            _ => [1, 1, 8, 1, 1, 1],
        };
        let list = area.height - title - place - detail - message - labels - keys;
        let mut y = area.y;
        let mut take = |height| {
            let part = Rect { y, height, ..area };
            y += height;
            part
        };
        Parts {
            title: take(title),
            list: take(list),
            place: take(place),
            detail: take(detail),
            message: take(message),
            labels: take(labels),
            keys: take(keys),
        }
    }
}

/// The rows of the list on a screen of this size.
pub(super) fn list_rows(area: Rect) -> usize {
    usize::from(Parts::of(area).list.height)
}

/// Draws the screen. `page` names the page, escaped.
pub(super) fn draw(frame: &mut Frame<'_>, state: &State, page: &str) {
    let parts = Parts::of(frame.area());
    let buffer = frame.buffer_mut();
    draw_title(buffer, parts.title, state, page);
    draw_list(buffer, parts.list, state);
    draw_place(buffer, parts.place, state);
    let block = &state.outline().blocks()[state.cursor()];
    // A pane shows a few hundred characters: wrapping the whole of a long text at each key would be for nothing.
    let room = usize::from(parts.detail.width) * usize::from(parts.detail.height);
    let text: String = block.text.chars().take(room).collect();
    Paragraph::new(text).wrap(Wrap { trim: true }).render(parts.detail, buffer);
    Line::styled(state.message(), Style::new().add_modifier(Modifier::BOLD)).render(parts.message, buffer);
    draw_labels(buffer, parts.labels);
    draw_keys(buffer, parts.keys, state);
    if state.shows_help() {
        draw_help(frame);
    }
}

/// The page's name on the left, how far it is labelled on the right.
fn draw_title(buffer: &mut Buffer, area: Rect, state: &State, page: &str) {
    buffer.set_style(area, Style::new().add_modifier(Modifier::REVERSED));
    let (done, all) = (state.labelled(), state.labels().len());
    let shown = match state.filter() {
        Filter::All => String::new(),
        filter => format!("only {} · ", filter.as_str()),
    };
    let progress = format!("{done}/{all} labelled, {}% ", done * 100 / all);
    let full = Line::from(format!(" {shown}{progress}"));
    let right = if full.width() > usize::from(area.width) { Line::from(format!(" {progress}")) } else { full };
    Line::from(format!(" {page}")).render(area, buffer);
    right.right_aligned().render(area, buffer);
}

/// From this width on the list has a column for tags.
const WIDE: u16 = 50;

fn draw_list(buffer: &mut Buffer, area: Rect, state: &State) {
    let shown: Vec<usize> = state.shown().collect();
    let rows = usize::from(area.height);
    let cursor = shown.partition_point(|&block| block < state.cursor());
    // The cursor stands at a third of the height: what comes is looked at longer than what is done.
    let top = cursor.saturating_sub(rows / 3).min(shown.len().saturating_sub(rows));
    let group = state.group().blocks;
    for (&block, y) in shown[top..].iter().zip(area.y..area.bottom()) {
        draw_row(buffer, Rect { y, height: 1, ..area }, state, block, group.len() > 1 && group.contains(&block));
    }
}

/// `>│[p] p      the text`: cursor, group, label, tag, text.
fn draw_row(buffer: &mut Buffer, area: Rect, state: &State, number: usize, in_group: bool) {
    let block = &state.outline().blocks()[number];
    let at_cursor = number == state.cursor();
    let (label, style) = label_of(state, number);
    let mut x = put(buffer, area, area.x, if at_cursor { ">" } else { " " }, Style::new());
    x = put(buffer, area, x, if in_group { "│" } else { " " }, Style::new());
    x = put(buffer, area, x, &label, style);
    if area.width >= WIDE {
        x = put(buffer, area, x, &format!(" {:<10.10}", block.tag), Style::new().add_modifier(Modifier::DIM));
    }
    let goes_on = if block.begins { " " } else { "  ↳ " };
    x = put(buffer, area, x, goes_on, Style::new().add_modifier(Modifier::DIM));
    put(buffer, area, x, &block.text, text_style(state, number));
    if at_cursor {
        buffer.set_style(area, Style::new().add_modifier(Modifier::REVERSED).remove_modifier(Modifier::DIM));
    }
}

/// Writes as much of a text as fits, with a mark where it is cut. Returns the column after it.
fn put(buffer: &mut Buffer, area: Rect, x: u16, text: &str, style: Style) -> u16 {
    let room = area.right().saturating_sub(x);
    if room == 0 {
        return x;
    }
    // A character takes two columns at most, and some take none; what stands far outside need not be measured.
    let head = text.char_indices().nth(4 * usize::from(room)).map_or(text, |(end, _)| &text[..end]);
    if Span::raw(head).width() <= usize::from(room) {
        return buffer.set_stringn(x, area.y, head, usize::from(room), style).0;
    }
    let (end, y) = buffer.set_stringn(x, area.y, head, usize::from(room - 1), style);
    buffer.set_stringn(end, y, "…", 1, style).0
}

/// The label of a block with its brackets, or what is suggested.
fn label_of(state: &State, block: usize) -> (String, Style) {
    match (state.labels()[block], state.suggestion(block)) {
        (Some(label), _) => (format!("[{}]", label.key()), colour(label).add_modifier(Modifier::BOLD)),
        (None, Some(label)) => (format!("({})", label.key()), colour(label).add_modifier(Modifier::DIM)),
        (None, None) => ("[?]".to_owned(), Style::new()),
    }
}

/// What is left out is dim, and so is what is only suggested.
fn text_style(state: &State, block: usize) -> Style {
    let suggested = state.suggestion(block).is_some();
    let left_out = state.labels()[block] == Some(BlockLabel::Other);
    if suggested || left_out { Style::new().add_modifier(Modifier::DIM) } else { Style::new() }
}

/// Colours of the terminal's own palette, so that they fit its background.
fn colour(label: BlockLabel) -> Style {
    Style::new().fg(match label {
        BlockLabel::Header => Color::Yellow,
        BlockLabel::Paragraph => Color::Green,
        BlockLabel::List => Color::Cyan,
        BlockLabel::Continuation => Color::Blue,
        BlockLabel::Other => Color::Magenta,
    })
}

/// Where the block stands, what a capital letter would label, and how long the text is.
fn draw_place(buffer: &mut Buffer, area: Rect, state: &State) {
    buffer.set_style(area, Style::new().add_modifier(Modifier::UNDERLINED));
    let group = state.group();
    let text = &state.outline().blocks()[state.cursor()].text;
    let right = format!(" │ {}: {} · {} characters ", group.name, count(group.blocks.len()), text.chars().count());
    let room = usize::from(area.width).saturating_sub(Span::raw(&right).width());
    let path = state.outline().path(state.cursor());
    // The end of a long path says most.
    let length = path.chars().count();
    let path = match length > room {
        true => format!("…{}", path.chars().skip(length - room.saturating_sub(1).min(length)).collect::<String>()),
        false => path,
    };
    Line::from(path).render(Rect { width: room as u16, ..area }, buffer);
    Line::from(right).right_aligned().render(area, buffer);
}

/// The keys of the labels: none of them may be missing, so on a narrow screen their names are cut.
fn draw_labels(buffer: &mut Buffer, area: Rect) {
    let letters = match area.width {
        0..40 => 0,
        40..56 => 4,
        _ => usize::MAX,
    };
    let mut x = area.x;
    for label in BlockLabel::ALL {
        let name = label.as_str();
        let name = &name[..name.len().min(letters)];
        x = draw_hint(buffer, area, x, &label.key().to_string(), name, colour(label));
    }
    draw_hint(buffer, area, x, "HPLCO", "the group │", Style::new());
}

fn draw_keys(buffer: &mut Buffer, area: Rect, state: &State) {
    let mut x = area.x;
    let useful =
        |hint: &&Hint| !hint.short.is_empty() && (state.has_suggestions() || !hint.short.starts_with("accept"));
    for hint in HINTS.iter().filter(useful) {
        x = draw_hint(buffer, area, x, hint.key, hint.short, Style::new());
    }
}

/// A key and what it does, where both fit. Returns the column after them.
fn draw_hint(buffer: &mut Buffer, area: Rect, x: u16, key: &str, does: &str, style: Style) -> u16 {
    let width = Span::raw(key).width() + Span::raw(does).width() + 3;
    if area.height == 0 || width > usize::from(area.right().saturating_sub(x)) {
        return x;
    }
    let x = put(buffer, area, x, key, style.add_modifier(Modifier::BOLD | Modifier::REVERSED));
    put(buffer, area, x, &format!(" {does}  "), style)
}

fn draw_help(frame: &mut Frame<'_>) {
    let mut lines: Vec<Line<'_>> = BlockLabel::ALL
        .into_iter()
        .map(|label| help_line(&format!("{0} {1}", label.key(), label.key().to_ascii_uppercase()), says(label)))
        .collect();
    lines.extend(HINTS.iter().map(|hint| help_line(hint.key, hint.long)));
    let width = lines.iter().map(Line::width).max().unwrap_or(0) as u16 + 4;
    let area = frame.area();
    let height = (lines.len() as u16 + 2).min(area.height);
    let help = area.centered(
        ratatui::layout::Constraint::Length(width.min(area.width)),
        ratatui::layout::Constraint::Length(height),
    );
    frame.render_widget(Clear, help);
    frame.render_widget(
        Paragraph::new(lines).block(Border::bordered().title(" keys; a capital labels the group │ ")),
        help,
    );
}

fn help_line(key: &str, does: &str) -> Line<'static> {
    let key = Span::styled(format!(" {key:<10}"), Style::new().add_modifier(Modifier::BOLD));
    Line::from(vec![key, Span::raw(does.to_owned())])
}

fn says(label: BlockLabel) -> &'static str {
    match label {
        BlockLabel::Header => "a header begins: headline, byline, dateline",
        BlockLabel::Paragraph => "a paragraph begins",
        BlockLabel::List => "a list item begins",
        BlockLabel::Continuation => "what began last goes on",
        BlockLabel::Other => "not content: it is cleaned away",
    }
}

#[cfg(test)]
mod tests;
