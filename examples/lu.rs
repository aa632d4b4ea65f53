//! Solves many systems of linear equations at once, each by an LU decomposition with exchanged rows.
//!
//! A group solves a system in local memory, with all of its work items: a step of the elimination changes each element
//! below and to the right of the pivot once, so they are dealt out among the items, and steps are parted by barriers.
//!
//! ```sh
//! cargo run --release --example lu           # 64 systems of 16 equations
//! cargo run --release --example lu -- 1000
//! ```

mod shared;

use vortex::prelude::*;

/// Equations of a system; its matrix has a column more, for the right side.
const N: usize = 16;
const COLUMNS: usize = N + 1;

#[vortex::kernel]
fn solve(systems: &[[f32; N * COLUMNS]], solutions: &mut [[f32; N]]) {
    let a = local::<[[f32; COLUMNS]; N]>();
    let best = local::<u32>();
    let (item, items) = (local_id(), local_size());
    for n in (item..N * COLUMNS).step_by(items) {
        a[n / COLUMNS][n % COLUMNS] = systems[group_id()][n];
    }
    barrier();
    for pivot in 0..N {
        // The row with the largest element in this column goes first.
        if item == 0 {
            let mut row = pivot;
            for other in pivot + 1..N {
                if a[other][pivot].abs() > a[row][pivot].abs() {
                    row = other;
                }
            }
            *best = row as u32;
        }
        barrier();
        let row = *best as usize;
        for column in (item..COLUMNS).step_by(items) {
            let upper = a[pivot][column];
            a[pivot][column] = a[row][column];
            a[row][column] = upper;
        }
        barrier();
        for n in (item..N * COLUMNS).step_by(items) {
            let (row, column) = (n / COLUMNS, n % COLUMNS);
            if row > pivot && column > pivot {
                a[row][column] -= a[row][pivot] / a[pivot][pivot] * a[pivot][column];
            }
        }
        barrier();
    }
    for pivot in (0..N).rev() {
        let x = a[pivot][N] / a[pivot][pivot];
        for row in (item..pivot).step_by(items) {
            a[row][N] -= a[row][pivot] * x;
        }
        if item == 0 {
            solutions[group_id()][pivot] = x;
        }
        barrier();
    }
}

/// The same in plain Rust.
fn solve_on_host(system: &[f32]) -> [f32; N] {
    let mut rows: Vec<Vec<f32>> = system.chunks(COLUMNS).map(<[f32]>::to_vec).collect();
    for pivot in 0..N {
        let larger = |a: usize, b: usize| {
            if rows[b][pivot].abs() > rows[a][pivot].abs() {
                b
            } else {
                a
            }
        };
        let best = (pivot..N).reduce(larger).unwrap_or(pivot);
        rows.swap(pivot, best);
        let (done, below) = rows.split_at_mut(pivot + 1);
        let first = &done[pivot];
        for row in below {
            let factor = row[pivot] / first[pivot];
            for column in pivot + 1..COLUMNS {
                row[column] -= factor * first[column];
            }
        }
    }
    let mut x = [0.0; N];
    for row in (0..N).rev() {
        let known = (row + 1..N)
            .rev()
            .fold(rows[row][N], |rest, k| rest - rows[row][k] * x[k]);
        x[row] = known / rows[row][row];
    }
    x
}

fn main() -> vortex::Result<()> {
    let systems = shared::size_argument(64, 1 << 16);
    let mut random = shared::Random::new();
    let matrices: Vec<[f32; N * COLUMNS]> = (0..systems)
        .map(|_| std::array::from_fn(|_| 2.0 * random.unit() - 1.0))
        .collect();

    let device = Device::open()?;
    let matrices_device = device.upload(&matrices)?;
    let mut solutions = device.alloc(systems)?;
    let report = solve(&matrices_device, &mut solutions)
        .grid(systems)
        .block(shared::group_size(&device, 64))
        .launch(&device)?;
    let solutions = solutions.download()?;

    println!("system  what remains when the solution is put in");
    let mut worst = 0.0f64;
    for (i, (matrix, x)) in matrices.iter().zip(&solutions).enumerate() {
        // Each element takes the same steps on both sides, so not a bit differs.
        assert_eq!(*x, solve_on_host(matrix), "system {i}");
        let remains = |row: &[f32]| {
            let left = row
                .iter()
                .zip(x)
                .map(|(&a, &x)| f64::from(a) * f64::from(x));
            (left.sum::<f64>() - f64::from(row[N])).abs()
        };
        let remains = matrix.chunks(COLUMNS).map(remains).fold(0.0, f64::max);
        let largest = x.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        if i < 6 {
            println!("{i:6}  {remains:.1e}, with a solution of up to {largest:.1}");
        }
        worst = worst.max(remains / f64::from(largest.max(1.0)));
    }
    // Some hundred roundings in the seventh digit.
    assert!(worst < 1e-4, "{worst}");
    println!("{report}");
    println!("{systems} systems are solved as in plain Rust, up to {worst:.1e} of the solution");
    Ok(())
}
