//! Inverses of matrices of four rows: each item has a matrix.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
pub(crate) struct Matrix {
    rows: [[f32; 4]; 4],
}

#[vortex::device]
fn minor(rows: &[[f32; 4]; 4], top: usize, left: usize, right: usize) -> f32 {
    rows[top][left] * rows[top + 1][right] - rows[top + 1][left] * rows[top][right]
}

#[vortex::device]
fn inverse(matrix: &Matrix) -> Option<Matrix> {
    let m = matrix.rows;
    let s = [
        minor(&m, 0, 0, 1),
        minor(&m, 0, 0, 2),
        minor(&m, 0, 0, 3),
        minor(&m, 0, 1, 2),
        minor(&m, 0, 1, 3),
        minor(&m, 0, 2, 3),
    ];
    let c = [
        minor(&m, 2, 0, 1),
        minor(&m, 2, 0, 2),
        minor(&m, 2, 0, 3),
        minor(&m, 2, 1, 2),
        minor(&m, 2, 1, 3),
        minor(&m, 2, 2, 3),
    ];
    let determinant =
        s[0] * c[5] - s[1] * c[4] + s[2] * c[3] + s[3] * c[2] - s[4] * c[1] + s[5] * c[0];
    if determinant == 0.0 {
        return None;
    }
    let rows = [
        [
            m[1][1] * c[5] - m[1][2] * c[4] + m[1][3] * c[3],
            -m[0][1] * c[5] + m[0][2] * c[4] - m[0][3] * c[3],
            m[3][1] * s[5] - m[3][2] * s[4] + m[3][3] * s[3],
            -m[2][1] * s[5] + m[2][2] * s[4] - m[2][3] * s[3],
        ],
        [
            -m[1][0] * c[5] + m[1][2] * c[2] - m[1][3] * c[1],
            m[0][0] * c[5] - m[0][2] * c[2] + m[0][3] * c[1],
            -m[3][0] * s[5] + m[3][2] * s[2] - m[3][3] * s[1],
            m[2][0] * s[5] - m[2][2] * s[2] + m[2][3] * s[1],
        ],
        [
            m[1][0] * c[4] - m[1][1] * c[2] + m[1][3] * c[0],
            -m[0][0] * c[4] + m[0][1] * c[2] - m[0][3] * c[0],
            m[3][0] * s[4] - m[3][1] * s[2] + m[3][3] * s[0],
            -m[2][0] * s[4] + m[2][1] * s[2] - m[2][3] * s[0],
        ],
        [
            -m[1][0] * c[3] + m[1][1] * c[1] - m[1][2] * c[0],
            m[0][0] * c[3] - m[0][1] * c[1] + m[0][2] * c[0],
            -m[3][0] * s[3] + m[3][1] * s[1] - m[3][2] * s[0],
            m[2][0] * s[3] - m[2][1] * s[1] + m[2][2] * s[0],
        ],
    ];
    let scale = 1.0 / determinant;
    Some(Matrix {
        rows: rows.map(|row| row.map(|x| x * scale)),
    })
}

variants! {
    fn inverse4(matrices: &[Matrix], inverses: &mut [f32]) {
        let i = global_id();
        if let Some(inverse) = inverse(&matrices[i]) {
            for row in 0..4 {
                for column in 0..4 {
                    inverses[16 * i + 4 * row + column] = inverse.rows[row][column];
                }
            }
        }
    }
}

/// The inverse, by elimination in `f64`; nothing if there is none.
fn plain(matrix: &[f32]) -> [f32; 16] {
    let mut left: Vec<f64> = matrix.iter().map(|x| f64::from(*x)).collect();
    let mut right: Vec<f64> = (0..16).map(|k| f64::from(u8::from(k % 5 == 0))).collect();
    for column in 0..4 {
        let pivot = (column..4).max_by(|a, b| {
            let [a, b] = [a, b].map(|row| left[4 * row + column].abs());
            a.total_cmp(&b)
        });
        let pivot = pivot.unwrap_or(column);
        if left[4 * pivot + column] == 0.0 {
            return [0.0; 16];
        }
        for k in 0..4 {
            left.swap(4 * column + k, 4 * pivot + k);
            right.swap(4 * column + k, 4 * pivot + k);
        }
        let scale = 1.0 / left[4 * column + column];
        for k in 0..4 {
            left[4 * column + k] *= scale;
            right[4 * column + k] *= scale;
        }
        for row in (0..4).filter(|row| *row != column) {
            let by = left[4 * row + column];
            for k in 0..4 {
                left[4 * row + k] -= by * left[4 * column + k];
                right[4 * row + k] -= by * right[4 * column + k];
            }
        }
    }
    std::array::from_fn(|k| right[k] as f32)
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 256;
    let mut values = numbers(16 * n, 123);
    for (i, matrix) in values.chunks_mut(16).enumerate() {
        for k in 0..4 {
            matrix[5 * k] += 3.0;
        }
        if i % 29 == 3 {
            matrix.fill(0.0);
        }
    }
    let expected = values.chunks(16).flat_map(plain).collect();
    let all: Vec<Matrix> = values
        .chunks(16)
        .map(|m| Matrix {
            rows: std::array::from_fn(|row| std::array::from_fn(|k| m[4 * row + k])),
        })
        .collect();
    let matrices = suite.device.upload(&all)?;
    let mut inverses = suite.device.upload(&vec![0.0f32; 16 * n])?;
    let ours = launched!(inverse4(&matrices, &mut inverses).over(n), &suite.device);
    // 12 minors of 3 operations, 11 for the determinant, 6 for each element; 8 signs are turned.
    let work = Work {
        items: n,
        loads: 16.0,
        stores: 16.0,
        sums: 36.0 + 11.0 + 6.0 * 16.0,
        comparisons: 1.0,
        quotients: 1.0,
        words: 16 * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/inverse4",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[matrices.as_ptr().addr(), inverses.as_ptr().addr()],
    };
    suite.compare::<inverse4>(
        "inverse of 4x4, 256",
        &ours,
        &cpp,
        &work,
        &mut [(&mut inverses, expected)],
    )
}
