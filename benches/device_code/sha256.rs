//! SHA-256 of messages of one block: each item has a message.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

const START: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];
const K: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

variants! {
    fn sha256(blocks: &[u32], digests: &mut [u32]) {
        let i = global_id();
        let mut w = [0; 64];
        for t in 0..16 {
            w[t] = blocks[16 * i + t];
        }
        for t in 16..64 {
            let (a, b) = (w[t - 15], w[t - 2]);
            let low = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let high = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            w[t] = w[t - 16].wrapping_add(low).wrapping_add(w[t - 7]).wrapping_add(high);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = START;
        for t in 0..64 {
            let high = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let first = h.wrapping_add(high).wrapping_add(choice).wrapping_add(K[t]).wrapping_add(w[t]);
            let low = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            h = g;
            g = f;
            f = e;
            e = d.wrapping_add(first);
            d = c;
            c = b;
            b = a;
            a = first.wrapping_add(low).wrapping_add(majority);
        }
        let end = [a, b, c, d, e, f, g, h];
        for k in 0..8 {
            digests[8 * i + k] = START[k].wrapping_add(end[k]);
        }
    }
}

/// The digest of a block.
fn digest(block: &[u32]) -> [u32; 8] {
    let mut w = [0u32; 64];
    w[..16].copy_from_slice(block);
    for t in 16..64 {
        let (a, b) = (w[t - 15], w[t - 2]);
        let low = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let high = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        w[t] = [w[t - 16], low, w[t - 7], high]
            .into_iter()
            .fold(0, u32::wrapping_add);
    }
    let mut state = START;
    for t in 0..64 {
        let [a, b, c, d, e, f, g, h] = state;
        let high = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let low = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let first = [h, high, (e & f) ^ (!e & g), K[t], w[t]]
            .into_iter()
            .fold(0, u32::wrapping_add);
        let second = low.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        let (new_a, new_e) = (first.wrapping_add(second), d.wrapping_add(first));
        state = [new_a, a, b, c, new_e, e, f, g];
    }
    std::array::from_fn(|k| START[k].wrapping_add(state[k]))
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    // "abc", padded: its digest is in the standard.
    let mut known = [0; 16];
    (known[0], known[15]) = (0x6162_6380, 24);
    assert_eq!(digest(&known)[0], 0xba78_16bf);
    let n = 128;
    let words: Vec<u32> = numbers(16 * n, 52).into_iter().map(f32::to_bits).collect();
    let expected = words.chunks(16).flat_map(digest).collect();
    let blocks = suite.device.upload(&words)?;
    let mut digests = suite.device.upload(&vec![0u32; 8 * n])?;
    let ours = launched!(sha256(&blocks, &mut digests).over(n), &suite.device);
    // There are no rotations: 21 operations for each of 48 words, 3 shifts either way, 5 times `^` and 3 sums; 36 for
    // each of 64 rounds, of which 22 are for the two sets of rotations, and 8 sums at the end.
    let work = Work {
        items: n,
        loads: 16.0,
        stores: 8.0,
        others: 48.0 * 21.0 + 64.0 * 36.0 + 8.0,
        words: 16 * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "sha256",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[blocks.as_ptr().addr(), digests.as_ptr().addr()],
    };
    suite.compare::<sha256>(
        "sha-256 128",
        &ours,
        &cpp,
        &work,
        &mut [(&mut digests, expected)],
    )
}
