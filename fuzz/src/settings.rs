//! What variables of the environment and options say of a device: any text is understood or refused.

use vortex_sim::{Checks, Generation, Model};

/// Reads it as each of them.
pub fn run(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let checks = text.parse::<Checks>();
    if checks.is_ok() {
        // What is said last counts, and nothing else of what was there before.
        let twice = format!("{text},{text}");
        assert_eq!(twice.parse::<Checks>(), checks);
    }
    let models = [Generation::V2, Generation::V3].map(|generation| Model::named(&text, generation));
    checks.is_ok() || models.iter().any(Result::is_ok)
}
