//! What a browser shows: pages that it lays out, and the inspector as a person sees it. Needs
//! Chromium.

mod devtools;
mod inspector;
mod rendering;
#[path = "../suite/support/serving.rs"]
mod serving;
