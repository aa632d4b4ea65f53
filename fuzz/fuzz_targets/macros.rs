//! What `#[vortex::kernel]` and its kin make of any tokens. A program of its own: modules of a macro crate can be
//! nowhere but at the top.

#![no_main]
#![allow(dead_code, reason = "the macros themselves are not there")]

#[path = "../../vortex-macros/src/attr/mod.rs"]
mod attr;
#[path = "../../vortex-macros/src/body/mod.rs"]
mod body;
#[path = "../../vortex-macros/src/bundle.rs"]
mod bundle;
#[path = "../../vortex-macros/src/derive/mod.rs"]
mod derive;
#[path = "../../vortex-macros/src/device/mod.rs"]
mod device;
#[path = "../../vortex-macros/src/expand/mod.rs"]
mod expand;
#[path = "../../vortex-macros/src/fallback.rs"]
mod fallback;
#[path = "../../vortex-macros/src/generics.rs"]
mod generics;
#[path = "../../vortex-macros/src/kernel.rs"]
mod kernel;
#[path = "../../vortex-macros/src/messages/mod.rs"]
mod messages;
#[path = "../../vortex-macros/src/misspelt.rs"]
mod misspelt;
#[path = "../../vortex-macros/src/native/mod.rs"]
mod native;
#[path = "../../vortex-macros/src/operators.rs"]
mod operators;
#[path = "../../vortex-macros/src/runtime.rs"]
mod runtime;
#[path = "../../vortex-macros/src/signature.rs"]
mod signature;
#[path = "../../vortex-macros/src/spans.rs"]
mod spans;
#[path = "../../vortex-macros/src/staged.rs"]
mod staged;
#[path = "../../vortex-macros/src/strangers.rs"]
mod strangers;
#[path = "../../vortex-macros/src/tune.rs"]
mod tune;
#[path = "../../vortex-macros/src/twins.rs"]
mod twins;
#[path = "../../vortex-macros/src/types.rs"]
mod types;
#[path = "../../vortex-macros/src/valid/mod.rs"]
mod valid;
#[path = "../../vortex-macros/src/variable.rs"]
mod variable;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = strangers::run(bytes);
});
