//! The exceptions, each with advice.

use pyo3::create_exception;
use pyo3::exceptions::PyException;

create_exception!(tsrec, Error, PyException, "tsrec raises this if Python has no exception of its own for the error.");
create_exception!(tsrec, NotHtmlError, Error, "The page is not HTML, but something else, such as PDF or an image.");
create_exception!(
    tsrec,
    MemoryFileError,
    Error,
    "A memory file cannot be used. It is another kind of file, damaged, or of another version or model."
);
