//! Stars that attract each other: two clusters that fall towards one another.
//!
//! Each star is a work item, and all others pull at it. The items of a group read them tile by tile: each loads one
//! star to local memory, and after a barrier all add up the pull of the tile. So global memory is read once for each
//! group, not for each star.
//!
//! ```sh
//! cargo run --release --example nbody           # 256 stars
//! cargo run --release --example nbody -- 2048
//! ```

mod shared;

use vortex::prelude::*;

const STEPS: usize = 20;
const DT: f32 = 0.02;

/// Added to squares of distances, so that stars that come close do not throw each other out.
const SOFT: f32 = 0.01;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Star {
    place: Vec3<f32>,
    mass: f32,
    speed: Vec3<f32>,
}

/// All stars, a moment later.
#[vortex::kernel]
fn step(tile: &mut Local<[Vec4<f32>]>, old: &[Star], new: &mut [Star]) {
    let i = global_id();
    let mut star = old[i.min(old.len() - 1)];
    let mut pull = Vec3::splat(0.0);
    for start in (0..old.len()).step_by(tile.len()) {
        let other = start + local_id();
        if other < old.len() {
            let Vec3 { x, y, z } = old[other].place;
            tile[local_id()] = vec4(x, y, z, old[other].mass);
        }
        barrier();
        for k in 0..tile.len().min(old.len() - start) {
            let way = tile[k].xyz() - star.place;
            let square = way.dot(way) + SOFT;
            pull += way * (tile[k].w / (square * square.sqrt()));
        }
        barrier();
    }
    if i < new.len() {
        star.speed += pull * DT;
        star.place += star.speed * DT;
        new[i] = star;
    }
}

/// The same in plain Rust.
fn step_on_host(old: &[Star]) -> Vec<Star> {
    let later = |star: &Star| {
        let from: [f32; 3] = star.place.into();
        let mut pull = [0.0f32; 3];
        for other in old {
            let to: [f32; 3] = other.place.into();
            let way = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
            let square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2] + SOFT;
            let by = other.mass / (square * square.sqrt());
            for axis in 0..3 {
                pull[axis] += way[axis] * by;
            }
        }
        let mut speed: [f32; 3] = star.speed.into();
        let mut place = from;
        for axis in 0..3 {
            speed[axis] += pull[axis] * DT;
            place[axis] += speed[axis] * DT;
        }
        Star {
            place: place.into(),
            speed: speed.into(),
            ..*star
        }
    };
    old.iter().map(later).collect()
}

/// Where the middle of all mass is, along x.
fn middle(stars: &[Star]) -> f32 {
    let mass: f32 = stars.iter().map(|star| star.mass).sum();
    stars
        .iter()
        .map(|star| star.mass * star.place.x)
        .sum::<f32>()
        / mass
}

/// The stars as seen along z.
fn print(stars: &[Star]) {
    let mut map = [[0.0f32; 64]; 20];
    for star in stars {
        let (x, y) = (star.place.x * 14.0 + 32.0, star.place.y * 7.0 + 10.0);
        if (0.0..64.0).contains(&x) && (0.0..20.0).contains(&y) {
            map[y as usize][x as usize] += 0.25;
        }
    }
    for row in map {
        println!("{}", row.map(shared::shade).iter().collect::<String>());
    }
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(256, 1 << 16);
    let mut random = shared::Random::new();
    let mut stars: Vec<Star> = (0..n)
        .map(|i| {
            let side = if i % 2 == 0 { 1.0 } else { -1.0 };
            let mut about = || random.unit() + random.unit() - 1.0;
            let place = vec3(
                side * 1.2 + 0.6 * about(),
                side * 0.3 + 0.6 * about(),
                0.6 * about(),
            );
            Star {
                place,
                mass: 2.0 / n as f32,
                speed: vec3(-side * 0.5, 0.0, 0.0),
            }
        })
        .collect();

    let device = Device::open()?;
    let group = shared::group_size(&device, 64);
    let mut old = device.upload(&stars)?;
    let mut new = device.alloc(n)?;
    println!("step  middle of mass");
    for now in 0..STEPS {
        if now % 5 == 0 {
            println!("{now:4}  {:+.6}", middle(&stars));
        }
        let launch = step(LocalLen(group), &old, &mut new);
        launch
            .grid(n.div_ceil(group))
            .block(group)
            .launch(&device)?;
        std::mem::swap(&mut old, &mut new);
        stars = step_on_host(&stars);
    }

    // Pulls are added in the same order on both sides, so not a bit differs.
    assert_eq!(old.download()?, stars);
    print(&stars);
    println!("{n} stars are where plain Rust has them after {STEPS} steps");
    Ok(())
}
