//! Kernels in which something is left open to be tuned: `#[tune(..)]`.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod calls;
mod kernels;
mod records;
#[path = "../said/mod.rs"]
mod said;
mod search;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A file of records for one test, which is gone with it.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("vortex-tuning-{name}-{}-{number}.toml", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// What is in it.
    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(&self.0).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
