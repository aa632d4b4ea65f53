//! Variables of the program in device memory.

use std::sync::Mutex;

use crate::harness::DEVICES;
use vortex::prelude::*;

const ITEMS: usize = 333;

/// One for all kernels of this file, in a module of its own.
mod shared {
    #[vortex::global]
    pub static HITS: u32 = 7;

    #[vortex::constant]
    pub static WEIGHTS: [f32; 5] = [0.5, -1.0, 2.25, 0.0, 1e-3];

    #[vortex::device]
    pub(super) fn weight(i: usize) -> f32 {
        WEIGHTS[i % WEIGHTS.len()]
    }
}

#[vortex::global]
static BINS: [i32; 8] = [0; 8];

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct State {
    sum: f32,
    last: u32,
    steps: [u16; 4],
}

#[vortex::global]
static STATE: State = State {
    sum: 1.5,
    last: 0,
    steps: [1, 2, 3, 4],
};

#[vortex::constant]
static SCALE: f32 = 3.0;

#[vortex::constant]
static LIMITS: State = State {
    sum: 10.0,
    last: 4,
    steps: [9, 8, 7, 6],
};

#[vortex::kernel]
fn count(x: &[u32]) {
    let i = global_id();
    shared::HITS.atomic().fetch_add(1, Relaxed);
    BINS.atomic((x[i] % 8) as usize)
        .fetch_sub(x[i] as i32, Relaxed);
}

#[vortex::kernel]
fn hits(out: &mut [u32]) {
    out[global_id()] = shared::HITS + shared::HITS.atomic().load(Acquire);
}

#[vortex::device]
fn twice(x: f32) -> f32 {
    x * 2.0 * SCALE
}

#[vortex::kernel]
fn weigh(out: &mut [f32]) {
    let i = global_id();
    let mut total = 0.0;
    for weight in shared::WEIGHTS {
        total += weight;
    }
    for (n, weight) in shared::WEIGHTS.iter().enumerate() {
        total += weight * n as f32;
    }
    out[i] = shared::weight(i) + twice(total) + shared::WEIGHTS[2];
}

#[vortex::device]
impl State {
    fn step(&mut self, by: u32) {
        self.last += by;
        self.steps[1] += by as u16;
    }

    fn size(&self) -> u32 {
        self.last + self.steps[0] as u32
    }
}

#[vortex::device]
fn add_to(sum: &mut f32, x: f32) {
    *sum += x;
}

#[vortex::device]
fn total(parts: &[i32]) -> i32 {
    let mut total = 0;
    for part in parts {
        total += part;
    }
    total
}

#[vortex::device]
fn clear(parts: &mut [i32], to: i32) {
    for part in parts.iter_mut() {
        *part = to;
    }
}

#[vortex::kernel]
fn advance(n: u32, out: &mut [u32]) {
    STATE.last = n;
    STATE.last += LIMITS.last;
    STATE.step(2);
    STATE.steps[(n % 4) as usize] = 100;
    add_to(&mut STATE.sum, LIMITS.sum);
    out[0] = STATE.size() + LIMITS.size();
    let copy = STATE;
    out[1] = copy.last + copy.steps[3] as u32;
    BINS[n as usize] = 5;
    BINS[7] += 1;
    out[2] = total(&BINS[1..4]) as u32;
    clear(&mut BINS[4..6], -9);
    for bin in BINS.iter_mut() {
        *bin += 1;
    }
    out[3] = BINS.len() as u32 + LIMITS.steps.len() as u32;
    shared::HITS = 40;
    let old = shared::HITS.compare_exchange(40, 41, AcqRel, Relaxed);
    out[4] = if old.is_ok() { 1 } else { 0 };
}

/// Held by tests of which several write one variable: the devices are everybody's.
static WRITING: Mutex<()> = Mutex::new(());

#[test]
fn kernels_share_a_variable() {
    let _alone = WRITING.lock().unwrap();
    let x: Vec<u32> = (0..ITEMS as u32).map(|i| i * 31 % 97).collect();
    for device in DEVICES.iter() {
        let (hits_there, bins) = (device.global(&shared::HITS), device.global(&BINS));
        hits_there.write(7).unwrap();
        bins.write([0; 8]).unwrap();
        let data = device.upload(&x).unwrap();
        for turn in 1..3 {
            count(&data).over(ITEMS).launch(device).unwrap();
            assert_eq!(hits_there.read().unwrap(), 7 + turn * ITEMS as u32);
        }
        let mut expected = [0; 8];
        for x in &x {
            expected[(x % 8) as usize] -= 2 * *x as i32;
        }
        assert_eq!(bins.read().unwrap(), expected);
        let mut out = device.alloc::<u32>(40).unwrap();
        hits(&mut out).over(40).launch(device).unwrap();
        let both = 2 * (7 + 2 * ITEMS as u32);
        assert_eq!(out.download().unwrap(), [both; 40]);
    }
}

#[test]
fn constants_are_read_by_path() {
    for device in DEVICES.iter() {
        let mut weights = [0.5f32, -1.0, 2.25, 0.0, 1e-3];
        let (constant, scale) = (device.global(&shared::WEIGHTS), device.global(&SCALE));
        constant.write(weights).unwrap();
        scale.write(3.0).unwrap();
        let mut factor = 3.0;
        for change in [9.0, 0.25] {
            let mut out = device.alloc::<f32>(ITEMS).unwrap();
            weigh(&mut out).over(ITEMS).launch(device).unwrap();
            let mut total = 0.0;
            for weight in weights {
                total += weight;
            }
            for (n, weight) in weights.iter().enumerate() {
                total += weight * n as f32;
            }
            let host = |i: usize| weights[i % 5] + total * 2.0 * factor + weights[2];
            assert_eq!(
                out.download().unwrap(),
                (0..ITEMS).map(host).collect::<Vec<_>>()
            );
            // The host writes between launches.
            weights[2] = change;
            factor = change;
            constant.write_part(2, &[change]).unwrap();
            scale.write(change).unwrap();
        }
        assert_eq!(constant.read_part(1..3).unwrap(), [-1.0, 0.25]);
    }
}

#[test]
fn structs_and_arrays_are_places() {
    let _alone = WRITING.lock().unwrap();
    for device in DEVICES.iter() {
        let state = device.global(&STATE);
        let first = State {
            sum: 1.5,
            last: 0,
            steps: [1, 2, 3, 4],
        };
        state.write(first).unwrap();
        let bins = device.global(&BINS);
        bins.write([10, 20, 30, 40, 50, 60, 70, 80]).unwrap();
        let mut out = device.alloc::<u32>(5).unwrap();
        advance(3, &mut out).over(1).launch(device).unwrap();
        let after = State {
            sum: 11.5,
            last: 9,
            steps: [1, 4, 3, 100],
        };
        assert_eq!(state.read().unwrap(), after);
        assert_eq!(
            out.download().unwrap(),
            [10 + 13, 109, 20 + 30 + 5, 8 + 4, 1]
        );
        assert_eq!(bins.read().unwrap(), [11, 21, 31, 6, -8, -8, 71, 82]);
        assert_eq!(device.global(&shared::HITS).read().unwrap(), 41);
    }
}

#[vortex::kernel]
fn beyond(i: usize, out: &mut [i32]) {
    out[0] = BINS[i];
    BINS[i] = 3;
    out[1] = 1;
}

#[vortex::kernel]
fn race() {
    BINS[global_id() % 4] += 1;
}

#[test]
fn mistakes_are_found() {
    let device = Device::builder()
        .cores(1)
        .warps(2)
        .threads(4)
        .open()
        .unwrap();
    let mut out = device.alloc::<i32>(2).unwrap();
    let error = beyond(8, &mut out).over(1).launch(&device).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("index 8") && text.contains("globals.rs"),
        "{text}"
    );
    let watching = Device::builder()
        .threads(4)
        .checks(vortex::sim::Checks::all());
    let watching = watching.open().unwrap();
    let error = race().over(8).launch(&watching).unwrap_err();
    assert!(error.to_string().contains("data race"), "{error}");
    count(&device.upload(&[8, 16, 24]).unwrap())
        .over(3)
        .launch(&device)
        .unwrap();
    assert_eq!(device.global(&shared::HITS).read().unwrap(), 10);
    // Each device has its own, with the first value.
    assert_eq!(device.global(&STATE).read().unwrap().sum, 1.5);
    assert_eq!(
        device.global(&shared::WEIGHTS).read_part(3..).unwrap(),
        [0.0, 1e-3]
    );
    let error = device.global(&shared::WEIGHTS).read_part(3..6).unwrap_err();
    assert!(error.to_string().contains('5'), "{error}");
}

#[test]
fn two_in_functions_of_one_module_differ() {
    fn one(device: &Device) -> u32 {
        #[vortex::global]
        static SAME: u32 = 1;

        #[vortex::kernel]
        fn bump(by: u32) {
            SAME += by;
        }

        bump(10).over(1).launch(device).unwrap();
        device.global(&SAME).read().unwrap()
    }

    fn other(device: &Device) -> u32 {
        #[vortex::global]
        static SAME: u32 = 2;

        #[vortex::kernel]
        fn bump(by: u32) {
            SAME += by;
        }

        bump(20).over(1).launch(device).unwrap();
        device.global(&SAME).read().unwrap()
    }

    let device = Device::builder().released().open().unwrap();
    assert_eq!((one(&device), other(&device)), (11, 22));
    let error = device.global_named("SAME").unwrap_err().to_string();
    assert_eq!(error.matches("globals.rs:").count(), 2, "{error}");
}

#[vortex::kernel]
fn wide(by: i64) {
    #[allow(clippy::precedence)]
    {
        LARGE = LARGE + by * FACTOR;
    }
}

#[vortex::global]
static LARGE: i64 = -5;

#[vortex::constant]
static FACTOR: i64 = 1 << 33;

#[test]
fn sixty_four_bits() {
    for device in DEVICES.iter() {
        device.global(&LARGE).write(-5).unwrap();
        wide(3).over(1).launch(device).unwrap();
        assert_eq!(device.global(&LARGE).read().unwrap(), -5 + 3 * (1 << 33));
    }
}

#[vortex::global]
static SUMS: [u32; 1000] = [0; 1000];

#[vortex::constant]
static TIMES: u32 = 3;

#[vortex::kernel]
fn by_path(x: &mut [u32]) {
    let i = global_id();
    if i < x.len() {
        x[i] *= TIMES;
        SUMS[i] += 1;
    }
}

#[vortex::kernel]
fn by_argument(times: &[u32], sums: &mut [u32], x: &mut [u32]) {
    let i = global_id();
    if i < x.len() {
        x[i] *= times[0];
        sums[i] += 1;
    }
}

#[test]
fn variables_cost_no_more_than_slices() {
    let tuning = vortex::codegen::Tuning::default().one_by_one();
    let device = Device::builder().released().tuning(tuning).open().unwrap();
    let (mut x, mut sums) = (device.alloc(1000).unwrap(), device.alloc(1000).unwrap());
    let times = device.upload(&[3]).unwrap();
    let paths = by_path(&mut x).over(1000).launch(&device).unwrap();
    let slices = by_argument(&times, &mut sums, &mut x).over(1000);
    let slices = slices.launch(&device).unwrap();
    assert!(paths.instructions() <= slices.instructions());
}
