//! The preview server: the site from memory, on loopback only, with an event when it changes.
//!
//! The server is some hundred lines over `std`: it answers GET from one machine to one reader, so
//! an HTTP library with its runtime (hyper, axum) would be most of the binary's dependencies for
//! nothing, and the small one (`tiny_http`) has had no release since 2022.

mod http;
mod server;
mod watch;

pub(crate) use server::{Address, Files, Later, Server};
pub(crate) use watch::Watch;
