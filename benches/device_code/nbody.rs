//! Accelerations of bodies that all attract each other.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn nbody(
        x: &[f32],
        y: &[f32],
        z: &[f32],
        mass: &[f32],
        ax: &mut [f32],
        ay: &mut [f32],
        az: &mut [f32],
    ) {
        let i = global_id();
        if i < x.len() {
            let (own_x, own_y, own_z) = (x[i], y[i], z[i]);
            let mut sum_x = 0.0;
            let mut sum_y = 0.0;
            let mut sum_z = 0.0;
            for j in 0..x.len() {
                let dx = x[j] - own_x;
                let dy = y[j] - own_y;
                let dz = z[j] - own_z;
                let square = dx * dx + dy * dy + dz * dz + 0.01;
                let inverse = 1.0 / square.sqrt();
                let pull = mass[j] * inverse * inverse * inverse;
                sum_x += pull * dx;
                sum_y += pull * dy;
                sum_z += pull * dz;
            }
            ax[i] = sum_x;
            ay[i] = sum_y;
            az[i] = sum_z;
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 64;
    let places = [10, 11, 12].map(|seed| numbers(n, seed));
    let masses = numbers(n, 13);
    let pull = |axis: usize, i: usize| -> f32 {
        let on = |j: usize| {
            let way = [0, 1, 2].map(|axis| places[axis][j] - places[axis][i]);
            let inverse = 1.0 / (way.iter().map(|d| d * d).sum::<f32>() + 0.01).sqrt();
            masses[j] * inverse * inverse * inverse * way[axis]
        };
        (0..n).map(on).sum()
    };
    let expected = |axis| (0..n).map(|i| pull(axis, i)).collect::<Vec<f32>>();
    let device = &suite.device;
    let [x, y, z] = [&places[0], &places[1], &places[2]].map(|place| device.upload(place));
    let (x, y, z, mass) = (x?, y?, z?, device.upload(&masses)?);
    let zeros = || device.upload(&vec![0.0f32; n]);
    let (mut ax, mut ay, mut az) = (zeros()?, zeros()?, zeros()?);
    let ours = launched!(
        nbody(&x, &y, &z, &mass, &mut ax, &mut ay, &mut az).over(n),
        device
    );
    let mut words = [&x, &y, &z, &mass, &ax, &ay, &az]
        .map(|buffer| buffer.as_ptr().addr())
        .to_vec();
    words.push(n as u32);
    // Of itself 3 loads and 3 stores; for each of the others 4 loads, 3 differences, the square's 6 operations, a root,
    // a quotient, the pull's 3 products, and 3 products and sums.
    let work = Work {
        items: n,
        loads: 3.0 + 4.0 * n as f64,
        stores: 3.0,
        sums: 18.0 * n as f64,
        quotients: n as f64,
        roots: n as f64,
        words: 4 * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "nbody",
        grid: [n as u32, 1, 1],
        block: None,
        words: &words,
    };
    let mut outputs = [
        (&mut ax, expected(0)),
        (&mut ay, expected(1)),
        (&mut az, expected(2)),
    ];
    suite.compare::<nbody>("n-body 64", &ours, &cpp, &work, &mut outputs)
}
