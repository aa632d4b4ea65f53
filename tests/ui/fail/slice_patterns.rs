use vortex::prelude::*;

#[vortex::kernel]
fn missing(x: &[f32], y: &mut [f32]) {
    y[0] = match x {
        [] => 0.0,
        [first, _, ..] => *first,
    };
}

#[vortex::kernel]
fn rest_of_an_array(x: f32, y: &mut [f32]) {
    let numbers = [x, 2.0, 3.0];
    if let [1.0, rest @ ..] = numbers {
        y[0] = rest[0];
    }
}

#[vortex::kernel]
fn may_not_match(x: &[f32], y: &mut [f32]) {
    let [first, ..] = x;
    y[0] = *first;
}

#[vortex::kernel]
fn of_a_number(x: f32, y: &mut [f32]) {
    if let [first, ..] = x {
        y[0] = first;
    }
}

fn main() {}

// Mistakes: 4
// One more error: rustc checks patterns as such, and each part of what they match.
// Two errors at one place: each part of what a pattern matches is asked for.
