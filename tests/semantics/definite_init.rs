//! Locals that get their values after their declarations.

use vortex::prelude::*;

use crate::harness::same;

same! {
    by_branches(a: i32, b: i32) -> i32 {
        let x;
        let mut y: i32;
        if a > b {
            x = a as u8;
            y = 1;
        } else {
            y = 2;
            x = b as u8;
            y = y ^ 7;
        }
        y ^ x as i32
    }

    by_arms_and_jumps(a: u32, b: u32) -> u32 {
        let x;
        let array: [u32; 3];
        match a % 4 {
            0 => x = b,
            1 => {
                let found;
                let mut k = 0;
                loop {
                    if k == 5 || b >> k & 1 == 1 {
                        found = k;
                        break;
                    }
                    k += 1;
                }
                x = found;
            }
            2 if b > a => x = 9,
            _ => {
                let last;
                'out: {
                    if b % 3 == 0 {
                        last = 4;
                        break 'out;
                    }
                    last = 5;
                }
                x = last;
            }
        }
        array = [x, a, 3];
        array[(b % 3) as usize] ^ array[2]
    }

    with_closures(a: f32, b: f32) -> f32 {
        let scale;
        let apply = |x: f32| x + 1.0;
        scale = apply(a);
        let pair: (f32, bool);
        if scale > b {
            pair = (b, true);
        } else {
            pair = (scale, false);
        }
        if pair.1 { pair.0 } else { scale - pair.0 }
    }
}
