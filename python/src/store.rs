//! The files of a store that no daemon has open. `store.py` shows what the package offers.

use std::io::Read;
use std::path::PathBuf;

use pyo3::create_exception;
use pyo3::exceptions::{PyFileNotFoundError, PyValueError};
use pyo3::prelude::*;
use serde_json::json;
use tsrec_store::{ChangeWithRecord, Cursor, Database, StoredRecord};

use crate::error::Error;

create_exception!(tsrec, StoreError, Error, "The files of a store cannot be read.");
create_exception!(
    tsrec,
    StoreInUseError,
    StoreError,
    "Another process has the store open, such as the crawl daemon. Use tsrec.Client to ask it, or stop it first."
);
create_exception!(tsrec, ForgottenError, StoreError, "The store no longer knows what changed since a cursor.");

/// The most records of one answer, in bytes of their JSON. A larger record comes alone. Judgement:
/// the same as in the daemon's answers.
const ANSWER_BYTES: u64 = 8 << 20;

/// An open store. No other process can use the directory until it is closed. Records, summaries and
/// feeds are JSON.
#[pyclass(frozen, module = "tsrec._tsrec")]
pub(crate) struct StoreFiles {
    open: std::sync::RwLock<Option<tsrec_store::Store>>,
}

impl StoreFiles {
    fn read<T>(&self, read: impl FnOnce(&tsrec_store::Store) -> PyResult<T>) -> PyResult<T> {
        let open = self.open.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        read(open.as_ref().ok_or_else(|| PyValueError::new_err("the store is closed"))?)
    }
}

#[pymethods]
impl StoreFiles {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<StoreFiles> {
        if !Database::is_in(&path) {
            let why = format!("there is no store in {}: give the data_dir of a crawl", path.display());
            return Err(PyFileNotFoundError::new_err(why));
        }
        let database = py.detach(|| Database::open(&path, &tsrec_store::Config::default())).map_err(|why| match why {
            why if why.is_locked() => StoreInUseError::new_err(format!(
                "the store in {} is in use by another process: if that is the crawl daemon, ask it with tsrec.Client(), or stop it first",
                path.display()
            )),
            why => raised(why),
        })?;
        Ok(StoreFiles { open: Some(tsrec_store::Store::new(&database)).into() })
    }

    /// Closes the store. After that, nothing can be read.
    fn close(&self, py: Python<'_>) {
        let open = self.open.write().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        py.detach(|| drop(open));
    }

    /// The record of the page with this URL. None if there is none.
    fn page(&self, py: Python<'_>, url: &str) -> PyResult<Option<String>> {
        py.detach(|| self.read(|store| store.get_stored(url).map_err(raised)?.map(json_of).transpose()))
    }

    /// At most `limit` summaries of records, by URL. They are of one host or of all, and come after
    /// a URL.
    fn pages(&self, py: Python<'_>, host: Option<&str>, after: Option<&str>, limit: usize) -> PyResult<String> {
        let listed = py.detach(|| self.read(|store| store.list(host, after, limit).map_err(raised)))?;
        Ok(json!(listed).to_string())
    }

    /// The cursor at the end of the feed.
    fn end(&self) -> PyResult<String> {
        self.read(|store| Ok(store.end().to_string()))
    }

    /// At most `limit` changes since a cursor, with `next`, the cursor after them. With `content`
    /// they include their records.
    fn changes(&self, py: Python<'_>, since: Option<&str>, limit: usize, content: bool) -> PyResult<String> {
        let since: Option<Cursor> = since.map(str::parse).transpose().map_err(raised)?;
        py.detach(|| {
            self.read(|store| {
                let (rows, next) = match content {
                    true => store.changes_with_records(since, limit, ANSWER_BYTES).map_err(raised)?,
                    false => {
                        let feed = store.changes(since, limit).map_err(raised)?;
                        (feed.changes.into_iter().map(|change| (change, None)).collect(), feed.next)
                    }
                };
                let rows = rows.into_iter().map(row).collect::<PyResult<Vec<String>>>()?;
                Ok(format!("{{\"changes\":[{}],\"next\":{}}}", rows.join(","), json!(next)))
            })
        })
    }
}

/// A change, in the API's form.
fn row((change, record): ChangeWithRecord) -> PyResult<String> {
    let mut row = json!(change).to_string();
    if let Some(record) = record {
        row.pop();
        row += &format!(",\"page\":{}}}", json_of(record)?);
    }
    Ok(row)
}

fn json_of(record: StoredRecord) -> PyResult<String> {
    let mut json = String::new();
    record.into_json().map_err(raised)?.read_to_string(&mut json)?;
    Ok(json)
}

fn raised(why: tsrec_store::Error) -> PyErr {
    let said = match std::error::Error::source(&why) {
        Some(source) => format!("{why}: {source}"),
        None => why.to_string(),
    };
    match why {
        why if why.is_gone() => ForgottenError::new_err(said),
        why if why.is_invalid() => PyValueError::new_err(said),
        _ => StoreError::new_err(said),
    }
}
