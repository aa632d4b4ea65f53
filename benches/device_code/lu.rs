//! A step of an LU decomposition: the rows below the pivot lose their share of its row.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn lu(from: &[f32], to: &mut [f32], n: usize, pivot: usize) {
        let (x, y) = global_id_2d();
        let mut value = from[y * n + x];
        if y > pivot && x >= pivot {
            value -= from[y * n + pivot] / from[pivot * n + pivot] * from[pivot * n + x];
        }
        to[y * n + x] = value;
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, pivot) = (48, 7);
    let matrix: Vec<f32> = numbers(n * n, 37).iter().map(|x| x + 2.0).collect();
    let element = |i: usize| {
        let (x, y) = (i % n, i / n);
        let share = matrix[y * n + pivot] / matrix[pivot * n + pivot] * matrix[pivot * n + x];
        if y > pivot && x >= pivot {
            matrix[i] - share
        } else {
            matrix[i]
        }
    };
    let expected = (0..n * n).map(element).collect();
    let from = suite.device.upload(&matrix)?;
    let mut to = suite.device.upload(&vec![0.0f32; n * n])?;
    let ours = launched!(lu(&from, &mut to, n, pivot).over((n, n)), &suite.device);
    // Of those below the pivot 2 loads more (the pivot is the same for all), a quotient, a product and a difference.
    let below = (n - pivot - 1) * (n - pivot);
    let share = below as f64 / (n * n) as f64;
    let work = Work {
        items: n * n,
        loads: 1.0 + 2.0 * share,
        stores: 1.0,
        sums: 2.0 * share,
        quotients: share,
        words: n * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "lu",
        grid: [n as u32, n as u32, 1],
        block: None,
        words: &[
            from.as_ptr().addr(),
            to.as_ptr().addr(),
            n as u32,
            pivot as u32,
        ],
    };
    suite.compare::<lu>(
        "LU step 48x48",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
