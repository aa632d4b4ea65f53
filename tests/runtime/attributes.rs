//! What compiled kernels take of a device, and the two views of their arguments.

use vortex::codegen::Tuning;
use vortex::meta::{ArgKind, KernelInfo};
use vortex::prelude::*;
use vortex::{
    ArgCounts, ClientVisitor, DeviceVisitor, Generation, KernelEntry, Limit, LocalLen, Module,
    VisitedArg, visit_device,
};

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
        // What is looked at is code for single work items.
        .tuning(Tuning::default().one_by_one())
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
    // Compiled ahead, it is for any number of lanes, so its code is another.
    let of_module = module.attributes("grouped", &device).unwrap();
    assert!(of_module.uses_barrier && of_module.uses_atomics && of_module.has_abort_flag);
    assert_eq!(of_module.static_local_memory, 256);
    assert_eq!(of_module.max_dynamic_local_memory, 4096 - 256);
    assert_eq!(of_module.max_group_size, grouped.max_group_size);
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
    assert_eq!(grouped.occupancy(8, u32::MAX).groups, 0);
}

#[vortex::kernel]
fn with_room(room: &mut Local<[u32]>, x: &mut [u32]) {
    let i = local_id();
    room[i] = x[global_id()];
    barrier();
    x[global_id()] = room[i] + 1;
}

/// What a core has local memory for is decided by what it gives out: 580 bytes are 37 times 16, or 10 lines of 64.
#[test]
fn occupancy_is_that_of_launches() {
    for (generation, expected) in [(Generation::V2, 27), (Generation::V3, 25)] {
        let builder = Device::builder().cores(1).warps(32).threads(4);
        let builder = builder.local_memory(16 << 10).generation(generation);
        let device = builder.open().unwrap();
        let attributes = KernelEntry::of::<with_room>().attributes(&device).unwrap();
        let occupancy = attributes.occupancy(4, 580);
        let mut x = device.upload(&[1; 4 * 64]).unwrap();
        let launch = with_room(LocalLen(145), &mut x).grid(64).block(4);
        let shape = launch.profile(&device).unwrap().launch;
        assert_eq!((occupancy.warps, shape.warps), (expected, expected));
    }
}

#[test]
fn arguments_have_two_views() {
    #[derive(Default)]
    struct Spelled(Vec<String>);

    impl DeviceVisitor for Spelled {
        fn value(&mut self, arg: &VisitedArg<'_>) {
            self.0.push(format!("value of {}", arg.name()));
        }
        fn address(&mut self, arg: &VisitedArg<'_>) {
            self.0.push(format!("address of {}", arg.name()));
        }
        fn length(&mut self, arg: &VisitedArg<'_>) {
            self.0.push(format!("length of {}", arg.name()));
        }
        fn image(&mut self, arg: &VisitedArg<'_>) {
            self.0.push(format!("image {}", arg.name()));
        }
        fn sampler(&mut self, arg: &VisitedArg<'_>) {
            self.0.push(format!("sampler of {}", arg.name()));
        }
        fn unknown(&mut self, arg: &VisitedArg<'_>) {
            self.0.push(format!("unknown {}", arg.name()));
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

/// Notes what it sees as a tracer would: what it is, its number, name, size, and bytes in hexadecimal.
#[derive(Default)]
struct Tracer(Vec<String>);

impl Tracer {
    fn note(&mut self, what: &str, arg: &VisitedArg<'_>) {
        let bytes = match arg.bytes() {
            Some(bytes) if bytes.len() > 8 => format!("{:02x?}..", &bytes[..2]),
            Some(bytes) => format!("{bytes:02x?}"),
            None => "none".to_owned(),
        };
        let (index, name, size) = (arg.index(), arg.name(), arg.size());
        assert!(arg.bytes().is_none_or(|bytes| bytes.len() == size));
        self.0.push(format!(
            "{what} {index} {name} ({}), {size}: {bytes}",
            arg.kind()
        ));
    }
}

impl ClientVisitor for Tracer {
    fn value(&mut self, arg: &VisitedArg<'_>) {
        self.note("value", arg);
    }
    fn by_reference(&mut self, arg: &VisitedArg<'_>) {
        self.note("copy", arg);
    }
    fn pointer(&mut self, arg: &VisitedArg<'_>) {
        self.note("pointer", arg);
    }
    fn slice(&mut self, arg: &VisitedArg<'_>) {
        self.note("slice", arg);
    }
    fn local(&mut self, arg: &VisitedArg<'_>) {
        self.note("local", arg);
    }
}

impl DeviceVisitor for Tracer {
    fn value(&mut self, arg: &VisitedArg<'_>) {
        self.note("value", arg);
    }
    fn address(&mut self, arg: &VisitedArg<'_>) {
        self.note("address", arg);
    }
    fn length(&mut self, arg: &VisitedArg<'_>) {
        self.note("length", arg);
    }
}

/// What either view of something shows.
macro_rules! traced {
    ($launch:expr) => {{
        let (mut client, mut device) = (Tracer::default(), Tracer::default());
        let launch = &$launch;
        launch.visit_client(&mut client);
        launch.visit_device(&mut device);
        (client.0, device.0)
    }};
}

#[test]
fn visitors_of_a_launch_see_what_is_sent() {
    let device = device();
    let mut out = device.alloc::<u16>(4).unwrap();
    let addr = out.as_ptr().addr();
    let [a, b, c, d] = addr.to_le_bytes();
    let address = format!("[{a:02x}, {b:02x}, {c:02x}, {d:02x}");
    let window = super::Window {
        start: 0x0102,
        step: 1,
        backwards: true,
    };
    let (first, second) = (
        super::Palette {
            shades: [0x0a0b; 65],
        },
        super::Palette { shades: [7; 65] },
    );
    let launch = super::paint(window, first, second, &mut out).over(4);
    let (client, received) = traced!(launch);
    assert_eq!(
        client,
        [
            "value 0 window (struct), 16: [02, 01]..".to_owned(),
            "copy 1 palette (by_ref), 130: [0b, 0a]..".to_owned(),
            "copy 2 dark (by_ref), 130: [07, 00]..".to_owned(),
            format!("slice 3 out (slice), 8: {address}, 04, 00, 00, 00]"),
        ]
    );
    assert_eq!(
        received,
        [
            "value 0 window (struct), 16: [02, 01]..".to_owned(),
            "address 1 palette (by_ref), 4: none".to_owned(),
            "address 2 dark (by_ref), 4: none".to_owned(),
            format!("address 3 out (slice), 4: {address}]"),
            "length 4 out (slice), 4: [04, 00, 00, 00]".to_owned(),
        ]
    );
    // Looking changes nothing.
    launch.launch(&device).unwrap();
    assert_eq!(out.download().unwrap(), [7; 4]);

    let mut words = Words::default();
    super::paint(window, first, second, &mut out).visit_device(&mut words);
    assert_eq!(words.0, [("out".to_owned(), addr), ("out".to_owned(), 4)]);
}

/// The numbers that a device receives.
#[derive(Default)]
struct Words(Vec<(String, u32)>);

impl DeviceVisitor for Words {
    fn address(&mut self, arg: &VisitedArg<'_>) {
        self.0
            .extend(arg.word().map(|word| (arg.name().to_owned(), word)));
    }
    fn length(&mut self, arg: &VisitedArg<'_>) {
        self.address(arg);
    }
}

#[test]
fn visitors_of_a_launch_by_name_see_what_it_has_been_given() {
    let device = device();
    let x = device.upload(&[1u32; 8]).unwrap();
    let module = Module::builder("m").kernel::<grouped>().build().unwrap();
    for launch in [device.kernel("grouped"), module.launch("grouped")] {
        let (client, received) = traced!(launch.as_ref().unwrap());
        assert_eq!(
            client,
            [
                "local 0 tile (local_size), 4: none",
                "slice 1 x (slice), 8: none",
                "slice 2 counter (slice), 8: none"
            ]
        );
        assert_eq!(received.len(), 5);
        let launch = launch.unwrap().slice("x", &x).unwrap().local_mem(32);
        let (client, received) = traced!(launch);
        assert_eq!(client[0], "local 0 tile (local_size), 4: [08, 00, 00, 00]");
        assert_eq!(client[2], "slice 2 counter (slice), 8: none");
        assert_eq!(received[2], "length 2 x (slice), 4: [08, 00, 00, 00]");
        assert_eq!(received[3], "address 3 counter (slice), 4: none");
        // What is no whole number of elements is not sent.
        let (client, _) = traced!(launch.local_mem(33));
        assert_eq!(client[0], "local 0 tile (local_size), 4: none");
    }
}
