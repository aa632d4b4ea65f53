//! Euclid's algorithm: remainders, as often as the lane's numbers need.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn gcd(x: &[u32], y: &[u32], to: &mut [u32]) {
        let i = global_id();
        let (mut a, mut b) = (x[i], y[i]);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        to[i] = a;
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 512;
    let words = |seed| -> Vec<u32> {
        let random = numbers(n, seed).into_iter();
        random.map(|x| ((x + 1.0) * 50_000.0) as u32).collect()
    };
    let (first, second) = (words(82), words(83));
    let mut steps = 0;
    let mut divisor = |(a, b): (&u32, &u32)| {
        let (mut a, mut b) = (*a, *b);
        while b != 0 {
            (a, b) = (b, a % b);
            steps += 1;
        }
        a
    };
    let expected = first.iter().zip(&second).map(&mut divisor).collect();
    let x = suite.device.upload(&first)?;
    let y = suite.device.upload(&second)?;
    let mut to = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(gcd(&x, &y, &mut to).over(n), &suite.device);
    // A remainder, and the comparison.
    let work = Work {
        items: n,
        loads: 2.0,
        stores: 1.0,
        others: 2.0 * f64::from(steps) / n as f64,
        words: 2 * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "gcd",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[x.as_ptr().addr(), y.as_ptr().addr(), to.as_ptr().addr()],
    };
    suite.compare::<gcd>("gcd 512", &ours, &cpp, &work, &mut [(&mut to, expected)])
}
