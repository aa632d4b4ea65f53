//! The shortest roads between all cities of a map (Floyd and Warshall), and the way from one to another.
//!
//! Each pair of cities is a work item, and a launch allows ways through one city more. In a launch, no item writes what
//! another one reads: ways from and to that city do not become shorter by going through it.
//!
//! ```sh
//! cargo run --release --example floyd_warshall                     # from Lisbon to Warsaw
//! cargo run --release --example floyd_warshall -- Athens Dublin
//! ```

mod shared;

use vortex::prelude::*;

/// Roads, and ferries, in kilometres.
const ROADS: &[(&str, &str, u32)] = &[
    ("Lisbon", "Madrid", 625),
    ("Lisbon", "Porto", 315),
    ("Porto", "Madrid", 560),
    ("Madrid", "Barcelona", 620),
    ("Madrid", "Bordeaux", 690),
    ("Barcelona", "Lyon", 640),
    ("Bordeaux", "Paris", 585),
    ("Lyon", "Paris", 465),
    ("Lyon", "Milan", 450),
    ("Lyon", "Zurich", 430),
    ("Paris", "London", 460),
    ("Paris", "Brussels", 310),
    ("London", "Dublin", 590),
    ("Brussels", "Cologne", 210),
    ("Cologne", "Berlin", 575),
    ("Cologne", "Munich", 575),
    ("Zurich", "Munich", 315),
    ("Zurich", "Milan", 280),
    ("Milan", "Rome", 575),
    ("Milan", "Munich", 490),
    ("Rome", "Athens", 1270),
    ("Munich", "Prague", 380),
    ("Munich", "Vienna", 435),
    ("Berlin", "Prague", 350),
    ("Berlin", "Warsaw", 575),
    ("Prague", "Vienna", 335),
    ("Vienna", "Budapest", 245),
    ("Prague", "Warsaw", 640),
    ("Budapest", "Warsaw", 860),
    ("Budapest", "Athens", 1500),
];

/// Longer than any way.
const NONE: u32 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Way {
    length: u32,
    /// The city that comes first on it.
    first: u32,
}

/// Goes through `city` where that is shorter.
#[vortex::kernel]
fn allow(city: usize, cities: usize, ways: &mut [Way]) {
    let (to, from) = global_id_2d();
    let there = ways[from * cities + city];
    let length = there.length + ways[city * cities + to].length;
    if length < ways[from * cities + to].length {
        ways[from * cities + to] = Way { length, ..there };
    }
}

/// The lengths from a city to all in plain Rust: goes along roads until nothing gets shorter.
fn lengths_on_host(roads: &[(usize, usize, u32)], cities: usize, from: usize) -> Vec<u32> {
    let mut lengths = vec![NONE; cities];
    lengths[from] = 0;
    for _ in 1..cities {
        for &(a, b, length) in roads {
            lengths[a] = lengths[a].min(lengths[b] + length);
            lengths[b] = lengths[b].min(lengths[a] + length);
        }
    }
    lengths
}

fn main() -> vortex::Result<()> {
    let mut names: Vec<&str> = ROADS.iter().flat_map(|&(a, b, _)| [a, b]).collect();
    names.sort();
    names.dedup();
    let n = names.len();
    let number = |name: &str| {
        names.binary_search(&name).unwrap_or_else(|_| {
            shared::fail(&format!(
                "`{name}` is not on the map; on it are {}",
                names.join(", ")
            ))
        })
    };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (from, to) = match &arguments[..] {
        [] => (number("Lisbon"), number("Warsaw")),
        [from, to] => (number(from), number(to)),
        _ => shared::fail("expected two cities, or nothing"),
    };

    let roads: Vec<_> = (ROADS.iter())
        .map(|&(a, b, length)| (number(a), number(b), length))
        .collect();
    let mut ways = vec![
        Way {
            length: NONE,
            first: 0
        };
        n * n
    ];
    for &(a, b, length) in &roads {
        ways[a * n + b] = Way {
            length,
            first: b as u32,
        };
        ways[b * n + a] = Way {
            length,
            first: a as u32,
        };
    }
    for city in 0..n {
        ways[city * n + city] = Way {
            length: 0,
            first: city as u32,
        };
    }

    let device = Device::open()?;
    let mut ways = device.upload(&ways)?;
    for city in 0..n {
        allow(city, n, &mut ways).over((n, n)).launch(&device)?;
    }
    let ways = ways.download()?;

    for (city, ways) in ways.chunks(n).enumerate() {
        let lengths: Vec<u32> = ways.iter().map(|way| way.length).collect();
        assert_eq!(
            lengths,
            lengths_on_host(&roads, n, city),
            "from {}",
            names[city]
        );
    }
    for (name, way) in names.iter().zip(&ways[from * n..]) {
        let part = way.length as f32 / 4000.0;
        println!("{name:10} {:5} km {}", way.length, shared::bar(part, 48));
    }
    let (mut route, mut at) = (names[from].to_owned(), from);
    while at != to {
        at = ways[at * n + to].first as usize;
        route += " - ";
        route += names[at];
    }
    println!("{route}: {} km", ways[from * n + to].length);
    println!("the ways between all {n} cities are as long as plain Rust finds them");
    Ok(())
}
