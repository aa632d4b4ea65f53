//! What constructs of the kernel language cost, held to what the documentation says; and what divergence costs, and
//! where it is refused.

#![allow(clippy::unwrap_used, missing_docs)]

mod atomics;
mod barriers;
mod blocks;
mod bounds;
mod choices;
mod depth;
mod device_code;
mod globals;
mod groups;
mod integers;
mod iterators;
mod language;
mod math;
mod measure;
mod patterns;
mod pictures;
mod tuning;
mod uniform;
mod warps;
