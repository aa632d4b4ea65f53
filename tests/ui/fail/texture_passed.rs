//! Textures of the host where a kernel wants others.

use vortex::prelude::*;

#[vortex::kernel]
fn brighten(image: &Texture<Vec4<u8>>, out: &mut Texture<f32>) {
    let (x, y) = global_id_2d();
    out.write(x, y, image.sample(0.5, 0.5).x);
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let image = device.texture((1, 1), &[vec4(1u8, 2, 3, 4)])?;
    let floats: Texture<f32, 3> = device.alloc_texture((2, 2))?;
    let mut grey: Texture<f32> = device.alloc_texture((2, 2))?;
    let buffer = device.upload(&[vec4(1u8, 2, 3, 4)])?;
    brighten(&grey, &mut grey);
    brighten(&image, &grey);
    brighten(&buffer, &mut grey);
    brighten(&image, &mut floats);
    Ok(())
}

// Mistakes: 4
