//! Arguments, ids, printing, and what becomes of failures.

use vortex::prelude::*;

#[vortex::kernel(host)]
fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] += alpha * x[i];
    }
}

#[test]
fn a_kernel_runs_on_the_host() {
    let x: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let mut y = vec![1.0f32; 100];
    let report = saxpy::on_host(2.0, &x, &mut y).over(128).launch().unwrap();
    assert_eq!(report.items(), 128);
    assert_eq!(report.kernel(), "saxpy");
    assert!((0..100).all(|i| y[i] == 1.0 + 2.0 * i as f32));

    let device = Device::open().unwrap();
    let (dx, mut dy) = (
        device.upload(&x).unwrap(),
        device.upload(&[1.0f32; 100]).unwrap(),
    );
    saxpy(2.0, &dx, &mut dy).over(128).launch(&device).unwrap();
    assert_eq!(dy.download().unwrap(), y);
}

/// Parameters of all kinds but slices.
#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Step {
    by: [i32; 2],
    scale: f32,
}

#[vortex::kernel(host)]
fn stepped(
    step: Step,
    mut factor: i32,
    skip: usize,
    on: bool,
    #[comptime] rounds: u32,
    out: &mut [i32],
) {
    let i = global_id();
    factor += step.by[i % 2];
    #[unroll]
    for k in 0..comptime!(rounds) {
        if on && i >= skip {
            out[i] += factor * (step.scale * 2.0) as i32 + k as i32;
        }
    }
}

#[test]
fn values_are_passed() {
    let step = Step {
        by: [1, -2],
        scale: 1.5,
    };
    let mut out = vec![100; 5];
    stepped::on_host(step, 10, 2, true, 3, &mut out)
        .over_each()
        .launch()
        .unwrap();
    let device = Device::open().unwrap();
    let mut on_device = device.upload(&[100; 5]).unwrap();
    stepped(step, 10, 2, true, 3, &mut on_device)
        .over_each()
        .launch(&device)
        .unwrap();
    assert_eq!(out, on_device.download().unwrap());
    assert_eq!(out[..4], [100, 100, 202, 175]);
}

#[vortex::kernel(host)]
fn scaled<T: Num, const N: usize>(by: T, x: &[[T; N]], out: &mut [T]) {
    let i = global_id();
    let mut sum = by;
    for k in 0..N {
        sum += x[i][k] * by;
    }
    out[i] = sum;
}

#[test]
fn kernels_may_be_generic() {
    let mut out = [0.0f32; 2];
    scaled::on_host(2.0, &[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &mut out)
        .over(2)
        .launch()
        .unwrap();
    assert_eq!(out, [14.0, 32.0]);
    let mut out = [0u32];
    scaled::<u32, 1>::on_host(3, &[[7]], &mut out)
        .over(1)
        .launch()
        .unwrap();
    assert_eq!(out, [24]);
}

#[vortex::kernel(host)]
fn everywhere(out: &mut [[u32; 4]]) {
    let (x, y, z) = global_id_3d();
    let (width, height, _) = global_size_3d();
    out[(z * height + y) * width + x] = [x as u32, y as u32, z as u32, global_id() as u32];
}

#[test]
fn items_know_where_they_are() {
    let mut out = vec![[9; 4]; 24];
    everywhere::on_host(&mut out)
        .over((4, 3, 2))
        .launch()
        .unwrap();
    let expected = |i: u32| [i % 4, i / 4 % 3, i / 12, i];
    assert!((0..24).all(|i| out[i as usize] == expected(i)), "{out:?}");
}

#[vortex::device(host)]
fn doubled(x: u32) -> u32 {
    x.wrapping_mul(2) + global_id() as u32
}

#[vortex::kernel(host)]
fn calls(out: &mut [u32]) {
    let i = global_id();
    let twice = |x: u32| doubled(doubled(x));
    out[i] = twice(out[i]);
}

#[test]
fn functions_of_both_sides_are_called_and_know_the_item() {
    let mut out = [5, 6, 7];
    calls::on_host(&mut out).over(3).launch().unwrap();
    assert_eq!(out, [20, 27, 34]);
    let panic = std::panic::catch_unwind(|| doubled(1)).unwrap_err();
    assert_eq!(
        panic.downcast_ref::<String>().unwrap(),
        "only a work item can call `global_id`"
    );
}

#[vortex::kernel(host)]
fn prints(x: &[f32]) {
    let i = global_id();
    if i != 1 {
        println!("{i:>3}: {:.2} of {}", x[i], global_size());
    }
    print!("-");
}

#[test]
fn what_is_printed_comes_in_the_order_of_items() {
    let x = [0.5, 1.5, 2.5];
    let report = prints::on_host(&x).over(3).launch().unwrap();
    let device = Device::open().unwrap();
    let dx = device.upload(&x).unwrap();
    assert_eq!(
        report.printed(),
        prints(&dx).over(3).launch(&device).unwrap().printed()
    );
    assert_eq!(report.printed(), "  0: 0.50 of 3\n--  2: 2.50 of 3\n-");
}

/// Functions of its own do what only a work item can, too.
#[vortex::kernel(host)]
fn helped(x: &[Vec3<f32>], sides: &mut [u32], out: &mut [f32]) {
    fn place() -> usize {
        global_id()
    }

    fn turned(v: Vec3<f32>, #[comptime] by: f32) -> f32 {
        let w = v.zyx();
        println!("{} of {}", w.x, place());
        w.x * by
    }

    let i = place();
    out[i] = turned(x[i], 2.0);
    sides[i] = if cfg!(host) { 1 } else { 2 };
    assert!(cfg!(host) != cfg!(not(host)), "{}", cfg!(host));
}

#[test]
fn functions_in_a_kernel_are_those_of_a_work_item() {
    let x = [vec3(1.0, 2.0, 3.5), vec3(-1.0, 0.0, 4.25)];
    let (mut sides, mut out) = ([0; 2], [0.0; 2]);
    let report = helped::on_host(&x, &mut sides, &mut out)
        .over_each()
        .launch()
        .unwrap();
    let device = Device::open().unwrap();
    let dx = device.upload(&x).unwrap();
    let mut dsides = device.alloc(2).unwrap();
    let mut dout = device.alloc(2).unwrap();
    let on_device = helped(&dx, &mut dsides, &mut dout)
        .over_each()
        .launch(&device)
        .unwrap();
    assert_eq!(report.printed(), "3.5 of 0\n4.25 of 1\n");
    assert_eq!(report.printed(), on_device.printed());
    assert_eq!(out, [7.0, 8.5]);
    assert_eq!(dout.download().unwrap(), out);
    assert_eq!(sides, [1; 2]);
    assert_eq!(dsides.download().unwrap(), [2; 2]);
}

#[vortex::kernel(host)]
fn fails(how: u32, x: &[i32], out: &mut [i32]) {
    let (i, zero) = (global_id(), x[0]);
    if i < 2 {
        out[i] = 1;
        return;
    }
    match how {
        0 => out[i] = x[i + 5],
        1 => out[i] = 7 / zero,
        2 => out[i] = 7 % zero,
        3 => panic!("item {i} has had {}", x[1]),
        4 => assert!(x[1] > 3, "{} is small", x[1]),
        5 => assert_eq!(x[1], 3),
        6 => out[i] = x.get(i + 5).copied().unwrap(),
        7 => out[i + 9] = 2,
        8 => out[i] = x[1..i + 4][0],
        9 => assert!(x[1] > 3),
        10 => out[i] = x[..i + 4][0],
        11 => out[i] = x[..=i + 1][0],
        12 => out[i] = x[i..1].len() as i32,
        13 => out[i] = x[i + 2..].len() as i32,
        14 => out[i..].copy_from_slice(x),
        15 => out[i] = x.chunks(zero as usize).count() as i32,
        16 => out[i] = x.chunks_exact(zero as usize).count() as i32,
        17 => out[i] = x.windows(zero as usize).count() as i32,
        18 => out.chunks_mut(zero as usize).for_each(|part| part[0] = 3),
        19 => out[i] = x.split_at(i + 2).0[0],
        _ => out[i] = 4,
    }
}

#[test]
fn failures_are_those_of_the_device() {
    let device = Device::open().unwrap();
    let x = [0, 2, 4];
    for how in 0..20 {
        let mut out = [0; 4];
        let error = fails::on_host(how, &x, &mut out)
            .over(4)
            .launch()
            .unwrap_err();
        assert_eq!(out[..2], [1, 1], "the others go on");
        let dx = device.upload(&x).unwrap();
        let mut dout = device.alloc(4).unwrap();
        let expected = fails(how, &dx, &mut dout)
            .over(4)
            .launch(&device)
            .unwrap_err();
        let (vortex::Error::Fault(fault), vortex::Error::Fault(of_device)) = (&error, &expected)
        else {
            panic!("{error}\n{expected}");
        };
        assert_eq!(fault.item, 2);
        assert_eq!(fault.kind, of_device.kind, "{how}: {error}\n{expected}");
        assert_eq!(
            fault.at.line, of_device.at.line,
            "{how}: {error}\n{expected}"
        );
        let [ours, theirs] = [&error, &expected].map(|error| error.to_string());
        match how {
            // Rust says of a part where its bracket is, and of a method where its name is.
            8 | 10..=18 => {
                let what = |text: &str| text.split(", at ").next().map(str::to_owned);
                assert_eq!(what(&ours), what(&theirs));
            }
            // Rust does not say which numbers it is about.
            19 => assert!(
                ours.contains(": a slice is split beyond its end, at "),
                "{ours}"
            ),
            _ => assert_eq!(ours, theirs),
        }
    }
    let mut out = [0; 4];
    fails::on_host(99, &x, &mut out).over(4).launch().unwrap();
}

/// Parts that are wrong in two ways, or have their end after it.
#[vortex::kernel(host)]
fn takes_parts(how: u32, x: &[u32], out: &mut [u32]) {
    let (nine, ten, three) = (x[0] as usize, x[1] as usize, x[2] as usize);
    out[0] = match how {
        0 => x[nine..ten].len() as u32,
        1 => x[nine..three].len() as u32,
        _ => x[2..=nine].len() as u32,
    };
}

#[test]
fn of_parts_that_are_wrong_in_two_ways_another_end_may_be_named_first() {
    let device = Device::open().unwrap();
    let x = [9, 10, 3, 0, 0, 0, 0, 0];
    let begins = "a range of elements begins at 9, of a slice of 8 elements";
    let ends = [
        (
            begins,
            "a range of elements ends at 10, of a slice of 8 elements",
        ),
        (
            begins,
            "a range of elements begins at 9, and ends before that, at 3",
        ),
        (
            "a range of elements ends at 9, of a slice of 8 elements",
            "a range of elements ends at 10, of a slice of 8 elements",
        ),
    ];
    for (how, (here, there)) in (0..).zip(ends) {
        let host = takes_parts::on_host(how, &x, &mut [0]).over(1).launch();
        let text = host.unwrap_err().to_string();
        assert!(text.contains(&format!(": {here}, at ")), "{how}: {text}");
        let (dx, mut dout) = (device.upload(&x).unwrap(), device.alloc(1).unwrap());
        let launched = takes_parts(how, &dx, &mut dout).over(1).launch(&device);
        let text = launched.unwrap_err().to_string();
        assert!(text.contains(&format!(": {there}, at ")), "{how}: {text}");
    }
}

#[vortex::kernel(host)]
fn through_pointers(p: *const u32, q: *mut u32) {
    let i = global_id();
    // SAFETY: there are as many as work items.
    unsafe { *q.add(i) = *p.add(i) + 1 };
}

#[test]
fn pointers_are_of_the_host() {
    let (x, mut y) = ([3u32, 4], [0u32; 2]);
    // SAFETY: as many elements as items.
    let launch = unsafe { through_pointers::on_host(x.as_ptr(), y.as_mut_ptr()) };
    launch.over(2).launch().unwrap();
    assert_eq!(y, [4, 5]);
}

#[vortex::kernel(host, block = 4)]
fn in_blocks(out: &mut [u32]) {
    out[global_id()] = local_id() as u32;
}

#[test]
fn sizes_are_checked() {
    let mut out = [0; 8];
    in_blocks::on_host(&mut out).over(8).launch().unwrap();
    assert_eq!(out, [0, 1, 2, 3, 0, 1, 2, 3]);
    let error = in_blocks::on_host(&mut out).over(7).launch().unwrap_err();
    assert!(
        matches!(
            error,
            vortex::Error::Refused {
                cause: vortex::LaunchError::PartialGroups { .. },
                ..
            }
        ),
        "{error}"
    );
    let error = in_blocks::on_host(&mut out).launch().unwrap_err();
    assert!(
        matches!(
            error,
            vortex::Error::Refused {
                cause: vortex::LaunchError::NoShape,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(
        in_blocks::on_host(&mut out)
            .over(0)
            .launch()
            .unwrap()
            .items(),
        0
    );
}

#[vortex::kernel(host)]
fn moved(by: Vec3<f32>, points: &mut [Vec3<f32>]) {
    let i = global_id();
    points[i] += by.zyx() * 2.0;
    points[i] *= by;
}

#[test]
fn vectors_change_in_place() {
    let mut points = [vec3(1.0, 2.0, 3.0)];
    moved::on_host(vec3(1.0, 2.0, 0.5), &mut points)
        .over_each()
        .launch()
        .unwrap();
    assert_eq!(points, [vec3(2.0, 12.0, 2.5)]);
}

static SEEN: std::sync::Mutex<Vec<(usize, u32)>> = std::sync::Mutex::new(Vec::new());

#[vortex::device(host)]
fn collatz(mut n: u32) -> u32 {
    let mut steps = 0;
    while n != 1 {
        n = if n.is_multiple_of(2) {
            n / 2
        } else {
            3 * n + 1
        };
        steps += 1;
        #[cfg(host)]
        if n == 2 {
            SEEN.lock().unwrap().push((global_id(), steps));
        }
    }
    #[cfg(not(host))]
    {
        steps += 1000;
    }
    steps
}

#[vortex::kernel(host)]
fn paths(x: &mut [u32]) {
    let i = global_id();
    #[cfg(not(host))]
    let add = 5;
    #[cfg(host)]
    let add = format!("{:?}", x).len() as u32;
    x[i] = collatz(x[i]) + add;
}

#[test]
fn each_side_has_statements_of_its_own() {
    let mut x = vec![3, 6];
    paths::on_host(&mut x).over(2).launch().unwrap();
    assert_eq!(x, [7 + 6, 8 + 7]);
    assert_eq!(*SEEN.lock().unwrap(), [(0, 6), (1, 7)]);
    let device = Device::open().unwrap();
    let mut x = device.upload(&[3, 6]).unwrap();
    paths(&mut x).over(2).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [1012, 1013]);
}

#[vortex::kernel(host)]
fn ends(x: &mut [u32]) {
    #[cfg(host)]
    struct Seen(u32);
    #[cfg(host)]
    impl Seen {
        fn doubled(&self) -> u32 {
            2 * self.0
        }
    }
    let i = global_id();
    #[cfg(host)]
    (x[i] = Seen(x[i]).doubled());
    if i % 2 == 0 {
        #[cfg(host)]
        return;
    }
    if i % 2 == 1 {
        #[cfg(not(host))]
        return;
    }
    x[i] += 100;
}

#[test]
fn a_side_may_end_where_the_other_goes_on() {
    let before = [1, 2, 3, 4];
    let mut x = before;
    ends::on_host(&mut x).over(4).launch().unwrap();
    assert_eq!(x, [2, 104, 6, 108]);
    let device = Device::open().unwrap();
    let mut x = device.upload(&before).unwrap();
    ends(&mut x).over(4).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [101, 2, 103, 4]);
}

#[vortex::kernel(host)]
fn sides(x: &mut [u32]) {
    #[cfg(host)]
    fn of_this(x: u32) -> u32 {
        x.to_string().len() as u32
    }
    #[cfg(not(host))]
    #[vortex::device]
    fn of_this(x: u32) -> u32 {
        x + 100
    }
    #[cfg(any(host, not(debug_assertions)))]
    const MORE: u32 = 1;
    #[cfg(not(any(host, not(debug_assertions))))]
    const MORE: u32 = 2;
    let i = global_id();
    x[i] = of_this(x[i]) + MORE * 1000;
    if cfg!(all(host, debug_assertions)) {
        x[i] += 10_000;
    }
    if cfg!(any(host, not(debug_assertions))) {
        x[i] += 20_000;
    }
    #[cfg(all(not(host), debug_assertions))]
    {
        x[i] += 40_000;
    }
    #[cfg(all(host, any()))]
    std::process::exit(1);
}

#[test]
fn a_side_may_be_a_part_of_a_condition() {
    let debug = u32::from(cfg!(debug_assertions));
    let mut x = vec![3, 42];
    sides::on_host(&mut x).over(2).launch().unwrap();
    let added = 1000 + 20_000 + debug * 10_000;
    assert_eq!(x, [1 + added, 2 + added]);
    let device = Device::open().unwrap();
    let mut x = device.upload(&[3, 42]).unwrap();
    sides(&mut x).over(2).launch(&device).unwrap();
    let added = 100 + (1 + debug) * 1000 + (1 - debug) * 20_000 + debug * 40_000;
    assert_eq!(x.download().unwrap(), [3 + added, 42 + added]);
}
