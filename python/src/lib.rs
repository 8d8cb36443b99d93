//! tsrec for Python: the native part of `package/tsrec`, over the same calls as the command line.
//!
//! The code first copies a page out of Python's memory ([`input`]). Then it releases the
//! interpreter's lock until there is a result. An [`extraction`] keeps its document, and renders it
//! on demand.

mod asked;
mod error;
mod extraction;
mod format;
mod input;
mod many;
mod pickled;
mod site;
mod store;

use pyo3::prelude::*;

#[pymodule]
mod _tsrec {
    #[pymodule_export]
    use super::error::{Error, MemoryFileError, NotHtmlError};
    #[pymodule_export]
    use super::extraction::{Extraction, extract};
    #[pymodule_export]
    use super::many::{Extractions, extract_many};
    #[pymodule_export]
    use super::site::{Site, site_of};
    #[pymodule_export]
    use super::store::{ForgottenError, StoreError, StoreFiles, StoreInUseError};

    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    #[pymodule_export]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
