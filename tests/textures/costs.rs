//! What a sample costs: the page on the language has these numbers.

use vortex::Report;
use vortex::prelude::*;

#[vortex::kernel]
fn plane(image: &Texture<f32>, out: &mut [f32]) {
    let i = global_id();
    let u = i as f32 * 0.001;
    out[i] = image.sample(u, u);
}

#[vortex::kernel]
fn colours(image: &Texture<Vec4<u8>>, out: &mut [f32]) {
    let i = global_id();
    let u = i as f32 * 0.001;
    let colour = image.sample(u, u);
    out[i] = colour.x + colour.y + colour.z + colour.w;
}

#[vortex::kernel]
fn volume(image: &Texture<f32, 3>, out: &mut [f32]) {
    let i = global_id();
    let u = i as f32 * 0.001;
    out[i] = image.sample(u, u, u);
}

#[vortex::kernel]
fn texel(image: &Texture<f32>, out: &mut [f32]) {
    let i = global_id();
    out[i] = image.read(i % 8, i % 8);
}

/// Instructions for each turn of a warp.
fn cost(run: impl Fn(&Device, usize) -> Report) -> u64 {
    let device = Device::builder().cores(1).warps(1).threads(4);
    let device = device.open().unwrap();
    let [few, many] = [400, 800].map(|items| run(&device, items).instructions().unwrap());
    (many - few) / 100
}

/// What the loop, the coordinate and the store take.
const AROUND: u64 = 7;

/// Instructions of a sample: of an `f32`, of a `Vec4<u8>`, of an `f32` with three axes.
fn of(sampler: Sampler) -> [u64; 3] {
    let plane = cost(|device, items| {
        let image = device.texture((8, 8), &[0.0f32; 64]).unwrap();
        let image = image.with_sampler(sampler);
        let mut out = device.alloc(items).unwrap();
        plane(&image, &mut out).over(items).launch(device).unwrap()
    });
    let colours = cost(|device, items| {
        let image = device.texture((8, 8), &[vec4(0u8, 0, 0, 0); 64]).unwrap();
        let image = image.with_sampler(sampler);
        let mut out = device.alloc(items).unwrap();
        colours(&image, &mut out)
            .over(items)
            .launch(device)
            .unwrap()
    });
    let volume = cost(|device, items| {
        let image = device.texture((4, 4, 4), &[0.0f32; 64]).unwrap();
        let image = image.with_sampler(sampler);
        let mut out = device.alloc(items).unwrap();
        volume(&image, &mut out).over(items).launch(device).unwrap()
    });
    // Three additions are the kernel's.
    [plane - AROUND, colours - AROUND - 3, volume - AROUND]
}

#[test]
fn samples_cost_what_the_page_says() {
    let rows = [
        (Address::Clamp, [29, 40, 56], [59, 112, 117]),
        (Address::Repeat, [67, 78, 116], [97, 150, 175]),
        (Address::Mirror, [55, 66, 98], [85, 138, 158]),
        (Address::Border([0.5; 4]), [33, 44, 60], [91, 141, 178]),
    ];
    let mut dearer = Vec::new();
    for (address, nearest, linear) in rows {
        let sampler = Sampler::NEAREST.address(address);
        for (sampler, most) in [(sampler, nearest), (sampler.filter(Filter::Linear), linear)] {
            let found = of(sampler);
            let cheap = found.iter().zip(most).all(|(found, most)| *found <= most);
            if !cheap {
                dearer.push(format!("{sampler:?}: {found:?}, not {most:?}"));
            }
        }
    }
    assert!(dearer.is_empty(), "{}", dearer.join("\n"));
}

#[test]
fn a_texel_costs_little() {
    let instructions = cost(|device, items| {
        let image = device.texture((8, 8), &[0.0f32; 64]).unwrap();
        let mut out = device.alloc(items).unwrap();
        texel(&image, &mut out).over(items).launch(device).unwrap()
    });
    assert!(instructions <= 11, "{instructions}");
}
