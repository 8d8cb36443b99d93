//! What JavaScript gets.

use serde_json::{Value, json};
use tsrec_core::extract::Extracted;

use crate::request::Options;

/// The result of an extraction, under the names of `tsrec extract --format json`, with `content`
/// in the wanted format.
pub(crate) fn answer(found: &Extracted<'_>, options: &Options) -> Value {
    let text = found.text();
    let mut all = found.fields_beside(&text);
    all["text"] = text.into();
    if options.elements || options.explain {
        all["elements"] = found.elements();
    }
    // The package takes `text` for the content where there is none: it would cross the border
    // twice.
    if let Some(content) = content(found, &all, options) {
        all["content"] = content.into();
    }
    all["sources"] = json!(found.described().sources);
    all["date"] = all["published"].clone();
    if let Some(all) = all.as_object_mut() {
        all.remove("input");
    }
    all
}

/// The content in the wanted format; `None` for text.
fn content(found: &Extracted<'_>, all: &Value, options: &Options) -> Option<String> {
    match &*options.format {
        "markdown" => {
            let before = if options.front_matter { found.front_matter() } else { String::new() };
            Some(before + &found.markdown(options.along()))
        }
        "html" => Some(found.html(options.along())),
        "tei" => Some(found.tei(options.along())),
        "json" => Some(format!("{all:#}")),
        _ => None,
    }
}
