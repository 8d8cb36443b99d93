//! Records of pages, and what is kept of their sites.

pub(crate) mod apply;
pub(crate) mod following;
pub(crate) mod memories;
pub(crate) mod pages;
pub(crate) mod select;
pub(crate) mod written;
