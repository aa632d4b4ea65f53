//! Conway's game of life on a board whose edges meet: a gun shoots gliders.
//!
//! A work item has 32 cells at once, the bits of a word. It counts the neighbours of all of them together, with a
//! binary number for each cell whose digits are in three words: an addition is a few `&` and `^`, for 32 cells.
//!
//! ```sh
//! cargo run --release --example life          # 80 generations
//! cargo run --release --example life -- 500
//! ```

mod shared;

use vortex::prelude::*;

/// Words of a row, and rows.
const WORDS: usize = 2;
const ROWS: usize = 40;

/// Bill Gosper's gun.
const GUN: [&str; 9] = [
    "........................o",
    "......................o.o",
    "............oo......oo............oo",
    "...........o...o....oo............oo",
    "oo........o.....o...oo",
    "oo........o...o.oo....o.o",
    "..........o.....o.......o",
    "...........o...o",
    "............oo",
];

/// Adds one to the number of each cell whose bit is set. Eight is zero again, which is as good: a cell dies of it.
#[vortex::device]
fn count(sum: &mut [u32; 3], cells: u32) {
    let twos = sum[0] & cells;
    sum[0] ^= cells;
    let fours = sum[1] & twos;
    sum[1] ^= twos;
    sum[2] ^= fours;
}

#[vortex::kernel]
fn generation(old: &[u32], new: &mut [u32]) {
    let (column, row) = global_id_2d();
    let mut sum = [0; 3];
    for step in 0..3 {
        let line = (row + ROWS + step - 1) % ROWS * WORDS;
        let here = old[line + column];
        // A cell's neighbour to the left is the bit below its own.
        count(
            &mut sum,
            here << 1 | old[line + (column + WORDS - 1) % WORDS] >> 31,
        );
        count(&mut sum, here >> 1 | old[line + (column + 1) % WORDS] << 31);
        if step != 1 {
            count(&mut sum, here);
        }
    }
    let [ones, twos, fours] = sum;
    let is_alive = old[row * WORDS + column];
    new[row * WORDS + column] = twos & !fours & (ones | is_alive);
}

/// The same in plain Rust, cell by cell.
fn generation_on_host(old: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let width = 32 * WORDS;
    let cell = |x: usize, y: usize| {
        let around = (0..9).filter(|&n| n != 4);
        let alive =
            around.filter(|n| old[(y + ROWS + n / 3 - 1) % ROWS][(x + width + n % 3 - 1) % width]);
        matches!((alive.count(), old[y][x]), (3, _) | (2, true))
    };
    let row = |y| (0..width).map(|x| cell(x, y)).collect();
    (0..ROWS).map(row).collect()
}

fn main() -> vortex::Result<()> {
    let generations = shared::size_argument(80, 100_000);
    let mut board = vec![vec![false; 32 * WORDS]; ROWS];
    for (row, line) in GUN.iter().enumerate() {
        for (column, cell) in line.bytes().enumerate() {
            board[row + 1][column + 1] = cell == b'o';
        }
    }
    let words: Vec<u32> = board
        .iter()
        .flat_map(|row| row.chunks(32))
        .map(|cells| {
            cells
                .iter()
                .rev()
                .fold(0, |word, &cell| word << 1 | u32::from(cell))
        })
        .collect();

    let device = Device::open()?;
    let mut old = device.upload(&words)?;
    let mut new = device.alloc(words.len())?;
    for _ in 0..generations {
        generation(&old, &mut new)
            .over((WORDS, ROWS))
            .launch(&device)?;
        std::mem::swap(&mut old, &mut new);
        board = generation_on_host(&board);
    }

    let words = old.download()?;
    for (row, cells) in board.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let bit = words[row * WORDS + column / 32] >> (column % 32) & 1;
            assert_eq!(bit == 1, *cell, "row {row}, column {column}");
        }
    }
    for rows in board.chunks(2) {
        let cells = rows[0].iter().zip(&rows[1]);
        let halves = cells.map(|cells| match cells {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        });
        println!("|{}|", halves.collect::<String>());
    }
    let alive = words.iter().map(|word| word.count_ones()).sum::<u32>();
    println!("{alive} cells are alive after {generations} generations, the same as in plain Rust");
    Ok(())
}
