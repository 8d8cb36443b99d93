//! Tests with a real browser: how it renders pages, and how it shows the inspector. They need
//! Chromium.

mod devtools;
mod inspector;
mod rendering;
#[path = "../suite/support/serving.rs"]
mod serving;
