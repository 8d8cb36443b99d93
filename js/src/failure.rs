//! What a call throws.

use serde_json::json;
use wasm_bindgen::JsValue;

/// A reason with advice, and the JavaScript class of the error.
pub enum Failure {
    /// `NotHtmlError`: the bytes are of another format.
    NotHtml(String),
    /// `MemoryFileError`: the bytes are no memory of a site that this version can read.
    Memory(String),
    /// `TypeError`: a wrong argument.
    Argument(String),
}

impl Failure {
    pub(crate) fn needs_sibling() -> Failure {
        Failure::Argument(
            "this method compares a page with another: give siblings, or method \"auto\", which does without"
                .to_owned(),
        )
    }

    /// The package's own code gave too few pages.
    pub(crate) fn no_page() -> Failure {
        Failure::Argument("the call has too few pages; please report it".to_owned())
    }
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> JsValue {
        let (class, message) = match failure {
            Failure::NotHtml(message) => ("NotHtmlError", message),
            Failure::Memory(message) => ("MemoryFileError", message),
            Failure::Argument(message) => ("TypeError", message),
        };
        JsValue::from_str(&json!({ "class": class, "message": message }).to_string())
    }
}
