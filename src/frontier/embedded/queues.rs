//! Which queue may be served when: the part of the frontier that lives in memory only. It knows no storage and no clock; times are milliseconds
//! since 1970, and given.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::layout::{Class, Due, QueueRecord};

/// All queues, and an index of those that have something to give.
#[derive(Default)]
pub(super) struct Queues {
    queues: HashMap<String, Queue>,
    /// Queues that will be ready at a time to come, by that time.
    waiting: BTreeSet<(u64, String)>,
    /// Queues that are ready, in the order they are served: by class, then by the time since when.
    ready: BTreeSet<(Class, u64, String)>,
    /// The sums over all queues.
    pub(super) counts: [u64; 5],
    leased: u64,
    in_flight: u64,
    now: u64,
}

/// A queue. It stands in `waiting` or `ready`, or in neither if it has nothing to give or a request is under way.
#[derive(Default)]
struct Queue {
    record: QueueRecord,
    /// The first URL that is scheduled and not leased.
    head: Option<Head>,
    leased: HashSet<String>,
    /// The leased URL whose request is under way.
    in_flight: Option<String>,
    /// When the last request ended; before the first, `None`.
    ended_at: Option<u64>,
    place: Place,
}

/// Where a queue stands in the index.
#[derive(Clone, Copy, Default, PartialEq)]
enum Place {
    #[default]
    Nowhere,
    Waiting(u64),
    Ready(Class, u64),
}

/// The first URL of a queue that can be leased.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Head {
    pub(super) due: Due,
    pub(super) url: String,
}

impl Queues {
    pub(super) fn record(&self, queue: &str) -> QueueRecord {
        self.queues.get(queue).map(|queue| queue.record.clone()).unwrap_or_default()
    }

    /// Puts a queue's record in the place of the one before.
    pub(super) fn set_record(&mut self, name: &str, record: QueueRecord) {
        let queue = self.queues.entry(name.to_owned()).or_default();
        for (sum, (new, old)) in self.counts.iter_mut().zip(record.counts.iter().zip(&queue.record.counts)) {
            *sum = *sum + new - old;
        }
        queue.record = record;
    }

    pub(super) fn is_leased(&self, queue: &str, url: &str) -> bool {
        self.queues.get(queue).is_some_and(|queue| queue.leased.contains(url))
    }

    /// Leases a URL: a request is under way, so the queue gives nothing else.
    pub(super) fn lease(&mut self, queue: &str, url: &str) {
        let Some(queue) = self.queues.get_mut(queue) else { return };
        self.leased += u64::from(queue.leased.insert(url.to_owned()));
        self.in_flight += u64::from(queue.in_flight.replace(url.to_owned()).is_none());
    }

    /// Ends the request of a URL, and tells whether there was one. With a time, the queue's delay begins there.
    pub(super) fn end_request(&mut self, queue: &str, url: &str, ended_at: Option<u64>) -> bool {
        let Some(queue) = self.queues.get_mut(queue) else { return false };
        let under_way = queue.in_flight.take_if(|leased| leased == url).is_some();
        if under_way {
            self.in_flight -= 1;
            queue.ended_at = ended_at.or(queue.ended_at);
        }
        under_way
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

    /// Puts a queue where it belongs, after anything about it has changed. `delay` holds for queues without their own.
    pub(super) fn place(&mut self, name: &str, head: Option<Head>, delay: u64) {
        let Some(queue) = self.queues.get_mut(name) else { return };
        queue.head = head;
        let place = match &queue.head {
            Some(head) if queue.in_flight.is_none() => {
                let since = queue.ready_at(head, delay);
                if since <= self.now { Place::Ready(head.due.class, since) } else { Place::Waiting(since) }
            }
            _ => Place::Nowhere,
        };
        let before = std::mem::replace(&mut queue.place, place);
        if before == place {
            return;
        }
        match before {
            Place::Waiting(at) => drop(self.waiting.remove(&(at, name.to_owned()))),
            Place::Ready(class, since) => drop(self.ready.remove(&(class, since, name.to_owned()))),
            Place::Nowhere => {}
        }
        match place {
            Place::Waiting(at) => drop(self.waiting.insert((at, name.to_owned()))),
            Place::Ready(class, since) => drop(self.ready.insert((class, since, name.to_owned()))),
            Place::Nowhere => {}
        }
    }

    /// Moves the queues whose time has come to those that are ready. O(log n) for each of them.
    pub(super) fn advance(&mut self, now: u64, delay: u64) {
        if now < self.now {
            self.turn_back(now, delay);
        }
        self.now = now;
        while self.waiting.first().is_some_and(|(at, _)| *at <= now) {
            let Some((at, name)) = self.waiting.pop_first() else { break };
            let Some(queue) = self.queues.get_mut(&name) else { continue };
            let class = queue.head.as_ref().map_or(Class::Normal, |head| head.due.class);
            queue.place = Place::Ready(class, at);
            self.ready.insert((class, at, name));
        }
    }

    /// The clock was set back: what ended in the future ended now, or the queue would stand still until that time comes again.
    fn turn_back(&mut self, now: u64, delay: u64) {
        self.now = now;
        let names: Vec<String> = self.queues.keys().cloned().collect();
        for name in names {
            let Some(queue) = self.queues.get_mut(&name) else { continue };
            queue.ended_at = queue.ended_at.map(|ended_at| ended_at.min(now));
            let head = queue.head.clone();
            self.place(&name, head, delay);
        }
    }

    /// The queue to serve next, and its head.
    pub(super) fn first_ready(&self) -> Option<(String, Head)> {
        let (_, _, name) = self.ready.first()?;
        let head = self.queues.get(name)?.head.clone()?;
        Some((name.clone(), head))
    }

    /// When a queue will be ready; now, if one is.
    pub(super) fn next_ready(&self) -> Option<u64> {
        if !self.ready.is_empty() {
            return Some(self.now);
        }
        self.waiting.first().map(|(at, _)| *at)
    }

    pub(super) fn len(&self) -> u64 {
        self.queues.len() as u64
    }

    pub(super) fn ready_len(&self) -> u64 {
        self.ready.len() as u64
    }

    pub(super) fn leased_len(&self) -> u64 {
        self.leased
    }

    pub(super) fn in_flight_len(&self) -> u64 {
        self.in_flight
    }
}

impl Queue {
    /// From when on a request for the head may start.
    fn ready_at(&self, head: &Head, delay: u64) -> u64 {
        let delay = self.record.delay.unwrap_or(delay);
        let free = self.ended_at.map_or(0, |ended_at| ended_at.saturating_add(delay));
        let due = if head.due.class == Class::Urgent { 0 } else { head.due.at };
        free.max(due).max(self.record.blocked_until)
    }
}
