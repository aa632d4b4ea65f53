//! What to write for a change of an element that others change at the same time.

use super::access::{Access, closing, is_short};

/// Operators and the atomic operations that do the same.
const CHANGES: [(char, &str); 5] = [
    ('+', "fetch_add"),
    ('-', "fetch_sub"),
    ('|', "fetch_or"),
    ('&', "fetch_and"),
    ('^', "fetch_xor"),
];

/// Whether elements of a type have an atomic operation.
pub(super) fn has(ty: &str, method: &str) -> bool {
    match ty {
        "u32" | "i32" => true,
        "f32" => matches!(method, "fetch_add" | "fetch_sub"),
        _ => false,
    }
}

/// The same change in one step: `c.atomic(0).fetch_add(1, Relaxed)` of `c[0] += 1;` in this column of a line, from 1,
/// where `c` has elements of type `ty`.
pub(super) fn changed(line: &str, column: u32, ty: &str) -> Option<String> {
    let access = Access::at(line, column)?;
    let (assignment, _) = access.rest.split_once(';')?;
    let (method, value) = by(&access, assignment.trim())?;
    let Access {
        name, index, text, ..
    } = access;
    // What is read of the same once more would be no part of the step.
    let is_plain = is_short(value) && !value.contains(['{', '"']) && !value.contains(text);
    (is_plain && has(ty, method))
        .then(|| format!("{name}.atomic({index}).{method}({value}, Relaxed)"))
}

/// The operation of `+= 1`, or of `= c[0] + 1` behind `c[0]`, and the value that it is given.
fn by<'a>(access: &Access<'_>, assignment: &'a str) -> Option<(&'static str, &'a str)> {
    let Some(whole) = assignment.strip_prefix("= ") else {
        let mut changes = CHANGES.into_iter();
        return changes.find_map(|(operator, method)| {
            let value = assignment.strip_prefix(operator)?.strip_prefix('=')?;
            Some((method, value.trim()))
        });
    };
    let change = whole.trim_start().strip_prefix(access.text)?.trim();
    for (call, method) in [(".min(", "fetch_min"), (".max(", "fetch_max")] {
        if let Some(value) = change.strip_prefix(call) {
            let end = closing(value)?;
            return (end + 1 == value.len()).then(|| (method, &value[..end]));
        }
    }
    let mut changes = CHANGES.into_iter();
    let (method, value) = changes.find_map(|(operator, method)| {
        let value = change.strip_prefix(operator)?.trim_start();
        Some((method, value))
    })?;
    is_one(value).then_some((method, value))
}

/// Whether there is no operator outside of brackets, which might come before the one in front.
fn is_one(value: &str) -> bool {
    let mut depth = 0;
    value.chars().all(|c| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        depth > 0 || c != ' '
    })
}

#[cfg(test)]
mod tests {
    use super::changed;

    #[test]
    fn a_change_is_an_atomic_operation() {
        let cases = [
            (
                "total[0] += x[i];",
                "total.atomic(0).fetch_add(x[i], Relaxed)",
            ),
            (
                "s.n[a[i]] -= k * 2 + 1;",
                "s.n.atomic(a[i]).fetch_sub(k * 2 + 1, Relaxed)",
            ),
            (
                "c[0] |= 1 << i; // c[1]",
                "c.atomic(0).fetch_or(1 << i, Relaxed)",
            ),
            (
                "c[i + 1] = c[i + 1] ^ m[i - 1];",
                "c.atomic(i + 1).fetch_xor(m[i - 1], Relaxed)",
            ),
            ("c[0] = c[0].max(by);", "c.atomic(0).fetch_max(by, Relaxed)"),
        ];
        for (line, wanted) in cases {
            assert_eq!(changed(line, 1, "i32").as_deref(), Some(wanted), "{line}");
        }
    }

    #[test]
    fn of_other_changes_nothing_is_said() {
        for line in [
            "c[0] *= 2;",
            "c[0] += c[0] * 2;",
            "c[0] = x;",
            "c[0] == c[0];",
            "c[0] = c[0] - a - b;",
            "c[0] = c[0].max(a) + 1;",
            "c[0] = c[1] + 1;",
            "c[0].x += 1;",
            "c[0] += if a {",
            "c[0] +=",
        ] {
            assert_eq!(changed(line, 1, "u32"), None, "{line}");
        }
        assert_eq!(changed("c[0] += 1;", 1, "u8"), None);
        assert_eq!(changed("c[0] |= 1;", 1, "f32"), None);
    }
}
