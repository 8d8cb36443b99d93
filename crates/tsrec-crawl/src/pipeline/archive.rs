//! Crawls web archives in place of the network. The pages of an old crawl go through the same
//! pairing, extraction and store as those of the live web.
//!
//! [`Archives`] is both the frontier and the client of such a [crawl](super::Crawl). It leases the
//! pages of the files in file order, and has their bodies at hand when they are requested. It makes
//! no request to any server and follows no link. [The time](Archives::clock) is that of the
//! archives. Only the pages in flight are in memory. The progress in the files is written beside
//! the store, so that an interrupted crawl goes on from there. A page that is processed twice is
//! recognised by its date and skipped.

mod progress;
mod reading;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::ErrorKind;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use url::Url;

use self::progress::Progress;
use self::reading::{ArchiveReading, File};
use super::ask::{Arrived, Fetch, FetchResponse, PageRequest};
use super::blocking;
use super::outcome::NoPage;
use crate::fetch::{ArchivedPage, Validators};
use crate::frontier::{
    Account, Ack, Acked, Discovered, Embedded, Error, Frontier, FrontierStats, Heard, Leads, Lease, PutSummary, Trap,
    UrlStatus,
};
use crate::warc::Originals;

/// How often the progress is written. Judgement: a crawl repeats that much work after a kill.
const WRITE_EVERY: Duration = Duration::from_secs(2);
/// How soon to ask again if a page has to wait for an older version of itself.
const SOON: Duration = Duration::from_millis(5);
/// How long to look for further pages once there is one: other tasks wait for the reader.
/// Judgement.
const AT_ONCE: Duration = Duration::from_millis(20);
/// How long to wait for a page, whose body is at hand.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// Archives to crawl. Clones share them.
#[derive(Clone)]
pub struct Archives {
    shared: Arc<SharedArchive>,
}

struct SharedArchive {
    /// Locked while records are read.
    reading: Mutex<ArchiveReading>,
    /// Locked for moments only.
    state: Mutex<ArchiveState>,
    /// Most bytes read of a page.
    most: usize,
    product_token: String,
    /// The frontier of the data directory. It gets the URLs of pages on which the program failed,
    /// so that another version finds them there, with the bytes in the store.
    frontier: Arc<Embedded>,
}

/// The progress of a crawl of archives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArchiveReport {
    /// Pages taken from the files.
    pub pages: u64,
    /// What was skipped, in a word, and how often.
    pub passed_over: BTreeMap<&'static str, u64>,
    /// Files that could not be read to their end, or at all, and why.
    pub unreadable: Vec<(PathBuf, String)>,
    /// The share of all bytes that this or an earlier crawl has read, from 0 to 1.
    pub share: f64,
}

/// The place of a page: its file, the offset of its record or of the packed member around it, and
/// the number of pages taken before.
type ArchivePlace = (usize, u64, u64);

/// The state of the pages that were read.
struct ArchiveState {
    in_flight: HashMap<Url, InFlight>,
    /// The places of pages in flight, and of those that were returned.
    places: BTreeSet<ArchivePlace>,
    /// Everything before this place has been read.
    next: ArchivePlace,
    /// Whether a page is held back.
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
    /// Opens files, and reads at most `most` bytes of a page. Work that an earlier crawl into `dir`
    /// did is not repeated. Pages on which the program fails go to the quarantine of the
    /// directory's own frontier.
    ///
    /// # Errors
    ///
    /// A file does not exist, or its stored progress cannot be read.
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

    /// The crawl's time: the latest date of a page taken. Before the first page it is the system's
    /// time.
    pub fn clock(&self) -> impl Fn() -> Timestamp + Send + Sync + 'static + use<> {
        let archives = self.clone();
        move || {
            let latest = archives.state().latest;
            if latest == Timestamp::MIN { Timestamp::now() } else { latest }
        }
    }

    /// The progress so far.
    pub fn report(&self) -> ArchiveReport {
        let state = self.state();
        let (file, offset, pages) = state.next;
        let read = state.lengths[..file].iter().sum::<u64>() + offset;
        let share = read as f64 / state.lengths.iter().sum::<u64>().max(1) as f64;
        ArchiveReport { share: share.min(1.0), pages, ..state.report.clone() }
    }

    /// Writes the progress, to the last page.
    ///
    /// # Errors
    ///
    /// The progress cannot be written.
    pub fn close(&self) -> std::io::Result<()> {
        self.state().write_down()
    }

    fn state(&self) -> MutexGuard<'_, ArchiveState> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next pages, at most `most`, and no more than are found soon. Blocks while it reads.
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
            // No link is followed from a page at this depth.
            depth: u32::MAX,
            // Take a page even if it has a record, provided that this version is later.
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

    /// Writes the progress: everything before the first page in flight is done.
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
    async fn fetch(&self, asked: &PageRequest<'_>) -> FetchResponse {
        let page = self.state().in_flight.get_mut(asked.url).and_then(|page| page.page.take());
        let Some(page) = page else { return FetchResponse::no_page(NoPage::OwnFault, "it is in no archive at hand") };
        let ArchivedPage { date, status, charset, body, truncated, directives, canonical, refresh, .. } = *page;
        let (fetched_at, exchange) = (date, None);
        let arrived =
            Arrived { body, status, charset, truncated, directives, canonical, refresh, fetched_at, exchange };
        FetchResponse::page(arrived, Validators::default())
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
    /// Adds no URLs: the crawl covers only the files.
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
            self.shared.frontier.quarantine_unleased(url, account.into())?;
        }
        let mut state = self.state();
        let done = Url::parse(url).ok().and_then(|url| state.in_flight.remove(&url));
        let Some(InFlight { place, .. }) = done else { return Ok(Acked::NotLeased) };
        // A page that was not tried is not done. It comes again with the next crawl of the file.
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

    async fn quarantine(&self, url: &str, account: impl Into<Account> + Send) -> Result<bool, Error> {
        self.shared.frontier.quarantine(url, account).await
    }

    async fn is_quarantined(&self, url: &str) -> Result<bool, Error> {
        self.shared.frontier.is_quarantined(url).await
    }

    async fn promote(&self, _url: &str) -> Result<bool, Error> {
        Ok(false)
    }

    /// An archive is not read again. The directory's own frontier has the URL when it is crawled.
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

    /// Traps of a host are the same, whether its pages come from archives or the web.
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
