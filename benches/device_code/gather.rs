//! Elements at indices that lie in memory.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn gather(from: &[f32], at: &[u32], to: &mut [f32]) {
        let i = global_id();
        to[i] = from[at[i] as usize];
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 2048;
    let values = numbers(n, 76);
    let random = numbers(n, 77).into_iter();
    let places: Vec<u32> = random
        .map(|x| (x.abs() * n as f32) as u32 % n as u32)
        .collect();
    let expected = places.iter().map(|place| values[*place as usize]).collect();
    let from = suite.device.upload(&values)?;
    let at = suite.device.upload(&places)?;
    let mut to = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(gather(&from, &at, &mut to).over(n), &suite.device);
    let work = Work {
        items: n,
        loads: 2.0,
        stores: 1.0,
        words: n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "gather",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[from.as_ptr().addr(), at.as_ptr().addr(), to.as_ptr().addr()],
    };
    suite.compare::<gather>(
        "gather 2048",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
