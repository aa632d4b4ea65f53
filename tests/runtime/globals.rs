//! Variables of the program in device memory, as the host has them.

use vortex::prelude::*;
use vortex::{Error, MemoryError, Module};

use super::device;

#[vortex::global]
static LOG: [u32; 64] = [0; 64];

#[vortex::global]
static TURN: u32 = 1;

#[vortex::constant]
static FACTOR: u32 = 3;

#[vortex::kernel]
fn turn() {
    let i = global_id();
    if i < 64 {
        LOG[i] = LOG[i] * FACTOR + TURN;
    }
}

/// Uses none of them.
#[vortex::kernel]
fn unrelated(x: &mut [u32]) {
    x[global_id()] += 1;
}

#[vortex::kernel]
fn advance() {
    TURN += 1;
}

fn expected(turns: u32) -> [u32; 64] {
    let mut value = 0u32;
    for turn in 1..=turns {
        value = value.wrapping_mul(3).wrapping_add(turn);
    }
    [value; 64]
}

#[test]
fn streams_keep_the_order_of_what_uses_a_variable() {
    let device = device();
    let streams = [device.stream().unwrap(), device.stream().unwrap()];
    let mut x = device.alloc::<u32>(100).unwrap();
    for n in 0..20 {
        streams[n % 2].launch(turn().over(64)).detach();
        streams[(n + 1) % 2].launch(advance().over(1)).detach();
        streams[n % 2].launch(unrelated(&mut x).over(100)).detach();
    }
    // Waits for all of them.
    assert_eq!(device.global(&LOG).read().unwrap(), expected(20));
    assert_eq!(device.global(&TURN).read().unwrap(), 21);
    streams[0].launch(turn().over(64)).detach();
    device.global(&FACTOR).write(0).unwrap();
    device.global(&TURN).write(5).unwrap();
    streams[1].launch(turn().over(64)).detach();
    turn().over(1).launch(&device).unwrap();
    assert_eq!(device.global(&LOG).read_part(..2).unwrap(), [5, 5]);
    for stream in streams {
        stream.wait().unwrap();
    }
    assert_eq!(x.download().unwrap(), [20; 100]);
}

#[test]
fn variables_are_found_by_name() {
    let device = device();
    let log = device.global_named("LOG").unwrap();
    assert_eq!(log.info().ty, "[u32; 64]");
    assert_eq!(log.info().path(), "runtime::globals::LOG");
    log.write_bytes(&[1; 256]).unwrap();
    turn().over(2).launch(&device).unwrap();
    let log = log.typed::<[u32; 64]>().unwrap().read().unwrap();
    assert_eq!(log[1..3], [0x0303_0304, 0x0101_0101]);
    assert_eq!(device.global(&LOG).read().unwrap(), log);

    let typed = device
        .global_named("runtime::globals::TURN")
        .unwrap()
        .typed::<i32>();
    let error = typed.unwrap_err();
    assert!(
        matches!(error, Error::Memory(MemoryError::GlobalType { .. })),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.starts_with("runtime::globals::TURN at "), "{text}");
    assert!(text.ends_with("is a `u32`, not a `i32`"), "{text}");
    let error = device.global_named("TURNS").unwrap_err();
    assert!(
        matches!(error, Error::Memory(MemoryError::UnknownGlobal { .. })),
        "{error}"
    );
    assert!(
        error.to_string().contains("`runtime::globals::TURN`"),
        "{error}"
    );
    let bytes = device
        .global_named("runtime::globals::TURN")
        .unwrap()
        .write_bytes(&[1; 5]);
    assert!(matches!(
        bytes,
        Err(Error::Memory(MemoryError::LengthMismatch {
            host: 5,
            device: 4,
            at: Some(_),
        }))
    ));
}

mod others {
    #[vortex::constant]
    pub static FACTOR: f32 = 2.0;
}

#[test]
fn a_name_that_fits_two_is_an_error() {
    let device = device();
    let error = device.global_named("FACTOR").unwrap_err();
    assert!(
        matches!(error, Error::Memory(MemoryError::AmbiguousGlobal { .. })),
        "{error}"
    );
    assert_eq!(
        error.to_string().matches("globals.rs:").count(),
        2,
        "{error}"
    );
    let factor = device.global_named("others::FACTOR").unwrap();
    assert_eq!(factor.typed::<f32>().unwrap().read().unwrap(), 2.0);
    assert_eq!(device.global(&others::FACTOR).info().name, "FACTOR");
}

#[test]
fn kernels_by_name_and_in_files_use_the_programs_variables() {
    let device = device();
    device
        .kernel("advance")
        .unwrap()
        .over(1)
        .launch(&device)
        .unwrap();
    assert_eq!(device.global(&TURN).read().unwrap(), 2);

    let builder = Module::builder("globals")
        .kernel::<turn>()
        .kernel::<advance>();
    let module = builder.device(&device).build().unwrap();
    let names: Vec<_> = module
        .globals()
        .iter()
        .map(|global| &*global.name)
        .collect();
    assert_eq!(
        names,
        [
            "runtime::globals::LOG",
            "runtime::globals::FACTOR",
            "runtime::globals::TURN"
        ]
    );
    assert_eq!(module.values().globals_size, Some(256 + 4 + 4));
    let facts = module.kernel("advance").unwrap().facts();
    assert_eq!(
        facts.globals.as_deref(),
        Some(&["runtime::globals::TURN".to_owned()][..])
    );
    assert_eq!(facts.no_indirect_global_access, Some(true));
    let read = Module::from_elf(&module.to_elf()).unwrap();
    assert_eq!(read.info(), module.info());
    let bundled = read.filter(|kernel| kernel.name == "advance");
    assert_eq!(bundled.globals().len(), 1);
    for module in [read, bundled] {
        let launch = module.launch("advance").unwrap();
        launch.over(1).launch(&device).unwrap();
    }
    assert_eq!(device.global(&TURN).read().unwrap(), 4);
}

#[test]
fn memory_is_taken_once() {
    let device = device();
    let launch = || turn().over(64).launch(&device).unwrap();
    launch();
    let used = device.memory_used();
    launch();
    device.global(&LOG).read().unwrap();
    assert_eq!(device.memory_used(), used);
}

#[test]
fn a_file_brings_its_own_variables_where_the_program_has_none() {
    let device = device();
    let builder = Module::builder("elsewhere").kernel::<advance>();
    let mut file = builder.device(&device).build().unwrap().to_elf();
    // As if it had been compiled in a program of another name.
    let name = b"runtime::globals";
    while let Some(at) = file.windows(name.len()).position(|bytes| bytes == name) {
        file[at..at + 7].copy_from_slice(b"another");
    }
    let module = device.module_from_bytes(&file).unwrap();
    let theirs = device.global_named("another::globals::TURN").unwrap();
    let theirs = theirs.typed::<u32>().unwrap();
    assert_eq!(theirs.read().unwrap(), 1);
    for _ in 0..3 {
        let launch = module.launch("advance").unwrap();
        launch.over(1).launch(&device).unwrap();
    }
    assert_eq!(theirs.read().unwrap(), 4);
    assert_eq!(device.global(&TURN).read().unwrap(), 1);
}
