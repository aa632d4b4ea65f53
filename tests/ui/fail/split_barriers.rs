//! What `barrier::arrive()` gives is waited for once, and is no value.

use vortex::prelude::*;

#[vortex::kernel]
fn waited_for_twice(x: &mut [f32]) {
    let token = barrier::arrive();
    token.wait();
    x[global_id()] = 1.0;
    token.wait();
}

#[vortex::kernel]
fn of_the_last_turn(x: &mut [f32]) {
    let mut token = barrier::arrive();
    for k in 0..4 {
        token.wait();
        x[global_id() + k] = 1.0;
        token = barrier::arrive();
    }
    token.wait();
}

#[vortex::kernel]
fn in_either_way(n: u32, x: &mut [f32]) {
    let token = if n > 3 { barrier::arrive() } else { barrier::arrive() };
    x[global_id()] = 1.0;
    token.wait();
}

#[vortex::kernel]
fn other_names(x: &mut [f32]) {
    let token = barrier::arrive();
    x[global_id()] = 1.0;
    token.arrive_and_wait();
}

#[vortex::device(host)]
fn on_the_host(x: f32) -> f32 {
    let token = barrier::arrive();
    token.wait();
    x
}

#[vortex::kernel(host)]
fn held_over_it(y: &mut [f32]) {
    let first = &mut y[global_id()];
    let token = barrier::arrive();
    *first = 1.0;
    token.wait();
    *first += 1.0;
}

fn main() {}

// Mistakes: 6
