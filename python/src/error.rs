//! What is raised, each with what to do.

use pyo3::create_exception;
use pyo3::exceptions::PyException;

create_exception!(tsrec, Error, PyException, "What tsrec raises where Python has no exception of its own for it.");
create_exception!(
    tsrec,
    NotHtmlError,
    Error,
    "The bytes of a page are those of something else, such as PDF or an image."
);
create_exception!(
    tsrec,
    MemoryFileError,
    Error,
    "A memory of a site cannot be used: it is none, damaged, or of another version or model."
);
