//! What constructs of the kernel language cost, held to what the documentation says.

#![allow(clippy::unwrap_used, missing_docs)]

mod depth;
mod integers;
mod language;
mod measure;
