#[derive(Clone, Copy, PartialEq, Debug, vortex::DeviceType)]
#[repr(u32)]
enum Refusal {
    Odd,
    TooBig,
}

#[vortex::device]
fn halved(x: u32) -> Result<u32, Refusal> {
    if x % 2 == 0 { Ok(x / 2) } else { Err(Refusal::Odd) }
}

#[vortex::device]
fn res_bare(x: u32) -> Result<u32, Refusal> {
    x + 1
}

#[vortex::device]
fn res_ok_for_value(x: u32) -> u32 {
    Ok(x)
}

#[vortex::device]
fn res_wrong_ok(x: f32) -> Result<u32, Refusal> {
    Ok(x)
}

#[vortex::device]
fn res_wrong_err(x: u32) -> Result<u32, Refusal> {
    Err(x)
}

#[vortex::device]
fn res_tail_unit(x: u32) -> Result<(), Refusal> {
    halved(x)?;
}

#[vortex::device]
fn res_err_no_ret(x: u32) -> Result<u32, Refusal> {
    if x > 3 {
        Err(Refusal::TooBig)
    }
    Ok(x)
}

#[vortex::device]
fn ret_some(x: u32) -> u32 {
    Some(x)
}

#[vortex::device]
fn ret_bare(x: u32) -> Option<u32> {
    x
}

#[vortex::device]
fn ret_bare_return(x: u32) -> Option<u32> {
    if x > 3 {
        return x;
    }
    None
}

fn main() {}

// Mistakes: 9
