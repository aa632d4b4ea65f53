//! What to write around an access that an index has left.

/// The test before the access that begins in this column of a line, from 1: `if i + 1 < x.len()` of `x[i + 1]`.
pub(super) fn test(line: &str, column: u32) -> Option<String> {
    let before = usize::try_from(column).ok()?.checked_sub(1)?;
    let (start, _) = line.char_indices().nth(before)?;
    let access = &line[start..];
    let (name, rest) = access.split_once('[')?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    if name.is_empty() || !name.chars().all(is_part) {
        return None;
    }
    let index = rest[..closing(rest)?].trim();
    let is_short = !index.is_empty() && index.len() < 60;
    // Neither a range nor what would be done twice.
    let is_plain = !index.contains("..") && !index.contains(['{', ';', '=']);
    (is_short && is_plain).then(|| format!("if {} < {name}.len()", operand(index)))
}

/// Where the bracket closes that is open.
fn closing(rest: &str) -> Option<usize> {
    let mut depth = 1;
    for (at, c) in rest.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// As an operand of a comparison: behind `as usize`, `<` would begin what a type is made of.
fn operand(index: &str) -> String {
    match index.contains(" as ") || index.contains(['|', '&', '^']) {
        true => format!("({index})"),
        false => index.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::test;

    #[test]
    fn an_access_is_tested_by_the_length() {
        let cases = [
            ("    out[i] = x[i + 1] - x[i];", 14, "if i + 1 < x.len()"),
            ("    out[i] = x[i + 1] - x[i];", 5, "if i < out.len()"),
            ("y[at[i]] += 1;", 1, "if at[i] < y.len()"),
            (
                "y[at[i] as usize] += 1;",
                1,
                "if (at[i] as usize) < y.len()",
            ),
            ("ä(p.rows[r][c])", 3, "if r < p.rows.len()"),
        ];
        for (line, column, wanted) in cases {
            assert_eq!(test(line, column).as_deref(), Some(wanted), "{line}");
        }
    }

    #[test]
    fn of_what_is_no_plain_access_nothing_is_said() {
        for line in [
            "x.get(i)", "&x[1..3]", "x[", "x[]", "", "x[{ 1 }]", "(x)[1]",
        ] {
            assert_eq!(test(line, 1), None, "{line}");
        }
        assert_eq!(test("x[1]", 9), None);
    }
}
