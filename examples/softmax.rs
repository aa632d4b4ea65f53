//! Which letter comes next: for each letter the probabilities of those that may follow it, by softmax.
//!
//! A group has a row of the matrix, and a work item one or more of its elements. What all of them need, the largest
//! element and the sum, is combined by `group::reduce_max` and `group::reduce_add`.
//!
//! ```sh
//! cargo run --release --example softmax           # at temperature 1: as often as in docs/language.md
//! cargo run --release --example softmax -- 0.5    # more often what is likely
//! ```

mod shared;

use vortex::prelude::*;

const TEXT: &str = include_str!("../docs/language.md");

/// Letters, and the end of a word.
const N: usize = 27;

/// `exp(score / temperature)` of each element, divided by the sum of these in its row. The largest is taken off before,
/// so that none is too large for an `f32`.
#[vortex::kernel]
fn softmax(temperature: f32, columns: usize, scores: &[f32], out: &mut [f32]) {
    let row = group_id() * columns;
    let (from, to) = (&scores[row..row + columns], &mut out[row..row + columns]);
    let mut most = f32::MIN;
    for i in (local_id()..columns).step_by(local_size()) {
        most = most.max(from[i]);
    }
    let most = group::reduce_max(most);
    let mut sum = 0.0;
    for i in (local_id()..columns).step_by(local_size()) {
        let part = ((from[i] - most) / temperature).exp();
        to[i] = part;
        sum += part;
    }
    let sum = group::reduce_add(sum);
    for i in (local_id()..columns).step_by(local_size()) {
        to[i] /= sum;
    }
}

/// How often each letter is followed by each.
fn counts(text: &str) -> Vec<u32> {
    let number = |byte: u8| match byte.to_ascii_lowercase() {
        letter @ b'a'..=b'z' => usize::from(letter - b'a'),
        _ => N - 1,
    };
    let mut counts = vec![0; N * N];
    for pair in text.as_bytes().windows(2) {
        counts[number(pair[0]) * N + number(pair[1])] += 1;
    }
    counts
}

fn main() -> vortex::Result<()> {
    let given = std::env::args().nth(1).unwrap_or("1".into());
    let temperature = given.parse().ok().filter(|t| (0.1..=10.0).contains(t));
    let temperature: f32 = temperature.unwrap_or_else(|| {
        shared::fail(&format!(
            "the temperature is a number from 0.1 to 10, not `{given}`"
        ))
    });
    let counts = counts(TEXT);
    // A pair that never occurs is not impossible, but rare.
    let scores: Vec<f32> = counts
        .iter()
        .map(|&count| (count as f32 + 0.01).ln())
        .collect();

    let device = Device::open()?;
    let scores_device = device.upload(&scores)?;
    let mut out = device.alloc(N * N)?;
    let report = softmax(temperature, N, &scores_device, &mut out)
        .grid(N)
        .block(shared::group_size(&device, 32))
        .launch(&device)?;
    let out = out.download()?;

    // In `f64`, from the counts: the exponential of a logarithm is the number again.
    let mut worst = 0.0f64;
    for (counts, got) in counts.chunks(N).zip(out.chunks(N)) {
        let power = |&count: &u32| (f64::from(count) + 0.01).powf(1.0 / f64::from(temperature));
        let sum: f64 = counts.iter().map(power).sum();
        for (count, got) in counts.iter().zip(got) {
            worst = worst.max((power(count) / sum - f64::from(*got)).abs());
        }
    }
    // Of scores of about 8, rounded in the seventh digit and divided by the temperature.
    let allowed = 2e-6 / f64::from(temperature.min(1.0));
    assert!(worst < allowed, "off by {worst}, more than {allowed}");
    for (letter, row) in ('a'..='z').zip(out.chunks(N)).step_by(3) {
        let mut order: Vec<usize> = (0..N).collect();
        order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
        print!("{letter}");
        for &next in &order[..3] {
            let next_letter = ('a'..='z').nth(next).unwrap_or('_');
            print!(
                "  {next_letter} {:3.0}% {:12}",
                100.0 * row[next],
                shared::bar(row[next], 12)
            );
        }
        println!();
    }
    println!("{report}");
    println!("{N} rows of probabilities, off by {worst:.1e} at most");
    Ok(())
}
