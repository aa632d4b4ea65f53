//! Looks for a number that gives a text a hash with many zeros in front, by trying (SHA-256, as in a chain of blocks).
//!
//! Each work item hashes the text with a number of its own, all in registers: they have nothing to do with each other
//! until one of them has a hit, of which an atomic minimum keeps the first.
//!
//! ```sh
//! cargo run --release --example sha256            # 4,096 numbers
//! cargo run --release --example sha256 -- 1000000
//! ```

mod shared;

use vortex::prelude::*;

/// What is hashed in front of the number: eight bytes.
const TEXT: &[u8; 8] = b"vortex #";

/// The first 32 binary digits after the point of the square roots (`power` 2) or cube roots (3) of the first primes.
const fn root_digits<const N: usize>(power: u32) -> [u32; N] {
    let mut digits = [0; N];
    let (mut prime, mut n) = (2, 0);
    while n < N {
        let (scaled, mut root, mut bit) = ((prime as u128) << (32 * power), 0u128, 1u128 << 36);
        while bit > 0 {
            if (root | bit).pow(power) <= scaled {
                root |= bit;
            }
            bit >>= 1;
        }
        digits[n] = root as u32;
        n += 1;
        let mut divisor = 1;
        while divisor != prime {
            (prime, divisor) = (prime + 1, 2);
            while prime % divisor != 0 {
                divisor += 1;
            }
        }
    }
    digits
}

const START: [u32; 8] = root_digits(2);
const K: [u32; 64] = root_digits(3);

/// The hash of a message of one block.
#[vortex::device]
fn hash(mut words: [u32; 16]) -> [u32; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = START;
    for part in 0..4 {
        #[unroll]
        for i in 0..16 {
            if part > 0 {
                let (x, y) = (words[(i + 1) % 16], words[(i + 14) % 16]);
                let x = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
                let y = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
                words[i] += x + words[(i + 9) % 16] + y;
            }
            let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let first = h + mixed + (e & f ^ !e & g) + K[16 * part + i] + words[i];
            let mixed = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let second = mixed + (a & b ^ a & c ^ b & c);
            (h, g, f, e, d, c, b, a) = (g, f, e, d + first, c, b, a, first + second);
        }
    }
    let ends = [a, b, c, d, e, f, g, h];
    std::array::from_fn(|i| START[i] + ends[i])
}

/// Hashes the text with the number of the item; `found` is the least number whose hash begins with `zeros` zeros.
#[vortex::kernel]
fn search(text: [u32; 2], zeros: u32, hashes: &mut [[u32; 8]], found: &mut [u32]) {
    let number = global_id() as u32;
    // A one follows the message, and its length in bits ends the block.
    let end = 1 << 31;
    let block = [
        text[0], text[1], number, end, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 96,
    ];
    let hash = hash(block);
    hashes[global_id()] = hash;
    if hash[0].leading_zeros() >= zeros {
        found.atomic(0).fetch_min(number, Relaxed);
    }
}

/// The same in plain Rust, as the standard says it, of a message of any length.
fn hash_on_host(message: &[u8]) -> [u32; 8] {
    let mut bytes = message.to_vec();
    bytes.push(0x80);
    while bytes.len() % 64 != 56 {
        bytes.push(0);
    }
    bytes.extend((message.len() as u64 * 8).to_be_bytes());
    let mut state = START;
    for block in bytes.chunks(64) {
        let mut w: Vec<u32> = (block.chunks(4))
            .map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        for t in 16..64 {
            let (a, b) = (w[t - 15], w[t - 2]);
            let a = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let b = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            w.push(
                w[t - 16]
                    .wrapping_add(a)
                    .wrapping_add(w[t - 7])
                    .wrapping_add(b),
            );
        }
        let mut v = state;
        for t in 0..64 {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
            let t1 = [s1, choice, K[t], w[t]]
                .iter()
                .fold(v[7], |a, b| a.wrapping_add(*b));
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(t1);
            v[0] = t1.wrapping_add(s0).wrapping_add(majority);
        }
        state = std::array::from_fn(|i| state[i].wrapping_add(v[i]));
    }
    state
}

fn hex(hash: [u32; 8]) -> String {
    hash.map(|word| format!("{word:08x}")).concat()
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(4_096, 1 << 22);
    // As FIPS 180 has it.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hex(hash_on_host(b"abc")), abc);
    // So many that one is likely to be found.
    let zeros = n.max(8).ilog2() - 2;
    let text = [0, 4].map(|i| u32::from_be_bytes([TEXT[i], TEXT[i + 1], TEXT[i + 2], TEXT[i + 3]]));

    let device = Device::open()?;
    let mut hashes = device.alloc(n)?;
    let mut found = device.upload(&[u32::MAX])?;
    let launch = search(text, zeros, &mut hashes, &mut found);
    let report = launch.over(n).launch(&device)?;

    let hashes = hashes.download()?;
    for (number, hash) in (0u32..).zip(&hashes) {
        let message = [&TEXT[..], &number.to_be_bytes()].concat();
        assert_eq!(*hash, hash_on_host(&message), "of number {number}");
    }
    let hits = hashes
        .iter()
        .position(|hash| hash[0].leading_zeros() >= zeros);
    let first = hits.map_or(u32::MAX, |hit| hit as u32);
    assert_eq!(found.download()?, [first]);
    println!("{report}");
    match hits {
        Some(hit) => println!(
            "number {hit} has {zeros} zeros in front: {}",
            hex(hashes[hit])
        ),
        None => println!("none has {zeros} zeros in front"),
    }
    println!("all {n} hashes are those of plain Rust");
    Ok(())
}
