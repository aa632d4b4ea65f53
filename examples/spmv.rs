//! Ranks the pages of a small web by the links to them (PageRank): a sparse matrix times a vector, again and again.
//!
//! The matrix has a row for each page, with an entry for each link that comes in. A work item has a row, and there are
//! as many entries as it happens to have: the lanes of a warp wait for the one with most links. So pages are numbered
//! by how many that are, and neighbouring rows are about as long.
//!
//! ```sh
//! cargo run --release --example spmv           # 600 pages
//! cargo run --release --example spmv -- 20000
//! ```

mod shared;

use vortex::prelude::*;

/// The part of visitors who follow a link; the others go to any page.
const FOLLOWS: f32 = 0.85;

/// The share of visitors that each page has, from the shares a moment ago. Row `i` has the entries from `starts[i]` to
/// `starts[i + 1]`.
#[vortex::kernel]
fn follow(starts: &[u32], columns: &[u32], weights: &[f32], old: &[f32], new: &mut [f32]) {
    let page = global_id();
    let row = starts[page] as usize..starts[page + 1] as usize;
    let mut sum = 0.0;
    for (&from, &weight) in columns[row.clone()].iter().zip(&weights[row]) {
        sum += weight * old[from as usize];
    }
    new[page] = FOLLOWS * sum + (1.0 - FOLLOWS) / new.len() as f32;
}

/// A web: for each page the pages that link to it, of which the first have most.
fn web(pages: usize) -> Vec<Vec<u32>> {
    let mut random = shared::Random::new();
    let mut incoming = vec![Vec::new(); pages];
    for page in 0..pages {
        for _ in 0..1 + random.below(8) {
            let to = (random.unit() * random.unit() * random.unit() * pages as f32) as usize;
            if to != page && !incoming[to].contains(&(page as u32)) {
                incoming[to].push(page as u32);
            }
        }
    }
    incoming.sort_by_key(|links| std::cmp::Reverse(links.len()));
    incoming
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(600, 1 << 20);
    let incoming = web(n);
    let mut outgoing = vec![0u32; n];
    for &page in incoming.iter().flatten() {
        outgoing[page as usize] += 1;
    }
    let mut starts = vec![0];
    for links in &incoming {
        starts.push(starts[starts.len() - 1] + links.len() as u32);
    }
    let columns = incoming.concat();
    let weights: Vec<f32> = columns
        .iter()
        .map(|&page| 1.0 / outgoing[page as usize] as f32)
        .collect();

    let device = Device::open()?;
    let starts_device = device.upload(&starts)?;
    let (columns_device, weights_device) = (device.upload(&columns)?, device.upload(&weights)?);
    let mut shares = vec![1.0 / n as f32; n];
    let mut old = device.upload(&shares)?;
    let mut new = device.alloc(n)?;
    for _ in 0..20 {
        follow(
            &starts_device,
            &columns_device,
            &weights_device,
            &old,
            &mut new,
        )
        .over_each()
        .launch(&device)?;
        std::mem::swap(&mut old, &mut new);
        // The same in plain Rust, from the lists that the matrix was made of.
        let share = |links: &Vec<u32>| {
            let sum = links.iter().fold(0.0, |sum, &page| {
                sum + 1.0 / outgoing[page as usize] as f32 * shares[page as usize]
            });
            FOLLOWS * sum + (1.0 - FOLLOWS) / n as f32
        };
        shares = incoming.iter().map(share).collect();
    }

    // A row is added up from the left on both sides, so not a bit differs.
    assert_eq!(old.download()?, shares);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    println!("page  links  visitors");
    for &page in order.iter().take(8) {
        let part = shares[page] / shares[order[0]];
        println!(
            "{page:4} {:6} {:8.2}% {}",
            incoming[page].len(),
            100.0 * shares[page],
            shared::bar(part, 40)
        );
    }
    println!(
        "{n} pages with {} links are ranked as in plain Rust",
        columns.len()
    );
    Ok(())
}
