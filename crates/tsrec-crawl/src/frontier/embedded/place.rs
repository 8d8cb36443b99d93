//! Finds the next URL of a queue.
//!
//! Normally that is the first in the order of the index. The URLs of strangers
//! ([`Origins`](super::origins::Origins)) are moved behind the others when they are met, a bounded
//! number at a time, and back when their origin answers.

use super::super::error::Error;
use super::Embedded;
use super::change::FrontierChange;
use super::layout::{Due, DueClass, Phase, UrlEntry, due_key, due_prefix, parse_due};
use super::queues::{QueueHead, Queues};
use tsrec_store::Key;

/// URLs moved in one transaction. Judgement: some ten milliseconds, once for so many links.
const MOST_MOVED: usize = 1_000;

/// What to do with a place of the index that comes first.
enum Meets {
    /// Its URL is leased.
    Leased,
    /// It is the head.
    Head,
    /// Its URL belongs elsewhere. The flag says whether its origin is dead.
    Moves(Due, bool),
}

/// A URL that gets another place.
struct Moved {
    key: Key,
    from: Due,
    to: Due,
    /// Whether its origin is dead.
    fails: bool,
}

/// The account of a URL that was not asked for.
const NOT_ASKED: &str = "not asked for: its scheme and port failed for another URL, and the host answers elsewhere";

impl Embedded {
    /// Finds the next URL of a queue, and places the queue in the index.
    pub(super) fn place(&self, queues: &mut Queues, name: &str) -> Result<(), Error> {
        if let Some(head) = queues.preferred(name) {
            let place = due_key(name, head.due, &head.url);
            let is_there = self.due.contains_key(&place).map_err(Error::store("read what is due"))?;
            if is_there && !queues.is_leased(name, &head.url) {
                queues.place(name, Some(head));
                return Ok(());
            }
            queues.prefer(name, None);
        }
        let usual = self.usual_head(queues, name)?;
        let (late, has_returned) = self.late_head(queues, name)?;
        let usual = if has_returned { self.usual_head(queues, name)? } else { usual };
        queues.place_one_of(name, usual, late);
        Ok(())
    }

    /// The first URL of a queue that is no stranger's. Strangers before it move behind the others.
    fn usual_head(&self, queues: &mut Queues, name: &str) -> Result<Option<QueueHead>, Error> {
        let end = due_key(name, Due { class: DueClass::Late, at: 0 }, "");
        let meets = |queues: &Queues, due: Due, url: &str| {
            if !queues.is_stranger(name, url) {
                return Meets::Head;
            }
            let retry_from = queues.retry_from(name, url);
            Meets::Moves(Due { class: DueClass::Late, at: due.at.max(retry_from) }, queues.is_dead(name, url))
        };
        self.head(queues, name, (&due_prefix(name), &end), meets).map(|(head, _)| head)
    }

    /// The first URL of the strangers that is in no back-off. Tells whether some are strangers no
    /// more, and have returned to the others.
    fn late_head(&self, queues: &mut Queues, name: &str) -> Result<(Option<QueueHead>, bool), Error> {
        let begin = due_key(name, Due { class: DueClass::Late, at: 0 }, "");
        let end = due_key(name, Due { class: DueClass::Late, at: u64::MAX }, "\u{10ffff}");
        let meets = |queues: &Queues, due: Due, url: &str| {
            if !queues.is_stranger(name, url) {
                return Meets::Moves(Due { class: DueClass::Normal, ..due }, false);
            }
            match queues.retry_from(name, url) {
                from if from > due.at => Meets::Moves(Due { at: from, ..due }, queues.is_dead(name, url)),
                _ => Meets::Head,
            }
        };
        self.head(queues, name, (&begin, &end), meets)
    }

    /// The first URL of a part of a queue that is its head, after others have moved, and whether
    /// any has.
    fn head(
        &self,
        queues: &mut Queues,
        name: &str,
        (from, to): (&[u8], &[u8]),
        meets: impl Fn(&Queues, Due, &str) -> Meets,
    ) -> Result<(Option<QueueHead>, bool), Error> {
        let prefix = due_prefix(name).len();
        let mut has_moved = false;
        loop {
            let (mut moved, mut found) = (Vec::new(), None);
            for entry in self.due.range(from..to) {
                let (key, _) = entry.map_err(Error::store("read what is due"))?;
                let Some((due, url)) = parse_due(&key[prefix..]) else {
                    self.take_out_key(&self.due, &key, "a key of what is due")?;
                    continue;
                };
                match if queues.is_leased(name, url) { Meets::Leased } else { meets(queues, due, url) } {
                    Meets::Leased => {}
                    Meets::Head => {
                        found = Some(QueueHead { due, url: url.to_owned() });
                        break;
                    }
                    Meets::Moves(..) if moved.len() >= MOST_MOVED => break,
                    Meets::Moves(to, fails) => {
                        moved.push(Moved { key: Key::in_queue(name, url), from: due, to, fails })
                    }
                }
            }
            has_moved |= !moved.is_empty();
            let is_whole = moved.len() < MOST_MOVED;
            self.reschedule(queues, moved)?;
            if found.is_some() || is_whole {
                return Ok((found, has_moved));
            }
        }
    }

    /// Gives URLs other places in the index. Places that do not lead to their entries are removed.
    fn reschedule(&self, queues: &mut Queues, moved: Vec<Moved>) -> Result<(), Error> {
        if moved.is_empty() {
            return Ok(());
        }
        let (mut change, now) = (FrontierChange::default(), queues.now());
        for Moved { key, from, to, fails } in moved {
            let Some(before) = self.entry(&key)?.filter(|entry| entry.due == Some(from)) else {
                change.due.remove(due_key(key.host(), from, key.url()));
                continue;
            };
            let mut after = UrlEntry { due: Some(to), ..before.clone() };
            if fails && before.phase == Phase::Discovered {
                // Its port failed for another URL. So nobody waits for this one.
                (after.phase, after.attempts, after.failing_since, after.acked_at) = (Phase::Failed, 1, now, now);
                after.said = NOT_ASKED.to_owned();
            }
            change.replace(queues, &key, Some(&before), Some(after))?;
        }
        self.write(&change)?;
        change.records.into_iter().for_each(|(name, record)| queues.set_record(&name, record));
        Ok(())
    }
}
