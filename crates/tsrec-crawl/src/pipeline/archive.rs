//! Web archives in the place of the network: a file of a crawl long past goes through the same
//! pairing, extraction and store as the live web.
//!
//! [`Archives`] is both the frontier and the client of such a [crawl](super::Crawl): it leases the
//! pages of the files in the order in which they stand there, and has their bodies at hand when
//! they are asked for. Nothing is asked of any server, no link is followed, and [the
//! time](Archives::clock) is that of the archives. In memory are the pages in flight. How far the
//! files are done is written down beside the store as it goes, so that a crawl that is broken off
//! goes on where it was; what is done twice is known by its date, and passed over.

mod progress;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::ErrorKind;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use url::Url;

use self::progress::Progress;
use super::ask::{Answer, Arrived, Fetch, PageRequest};
use super::blocking;
use super::outcome::AnswerKind;
use crate::fetch::{Archived, ArchivedPage, archived};
use crate::frontier::{
    Account, Ack, Acked, Discovered, Embedded, Error, Frontier, FrontierStats, Heard, Leads, Lease, PutSummary, Trap,
    UrlStatus,
};
use crate::warc::{Originals, WarcReader};

/// How often it is written down how far the files are done. Judgement: what comes again after a
/// kill is done in as long.
const WRITE_EVERY: Duration = Duration::from_secs(2);
/// How soon it is asked again where a page has to wait for an older version of itself.
const SOON: Duration = Duration::from_millis(5);
/// How long pages are looked for once there is one: others wait for what is read. Judgement.
const AT_ONCE: Duration = Duration::from_millis(20);
/// How long a page is waited for: its body is at hand.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// Archives that are crawled. Clones share them.
#[derive(Clone)]
pub struct Archives {
    shared: Arc<SharedArchive>,
}

struct SharedArchive {
    /// Locked for as long as records are read.
    reading: Mutex<ArchiveReading>,
    /// Locked for moments.
    state: Mutex<ArchiveState>,
    /// Bytes of a page that are read at most.
    most: usize,
    product_token: String,
    /// Knows the URLs of the data directory: of pages that the program failed on, so that another
    /// version finds them there, with the bytes in the store.
    frontier: Arc<Embedded>,
}

/// How a crawl of archives goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArchiveReport {
    /// Pages that were taken from the files.
    pub pages: u64,
    /// What was passed over, in a word, and how often.
    pub passed_over: BTreeMap<&'static str, u64>,
    /// Files that could not be read to their end, or at all, and why.
    pub unreadable: Vec<(PathBuf, String)>,
    /// The share of all bytes that was read, or was done before, from 0 to 1.
    pub share: f64,
}

/// Where a page stands: its file, where in it the record begins, or the packed member that it is
/// in, and how many pages were taken before.
type ArchivePlace = (usize, u64, u64);

/// What is read.
struct ArchiveReading {
    files: Vec<File>,
    /// The one that is read; past the last when all are.
    at: usize,
    reader: Option<WarcReader>,
    originals: Originals,
    /// Where the record stands that was read last, or its member.
    offset: u64,
    pages: u64,
    /// A page that waits until an older version of it is done.
    held_back: Option<(ArchivePlace, Box<ArchivedPage>)>,
}

struct File {
    path: PathBuf,
    /// Where it is read from; `None` where it is done.
    from: Option<u64>,
}

/// What is known of what is read.
struct ArchiveState {
    in_flight: HashMap<Url, InFlight>,
    /// Of the pages in flight, and of those that were given back.
    places: BTreeSet<ArchivePlace>,
    /// Before it nothing is left to be read.
    next: ArchivePlace,
    /// A page is held back.
    is_held_back: bool,
    has_ended: bool,
    latest: Timestamp,
    progress: Progress,
    written: Instant,
    report: ArchiveReport,
    paths: Vec<PathBuf>,
    lengths: Vec<u64>,
}

struct InFlight {
    place: ArchivePlace,
    page: Option<Box<ArchivedPage>>,
}

impl Archives {
    /// Opens files; of one page no more than `most` bytes are read. What a crawl into `dir` had
    /// done of them is not done again. What the program fails on goes to the quarantine of the
    /// directory's own frontier.
    ///
    /// # Errors
    ///
    /// A file that is not there; what was written down of them cannot be read.
    pub fn open(
        files: &[PathBuf],
        dir: &Path,
        most: usize,
        product_token: &str,
        frontier: Arc<Embedded>,
    ) -> std::io::Result<Archives> {
        let progress = Progress::open(dir)?;
        let (mut opened, mut lengths) = (Vec::new(), Vec::new());
        for file in files {
            let named =
                |error: std::io::Error| std::io::Error::new(error.kind(), format!("{}: {error}", file.display()));
            let path = file.canonicalize().map_err(named)?;
            if path.is_dir() {
                let why = "a folder, and no archive: name the files in it, such as *.warc.gz";
                return Err(named(std::io::Error::new(ErrorKind::IsADirectory, why)));
            }
            lengths.push(path.metadata().map_err(named)?.len());
            opened.push(File { from: progress.position(&path), path });
        }
        let paths = opened.iter().map(|file| file.path.clone()).collect();
        let state = ArchiveState {
            in_flight: HashMap::new(),
            places: BTreeSet::new(),
            next: (0, 0, 0),
            is_held_back: false,
            has_ended: false,
            latest: Timestamp::MIN,
            progress,
            written: Instant::now(),
            report: ArchiveReport::default(),
            paths,
            lengths,
        };
        let originals = Originals::default();
        let reading =
            ArchiveReading { files: opened, at: 0, reader: None, originals, offset: 0, pages: 0, held_back: None };
        let product_token = product_token.to_owned();
        let (reading, state) = (Mutex::new(reading), Mutex::new(state));
        let shared = SharedArchive { reading, state, most, product_token, frontier };
        Ok(Archives { shared: Arc::new(shared) })
    }

    /// The latest date of a page that was taken: what the time is to the crawl. Before the first
    /// page the system's.
    pub fn clock(&self) -> impl Fn() -> Timestamp + Send + Sync + 'static + use<> {
        let archives = self.clone();
        move || {
            let latest = archives.state().latest;
            if latest == Timestamp::MIN { Timestamp::now() } else { latest }
        }
    }

    /// How it goes.
    pub fn report(&self) -> ArchiveReport {
        let state = self.state();
        let (file, offset, pages) = state.next;
        let read = state.lengths[..file].iter().sum::<u64>() + offset;
        let share = read as f64 / state.lengths.iter().sum::<u64>().max(1) as f64;
        ArchiveReport { share: share.min(1.0), pages, ..state.report.clone() }
    }

    /// Writes down how far the files are done, to the last page.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn close(&self) -> std::io::Result<()> {
        self.state().write_down()
    }

    fn state(&self) -> MutexGuard<'_, ArchiveState> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next pages, at most so many, and no more than are soon found. Blocks while they are
    /// read.
    fn next(&self, most: usize) -> Vec<Lease> {
        let mut reading = self.shared.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let (began, mut leases) = (Instant::now(), Vec::new());
        while leases.len() < most && (leases.is_empty() || began.elapsed() < AT_ONCE) {
            let held_back = reading.held_back.take();
            let next = held_back.or_else(|| reading.next(self));
            let mut state = self.state();
            state.is_held_back = false;
            state.next = (reading.at, reading.offset, reading.pages);
            let Some((place, page)) = next else {
                state.has_ended = true;
                break;
            };
            if state.in_flight.contains_key(&page.url) {
                (state.next, state.is_held_back) = (place, true);
                reading.held_back = Some((place, page));
                break;
            }
            leases.push(state.lease(place, page));
        }
        leases
    }
}

impl ArchiveReading {
    /// The next page of the files, if there is one.
    fn next(&mut self, archives: &Archives) -> Option<(ArchivePlace, Box<ArchivedPage>)> {
        loop {
            let File { path, from } = self.files.get(self.at)?;
            let reader = match (&mut self.reader, from) {
                (Some(reader), _) => reader,
                (None, None) => {
                    // What was read of it by another crawl may be what revisits refer to.
                    self.originals.enter(path, u64::MAX);
                    self.next_file();
                    continue;
                }
                (none, Some(from)) => match WarcReader::open_at(path, *from) {
                    Ok(reader) => {
                        self.originals.enter(path, *from);
                        none.insert(reader)
                    }
                    Err(error) => {
                        self.give_up(archives, error.to_string());
                        continue;
                    }
                },
            };
            let read = reader.next_record().and_then(|record| {
                let Some(record) = record else { return Ok(None) };
                let SharedArchive { most, product_token, .. } = &*archives.shared;
                let found = archived(reader, &record, &mut self.originals, *most, product_token)?;
                Ok(Some((record.offset, found)))
            });
            let found = match read {
                Ok(Some((offset, found))) => {
                    // A record amid its member is found from where that begins.
                    self.offset = offset.unwrap_or(self.offset);
                    found
                }
                Ok(None) => {
                    self.next_file();
                    continue;
                }
                Err(error) => {
                    self.give_up(archives, error.to_string());
                    continue;
                }
            };
            match found {
                Archived::Page(page) => {
                    self.pages += 1;
                    return Some(((self.at, self.offset, self.pages), page));
                }
                Archived::About => {}
                Archived::Other(what) => archives.state().pass_over(what),
                Archived::Broken(why) => {
                    tracing::warn!(archive = %path.display(), why, "a record is passed over");
                    archives.state().pass_over("broken");
                }
            }
        }
    }

    fn next_file(&mut self) {
        (self.reader, self.offset) = (None, 0);
        self.at += 1;
    }

    /// The file cannot be read on: what comes after is lost to this crawl.
    fn give_up(&mut self, archives: &Archives, why: String) {
        let path = self.files[self.at].path.clone();
        tracing::error!(archive = %path.display(), why, "the archive cannot be read on");
        archives.state().report.unreadable.push((path, why));
        self.next_file();
    }
}

impl ArchiveState {
    fn pass_over(&mut self, what: &'static str) {
        *self.report.passed_over.entry(what).or_default() += 1;
    }

    fn lease(&mut self, place: ArchivePlace, page: Box<ArchivedPage>) -> Lease {
        let url = page.url.clone();
        let due = page.date.unwrap_or_else(Timestamp::now);
        self.latest = self.latest.max(due);
        self.places.insert(place);
        self.in_flight.insert(url.clone(), InFlight { place, page: Some(page) });
        Lease {
            url,
            // No link is followed from there on.
            depth: u32::MAX,
            // A page that has a record is taken all the same, where this version is a later one.
            attempts: 1,
            failing_since: None,
            due,
            interval: None,
            quarantined: false,
            located: true,
            leads: Leads::ToPage,
            memo: Vec::new(),
            answered_before: true,
            patience: PATIENCE,
            delay: Duration::ZERO,
        }
    }

    /// Writes down what is done: all that stands before the first page in flight.
    fn write_down(&mut self) -> std::io::Result<()> {
        self.written = Instant::now();
        let (file, offset, _) = self.places.first().copied().unwrap_or(self.next).min(self.next);
        let is_readable = |path: &&PathBuf| !self.report.unreadable.iter().any(|(unreadable, _)| unreadable == *path);
        for done in self.paths[..file].iter().filter(is_readable) {
            self.progress.is_done(done);
        }
        if let Some(path) = self.paths.get(file).filter(|_| offset > 0) {
            self.progress.is_at(path, offset);
        }
        self.progress.write()
    }
}

impl Fetch for Archives {
    async fn fetch(&self, asked: &PageRequest<'_>) -> Answer {
        let page = self.state().in_flight.get_mut(asked.url).and_then(|page| page.page.take());
        let Some(page) = page else { return Answer::new(AnswerKind::OwnFault, "it is in no archive at hand") };
        let ArchivedPage { date, status, charset, body, truncated, directives, .. } = *page;
        Answer::page(Arrived { body, status, charset, truncated, directives, fetched_at: date, exchange: None })
    }

    async fn locate(&self, _url: &Url) -> Option<IpAddr> {
        None
    }

    fn sitemaps(&self, _url: &Url) -> Vec<Url> {
        Vec::new()
    }

    fn product_token(&self) -> &str {
        &self.shared.product_token
    }
}

impl Frontier for Archives {
    /// Takes none: what is crawled is in the files.
    async fn put_discovered(&self, urls: &[Discovered]) -> Result<PutSummary, Error> {
        Ok(PutSummary { known: urls.len() as u64, ..PutSummary::default() })
    }

    async fn get_urls(&self, max: usize) -> Result<Vec<Lease>, Error> {
        let archives = self.clone();
        let leases = blocking(move || archives.next(max)).await;
        Ok(leases.unwrap_or_else(|error| {
            tracing::error!(%error, "the program failed on an archive");
            let mut state = self.state();
            let path = state.paths.get(state.next.0).cloned().unwrap_or_default();
            state.report.unreadable.push((path, error.to_string()));
            state.has_ended = true;
            Vec::new()
        }))
    }

    async fn next_due(&self) -> Result<Option<Duration>, Error> {
        let state = self.state();
        Ok((!state.has_ended).then_some(if state.is_held_back { SOON } else { Duration::ZERO }))
    }

    async fn owes(&self) -> Result<bool, Error> {
        Ok(!self.state().has_ended)
    }

    async fn locate(&self, _url: &str, _address: IpAddr) -> Result<bool, Error> {
        Ok(true)
    }

    async fn fetched(&self, _url: &str, _heard: &Heard) -> Result<bool, Error> {
        Ok(true)
    }

    async fn ack(&self, url: &str, outcome: Ack, account: impl Into<Account> + Send) -> Result<Acked, Error> {
        if outcome == Ack::Quarantined {
            self.shared.frontier.quarantine(url, account.into())?;
        }
        let mut state = self.state();
        let done = Url::parse(url).ok().and_then(|url| state.in_flight.remove(&url));
        let Some(InFlight { place, .. }) = done else { return Ok(Acked::NotLeased) };
        // What was not tried is not done: it comes again with the next crawl of the file.
        if outcome == Ack::Returned {
            return Ok(Acked::Skipped);
        }
        state.places.remove(&place);
        if state.written.elapsed() >= WRITE_EVERY
            && let Err(error) = state.write_down()
        {
            tracing::warn!(%error, "how far the archives are done cannot be written down");
        }
        Ok(match outcome {
            Ack::Quarantined => Acked::Quarantined,
            _ => Acked::Skipped,
        })
    }

    async fn promote(&self, _url: &str) -> Result<bool, Error> {
        Ok(false)
    }

    /// What was read of an archive is not read again; the directory's own frontier knows the URL
    /// when it is crawled.
    async fn make_due(&self, url: &str) -> Result<bool, Error> {
        self.shared.frontier.make_due(url).await
    }

    async fn wait_for(&self, _page: &str, _sibling: &str) -> Result<bool, Error> {
        Ok(false)
    }

    async fn waiting_for(&self, _sibling: &str) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    async fn overdue_waits(&self, _before: Timestamp) -> Result<Vec<(String, String)>, Error> {
        Ok(Vec::new())
    }

    async fn end_wait(&self, _page: &str, _sibling: &str) -> Result<(), Error> {
        Ok(())
    }

    async fn near(&self, _url: &str, _most: usize) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    async fn status(&self, _url: &str) -> Result<Option<UrlStatus>, Error> {
        Ok(None)
    }

    async fn block_queue_until(&self, _queue: &str, _until: Timestamp) -> Result<(), Error> {
        Ok(())
    }

    async fn set_delay(&self, _queue: &str, _delay: Option<Duration>) -> Result<(), Error> {
        Ok(())
    }

    /// What the pages of a host are like is the same, wherever they come from.
    async fn trap(&self, queue: &str, section: &str) -> Result<Option<Trap>, Error> {
        self.shared.frontier.trap(queue, section).await
    }

    async fn set_trap(&self, queue: &str, section: &str, trap: Option<Trap>) -> Result<(), Error> {
        self.shared.frontier.set_trap(queue, section, trap).await
    }

    async fn forget_dead(&self, _look_at: usize) -> Result<u64, Error> {
        Ok(0)
    }

    async fn stats(&self) -> Result<FrontierStats, Error> {
        let state = self.state();
        let (leased, discovered) = (state.in_flight.len() as u64, u64::from(!state.has_ended));
        Ok(FrontierStats { discovered, leased, in_flight: leased, due_now: discovered, ..FrontierStats::default() })
    }
}
