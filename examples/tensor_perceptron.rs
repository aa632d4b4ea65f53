//! Tells for points of the plane which of two rings they are in: a perceptron of two layers, whose weights have been
//! trained. Matrices are `bf16` and go through the device tile by tile; how large they are, the launch says.
//!
//! ```sh
//! cargo run --release --example tensor_perceptron
//! ```

use vortex::prelude::*;

/// Points, each with its ring: `x,y,ring`.
const POINTS: &str = include_str!("data/rings.csv");

/// Weights of both layers, a row for each input. The last input of a layer is always 1.
const WEIGHTS: &str = include_str!("data/rings_weights.csv");

/// Inputs of the first layer.
const INPUTS: usize = 3;

/// `out = input * weights`, with nothing below zero if `cut` is set: a group computes a tile.
#[vortex::kernel(block = 32)]
pub fn layer(
    #[comptime] cut: bool,
    #[layout(tile_shape = [16, 16])] input: &Tensor<bf16>,
    #[layout(tile_shape = [16, 16])] weights: &Tensor<bf16>,
    #[layout(tile_shape = [16, 16])] out: &mut Tensor<f32>,
) {
    let (column, row) = group_id_2d();
    let (left, right, page) = (input.buffer(), weights.buffer(), out.buffer());
    let sums = out.accumulator();
    for k in 0..input.tile_cols() {
        left.reserve();
        left.load_tile(input.tile(row, k));
        left.push();
        right.reserve();
        right.load_tile(weights.tile(k, column));
        right.push();
        left.wait();
        right.wait();
        sums.mma(left, right);
        left.pop();
        right.pop();
    }
    page.reserve();
    sums.store_to(page);
    page.push();
    page.wait();
    let tile = out.tile(row, column);
    for n in (local_id()..256).step_by(32) {
        let sum = page.read(n / 16, n % 16);
        tile.write(n / 16, n % 16, if cut { sum.max(0.0) } else { sum });
    }
    page.pop();
}

/// Numbers of a line.
fn numbers(line: &str) -> Vec<f32> {
    line.split(',')
        .filter_map(|number| number.parse().ok())
        .collect()
}

/// Rows as a tensor of whole tiles, rounded to `bf16`.
fn upload(device: &Device, rows: &[Vec<f32>]) -> vortex::Result<Tensor<bf16>> {
    let cols = rows.first().map_or(0, Vec::len);
    let elements: Vec<bf16> = rows.iter().flatten().copied().map(bf16::from_f32).collect();
    let matrix = (&elements[..], rows.len(), cols);
    device.upload_tensor_padded(&matrix, TensorLayout::INTERLEAVED.tile_shape(16, 16))
}

/// A layer on the device; rows as they went in.
fn run(
    device: &Device,
    cut: bool,
    input: &[Vec<f32>],
    weights: &[Vec<f32>],
) -> vortex::Result<Vec<Vec<f32>>> {
    let (input_device, weights_device) = (upload(device, input)?, upload(device, weights)?);
    let (rows, cols) = (input_device.rows(), weights_device.cols());
    let layout = TensorLayout::INTERLEAVED.tile_shape(16, 16);
    let mut out = device.alloc_tensor_of(rows, cols, layout)?;
    layer(cut, &input_device, &weights_device, &mut out)
        .grid((cols / 16, rows / 16))
        .launch(device)?;
    let width = weights.first().map_or(0, Vec::len);
    let out = out.download()?;
    let rows = out.chunks(cols).take(input.len());
    Ok(rows.map(|row| row[..width].to_vec()).collect())
}

fn main() -> vortex::Result<()> {
    let points: Vec<Vec<f32>> = POINTS.lines().skip(1).map(numbers).collect();
    let weights: Vec<Vec<f32>> = WEIGHTS.lines().map(numbers).collect();
    let (first, second) = weights.split_at(INPUTS);

    let device = Device::open()?;
    let inputs: Vec<Vec<f32>> = points
        .iter()
        .map(|point| vec![point[0], point[1], 1.0])
        .collect();
    let mut hidden = run(&device, true, &inputs, first)?;
    hidden.iter_mut().for_each(|row| row.push(1.0));
    let scores = run(&device, false, &hidden, second)?;

    let right = points.iter().zip(&scores).filter(|(point, score)| {
        let ring = if score[1] > score[0] { 1.0 } else { 0.0 };
        point[2] == ring
    });
    let (right, all) = (right.count(), points.len());
    println!("{right} of {all} points are told their ring");
    assert_eq!(right, all);
    Ok(())
}
