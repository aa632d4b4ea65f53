#[vortex::kernel]
fn says(n: u32) {
    println!("{n} {missing}");
}

fn main() {}
