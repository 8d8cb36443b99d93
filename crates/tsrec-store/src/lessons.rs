//! Lessons: what pages taught, kept for training. Bytes that are opaque here; a bounded number in all and for each host, the oldest out first.
//!
//! A lesson is written with the record it was taken from ([`Store::put_with_lesson`]) and goes when that is deleted: what a page's owner
//! withdraws is not learned from.

use std::collections::HashSet;
use std::ops::Bound;

use serde::{Deserialize, Serialize};

use super::Store;
use super::error::Error;
use super::journal::Place;
use super::key::Key;
use super::packed::{Packed, damaged};
use super::record::NewPage;
use super::stored::PageHead;
use super::writer::{self, Sort, Writer};
use tsrec_core::page::identity::content_hash;

/// Where all lessons are there that are kept, one page in so many gives another, by its content. Judgement: those that are kept stay young, and what
/// goes again soon is not made.
const THEN_ONE_IN: u8 = 8;

/// The head of a lesson. That of its place in the order, which is filed under the number, is the lesson's key.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct LessonHead {
    /// Larger for what was kept later.
    order: u64,
    pub(super) place: Place,
}

#[doc(hidden)]
impl Store {
    /// Whether a page's lesson is worth making, before the page is put: its title or text are not those of its record, and there is room for one more lesson,
    /// of its host and in all, or it had one already, or it is one page in eight.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; the database's.
    pub fn wants_lesson(&self, page: &NewPage) -> Result<bool, Error> {
        let config = self.database.config();
        if !is_wanted(config) {
            return Ok(false);
        }
        let key = Key::parse(&page.url)?;
        let content_hash = content_hash(page.metadata.title.as_deref(), &page.text);
        let before: Option<PageHead> = writer::head(&self.database, Sort::Page, &key)?;
        if before.is_some_and(|head| head.page.content_hash == content_hash) {
            return Ok(false);
        }
        if content_hash[0].is_multiple_of(THEN_ONE_IN) {
            return Ok(true);
        }
        if writer::head::<LessonHead>(&self.database, Sort::Lesson, &key)?.is_some() {
            return Ok(true); // in the place of what the page said before
        }
        let prefix = writer::tree_prefix(Sort::Lesson, Some(key.host()));
        let of_host = self.database.trees().heads.scan_prefix(prefix).take(config.lessons_per_host).count();
        Ok(of_host < config.lessons_per_host && self.counts().lessons < config.max_lessons as u64)
    }

    /// At most `limit` URLs whose pages have a lesson, ordered by host, then URL; with `after`, only those past that URL.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] if `after` cannot be a key; the database's.
    pub fn lessons(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, Error> {
        let start = match after {
            Some(after) => Bound::Excluded(writer::tree_key(Sort::Lesson, &Key::parse(after)?)),
            None => Bound::Included(writer::tree_prefix(Sort::Lesson, None)),
        };
        let end = Bound::Excluded(vec![Sort::Lesson as u8 + 1]);
        let entries = self.database.trees().heads.range::<Vec<u8>, _>((start, end)).take(limit);
        entries
            .map(|entry| {
                let (tree_key, _) = entry.map_err(Error::sled("list its lessons"))?;
                Ok(writer::url_key(&tree_key)?.url().to_owned())
            })
            .collect()
    }

    /// The lesson of a URL.
    ///
    /// # Errors
    ///
    /// [`Error::is_invalid`] for a URL that cannot be a key; [`Error::is_damaged`]; the database's.
    pub fn lesson(&self, url: &str) -> Result<Option<Vec<u8>>, Error> {
        let value = writer::value(&self.database, Sort::Lesson, &Key::parse(url)?, |head: &LessonHead| head.place)?;
        Ok(value.map(|(_, bytes)| bytes))
    }
}

fn is_wanted(config: &super::Config) -> bool {
    config.max_lessons > 0 && config.lessons_per_host > 0
}

/// A lesson made ready for writing. `None` if it is larger than the setting `max_lesson_bytes` after compression, or none is kept at all.
pub(super) fn pack(config: &super::Config, lesson: &[u8]) -> Result<Option<Packed>, Error> {
    if !is_wanted(config) {
        return Ok(None);
    }
    Ok(Some(Packed::new(lesson)?).filter(|packed| packed.len() <= config.max_lesson_bytes))
}

/// Keeps a lesson within a larger transaction, in the place of the one its URL had; where there are too many then, of its host or in all,
/// the oldest go.
pub(super) fn put(writer: &mut Writer<'_>, key: &Key, packed: &Packed) -> Result<(), Error> {
    let config = writer.config().clone();
    let mut going = HashSet::new();
    let mut of_host = of_host(writer, key.host())?;
    let before = of_host.iter().position(|(other, _)| other == key).map(|at| of_host.remove(at).1);
    let keep = (config.lessons_per_host - 1).min(of_host.len());
    for (oldest, head) in of_host.split_off(keep) {
        going.insert(head.order);
        remove(writer, &oldest, &head);
    }
    if let Some(before) = &before {
        going.insert(before.order);
        writer.remove_raw(&order_key(before.order));
        writer.state.lessons -= 1;
    }
    while writer.state.lessons >= config.max_lessons as u64 {
        let Some((oldest, head)) = oldest(writer, &going)? else { break };
        going.insert(head.order);
        remove(writer, &oldest, &head);
    }
    writer.state.lessons += 1;
    writer.state.lesson_order += 1;
    let order = writer.state.lesson_order;
    let place = writer.put_value(Sort::Lesson, key, packed, before.map(|head| head.place))?;
    writer.put_head(Sort::Lesson, key, &LessonHead { order, place })?;
    writer.put_raw(&order_key(order), key.as_bytes());
    Ok(())
}

/// Takes a URL's lesson away within a larger transaction, and tells whether there was one.
pub(super) fn take(writer: &mut Writer<'_>, key: &Key) -> Result<bool, Error> {
    let head: Option<LessonHead> = writer.head(Sort::Lesson, key)?;
    if let Some(head) = &head {
        remove(writer, key, head);
    }
    Ok(head.is_some())
}

fn remove(writer: &mut Writer<'_>, key: &Key, head: &LessonHead) {
    writer.remove_value(Sort::Lesson, key, head.place);
    writer.remove_raw(&order_key(head.order));
    writer.state.lessons -= 1;
}

/// The lessons of a host, the newest first. There are few.
fn of_host(writer: &Writer<'_>, host: &str) -> Result<Vec<(Key, LessonHead)>, Error> {
    let entries = writer.trees().heads.scan_prefix(writer::tree_prefix(Sort::Lesson, Some(host)));
    let mut heads = entries
        .map(|entry| {
            let (tree_key, head) = entry.map_err(Error::sled("list its lessons"))?;
            Ok((writer::url_key(&tree_key)?, writer::decode::<LessonHead>(&head)?))
        })
        .collect::<Result<Vec<_>, Error>>()?;
    heads.sort_by_key(|(_, head)| std::cmp::Reverse(head.order));
    Ok(heads)
}

/// The oldest lesson but for those that are going already.
fn oldest(writer: &Writer<'_>, going: &HashSet<u64>) -> Result<Option<(Key, LessonHead)>, Error> {
    for entry in writer.trees().heads.scan_prefix([Sort::LessonOrder as u8]) {
        let (tree_key, key) = entry.map_err(Error::sled("find its oldest lesson"))?;
        let damaged = || damaged("a lesson's place in the order is wrong", &tree_key);
        let order = tree_key.get(1..).and_then(|number| Some(u64::from_be_bytes(number.try_into().ok()?)));
        if going.contains(&order.ok_or_else(damaged)?) {
            continue;
        }
        let key = Key::from_bytes(&key).ok_or_else(damaged)?;
        let head = writer.head(Sort::Lesson, &key)?.ok_or_else(damaged)?;
        return Ok(Some((key, head)));
    }
    Ok(None)
}

fn order_key(order: u64) -> Vec<u8> {
    [&[Sort::LessonOrder as u8][..], &order.to_be_bytes()].concat()
}
