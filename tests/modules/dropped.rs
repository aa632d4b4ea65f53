//! What is dropped is freed, on devices too, and what could go on for ever makes room.

use vortex::prelude::*;
use vortex::{ImageStats, KernelEntry, Module, registry};

use crate::{distances, module};

#[vortex::global]
static SEEN: [u32; 2048] = [7; 2048];

/// Launched from files only, where [`SEEN`] has another name, and so is not the program's.
#[vortex::kernel]
fn see(out: &mut [u32]) {
    let i = global_id();
    out[i] = SEEN.atomic(i).fetch_add(1, Relaxed);
}

#[vortex::kernel]
fn shifted(#[comptime] by: u32, x: &mut [u32]) {
    let i = global_id();
    x[i] = i as u32 + by;
}

fn launch(module: &Module, device: &Device) {
    let x = device.upload(&[3.0f32]).unwrap();
    let y = device.upload(&[4.0f32]).unwrap();
    let mut out = device.alloc::<f32>(1).unwrap();
    let launch = module.launch("distances").unwrap();
    let launch = launch.args((&x, &y, &mut out)).unwrap();
    launch.over(1).launch(device).unwrap();
    assert_eq!(out.download().unwrap(), [5.0]);
}

/// What became of images on a device: those that are there, that were copied there, and that were freed.
fn images(device: &Device) -> (u64, u64, u64) {
    let ImageStats {
        images,
        loads,
        freed,
        ..
    } = device.image_stats();
    (images, loads, freed)
}

#[test]
fn images_go_with_the_last_handle_of_their_module() {
    let file = module().to_elf();
    let devices = [(); 2].map(|()| Device::builder().open().unwrap());
    for device in &devices {
        let built = Module::builder("built").kernel::<distances>();
        launch(&built.build().unwrap(), device);
    }
    let used = || {
        devices
            .each_ref()
            .map(|device| device.memory_used().unwrap())
    };
    let before = used();
    for count in 1..5 {
        let module = devices[0].module_from_bytes(&file).unwrap();
        let other = module.clone();
        launch(&module, &devices[0]);
        launch(&module, &devices[1]);
        drop(module);
        assert!(used()[0] > before[0] && used()[1] > before[1]);
        launch(&other, &devices[0]);
        assert_eq!(images(&devices[0]), (1, count + 1, count));
        drop(other);
        assert_eq!(used(), before);
    }
    assert_eq!(images(&devices[0]), (0, 5, 5));
    // A device that is gone has nothing to free.
    let module = devices[0].module_from_bytes(&file).unwrap();
    launch(&module, &Device::builder().open().unwrap());
    drop(module);
}

#[test]
fn a_pending_launch_keeps_its_module() {
    let device = Device::builder().open().unwrap();
    let stream = device.stream().unwrap();
    let module = device.module_from_bytes(&module().to_elf()).unwrap();
    let x = device.upload(&[3.0f32; 64]).unwrap();
    let mut out = device.alloc::<f32>(64).unwrap();
    let launch = module.launch("distances").unwrap();
    let launch = launch.args((&x, &x, &mut out)).unwrap().over(64);
    let pending = stream.launch(launch);
    drop(module);
    pending.wait().unwrap();
    assert_eq!(images(&device), (0, 1, 1));
}

#[test]
fn variables_of_files_go_with_their_last_module() {
    let module = Module::builder("seeing").kernel::<see>().build().unwrap();
    let mut file = module.to_elf();
    drop(module);
    let places = (0..file.len()).filter(|at| file[*at..].starts_with(b"SEEN"));
    for at in places.collect::<Vec<_>>() {
        file[at + 3] = b'M';
    }
    let device = Device::builder().open().unwrap();
    let see = |module: &Module| {
        let mut out = device.alloc::<u32>(1).unwrap();
        let launch = module.launch("see").unwrap().args((&mut out,)).unwrap();
        launch.over(1).launch(&device).unwrap();
        out.download().unwrap()[0]
    };
    let read = || device.module_from_bytes(&file).unwrap();
    let first = read();
    // Metadata says which variables the program lacks, and says so anew wherever the file is read.
    let [global] = first.globals() else {
        panic!("one variable: {:?}", first.globals());
    };
    assert!(global.name.ends_with("SEEM") && global.is_global && global.is_extern);
    assert_eq!(see(&first), 7);
    // The same variable, as there are both.
    let second = read();
    assert_eq!(see(&second), 8);
    let with = device.memory_used().unwrap();
    drop(first);
    assert_eq!(see(&second), 9);
    drop(second);
    let without = device.memory_used().unwrap();
    assert!(without + 8192 <= with, "{without} {with}");
    assert_eq!(see(&read()), 7);
    // Whoever can read it has it stay.
    let third = read();
    assert_eq!(see(&third), 7);
    let variable = device.global_named("SEEM").unwrap();
    drop(third);
    assert_eq!(variable.read_bytes().unwrap()[..4], 8u32.to_le_bytes());
    drop(variable);
    assert!(device.global_named("SEEM").is_err());
}

#[test]
fn variables_of_the_program_stay() {
    let device = Device::builder().open().unwrap();
    let mut out = device.alloc::<u32>(1).unwrap();
    for expected in 7..10 {
        let module = Module::builder("seeing").kernel::<see>().build().unwrap();
        assert!(!module.globals()[0].is_extern);
        let module = device.module_from_bytes(&module.to_elf()).unwrap();
        assert!(!module.globals()[0].is_extern);
        let launch = module.launch("see").unwrap().args((&mut out,)).unwrap();
        launch.over(1).launch(&device).unwrap();
        assert_eq!(out.download().unwrap(), [expected]);
    }
    assert_eq!(device.global(&SEEN).read().unwrap()[0], 10);
}

#[test]
fn values_of_comptime_parameters_make_room_for_others() {
    const MOST: u64 = 512;
    const VALUES: u32 = MOST as u32 + 60;
    let device = Device::builder().open().unwrap();
    let mut x = device.alloc::<u32>(1).unwrap();
    let mut used = 0;
    for by in 0..VALUES {
        shifted(by, &mut x).over(1).launch(&device).unwrap();
        // The first one is launched again and again.
        shifted(0, &mut x).over(1).launch(&device).unwrap();
        if u64::from(by) == MOST - 1 {
            used = device.memory_used().unwrap();
        }
    }
    let stats = device.image_stats();
    assert_eq!((stats.images, stats.loads), (MOST, VALUES.into()));
    assert_eq!(stats.evicted, u64::from(VALUES) - MOST);
    assert_eq!(device.memory_used().unwrap(), used);
    let cache = registry().cache();
    assert!(
        cache.images <= MOST && cache.evicted >= u64::from(VALUES) - MOST,
        "{cache:?}"
    );
    let kernels = registry().kernels();
    let there = |name: &str| kernels.iter().any(|kernel| kernel.name() == name);
    assert!(there("shifted<0>") && there(&format!("shifted<{}>", VALUES - 1)));
    assert!(!there("shifted<1>"));
    assert!(KernelEntry::of::<shifted>().cache().evicted > 0);
    // What made room is compiled again.
    shifted(1, &mut x).over(1).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [1]);
}
