//! Progress of re-extraction after teaching: per host, the templates whose stored pages must
//! follow a lesson.
//!
//! There is one entry per host. For each such template it holds the lesson and the last URL that
//! follows it. Teaching changes only that entry, however many pages there are. The crawl extracts
//! some pages at a time and resumes after a restart. The store writes the whole entry into the
//! journal of records, as it does the site's memory. So a backup contains it, and it survives the
//! loss of the index.

use crate::Store;
use crate::error::Error;
use crate::index::base::Which;
use crate::index::heads;
use crate::index::heads::{FollowingHead, HeadSort};
use crate::index::writer;
use crate::index::writer::Writer;
use crate::key::Key;
use crate::log::Place;
use crate::log::op::{FollowingEntry, Op};

/// A template whose pages follow a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Following {
    /// Its number in its site.
    pub number: u32,
    /// The last URL that follows by now; `None` if none does yet.
    pub after: Option<String>,
    host: String,
    /// Differs for each lesson: a new lesson begins again with the first page.
    lesson: u64,
}

#[doc(hidden)]
impl Store {
    /// Notes a lesson: all stored pages of a template still have to follow. Durable after
    /// [`Database::durable`](super::Database::durable).
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn follow(&self, host: &str, number: u32) -> Result<(), Error> {
        self.change_following(host, |entries| {
            let at = entries.partition_point(|entry| entry.number < number);
            match entries.get_mut(at).filter(|entry| entry.number == number) {
                Some(entry) => (entry.lesson, entry.after) = (entry.lesson.wrapping_add(1), None),
                None => entries.insert(at, FollowingEntry { number, lesson: 0, after: None }),
            }
        })
    }

    /// A template of a host whose pages still have to follow, if there is one.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn following(&self, host: &str) -> Result<Option<Following>, Error> {
        let head: Option<FollowingHead> = writer::head(self.database.base(), HeadSort::Following, &Key::of_host(host))?;
        let first = head.and_then(|head| head.entries.into_iter().next());
        Ok(first.map(|FollowingEntry { number, lesson, after }| Following {
            number,
            after,
            host: host.to_owned(),
            lesson,
        }))
    }

    /// The hosts that have such templates.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn hosts_that_follow(&self) -> Result<Vec<String>, Error> {
        let heads = self.database.base().trees().heads.scan_prefix(heads::tree_prefix(HeadSort::Following, None));
        let host = |head: sled::Result<(sled::IVec, sled::IVec)>| {
            let (tree_key, _) = head.map_err(Error::sled("list what pages follow"))?;
            Ok(heads::url_key(&tree_key)?.host().to_owned())
        };
        heads.map(host).collect()
    }

    /// Notes that the pages of a template follow up to a URL, or all of them. If a new lesson
    /// came meanwhile, it notes nothing.
    ///
    /// # Errors
    ///
    /// The database's errors.
    pub fn has_followed(&self, which: &Following, up_to: Option<&str>) -> Result<(), Error> {
        self.change_following(&which.host, |entries| {
            let is_it = |entry: &FollowingEntry| entry.number == which.number && entry.lesson == which.lesson;
            let Some(at) = entries.iter().position(is_it) else { return };
            match up_to {
                Some(url) => entries[at].after = Some(url.to_owned()),
                None => drop(entries.remove(at)),
            }
        })
    }

    fn change_following(&self, host: &str, change: impl FnOnce(&mut Vec<FollowingEntry>)) -> Result<(), Error> {
        let mut writer = Writer::new(self.database.base());
        let key = Key::of_host(host);
        let before: Option<FollowingHead> = writer.head(HeadSort::Following, &key)?;
        let before = before.map(|head| head.entries).unwrap_or_default();
        let mut entries = before.clone();
        change(&mut entries);
        if entries == before {
            return Ok(());
        }
        let place = writer.append(Op::Following { host: host.to_owned(), entries: entries.clone() }, None)?;
        put(&mut writer, &key, entries, place)?;
        writer.commit()
    }
}

/// Sets the templates of a host whose pages follow, with the place of their frame, in the
/// caller's commit.
pub(crate) fn put(writer: &mut Writer<'_>, key: &Key, entries: Vec<FollowingEntry>, place: Place) -> Result<(), Error> {
    take(writer, key)?;
    if entries.is_empty() {
        writer.bury(Which::Records, place);
        return Ok(());
    }
    writer.put_head(HeadSort::Following, key, &FollowingHead { place, entries })
}

/// Removes a host's entry, in the caller's commit.
pub(crate) fn take(writer: &mut Writer<'_>, key: &Key) -> Result<(), Error> {
    if let Some(before) = writer.head::<FollowingHead>(HeadSort::Following, key)? {
        writer.remove_head(HeadSort::Following, key);
        writer.bury(Which::Records, before.place);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Database, maintenance};

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
        let first = store.following("a.example").unwrap().unwrap();
        assert_eq!((first.number, &first.after), (1, &None));
        store.has_followed(&first, Some("http://a.example/7")).unwrap();
        drop(store);

        let store = open();
        let first = store.following("a.example").unwrap().unwrap();
        assert_eq!((first.number, first.after.as_deref()), (1, Some("http://a.example/7")));
        // A new lesson came while pages followed the previous one: none of them is done.
        store.follow("a.example", 1).unwrap();
        store.has_followed(&first, Some("http://a.example/9")).unwrap();
        let again = store.following("a.example").unwrap().unwrap();
        assert_eq!((again.number, &again.after), (1, &None));
        store.has_followed(&again, None).unwrap();
        assert_eq!(store.following("a.example").unwrap().unwrap().number, 300);
        assert_eq!(store.following("a").unwrap(), None);
    }

    /// The progress of `a.example` in a store.
    fn found(store: &Store) -> Vec<(u32, Option<String>)> {
        let first = store.following("a.example").unwrap();
        first.map(|first| (first.number, first.after)).into_iter().collect()
    }

    #[test]
    fn what_pages_follow_is_in_a_backup_and_outlives_the_index() {
        let [dir, backup, restored] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let open = |dir: &tempfile::TempDir| Store::new(&Database::open(dir.path(), &Config::default()).unwrap());
        {
            let store = open(&dir);
            for host in ["a.example", "b.example", "c.example"] {
                store.follow(host, 1).unwrap();
                let which = store.following(host).unwrap().unwrap();
                // One host has some pages done, one all, one none.
                match host {
                    "a.example" => store.has_followed(&which, Some("http://a.example/7")).unwrap(),
                    "b.example" => store.has_followed(&which, None).unwrap(),
                    _ => {}
                }
            }
            store.database.durable().unwrap();
            maintenance::backup(dir.path(), backup.path()).unwrap();
        }
        maintenance::restore(backup.path(), restored.path(), &Config::default(), false).unwrap();
        // Twice: collecting removes dead frames, and they must stay dead when the index is lost.
        for _ in 0..2 {
            maintenance::compact(dir.path(), &Config::default()).unwrap();
            std::fs::remove_dir_all(dir.path().join("index")).unwrap();
            for dir in [&dir, &restored] {
                let store = open(dir);
                assert_eq!(store.hosts_that_follow().unwrap(), ["a.example", "c.example"]);
                assert_eq!(found(&store), [(1, Some("http://a.example/7".to_owned()))]);
            }
        }
    }
}
