//! Bodies: siblings that are held, pages that wait, and pages as fetched.

pub(crate) mod held;
pub(crate) mod parked;
pub(crate) mod raw;
