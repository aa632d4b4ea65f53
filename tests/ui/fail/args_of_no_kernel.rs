fn square(x: f32) -> f32 {
    x * x
}

struct Saxpy;

fn size(_: vortex::Args<Saxpy>) {}

fn main() {
    println!("{}", Saxpy::META.args.len());
    square(1.0);
}

// Mistakes: 2
