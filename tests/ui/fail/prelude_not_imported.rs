#[vortex::kernel]
fn clear(x: &mut [f32]) {
    let tile = local::<[f32; 16]>();
    tile[local_id()] = 0.0;
    x[global_id()] = tile[local_id()];
}

fn main() {}
