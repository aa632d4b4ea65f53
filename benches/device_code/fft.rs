//! A stage of a fast Fourier transform: each item does a butterfly.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn fft(
        re: &[f32], im: &[f32], turn_re: &[f32], turn_im: &[f32], to_re: &mut [f32], to_im: &mut [f32], half: usize,
    ) {
        let i = global_id();
        let k = i % half;
        let a = i / half * half * 2 + k;
        let b = a + half;
        let by = k * (turn_re.len() / half);
        let re_b = re[b] * turn_re[by] - im[b] * turn_im[by];
        let im_b = re[b] * turn_im[by] + im[b] * turn_re[by];
        to_re[a] = re[a] + re_b;
        to_im[a] = im[a] + im_b;
        to_re[b] = re[a] - re_b;
        to_im[b] = im[a] - im_b;
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, half) = (2048, 16);
    let [real, imaginary, cosines, sines] =
        [(n, 33), (n, 34), (n / 2, 35), (n / 2, 36)].map(|(n, seed)| numbers(n, seed));
    let (mut expected_re, mut expected_im) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n / 2 {
        let (k, a) = (i % half, i / half * half * 2 + i % half);
        let (b, by) = (a + half, k * (n / 2 / half));
        let re_b = real[b] * cosines[by] - imaginary[b] * sines[by];
        let im_b = real[b] * sines[by] + imaginary[b] * cosines[by];
        (expected_re[a], expected_re[b]) = (real[a] + re_b, real[a] - re_b);
        (expected_im[a], expected_im[b]) = (imaginary[a] + im_b, imaginary[a] - im_b);
    }
    let (re, im) = (
        suite.device.upload(&real)?,
        suite.device.upload(&imaginary)?,
    );
    let (turn_re, turn_im) = (suite.device.upload(&cosines)?, suite.device.upload(&sines)?);
    let mut to_re = suite.device.upload(&vec![0.0f32; n])?;
    let mut to_im = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(
        fft(&re, &im, &turn_re, &turn_im, &mut to_re, &mut to_im, half).over(n / 2),
        &suite.device
    );
    // Two numbers and a turn, each in two parts; 6 operations to turn, 4 sums.
    let work = Work {
        items: n / 2,
        loads: 6.0,
        stores: 4.0,
        sums: 10.0,
        words: 2 * (n + half),
        ..Work::default()
    };
    let cpp = Cpp {
        file: "fft",
        grid: [n as u32 / 2, 1, 1],
        block: None,
        words: &[
            re.as_ptr().addr(),
            im.as_ptr().addr(),
            turn_re.as_ptr().addr(),
            turn_im.as_ptr().addr(),
            to_re.as_ptr().addr(),
            to_im.as_ptr().addr(),
            half as u32,
        ],
    };
    suite.compare::<fft>(
        "FFT stage 2048",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to_re, expected_re), (&mut to_im, expected_im)],
    )
}
