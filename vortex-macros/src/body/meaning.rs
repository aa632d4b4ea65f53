//! What the macros of Rust's library that kernels have mean, by their names.

use syn::Macro;

#[derive(Clone, Copy)]
pub(super) enum Meaning {
    /// The stream, and what follows the text.
    Print(&'static str, &'static str),
    Assert {
        debug: bool,
    },
    Compare {
        debug: bool,
        equal: bool,
    },
    /// What precedes the user's text, and the text if there is none.
    Panic(&'static str, &'static str),
    /// What is known when rustc expands it.
    Constant,
}

/// What a macro of this name means in a kernel; `None` if it means nothing.
pub(super) fn meaning(mac: &Macro) -> Option<Meaning> {
    let name = mac.path.segments.last()?.ident.to_string();
    let debug = name.starts_with("debug_");
    Some(match name.strip_prefix("debug_").unwrap_or(&name) {
        "println" if !debug => Meaning::Print("out", "\n"),
        "print" if !debug => Meaning::Print("out", ""),
        "eprintln" if !debug => Meaning::Print("err", "\n"),
        "eprint" if !debug => Meaning::Print("err", ""),
        "assert" => Meaning::Assert { debug },
        "assert_eq" => Meaning::Compare { debug, equal: true },
        "assert_ne" => Meaning::Compare {
            debug,
            equal: false,
        },
        "panic" if !debug => Meaning::Panic("", "explicit panic"),
        "unreachable" if !debug => Meaning::Panic(
            "internal error: entered unreachable code: ",
            "internal error: entered unreachable code",
        ),
        "todo" if !debug => Meaning::Panic("not yet implemented: ", "not yet implemented"),
        "unimplemented" if !debug => Meaning::Panic("not implemented: ", "not implemented"),
        "cfg" | "line" | "column" if !debug => Meaning::Constant,
        _ => return None,
    })
}

/// Whether control never passes this macro.
pub(super) fn diverges(mac: &Macro) -> bool {
    matches!(meaning(mac), Some(Meaning::Panic(..)))
}
