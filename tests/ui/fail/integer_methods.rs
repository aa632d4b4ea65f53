//! Methods of integers where there are none, and with the wrong arguments.

#[vortex::kernel]
fn of_the_other_sign(x: &mut [i32]) {
    x[0] = x[0].next_power_of_two();
}

#[vortex::kernel]
fn without_a_sign(x: &mut [u32]) {
    x[0] = x[0].signum();
}

#[vortex::kernel]
fn of_floats(x: &mut [f32]) {
    x[0] = x[0].wrapping_add(1.0);
}

#[vortex::kernel]
fn the_exponent_is_unsigned(x: &mut [i32], n: i32) {
    x[0] = x[0].pow(n);
}

#[vortex::kernel]
fn the_result_is_unsigned(x: &mut [i32]) {
    x[0] = x[0].abs_diff(3);
}

#[vortex::kernel]
fn two_results(x: &mut [i32]) {
    x[0] = x[0].overflowing_add(1);
}

fn main() {}

// Mistakes: 6
