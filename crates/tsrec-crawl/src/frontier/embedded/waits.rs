//! Pages that wait for a sibling. They are stored on disk, so that waiting costs no memory and
//! survives a restart.
//!
//! A wait begins, and its sibling is acknowledged, under one lock. So a caller that asks after the
//! ack finds every waiting page.

use std::sync::atomic::Ordering;

use super::super::error::Error;
use super::Embedded;
use super::change::FrontierChange;
use super::layout::Phase;
use tsrec_store::{Key, SpaceBatch};

impl Embedded {
    pub(super) fn begin_wait(&self, page: &str, sibling: &Key) -> Result<bool, Error> {
        let (mut queues, now) = self.lock();
        if self.entry(sibling)?.is_none_or(|entry| entry.phase != Phase::Discovered) {
            return Ok(false);
        }
        let key = wait_key(page, sibling);
        let is_new = !self.waits.contains_key(&key).map_err(Error::store("read who waits"))?;
        let mut change = FrontierChange::default();
        change.waits.insert(key, now.to_be_bytes());
        self.commit(&mut queues, change)?;
        self.waiting.fetch_add(u64::from(is_new), Ordering::Relaxed);
        // A leased sibling comes anyway.
        self.promote_locked(&mut queues, sibling, now)?;
        Ok(true)
    }

    pub(super) fn who_waits_for(&self, sibling: &Key) -> Result<Vec<String>, Error> {
        let prefix = wait_key("", sibling);
        let mut pages = Vec::new();
        for entry in self.waits.range(&prefix[..]..) {
            let (key, _) = entry.map_err(Error::store("read who waits"))?;
            let Some(page) = key.strip_prefix(&prefix[..]) else { break };
            pages.extend(std::str::from_utf8(page).ok().map(str::to_owned));
        }
        Ok(pages)
    }

    pub(super) fn vain_waits(&self, before: u64) -> Result<Vec<(String, String)>, Error> {
        let mut vain = Vec::new();
        for entry in self.waits.iter() {
            let (key, since) = entry.map_err(Error::store("read who waits"))?;
            let Some((sibling, page)) = parse_wait_key(&key) else {
                self.take_out_key(&self.waits, &key, "a key of who waits")?;
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                continue;
            };
            let since = <[u8; 8]>::try_from(&since[..]).map_or(0, u64::from_be_bytes);
            let is_to_come = self.entry(&sibling)?.is_some_and(|entry| entry.phase == Phase::Discovered);
            if since < before || !is_to_come {
                vain.push((page, sibling.url().to_owned()));
            }
        }
        Ok(vain)
    }

    pub(super) fn forget_wait(&self, page: &str, sibling: &Key) -> Result<(), Error> {
        let key = wait_key(page, sibling);
        // All writes to waits hold this lock.
        let _lock = self.lock();
        let was_there = self.waits.contains_key(&key).map_err(Error::store("end a wait"))?;
        let mut batch = SpaceBatch::default();
        batch.remove(key);
        self.write_spaces(&[(&self.waits, &batch)])?;
        self.waiting.fetch_sub(u64::from(was_there), Ordering::Relaxed);
        Ok(())
    }

    /// All waits from a sibling's key on.
    pub(super) fn waits_from(&self, from: Vec<u8>) -> impl Iterator<Item = Result<(Key, String), Error>> {
        self.waits.range(from..).filter_map(|entry| match entry {
            Ok((key, _)) => parse_wait_key(&key).map(Ok),
            Err(error) => Some(Err(Error::store("read who waits")(error))),
        })
    }
}

pub(super) fn wait_key(page: &str, sibling: &Key) -> Vec<u8> {
    [sibling.as_bytes(), b"\0", page.as_bytes()].concat()
}

/// `queue\0url\0page`: the sibling, and the page.
fn parse_wait_key(key: &[u8]) -> Option<(Key, String)> {
    let at = key.iter().rposition(|&byte| byte == 0)?;
    Some((Key::from_bytes(&key[..at])?, std::str::from_utf8(&key[at + 1..]).ok()?.to_owned()))
}
