//! When the crawl trains, and what it does with the outcome.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::watch;

use super::fallback::Fallback;
use super::{Config, Error, Lessons, Outcome, Verdict, train, trusting};
use tsrec_store::Store;

/// How often it is looked whether there are enough lessons, where there were not. Judgement: nobody minds the minute.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// URLs of lessons that are read at a time.
const BATCH: usize = 1_000;

/// A crawl's self-training.
pub(crate) struct Tutor {
    pub(crate) config: Config,
    pub(crate) fallback: Arc<Fallback>,
}

/// Says that work off the async threads is no longer wanted: because the crawl is stopping, or because whoever waited for it is gone.
#[derive(Clone)]
struct Stop {
    stopping: watch::Receiver<bool>,
    awaited: watch::Receiver<()>,
}

impl Stop {
    fn is_near(&self) -> bool {
        *self.stopping.borrow() || self.awaited.has_changed().is_err()
    }
}

impl Tutor {
    /// Trains on the store's lessons, as often as the settings say, until the crawl stops. Nothing that goes wrong here ends a crawl.
    pub(crate) async fn teach(&self, store: Store, mut stopping: watch::Receiver<bool>) {
        if self.config.every.is_zero() {
            return;
        }
        let mut due = after(self.until_due());
        let mut seen = None;
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(due.into()) => {}
                // A sender that is gone means the same.
                _ = stopping.wait_for(|&stop| stop) => return,
            }
            let counts = store.counts();
            if (counts.lessons as usize) < self.config.least_lessons || seen == Some(counts.lessons_ever) {
                due = after(self.config.every.min(LOOK_AGAIN));
                continue;
            }
            self.train(&store, stopping.clone()).await;
            (seen, due) = (Some(counts.lessons_ever), after(self.config.every));
        }
    }

    /// How long until the next training: at once without a model.
    fn until_due(&self) -> Duration {
        let age = |written| SystemTime::now().duration_since(written).unwrap_or_default();
        self.fallback.written().map_or(Duration::ZERO, |written| self.config.every.saturating_sub(age(written)))
    }

    /// Finds out which sites trust the model that was read at the start; nowhere is it used before.
    pub(crate) async fn trust_again(&self, store: &Store, stopping: watch::Receiver<bool>) {
        let Some(model) = self.fallback.model() else { return };
        match self.with_lessons(store, stopping, move |lessons| trusting(lessons, &model)).await {
            Ok(sites) => {
                tracing::info!(sites = sites.len(), "the model in use is trusted");
                self.fallback.trust(sites);
            }
            Err(Abandoned::Stopping) => {}
            Err(Abandoned::Failed(error)) => {
                tracing::warn!(error = &*error, "the model cannot be judged, and is not used");
            }
        }
    }

    async fn train(&self, store: &Store, stopping: watch::Receiver<bool>) {
        let started = Instant::now();
        let (in_use, config) = (self.fallback.model(), self.config.clone());
        match self.with_lessons(store, stopping, move |lessons| train(lessons, in_use.as_deref(), &config)).await {
            Ok(outcome) => {
                metrics::histogram!("tsrec_training_seconds").record(started.elapsed().as_secs_f64());
                self.conclude(outcome).await;
            }
            Err(Abandoned::Stopping) => {}
            Err(Abandoned::Failed(error)) => {
                metrics::counter!("tsrec_training_total", "kept" => "failed").increment(1);
                tracing::warn!(error = &*error, "training made no model");
            }
        }
    }

    /// Keeps the best, and says so.
    async fn conclude(&self, outcome: Outcome) {
        let verdict = outcome.verdict();
        report(&outcome, verdict);
        let fallback = Arc::clone(&self.fallback);
        let kept = tokio::task::spawn_blocking(move || {
            let file = outcome.file();
            match verdict {
                Verdict::New => fallback.replace(outcome.model, &file, outcome.new.sites),
                Verdict::InUse => {
                    fallback.trust(outcome.in_use.map(|standing| standing.sites).unwrap_or_default());
                    Ok(())
                }
                Verdict::Untrained => fallback.retire(),
            }
        });
        if let Ok(Err(error)) = kept.await {
            tracing::error!(%error, "the model's file cannot be changed; at the next start it is what it was");
        }
    }

    /// Does work that reads lessons, off the async threads. It ends soon after the crawl stops, whether or not somebody still waits.
    async fn with_lessons<T: Send + 'static>(
        &self,
        store: &Store,
        stopping: watch::Receiver<bool>,
        work: impl FnOnce(&mut Lessons<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Abandoned> {
        let (waiting, awaited) = watch::channel(());
        let stop = Stop { stopping, awaited };
        let (store, hold_out, stop_here) = (store.clone(), self.config.hold_out, stop.clone());
        let working = tokio::task::spawn_blocking(move || {
            let urls = urls(&store).map_err(|error| Abandoned::Failed(error.into()))?;
            let mut lessons = Lessons::new(urls, hold_out, |url| {
                if stop_here.is_near() {
                    return Err("the crawl is stopping".into());
                }
                Ok(store.lesson(url)?)
            });
            work(&mut lessons).map_err(|error| Abandoned::Failed(error.into()))
        });
        let done = working.await;
        drop(waiting);
        match done {
            Ok(Err(_)) if *stop.stopping.borrow() => Err(Abandoned::Stopping),
            Ok(done) => done,
            Err(panicked) => Err(Abandoned::Failed(panicked.into())),
        }
    }
}

/// The time in so long; in a century at most, whatever somebody configured.
fn after(time: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);
    Instant::now() + time.min(CENTURY)
}

/// Why work was not finished.
enum Abandoned {
    Stopping,
    Failed(Box<dyn std::error::Error + Send + Sync>),
}

/// The URLs of all lessons.
fn urls(store: &Store) -> Result<Vec<String>, tsrec_store::Error> {
    let mut urls: Vec<String> = Vec::new();
    loop {
        let more = store.lessons(urls.last().map(String::as_str), BATCH)?;
        if more.is_empty() {
            return Ok(urls);
        }
        urls.extend(more);
    }
}

fn report(outcome: &Outcome, verdict: Verdict) {
    let Outcome { learned, judged, untrained, in_use, new, .. } = outcome;
    metrics::counter!("tsrec_training_total", "kept" => verdict.as_str()).increment(1);
    metrics::gauge!("tsrec_training_lessons", "used" => "learned").set(*learned as f64);
    metrics::gauge!("tsrec_training_lessons", "used" => "judged").set(*judged as f64);
    metrics::gauge!("tsrec_training_f1", "of" => "untrained").set(*untrained);
    metrics::gauge!("tsrec_training_f1", "of" => "new").set(new.as_used);
    if let Some(standing) = in_use {
        metrics::gauge!("tsrec_training_f1", "of" => "in-use").set(standing.as_used);
    }
    let said = match verdict {
        Verdict::New => "trained: the new model is the best and used from now on",
        Verdict::InUse => "trained: the new model is no better than the one in use and dropped",
        Verdict::Untrained => "trained: no model is better than none, and none is used",
    };
    tracing::info!(
        learned,
        judged,
        f1.untrained = untrained,
        f1.in_use = in_use.as_ref().map(|standing| standing.as_used),
        f1.new = new.as_used,
        f1.new_everywhere = new.alone,
        sites = new.sites.len(),
        "{said}"
    );
}
