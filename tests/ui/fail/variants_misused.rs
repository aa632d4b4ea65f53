// Mistakes: 2
use vortex::prelude::*;

#[derive(Clone, Copy, PartialEq, vortex::DeviceType)]
#[repr(u32)]
enum State {
    Moving,
    Resting,
}

#[vortex::kernel]
fn rest(states: &mut [State]) {
    states[global_id()] = State.Resting;
}

#[vortex::device]
fn first_positive(x: &[f32]) -> Option<f32> {
    for v in x {
        if *v > 0.0 {
            Some(*v)
        }
    }
    None
}

fn main() {}
