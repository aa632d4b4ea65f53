//! Suggests words for one that is misspelt: those of a dictionary that it takes the fewest changes to come to.
//!
//! Every word of the dictionary is a work item. It does not fill a table of distances, but goes over the word once:
//! a column of the table is held in two words of 32 bits, since neighbours in it differ by one at most (Myers 1999).
//! Words of a warp's items should be about as long: so the dictionary is sorted by length.
//!
//! ```sh
//! cargo run --release --example edit_distance                  # the dictionary is the words of docs/language.md
//! cargo run --release --example edit_distance -- optimizaton
//! ```

mod shared;

use vortex::prelude::*;

const TEXT: &str = include_str!("../docs/language.md");

/// How many letters have to be put in, taken out or exchanged to come from the misspelt word to each other one. That
/// has `length` letters, and `places` says for each of the alphabet which of them it is, in the bits of a word. Word
/// `i` of the dictionary is `letters[ends[i]..ends[i + 1]]`.
#[vortex::kernel]
fn distances(length: u32, places: &[u32], ends: &[u32], letters: &[u8], out: &mut [u32]) {
    let i = global_id();
    let word = &letters[ends[i] as usize..ends[i + 1] as usize];
    let last = 1 << (length - 1);
    // Where the column of the table goes up by one, and where it goes down; and what is at its end.
    let (mut up, mut down) = (!0u32, 0u32);
    let mut distance = length;
    for &letter in word {
        let same = places[(letter - b'a') as usize];
        let diagonal = (((same & up) + up) ^ up) | same | down;
        let mut right_up = down | !(diagonal | up);
        let mut right_down = up & diagonal;
        if right_up & last != 0 {
            distance += 1;
        }
        if right_down & last != 0 {
            distance -= 1;
        }
        right_up = right_up << 1 | 1;
        right_down <<= 1;
        up = right_down | !(same | down | right_up);
        down = right_up & (same | down);
    }
    out[i] = distance;
}

/// The same in plain Rust, by the table.
fn distance_on_host(a: &[u8], b: &[u8]) -> u32 {
    let mut row: Vec<u32> = (0..=b.len() as u32).collect();
    for x in a {
        let mut diagonal = row[0];
        row[0] += 1;
        for (k, y) in b.iter().enumerate() {
            let exchanged = diagonal + u32::from(x != y);
            diagonal = row[k + 1];
            row[k + 1] = exchanged.min(row[k] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn main() -> vortex::Result<()> {
    let given = std::env::args().nth(1).unwrap_or("devergense".into());
    let is_word = |word: &str| word.bytes().all(|letter| letter.is_ascii_lowercase());
    if !is_word(&given) || !(1..=32).contains(&given.len()) {
        shared::fail(&format!(
            "a word has 1 to 32 letters from a to z, not `{given}`"
        ));
    }
    let mut words: Vec<&str> = TEXT
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| word.len() > 2 && is_word(word))
        .collect();
    words.sort_by_key(|word| (word.len(), *word));
    words.dedup();

    let letters: Vec<u8> = words.concat().into_bytes();
    let mut ends = vec![0];
    for word in &words {
        ends.push(ends[ends.len() - 1] + word.len() as u32);
    }
    let mut places = [0u32; 26];
    for (i, letter) in given.bytes().enumerate() {
        places[usize::from(letter - b'a')] |= 1 << i;
    }

    let device = Device::open()?;
    let (places_device, ends_device) = (device.upload(&places)?, device.upload(&ends)?);
    let letters_device = device.upload(&letters)?;
    let mut out = device.alloc(words.len())?;
    let length = given.len() as u32;
    let report = distances(
        length,
        &places_device,
        &ends_device,
        &letters_device,
        &mut out,
    )
    .over_each()
    .launch(&device)?;

    let distances = out.download()?;
    for (word, &distance) in words.iter().zip(&distances) {
        let expected = distance_on_host(given.as_bytes(), word.as_bytes());
        assert_eq!(distance, expected, "to {word}");
    }
    let mut nearest: Vec<_> = distances.iter().zip(&words).collect();
    nearest.sort();
    println!("{given}:");
    for (distance, word) in nearest.into_iter().take(5) {
        println!("{distance:4} {word}");
    }
    println!("{report}");
    println!(
        "all {} distances are those of the table in plain Rust",
        words.len()
    );
    Ok(())
}
