//! What bodies are kept for: their heads, and the lists and counters that follow from these.

use jiff::Timestamp;

use super::frame::BodyValue;
use crate::error::Error;
use crate::index::base::{Base, Which};
use crate::index::heads;
use crate::index::heads::{BodyHead, HeadSort, HeldHead, ParkedHead};
use crate::index::state::State;
use crate::index::writer::Writer;
use crate::key::Key;
use crate::log::Place;
use crate::log::op::{Op, Uses};
use crate::log::packed::Packed;
use crate::log::value::StoredValue;

/// A body ready for writing.
pub(crate) struct PackedBody {
    pub(crate) uses: Uses,
    pub(crate) fetched_at: Timestamp,
    /// `None` if the journal has it.
    pub(crate) packed: Option<Packed>,
}

impl PackedBody {
    /// The same, if it may be kept without waiting.
    pub(crate) fn without_wait(self) -> Option<PackedBody> {
        let uses = Uses { waits: false, ..self.uses };
        Some(PackedBody { uses, ..self }).filter(|body| body.uses.raw)
    }
}

/// Keeps a body, in place of the one that was kept for its URL. Returns what it is kept for:
/// nothing, if its frame was to be in the journal and has gone.
pub(crate) fn put(writer: &mut Writer<'_>, key: &Key, body: &PackedBody) -> Result<Uses, Error> {
    let before = head(writer, key)?;
    let PackedBody { uses, fetched_at, packed } = body;
    let (uses, fetched_at) = (*uses, *fetched_at);
    let place = match (packed, &before) {
        (Some(packed), _) => append(writer, key, (fetched_at, uses), packed)?,
        (None, Some(before)) if before.uses.raw && before.fetched_at == fetched_at => before.place,
        (None, _) => return Ok(Uses::default()),
    };
    if uses.sibling {
        make_room_for_sibling(writer, key)?;
    }
    set(writer, key, before.as_ref(), Some(&BodyHead { uses, fetched_at, place }))?;
    writer.base().begin_making_room();
    Ok(uses)
}

/// A record of this fetch replaces that of another. A body of the same fetch waits no more, and
/// that of another goes.
pub(crate) fn follow_record(writer: &mut Writer<'_>, key: &Key, fetched_at: Timestamp) -> Result<(), Error> {
    match head(writer, key)? {
        Some(head) if head.fetched_at == fetched_at => end_wait(writer, key).map(drop),
        _ => remove(writer, key).map(drop),
    }
}

/// Ends the wait of a page, and returns whether it waited. What is neither raw nor a sibling goes.
pub(crate) fn end_wait(writer: &mut Writer<'_>, key: &Key) -> Result<bool, Error> {
    let Some(before) = head(writer, key)?.filter(|head| head.uses.waits) else { return Ok(false) };
    let uses = Uses { waits: false, ..before.uses };
    // A replay writes no frame.
    let after = match () {
        () if uses.raw => Some(BodyHead { uses, ..before.clone() }),
        () if uses.sibling && !writer.replays => leave_sequence(writer, key, &before)?,
        () => None,
    };
    set(writer, key, Some(&before), after.as_ref())?;
    Ok(true)
}

/// Writes the tag sequence of a page again, without its body. `None` if it cannot be read.
fn leave_sequence(writer: &mut Writer<'_>, key: &Key, before: &BodyHead) -> Result<Option<BodyHead>, Error> {
    let uses = Uses { waits: false, ..before.uses };
    let read = StoredValue::at(writer.base().journal(Which::Bodies), before.place).and_then(|value| value.unpack());
    let bytes = match read {
        Err(error) if error.is_damaged() => {
            tracing::warn!(url = key.url(), %error, "a sibling cannot be read, and is held no more");
            return Ok(None);
        }
        read => read?,
    };
    let packed = Packed::new(&BodyValue::decode(&bytes)?.without_body().encode()?)?;
    let place = append(writer, key, (before.fetched_at, uses), &packed)?;
    Ok(Some(BodyHead { uses, place, ..before.clone() }))
}

/// A page is no sibling any more. Returns whether it was.
pub(crate) fn let_go(writer: &mut Writer<'_>, key: &Key) -> Result<bool, Error> {
    let Some(before) = head(writer, key)?.filter(|head| head.uses.sibling) else { return Ok(false) };
    let uses = Uses { sibling: false, ..before.uses };
    let after = Some(BodyHead { uses, ..before.clone() }).filter(|_| !uses.is_none());
    set(writer, key, Some(&before), after.as_ref())?;
    Ok(true)
}

/// Keeps the body of a URL for nothing any more. Returns whether there was one.
pub(crate) fn remove(writer: &mut Writer<'_>, key: &Key) -> Result<bool, Error> {
    let before = head(writer, key)?;
    set(writer, key, before.as_ref(), None)?;
    Ok(before.is_some())
}

/// The body's frame is at another place now.
pub(crate) fn moved(writer: &mut Writer<'_>, key: &Key, before: &BodyHead, place: Place) -> Result<(), Error> {
    set(writer, key, Some(before), Some(&BodyHead { place, ..before.clone() }))
}

/// The body of a record's fetch is raw again, after the index was lost.
pub(crate) fn put_found(writer: &mut Writer<'_>, key: &Key, fetched_at: Timestamp, place: Place) -> Result<(), Error> {
    let before = head(writer, key)?;
    let uses = Uses { raw: true, ..Uses::default() };
    writer.base().journal(Which::Bodies).revive(place.segment, place.len.into());
    set(writer, key, before.as_ref(), Some(&BodyHead { uses, fetched_at, place }))
}

/// The siblings of a host, newest first. There are few.
pub(crate) fn siblings(base: &Base, host: &str) -> Result<Vec<Key>, Error> {
    let entries = base.trees().heads.scan_prefix(heads::tree_prefix(HeadSort::Held, Some(host)));
    let mut siblings = entries
        .map(|entry| {
            let (tree_key, head) = entry.map_err(Error::sled("list what is held"))?;
            Ok((heads::url_key(&tree_key)?, heads::decode::<HeldHead>(&head)?.order))
        })
        .collect::<Result<Vec<_>, Error>>()?;
    siblings.sort_by_key(|(_, order)| std::cmp::Reverse(*order));
    Ok(siblings.into_iter().map(|(key, _)| key).collect())
}

/// Lets the oldest siblings of a host go, so that one more is not too many.
fn make_room_for_sibling(writer: &mut Writer<'_>, key: &Key) -> Result<(), Error> {
    let mut others = siblings(writer.base(), key.host())?;
    others.retain(|other| other != key);
    let most = writer.config().held_per_host.saturating_sub(1).min(others.len());
    others.split_off(most).iter().try_for_each(|oldest| let_go(writer, oldest).map(drop))
}

fn head(writer: &Writer<'_>, key: &Key) -> Result<Option<BodyHead>, Error> {
    writer.head(HeadSort::Body, key)
}

fn append(
    writer: &mut Writer<'_>,
    key: &Key,
    (fetched_at, uses): (Timestamp, Uses),
    packed: &Packed,
) -> Result<Place, Error> {
    let op = Op::Body { key: key.as_str().to_owned(), fetched_at, uses };
    writer.append_again(Which::Bodies, op, packed.bytes(), packed.raw_len())
}

/// Changes a body's head, with the lists and counters that follow from it.
fn set(writer: &mut Writer<'_>, key: &Key, before: Option<&BodyHead>, after: Option<&BodyHead>) -> Result<(), Error> {
    if before.is_none() && after.is_none() {
        return Ok(());
    }
    let uses = |head: Option<&BodyHead>| head.map_or(Uses::default(), |head| head.uses);
    let is_new = before.map(|before| before.fetched_at) != after.map(|after| after.fetched_at);
    match after.filter(|after| after.uses.waits) {
        Some(after) => writer.put_head(HeadSort::Parked, key, &ParkedHead { fetched_at: after.fetched_at })?,
        None if uses(before).waits => writer.remove_head(HeadSort::Parked, key),
        None => {}
    }
    match (uses(before).sibling, uses(after).sibling) {
        (true, true) if !is_new => {}
        (_, true) => {
            writer.state.held_order += 1;
            let order = writer.state.held_order;
            writer.put_head(HeadSort::Held, key, &HeldHead { order })?;
        }
        (true, false) => writer.remove_head(HeadSort::Held, key),
        (false, false) => {}
    }
    if let Some(before) = before.filter(|before| after.is_none_or(|after| after.place != before.place)) {
        writer.bury(Which::Bodies, before.place);
    }
    before.into_iter().for_each(|before| count(&mut writer.state, before, u64::wrapping_sub));
    after.into_iter().for_each(|after| count(&mut writer.state, after, u64::wrapping_add));
    match after {
        Some(after) => writer.put_head(HeadSort::Body, key, after),
        None => {
            writer.remove_head(HeadSort::Body, key);
            Ok(())
        }
    }
}

/// Counts a body in, or out.
pub(super) fn count(state: &mut State, head: &BodyHead, with: fn(u64, u64) -> u64) {
    let len = u64::from(head.place.len);
    if head.uses.waits {
        state.parked = with(state.parked, 1);
        state.waiting_bytes = with(state.waiting_bytes, len);
    }
    if head.uses.sibling {
        state.held = with(state.held, 1);
    }
    if head.uses.is_only_sibling() {
        state.sibling_bytes = with(state.sibling_bytes, len);
    }
}
