//! Words as instructions: what is decoded is encoded as it was, and can be written down.

use vortex_isa::Inst;

/// Reads as many words as there are.
pub fn run(bytes: &[u8]) -> bool {
    let mut known = 0;
    for word in bytes.as_chunks::<4>().0 {
        let word = u32::from_le_bytes(*word);
        let Some(inst) = Inst::decode(word) else {
            continue;
        };
        assert!(inst.is_encodable(), "{word:#010x}: {inst:?}");
        assert_eq!(inst.encode(), word, "{inst:?}");
        assert!(!inst.to_string().is_empty(), "{word:#010x}: {inst:?}");
        known += 1;
    }
    known > 0
}
