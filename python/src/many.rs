//! Many pages, on several threads, in their order.
//!
//! Pages are asked of their iterator by whoever asks for results, on the thread that does, a few
//! ahead of the results: so it may be a generator over a database's cursor, and needs not end. The
//! threads touch nothing of Python.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use tsrec_core::extract::Page;
use tsrec_core::metadata::Stated;
use tsrec_papers::registry::Tool;

use crate::error::Error;
use crate::extraction::{Extraction, needs_sibling, tool};
use crate::input::PythonPage;

/// Pages a thread that are in work, or done and wait for one before them. Judgement: with fewer a
/// long page would hold up the others.
const AHEAD: usize = 4;

/// How long we wait for a result before we look whether somebody pressed Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(100);

/// A page with its number, and what came of it.
type PageJob = (usize, PythonPage);
type DonePage = (usize, PyResult<Extraction>);

/// What comes of pages, in their order. One thread may ask it at a time.
#[pyclass(module = "tsrec")]
pub(crate) struct Extractions {
    /// `None` when there are no more.
    pages: Option<Py<PyIterator>>,
    /// `None` when no more is to be done: then the threads end.
    jobs: Option<Sender<PageJob>>,
    done: Mutex<Receiver<DonePage>>,
    waiting: BTreeMap<usize, PyResult<Extraction>>,
    /// Pages that were taken from the iterator, and results that were given.
    taken: usize,
    given: usize,
    ahead: usize,
    raises: bool,
    /// The page instead of which the iterator failed.
    broke: Option<usize>,
}

/// Finds the content of many pages, each alone, on several threads (by default as many as there are
/// processors), without the interpreter's lock.
///
/// Results come in the order of the pages, of which no more are taken than four a thread ahead of
/// them: `pages` may be a generator without end. Of a page that cannot be extracted the exception
/// is raised in its turn, which ends the run; with `on_error="return"` it stands in the place of
/// the result.
#[pyfunction]
#[pyo3(signature = (pages, *, threads=None, method="auto", on_error="raise"))]
pub(crate) fn extract_many(
    pages: &Bound<'_, PyAny>,
    threads: Option<usize>,
    method: &str,
    on_error: &str,
) -> PyResult<Extractions> {
    let raises = match on_error {
        "raise" => true,
        "return" => false,
        other => return Err(PyValueError::new_err(format!("on_error is {other:?}: it is \"raise\" or \"return\""))),
    };
    let threads = match threads {
        Some(0) => {
            return Err(PyValueError::new_err(
                "threads is 0: it must be at least 1, or None for as many as there are processors",
            ));
        }
        Some(threads) => threads,
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let tool = tool(method)?;
    if tool.extractor(Vec::new(), None).is_none() {
        return Err(needs_sibling());
    }
    let (jobs, done) = work_on(tool, threads)?;
    Ok(Extractions {
        pages: Some(pages.try_iter()?.unbind()),
        jobs: Some(jobs),
        done: Mutex::new(done),
        waiting: BTreeMap::new(),
        taken: 0,
        given: 0,
        ahead: AHEAD * threads,
        raises,
        broke: None,
    })
}

/// Starts the threads. They end when nobody sends jobs any more, or wants results.
fn work_on(tool: Tool, threads: usize) -> PyResult<(Sender<PageJob>, Receiver<DonePage>)> {
    let (jobs, queue) = channel::<PageJob>();
    let (results, done) = channel::<DonePage>();
    let (tool, queue) = (Arc::new(tool), Arc::new(Mutex::new(queue)));
    for _ in 0..threads {
        let (tool, queue, results) = (Arc::clone(&tool), Arc::clone(&queue), results.clone());
        let next = move || queue.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
        let work = move || {
            while let Some((at, input)) = next() {
                if results.send((at, guarded(&tool, input))).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("tsrec".to_owned()).spawn(work)?;
    }
    Ok((jobs, done))
}

/// A page that the program fails on is that page's result.
fn guarded(tool: &Tool, input: PythonPage) -> PyResult<Extraction> {
    let name = input.name.clone();
    let found = catch_unwind(AssertUnwindSafe(|| one(tool, input)));
    found.unwrap_or_else(|_| Err(Error::new_err(format!("tsrec failed on {name}; please report it"))))
}

fn one(tool: &Tool, mut input: PythonPage) -> PyResult<Extraction> {
    let document = input.parse()?;
    let page = Page::new(&document).at(input.url.as_ref());
    let found = tool.extractor(Vec::new(), None).ok_or_else(needs_sibling)?.extract(&page);
    drop(page);
    Ok(Extraction::new(document, found, input, false, Stated::default()))
}

impl Extractions {
    /// Takes pages from the iterator, as far ahead as may be.
    fn fill(&mut self, py: Python<'_>) {
        while self.taken - self.given < self.ahead {
            let Some(pages) = &self.pages else { return };
            let mut pages = pages.bind(py).clone();
            let at = self.taken;
            let Some(next) = pages.next() else {
                return self.pages = None;
            };
            self.taken += 1;
            match next {
                Ok(page) => self.begin(at, &page),
                // The iterator itself failed: it is at its end, and says so in its turn.
                Err(why) => {
                    self.pages = None;
                    self.broke = Some(at);
                    self.waiting.insert(at, Err(why));
                }
            }
        }
    }

    fn begin(&mut self, at: usize, page: &Bound<'_, PyAny>) {
        match (PythonPage::of_many(page, &format!("page {}", at + 1)), &self.jobs) {
            (Ok(input), Some(jobs)) => drop(jobs.send((at, input))),
            (Ok(_), None) => {}
            (Err(why), _) => drop(self.waiting.insert(at, Err(why))),
        }
    }

    /// Waits for the result of the next page.
    fn wait(&mut self, py: Python<'_>) -> PyResult<PyResult<Extraction>> {
        loop {
            if let Some(result) = self.waiting.remove(&self.given) {
                return Ok(result);
            }
            let done = &self.done;
            let next = py.detach(|| done.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE));
            match next {
                Ok((at, result)) => drop(self.waiting.insert(at, result)),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::new_err("the threads are gone; please report it"));
                }
            }
        }
    }

    fn end(&mut self) {
        (self.pages, self.jobs) = (None, None);
        self.waiting.clear();
        self.given = self.taken;
    }
}

#[pymethods]
impl Extractions {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.fill(py);
        if self.given == self.taken {
            self.end();
            return Ok(None);
        }
        let result = self.wait(py)?;
        let raises = self.raises || self.broke == Some(self.given);
        self.given += 1;
        match result {
            Ok(extraction) => Ok(Some(Py::new(py, extraction)?.into_any())),
            Err(why) if raises => {
                self.end();
                Err(why)
            }
            Err(why) => Ok(Some(why.into_value(py).into_any())),
        }
    }
}
