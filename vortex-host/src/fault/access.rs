//! An access to an element, as its line of source has it.

/// `x[i + 1]`, and what follows it on its line.
pub(super) struct Access<'a> {
    /// What is accessed: `x`, `p.rows`.
    pub(super) name: &'a str,
    /// The index as it is written.
    pub(super) index: &'a str,
    /// What follows.
    pub(super) rest: &'a str,
    /// All of the access.
    pub(super) text: &'a str,
}

impl<'a> Access<'a> {
    /// The one that begins in this column of a line, from 1, if its index is short, and no more than a computation.
    pub(super) fn at(line: &'a str, column: u32) -> Option<Self> {
        let from = from(line, column)?;
        let (name, behind) = from.split_once('[')?;
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        if name.is_empty() || !name.chars().all(is_part) {
            return None;
        }
        let end = closing(behind)?;
        let index = behind[..end].trim();
        let rest = &behind[end + 1..];
        // What would be done twice is none.
        let is_plain = !index.replace("..=", "").contains(['{', ';', '=']);
        (is_plain && is_short(index)).then(|| Self {
            name,
            index,
            rest,
            text: &from[..from.len() - rest.len()],
        })
    }
}

/// What begins in this column of a line, from 1.
pub(super) fn from(line: &str, column: u32) -> Option<&str> {
    let before = usize::try_from(column).ok()?.checked_sub(1)?;
    let (start, _) = line.char_indices().nth(before)?;
    Some(&line[start..])
}

/// Whether it is something that advice can repeat.
pub(super) fn is_short(part: &str) -> bool {
    !part.is_empty() && part.len() < 60
}

/// Where the bracket or parenthesis closes that is open.
pub(super) fn closing(rest: &str) -> Option<usize> {
    let mut depth = 1;
    for (at, c) in rest.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}
