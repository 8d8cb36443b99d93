//! Tests that need the real pages beside the checkout: floors of accuracy, redesigns, parse trees.
#![allow(clippy::print_stdout, reason = "it prints what it compares")]

mod accuracy;
mod drift;
mod trees;
