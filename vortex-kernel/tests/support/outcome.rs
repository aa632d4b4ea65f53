//! What a random function does.

use vortex_kernel::ir::Function;
use vortex_kernel::ir::interp::{Events, Memory, Trap, run_items};

use super::{X, X_LEN, Y, Y_LEN, Z, Z_LEN};

/// What a run is observed by: how it ended, and memory afterwards.
pub(crate) type Outcome = (Result<Events, Trap>, Memory);

/// Runs a function with the arguments of [`function`] over 5 x 3 items.
pub(crate) fn outcome(f: &Function, n: u32, a: i32, scalar: f32, budget: u64) -> Outcome {
    let mut memory = Memory::default();
    let floats = (0..X_LEN).flat_map(|i| (i as f32 * 0.75 - 3.0).to_le_bytes());
    memory.map(X, floats.collect());
    memory.map(Y, (0..Y_LEN).flat_map(|i| (i * 3).to_le_bytes()).collect());
    memory.map(Z, (0..Z_LEN).flat_map(|i| (i * i).to_le_bytes()).collect());
    let words = [
        n,
        a.cast_unsigned(),
        scalar.to_bits(),
        X,
        X_LEN,
        Y,
        Y_LEN,
        Z,
    ];
    let args: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let ended = run_items(f, &args, [5, 3, 1], &mut memory, budget);
    (ended, memory)
}
