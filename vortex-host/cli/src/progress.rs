//! What a long run is doing, on stderr.

use std::io::{IsTerminal as _, Write};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use vortex::Device;

/// Runs that end sooner say nothing.
const PATIENCE: Duration = Duration::from_millis(700);

/// How often the line changes.
const INTERVAL: Duration = Duration::from_millis(200);

const SPINNER: &[char] = &['|', '/', '-', '\\'];

/// Runs `body`, and shows what the device is doing if that takes long.
pub(crate) fn shown<R>(device: &Device, body: impl FnOnce() -> R) -> R {
    if !std::io::stderr().is_terminal() {
        return body();
    }
    watched(device, PATIENCE, std::io::stderr(), body)
}

/// Runs `body`, and after a while writes what the device is doing, over and over in one line.
fn watched<R>(
    device: &Device,
    patience: Duration,
    mut out: impl Write + Send,
    body: impl FnOnce() -> R,
) -> R {
    let progress = device.progress();
    let before = progress.instructions();
    let (done, waiting) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let start = Instant::now();
            let mut wait = patience;
            let mut turn = 0;
            while waiting.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let seconds = start.elapsed().as_secs_f64();
                let instructions = (progress.instructions() - before) as f64;
                _ = write!(
                    out,
                    "\r{} {seconds:.1} s, {:.1} million instructions, {:.1} million/s ",
                    SPINNER[turn % SPINNER.len()],
                    instructions / 1e6,
                    instructions / 1e6 / seconds
                );
                wait = INTERVAL;
                turn += 1;
            }
            if turn > 0 {
                _ = writeln!(out);
            }
        });
        let result = body();
        drop(done);
        result
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use vortex::prelude::*;

    #[vortex::kernel]
    fn count_up(n: u32, out: &mut [u32]) {
        let mut sum = 0;
        for k in 0..n {
            sum = sum ^ k;
        }
        out[global_id()] = sum;
    }

    /// What is written while the device executes `iterations` iterations, and how many instructions it was.
    fn line(patience: Duration, iterations: u32) -> (String, u64) {
        let device = Device::builder().open().unwrap();
        let mut out = device.alloc::<u32>(1).unwrap();
        let mut text = Vec::new();
        let report = watched(&device, patience, &mut text, || {
            let launch = count_up(iterations, &mut out).over(1);
            launch.launch(&device).unwrap()
        });
        let instructions = report.instructions().unwrap();
        (String::from_utf8(text).unwrap(), instructions)
    }

    #[test]
    fn long_runs_say_how_far_they_are() {
        let (text, instructions) = line(Duration::from_millis(1), 40_000_000);
        let text = text.strip_suffix('\n').unwrap();
        let shown: Vec<(f64, f64)> = text
            .split('\r')
            .skip(1)
            .map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                assert_eq!([words[2], words[4]], ["s,", "million"], "{line}");
                assert!(line.ends_with(" million/s "), "{line}");
                (words[1].parse().unwrap(), words[3].parse().unwrap())
            })
            .collect();
        assert!(shown.len() > 1, "{text}");
        assert!(shown.is_sorted());
        let (_, last) = shown[shown.len() - 1];
        assert!(last > 0.0 && last <= instructions as f64 / 1e6, "{text}");
    }

    #[test]
    fn short_runs_say_nothing() {
        assert_eq!(line(Duration::from_secs(3600), 1).0, "");
    }
}
