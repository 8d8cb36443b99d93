//! Opens the index without reading its entries.

use std::path::Path;

use super::seen::Heads;
use super::state::{EPOCH_KEY, FLUSH_KEY, FORMAT_KEY, STATE_KEY, State, Trees};
use super::{DIR, Index, LOG_FILE, has_old_trees, open_sled, open_to_sync, sled_log};
use crate::error::{Error, io};
use crate::index::guarded::guarded;
use crate::log::frame::FORMAT;

/// The index, if nothing speaks against it; else why not. Nobody has read its entries then: their
/// digest is not compared, and its heads are not known.
pub(crate) fn open(dir: &Path, cache_capacity: u64) -> Result<Result<Index, String>, Error> {
    let dir = dir.join(DIR);
    if !dir.join(LOG_FILE).exists() {
        return Ok(Err("there is no index".to_owned()));
    }
    if let Some(why) = sled_log::doubt(&dir).map_err(|source| io("read", &dir, source))? {
        return Ok(Err(why.to_owned()));
    }
    Ok(match guarded(|| open_unread(&dir, cache_capacity)) {
        Ok(Ok(index)) => index.ok_or_else(|| "the index is not as this version leaves it".to_owned()),
        // Another program may have it.
        Ok(Err(error)) if !error.is_damaged() && !error.is_sled() => return Err(error),
        Ok(Err(error)) => Err(super::chain(&error)),
        Err(panic) => Err(panic),
    })
}

fn open_unread(dir: &Path, cache_capacity: u64) -> Result<Option<Index>, Error> {
    let sled = open_sled(dir, cache_capacity)?;
    let trees = Trees::open(&sled)?;
    let meta = |key| trees.meta.get(key).map_err(Error::sled("read a number"));
    let number = |key| Ok::<_, Error>(meta(key)?.and_then(|bytes| Some(u64::from_be_bytes((*bytes).try_into().ok()?))));
    let is_ours = meta(FORMAT_KEY)?.is_some_and(|format| *format == FORMAT.to_be_bytes());
    let (Some(epoch), Some(flush), Some(state)) = (number(EPOCH_KEY)?, number(FLUSH_KEY)?, meta(STATE_KEY)?) else {
        return Ok(None);
    };
    let state: State = postcard::from_bytes(&state).map_err(Error::decode("its state"))?;
    let file = open_to_sync(dir)?;
    let heads = Heads::default();
    let index = Index { trees, sled, file, state, epoch: Some(epoch), flush, is_fresh: false, heads };
    Ok(Some(index).filter(|index| is_ours && !has_old_trees(index)))
}
