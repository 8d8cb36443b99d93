//! Templates whose stored pages are to follow what was taught of them, or taken back, and how far they have.
//!
//! A tree beside those of the store, `following`: `host\0number` → which lesson it is and the last URL that follows. Who teaches writes one entry, however many
//! pages there are; the crawl works it off, some pages at a time, and goes on after a restart where it was. It is no part of what the journals
//! can make again: where the index is lost, pages follow with their next visit.

use serde::{Deserialize, Serialize};

use super::Store;
use super::error::Error;
use super::key::Key;

const TREE: &str = "following";

/// A template whose pages follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Following {
    /// Its number in its site.
    pub(crate) number: u32,
    /// The last URL that follows by now; `None` where none does yet.
    pub(crate) after: Option<String>,
    host: String,
    /// Another for each lesson: the pages begin anew with each.
    lesson: u64,
}

/// A value of the tree.
#[derive(Serialize, Deserialize)]
struct Entry {
    lesson: u64,
    after: Option<String>,
}

fn key_of(host: &str, number: u32) -> Vec<u8> {
    [Key::of_host(host).as_str().as_bytes(), &number.to_be_bytes()].concat()
}

fn encode(entry: &Entry) -> Result<Vec<u8>, Error> {
    postcard::to_stdvec(entry).map_err(Error::encode("what pages follow"))
}

impl Store {
    /// Has all stored pages of a template follow what is remembered of it now: the crawl that runs is told, else the next one sees to it. Durable after
    /// [`Database::durable`](super::Database::durable).
    ///
    /// # Errors
    ///
    /// The database's.
    pub(crate) fn follow(&self, host: &str, number: u32) -> Result<(), Error> {
        let tree = self.database.open_tree(TREE)?;
        let key = key_of(host, number);
        let before = tree.get(&key).map_err(Error::sled("read what pages follow"))?;
        let before: Option<Entry> = before.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        let lesson = before.map_or(0, |entry| entry.lesson.wrapping_add(1));
        tree.insert(key, encode(&Entry { lesson, after: None })?).map_err(Error::sled("write what pages follow"))?;
        self.look_again(host);
        Ok(())
    }

    /// A template of a host whose pages follow, if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::is_damaged`]; the database's.
    pub(crate) fn following(&self, host: &str) -> Result<Option<Following>, Error> {
        let prefix = Key::of_host(host);
        let first = self.database.open_tree(TREE)?.scan_prefix(prefix.as_str()).next();
        first.map(|entry| following(entry.map_err(Error::sled("read what pages follow"))?)).transpose()
    }

    /// The hosts with such templates.
    ///
    /// # Errors
    ///
    /// Those of [`Store::following`].
    pub(crate) fn hosts_that_follow(&self) -> Result<Vec<String>, Error> {
        let entries = self.database.open_tree(TREE)?.iter();
        let host = |entry: sled::Result<_>| Ok(following(entry.map_err(Error::sled("read what pages follow"))?)?.host);
        let mut hosts = entries.map(host).collect::<Result<Vec<_>, Error>>()?;
        hosts.dedup();
        Ok(hosts)
    }

    /// The pages of a template follow up to a URL, or all of them; nothing of that is noted where it was taught once more meanwhile.
    ///
    /// # Errors
    ///
    /// The database's.
    pub(crate) fn has_followed(&self, which: &Following, up_to: Option<&str>) -> Result<(), Error> {
        let Following { number, after, host, lesson } = which;
        let entry = |after| encode(&Entry { lesson: *lesson, after });
        let old = entry(after.clone())?;
        let new = up_to.map(|url| entry(Some(url.to_owned()))).transpose()?;
        let tree = self.database.open_tree(TREE)?;
        // Another lesson came in between: its entry stays.
        let _ = tree
            .compare_and_swap(key_of(host, *number), Some(old), new)
            .map_err(Error::sled("write what pages follow"))?;
        Ok(())
    }
}

fn following((key, value): (sled::IVec, sled::IVec)) -> Result<Following, Error> {
    let wrong = || super::packed::damaged("this is no template that pages follow", &key);
    let (host, number) = key.split_at_checked(key.len().saturating_sub(size_of::<u32>())).ok_or_else(wrong)?;
    let number = u32::from_be_bytes(number.try_into().map_err(|_| wrong())?);
    let host = Key::from_bytes(host).ok_or_else(wrong)?.host().to_owned();
    let Entry { lesson, after } = postcard::from_bytes(&value).map_err(Error::decode("what pages follow"))?;
    Ok(Following { number, after, host, lesson })
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Database};
    use super::*;

    #[test]
    fn how_far_pages_follow_outlives_a_restart_and_another_lesson_begins_anew() {
        let dir = tempfile::tempdir().unwrap();
        let open = || Store::new(&Database::open(dir.path(), &Config::default()).unwrap());
        let store = open();
        assert_eq!(store.following("a.example").unwrap(), None);
        store.follow("a.example", 300).unwrap();
        store.follow("a.example", 1).unwrap();
        store.follow("a.example.org", 2).unwrap();
        assert_eq!(store.hosts_that_follow().unwrap(), ["a.example", "a.example.org"]);
        assert_eq!(store.take_host_to_look_at().as_deref(), Some("a.example"));
        let first = store.following("a.example").unwrap().unwrap();
        assert_eq!((first.number, &first.after), (1, &None));
        store.has_followed(&first, Some("http://a.example/7")).unwrap();
        drop(store);

        let store = open();
        let first = store.following("a.example").unwrap().unwrap();
        assert_eq!((first.number, first.after.as_deref()), (1, Some("http://a.example/7")));
        // Taught once more while pages follow the lesson before: none of them is done.
        store.follow("a.example", 1).unwrap();
        store.has_followed(&first, Some("http://a.example/9")).unwrap();
        let again = store.following("a.example").unwrap().unwrap();
        assert_eq!((again.number, &again.after), (1, &None));
        store.has_followed(&again, None).unwrap();
        assert_eq!(store.following("a.example").unwrap().unwrap().number, 300);
        assert_eq!(store.following("a").unwrap(), None);
    }
}
