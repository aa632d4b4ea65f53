//! Programs whose cycles were measured on the hardware description, as Vortex simulates it by default under Verilator.
//!
//! `measured/` has them: generated assembly, and C that shows what compilers make of it, with start-up and stacks as
//! Vortex's own, compiled by `clang-19 --target=riscv32 -march=rv32imf -mabi=ilp32f -O2 -mcmodel=medany -fno-pic
//! -ffreestanding -nostdlib -mno-relax -fuse-ld=lld-19 -T image.ld -Wl,-z,norelro start.S PROGRAM.c` and made an image
//! of: section `.image` after two 64-bit words, the first and last address. Each gets two zeroed buffers of 4 MiB, and
//! dumps `mcycle` at its end. On Vortex 3 (upstream's d76b7f24e) they were launched as its runtime launches programs of
//! Vortex 2, one warp per core, and the counter was read afterwards. `atomics.S` needs `-march=rv32imaf`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::{CacheConfig, Divider, KNOBS, TimingConfig};
use crate::{Access, Checks, Config, Machine, Model, RunStats, VxBin};
use vortex_isa::Generation;

const MIXED: &[u8] = include_bytes!("measured/mixed.vxbin");
const LOCAL: &[u8] = include_bytes!("measured/local.vxbin");
const ATOMICS: &[u8] = include_bytes!("measured/atomics.vxbin");
const FENCES: &[u8] = include_bytes!("measured/fences.vxbin");
const OVERTAKING: &[u8] = include_bytes!("measured/overtaking.vxbin");
const STENCIL: &[u8] = include_bytes!("measured/stencil.vxbin");
const STACKS: &[u8] = include_bytes!("measured/stacks.vxbin");
const DIVIDE: &[u8] = include_bytes!("measured/divide.vxbin");
const PRODUCT: &[u8] = include_bytes!("measured/product.vxbin");

/// What the model says about a program: the largest core's cycles, up to the dump if there is one.
fn cycles(image: &[u8], shape: [u32; 3], timing: &TimingConfig) -> u64 {
    let (machine, stats) = run(image, shape, timing);
    match timing.generation {
        Generation::V2 => (0..shape[0])
            .filter_map(|core| machine.dumped(core, 0))
            .max()
            .unwrap(),
        Generation::V3 => stats.cycles.unwrap(),
    }
}

fn run(
    image: &[u8],
    [cores, warps, threads]: [u32; 3],
    timing: &TimingConfig,
) -> (Machine, RunStats) {
    const BUFFER: usize = 4 << 20;
    let mut machine = Machine::new(Config {
        generation: timing.generation,
        model: Model::Cycle(Box::new(timing.clone())),
        checks: Checks::none(),
        ..Config::with_shape(cores, warps, threads)
    })
    .unwrap();
    let mut argument = Vec::new();
    for _ in 0..2 {
        let buffer = machine.alloc(BUFFER as u64, Access::ReadWrite).unwrap();
        machine.write(buffer, &vec![0; BUFFER]).unwrap();
        argument.extend(buffer.to_le_bytes());
    }
    argument.extend([0; 8]);
    let entry = machine.load(&VxBin::parse(image).unwrap()).unwrap();
    let block = machine.alloc(16, Access::Read).unwrap();
    machine.write(block, &argument).unwrap();
    let stats = machine.run(entry, block).unwrap();
    (machine, stats)
}

fn assert_exact(timing: &TimingConfig, programs: &[(&str, &[u8], [u32; 3], u64)]) {
    for &(name, image, shape, hardware) in programs {
        assert_eq!(cycles(image, shape, timing), hardware, "{name} {shape:?}");
    }
}

#[test]
fn generated_programs_take_as_long_as_in_hardware() {
    assert_exact(
        &TimingConfig::default(),
        &[
            ("mixed", MIXED, [1, 4, 4], 62_855),
            ("mixed", MIXED, [1, 8, 8], 80_134),
            ("mixed", MIXED, [2, 8, 8], 117_822),
            ("mixed", MIXED, [1, 16, 4], 125_565),
            ("local", LOCAL, [1, 4, 4], 9_080),
            ("local", LOCAL, [1, 8, 8], 13_190),
            ("local", LOCAL, [2, 8, 8], 15_872),
            ("local", LOCAL, [1, 16, 4], 23_224),
            ("fences", FENCES, [2, 8, 8], 87_456),
        ],
    );
}

#[test]
fn compiled_programs_take_as_long_as_in_hardware() {
    assert_exact(
        &TimingConfig::default(),
        &[
            ("stencil", STENCIL, [1, 4, 4], 145_403),
            ("stencil", STENCIL, [1, 8, 8], 116_265),
            ("stacks", STACKS, [1, 4, 4], 11_427),
            ("divide", DIVIDE, [1, 4, 4], 8_477),
            ("divide", DIVIDE, [1, 8, 8], 13_910),
            ("divide", DIVIDE, [2, 8, 8], 25_881),
            ("product", PRODUCT, [1, 4, 4], 130_312),
            ("product", PRODUCT, [2, 8, 8], 143_210),
        ],
    );
}

#[test]
fn a_second_level_of_cache_takes_as_long_as_in_hardware() {
    let timing = TimingConfig {
        l2: Some(CacheConfig::l2()),
        ..TimingConfig::default()
    };
    assert_exact(
        &timing,
        &[
            ("mixed", MIXED, [1, 4, 4], 67_620),
            ("local", LOCAL, [1, 4, 4], 11_170),
            // A fence empties the second level, too.
            ("fences", FENCES, [1, 4, 4], 511_865),
            ("stencil", STENCIL, [1, 4, 4], 106_194),
            ("stacks", STACKS, [1, 4, 4], 12_425),
            ("divide", DIVIDE, [1, 4, 4], 10_569),
            ("product", PRODUCT, [1, 4, 4], 133_744),
        ],
    );
}

#[test]
fn the_serial_divider_takes_as_long_as_in_hardware() {
    let timing = TimingConfig {
        divider: Divider::serial(),
        ..TimingConfig::default()
    };
    assert_exact(
        &timing,
        &[
            ("stencil", STENCIL, [1, 4, 4], 153_544),
            ("divide", DIVIDE, [1, 4, 4], 17_431),
        ],
    );
}

/// Programs by shape: each with the cycles that Vortex 3's hardware description takes.
const VORTEX_3: [([u32; 3], [u64; 7]); 5] = [
    (
        [1, 4, 4],
        [70_691, 9_008, 41_936, 82_015, 9_294, 10_380, 143_565],
    ),
    (
        [1, 8, 8],
        [89_015, 11_869, 83_230, 95_340, 34_186, 20_395, 251_643],
    ),
    (
        [1, 16, 4],
        [137_595, 18_415, 165_789, 97_187, 43_697, 37_786, 387_995],
    ),
    (
        [1, 4, 16],
        [73_805, 9_694, 27_972, 102_184, 36_665, 14_091, 209_843],
    ),
    (
        [2, 8, 8],
        [188_671, 29_544, 38_054, 123_798, 66_923, 24_527, 132_008],
    ),
];

const PROGRAMS: [(&str, &[u8]); 7] = [
    ("mixed", MIXED),
    ("local", LOCAL),
    ("fences", FENCES),
    ("stencil", STENCIL),
    ("stacks", STACKS),
    ("divide", DIVIDE),
    ("product", PRODUCT),
];

#[test]
fn vortex_3_takes_as_long_as_in_hardware() {
    let timing = TimingConfig::of(Generation::V3);
    for (shape, hardware) in VORTEX_3 {
        for ((name, image), hardware) in PROGRAMS.into_iter().zip(hardware) {
            let model = cycles(image, shape, &timing);
            let most = u64::from((shape, name) == ([1, 4, 16], "stencil"));
            assert!(
                model.abs_diff(hardware) <= most,
                "{name} {shape:?}: {model} instead of {hardware}"
            );
        }
    }
}

/// Without the first 198 cycles of the first launch after reset, in which the hardware still empties its second level,
/// and 961 with a third.
#[test]
fn the_levels_of_vortex_3_take_as_long_as_in_hardware() {
    let with = |l3| TimingConfig {
        l2: Some(CacheConfig::l2()),
        l3,
        ..TimingConfig::of(Generation::V3)
    };
    let hardware = [
        (
            [2, 8, 8],
            with(None),
            [90_666, 13_943, 1_034_694, 26_691, 20_311, 21_737, 129_719],
        ),
        (
            [1, 4, 4],
            with(Some(CacheConfig::l3())),
            [84_079, 17_858, 2_127_184, 78_335, 17_008, 19_151, 155_144],
        ),
    ];
    for (shape, timing, hardware) in hardware {
        // Those with fences take a million cycles and more, which are exact, too.
        let programs = PROGRAMS.into_iter().zip(hardware);
        for ((name, image), hardware) in programs.filter(|((name, _), _)| *name != "fences") {
            assert_eq!(cycles(image, shape, &timing), hardware, "{name} {shape:?}");
        }
    }
}

/// Hardware with the A extension, which it has on request (`VX_CFG_EXT_A_ENABLE`), of one core without further levels.
#[test]
fn atomics_of_vortex_3_take_as_long_as_in_hardware() {
    assert_exact(
        &TimingConfig::of(Generation::V3),
        &[
            ("atomics", ATOMICS, [1, 4, 4], 9_095),
            ("atomics", ATOMICS, [1, 8, 8], 35_165),
        ],
    );
}

/// Of 24 times, the hardware is wrong once at 1x4x4: after two loads, the third one gives what was there before the
/// store before it, in all four lanes, which are two requests.
#[test]
fn what_overtakes_a_store_in_hardware_is_told() {
    let timing = TimingConfig::of(Generation::V3);
    let (_, stats) = run(OVERTAKING, [1, 4, 4], &timing);
    let timing = stats.timing.unwrap();
    assert_eq!(timing.dcache.overtaken, 2);
    let overtaking = timing
        .by_pc
        .iter()
        .filter(|(_, stats)| stats.overtaking > 0);
    let overtaking: Vec<_> = overtaking
        .map(|(pc, stats)| (*pc, stats.overtaking))
        .collect();
    assert_eq!(overtaking, [(0x8000_0120, 2)]);
    assert!(
        timing.to_string().contains("hazards: 2 accesses"),
        "{timing}"
    );
}

/// What hardware can be set to, at its ends: every program ends, and most settings are felt.
#[test]
fn programs_end_whatever_is_set() {
    let mut felt = 0;
    for (generation, program, shape) in [
        (Generation::V2, LOCAL, [2, 4, 16]),
        (Generation::V3, STACKS, [1, 4, 4]),
    ] {
        let usual = TimingConfig::of(generation);
        let usually = cycles(program, shape, &usual);
        for knob in KNOBS {
            for value in knob.extremes() {
                let mut timing = usual.clone();
                timing.set(knob.name, Some(&value)).unwrap();
                felt += usize::from(cycles(program, shape, &timing) != usually);
            }
        }
    }
    assert!(felt > KNOBS.len(), "{felt}");
}
