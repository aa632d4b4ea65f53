//! Heat that leaves a house: a wall with a layer of wool, and a bar of steel that goes through it, drawn as a map.
//!
//! Every place of the wall is a work item, and a launch is a step of time. The items of a group copy their part of the
//! wall to local memory first, with a rim of the neighbours' places around it: so each temperature is loaded from
//! global memory once or twice, rather than five times.
//!
//! ```sh
//! cargo run --release --example heat           # 150 steps
//! cargo run --release --example heat -- 1000
//! ```

mod shared;

use vortex::prelude::*;

const WIDTH: usize = 60;
const HEIGHT: usize = 32;

/// Heat flows between a place and its four neighbours, as fast as the worse conductor of the two lets it. The left
/// side is kept warm and the right side cold; nothing is lost above and below.
#[vortex::kernel]
fn step(tile: &mut Local<[f32]>, conducts: &[f32], old: &[f32], new: &mut [f32]) {
    let (w, h) = local_size_2d();
    let (group_x, group_y) = group_id_2d();
    let stride = w + 2;
    for n in (local_id()..stride * (h + 2)).step_by(local_size()) {
        // One less than these: the rim begins a place further left and above.
        let column = (group_x * w + n % stride).clamp(1, WIDTH) - 1;
        let row = (group_y * h + n / stride).clamp(1, HEIGHT) - 1;
        tile[n] = old[row * WIDTH + column];
    }
    barrier();

    let (x, y) = global_id_2d();
    if x < WIDTH && y < HEIGHT {
        let (local_x, local_y) = local_id_2d();
        let at = (local_y + 1) * stride + local_x + 1;
        let here = y * WIDTH + x;
        let mut flow = 0.0;
        if x > 0 {
            flow += conducts[here].min(conducts[here - 1]) * (tile[at - 1] - tile[at]);
        }
        if x + 1 < WIDTH {
            flow += conducts[here].min(conducts[here + 1]) * (tile[at + 1] - tile[at]);
        }
        if y > 0 {
            flow += conducts[here].min(conducts[here - WIDTH]) * (tile[at - stride] - tile[at]);
        }
        if y + 1 < HEIGHT {
            flow += conducts[here].min(conducts[here + WIDTH]) * (tile[at + stride] - tile[at]);
        }
        let is_kept = x == 0 || x + 1 == WIDTH;
        new[here] = if is_kept { tile[at] } else { tile[at] + flow };
    }
}

/// The same in plain Rust.
fn step_on_host(conducts: &[f32], old: &[f32]) -> Vec<f32> {
    let place = |here: usize| {
        let (x, y) = (here % WIDTH, here / WIDTH);
        if x == 0 || x == WIDTH - 1 {
            return old[here];
        }
        let neighbours = [
            Some(here - 1),
            Some(here + 1),
            (y > 0).then(|| here - WIDTH),
            (y < HEIGHT - 1).then_some(here + WIDTH),
        ];
        let flows = neighbours.into_iter().flatten();
        let flow = |there: usize| conducts[here].min(conducts[there]) * (old[there] - old[here]);
        old[here] + flows.map(flow).fold(0.0, |sum, flow| sum + flow)
    };
    (0..WIDTH * HEIGHT).map(place).collect()
}

fn main() -> vortex::Result<()> {
    let steps = shared::size_argument(150, 100_000);
    // Brick, wool from column 25 to 30, and the bar. Until now it was warm on one side of the wool.
    let conducts: Vec<f32> = (0..WIDTH * HEIGHT)
        .map(|n| match (n % WIDTH, n / WIDTH) {
            (15..45, 15..17) => 0.24,
            (25..30, _) => 0.002,
            _ => 0.2,
        })
        .collect();
    let mut wall: Vec<f32> = (0..WIDTH * HEIGHT)
        .map(|n| if n % WIDTH < 25 { 20.0 } else { 0.0 })
        .collect();

    let device = Device::open()?;
    let items = shared::group_size(&device, 64);
    let (w, h) = (items.min(8), items.div_ceil(8));
    let conducts_device = device.upload(&conducts)?;
    let mut old = device.upload(&wall)?;
    let mut new = device.alloc(wall.len())?;
    for _ in 0..steps {
        step(
            LocalLen((w + 2) * (h + 2)),
            &conducts_device,
            &old,
            &mut new,
        )
        .grid((WIDTH.div_ceil(w), HEIGHT.div_ceil(h)))
        .block((w, h))
        .launch(&device)?;
        std::mem::swap(&mut old, &mut new);
        wall = step_on_host(&conducts, &wall);
    }

    // The flows of a place are added in the same order on both sides, so not a bit differs.
    assert_eq!(old.download()?, wall);
    for row in wall.chunks(WIDTH).step_by(2) {
        let line: String = row.iter().map(|t| shared::shade(t / 20.0)).collect();
        println!("|{line}|");
    }
    let outside = |row: usize| wall[row * WIDTH + 32];
    println!(
        "after {steps} steps, as in plain Rust, it has {:.1} degrees behind the wool, {:.1} on the steel",
        outside(2),
        outside(16)
    );
    Ok(())
}
