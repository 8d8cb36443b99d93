//! Which bodies go when they take more than the setting `bodies_bytes`: the oldest raw pages, then
//! the oldest siblings, and never a page that waits.
//!
//! The store empties the oldest segment of the journal: it writes what stays again, at the end.
//! So that this ends, the journal may take twice the bytes of what waits. Siblings stay if they and
//! the pages that wait take at most half of the journal. Then the store copies at most one byte for
//! each byte that it removes.

use super::uses;
use crate::error::Error;
use crate::index::base::{Base, Frame, Which};
use crate::index::heads::{BodyHead, HeadSort};
use crate::index::state::State;
use crate::index::writer::Writer;
use crate::key::Key;
use crate::log::op::Op;

/// Bytes that the journal may take.
fn limit(base: &Base, state: &State) -> u64 {
    base.config().bodies_bytes.max(2 * state.waiting_bytes)
}

/// Whether bodies have to go.
pub(crate) fn is_over(base: &Base) -> bool {
    base.makes_room() && base.journal(Which::Bodies).size().0 > limit(base, &base.state())
}

/// The bytes of what waits, if they alone are more than the budget.
pub(crate) fn waiting_beyond(base: &Base) -> Option<u64> {
    let waiting = base.state().waiting_bytes;
    (base.makes_room() && waiting > base.config().bodies_bytes).then_some(waiting)
}

/// Copies the frame of a body if it stays.
pub(crate) fn collect(writer: &mut Writer<'_>, key: &Key, frame: Frame<'_>) -> Result<(), Error> {
    let Some(head) = writer.head::<BodyHead>(HeadSort::Body, key)? else { return Ok(()) };
    if head.place != frame.place {
        return Ok(());
    }
    if frame.makes_room && !stays(writer, &head) {
        return uses::remove(writer, key).map(drop);
    }
    let op = Op::Body { key: key.as_str().to_owned(), fetched_at: head.fetched_at, uses: head.uses };
    let place = writer.append_again(frame.which, op, frame.value, frame.place.raw_len as usize)?;
    uses::moved(writer, key, &head, place)
}

fn stays(writer: &Writer<'_>, head: &BodyHead) -> bool {
    let State { waiting_bytes, sibling_bytes, .. } = writer.state;
    let is_room_for_siblings = 2 * (waiting_bytes + sibling_bytes) <= limit(writer.base(), &writer.state);
    head.uses.waits || head.uses.sibling && is_room_for_siblings
}
