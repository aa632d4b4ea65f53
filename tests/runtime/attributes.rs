//! What compiled kernels take of a device, and the two views of their arguments.

use vortex::meta::{ArgInfo, ArgKind, KernelInfo};
use vortex::prelude::*;
use vortex::{ArgCounts, DeviceVisitor, KernelEntry, Limit, Module, visit_device};

#[vortex::kernel]
fn plain(by: f32, x: *mut f32) {
    // SAFETY: the host passes a pointer to as many elements as there are work items.
    unsafe { *x.add(global_id()) *= by };
}

#[vortex::kernel(block = 8)]
fn grouped(tile: &mut Local<[u32]>, x: &[u32], counter: &mut [u32]) {
    let own = local::<[u32; 64]>();
    own[local_id()] = x[global_id()];
    barrier();
    tile[local_id()] = own[7 - local_id()];
    counter.atomic(0).fetch_add(tile[local_id()], Relaxed);
}

fn device() -> Device {
    Device::builder()
        .cores(1)
        .warps(8)
        .threads(4)
        .local_memory(4096)
        .open()
        .unwrap()
}

#[test]
fn attributes_are_those_of_the_code() {
    let device = device();
    let plain = KernelEntry::of::<plain>().attributes(&device).unwrap();
    assert!(plain.registers > 4 && plain.registers < 32);
    assert_eq!(plain.float_registers, 2);
    assert_eq!((plain.stack_per_item, plain.constant_bytes), (0, 0));
    assert_eq!(plain.max_group_size, 32);
    assert!(!plain.uses_barrier && !plain.uses_atomics && !plain.has_abort_flag);
    assert!(plain.no_indirect_global_access);

    let grouped = KernelEntry::of::<grouped>().attributes(&device).unwrap();
    assert!(grouped.uses_barrier && grouped.uses_atomics && grouped.has_abort_flag);
    assert_eq!(grouped.static_local_memory, 256);
    assert_eq!(grouped.max_dynamic_local_memory, 4096 - 256);
    assert_eq!(grouped.max_group_size, 8);
    assert!(grouped.code_size > plain.code_size);

    let module = Module::builder("m").kernel::<grouped>().device(&device);
    let module = module.build().unwrap();
    assert_eq!(module.attributes("grouped", &device).unwrap(), grouped);
    assert!(module.attributes("other", &device).is_err());
}

#[test]
fn occupancy_is_limited_by_warps_or_memory() {
    let device = device();
    let grouped = KernelEntry::of::<grouped>().attributes(&device).unwrap();
    let by_warps = grouped.occupancy(8, 0);
    assert_eq!((by_warps.groups, by_warps.warps_per_group), (4, 2));
    assert_eq!((by_warps.warps, by_warps.of), (8, 8));
    assert_eq!(by_warps.limit, Limit::Warps);
    let by_memory = grouped.occupancy(8, 1024);
    assert_eq!((by_memory.groups, by_memory.limit), (3, Limit::LocalMemory));
    assert_eq!(
        by_memory.to_string(),
        "3 groups of 2 warps on a core, 6 of its 8 warps, limited by local memory"
    );
    assert_eq!(grouped.occupancy((33, 1), 0).groups, 0);
    assert_eq!(grouped.occupancy(usize::MAX, 0).groups, 0);
    assert_eq!(grouped.occupancy(8, 1 << 20).groups, 0);
}

#[test]
fn arguments_have_two_views() {
    #[derive(Default)]
    struct Spelled(Vec<String>);

    impl DeviceVisitor for Spelled {
        fn value(&mut self, arg: &ArgInfo) {
            self.0.push(format!("value of {}", arg.name));
        }
        fn address(&mut self, arg: &ArgInfo) {
            self.0.push(format!("address of {}", arg.name));
        }
        fn length(&mut self, arg: &ArgInfo) {
            self.0.push(format!("length of {}", arg.name));
        }
        fn image(&mut self, arg: &ArgInfo) {
            self.0.push(format!("image {}", arg.name));
        }
        fn sampler(&mut self, arg: &ArgInfo) {
            self.0.push(format!("sampler of {}", arg.name));
        }
        fn unknown(&mut self, arg: &ArgInfo) {
            self.0.push(format!("unknown {}", arg.name));
        }
    }

    let mut args = KernelInfo::from(&grouped::META).args;
    args.extend(KernelInfo::from(&plain::META).args);
    let mut spelled = Spelled::default();
    visit_device(&args, &mut spelled);
    assert_eq!(
        spelled.0,
        [
            "length of tile",
            "address of x",
            "length of x",
            "address of counter",
            "length of counter",
            "value of by",
            "address of x",
        ]
    );
    let counts = ArgCounts::of(&args);
    assert_eq!((counts.client, counts.device), (5, 7));
    assert!(!counts.by_reference);

    // What is large goes by reference: one argument on either side, of which the device receives an address.
    let mut of_values = KernelInfo::from(&super::paint::META).args;
    let mut spelled = Spelled::default();
    visit_device(&of_values, &mut spelled);
    assert_eq!(
        spelled.0,
        [
            "value of window",
            "address of palette",
            "address of dark",
            "address of out",
            "length of out",
        ]
    );
    let counts = ArgCounts::of(&of_values);
    assert_eq!((counts.client, counts.device), (4, 5));
    assert!(counts.by_reference);
    // Nobody can look into what is opaque.
    of_values[0].kind = ArgKind::Opaque;
    assert_eq!(ArgCounts::of(&of_values), counts);

    // Kinds that no kernel of this language has, as tools may find them in files.
    args[0].kind = ArgKind::Image;
    args[1].kind = ArgKind::ByRef;
    args[2].kind = ArgKind::Unknown;
    let mut spelled = Spelled::default();
    visit_device(&args[..3], &mut spelled);
    assert_eq!(
        spelled.0,
        [
            "image tile",
            "sampler of tile",
            "address of x",
            "unknown counter"
        ]
    );
    let counts = ArgCounts::of(&args[..3]);
    assert_eq!(
        (counts.client, counts.device, counts.by_reference),
        (3, 4, true)
    );
}
