#[vortex::kernel]
fn global_id_tuple(y: &mut [f32]) {
    let (x, z) = global_id();
    y[x] = 1.0;
}

#[vortex::kernel]
fn local_no_type(y: &mut [f32]) {
    let tile = local();
    tile[0] = 1.0;
    y[0] = tile[0];
}

#[vortex::kernel]
fn local_of_a_type(y: &mut [f32]) {
    let mut tile: [f32; 4] = local();
    tile[0] = 1.0;
    y[0] = tile[0];
}

fn main() {}

// Mistakes: 3
