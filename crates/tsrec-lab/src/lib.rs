//! The lab of tsrec: how good an extraction is, measured against gold text, and how the models that
//! ship are trained.

#[allow(rustdoc::bare_urls, rustdoc::invalid_html_tags, reason = "its comments are what --help prints, as plain text")]
pub mod cli;
pub mod eval;
