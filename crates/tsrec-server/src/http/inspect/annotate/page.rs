//! The pages of the label editor: blocks with their labels, and the results.

use std::ops::Range;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::super::{answer, facts};
use super::{AnnotationForm, PART, Session};
use crate::inspector::{GivenLabels, escaped, label_legend, meanings};

/// The form of the labels.
const FORM: &str = "labels";

/// A short page.
pub(super) fn narrow(title: &str, body: &str) -> Response {
    answer(title, &format!("<main class=narrow><h1 dir=auto>{}</h1>{body}</main>", escaped(title)))
}

/// A part of the blocks, with their labels.
pub(super) fn labels(session: &Session, part: Range<usize>) -> Response {
    let AnnotationForm { name, out, labelling, sheet, frame, .. } = &session.annotation;
    let given = labelling.labels();
    let suggested = |block| labelling.suggestion(block);
    let rows = sheet.rows(part.clone(), &GivenLabels { given, suggested: &suggested, form: FORM });
    let done = format!("{} of {}", labelling.labelled(), given.len());
    let notice = session.notice.as_deref().map(|notice| format!("<p role=alert>{}", escaped(notice)));
    let title = format!("Label {name}");
    let frame = match frame {
        Some(frame) => frame.as_str(),
        None => "<p>It is too long to be shown here: open the file itself.",
    };
    let body = format!(
        "<header><h1 dir=auto>{}</h1>{}<p>Give each block a label: press the first letter of the label, then Tab. \
         Open an element to mark all that is in it as content, or as not content; <i>Apply</i> shows the labels \
         that follow. Nothing is written before you save.{}{}</header><main class=record><section class=page aria-labelledby=blocks><h2 id=blocks>{}</h2>{}{rows}{}\
         </section><section class=side aria-labelledby=itself><h2 id=itself>The page itself, without scripts, styles \
         and images</h2>{frame}</section></main>",
        escaped(&title),
        facts([("blocks labelled", done), ("the labels go to", escaped(out))]),
        meanings(),
        notice.unwrap_or_default(),
        heading(&part, given.len()),
        label_legend(given),
        bar(session, &part),
    );
    answer(&title, &body)
}

/// The range of blocks shown.
fn heading(part: &Range<usize>, blocks: usize) -> String {
    match part.len() < blocks {
        true => format!("Blocks {} to {} of {blocks}", part.start + 1, part.end),
        false => "The page's blocks".to_owned(),
    }
}

/// The buttons. Enter presses the first.
fn bar(session: &Session, part: &Range<usize>) -> String {
    let labelling = &session.annotation.labelling;
    let blocks = labelling.labels().len();
    let left = blocks - labelling.labelled();
    let suggested = (0..blocks).filter(|&block| labelling.suggestion(block).is_some()).count();
    let button = |is_there: bool, value: &str, text: String| match is_there {
        true => format!("<button name=do value={value}>{text}</button> "),
        false => String::new(),
    };
    let part_at = |start: usize| format!("Blocks {} to {}", start + 1, blocks.min(start + PART));
    let (earlier, later) = (part.start.saturating_sub(PART), part.end);
    let buttons = [
        button(true, "apply", "Apply".to_owned()),
        button(labelling.undoable() > 0, "undo", "Undo".to_owned()),
        button(suggested > 0, "accept", format!("Accept the suggestions ({suggested})")),
        button(left > 0, "rest", format!("Label the rest other ({left})")),
        button(part.start > 0, &format!("part-{}", earlier + 1), format!("← {}", part_at(earlier))),
        button(later < blocks, &format!("part-{}", later + 1), format!("{} →", part_at(later))),
        button(left > 0 && part.len() < blocks, "unlabelled", "Next without a label".to_owned()),
        button(true, "save", "<b>Save and end</b>".to_owned()),
        button(true, "leave", "Leave without saving".to_owned()),
    ];
    form(FORM, session, part.start + 1, &buttons.concat())
}

/// A form that carries the current labels.
fn form(id: &str, session: &Session, from: usize, buttons: &str) -> String {
    format!(
        "<form id={id} class=bar method=post action=\"./\"><input type=hidden name=revision value={}>\
         <input type=hidden name=from value={from}>{buttons}</form>",
        session.revision
    )
}

/// Asks before labels are lost.
pub(super) fn is_sure(session: &Session, from: usize) -> Response {
    let sure = form("sure", session, from, "<button name=do value=forget>Leave without saving</button>");
    let body = format!(
        "<p>The labels given since the page was opened are lost then; {} stays as it is.{sure}\
         <p><a href=\"?from={from}\">Back to the labels</a>",
        escaped(&session.annotation.out)
    );
    narrow("Leave without saving?", &body)
}

pub(super) fn left(annotation: &AnnotationForm) -> Response {
    let body = format!("<p role=status>{} is as it was. This page can be closed.", escaped(&annotation.out));
    narrow("Nothing was saved", &body)
}

pub(super) fn saved(annotation: &AnnotationForm) -> Response {
    let AnnotationForm { out, labelling, .. } = annotation;
    let (done, all) = (labelling.labelled(), labelling.labels().len());
    let rest = if done < all { " The same command goes on with the others." } else { "" };
    let body =
        format!("<p role=status>{}: {done} of {all} blocks are labelled.{rest} This page can be closed.", escaped(out));
    narrow("The labels are saved", &body)
}

pub(super) fn not_saved(annotation: &AnnotationForm, error: &str) -> Response {
    let body = format!(
        "<p role=alert>{}.<p>Nothing is lost: mend it, then save again. <a href=\"./\">Back to the labels</a>",
        escaped(error)
    );
    let title = format!("{} could not be saved", annotation.out);
    (StatusCode::INTERNAL_SERVER_ERROR, narrow(&title, &body)).into_response()
}
