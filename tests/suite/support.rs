//! What several of these tests use: sites, scripted hosts, servers, damage.

pub mod damage;
pub mod properties;
pub mod script;
pub mod serving;
pub mod site;
pub mod town;
