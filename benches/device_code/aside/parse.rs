//! Decimal numbers in a text, such as `-12.75`: each item reads one.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

#[vortex::device]
fn decimal(text: &[u8]) -> Option<f32> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1.0, rest),
        _ => (1.0, text),
    };
    let mut mantissa = 0;
    let mut scale = 1.0;
    let mut behind_point = false;
    for &c in digits {
        match c {
            b'0'..=b'9' => {
                mantissa = 10 * mantissa + (c - b'0') as u32;
                if behind_point {
                    scale *= 10.0;
                }
            }
            b'.' if !behind_point => behind_point = true,
            _ => return None,
        }
    }
    Some(sign * mantissa as f32 / scale)
}

variants! {
    fn parse(text: &[u8], starts: &[u32], values: &mut [f32]) {
        let i = global_id();
        if i >= values.len() {
            return;
        }
        let number = &text[starts[i] as usize..starts[i + 1] as usize - 1];
        values[i] = decimal(number).unwrap_or(0.0);
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 512;
    let mut written = String::new();
    let mut starts = vec![0u32];
    let mut expected = Vec::new();
    for (k, number) in numbers(n, 102).into_iter().enumerate() {
        let number = number * [1.0, 10.0, 1000.0, 5000.0][k % 4];
        let digits = [2, 0, 3, 1][k / 4 % 4];
        let is_wrong = k % 37 == 5;
        let word = format!("{number:.digits$}{}", if is_wrong { "x" } else { "" });
        expected.push(word.parse().unwrap_or(0.0));
        written += &word;
        written.push(' ');
        starts.push(written.len() as u32);
    }
    let text = suite.device.upload(written.as_bytes())?;
    let starts = suite.device.upload(&starts)?;
    let mut values = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(parse(&text, &starts, &mut values).over(n), &suite.device);
    // Of each character a load, whether it is a digit, a product and a sum.
    let each = written.len() as f64 / n as f64 - 1.0;
    let work = Work {
        items: n,
        loads: 2.0 + each,
        stores: 1.0,
        others: 5.0 * each,
        conversions: 1.0,
        sums: 1.0,
        quotients: 1.0,
        words: n + written.len() / 4,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/parse",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            text.as_ptr().addr(),
            starts.as_ptr().addr(),
            values.as_ptr().addr(),
        ],
    };
    suite.compare::<parse>(
        "parse 512",
        &ours,
        &cpp,
        &work,
        &mut [(&mut values, expected)],
    )
}
