use vortex::prelude::*;

#[vortex::kernel]
fn old(x: &mut [u32]) {
    let seen = x[0];
    let old: u32 = x.atomic(0).compare_exchange(seen, 1, Relaxed, Relaxed);
    match x.atomic(0).compare_exchange(seen, 1, Relaxed, Relaxed) {
        Ok(_) => {}
    }
}

fn main() {}
