//! What the examples share: a size from the command line.

use std::process::exit;

/// The size given as the only argument, or `default`. Anything else than a number up to `max` ends
/// the program with one line that says so.
pub(crate) fn size_argument(default: usize, max: usize) -> usize {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    match &arguments[..] {
        [] => default,
        [size] => {
            let size = size.to_string_lossy();
            size.parse().ok().filter(|&n| n <= max).unwrap_or_else(|| {
                eprintln!("error: the size is a whole number from 0 to {max}, not `{size}`");
                exit(1)
            })
        }
        more => {
            eprintln!(
                "error: expected at most one argument, the size, but got {}",
                more.len()
            );
            exit(1)
        }
    }
}
