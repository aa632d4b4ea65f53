//! Metadata and statistics: bytes and JSON are metadata or an error, and what is read reads back from either form.

use vortex_kernel::meta::{ModuleInfo, Statistics};

/// Reads them as each of these.
pub fn run(bytes: &[u8]) -> bool {
    let modules = [
        ModuleInfo::read_bytes(bytes).ok().map(|(module, _)| module),
        serde_json::from_slice(bytes).ok(),
    ];
    let mut is_read = false;
    for module in modules.into_iter().flatten() {
        is_read = true;
        let binary = module.to_bytes();
        let again = ModuleInfo::from_bytes(&binary).expect("it was just written");
        // Compared as they are written: a value that is no number does not equal itself.
        assert!(again.to_bytes() == binary, "{module:?}\n{again:?}");
        let json = serde_json::to_string(&module).expect("it can be written");
        let again: ModuleInfo = serde_json::from_str(&json).expect("it was just written");
        let again = serde_json::to_string(&again).expect("it can be written");
        assert_eq!(again, json);
    }
    if let Ok(statistics) = serde_json::from_slice::<Statistics>(bytes) {
        let json = serde_json::to_string(&statistics).expect("it can be written");
        let again = serde_json::from_str::<Statistics>(&json);
        assert_eq!(again.expect("it was just written"), statistics);
        is_read = true;
    }
    is_read
}
