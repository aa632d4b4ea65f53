//! Files of records of tuned kernels, which people edit and merge: any text is read or refused by a line of it, and
//! what is read reads back once it is written.

use vortex_host::rewritten_records;

/// Reads it, and what is written of it once more.
pub fn run(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some(written) = rewritten_records(&text) else {
        return false;
    };
    assert_eq!(rewritten_records(&written).as_ref(), Some(&written));
    true
}
