//! What is done with bytes that somebody made up: a function for each target of libFuzzer, which panics if the bytes
//! have it find a mistake, and returns whether they are what it reads. README.md says how these are run.
//!
//! `tests/fuzz.rs` of the workspace has this file as a module, and gives each function its seeds.

#![allow(
    unreachable_pub,
    clippy::expect_used,
    reason = "targets call these functions, and a panic is how they report"
)]

pub mod agent;
pub mod cycles;
pub mod differential;
pub mod gdb;
pub mod instructions;
pub mod ir;
pub mod loader;
pub mod metadata;
pub mod modules;
pub mod npy;
pub mod picture;
pub mod profile;
pub mod settings;
pub mod sweep;
pub mod trace;
pub mod tuning;
pub mod views;

/// A target: its name, which is that of its directory in `seeds`, and what it does with bytes. It returns whether they
/// are what it reads.
pub type Target = (&'static str, fn(&[u8]) -> bool);

/// All of them.
pub const TARGETS: [Target; 17] = [
    ("agent", agent::run),
    ("cycles", cycles::run),
    ("differential", differential::run),
    ("gdb", gdb::run),
    ("instructions", instructions::run),
    ("ir", ir::run),
    ("loader", loader::run),
    ("metadata", metadata::run),
    ("modules", modules::run),
    ("npy", npy::run),
    ("picture", picture::run),
    ("profile", profile::run),
    ("settings", settings::run),
    ("sweep", sweep::run),
    ("trace", trace::run),
    ("tuning", tuning::run),
    ("views", views::run),
];
