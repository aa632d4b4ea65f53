//! Finds clusters of points (k-means): each point goes to the centre that it is next to, and each centre to the middle
//! of its points, until nothing changes.
//!
//! A work item has a point. What centres need is added up by each group in local memory, by atomic additions, and then
//! once for each group in global memory. Coordinates are whole numbers: their sums are the same in any order, so
//! that the result does not depend on who comes first.
//!
//! ```sh
//! cargo run --release --example kmeans            # 3,000 points
//! cargo run --release --example kmeans -- 100000
//! ```

mod shared;

use vortex::prelude::*;

/// Centres.
const K: usize = 6;

/// Points have coordinates from 0 to this, which they do not reach.
const SIZE: i32 = 1000;

/// The square of the distance between two points.
#[vortex::device(host)]
fn apart(a: Vec2<i32>, b: Vec2<i32>) -> i32 {
    (a - b).dot(a - b)
}

/// Finds the nearest centre of each point; adds up x, y and number of the points of each centre; counts the points that
/// had another centre before.
#[vortex::kernel]
fn assign(
    points: &[Vec2<i32>],
    centres: &[Vec2<i32>],
    nearest: &mut [u32],
    sums: &mut [i32],
    moved: &mut [u32],
) {
    let own = local::<[i32; 3 * K]>();
    for n in (local_id()..3 * K).step_by(local_size()) {
        own[n] = 0;
    }
    barrier();
    let i = global_id();
    if i < points.len() {
        let point = points[i];
        let nearby = (0..K).min_by_key(|&k| apart(point, centres[k])).unwrap();
        own.atomic(3 * nearby).fetch_add(point.x, Relaxed);
        own.atomic(3 * nearby + 1).fetch_add(point.y, Relaxed);
        own.atomic(3 * nearby + 2).fetch_add(1, Relaxed);
        if nearest[i] != nearby as u32 {
            nearest[i] = nearby as u32;
            moved.atomic(0).fetch_add(1, Relaxed);
        }
    }
    barrier();
    for n in (local_id()..3 * K).step_by(local_size()) {
        sums.atomic(n).fetch_add(own[n], Relaxed);
    }
}

/// Puts each centre in the middle of its points, and sets the sums to zero for the next time.
#[vortex::kernel]
fn centre(centres: &mut [Vec2<i32>], sums: &mut [i32]) {
    let k = global_id();
    let [x, y, count] = [sums[3 * k], sums[3 * k + 1], sums[3 * k + 2]];
    if count > 0 {
        centres[k] = vec2(x, y) / count;
    }
    sums[3 * k..3 * k + 3].fill(0);
}

/// A step in plain Rust; returns how many points changed their centre.
fn step(points: &[Vec2<i32>], centres: &mut [Vec2<i32>; K], nearest: &mut [u32]) -> u32 {
    let mut moved = 0;
    for (&point, old) in points.iter().zip(&mut *nearest) {
        let mut best = 0;
        for k in 1..K {
            if apart(point, centres[k]) < apart(point, centres[best]) {
                best = k;
            }
        }
        moved += u32::from(*old != best as u32);
        *old = best as u32;
    }
    for (k, centre) in (0..).zip(centres) {
        let own = points.iter().zip(&*nearest).filter(|(_, of)| **of == k);
        let (sum, count) = own.fold((vec2(0, 0), 0), |(sum, n), (&point, _)| {
            (sum + point, n + 1)
        });
        if count > 0 {
            *centre = sum / count;
        }
    }
    moved
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(3_000, 1 << 20);
    let mut random = shared::Random::new();
    // Around six places, nearer ones more often.
    let around = [
        (200, 200),
        (500, 150),
        (820, 300),
        (250, 700),
        (560, 560),
        (800, 820),
    ];
    let points: Vec<Vec2<i32>> = (0..n)
        .map(|i| {
            let mut off = || (random.below(120) + random.below(120)) as i32 - 120;
            let (x, y) = around[i % K];
            vec2(x + off(), y + off())
        })
        .collect();
    let mut centres = [0, 1, 2, 3, 4, 5].map(|k| vec2(100 + 150 * k, 500));
    let mut nearest = vec![u32::MAX; n];

    let device = Device::open()?;
    let group = shared::group_size(&device, 128);
    let points_device = device.upload(&points)?;
    let mut centres_device = device.upload(&centres)?;
    let mut nearest_device = device.upload(&nearest)?;
    let mut sums = device.upload(&[0; 3 * K])?;
    let mut moved = device.alloc(1)?;
    let mut steps = 0;
    loop {
        moved.write(&[0])?;
        assign(
            &points_device,
            &centres_device,
            &mut nearest_device,
            &mut sums,
            &mut moved,
        )
        .grid(n.div_ceil(group))
        .block(group)
        .launch(&device)?;
        centre(&mut centres_device, &mut sums)
            .over(K)
            .launch(&device)?;
        steps += 1;
        let expected = step(&points, &mut centres, &mut nearest);
        assert_eq!(moved.download()?, [expected], "in step {steps}");
        if expected == 0 || steps == 100 {
            break;
        }
    }

    assert_eq!(nearest_device.download()?, nearest);
    assert_eq!(centres_device.download()?, centres);
    let mut map = [[' '; 64]; 24];
    let place = |p: &Vec2<i32>| ((p.y * 24 / SIZE) as usize, (p.x * 64 / SIZE) as usize);
    for (point, &centre) in points.iter().zip(&nearest) {
        let (row, column) = place(point);
        map[row][column] = ['.', 'o', '-', '+', ':', '*'][centre as usize];
    }
    for (centre, number) in centres.iter().zip('1'..) {
        let (row, column) = place(centre);
        map[row][column] = number;
    }
    for row in map {
        println!("{}", row.iter().collect::<String>());
    }
    println!("{n} points found their {K} centres in {steps} steps, the same as in plain Rust");
    Ok(())
}
