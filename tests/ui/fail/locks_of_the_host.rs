// Mistakes: 2
use std::sync::{Mutex, RwLock};

use vortex::prelude::*;

static TOTAL: Mutex<u32> = Mutex::new(0);
static LARGEST: RwLock<u32> = RwLock::new(0);

#[vortex::kernel]
fn count(x: &[u32]) {
    let i = global_id();
    *TOTAL.lock().unwrap() += x[i];
    *LARGEST.write().expect("it is not poisoned") = x[i];
}

fn main() {}
