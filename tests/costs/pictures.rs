//! The pictures of docs/divergence.md: which lanes of a warp are on at which line, as the device did it.

use std::fmt::Write as _;

use crate::measure::{DIVERGENCE, held};
use vortex::prelude::*;
use vortex::trace::{Trace, TraceLimits};

/// Lanes of the warp in the pictures.
const LANES: u32 = 8;

#[vortex::kernel]
fn two_ways(x: &[i32], y: &mut [i32]) {
    let i = global_id();
    if x[i] < 0 {
        y[i] = x[i] / 3;
    } else {
        y[i] = x[i] % 5;
    }
    y[i] += 1;
}

#[vortex::kernel]
fn as_long_as_each_needs(x: &[u32], steps: &mut [u32]) {
    let i = global_id();
    let mut n = x[i];
    let mut count = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        count += 1;
    }
    steps[i] = count;
}

/// A line of the kernel, the lanes that were on, and how many instructions they did there in a row.
struct Step {
    line: u32,
    lanes: u32,
    instructions: u32,
}

/// What a launch of one warp did, line by line.
fn steps(trace: &Trace) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for record in &trace.instructions {
        let Some((_, line)) = trace.code[&record.pc].source else {
            continue;
        };
        match steps.last_mut() {
            Some(last) if (last.line, last.lanes) == (line, record.lanes) => last.instructions += 1,
            _ => steps.push(Step {
                line,
                lanes: record.lanes,
                instructions: 1,
            }),
        }
    }
    steps
}

/// Rows of source with the lanes that are on.
fn picture(steps: &[Step]) -> String {
    const ROW: u32 = 22;
    const TEXT: u32 = 430;
    const CELL: u32 = 26;
    let source: Vec<&str> = include_str!("pictures.rs").lines().collect();
    let (width, height) = (TEXT + LANES * CELL + 70, ROW * (steps.len() as u32 + 2));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"ui-monospace, monospace\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for lane in 0..LANES {
        let x = TEXT + lane * CELL + CELL / 2;
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"16\" text-anchor=\"middle\" fill=\"#666666\">{lane}</text>"
        );
    }
    for (at, step) in steps.iter().enumerate() {
        let y = ROW * (at as u32 + 1);
        let text = source[step.line as usize - 1]
            .trim_start()
            .replace('&', "&amp;")
            .replace('<', "&lt;");
        let _ = writeln!(
            svg,
            "<text x=\"12\" y=\"{}\" fill=\"#222222\">{text}</text>",
            y + 16
        );
        for lane in 0..LANES {
            let fill = if step.lanes >> lane & 1 == 1 {
                "#2f6fb0"
            } else {
                "#e4e7eb"
            };
            let _ = writeln!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"{fill}\"/>",
                TEXT + lane * CELL + 2,
                y + 2,
                CELL - 4,
                ROW - 4
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#666666\">{}</text>",
            width - 14,
            y + 16,
            step.instructions
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn device() -> vortex::Result<Device> {
    Device::builder().cores(1).warps(1).threads(LANES).open()
}

fn two_ways_of(x: [i32; LANES as usize]) -> vortex::Result<Trace> {
    let device = device()?;
    let x = device.upload(&x)?;
    let mut y = device.alloc(LANES as usize)?;
    two_ways(&x, &mut y)
        .over(LANES as usize)
        .trace(&device, TraceLimits::default())
}

fn collatz_of(x: [u32; LANES as usize]) -> vortex::Result<Trace> {
    let device = device()?;
    let x = device.upload(&x)?;
    let mut steps = device.alloc(LANES as usize)?;
    as_long_as_each_needs(&x, &mut steps)
        .over(LANES as usize)
        .trace(&device, TraceLimits::default())
}

fn drawn(name: &str, trace: vortex::Result<Trace>) {
    held(
        &format!("pictures/{name}"),
        &picture(&steps(&trace.unwrap())),
    );
}

#[test]
fn the_page_has_the_kernels() {
    assert_eq!(DIVERGENCE.kernels_in(include_str!("pictures.rs")), 2);
}

#[test]
fn pictures_are_what_the_device_does() {
    let disagree = two_ways_of([-9, 4, -2, 7, 12, -5, 3, -1]);
    drawn("lanes-disagree.svg", disagree);
    drawn("lanes-agree.svg", two_ways_of([9, 4, 2, 7, 12, 5, 3, 1]));
    drawn("loop.svg", collatz_of([4, 1, 2, 8, 1, 4, 2, 1]));
}
