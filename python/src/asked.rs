//! What a caller asks of a page besides its content: the method, what it favours, and explanations.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tsrec_core::evidence::favor::Favor;
use tsrec_core::extract::Extractor;
use tsrec_core::extract::choice::Choice;
use tsrec_papers::registry;
use tsrec_papers::registry::Options;

/// A method by its name, and its options.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    method: Choice,
    favor: Favor,
    pub(crate) explain: bool,
}

impl Asked {
    /// Reads the arguments. Raises ValueError if one of them is unknown, or if the method cannot
    /// favour anything.
    pub(crate) fn new(method: &str, favor: &str, explain: bool) -> PyResult<Asked> {
        let method: Choice = method.parse().map_err(|why| PyValueError::new_err(format!("method: {why}")))?;
        let favor = favor.parse().map_err(|why| PyValueError::new_err(format!("favor: {why}")))?;
        if favor != Favor::Balance && !method.favors() {
            return Err(PyValueError::new_err(format!(
                "favor: {method} favours nothing: take the method auto or blocks"
            )));
        }
        Ok(Asked { method, favor, explain })
    }

    /// The method, with the shipped models.
    pub(crate) fn extractor(self) -> Box<dyn Extractor> {
        let options = Options { favor: self.favor, ..Options::default() };
        registry::extractor(self.method, &options, Vec::new()).expect("a test makes every method with what ships")
    }

    /// The arguments that [`Asked::new`] reads.
    pub(crate) fn arguments(self) -> (&'static str, String, bool) {
        (self.method.as_str(), self.favor.to_string(), self.explain)
    }
}
