//! The Laplacian of a point in a cube from its six neighbours, which are clamped to the cube.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn stencil7(from: &[f32], to: &mut [f32], n: usize) {
        let (x, y, z) = global_id_3d();
        let (left, right) = (x.saturating_sub(1), (x + 1).min(n - 1));
        let (up, down) = (y.saturating_sub(1), (y + 1).min(n - 1));
        let (front, back) = (z.saturating_sub(1), (z + 1).min(n - 1));
        let sum = from[(z * n + y) * n + left]
            + from[(z * n + y) * n + right]
            + from[(z * n + up) * n + x]
            + from[(z * n + down) * n + x]
            + from[(front * n + y) * n + x]
            + from[(back * n + y) * n + x];
        let i = (z * n + y) * n + x;
        to[i] = sum - 6.0 * from[i];
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 12;
    let cube = numbers(n * n * n, 17);
    let at = |x: usize, y: usize, z: usize| cube[(z * n + y) * n + x];
    let point = |i: usize| {
        let (x, y, z) = (i % n, i / n % n, i / n / n);
        let (less, more) = (
            |a: usize| a.saturating_sub(1),
            |a: usize| (a + 1).min(n - 1),
        );
        let row = at(less(x), y, z) + at(more(x), y, z);
        let plane = row + at(x, less(y), z) + at(x, more(y), z);
        plane + at(x, y, less(z)) + at(x, y, more(z)) - 6.0 * at(x, y, z)
    };
    let expected = (0..n * n * n).map(point).collect();
    let from = suite.device.upload(&cube)?;
    let mut to = suite.device.upload(&vec![0.0f32; n * n * n])?;
    let ours = launched!(stencil7(&from, &mut to, n).over((n, n, n)), &suite.device);
    // 7 loads, 6 sums and a product.
    let work = Work {
        items: n * n * n,
        loads: 7.0,
        stores: 1.0,
        sums: 7.0,
        words: n * n * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "stencil7",
        grid: [n as u32; 3],
        block: None,
        words: &[from.as_ptr().addr(), to.as_ptr().addr(), n as u32],
    };
    suite.compare::<stencil7>(
        "7-point stencil 12^3",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
