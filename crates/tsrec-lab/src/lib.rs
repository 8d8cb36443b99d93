//! The lab of tsrec. It measures extraction against gold text, and trains the shipped models.

#[allow(rustdoc::bare_urls, rustdoc::invalid_html_tags, reason = "its comments are what --help prints, as plain text")]
pub mod cli;
pub mod eval;
pub mod made;
