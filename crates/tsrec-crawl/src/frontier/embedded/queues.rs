//! Which queue may be served when: the part of the frontier that is in memory only. It knows no
//! storage and no clock. Times are milliseconds since 1970, and the caller gives them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::IpAddr;

use super::super::Config;
use super::super::host::{HostPace, back_off, millis};
use super::super::{Health, Heard};
use super::addresses::{AddressTurn, Addresses};
use super::kinds::Kind;
use super::layout::{Due, DueClass, PHASES, QueueRecord};
use super::origins::{Origin, Origins};

/// A step back of the clock up to this is ignored, in milliseconds: threads and processors may
/// disagree by that much.
const DISAGREEMENT_MS: u64 = 1_000;

/// Failing kinds of URLs noted for a host. If this many kinds fail in a row, the host is at fault.
/// Judgement.
const MOST_KINDS: usize = 8;

/// All queues, and an index of those with a URL to lease.
pub(super) struct Queues {
    queues: HashMap<String, Queue>,
    /// Queues that will be ready later, by that time.
    waiting: BTreeSet<(u64, String)>,
    /// For each pace, the ready queues in the order they are served: by class, then by the time
    /// since which they are ready.
    ready: [BTreeSet<(DueClass, u64, String)>; 3],
    /// For each pace, how many requests are under way, and how many may be.
    under_way: [u32; 3],
    room: [u32; 3],
    addresses: Addresses,
    /// The sums over all queues.
    pub(super) counts: [u64; PHASES],
    leased: u64,
    now: u64,
    config: Config,
}

/// A queue. It is in `waiting` or `ready`. It is in neither if it has no URL to lease or a request
/// is under way.
#[derive(Default)]
struct Queue {
    record: QueueRecord,
    /// The first scheduled URL that is not leased.
    head: Option<QueueHead>,
    leased: HashSet<String>,
    in_flight: Option<RequestUnderWay>,
    /// When the last request ended; `None` before the first.
    ended_at: Option<u64>,
    /// Its turn at its address.
    turn: Option<u64>,
    /// Its schemes and ports.
    origins: Origins,
    /// Kinds that failed since the host was last well.
    failed: Vec<Kind>,
    /// The URL to lease before the first scheduled one.
    preferred: Option<QueueHead>,
    place: QueuePlace,
}

/// A request under way.
struct RequestUnderWay {
    url: String,
    pace: HostPace,
    address: Option<IpAddr>,
}

/// Where a queue is in the index.
#[derive(Clone, Copy, Default, PartialEq)]
enum QueuePlace {
    #[default]
    Nowhere,
    Waiting(u64),
    Ready(HostPace, DueClass, u64),
}

/// The first URL of a queue that can be leased.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QueueHead {
    pub(super) due: Due,
    pub(super) url: String,
}

impl Queues {
    pub(super) fn new(config: &Config) -> Queues {
        Queues {
            queues: HashMap::new(),
            waiting: BTreeSet::new(),
            ready: Default::default(),
            under_way: [0; 3],
            room: [u32::MAX, config.unproven_requests, config.slow_requests],
            addresses: Addresses::new(config),
            counts: [0; PHASES],
            leased: 0,
            now: 0,
            config: config.clone(),
        }
    }

    pub(super) fn record(&self, queue: &str) -> QueueRecord {
        self.queues.get(queue).map(|queue| queue.record.clone()).unwrap_or_default()
    }

    pub(super) fn knows(&self, queue: &str) -> bool {
        self.queues.contains_key(queue)
    }

    /// Replaces a queue's record.
    pub(super) fn set_record(&mut self, name: &str, record: QueueRecord) {
        let queue = self.queues.entry(name.to_owned()).or_default();
        for (sum, (new, old)) in self.counts.iter_mut().zip(record.counts().into_iter().zip(queue.record.counts())) {
            *sum = *sum + new - old;
        }
        queue.record = record;
    }

    /// The queue's own delay, the operator's or the configured one, in milliseconds.
    pub(super) fn own_delay(&self, queue: &str) -> u64 {
        own_delay(&self.record(queue), &self.config)
    }

    pub(super) fn is_leased(&self, queue: &str, url: &str) -> bool {
        self.queues.get(queue).is_some_and(|queue| queue.leased.contains(url))
    }

    /// Leases a URL. A request is under way, so the queue gives no other URL.
    pub(super) fn lease(&mut self, name: &str, url: &str) {
        let now = self.now;
        let Some(queue) = self.queues.get_mut(name) else { return };
        self.leased += u64::from(queue.leased.insert(url.to_owned()));
        let (pace, address) = (queue.record.host.pace(), queue.record.host.address);
        queue.turn = None;
        if let Some(address) = address {
            let delay = delay(&queue.record, &self.config);
            self.addresses.begin(address, now, delay);
        }
        self.under_way[pace as usize] += 1;
        if let Some(before) = queue.in_flight.replace(RequestUnderWay { url: url.to_owned(), pace, address }) {
            self.forget(&before);
        }
    }

    /// Ends the request of a URL, and tells whether there was one. With a time, the queue's delay
    /// begins then.
    pub(super) fn end_request(&mut self, queue: &str, url: &str, ended_at: Option<u64>) -> bool {
        let Some(queue) = self.queues.get_mut(queue) else { return false };
        let Some(request) = queue.in_flight.take_if(|request| request.url == url) else { return false };
        queue.ended_at = ended_at.or(queue.ended_at);
        self.forget(&request);
        true
    }

    fn forget(&mut self, request: &RequestUnderWay) {
        let under_way = &mut self.under_way[request.pace as usize];
        *under_way = under_way.saturating_sub(1);
        if let Some(address) = request.address {
            self.addresses.end(address);
        }
    }

    /// Whether a leased URL's request may go to an address that was not known before. If not, the
    /// queue gets a turn there later.
    pub(super) fn locate(&mut self, name: &str, url: &str, address: IpAddr) -> bool {
        let now = self.now;
        let Some(queue) = self.queues.get_mut(name) else { return true };
        let Some(request) = queue.in_flight.as_mut().filter(|request| request.url == url) else { return true };
        queue.record.host.address = Some(address);
        if request.address.is_some() {
            return true;
        }
        let delay = delay(&queue.record, &self.config);
        match self.addresses.ask(address, now, delay, false) {
            AddressTurn::Now => {
                request.address = Some(address);
                self.addresses.begin(address, now, delay);
                true
            }
            AddressTurn::At(turn) => {
                queue.turn = Some(turn);
                false
            }
        }
    }

    /// Ends the lease of a URL.
    pub(super) fn release(&mut self, queue: &str, url: &str) {
        let Some(queue) = self.queues.get_mut(queue) else { return };
        self.leased -= u64::from(queue.leased.remove(url));
    }

    /// Treats a queue as if a request had just ended.
    pub(super) fn hold_back(&mut self, queue: &str, now: u64) {
        if let Some(queue) = self.queues.get_mut(queue) {
            queue.ended_at = Some(now);
        }
    }

    /// Updates what is known of a host. Its record is written with the next change of the queue.
    pub(super) fn learn(&mut self, queue: &str, learn: impl FnOnce(&mut super::super::host::Host, &Config)) {
        if let Some(queue) = self.queues.get_mut(queue) {
            learn(&mut queue.record.host, &self.config);
        }
    }

    /// Notes that a request for a URL of a kind failed. Returns all kinds that failed since the
    /// host was well, or `None` if they are so many that the host is at fault.
    pub(super) fn note_failed(&mut self, queue: &str, kind: Kind) -> Option<Vec<Kind>> {
        let failed = &mut self.queues.get_mut(queue)?.failed;
        if !failed.contains(&kind) {
            failed.push(kind);
        }
        failed.truncate(MOST_KINDS);
        (failed.len() < MOST_KINDS).then(|| failed.clone())
    }

    /// The URL to lease before the first scheduled one of a queue.
    pub(super) fn preferred(&self, queue: &str) -> Option<QueueHead> {
        self.queues.get(queue)?.preferred.clone()
    }

    /// Sets that URL.
    pub(super) fn prefer(&mut self, queue: &str, head: Option<QueueHead>) {
        if let Some(queue) = self.queues.get_mut(queue) {
            queue.preferred = head;
        }
    }

    /// The host is well.
    pub(super) fn forget_failed(&mut self, queue: &str) {
        if let Some(queue) = self.queues.get_mut(queue) {
            queue.failed = Vec::new();
        }
    }

    /// Learns from a request to a URL that ended.
    pub(super) fn learn_of(&mut self, name: &str, url: &str, heard: &Heard) {
        let (now, origin) = (self.now, Origin::of_url(url));
        let Some(queue) = self.queues.get_mut(name) else { return };
        let Queue { record, origins, .. } = queue;
        let is_stranger = origins.is_stranger(origin);
        if is_stranger {
            let took = millis(heard.took).saturating_add(delay(record, &self.config));
            origins.note_late(now, took);
        }
        if heard.health == Health::Unknown {
            return record.host.learn(name, heard, now, &self.config);
        }
        // The failures of a stranger are none of its host's.
        if is_stranger && let Some(retry_after) = heard.health.failure() {
            return origins.failed(origin, |failures| back_off(name, failures, retry_after, now, &self.config));
        }
        record.host.learn(name, heard, now, &self.config);
        match record.host.retry_from {
            from if from > now => origins.failed(origin, |_| from),
            _ => origins.answered(origin),
        }
    }

    /// See [`Origins::is_stranger`].
    pub(super) fn is_stranger(&self, queue: &str, url: &str) -> bool {
        self.queues.get(queue).is_some_and(|queue| queue.origins.is_stranger(Origin::of_url(url)))
    }

    /// No request to the origin of a URL starts before this time.
    pub(super) fn retry_from(&self, queue: &str, url: &str) -> u64 {
        self.queues.get(queue).map_or(0, |queue| queue.retry_from(url))
    }

    /// See [`Origins::is_dead`].
    pub(super) fn is_dead(&self, queue: &str, url: &str) -> bool {
        self.queues.get(queue).is_some_and(|queue| queue.origins.is_dead(Origin::of_url(url)))
    }

    /// Forgets the back-offs of all origins of a queue.
    pub(super) fn forget_origins(&mut self, queue: &str) {
        if let Some(queue) = self.queues.get_mut(queue) {
            queue.origins = Origins::default();
        }
    }

    /// Places a queue with one of two heads: that of the usual URLs, or that of strangers, which
    /// come where no other URL is ready, or where their share of the time allows it.
    pub(super) fn place_one_of(&mut self, name: &str, usual: Option<QueueHead>, late: Option<QueueHead>) {
        let Some(queue) = self.queues.get(name) else { return };
        let ready_at = |head: &Option<QueueHead>| head.as_ref().map(|head| queue.ready_at(head, &self.config));
        let is_turn_of_late = match (ready_at(&usual), ready_at(&late)) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(usual), Some(late)) if usual <= self.now => late <= self.now && queue.origins.late_from() <= self.now,
            (Some(usual), Some(late)) => late < usual,
        };
        self.place(name, if is_turn_of_late { late } else { usual });
    }

    /// Places a queue in the index after any change to it.
    pub(super) fn place(&mut self, name: &str, head: Option<QueueHead>) {
        let Some(queue) = self.queues.get_mut(name) else { return };
        queue.head = head;
        let place = match &queue.head {
            Some(head) if queue.in_flight.is_none() && !queue.record.paused => {
                let since = queue.ready_at(head, &self.config);
                let pace = queue.record.host.pace();
                if since <= self.now {
                    QueuePlace::Ready(pace, head.class(), since)
                } else {
                    QueuePlace::Waiting(since)
                }
            }
            _ => QueuePlace::Nowhere,
        };
        let before = std::mem::replace(&mut queue.place, place);
        if before == place {
            return;
        }
        match before {
            QueuePlace::Waiting(at) => drop(self.waiting.remove(&(at, name.to_owned()))),
            QueuePlace::Ready(pace, class, since) => {
                self.ready[pace as usize].remove(&(class, since, name.to_owned()));
            }
            QueuePlace::Nowhere => {}
        }
        match place {
            QueuePlace::Waiting(at) => drop(self.waiting.insert((at, name.to_owned()))),
            QueuePlace::Ready(pace, class, since) => {
                self.ready[pace as usize].insert((class, since, name.to_owned()));
            }
            QueuePlace::Nowhere => {}
        }
    }

    /// Moves queues whose time has come to the ready ones. O(log n) for each of them. Returns
    /// whether the clock was set back.
    pub(super) fn advance(&mut self, now: u64) -> bool {
        let is_set_back = now < self.now;
        if is_set_back {
            if self.now - now <= DISAGREEMENT_MS {
                return false;
            }
            self.turn_back(now);
        }
        self.now = now;
        while self.waiting.first().is_some_and(|(at, _)| *at <= now) {
            let Some((at, name)) = self.waiting.pop_first() else { break };
            let Some(queue) = self.queues.get_mut(&name) else { continue };
            let class = queue.head.as_ref().map_or(DueClass::Normal, QueueHead::class);
            let pace = queue.record.host.pace();
            queue.place = QueuePlace::Ready(pace, class, at);
            self.ready[pace as usize].insert((class, at, name));
        }
        is_set_back
    }

    /// The clock was set back. Requests that ended in the future count as ended now, so that the
    /// queue does not wait until that time comes again.
    fn turn_back(&mut self, now: u64) {
        self.now = now;
        self.addresses.clear();
        let names: Vec<String> = self.queues.keys().cloned().collect();
        for name in names {
            let Some(queue) = self.queues.get_mut(&name) else { continue };
            queue.ended_at = queue.ended_at.map(|ended_at| ended_at.min(now));
            queue.turn = None;
            queue.record.host.turn_back(now, &self.config);
            queue.origins.turn_back(now, millis(self.config.retry_cap));
            let head = queue.head.clone();
            self.place(&name, head);
        }
    }

    /// The queue to serve next, and its head. A queue whose address is busy gets a turn there, and
    /// waits until then.
    pub(super) fn first_ready(&mut self) -> Option<(String, QueueHead)> {
        loop {
            let (_, _, name) = self.paces_with_room().filter_map(|pace| self.ready[pace].first()).min()?.clone();
            let (now, queue) = (self.now, self.queues.get_mut(&name)?);
            let head = queue.head.clone()?;
            let turn = match queue.record.host.address {
                Some(address) => {
                    let has_turn = queue.turn.is_some_and(|turn| turn <= now);
                    self.addresses.ask(address, now, delay(&queue.record, &self.config), has_turn)
                }
                None => AddressTurn::Now,
            };
            match turn {
                AddressTurn::Now => return Some((name, head)),
                AddressTurn::At(turn) => {
                    queue.turn = Some(turn);
                    self.place(&name, Some(head));
                }
            }
        }
    }

    fn paces_with_room(&self) -> impl Iterator<Item = usize> {
        (0..3).filter(|&pace| self.under_way[pace] < self.room[pace])
    }

    /// When the next queue will be ready; now, if one is.
    pub(super) fn next_ready(&self) -> Option<u64> {
        if self.paces_with_room().any(|pace| !self.ready[pace].is_empty()) {
            return Some(self.now);
        }
        self.waiting.first().map(|(at, _)| *at)
    }

    /// Whether any queue has a due URL, even if a delay or a turn holds it back.
    pub(super) fn owe(&self) -> bool {
        let is_due = |queue: &Queue| {
            let due = queue.head.as_ref().map(|head| if head.due.class == DueClass::Urgent { 0 } else { head.due.at });
            let retry_from = queue.head.as_ref().map_or(0, |head| queue.retry_from(&head.url));
            let open = queue.record.blocked_until.max(retry_from);
            !queue.record.paused && due.is_some_and(|due| due.max(open) <= self.now)
        };
        self.queues.values().any(is_due)
    }

    /// The time by which the queues are placed.
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.queues.keys().map(String::as_str)
    }

    pub(super) fn len(&self) -> u64 {
        self.queues.len() as u64
    }

    pub(super) fn ready_len(&self) -> u64 {
        self.ready.iter().map(|ready| ready.len() as u64).sum()
    }

    /// How long the least recently served ready queue has been ready. Queues with an urgent URL go
    /// first, and do not count. O(log n).
    pub(super) fn oldest_ready(&self) -> u64 {
        let from = (DueClass::Normal, 0, String::new());
        let oldest =
            self.ready.iter().filter_map(|ready| ready.range(from.clone()..).next()).map(|(_, since, _)| *since);
        oldest.min().map_or(0, |since| self.now.saturating_sub(since))
    }

    pub(super) fn leased_len(&self) -> u64 {
        self.leased
    }

    pub(super) fn in_flight_len(&self) -> u64 {
        self.under_way.iter().copied().map(u64::from).sum()
    }
}

/// The queue's own delay, the operator's or the configured one, in milliseconds.
pub(super) fn own_delay(record: &QueueRecord, config: &Config) -> u64 {
    record.delay.unwrap_or_else(|| millis(config.delay))
}

/// The queue's delay after a request.
pub(super) fn delay(record: &QueueRecord, config: &Config) -> u64 {
    record.host.delay(own_delay(record, config))
}

impl QueueHead {
    /// Its class among the heads of other queues: only within its own queue it is late.
    fn class(&self) -> DueClass {
        self.due.class.min(DueClass::Normal)
    }
}

impl Queue {
    /// No request to the origin of a URL starts before this time. After a restart, the origins are
    /// not known, and the back-off of the host counts for all.
    fn retry_from(&self, url: &str) -> u64 {
        self.origins.retry_from(Origin::of_url(url)).unwrap_or(self.record.host.retry_from)
    }

    /// The earliest time at which a request for the head may start.
    fn ready_at(&self, head: &QueueHead, config: &Config) -> u64 {
        let free = self.ended_at.map_or(0, |ended_at| ended_at.saturating_add(delay(&self.record, config)));
        let due = if head.due.class == DueClass::Urgent { 0 } else { head.due.at };
        let open = self.record.blocked_until.max(self.retry_from(&head.url));
        free.max(due).max(open).max(self.turn.unwrap_or(0))
    }
}
