//! Code that several of these tests share: sites, scripted hosts, servers, damage.

pub(crate) mod damage;
pub(crate) mod properties;
pub(crate) mod script;
pub(crate) mod serving;
pub(crate) mod site;
pub(crate) mod town;
