//! Types of Rust's library as fields, and what uses these.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::num::{NonZero, NonZeroU32, NonZeroUsize, Wrapping};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use vortex::prelude::*;

trait Shade {}

#[derive(DeviceType)]
#[repr(C)]
struct Numbers {
    not_zero: NonZeroU32,
    of_which: NonZero<i64>,
    size: NonZeroUsize,
    wrapping: Wrapping<usize>,
    list_in_a_cell: RefCell<Vec<f32>>,
    atomic: AtomicU32,
    range: Range<usize>,
    double: f64,
    wide: u128,
    sizes: [usize; 3],
    pairs: [(f32, f32); 2],
    nothing: (),
    maybe: Option<f32>,
    tried: Result<f32, u32>,
}

#[derive(DeviceType)]
#[repr(C)]
struct Elsewhere {
    boxed: Box<f32>,
    boxed_list: Box<[f32]>,
    boxed_trait: Box<dyn Shade>,
    counted: Rc<f32>,
    counted_text: Arc<str>,
    map: HashMap<u32, f32>,
    sorted: BTreeMap<u32, f32>,
    set: HashSet<u32>,
    queue: VecDeque<f32>,
    function: fn(f32) -> f32,
    closure: Box<dyn Fn(f32) -> f32>,
    text: &'static str,
    name: String,
    list: &'static [f32],
    list_to_write: &'static mut [f32],
    vector: &'static Vec<f32>,
    array: &'static [f32; 4],
    number: &'static f32,
    raw: *const f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Times {
    time: Duration,
    start: std::time::Instant,
}

#[derive(DeviceType)]
#[repr(C)]
struct Open {
    count: u32,
    rest: [f32],
}

#[vortex::kernel]
fn all(numbers: &mut [Numbers], one: Numbers, elsewhere: &[Elsewhere], times: &[Times]) {
    let i = global_id();
    numbers[i].double = times[i].time.as_secs_f32();
    numbers[i].not_zero = numbers[i].not_zero.get() + one.range.start;
    numbers[i].atomic.fetch_add(1, Relaxed);
    numbers[i].pairs[0].1 += elsewhere[i].list[i] + elsewhere[i].function(2.0);
    numbers[i].double = if one.maybe.is_some() { 1.0 } else { 2.0 };
    for k in numbers[i].range {
        numbers[k].sizes[0] += elsewhere[i].boxed;
    }
    for v in elsewhere[i].vector {
        numbers[i].double += v;
    }
    let Numbers { wide, .. } = numbers[i];
    match one.tried {
        Ok(v) => numbers[i].double = v,
        Err(_) => {}
    }
}

fn run(device: &Device, of_host: Vec<Numbers>) -> vortex::Result<()> {
    let numbers = device.upload(&of_host)?;
    let _: Vec<Numbers> = numbers.download()?;
    Ok(())
}

fn main() {}

// Mistakes: 36
