//! A step of a breadth-first search: each node that was not reached yet looks for a neighbour that was reached last.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn bfs(starts: &[u32], neighbours: &[u32], levels: &[u32], next: &mut [u32], step: u32) {
        let node = global_id();
        if node < next.len() {
            let mut level = levels[node];
            if level > step {
                for k in starts[node] as usize..starts[node + 1] as usize {
                    if levels[neighbours[k] as usize] == step - 1 {
                        level = step;
                        break;
                    }
                }
            }
            next[node] = level;
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 1024;
    let mut firsts = vec![0u32];
    for number in numbers(n, 46) {
        firsts.push(firsts[firsts.len() - 1] + (number.abs() * 8.0) as u32);
    }
    let edges: Vec<u32> = numbers(firsts[n] as usize, 47)
        .iter()
        .map(|place| (place.abs() * n as f32) as u32 % n as u32)
        .collect();
    let mut reached = vec![u32::MAX; n];
    reached[0] = 0;
    let of = |node: usize| &edges[firsts[node] as usize..firsts[node + 1] as usize];
    let walk = |reached: &[u32], step: u32| -> Vec<u32> {
        let level = |node: usize| {
            let last = |other: &u32| reached[*other as usize] == step - 1;
            let comes = reached[node] > step && of(node).iter().any(last);
            if comes { step } else { reached[node] }
        };
        (0..n).map(level).collect()
    };
    // The third step reaches many.
    let step = 3;
    for before in 1..step {
        reached = walk(&reached, before);
    }
    let expected = walk(&reached, step);
    let starts = suite.device.upload(&firsts)?;
    let neighbours = suite.device.upload(&edges)?;
    let levels = suite.device.upload(&reached)?;
    let mut next = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(
        bfs(&starts, &neighbours, &levels, &mut next, step).over(n),
        &suite.device
    );
    // Its own level; where that is not known yet, where its neighbours are; of each that is looked at 2 loads and a
    // test.
    let unknown = (0..n).filter(|node| reached[*node] > step);
    let looks = |node: usize| {
        let found = of(node)
            .iter()
            .position(|other| reached[*other as usize] == step - 1);
        found.map_or(of(node).len(), |at| at + 1)
    };
    let looked = unknown.clone().map(looks).sum::<usize>() as f64 / n as f64;
    let unknown = unknown.count() as f64 / n as f64;
    let work = Work {
        items: n,
        loads: 1.0 + 2.0 * unknown + 2.0 * looked,
        stores: 1.0,
        others: looked,
        words: n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "bfs",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            starts.as_ptr().addr(),
            neighbours.as_ptr().addr(),
            levels.as_ptr().addr(),
            next.as_ptr().addr(),
            step,
        ],
    };
    suite.compare::<bfs>(
        "bfs step 1024",
        &ours,
        &cpp,
        &work,
        &mut [(&mut next, expected)],
    )
}
