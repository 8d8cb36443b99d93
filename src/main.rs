//! The `tsrec` command: parse arguments, start tracing, dispatch.

fn main() {}
