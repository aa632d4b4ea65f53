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
fn res_one_type(x: u32) -> Result<u32> {
    Ok(x)
}

#[vortex::device]
fn res_ok_empty(x: u32) -> Result<(), Refusal> {
    Ok()
}

#[vortex::kernel]
fn res_param(x: Result<u32, Refusal>, y: &mut [u32]) {
    y[0] = 1;
}

#[vortex::kernel]
fn res_slice(x: &[Result<u32, Refusal>], y: &mut [u32]) {
    y[0] = 1;
}

#[vortex::device]
fn res_string(x: u32) -> Result<u32, String> {
    Ok(x)
}

#[vortex::device]
fn res_str(x: u32) -> Result<u32, &'static str> {
    if x > 3 {
        return Err("too big");
    }
    Ok(x)
}

#[vortex::device]
fn res_box(x: u32) -> Result<u32, Box<dyn std::error::Error>> {
    Ok(x)
}

fn main() {}

// Mistakes: 7
