//! The shortest way through a maze: a breadth-first search from the entry.
//!
//! A launch is a step: it has a work item for each place that the step before has reached, which looks at the four
//! places around it. Of the items that come to the same place one writes how far it is, by `compare_exchange`, and
//! puts the place on the list for the next step, whose end is an atomic counter.
//!
//! ```sh
//! cargo run --release --example bfs         # 16 rows of cells
//! cargo run --release --example bfs -- 60
//! ```

mod shared;

use std::collections::VecDeque;

use vortex::prelude::*;

/// The distance of a place that was not reached yet.
const UNSEEN: u32 = u32::MAX;

/// From the places that are reached in `distance - 1` steps to those one further. A maze has walls all around, so there
/// is a place on each side of a free one.
#[vortex::kernel]
fn advance(
    width: usize,
    distance: u32,
    is_free: &[bool],
    reached: &[u32],
    distances: &mut [u32],
    next: &mut [u32],
    count: &mut [u32],
) {
    let place = reached[global_id()] as usize;
    for to in [place + 1, place - 1, place + width, place - width] {
        if is_free[to] {
            let seen = distances.atomic(to);
            if seen
                .compare_exchange(UNSEEN, distance, Relaxed, Relaxed)
                .is_ok()
            {
                let at = count.atomic(0).fetch_add(1, Relaxed);
                next[at as usize] = to as u32;
            }
        }
    }
}

/// A maze of cells and walls between them, dug at random; some walls more are broken, so that there are several ways.
fn maze(rows: usize, width: usize) -> Vec<bool> {
    let mut random = shared::Random::new();
    let mut is_free = vec![false; (2 * rows + 1) * width];
    let mut path = vec![width + 1];
    is_free[width + 1] = true;
    while let Some(&here) = path.last() {
        let (x, y) = (here % width, here / width);
        let mut ways = Vec::new();
        ways.extend((x > 1).then(|| (here - 1, here.wrapping_sub(2))));
        ways.extend((x + 2 < width).then_some((here + 1, here + 2)));
        ways.extend((y > 1).then(|| (here - width, here.wrapping_sub(2 * width))));
        ways.extend((y + 2 < 2 * rows + 1).then_some((here + width, here + 2 * width)));
        ways.retain(|&(_, to)| !is_free[to]);
        if ways.is_empty() {
            path.pop();
        } else {
            let (wall, to) = ways[random.below(ways.len())];
            (is_free[wall], is_free[to]) = (true, true);
            path.push(to);
        }
    }
    for _ in 0..3 * rows {
        let (x, y) = (1 + random.below(width - 2), 1 + random.below(2 * rows - 1));
        is_free[y * width + x] |= (x + y) % 2 == 1;
    }
    is_free
}

/// The same in plain Rust, with a queue.
fn distances_on_host(width: usize, is_free: &[bool], from: usize) -> Vec<u32> {
    let mut distances = vec![UNSEEN; is_free.len()];
    distances[from] = 0;
    let mut queue = VecDeque::from([from]);
    while let Some(place) = queue.pop_front() {
        for to in [place + 1, place - 1, place + width, place - width] {
            if is_free[to] && distances[to] == UNSEEN {
                distances[to] = distances[place] + 1;
                queue.push_back(to);
            }
        }
    }
    distances
}

fn main() -> vortex::Result<()> {
    let rows = shared::size_argument(16, 500).max(1);
    let width = 4 * rows + 1;
    let is_free = maze(rows, width);
    let (entry, exit) = (width + 1, is_free.len() - width - 2);

    let device = Device::open()?;
    let is_free_device = device.upload(&is_free)?;
    let mut distances = vec![UNSEEN; is_free.len()];
    distances[entry] = 0;
    let mut distances_device = device.upload(&distances)?;
    let mut reached = device.alloc(is_free.len())?;
    let mut next = device.alloc(is_free.len())?;
    let mut count = device.alloc(1)?;
    reached.slice_mut(..1)?.write(&[entry as u32])?;
    let (mut steps, mut items, mut most) = (0, 1, 1);
    while items > 0 {
        steps += 1;
        count.write(&[0])?;
        let (now, seen) = (reached.slice(..items)?, &mut distances_device);
        advance(
            width,
            steps,
            &is_free_device,
            &now,
            seen,
            &mut next,
            &mut count,
        )
        .over(items)
        .launch(&device)?;
        std::mem::swap(&mut reached, &mut next);
        items = count.download()?[0] as usize;
        most = most.max(items);
    }

    let distances = distances_device.download()?;
    assert_eq!(distances, distances_on_host(width, &is_free, entry));
    let mut is_way = vec![false; is_free.len()];
    let mut place = exit;
    while place != entry {
        is_way[place] = true;
        let around = [place + 1, place - 1, place + width, place - width];
        let back = around
            .into_iter()
            .find(|&to| distances[to] == distances[place] - 1);
        place = back.unwrap_or(entry);
    }
    is_way[entry] = true;
    for (free, way) in is_free.chunks(width).zip(is_way.chunks(width)) {
        let places = free.iter().zip(way).map(|places| match places {
            (_, true) => '•',
            (true, false) => ' ',
            (false, _) => '█',
        });
        println!("{}", places.collect::<String>());
    }
    println!(
        "the exit is {} steps away, as by a queue; up to {most} places were reached at once",
        distances[exit]
    );
    Ok(())
}
