//! Vortex's `mpi_blocked_sgemm`: a product of matrices by Cannon's algorithm. The ranks are a square, and each has a
//! block of both matrices; between products of blocks, those of the first matrix go to the left and those of the second
//! go up. So no rank ever has more than two blocks.
//!
//! A send does not wait for its receiver, so all ranks can send first.
//!
//! ```sh
//! cargo build --release --examples && mpirun -n 4 target/release/examples/mpi_blocked_sgemm
//! ```

use std::process::ExitCode;

use vortex::prelude::*;
use vortex_mpi::World;

/// Rows and columns of the matrices. A multiple of the square's side.
const N: usize = 24;

/// Adds the product of two blocks to a third.
#[vortex::kernel]
fn add_product(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (column, row) = global_id_2d();
    let mut sum = c[row * n + column];
    for k in 0..n {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

/// The block in this row and column of a square of blocks with `n` rows.
fn block(matrix: &[f32], n: usize, (row, column): (usize, usize)) -> Vec<f32> {
    let rows = (row * n..(row + 1) * n).map(|row| &matrix[row * N + column * n..][..n]);
    rows.flatten().copied().collect()
}

fn program(world: &World) -> vortex_mpi::Result<()> {
    let device = world.device();
    let side = world.ranks().isqrt();
    if side * side != world.ranks() || !N.is_multiple_of(side) {
        world.together(|| {
            Err::<(), _>("this needs 1, 4, 9, 16, 36 or 64 ranks, for they are a square")
        })?;
    }
    let n = N / side;
    // Small whole numbers, whose sums are exact in any order.
    let a: Vec<f32> = (0..N * N).map(|i| (i % 19) as f32 - 9.0).collect();
    let b: Vec<f32> = (0..N * N).map(|i| (i % 23) as f32 - 11.0).collect();

    let (row, column) = (world.rank() / side, world.rank() % side);
    let at = |row: usize, column: usize| row % side * side + column % side;
    let new = || world.together(|| device.alloc(n * n));
    let (mut a_block, mut b_block, mut c_block, mut spare) = (new()?, new()?, new()?, new()?);

    // Rank 0 gives each rank its blocks.
    for (matrix, mine) in [(&a, &mut a_block), (&b, &mut b_block)] {
        let whole = world.only_on(0, || {
            let blocks = (0..world.ranks()).flat_map(|to| block(matrix, n, (to / side, to % side)));
            device.upload(&blocks.collect::<Vec<_>>())
        })?;
        world.scatter(0, whole.as_deref(), mine)?;
    }

    // Row `r` of the first begins `r` columns further to the left, column `c` of the second `c` rows further up.
    let mut left = row;
    let mut up = column;
    for _ in 0..side {
        world.send(at(row, column + side - left % side), &a_block)?;
        world.receive(at(row, column + left), &mut spare)?;
        std::mem::swap(&mut a_block, &mut spare);
        world.send(at(row + side - up % side, column), &b_block)?;
        world.receive(at(row + up, column), &mut spare)?;
        std::mem::swap(&mut b_block, &mut spare);
        world.together(|| {
            add_product(n, &a_block, &b_block, &mut c_block)
                .over((n, n))
                .launch(device)
        })?;
        (left, up) = (1, 1);
    }

    let mut blocks = world.only_on(0, || device.alloc(N * N))?;
    world.gather(0, &c_block, blocks.as_deref_mut())?;
    if let Some(blocks) = blocks {
        let product = |i: usize| {
            (0..N)
                .map(|k| a[i / N * N + k] * b[k * N + i % N])
                .sum::<f32>()
        };
        let product: Vec<f32> = (0..N * N).map(product).collect();
        let expected = (0..world.ranks()).flat_map(|of| block(&product, n, (of / side, of % side)));
        assert_eq!(blocks.download()?, expected.collect::<Vec<_>>());
        println!("{side} x {side} blocks of a product of {N} x {N} matrices, as on the host");
    }
    Ok(())
}

fn main() -> ExitCode {
    vortex_mpi::run(program)
}
