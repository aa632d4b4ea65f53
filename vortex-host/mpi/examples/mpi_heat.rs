//! Heat that spreads over a plate, of which each rank has some rows. At every step the ranks exchange the rows at
//! their borders, and the picture at the end is the same, byte for byte, on any number of ranks.
//!
//! ```sh
//! cargo build --release --examples && mpirun -n 4 target/release/examples/mpi_heat heat.png
//! mpirun -n 4 target/release/examples/mpi_heat heat.png 1000    # steps
//! ```

#[path = "../../../examples/shared/picture.rs"]
mod picture;

use std::path::PathBuf;
use std::process::ExitCode;

use vortex::prelude::*;
use vortex_mpi::World;

const WIDTH: usize = 96;
const HEIGHT: usize = 64;

/// A step of time. Both have a row of the neighbours above the rank's own rows, and one below. The plate's border
/// stays as it is; `first` is the row of the plate where the rank's begin.
#[vortex::kernel]
fn step(first: usize, conducts: &[f32], old: &[f32], new: &mut [f32]) {
    let (x, y) = global_id_2d();
    if x < WIDTH {
        let at = (y + 1) * WIDTH + x;
        let row = first + y;
        let here = old[at];
        let is_inside = x > 0 && x + 1 < WIDTH && row > 0 && row + 1 < HEIGHT;
        new[at] = if is_inside {
            let flow = old[at - 1] + old[at + 1] + old[at - WIDTH] + old[at + WIDTH] - 4.0 * here;
            here + conducts[row * WIDTH + x] * flow
        } else {
            here
        };
    }
}

/// The same for the whole plate, in plain Rust.
fn step_on_host(conducts: &[f32], old: &[f32]) -> Vec<f32> {
    let place = |at: usize| {
        let (x, row, here) = (at % WIDTH, at / WIDTH, old[at]);
        match x > 0 && x + 1 < WIDTH && row > 0 && row + 1 < HEIGHT {
            true => {
                let flow =
                    old[at - 1] + old[at + 1] + old[at - WIDTH] + old[at + WIDTH] - 4.0 * here;
                here + conducts[at] * flow
            }
            false => here,
        }
    };
    (0..WIDTH * HEIGHT).map(place).collect()
}

/// A plate that is cold, with a hot edge and two hot bars, and how well each place of it conducts: a wall does not.
fn plate() -> (Vec<f32>, Vec<f32>) {
    let place = |at: usize| (at % WIDTH, at / WIDTH);
    let heat = (0..WIDTH * HEIGHT).map(|at| match place(at) {
        (0, _) | (20..26, 8..40) | (60..80, 46..52) => 255.0,
        _ => 0.0,
    });
    let conducts = (0..WIDTH * HEIGHT).map(|at| match place(at) {
        (44..48, 6..58) => 0.004,
        _ => 0.2,
    });
    (heat.collect(), conducts.collect())
}

fn program(world: &World) -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let file = arguments.next().map_or("heat.png".into(), PathBuf::from);
    let steps = match arguments.next() {
        None => 200,
        Some(steps) => steps.to_string_lossy().parse().map_err(|_| {
            format!(
                "the number of steps is a whole number, not `{}`",
                steps.to_string_lossy()
            )
        })?,
    };

    let device = world.device();
    let (mut heat, conducts) = plate();
    let share = world.share(HEIGHT);
    let own = WIDTH..(share.len() + 1) * WIDTH;

    let conducts_device = world.together(|| device.upload(&conducts))?;
    let mut old = world.together(|| device.alloc((share.len() + 2) * WIDTH))?;
    let mut new = world.together(|| device.alloc((share.len() + 2) * WIDTH))?;
    let whole = world.only_on(0, || device.upload(&heat))?;
    world.scatter(0, whole.as_deref(), &mut *old.slice_mut(own.clone())?)?;

    let above = world.rank().checked_sub(1);
    let below = Some(world.rank() + 1).filter(|&rank| rank < world.ranks());
    let stream = world.together(|| device.stream())?;
    let ranks = world.on(&stream);
    for _ in 0..steps {
        // Nobody waits here: the stream keeps the order, and the ranks run only as far ahead as their neighbours let
        // them.
        if let Some(above) = above {
            ranks.send(above, &*old.slice(WIDTH..2 * WIDTH)?)?.detach();
            ranks
                .receive(above, &mut *old.slice_mut(..WIDTH)?)?
                .detach();
        }
        if let Some(below) = below {
            ranks
                .send(below, &*old.slice(own.end - WIDTH..own.end)?)?
                .detach();
            ranks
                .receive(below, &mut *old.slice_mut(own.end..)?)?
                .detach();
        }
        let size = (WIDTH, share.len());
        stream
            .launch(step(share.start, &conducts_device, &old, &mut new).over(size))
            .detach();
        std::mem::swap(&mut old, &mut new);
    }
    let mut result = world.only_on(0, || device.alloc(WIDTH * HEIGHT))?;
    ranks
        .gather(0, &*old.slice(own)?, result.as_deref_mut())
        .wait()
        .map_err(vortex_mpi::Error::from)?;

    let written = world.only_on(0, || -> Result<(), Box<dyn std::error::Error>> {
        for _ in 0..steps {
            heat = step_on_host(&conducts, &heat);
        }
        let pixels = match &result {
            Some(result) => result.download()?,
            None => Vec::new(),
        };
        // Not a bit differs.
        assert_eq!(pixels, heat);
        let shades = picture::Picture {
            width: WIDTH,
            height: HEIGHT,
            pixels: pixels.iter().map(|shade| *shade as u8).collect(),
        };
        picture::write_png(&file, &shades)
    })?;
    if written.is_some() {
        println!(
            "{}: {steps} steps on {} ranks, as in plain Rust",
            file.display(),
            world.ranks()
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    vortex_mpi::run(program)
}
