//! Speed of the embedded device's functional model, in million lane-instructions per second: the best of a few runs of
//! each kind of work, without checks, with those that are on by default but for data races, and with all that are on by
//! default. `goal` is what one core is to reach without checks; without the race detector they may cost a factor of 2,
//! and with it a factor of 5.
//!
//! Seconds are those that the processor spent on it, where the system tells, so that other work on the machine counts
//! for less. For cores on host threads they are those on the wall; `work` is how much longer the processors are busy
//! then than for cores that take turns.
//!
//! `cargo bench --bench device -- local threads` leaves out what is called otherwise; `cycles` is the speed of the
//! cycle model.

use harness::Asm;
use std::time::Instant;
use vortex::sim::{Access, Checks, Config, Machine, Model};
use vortex_kernel::isa::{Inst, Opcode, csr, x};

#[path = "../vortex-host/sim/tests/sim/harness.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "shared with the tests of the device"
)]
mod harness;

const WARPS: u32 = 4;
const RUNS: usize = 5;
/// Instructions of warps in a run, about.
const INSTRUCTIONS: u32 = 2_000_000;
/// The same for the cycle model.
const TIMED_INSTRUCTIONS: u32 = 50_000;
/// What one core is to reach with checks off, at 4 and at 32 threads.
const ALU: [f64; 2] = [500.0, 1_500.0];
const MEMORY: [f64; 2] = [300.0, 600.0];

/// What is watched for on cores that do not take turns, unless somebody asks for more.
const RACING: Checks = Checks {
    races: false,
    lockstep: false,
    ..Checks::all()
};

struct Work {
    name: &'static str,
    /// At 4 and at 32 threads.
    goals: Option<[f64; 2]>,
    /// Instructions in an iteration of the loop, about.
    length: u32,
    body: fn(&mut Asm),
}

const WORK: [Work; 5] = [
    Work {
        name: "alu",
        goals: Some(ALU),
        length: 18,
        body: alu,
    },
    Work {
        name: "memory",
        goals: Some(MEMORY),
        length: 7,
        body: memory,
    },
    Work {
        name: "divergent",
        goals: None,
        length: 10,
        body: divergent,
    },
    Work {
        name: "local memory",
        goals: None,
        length: 6,
        body: local,
    },
    Work {
        name: "bytes",
        goals: None,
        length: 11,
        body: bytes,
    },
];

fn alu(asm: &mut Asm) {
    for _ in 0..4 {
        asm.r(Opcode::Add, x::T1, x::T1, x::T2)
            .r(Opcode::Xor, x::T2, x::T2, x::T1)
            .i(Opcode::Slli, x::T3, x::T1, 3)
            .r(Opcode::Mul, x::T2, x::T2, x::T3);
    }
}

/// The inner loop of a matrix product: one element is the same for all lanes, the others are neighbours. Pointers run
/// through 64 rows and are set back.
fn memory(asm: &mut Asm) {
    asm.i(Opcode::Flw, 1, x::A2, 0)
        .i(Opcode::Flw, 2, x::A3, 0)
        .emit(Inst::r4(Opcode::Fmadd, 3, 1, 2, 3))
        .i(Opcode::Addi, x::A2, x::A2, 4)
        .r(Opcode::Add, x::A3, x::A3, x::A4);
}

/// Two sides of a few instructions, for odd and even lanes.
fn divergent(asm: &mut Asm) {
    asm.split(x::T4, x::S6)
        .branch(Opcode::Beq, x::S6, x::ZERO, "even")
        .r(Opcode::Add, x::T1, x::T1, x::T2)
        .r(Opcode::Add, x::T2, x::T2, x::T1)
        .jump("join")
        .label("even")
        .r(Opcode::Sub, x::T1, x::T1, x::T2)
        .r(Opcode::Xor, x::T2, x::T2, x::T1)
        .label("join")
        .join(x::T4);
}

fn local(asm: &mut Asm) {
    asm.i(Opcode::Lw, x::T1, x::A5, 0)
        .r(Opcode::Add, x::T1, x::T1, x::T2)
        .store(Opcode::Sw, x::T1, x::A5, 0)
        .i(Opcode::Lw, x::T2, x::A5, 0);
}

/// Sums of three neighbouring bytes, of those that all warps read, to where each warp of each core has 16 KiB of its
/// own. Other ones each time.
fn bytes(asm: &mut Asm) {
    asm.i(Opcode::Lbu, x::T1, x::A6, 0)
        .i(Opcode::Lbu, x::T2, x::A6, 1)
        .i(Opcode::Lbu, x::T3, x::A6, 2)
        .r(Opcode::Add, x::T1, x::T1, x::T2)
        .r(Opcode::Add, x::T1, x::T1, x::T3)
        .r(Opcode::Add, x::T1, x::T1, x::S1)
        .store(Opcode::Sb, x::T1, x::A7, 0)
        .r(Opcode::Add, x::A6, x::A6, x::A4)
        .r(Opcode::Add, x::A7, x::A7, x::A4);
}

/// All lanes of all warps: the body over and over, for about so many instructions of warps.
fn program(work: &Work, instructions: u32) -> Asm {
    let iterations = instructions / WARPS / work.length;
    let mut asm = Asm::new();
    asm.all_warps();
    asm.lane_address()
        .li(x::T1, 1)
        .li(x::T2, 2)
        .emit(Inst::r1(Opcode::FmvWX, 3, x::ZERO));
    asm.i(Opcode::Andi, x::S6, x::S4, 1)
        .i(Opcode::Slli, x::A5, x::S4, 2)
        .csrr(x::T0, csr::LOCAL_MEM_BASE)
        .r(Opcode::Add, x::A5, x::A5, x::T0)
        .csrr(x::T0, csr::WARP_ID)
        .i(Opcode::Slli, x::T0, x::T0, 7)
        .r(Opcode::Add, x::A5, x::A5, x::T0)
        .store(Opcode::Sw, x::ZERO, x::A5, 0)
        // Where the lane's bytes begin in the warp's own 16 KiB, behind those that all read.
        .csrr(x::T0, csr::CORE_ID)
        .i(Opcode::Slli, x::T0, x::T0, 2)
        .csrr(x::T1, csr::WARP_ID)
        .r(Opcode::Add, x::S7, x::T0, x::T1)
        .i(Opcode::Addi, x::S7, x::S7, 1)
        .i(Opcode::Slli, x::S7, x::S7, 14)
        .r(Opcode::Add, x::S7, x::S7, x::S4)
        .r(Opcode::Add, x::S7, x::S7, x::A0)
        .li(x::T1, 1)
        .li(x::A4, 256)
        .li(x::S1, iterations / 64)
        .label("rows")
        .r(Opcode::Add, x::A2, x::A0, x::ZERO)
        .r(Opcode::Add, x::A3, x::A1, x::ZERO)
        .r(Opcode::Add, x::A6, x::A0, x::S4)
        .r(Opcode::Add, x::A7, x::S7, x::ZERO)
        .li(x::S0, 64)
        .label("again");
    (work.body)(&mut asm);
    asm.i(Opcode::Addi, x::S0, x::S0, -1)
        .branch(Opcode::Bne, x::S0, x::ZERO, "again")
        .i(Opcode::Addi, x::S1, x::S1, -1)
        .branch(Opcode::Bne, x::S1, x::ZERO, "rows")
        .end();
    asm
}

/// Whose seconds count.
#[derive(Clone, Copy)]
enum Clock {
    Processor,
    Wall,
}

/// Seconds that the processor has spent on this thread, or since the start if the system does not tell.
fn on_processor(start: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |n| n as f64 / 1e9)
}

/// Seconds that processors have spent on this program, with all threads that ended.
fn on_processors() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |n: usize| fields.get(n)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

/// Million lane-instructions per second with each choice of checks: the best of some runs, which take turns.
fn measure(
    work: &Work,
    config: &Config,
    checks: [Checks; 3],
    clock: Clock,
) -> Result<[f64; 3], Box<dyn std::error::Error>> {
    // 16 KiB that all read, and as much for each warp of up to 8 cores.
    let size = (1 + 8 * WARPS as usize) << 14;
    let mut machines: Vec<(Machine, u32)> = Vec::new();
    for checks in checks {
        let config = Config {
            checks,
            ..config.clone()
        };
        let instructions = match config.model {
            Model::Functional => INSTRUCTIONS,
            Model::Cycle(_) => TIMED_INSTRUCTIONS,
        };
        let mut machine = harness::machine(config, &program(work, instructions));
        let buffer = machine.alloc(size as u64, Access::ReadWrite)?;
        machine.write(buffer, &vec![0; size])?;
        machines.push((machine, buffer));
    }
    let beginning = Instant::now();
    let mut best = [0.0; 3];
    for _ in 0..RUNS {
        for ((machine, buffer), best) in machines.iter_mut().zip(&mut best) {
            let (start, before) = (Instant::now(), on_processor(beginning));
            let stats = machine.run(harness::CODE, *buffer)?;
            let seconds = match clock {
                Clock::Processor => on_processor(beginning) - before,
                Clock::Wall => start.elapsed().as_secs_f64(),
            };
            let speed = stats.lane_instructions as f64 / seconds / 1e6;
            *best = speed.max(*best);
        }
    }
    Ok(best)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let is_asked =
        |name: &str| asked.is_empty() || asked.iter().any(|asked| name.contains(asked.as_str()));
    let work = || {
        WORK.iter()
            .filter(|work| is_asked(work.name) || asked == ["threads"] || asked == ["cycles"])
    };
    if asked != ["threads"] && asked != ["cycles"] {
        checks(work())?;
    }
    if is_asked("threads") {
        threads(work())?;
    }
    if is_asked("cycles") {
        cycles(work())?;
    }
    Ok(())
}

/// How fast the cycle model is.
fn cycles<'a>(work: impl Iterator<Item = &'a Work>) -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "\n{:<13} {:>5} {:>7} {:>9} {:>8}",
        "cycle model", "cores", "threads", "unwatched", "default"
    );
    for work in work {
        for (cores, threads) in [(1, 4), (1, 8), (4, 32)] {
            let config = Config {
                model: Model::cycle(),
                ..Config::with_shape(cores, WARPS, threads)
            };
            let checks = [Checks::none(), RACING, Checks::all()];
            let [off, _, default] = measure(work, &config, checks, Clock::Processor)?;
            println!(
                "{:<13} {cores:>5} {threads:>7} {off:>9.1} {default:>8.1}",
                work.name
            );
        }
    }
    Ok(())
}

/// What checks cost.
fn checks<'a>(work: impl Iterator<Item = &'a Work>) -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:<13} {:>5} {:>7} {:>8} {:>6} {:>8} {:>6} {:>8} {:>6}",
        "million/s",
        "cores",
        "threads",
        "unwatched",
        "goal",
        "no races",
        "ratio",
        "default",
        "ratio"
    );
    for work in work {
        for cores in [1, 4] {
            for threads in [4, 8, 16, 32] {
                let config = Config::with_shape(cores, WARPS, threads);
                let checks = [Checks::none(), RACING, Checks::all()];
                let [off, racing, default] = measure(work, &config, checks, Clock::Processor)?;
                let goal = work.goals.and_then(|[least, most]| match (cores, threads) {
                    (1, 4) => Some(least),
                    (1, 32) => Some(most),
                    _ => None,
                });
                let goal = goal.map_or(String::new(), |goal| format!("{goal:.0}"));
                println!(
                    "{:<13} {cores:>5} {threads:>7} {off:>8.0} {goal:>6} {racing:>8.0} {:>6.2} {default:>8.0} {:>6.2}",
                    work.name,
                    off / racing,
                    off / default,
                );
            }
        }
    }
    Ok(())
}

/// What host threads gain.
fn threads<'a>(work: impl Iterator<Item = &'a Work>) -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "\n{:<13} {:>5} {:>9} {:>10} {:>5} {:>9} {:>10} {:>5} {:>5}",
        "million/s",
        "cores",
        "unwatched",
        "on threads",
        "ratio",
        "default",
        "on threads",
        "ratio",
        "work"
    );
    for work in work {
        for cores in [2, 4, 8] {
            let in_turn = Config::with_shape(cores, WARPS, 32);
            let on_threads = Config {
                deterministic: false,
                ..in_turn.clone()
            };
            let checks = || [Checks::none(), RACING, Checks::none()];
            let start = on_processors();
            let [off, default, _] = measure(work, &in_turn, checks(), Clock::Wall)?;
            let middle = on_processors();
            let [off_threads, default_threads, _] =
                measure(work, &on_threads, checks(), Clock::Wall)?;
            let end = on_processors();
            let busy = |from: Option<f64>, to: Option<f64>| Some(to? - from?);
            let longer = busy(middle, end)
                .zip(busy(start, middle))
                .map(|(threads, turns)| threads / turns);
            println!(
                "{:<13} {cores:>5} {off:>9.0} {off_threads:>10.0} {:>5.2} {default:>9.0} {default_threads:>10.0} {:>5.2} {:>5.2}",
                work.name,
                off_threads / off,
                default_threads / default,
                longer.unwrap_or(f64::NAN),
            );
        }
    }
    Ok(())
}
