#[vortex::kernel]
fn on_some_ways(x: &mut [f32], n: u32) {
    let first;
    if n > 3 {
        first = x[0];
    }
    x[1] = first;
}

#[vortex::kernel]
fn twice(x: &mut [f32], n: u32) {
    let first = 1.0;
    let second: f32;
    second = x[1] + first;
    second = x[2];
    x[3] = second;
    let third;
    for i in 0..n {
        third = i;
    }
    let (a, b);
    let fourth: u32;
    fourth = 1.5;
}

#[vortex::kernel]
fn right(x: &mut [f32], n: u32) {
    let first;
    loop {
        if n > 3 {
            first = x[0];
            break;
        }
    }
    let mut second;
    for i in 0..n {
        second = i;
        x[1] = second as f32;
    }
    let third;
    if n == 3 {
        return;
    } else {
        third = first;
    }
    x[2] = third;
}

fn main() {}

// Mistakes: 4
