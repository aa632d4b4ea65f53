const WHY: &str = "two of them";

#[vortex::device]
fn even(x: u32) -> Option<u32> {
    if x % 2 == 0 { Some(x) } else { None }
}

#[vortex::kernel]
fn refused(x: &[u32], out: &mut [u32]) {
    let first = x.get(0)?;
    let second = x.get(1).expect(WHY);
    let third = x.get(2).ok_or(3);
    let pair = Some(1, 2);
    for value in x.iter().zip(out) {}
    out[0] = 1;
}

#[vortex::kernel]
fn mistaken(x: &[u32], out: &mut [u32]) {
    out[0] = even(3);
    out[1] = even(4).unwrap_or(1.5);
    out[2] = match x.get(2) {
        Some(v) => *v,
    };
    let Some(v) = x.get(1);
    if let Some(1.5) = x.get(4) {
        out[3] = 1;
    }
    out[4] = x[0].unwrap();
}

fn main() {}

// Two errors at one place: rustc checks patterns as such, and what is compared with them.
// Mistakes: 8
