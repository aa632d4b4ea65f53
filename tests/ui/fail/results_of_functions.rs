#[vortex::device]
fn byte(x: u32) -> Result<u8, u32> {
    if x > 255 {
        return Err(x);
    }
    Ok(x as u8)
}

#[vortex::device]
fn small(x: u32) -> u32 {
    let wide = u8::try_from(x).map_err(|_| x);
    let twice = u8::try_from(x).unwrap_err();
    0
}

#[vortex::device]
fn mapped(x: u32) -> u32 {
    u8::try_from(x).map(|v| v as u32).unwrap_or(1)
}

fn main() {}

// Mistakes: 6
