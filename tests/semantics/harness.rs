//! Devices, inputs and comparison.

use std::fmt::Debug;
use std::sync::LazyLock;

use vortex::codegen::Tuning;
use vortex::meta::Element;
use vortex::prelude::*;
use vortex::sim::Checks;
use vortex::{Error, Fault, Generation, Report};

/// Cores, warps, threads, and whether there is Zicond. The first six are of Vortex 2, the others of Vortex 3.
pub(crate) const SHAPES: [(u32, u32, u32, bool); 8] = [
    (1, 1, 1, true),
    (1, 4, 4, true),
    (2, 4, 8, true),
    (4, 8, 32, true),
    (1, 2, 16, false),
    (3, 2, 4, false),
    (2, 4, 8, true),
    (1, 2, 16, false),
];

/// A device of each shape.
pub(crate) static DEVICES: LazyLock<Vec<Device>> = LazyLock::new(|| {
    let generations = (0..).map(|n| match n {
        0..6 => Generation::V2,
        _ => Generation::V3,
    });
    let open = |(&(cores, warps, threads, zicond), generation)| {
        let mut tuning = Tuning::of(generation);
        tuning.split_barriers = generation == Generation::V3;
        let builder = Device::builder()
            .generation(generation)
            .tuning(tuning)
            .cores(cores)
            .warps(warps)
            .threads(threads)
            .zicond(zicond);
        builder.open().unwrap()
    };
    SHAPES.iter().zip(generations).map(open).collect()
});

/// A device of a shape, of Vortex 2, that does not watch for races: on such, lanes do several items or groups at once.
pub(crate) fn unwatched((cores, warps, threads, zicond): (u32, u32, u32, bool)) -> Device {
    let checks = Checks {
        races: false,
        ..Checks::default()
    };
    let builder = Device::builder().cores(cores).warps(warps);
    let builder = builder.threads(threads).zicond(zicond).checks(checks);
    builder.open().unwrap()
}

/// What a launch says has failed, if anything has.
pub(crate) fn fault_of(result: vortex::Result<Report>) -> Option<Fault> {
    match result {
        Ok(_) => None,
        Err(Error::Fault(fault)) => Some(*fault),
        Err(other) => panic!("expected a fault, got {other:?}"),
    }
}

/// A type that cases are made of.
pub(crate) trait Sample: Element + Copy + PartialEq + Debug {
    /// Values where things go wrong.
    const EDGES: &[Self];

    /// Any value, from random bits.
    fn from_bits(bits: u32) -> Self;

    /// Equal, with all NaNs being the same.
    fn same(self, other: Self) -> bool {
        self == other
    }
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Sample for $ty {
            const EDGES: &[Self] =
                &[0, 1, 2, 3, 7, 31, 33, $ty::MAX, $ty::MAX - 1, $ty::MAX / 2, $ty::MIN, $ty::MIN + 1, 0 as $ty ^ !0];

            fn from_bits(bits: u32) -> Self {
                // Small numbers are likely to meet each other.
                if bits & 1 == 0 { (bits >> 1) as $ty } else { (bits >> 27) as $ty }
            }
        }
    )*};
}

integers! { i8 i16 i32 u8 u16 u32 }

macro_rules! wide_integers {
    ($($ty:ident)*) => {$(
        impl Sample for $ty {
            const EDGES: &[Self] = &[
                0, 1, 2, 3, 7, 10, 31, 33, 64, 1 << 24, (1 << 25) + 3, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1,
                (1 << 53) + 1, 0x7fff_ffff_0000_0001, $ty::MAX, $ty::MAX - 1, $ty::MAX / 2, $ty::MIN, $ty::MIN + 1, 0 as $ty ^ !0,
            ];

            fn from_bits(bits: u32) -> Self {
                // Of every length; small numbers are likely to meet each other.
                let spread = u64::from(bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let x = spread >> (bits >> 3) % 64;
                if bits & 4 == 0 { x as $ty } else { x.wrapping_neg() as $ty }
            }
        }
    )*};
}

wide_integers! { i64 u64 }

impl Sample for bool {
    const EDGES: &[Self] = &[false, true];

    fn from_bits(bits: u32) -> Self {
        bits & 1 == 1
    }
}

impl Sample for f32 {
    const EDGES: &[Self] = &[
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -2.5,
        3.0,
        127.5,
        255.9,
        256.0,
        -129.0,
        65_536.5,
        16_777_217.0,
        2_147_483_648.0,
        -2_147_483_648.0,
        4_294_967_295.0,
        1e10,
        -1e10,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-40,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];

    fn from_bits(bits: u32) -> Self {
        if bits & 1 == 0 {
            f32::from_bits(bits)
        } else {
            (bits >> 1) as i32 as f32 / 1024.0
        }
    }

    fn same(self, other: Self) -> bool {
        self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
    }
}

/// Pairs of values: all edges with all edges, then random ones. Their number is odd.
pub(crate) fn pairs<A: Sample, B: Sample>() -> (Vec<A>, Vec<B>) {
    let mut state = 0x9e37_79b9u32;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let edges = A::EDGES
        .iter()
        .flat_map(|&a| B::EDGES.iter().map(move |&b| (a, b)));
    let mut pairs: Vec<(A, B)> = edges.collect();
    pairs.extend((0..300).map(|_| (A::from_bits(random()), B::from_bits(random()))));
    pairs.truncate((pairs.len() - 1) | 1);
    pairs.into_iter().unzip()
}

/// Runs `kernel` on every device and compares with `host`, element by element.
pub(crate) fn check<A: Sample, B: Sample, R: Sample>(
    (a, b): (Vec<A>, Vec<B>),
    host: impl Fn(A, B) -> R,
    kernel: impl Fn(
        &DeviceSlice<A>,
        &DeviceSlice<B>,
        &mut DeviceSlice<R>,
        &Device,
    ) -> vortex::Result<()>,
) {
    check_each((a, b), &host, &kernel);
}

type Kernel<'a, A, B, R> = dyn Fn(&DeviceSlice<A>, &DeviceSlice<B>, &mut DeviceSlice<R>, &Device) -> vortex::Result<()>
    + 'a;

/// Compiled once for these types, and not once for each test.
fn check_each<A: Sample, B: Sample, R: Sample>(
    (a, b): (Vec<A>, Vec<B>),
    host: &dyn Fn(A, B) -> R,
    kernel: &Kernel<'_, A, B, R>,
) {
    let expected: Vec<R> = a.iter().zip(&b).map(|(&a, &b)| host(a, b)).collect();
    for (device, shape) in DEVICES.iter().zip(SHAPES) {
        let (a_device, b_device) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
        let mut out = device.alloc(a.len()).unwrap();
        kernel(&a_device, &b_device, &mut out, device).unwrap();
        for (index, (result, expected)) in out
            .download()
            .unwrap()
            .into_iter()
            .zip(&expected)
            .enumerate()
        {
            let (a, b) = (a[index], b[index]);
            assert!(
                result.same(*expected),
                "{a:?}, {b:?}: the device says {result:?}, Rust says {expected:?} (shape {shape:?})"
            );
        }
    }
}

/// A test that runs one body as a kernel and as a plain Rust function: `name(a: A, b: B) -> R { .. }`.
/// Where Rust in debug builds would panic (overflow), a body of its own for the host follows.
macro_rules! same {
    ($($name:ident($a:ident: $A:ty, $b:ident: $B:ty) -> $R:ty $body:block $(=> $host:block)?)*) => {$(
        #[test]
        // The host's copy is held to the kernel's wording.
        #[allow(clippy::all, unused_variables, unused_unsafe)]
        fn $name() {
            #[vortex::kernel]
            fn kernel(left: &[$A], right: &[$B], out: &mut [$R]) {
                let i = global_id();
                if i < out.len() {
                    let $a = left[i];
                    let $b = right[i];
                    out[i] = $body;
                }
            }

            fn host($a: $A, $b: $B) -> $R {
                $crate::harness::same!(@host $body $($host)?)
            }

            $crate::harness::check($crate::harness::pairs(), host, |a, b, out, device| {
                let items = out.len();
                kernel(a, b, out).over(items).launch(device).map(drop)
            });
        }
    )*};
    (@host $body:block) => { $body };
    (@host $body:block $host:block) => { $host };
}

/// What a kernel leaves in its last argument, an element for each item, as rustc's code for it does. There are as many
/// items as the first argument has elements, or as is said.
macro_rules! as_on_the_host {
    ($kernel:ident($($x:expr),*), $of_item:expr) => {
        $crate::harness::as_on_the_host!($kernel($($x),*), $of_item, [$($x.len()),*][0])
    };
    ($kernel:ident($($x:expr),*), $of_item:expr, $count:expr) => {{
        let count = $count;
        let mut expected = vec![$of_item; count];
        $kernel::on_host($($x,)* &mut expected).over(count).launch().unwrap();
        for device in &*$crate::harness::DEVICES {
            let mut to = device.upload(&vec![$of_item; count]).unwrap();
            let launch = $kernel($(&device.upload($x).unwrap(),)* &mut to).over(count).launch(device);
            launch.unwrap();
            assert_eq!(to.download().unwrap(), expected);
        }
    }};
}

pub(crate) use {as_on_the_host, same};
