//! What kernels take on the device that the environment names: the embedded one, or any of Vortex's runtime. Through
//! the runtime, the cycle model runs the same images with their buffers at the same addresses as Vortex's RTL.

use super::suite::{Case, Launched, Suite};
use vortex::prelude::*;

/// Runs all cases, and prints cycles and instructions of each kernel, of it without checks, and of it contracted.
pub(super) fn run(cases: &[(&str, Case)]) -> vortex::Result<()> {
    let device = Device::open()?;
    println!("{}", device.caps());
    println!(
        "{:<24} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "", "cycles", "instr.", "unchecked", "instr.", "contracted", "instr."
    );
    let mut suite = Suite::on(device);
    for (name, case) in cases {
        // Not every device can run each: some have no atomic operations.
        if let Err(error) = case(&mut suite) {
            println!("{name}: {error}");
        }
        for (title, launched) in suite.runs.drain(..) {
            let Launched {
                kernel,
                unchecked,
                contracted,
            } = &launched;
            print!("{title:<24}");
            for report in [kernel, unchecked, contracted] {
                // Vortex 2 counts lanes.
                let instructions = report.instructions().or(report.lane_instructions());
                let [cycles, instructions] =
                    [report.cycles(), instructions].map(Option::unwrap_or_default);
                print!(" {cycles:>10} {instructions:>10}");
            }
            println!();
        }
    }
    Ok(())
}
