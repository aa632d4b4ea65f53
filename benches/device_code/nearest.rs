//! Nearest neighbour: how far each place is from one.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(crate) struct Place {
    latitude: f32,
    longitude: f32,
}

variants! {
    fn nearest(places: &[Place], distances: &mut [f32], latitude: f32, longitude: f32) {
        let i = global_id();
        if i < places.len() {
            let place = places[i];
            let (north, east) = (place.latitude - latitude, place.longitude - longitude);
            distances[i] = (north * north + east * east).sqrt();
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 4096;
    let (latitude, longitude) = (0.25, -0.5);
    let all: Vec<Place> = numbers(2 * n, 45)
        .chunks(2)
        .map(|pair| Place {
            latitude: pair[0],
            longitude: pair[1],
        })
        .collect();
    let distance = |place: &Place| {
        let (north, east) = (place.latitude - latitude, place.longitude - longitude);
        (north * north + east * east).sqrt()
    };
    let expected = all.iter().map(distance).collect();
    let places = suite.device.upload(&all)?;
    let mut distances = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(
        nearest(&places, &mut distances, latitude, longitude).over(n),
        &suite.device
    );
    // 2 differences, 2 products and a sum; a root.
    let work = Work {
        items: n,
        loads: 2.0,
        stores: 1.0,
        sums: 5.0,
        roots: 1.0,
        words: 2 * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "nearest",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            places.as_ptr().addr(),
            distances.as_ptr().addr(),
            latitude.to_bits(),
            longitude.to_bits(),
        ],
    };
    suite.compare::<nearest>(
        "nearest neighbour 4096",
        &ours,
        &cpp,
        &work,
        &mut [(&mut distances, expected)],
    )
}
