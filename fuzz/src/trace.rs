//! Commit traces: text is one or an error. Of two, the first difference can be told; of the same twice, there is none.

#[allow(
    dead_code,
    unused_imports,
    reason = "part of the `vortex` command, which has all of it"
)]
#[path = "../../vortex-host/cli/src/trace/csv.rs"]
mod csv;
#[allow(
    dead_code,
    reason = "part of the `vortex` command, which has all of it"
)]
#[path = "../../vortex-host/cli/src/trace/diff.rs"]
mod diff;

use csv::Commits;

/// Compares the trace before a line of `=` with the one after it. After another one are the source lines of the first.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else {
        return false;
    };
    let mut parts = text.splitn(3, "\n=\n");
    let [a, b, lines] = [(); 3].map(|()| parts.next().unwrap_or_default());
    let Ok(mut a) = Commits::parse(a) else {
        return false;
    };
    let Ok(lines) = csv::source_lines(lines) else {
        return false;
    };
    a.source_lines = lines;
    assert_eq!(diff::first(&a, &a), None);
    let Ok(b) = Commits::parse(b) else {
        return false;
    };
    let names = ["a", "b"].map(str::to_owned);
    let [there, back] = [[&a, &b], [&b, &a]].map(|[a, b]| {
        let difference = diff::first(a, b)?;
        assert!(!difference.described(&names, [a, b]).is_empty());
        Some(difference)
    });
    assert_eq!(there.is_some(), back.is_some());
    true
}
