//! Compares the cycle model with cycles measured on Vortex's hardware description.
//!
//! `cargo run --release -p vortex-sim --example calibrate -- DIRECTORY [KERNEL]...`
//!
//! The directory holds images (`*.vxbin`) and `cycles.csv`: `kernel,shape,instructions,simx_cycles,rtl_cycles`. Each
//! image expects two zeroed buffers of 4 MiB, whose addresses are at the start of its argument block, and leaves its
//! cycles in the performance dump.

use std::error::Error;
use std::path::Path;
use vortex_sim::timing::TimingStats;
use vortex_sim::{Access, Checks, Config, Machine, Model, VxBin};

const BUFFER: usize = 4 << 20;

/// What the model says about an image: the largest core's cycles at the dump, and the rest.
fn measure(image: &Path, shape: [u32; 3]) -> Result<(u64, TimingStats), Box<dyn Error>> {
    let [cores, warps, threads] = shape;
    let config = Config {
        model: Model::cycle(),
        checks: Checks::none(),
        ..Config::with_shape(cores, warps, threads)
    };
    let mut machine = Machine::new(config)?;
    let mut argument = Vec::new();
    for _ in 0..2 {
        let buffer = machine.alloc(BUFFER as u64, Access::ReadWrite)?;
        machine.write(buffer, &vec![0; BUFFER])?;
        argument.extend(buffer.to_le_bytes());
    }
    argument.extend([0; 8]);
    let bytes = std::fs::read(image)?;
    let entry = machine.load(&VxBin::parse(&bytes)?)?;
    let block = machine.alloc(argument.len() as u64, Access::Read)?;
    machine.write(block, &argument)?;
    let stats = machine.run(entry, block)?;
    let cycles = (0..cores)
        .filter_map(|core| machine.dumped(core, 0))
        .max()
        .ok_or("no performance dump")?;
    Ok((cycles, *stats.timing.ok_or("no timing")?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments
        .next()
        .ok_or("usage: calibrate DIRECTORY [KERNEL]...")?;
    let directory = Path::new(&directory);
    let wanted: Vec<String> = arguments.collect();
    let table = std::fs::read_to_string(directory.join("cycles.csv"))?;

    println!(
        "{:<18} {:>6} {:>9} {:>9} {:>7}  {:>5} {:>6} {:>6}",
        "kernel", "shape", "hardware", "model", "error", "IPC", "I-hit", "D-hit"
    );
    let (mut sum, mut count, mut worst) = (0.0, 0, (0.0, String::new()));
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let &[kernel, shape, _, _, hardware] = fields.as_slice() else {
            return Err(format!("malformed line: {line}").into());
        };
        if !wanted.is_empty() && !wanted.iter().any(|name| name == kernel) {
            continue;
        }
        let numbers: Vec<u32> = shape.split('x').map(str::parse).collect::<Result<_, _>>()?;
        let numbers: [u32; 3] = numbers
            .try_into()
            .map_err(|_| format!("malformed shape: {shape}"))?;
        let hardware: u64 = hardware.parse()?;
        let (cycles, stats) = measure(&directory.join(kernel).with_extension("vxbin"), numbers)?;
        let ratio = cycles as f64 / hardware as f64;
        let hits = |reads: u64, misses: u64| 100.0 * (1.0 - misses as f64 / reads.max(1) as f64);
        println!(
            "{kernel:<18} {shape:>6} {hardware:>9} {cycles:>9} {:>+6.1}% {:>6.2} {:>5.1}% {:>5.1}%",
            100.0 * (ratio - 1.0),
            stats.ipc(),
            hits(stats.icache.reads, stats.icache.read_misses),
            hits(stats.dcache.reads, stats.dcache.read_misses),
        );
        let error = ratio.ln().abs();
        sum += error;
        count += 1;
        if error > worst.0 {
            worst = (error, format!("{kernel} {shape}"));
        }
    }
    let percent = |error: f64| 100.0 * (error.exp() - 1.0);
    println!(
        "\n{count} entries: mean error {:.2}%, worst {:.1}% ({})",
        percent(sum / f64::from(count.max(1))),
        percent(worst.0),
        worst.1
    );
    Ok(())
}
