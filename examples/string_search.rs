//! Finds a word in a text, wherever it begins, and shows the lines.
//!
//! A work item has a place of the text, and compares what follows with the word: for most of them that ends with the
//! first letter. A hit is a bit, 32 places to a word of memory, set by an atomic `or`; so hits are in order, however
//! the items come.
//!
//! ```sh
//! cargo run --release --example string_search                        # `barrier` in docs/language.md
//! cargo run --release --example string_search -- divergent
//! cargo run --release --example string_search -- kernel my_file.txt
//! ```

mod shared;

use vortex::prelude::*;

const TEXT: &str = include_str!("../docs/language.md");

#[vortex::kernel]
fn search(word: &[u8], text: &[u8], hits: &mut [u32]) {
    let i = global_id();
    if text[i..].starts_with(word) {
        hits.atomic(i / 32).fetch_or(1 << (i % 32), Relaxed);
    }
}

fn main() -> vortex::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (word, file) = match &arguments[..] {
        [] => ("barrier", None),
        [word] => (word.as_str(), None),
        [word, file] => (word.as_str(), Some(file)),
        _ => shared::fail("expected a word and a file, or less"),
    };
    let text = match file {
        None => TEXT.to_owned(),
        Some(file) => std::fs::read_to_string(file)
            .unwrap_or_else(|error| shared::fail(&format!("{file}: {error}"))),
    };
    if word.is_empty() || text.is_empty() {
        shared::fail("neither the word nor the text may be empty");
    }

    let device = Device::open()?;
    let (word_device, text_device) = (
        device.upload(word.as_bytes())?,
        device.upload(text.as_bytes())?,
    );
    let mut hits = device.upload(&vec![0u32; text.len().div_ceil(32)])?;
    let launch = search(&word_device, &text_device, &mut hits);
    let report = launch.over(text.len()).launch(&device)?;

    let words = hits.download()?;
    let hits: Vec<usize> = (0..text.len())
        .filter(|i| words[i / 32] >> (i % 32) & 1 == 1)
        .collect();
    // Rust's own search goes on after a hit, so hits in hits are looked for one by one.
    let expected: Vec<usize> = (0..text.len())
        .filter(|&i| text.get(i..).is_some_and(|rest| rest.starts_with(word)))
        .collect();
    assert_eq!(hits, expected);
    let mut start = 0;
    let mut shown = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let here = hits
            .iter()
            .filter(|&&i| (start..start + line.len()).contains(&i));
        let columns: Vec<usize> = here.map(|i| text[start..*i].chars().count()).collect();
        start += line.len();
        if columns.is_empty() || shown == 8 {
            continue;
        }
        shown += 1;
        let mut marks = String::new();
        for column in columns {
            while marks.len() < column {
                marks.push(' ');
            }
            marks.push('^');
        }
        println!("{number:5} | {}\n      | {marks}", line.trim_end());
    }
    println!("{report}");
    println!(
        "`{word}` begins at {} of {} places, the same as in plain Rust",
        hits.len(),
        text.len()
    );
    Ok(())
}
