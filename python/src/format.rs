//! The formats of content as a str.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::extraction::Extraction;

/// What `output_format` names.
#[derive(Clone, Copy)]
pub(crate) enum OutputFormat {
    Text,
    Markdown,
    Html,
    Tei,
    Json,
}

impl OutputFormat {
    const ALL: [(&str, OutputFormat); 5] = [
        ("text", OutputFormat::Text),
        ("markdown", OutputFormat::Markdown),
        ("html", OutputFormat::Html),
        ("tei", OutputFormat::Tei),
        ("json", OutputFormat::Json),
    ];

    /// The format that an argument names, if it is given.
    pub(crate) fn from_argument(given: Option<&str>) -> PyResult<Option<OutputFormat>> {
        let Some(given) = given else { return Ok(None) };
        let found = OutputFormat::ALL.into_iter().find(|(name, _)| *name == given);
        let names = OutputFormat::ALL.map(|(name, _)| name).join(", ");
        let unknown = || PyValueError::new_err(format!("output_format: {given:?} is none of {names}"));
        found.map(|(_, format)| Some(format)).ok_or_else(unknown)
    }

    /// The content in this format.
    pub(crate) fn of(self, found: &Extraction) -> String {
        match self {
            OutputFormat::Text => found.text(),
            OutputFormat::Markdown => found.to_markdown(true, true, false),
            OutputFormat::Html => found.to_html(true, true),
            OutputFormat::Tei => found.to_tei(true, true),
            OutputFormat::Json => found.json(),
        }
    }
}
