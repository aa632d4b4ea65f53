//! Every instruction knows the place in the user's source that it comes from.

use vortex::prelude::*;

#[vortex::kernel]
#[rustfmt::skip]
fn located(n: usize, x: &[f32], y: &mut [f32]) {
    let mut sum = 0.0;
    for k in 0..n {
        sum += x[n * k]
            / y[k];
        if k > 3 && n == 4 {
            break;
        }
    }
    y[n as f32 as usize] = -sum;
    y[global_id()] *= 2.5;
}

macro_rules! made {
    ($name:ident) => {
        #[vortex::kernel]
        fn $name(x: &mut [f32]) {
            x[global_id()] = 1.0;
        }
    };
}

made!(by_a_macro);

/// Where instructions come from, as the text that begins there, in the order of the source.
fn places<K: vortex::Kernel>() -> Vec<&'static str> {
    let function = vortex::lang::stage::<K>().unwrap();
    let source: Vec<&str> = include_str!("locations.rs").lines().collect();
    let locs = &function.locs.as_values_slice()[1..];
    let mut places: Vec<_> = locs
        .iter()
        .map(|loc| (loc.line as usize, loc.column as usize))
        .collect();
    assert!(locs.iter().all(|loc| loc.file.ends_with("locations.rs")));
    places.sort_unstable();
    places.dedup();
    places
        .iter()
        .map(|&(line, column)| source[line - 1][column - 1..].trim_end())
        .collect()
}

#[test]
fn instructions_are_located_at_the_users_tokens() {
    assert_eq!(
        places::<located>(),
        [
            "sum = 0.0;",
            "0.0;",
            "for k in 0..n {",
            "0..n {",
            "sum += x[n * k]",
            "+= x[n * k]",
            "x[n * k]",
            "n * k]",
            "y[k];",
            "if k > 3 && n == 4 {",
            "> 3 && n == 4 {",
            "3 && n == 4 {",
            "&& n == 4 {",
            "== 4 {",
            "4 {",
            "break;",
            "y[n as f32 as usize] = -sum;",
            "as f32 as usize] = -sum;",
            "as usize] = -sum;",
            "-sum;",
            "sum;",
            "y[global_id()] *= 2.5;",
            "global_id()] *= 2.5;",
            "2.5;",
        ]
    );
}

#[test]
fn instructions_of_a_made_kernel_are_located_where_it_is_made() {
    assert_eq!(places::<by_a_macro>(), ["made!(by_a_macro);"]);
}
