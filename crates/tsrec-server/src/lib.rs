//! The HTTP API of a content store, and the inspector for people.

pub mod http;
pub mod inspector;
