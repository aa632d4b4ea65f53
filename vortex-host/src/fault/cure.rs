//! What to write instead of what has failed, as far as its line of source shows it.

use vortex_kernel::ir::FaultKind;

use super::Fault;
use super::access::{Access, closing, from, is_short};

/// Methods that divide by their argument.
const DIVIDING: [&str; 7] = [
    "div_euclid",
    "rem_euclid",
    "wrapping_div",
    "wrapping_rem",
    "div_ceil",
    "next_multiple_of",
    "midpoint",
];

/// What is said of an overflow, by the operation's number among [`OVERFLOWING`](vortex_kernel::ir::OVERFLOWING): the
/// operator, and what a method begins with.
const OVERFLOWS: [&str; 9] = [
    "`saturating_add`, `wrapping_add` or a wider type",
    "`saturating_sub`, `wrapping_sub` or a signed type",
    "`saturating_mul`, `wrapping_mul` or a wider type",
    "`wrapping_neg` or a wider type",
    "`wrapping_shl`, or fewer bits",
    "`wrapping_shr`, or fewer bits",
    "`unsigned_abs` or `wrapping_abs`",
    "`saturating_pow`, `wrapping_pow` or a wider type",
    "`checked_next_multiple_of` or a wider type",
];

impl Fault {
    /// What to write, in its line.
    pub(super) fn cure(&self, line: &str) -> Option<String> {
        let [first, second] = self.operands;
        let column = self.at.column;
        let before = |test: String| match is_of_a_closure(line, column, &test) {
            true => format!("write `if {test} {{ .. }} else {{ .. }}` inside of the closure"),
            false => format!("write `if {test}` before"),
        };
        match self.kind {
            FaultKind::Index => {
                let access = Access::at(line, column)?;
                index(&access, first).map(before)
            }
            FaultKind::Range | FaultKind::RangeStart => {
                let access = Access::at(line, column)?;
                range(&access, self.kind, [first, second]).map(before)
            }
            FaultKind::DivideByZero => {
                let (divisor, _) = divisor(line, column)?;
                Some(before(format!("{} != 0", without_parentheses(divisor))))
            }
            FaultKind::Overflow => {
                let instead = OVERFLOWS.get(usize::try_from(first).ok()?)?;
                Some(format!("use {instead}"))
            }
            FaultKind::Unwrap => {
                let option = before_method(line, column)?;
                let or = "`unwrap_or(..)` in place of `unwrap()`";
                Some(format!(
                    "write `if let Some(v) = {option} {{ .. }}` around it, or {or}"
                ))
            }
            _ => None,
        }
    }

    /// The column of what is to blame in its line.
    pub(super) fn column(&self, line: &str) -> Option<u32> {
        match self.kind {
            FaultKind::DivideByZero => Some(divisor(line, self.at.column)?.1),
            _ => None,
        }
    }
}

/// Whether this column of a line, from 1, is in a closure that begins in the line, by whose parameters a test is.
fn is_of_a_closure(line: &str, column: u32, test: &str) -> bool {
    let Some(behind) = from(line, column) else {
        return false;
    };
    let before = &line[..line.len() - behind.len()];
    let mut parts = before.rsplitn(3, '|');
    let (Some(_), Some(parameters), Some(_)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let names = parameters.split(',').map(|parameter| {
        let name = parameter.split(':').next().unwrap_or_default();
        name.trim_start_matches(['&', ' ']).trim_end()
    });
    let mut names = names.filter(|name| !name.is_empty() && name.chars().all(is_part));
    names.any(|name| test.split(|c| !is_part(c)).any(|word| word == name))
}

/// Whether a number looks as if a larger one had been subtracted from a smaller one.
const fn has_wrapped(number: u32) -> bool {
    number.cast_signed() < 0
}

/// The test for an index.
fn index(access: &Access<'_>, number: u32) -> Option<String> {
    let Access { name, index, .. } = access;
    let wrapped = above_zero(index).filter(|_| has_wrapped(number));
    let test = wrapped.unwrap_or_else(|| format!("{} < {name}.len()", operand(index)));
    let is_pair = index.starts_with('(') && without_parentheses(index).contains(',');
    (!index.contains("..") && !is_pair).then_some(test)
}

/// The test for a range.
fn range(access: &Access<'_>, kind: FaultKind, [first, second]: [u32; 2]) -> Option<String> {
    let Access {
        name, index, rest, ..
    } = access;
    // Of a part of a part it is not known which of them it is.
    if rest.starts_with('[') {
        return None;
    }
    let (start, end) = index.split_once("..")?;
    let (start, end) = (start.trim(), end.trim());
    let (end, less) = match end.strip_prefix('=') {
        Some(end) => (end.trim(), "<"),
        None => (end, "<="),
    };
    let bounded = |part: &str, less: &str, limit: &str| {
        let number = if kind == FaultKind::Range && part == start {
            second
        } else {
            first
        };
        let wrapped = above_zero(part).filter(|_| has_wrapped(number));
        let test = || format!("{} {less} {limit}", operand(part));
        (!part.is_empty()).then(|| wrapped.unwrap_or_else(test))
    };
    let length = format!("{name}.len()");
    match kind {
        FaultKind::RangeStart => bounded(start, "<=", &length),
        _ if first > second => bounded(end, less, &length),
        _ => bounded(start, "<=", end),
    }
}

/// What holds where the number that is computed so is not below zero: `i > 0` of `i - 1`, `i >= w + 1` of `i - w - 1`.
fn above_zero(number: &str) -> Option<String> {
    let number = number.strip_suffix(" as usize").unwrap_or(number);
    let number = without_parentheses(number);
    let (mut more, mut less) = (String::new(), String::new());
    let (mut depth, mut is_less) = (0, false);
    let mut words = number.split(' ').peekable();
    while let Some(word) = words.next() {
        let is_operator = depth == 0 && matches!(word, "+" | "-");
        if is_operator && words.peek().is_some() {
            is_less = word == "-";
            let side = if is_less { &mut less } else { &mut more };
            if !side.is_empty() {
                side.push_str(" + ");
            }
            continue;
        }
        // What comes after sums.
        if depth == 0 && matches!(word, "|" | "&" | "^" | "<<" | ">>") {
            return None;
        }
        let opening = word.matches(['(', '[']).count();
        depth += opening;
        depth = depth.checked_sub(word.matches([')', ']']).count())?;
        let side = if is_less { &mut less } else { &mut more };
        if !side.is_empty() && !side.ends_with(' ') {
            side.push(' ');
        }
        side.push_str(word);
    }
    if more.is_empty() {
        return None;
    }
    match less.as_str() {
        // What is subtracted in a factor.
        "" => {
            let open = number.find('(')? + 1;
            let inner = &number[open..open + closing(&number[open..])?];
            above_zero(inner)
        }
        "1" => Some(format!("{more} > 0")),
        _ => Some(format!("{more} >= {less}")),
    }
}

/// As an operand of a comparison: behind `as usize`, `<` would begin what a type is made of.
fn operand(index: &str) -> String {
    match index.contains(" as ") || index.contains(['|', '&', '^']) {
        true => format!("({index})"),
        false => index.to_owned(),
    }
}

/// Without the parentheses around all of it.
fn without_parentheses(part: &str) -> &str {
    let inner = part
        .strip_prefix('(')
        .filter(|inner| closing(inner) == Some(inner.len() - 1));
    inner.map_or(part, |inner| &inner[..inner.len() - 1])
}

/// An operand at the start: a name, a number, a call, an element, something in parentheses, with its `as`.
fn first_operand(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let mut end = text.len() - text.trim_start_matches(['-', '*', '!']).len();
    let start = end;
    loop {
        let rest = &text[end..];
        let part = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        // A range ends it.
        let part = rest[..part].find("..").unwrap_or(part);
        end += part;
        let rest = &text[end..];
        if rest.starts_with(['(', '[']) {
            end += closing(&rest[1..])? + 2;
        } else if let Some(ty) = rest.strip_prefix(" as ") {
            end += " as ".len() + ty.find(|c| !is_part(c)).unwrap_or(ty.len());
        } else if part == 0 || rest.starts_with("..") || !rest.starts_with(is_part) {
            break;
        }
    }
    (end > start).then(|| &text[..end])
}

/// What is divided by, in the operation that begins in this column of a line, from 1, and its own column; if there is
/// one division in it.
fn divisor(line: &str, column: u32) -> Option<(&str, u32)> {
    let text = from(line, column)?;
    let located = |divisor: &str| {
        let before = divisor.as_ptr() as usize - text.as_ptr() as usize;
        let chars = text.get(..before)?.chars().count();
        Some(column + u32::try_from(chars).ok()?)
    };
    let is_method = |method: &&&str| {
        text.strip_prefix(**method)
            .is_some_and(|rest| rest.starts_with('('))
    };
    if let Some(method) = DIVIDING.iter().find(is_method) {
        let arguments = &text[method.len() + 1..];
        let divisor = &arguments[..closing(arguments)?];
        return Some((divisor, located(divisor)?)).filter(|_| is_short(divisor));
    }
    let mut rest = &text[first_operand(text)?.len()..];
    let mut found = None;
    loop {
        let behind = rest.trim_start();
        let Some(operator) = behind
            .chars()
            .next()
            .filter(|c| matches!(c, '*' | '/' | '%'))
        else {
            break;
        };
        let behind = &behind[1..];
        let (divisor, end) = match behind.strip_prefix('=') {
            Some(value) => (value.split_once(';')?.0.trim(), ""),
            None => {
                let behind = behind.trim_start();
                let divisor = first_operand(behind)?;
                (divisor, &behind[divisor.len()..])
            }
        };
        rest = end;
        if operator != '*' && found.replace(divisor).is_some() {
            return None;
        }
    }
    let divisor = found.filter(|divisor| is_short(divisor) && !divisor.contains('{'))?;
    Some((divisor, located(divisor)?))
}

/// What a method is called of that stands in this column of a line, from 1.
fn before_method(line: &str, column: u32) -> Option<&str> {
    let behind = from(line, column)?;
    if !behind.starts_with("unwrap()") {
        return None;
    }
    let before = line[..line.len() - behind.len()].strip_suffix('.')?;
    let mut depth = 0;
    let start = before.char_indices().rev().find_map(|(at, c)| {
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' => depth -= 1,
            _ => {}
        }
        let is_part = depth > 0 || c.is_alphanumeric() || matches!(c, '_' | '.' | '(' | '[');
        (depth < 0 || !is_part).then(|| at + c.len_utf8())
    });
    let option = &before[start.unwrap_or(0)..];
    is_short(option).then_some(option)
}

#[cfg(test)]
mod tests {
    use vortex_kernel::ir::FaultKind;

    use super::{above_zero, before_method, divisor, index, is_of_a_closure, range};
    use crate::fault::access::Access;

    #[test]
    fn an_access_is_tested_by_the_length() {
        let cases = [
            ("    out[i] = x[i + 1] - x[i];", 14, "i + 1 < x.len()"),
            ("    out[i] = x[i + 1] - x[i];", 5, "i < out.len()"),
            ("y[at[i]] += 1;", 1, "at[i] < y.len()"),
            ("y[at[i] as usize] += 1;", 1, "(at[i] as usize) < y.len()"),
            ("ä(p.rows[r][c])", 3, "r < p.rows.len()"),
            ("x[i - 1]", 1, "i - 1 < x.len()"),
        ];
        for (line, column, wanted) in cases {
            let access = Access::at(line, column).unwrap();
            assert_eq!(index(&access, 9).as_deref(), Some(wanted), "{line}");
        }
        let wrapped = |line| index(&Access::at(line, 1).unwrap(), u32::MAX);
        assert_eq!(wrapped("x[i - 1]").as_deref(), Some("i > 0"));
        assert_eq!(wrapped("x[at[i]]").as_deref(), Some("at[i] < x.len()"));
    }

    #[test]
    fn of_what_is_no_plain_access_nothing_is_said() {
        for line in [
            "x.get(i)", "x[", "x[]", "", "x[{ 1 }]", "(x)[1]", "&x[1..3]",
        ] {
            assert!(Access::at(line, 1).is_none(), "{line}");
        }
        assert!(Access::at("x[1]", 9).is_none());
        for line in ["x[1..3]", "m[(row, col)]"] {
            assert_eq!(index(&Access::at(line, 1).unwrap(), 9), None, "{line}");
        }
    }

    #[test]
    fn parameters_of_closures_are_known_inside_of_them() {
        let cases = [
            (
                "let at = |dx: usize, dy: usize| x[y + dx];",
                33,
                "y + dx < x.len()",
                true,
            ),
            (
                "let at = |dx: usize| x[y + i];",
                22,
                "y + i < x.len()",
                false,
            ),
            (
                "out[i] = x.iter().map(|&v| y[v]).sum();",
                28,
                "v < y.len()",
                true,
            ),
            ("let n = a | b | x[b];", 17, "c < x.len()", false),
            ("x[i] = 1.0;", 1, "i < x.len()", false),
        ];
        for (line, column, test, wanted) in cases {
            assert_eq!(is_of_a_closure(line, column, test), wanted, "{line}");
        }
    }

    #[test]
    fn what_is_subtracted_is_compared_before() {
        let cases = [
            ("i - 1", Some("i > 0")),
            ("i + j - w - 1", Some("i + j >= w + 1")),
            ("(row - 1) * w + col", Some("row > 0")),
            (
                "(at[i - 2] as i32 - 1) as usize",
                Some("at[i - 2] as i32 > 0"),
            ),
            ("i * 2 - (a + b)", Some("i * 2 >= (a + b)")),
            ("at[i]", None),
            ("i.wrapping_sub(1)", None),
            ("-1", None),
            ("a | b - 1", None),
        ];
        for (number, wanted) in cases {
            assert_eq!(above_zero(number).as_deref(), wanted, "{number}");
        }
    }

    #[test]
    fn ranges_are_compared_with_what_they_leave() {
        let cases = [
            (
                "x[i..i + 4].iter()",
                FaultKind::Range,
                [101, 100],
                Some("i + 4 <= x.len()"),
            ),
            (
                "x[i..=i + 4].iter()",
                FaultKind::Range,
                [102, 100],
                Some("i + 4 < x.len()"),
            ),
            ("x[a..b]", FaultKind::Range, [3, 5], Some("a <= b")),
            (
                "x[i - 1..i + 1]",
                FaultKind::Range,
                [1, u32::MAX],
                Some("i > 0"),
            ),
            (
                "x[k..]",
                FaultKind::RangeStart,
                [9, 8],
                Some("k <= x.len()"),
            ),
            ("x[a..][..b]", FaultKind::Range, [9, 8], None),
            ("x[..]", FaultKind::Range, [9, 8], None),
        ];
        for (line, kind, operands, wanted) in cases {
            let access = Access::at(line, 1).unwrap();
            assert_eq!(range(&access, kind, operands).as_deref(), wanted, "{line}");
        }
    }

    #[test]
    fn divisors_are_found() {
        let cases = [
            ("y[i] = a[i] / b[i];", 8, Some(("b[i]", 15))),
            (
                "a.b(c)[d] * 2 % (e as u32 - 1) + f / g;",
                1,
                Some(("(e as u32 - 1)", 17)),
            ),
            ("n as u32 / k as u32, 3", 1, Some(("k as u32", 12))),
            ("x[i] /= y[i] - 1;", 1, Some(("y[i] - 1", 9))),
            ("rem_euclid(n.max(k)) / 2", 1, Some(("n.max(k)", 12))),
            ("0..a / b", 4, Some(("b", 8))),
            ("a / b / c", 1, None),
            ("a + b / c", 1, None),
            ("a", 1, None),
            ("a / ", 1, None),
        ];
        for (line, column, wanted) in cases {
            assert_eq!(divisor(line, column), wanted, "{line}");
        }
    }

    #[test]
    fn options_that_are_unwrapped_are_found() {
        let cases = [
            (
                "y[i] = x.get(i + 1).unwrap() * 2.0;",
                21,
                Some("x.get(i + 1)"),
            ),
            ("f(first.unwrap())", 9, Some("first")),
            ("unwrap()", 1, None),
            ("x.expect(y)", 3, None),
        ];
        for (line, column, wanted) in cases {
            assert_eq!(before_method(line, column), wanted, "{line}");
        }
    }
}
