//! Lets heat flow over a plate, cut into shards with a halo: around its shard each group has the rim of its
//! neighbours', so that it finds all that it needs in local memory.
//!
//! ```sh
//! cargo run --release --example tensor_stencil
//! ```

use vortex::prelude::*;

/// Rows and columns of the plate.
const SIZE: usize = 64;

/// Work items of a group.
const ITEMS: usize = 32;

/// A step: each place comes nearer to the mean of the four around it. What is outside of the plate is cold.
#[vortex::kernel(block = ITEMS, grid = (4, 4))]
pub fn step(
    #[layout(memory = l1, layout = sharded, shard(axes = [M, N], grid = [4, 4]), tile_shape = [16, 16], halo = [1, 1])]
    old: &Tensor<f32, SIZE, SIZE>,
    #[layout(layout = sharded, shard(axes = [M, N], grid = [4, 4]), tile_shape = [16, 16])]
    new: &mut Tensor<f32, SIZE, SIZE>,
) {
    let plate = old.shard();
    for n in (local_id()..plate.rows() * plate.cols()).step_by(ITEMS) {
        let (row, col) = (n / plate.cols(), n % plate.cols());
        let vertical = plate.near(row, col, -1, 0) + plate.near(row, col, 1, 0);
        let horizontal = plate.near(row, col, 0, -1) + plate.near(row, col, 0, 1);
        let here = plate.read(row, col);
        let next = 0.5 * here + 0.125 * (vertical + horizontal);
        new.write(plate.first_row() + row, plate.first_col() + col, next);
    }
}

/// The same in plain Rust.
fn reference(old: &[f32]) -> Vec<f32> {
    let at = |row: isize, col: isize| {
        let inside = |n: isize| (0..SIZE as isize).contains(&n);
        match inside(row) && inside(col) {
            true => old[row as usize * SIZE + col as usize],
            false => 0.0,
        }
    };
    let places = (0..SIZE * SIZE).map(|n| ((n / SIZE) as isize, (n % SIZE) as isize));
    let next = places.map(|(row, col)| {
        let vertical = at(row - 1, col) + at(row + 1, col);
        let horizontal = at(row, col - 1) + at(row, col + 1);
        0.5 * at(row, col) + 0.125 * (vertical + horizontal)
    });
    next.collect()
}

fn main() -> vortex::Result<()> {
    let mut plate: Vec<f32> = (0..SIZE * SIZE)
        .map(|n| if n % 67 < 9 { 100.0 } else { 0.0 })
        .collect();

    let device = Device::open()?;
    let layout = TensorLayout::sharded(&[Axis::M, Axis::N], &[4, 4]).tile_shape(16, 16);
    let mut old: Tensor<f32, SIZE, SIZE> = device.upload_tensor(&plate, layout)?;
    let mut new = device.alloc_tensor(layout)?;
    for _ in 0..10 {
        step(&old, &mut new).launch(&device)?;
        std::mem::swap(&mut old, &mut new);
        plate = reference(&plate);
    }

    assert_eq!(old.download()?, plate);
    let warmest = plate.iter().copied().fold(0.0, f32::max);
    println!(
        "after 10 steps the warmest place has {warmest:.2} degrees, on the device as in plain Rust"
    );
    Ok(())
}
