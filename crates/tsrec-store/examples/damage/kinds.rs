//! The kinds of damage.

use std::path::{Path, PathBuf};

use crate::sources::{Random, Sources, copy, files};

/// The bytes of a page of memory, of which a failing disk returns zeros.
const BLOCK: usize = 4_096;

/// A kind of damage: what it does to a copy of the store, or to a copy of the backup.
pub(crate) struct DamageKind {
    pub(crate) name: &'static str,
    pub(crate) of_backup: bool,
    pub(crate) damage: Damage,
}

type Damage = fn(&Sources, &Path, &mut Random);

const fn of_store(name: &'static str, damage: Damage) -> DamageKind {
    DamageKind { name, of_backup: false, damage }
}

const fn of_backup(name: &'static str, damage: Damage) -> DamageKind {
    DamageKind { name, of_backup: true, damage }
}

pub(crate) const KINDS: [DamageKind; 32] = [
    of_store("bits flipped in the journal", |_, dir, random| {
        change(&records(dir), random, |bytes, random| flip(bytes, random))
    }),
    of_store("bits flipped in the index", |_, dir, random| {
        change(&index(dir), random, |bytes, random| flip(bytes, random))
    }),
    of_store("bits flipped in any file", |_, dir, random| {
        change(&files(dir), random, |bytes, random| flip(bytes, random))
    }),
    of_store("bits flipped in journal and index", |_, dir, random| {
        change(&records(dir), random, |bytes, random| flip(bytes, random));
        change(&index(dir), random, |bytes, random| flip(bytes, random));
    }),
    of_store("bits flipped in the journal, and no index", |_, dir, random| {
        change(&records(dir), random, |bytes, random| flip(bytes, random));
        remove(dir, "index");
    }),
    of_store("a file cut", |_, dir, random| change(&files(dir), random, cut)),
    of_store("a file emptied", |_, dir, random| change(&files(dir), random, |bytes, _| bytes.clear())),
    of_store("a page of zeros", |_, dir, random| change(&files(dir), random, |bytes, random| zero(bytes, random))),
    of_store("a page of zeros in journal and index", |_, dir, random| {
        change(&records(dir), random, |bytes, random| zero(bytes, random));
        change(&index(dir), random, |bytes, random| zero(bytes, random));
    }),
    of_store("zeros at the end of a file", |_, dir, random| {
        change(&files(dir), random, |bytes, random| zero_end(bytes, random))
    }),
    of_store("a page of another place", |_, dir, random| {
        change(&files(dir), random, |bytes, random| misplace(bytes, random))
    }),
    of_store("bytes gone from the journal", |_, dir, random| change(&records(dir), random, shift)),
    of_store("bytes added to a file", |_, dir, random| change(&files(dir), random, append)),
    of_store("two segments swapped", |_, dir, random| swap(&records(dir), random)),
    of_store("two segments swapped, and bits flipped", |_, dir, random| {
        swap(&records(dir), random);
        change(&records(dir), random, |bytes, random| flip(bytes, random));
    }),
    of_store("a segment missing", |_, dir, random| one_missing(&records(dir), random)),
    of_store("a segment missing, and no index", |_, dir, random| {
        one_missing(&records(dir), random);
        remove(dir, "index");
    }),
    of_store("a segment twice, another missing", |_, dir, random| doubled(&records(dir), random)),
    of_store("a segment as it was before", |sources, dir, random| {
        let old = records(&sources.old);
        let old = &old[random.below(old.len())];
        std::fs::copy(old, dir.join("records").join(old.file_name().unwrap())).unwrap();
    }),
    of_store("no index", |_, dir, _| remove(dir, "index")),
    of_store("an old index", |sources, dir, _| replace(dir, "index", &sources.old)),
    of_store("an old index and an old mark", |sources, dir, _| {
        replace(dir, "index", &sources.old);
        copy_file(sources, dir, "mark");
    }),
    of_store("an old journal", |sources, dir, _| replace(dir, "records", &sources.old)),
    of_store("an old mark", |sources, dir, _| copy_file(sources, dir, "mark")),
    of_store("no mark", |_, dir, _| std::fs::remove_file(dir.join("mark")).unwrap()),
    of_store("an old journal of bodies", |sources, dir, _| replace(dir, "bodies", &sources.old)),
    of_backup("a backup: bits flipped", |_, dir, random| {
        change(&files(dir), random, |bytes, random| flip(bytes, random))
    }),
    of_backup("a backup: a file cut", |_, dir, random| change(&files(dir), random, cut)),
    of_backup("a backup: a page of zeros", |_, dir, random| {
        change(&files(dir), random, |bytes, random| zero(bytes, random))
    }),
    of_backup("a backup: a segment missing", |_, dir, random| one_missing(&records(dir), random)),
    of_backup("a backup: two segments swapped", |_, dir, random| swap(&records(dir), random)),
    of_backup("a backup: segments of an older one", |sources, dir, _| {
        copy(&sources.old_backup.join("records"), &dir.join("records"));
    }),
];

fn records(dir: &Path) -> Vec<PathBuf> {
    files(&dir.join("records"))
}

fn index(dir: &Path) -> Vec<PathBuf> {
    files(&dir.join("index"))
}

/// Changes the bytes of a file.
type Change = fn(&mut Vec<u8>, &mut Random);

fn change(files: &[PathBuf], random: &mut Random, change: Change) {
    let path = &files[random.below(files.len())];
    let mut bytes = std::fs::read(path).unwrap();
    change(&mut bytes, random);
    std::fs::write(path, &bytes).unwrap();
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
}

fn cut(bytes: &mut Vec<u8>, random: &mut Random) {
    bytes.truncate(random.below(bytes.len()));
}

fn zero(bytes: &mut [u8], random: &mut Random) {
    let at = random.below(bytes.len().div_ceil(BLOCK)) * BLOCK;
    let end = bytes.len().min(at + BLOCK);
    bytes[at..end].fill(0);
}

/// As if the file's length had reached the disk, and its last bytes had not.
fn zero_end(bytes: &mut [u8], random: &mut Random) {
    let len = bytes.len();
    bytes[len - random.below(len.min(16 * BLOCK))..].fill(0);
}

/// As if a disk had written a page to the wrong place.
fn misplace(bytes: &mut [u8], random: &mut Random) {
    let blocks = bytes.len().div_ceil(BLOCK);
    let (from, to) = (random.below(blocks) * BLOCK, random.below(blocks) * BLOCK);
    let len = BLOCK.min(bytes.len() - from.max(to));
    bytes.copy_within(from..from + len, to);
}

fn shift(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    bytes.drain(at..bytes.len().min(at + 1 + random.below(100)));
}

fn append(bytes: &mut Vec<u8>, random: &mut Random) {
    bytes.extend((0..random.below(BLOCK)).map(|_| random.next() as u8));
}

fn swap(segments: &[PathBuf], random: &mut Random) {
    let [one, other] = two_of(segments, random);
    let aside = segments[one].with_file_name("aside");
    std::fs::rename(&segments[one], &aside).unwrap();
    std::fs::rename(&segments[other], &segments[one]).unwrap();
    std::fs::rename(aside, &segments[other]).unwrap();
}

fn doubled(segments: &[PathBuf], random: &mut Random) {
    let [one, other] = two_of(segments, random);
    std::fs::copy(&segments[one], &segments[other]).unwrap();
}

fn two_of(segments: &[PathBuf], random: &mut Random) -> [usize; 2] {
    let one = random.below(segments.len());
    [one, (one + 1 + random.below(segments.len() - 1)) % segments.len()]
}

fn one_missing(segments: &[PathBuf], random: &mut Random) {
    std::fs::remove_file(&segments[random.below(segments.len())]).unwrap();
}

fn remove(dir: &Path, part: &str) {
    std::fs::remove_dir_all(dir.join(part)).unwrap();
}

/// Puts a part of one store into another.
fn replace(dir: &Path, part: &str, from: &Path) {
    remove(dir, part);
    copy(&from.join(part), &dir.join(part));
}

/// Puts a file of the old store into another.
fn copy_file(sources: &Sources, dir: &Path, name: &str) {
    std::fs::copy(sources.old.join(name), dir.join(name)).unwrap();
}
