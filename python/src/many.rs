//! Extracts many pages, on several threads, in their order.
//!
//! The caller's thread takes pages from the iterator when it asks for results, a few ahead of the
//! results. So the iterator may be a generator over a database's cursor, and may be endless. The
//! worker threads touch nothing of Python.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use tsrec_core::extract::{Extractor, PageContext};
use tsrec_core::html::{Limits, parse};

use crate::asked::Asked;
use crate::error::Error;
use crate::extraction::{Extraction, needs_sibling};
use crate::input::PythonPage;

/// Pages per thread that are in work, or done and waiting for an earlier one. Judgement: with
/// fewer, a long page would hold up the others.
const AHEAD: usize = 4;

/// How long to wait for a result before checking for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(100);

/// A page with its number.
type PageJob = (usize, PythonPage);
type DonePage = (usize, PyResult<Extraction>);

/// The results of `extract_many`, in the order of the pages. Only one thread at a time may read
/// them.
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

/// Finds the content of many pages, each alone, on several threads. The default is one thread per
/// processor. The threads run without the interpreter's lock.
///
/// Results come in the order of the pages. At most four pages per thread are read ahead, so `pages`
/// may be an endless generator. If a page cannot be extracted, its exception is raised in its turn,
/// which ends the run. With `on_error="return"` the exception is returned in place of the result.
#[pyfunction]
#[pyo3(signature = (pages, *, threads=None, method="auto", favor="balance", on_error="raise"))]
pub(crate) fn extract_many(
    pages: &Bound<'_, PyAny>,
    threads: Option<usize>,
    method: &str,
    favor: &str,
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
    let asked = Asked::new(method, favor, false)?;
    let method = asked.extractor();
    let blank = parse(b"", None, &Limits::default());
    // A method that learns from siblings would only see one page.
    if method.learns() || method.extract(&PageContext::alone(&blank)).is_err() {
        return Err(needs_sibling());
    }
    let (jobs, done) = work_on(asked, method, threads)?;
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

/// Starts the threads. They end when all senders of jobs or all receivers of results are gone.
fn work_on(
    asked: Asked,
    method: Box<dyn Extractor>,
    threads: usize,
) -> PyResult<(Sender<PageJob>, Receiver<DonePage>)> {
    let (jobs, queue) = channel::<PageJob>();
    let (results, done) = channel::<DonePage>();
    let (method, queue) = (Arc::new(method), Arc::new(Mutex::new(queue)));
    for _ in 0..threads {
        let (method, queue, results) = (Arc::clone(&method), Arc::clone(&queue), results.clone());
        let next = move || queue.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
        let work = move || {
            while let Some((at, input)) = next() {
                if results.send((at, guarded(asked, &**method, input))).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("tsrec".to_owned()).spawn(work)?;
    }
    Ok((jobs, done))
}

/// If the program panics on a page, the panic is that page's result.
fn guarded(asked: Asked, method: &dyn Extractor, input: PythonPage) -> PyResult<Extraction> {
    let name = input.name.clone();
    let found = catch_unwind(AssertUnwindSafe(|| one(asked, method, input)));
    found.unwrap_or_else(|_| Err(Error::new_err(format!("tsrec failed on {name}; please report it"))))
}

fn one(asked: Asked, method: &dyn Extractor, mut input: PythonPage) -> PyResult<Extraction> {
    let document = input.parse()?;
    Extraction::new(document, input, asked, |request| request.method(method))
}

impl Extractions {
    /// Takes pages from the iterator, up to the limit ahead.
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
                // The iterator itself failed. It ends here, and the error comes in its turn.
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
