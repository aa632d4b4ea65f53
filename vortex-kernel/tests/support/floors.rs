//! Modules that stand on floors, of which each knows those below its own, and no others.

use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up. Modules of one floor do not know each other.
pub(crate) type Floors = &'static [&'static [&'static str]];

fn sources(dir: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, found)?;
        } else if path.extension().is_some_and(|ext| ext == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
    Ok(())
}

/// The modules in `parent` that a line of code names.
fn named<'l>(line: &'l str, parent: &str) -> impl Iterator<Item = &'l str> {
    let code = match line.trim_start().starts_with("//") {
        true => "",
        false => line,
    };
    let paths = code.split(parent).skip(1);
    paths.map(|path| {
        path.split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .unwrap_or("")
    })
}

/// What points up among the modules in the folder `src`, which others name by `parent` and their own name; and how much
/// of what they name was looked at.
pub(crate) fn points_up(
    src: &Path,
    parent: &str,
    floors: Floors,
) -> std::io::Result<(Vec<String>, usize)> {
    let floor = |module: &str| floors.iter().position(|floor| floor.contains(&module));
    let (mut files, mut wrong, mut seen) = (Vec::new(), Vec::new(), 0);
    sources(src, &mut files)?;
    for file in &files {
        let within = file.strip_prefix(src).unwrap_or(file);
        let first = within
            .components()
            .next()
            .map(|part| part.as_os_str().to_string_lossy());
        let own = first.unwrap_or_default().trim_end_matches(".rs").to_owned();
        let Some(own_floor) = floor(&own) else {
            // Files of the parent itself.
            if matches!(own.as_str(), "lib" | "mod" | "error") {
                continue;
            }
            wrong.push(format!("{}: `{own}` is on no floor", within.display()));
            continue;
        };
        let text = fs::read_to_string(file)?;
        // What tests name does not count; they come last.
        let text = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        for (line, other) in text
            .lines()
            .flat_map(|line| named(line, parent).map(move |other| (line, other)))
        {
            let Some(other_floor) = floor(other).filter(|_| other != own) else {
                continue;
            };
            seen += 1;
            if other_floor >= own_floor {
                wrong.push(format!("{}: {}", within.display(), line.trim()));
            }
        }
    }
    Ok((wrong, seen))
}
