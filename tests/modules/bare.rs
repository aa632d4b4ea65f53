//! Images that are started with their arguments and nothing else.

use crate::said::said;
use vortex::prelude::*;
use vortex::{Error, LaunchError, Module, ModuleBuilder};

/// Who ran as which item, and of how many.
#[vortex::kernel]
fn who(ids: &mut [u32], count: &mut [u32]) {
    let i = global_id();
    ids[i] += i as u32 + 1;
    count[0] = global_size() as u32;
}

#[vortex::kernel]
fn coordinates(out: &mut [u32]) {
    let (x, y, z) = global_id_3d();
    let (w, h, _) = global_size_3d();
    out[(z * h + y) * w + x] += (x + 100 * y + 10_000 * z) as u32;
}

/// The sum over each group, through local memory.
#[vortex::kernel(block = (4, 3))]
fn sums(x: &[u32], out: &mut [u32]) {
    let tile = local::<[u32; 12]>();
    let (column, row) = local_id_2d();
    let n = row * 4 + column;
    let (column, row) = global_id_2d();
    tile[n] = x[row * global_size_2d().0 + column];
    barrier();
    if n == 0 {
        let mut sum = 0;
        for k in 0..12 {
            sum += tile[k];
        }
        let (column, row) = group_id_2d();
        out[row * group_count_2d().0 + column] += sum;
    }
}

#[vortex::kernel(block = 2, grid = 5)]
fn stated(out: &mut [u32]) {
    out[global_id()] += local_size() as u32;
}

#[vortex::kernel]
fn beyond(x: &mut [u32]) {
    x[2 * global_id()] = 7;
}

#[vortex::kernel]
fn groups_of(out: &mut [u32]) {
    if local_id() == 0 {
        out[group_id()] = local_size() as u32;
    }
}

#[vortex::kernel]
fn talks(x: &[u32]) {
    println!("{}", x[0]);
}

#[vortex::kernel]
fn swaps(x: &mut [u32]) {
    _ = x.atomic(0).compare_exchange(0, 1, Relaxed, Relaxed);
}

#[vortex::kernel]
fn neighbours(x: &mut [u32]) {
    let i = global_id();
    x[i] = warp::shuffle(x[i], 0);
}

#[vortex::kernel]
fn sized(tile: &mut Local<[u32]>, out: &mut [u32]) {
    tile[local_id()] = 1;
    out[global_id()] = tile[0];
}

#[vortex::global]
static TOTAL: [u32; 1] = [0];

#[vortex::kernel]
fn adds_up(x: &[u32]) {
    TOTAL.atomic(0).fetch_add(x[global_id()], Relaxed);
}

fn of<K: vortex::Kernel>() -> ModuleBuilder {
    Module::builder("bare").kernel::<K>()
}

fn devices() -> [Device; 3] {
    [(1, 4, 4), (3, 2, 8), (4, 16, 32)].map(|(cores, warps, threads)| {
        let builder = Device::builder().cores(cores).warps(warps);
        builder.threads(threads).open().unwrap()
    })
}

fn hardware_threads(device: &Device) -> usize {
    device.caps().harts() as usize
}

#[test]
fn each_hardware_thread_runs_one_item() {
    // One image for all devices.
    let module = of::<who>().bare().build().unwrap();
    let facts = module.kernels()[0].facts();
    assert_eq!((facts.launch_header, facts.known_size), (Some(false), None));
    for device in devices() {
        let n = hardware_threads(&device);
        let mut ids = device.alloc::<u32>(n).unwrap();
        let mut count = device.alloc::<u32>(1).unwrap();
        let launch = module.launch("who").unwrap();
        let launch = launch.args((&mut ids, &mut count)).unwrap();
        launch.over(n).launch(&device).unwrap();
        let expected: Vec<_> = (1..=n as u32).collect();
        assert_eq!(ids.download().unwrap(), expected);
        assert_eq!(count.download().unwrap(), [n as u32]);
    }
}

#[test]
fn another_number_of_items_is_refused() {
    let device = Device::builder().cores(1).warps(4).threads(4);
    let device = device.open().unwrap();
    let module = of::<who>().bare().build().unwrap();
    let mut ids = device.alloc::<u32>(100).unwrap();
    let mut count = device.alloc::<u32>(1).unwrap();
    let launch = module.launch("who").unwrap();
    let launch = launch.args((&mut ids, &mut count)).unwrap();
    let error = launch.over(100).launch(&device).unwrap_err();
    assert_eq!(
        said(&error),
        "kernel who is a bare image, which runs 16 work items on this device each time, but the launch asks for \
         100 work items; compile the module without `.bare()` for launches of any size"
    );
}

#[test]
fn sizes_that_are_known_take_any_number_of_turns() {
    let sizes = [[1000, 1, 1], [7, 5, 3], [1, 1, 1], [33, 2, 1], [3, 70, 2]];
    for device in devices() {
        for [w, h, d] in sizes {
            let module = of::<coordinates>().bare_over((w, h, d)).build().unwrap();
            let mut out = device.alloc::<u32>(w * h * d).unwrap();
            let launch = module.launch("coordinates").unwrap();
            let launch = launch.args((&mut out,)).unwrap();
            launch.over((w, h, d)).launch(&device).unwrap();
            let expected: Vec<_> = (0..w * h * d)
                .map(|n| (n % w + 100 * (n / w % h) + 10_000 * (n / w / h)) as u32)
                .collect();
            assert_eq!(out.download().unwrap(), expected, "{w} x {h} x {d}");
        }
    }
}

/// Sums of the blocks of 4 x 3 of a matrix.
fn sums_on_host(x: &[u32], width: usize) -> Vec<u32> {
    let across = width / 4;
    let mut sums = vec![0; x.len() / 12];
    for (n, value) in x.iter().enumerate() {
        sums[n / width / 3 * across + n % width / 4] += value;
    }
    sums
}

#[test]
fn groups_share_local_memory_and_wait_for_each_other() {
    for device in devices() {
        let threads = hardware_threads(&device);
        let bare = || of::<sums>().device(&device);
        let sizes = [(4 * threads, 3), (4, 3), (40, 30), (12, 99)];
        let modules = [bare().bare().build().unwrap()].into_iter().chain(
            sizes[1..]
                .iter()
                .map(|&size| bare().bare_over(size).build().unwrap()),
        );
        for (module, (w, h)) in modules.zip(sizes) {
            let x: Vec<u32> = (0..(w * h) as u32).map(|n| n * n % 1009).collect();
            let on_device = device.upload(&x).unwrap();
            let mut out = device.alloc::<u32>(w * h / 12).unwrap();
            let launch = module.launch("sums").unwrap();
            let launch = launch.args((&on_device, &mut out)).unwrap();
            launch.over((w, h)).launch(&device).unwrap();
            assert_eq!(out.download().unwrap(), sums_on_host(&x, w), "{w} x {h}");
        }
    }
}

#[test]
fn local_memory_limits_how_many_groups_run_at_a_time() {
    // Two groups fit the local memory of a core, and three its warps.
    let device = Device::builder().cores(2).warps(9).threads(4);
    let device = device.local_memory(128).open().unwrap();
    let module = of::<sums>().device(&device).bare_over((40, 30));
    let module = module.build().unwrap();
    let x = vec![1_u32; 1200];
    let on_device = device.upload(&x).unwrap();
    let mut out = device.alloc::<u32>(100).unwrap();
    let launch = module.launch("sums").unwrap();
    let launch = launch.args((&on_device, &mut out)).unwrap();
    launch.over((40, 30)).launch(&device).unwrap();
    assert_eq!(out.download().unwrap(), [12; 100]);
}

#[test]
fn a_stated_grid_is_the_size() {
    let module = of::<stated>().bare().build().unwrap();
    assert_eq!(module.kernels()[0].facts().known_size, Some([10, 1, 1]));
    let device = Device::open().unwrap();
    let mut out = device.alloc::<u32>(10).unwrap();
    let launch = module.launch("stated").unwrap().args((&mut out,)).unwrap();
    launch.launch(&device).unwrap();
    assert_eq!(out.download().unwrap(), [2; 10]);
}

#[test]
fn groups_have_one_item_or_as_many_as_a_core_runs() {
    let device = Device::builder().cores(2).warps(4).threads(4);
    let device = device.open().unwrap();
    for (builder, items) in [(of::<groups_of>(), 1), (of::<groups_of>().single(), 16)] {
        let module = builder.device(&device).bare().build().unwrap();
        let mut out = device.alloc::<u32>(32).unwrap();
        let launch = module.launch("groups_of").unwrap();
        let launch = launch.args((&mut out,)).unwrap();
        launch.over(32 * items).launch(&device).unwrap();
        assert_eq!(out.download().unwrap(), [items as u32; 32]);
    }
}

#[test]
fn items_that_fail_end_and_say_nothing() {
    let device = Device::open().unwrap();
    let module = of::<beyond>().bare_over(10).build().unwrap();
    assert_eq!(module.kernels()[0].facts().fault_sites, Some(0));
    let mut x = device.alloc::<u32>(10).unwrap();
    let launch = module.launch("beyond").unwrap().args((&mut x,)).unwrap();
    launch.over(10).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [7, 0, 7, 0, 7, 0, 7, 0, 7, 0]);
}

#[test]
fn files_say_that_they_are_bare() {
    let device = Device::open().unwrap();
    let module = of::<who>().bare_over(20).build().unwrap();
    let options = module.info().values.options.clone();
    assert_eq!(options, Some(vec!["bare=20,1,1".to_owned()]));
    let read = Module::from_elf(&module.to_elf()).unwrap();
    let mut ids = device.alloc::<u32>(20).unwrap();
    let mut count = device.alloc::<u32>(1).unwrap();
    let launch = read.launch("who").unwrap();
    let launch = launch.args((&mut ids, &mut count)).unwrap();
    let error = launch.over(21).launch(&device).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Refused {
                cause: LaunchError::BareSize { .. },
                ..
            }
        ),
        "{error}"
    );
    let launch = read.launch("who").unwrap();
    let launch = launch.args((&mut ids, &mut count)).unwrap();
    launch.over(20).launch(&device).unwrap();
    assert_eq!(count.download().unwrap(), [20]);
}

/// What building a module says.
fn refusal(builder: ModuleBuilder) -> String {
    let text = builder.build().unwrap_err().to_string();
    // Without the places in this file, which are shown.
    match text.split_once(" (at ") {
        Some((text, place)) => {
            assert!(place.starts_with("tests/modules/bare.rs:"), "{place}");
            assert!(place.contains("^"), "{place}");
            text.to_owned()
        }
        None => text,
    }
}

#[test]
fn what_needs_the_launch_is_refused() {
    let needs = |kernel: &str, why: &str| {
        format!(
            "kernel {kernel}: the kernel cannot become a bare image, which is started with its arguments and nothing else: {why}"
        )
    };
    let memory = "it has an operation that lanes make with the help of memory that a launch gives them: an atomic one \
                  without an instruction (compare-exchange, addition of floats), or a shuffle on a device without shuffles";
    let released = Device::builder().released().open().unwrap();
    let small = Device::builder().cores(1).warps(2).threads(4);
    let small = small.local_memory(32).open().unwrap();
    for (builder, expected) in [
        (of::<talks>().bare(), needs("talks", "it prints, and there is nobody to tell it where to")),
        (of::<swaps>().bare(), needs("swaps", memory)),
        (of::<neighbours>().device(&released).bare(), needs("neighbours", memory)),
        (of::<sized>().bare(), needs("sized", "the launch says how long its local memory is")),
        (
            of::<adds_up>().bare(),
            needs("adds_up", "it uses a variable of the program, whose address the launch says"),
        ),
        (
            of::<sums>().bare(),
            needs(
                "sums",
                "how many groups the local memory of a core has room for is to be known: add `.device(&device)`",
            ),
        ),
        (
            of::<sums>().device(&small).bare(),
            "kernel sums: a group of 4 x 3 x 1 work items does not fit a core of this device, which runs 8 at a time: \
             make groups smaller, and as many more, such as \
             `.grid((width.div_ceil(2), height.div_ceil(3))).block((2, 3))`; local memory that the kernel has for \
             groups of that size changes with it"
                .to_owned(),
        ),
        (
            of::<sums>().bare_over((40, 31)),
            "kernel sums: no launch can be as the kernel is to be compiled for: its work items are not whole groups"
                .to_owned(),
        ),
        (
            of::<who>().bare_over(0),
            "kernel who: no launch can be as the kernel is to be compiled for: it has no work items".to_owned(),
        ),
        (
            of::<who>().bare_over((1 << 16, 1 << 16)),
            "kernel who: no launch can be as the kernel is to be compiled for: it has more than 2^31 work items"
                .to_owned(),
        ),
    ] {
        assert_eq!(refusal(builder), expected);
    }
    of::<neighbours>().bare().build().unwrap();
}
