//! The IR's text form: round trips, error positions, and the verifier's verdicts on texts.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use vortex_kernel::codegen::{Options, Target, compile};
use vortex_kernel::ir::{Form, parse, verify};
use vortex_kernel::opt;

const STAGED: &str = r#"kernel "a \"b\"" (v0: f32 "alpha" arg 0 at 0, v1: ptr<global> "x" arg 1 at 4, v2: u32 "x.len" arg 1 at 8) args 12 {
  loc @1 "src/a.rs":3:5
  var m0: u32
  v3: u32 = id linear @1
  v4: u32 = id size_y
  v5: bool = ge v3, v2
  if v5 {
    fault index v3, v2 @1
    return
  }
  v6: u32 = const 0
  set m0, v6
  loop L0 @1 {
    v7: u32 = get m0
    v8: bool = eq v7, v2
    if v8 {
      break L0
    } else {
      continue L0
    }
  } step {
    v9: u32 = get m0
    v10: u32 = const 1
    v11: u32 = add v9, v10
    set m0, v11
  }
  v12: f32 = const -0.0
  v13: f32 = const 1e-30
  v14: f32 = const 0x7fc00001
  v15: f32 = const inf
  v16: i8 = const -128
  v17: i32, v18: f32 = if v5 {
    v19: i32 = const 7
    yield v19, v12
  } else {
    v20: i32 = cast v16
    yield v20, v13
  }
  v21: ptr<global> = ptradd v1, v3 * 4
  v22: f32 = load v21-4 shared(1)
  store v21+8, v22 exclusive(1) @1
}
"#;

const STRUCTURED: &str = r#"kernel "k" (v0: u32 "n" arg 0 at 0) args 4 {
  v1: u32 = const 0
  v2: u32 = const 1
  v3: u32 = while (v4: u32 = v1, v5: u32 = v2) {
    v6: bool = lt v4, v0
    test v6 exit v5
    v7: u32 = add v4, v2
    v8: u32 = mul v5, v7
    next v7, v8
  }
  while () {
    v9: bool = const false
    test v9
  }
  v10: ptr<constant> = csr launch_block
  narrow_mask v3
  record s2, v3, v2, v3
}
"#;

#[test]
fn text_survives_a_round_trip() {
    for (text, form) in [(STAGED, Form::Staged), (STRUCTURED, Form::Structured)] {
        let function = parse(text).unwrap();
        verify(&function, form).unwrap();
        assert_eq!(function.to_string(), text);
        assert_eq!(parse(&function.to_string()).unwrap(), function);
    }
}

/// Wraps instructions into a function of an `u32` v0, an `f32` v1 and a `bool` v2.
fn function(body: &str) -> String {
    format!(
        "kernel \"k\" (v0: u32 \"a\" arg 0 at 0, v1: f32 \"b\" arg 1 at 4, v2: bool \"c\" arg 2 at 8) args 12 {{\n\
         var m0: u32\n{body}\n}}"
    )
}

#[test]
fn syntax_errors_name_the_place() {
    for (body, message) in [
        (
            "v3: u32 = frob v0",
            "line 3, column 11: expected an operation, found `frob`",
        ),
        (
            "v3: u33 = add v0, v0",
            "line 3, column 5: expected a type, found `u33`",
        ),
        (
            "v3: u32 = add v0 v0",
            "line 3, column 18: expected `,`, found `v0`",
        ),
        (
            "v3: u32 = const 5000000000",
            "line 3, column 17: malformed constant",
        ),
        (
            "v0: u32 = const 5",
            "line 3, column 1: v0 is defined twice, out of order, or numbered too high",
        ),
        (
            "v99999999: u32 = const 5",
            "line 3, column 1: v99999999 is defined twice, out of order, or numbered too high",
        ),
        (
            "v3: u32 = id size_w",
            "line 3, column 14: expected an id, found `size_w`",
        ),
        (
            "if v2 {",
            "line 4, column 2: expected an instruction or `}`, found the end of the text",
        ),
        (
            "store v0+x, v1 any",
            "line 3, column 9: expected a signed offset, found `+x`",
        ),
    ] {
        assert_eq!(parse(&function(body)).unwrap_err().to_string(), message);
    }
    assert_eq!(
        parse("kernel \"k").unwrap_err().to_string(),
        "line 1, column 8: malformed string"
    );
    let deep = function(&"if v2 {".repeat(100_000));
    let message = parse(&deep).unwrap_err().to_string();
    assert!(message.contains("nested more than"), "{message}");
}

#[test]
fn broken_rules_name_the_instruction() {
    for (form, body, message) in [
        (
            Form::Staged,
            "v3: u32 = add v0, v1",
            "invalid IR at `v3: u32 = add v0, v1`: v1 is f32, but must be u32",
        ),
        (
            Form::Staged,
            "v3: f32 = add v0, v0",
            "invalid IR at `v3: f32 = add v0, v0`: v3 is f32, but must be u32",
        ),
        (
            Form::Staged,
            "v3: u32 = neg v7",
            "invalid IR at `v3: u32 = neg v7`: v7 is not defined here",
        ),
        (
            Form::Staged,
            "v3: f32 = rem v1, v1",
            "invalid IR at `v3: f32 = rem v1, v1`: v1 is f32, but must be an integer",
        ),
        (
            Form::Staged,
            "v3: bool = cast v0",
            "invalid IR at `v3: bool = cast v0`: v0 is u32, but must be something that `as bool` accepts",
        ),
        (
            Form::Staged,
            "v3: u8 = const 256",
            "invalid IR at `v3: u8 = const 256`: 0x100 is no canonical u8",
        ),
        (
            Form::Staged,
            "if v2 {\nv3: u32 = const 1\n}\nv4: u32 = neg v3",
            "invalid IR at `v4: u32 = neg v3`: v3 is not defined here",
        ),
        (
            Form::Staged,
            "v3: u32 = if v2 {\nyield v0\n}",
            "invalid IR at `v3: u32 = if v2 {`: 0 yields, but 1 are needed",
        ),
        (
            Form::Staged,
            "return\nv3: u32 = const 1",
            "invalid IR at `v3: u32 = const 1`: follows a jump in the same block",
        ),
        (
            Form::Staged,
            "break L0",
            "invalid IR at `break L0`: no enclosing loop L0",
        ),
        (
            Form::Staged,
            "loop L0 {\n} step {\ncontinue L0\n}",
            "invalid IR at `continue L0`: no enclosing loop L0",
        ),
        (
            Form::Staged,
            "v3: u32 = get m0",
            "invalid IR at `v3: u32 = get m0`: m0 may be read before it is assigned",
        ),
        (
            Form::Staged,
            "if v2 {\nset m0, v0\n}\nv3: u32 = get m0",
            "invalid IR at `v3: u32 = get m0`: m0 may be read before it is assigned",
        ),
        (
            Form::Staged,
            "while () {\ntest v2\n}",
            "invalid IR at `while () {`: not allowed in the staged form",
        ),
        (
            Form::Staged,
            "fault index v0, v0, v0",
            "invalid IR at `fault index v0, v0, v0`: 3 operands, but 2 are needed",
        ),
        (
            Form::Staged,
            "fault overflow v0",
            "invalid IR at `fault overflow v0`: 1 operands, but 2 are needed",
        ),
        (
            Form::Staged,
            "fault overflow v0, v0, v0, v0, v0, v0, v0",
            "invalid IR at `fault overflow v0, v0, v0, v0, v0, v0, v0`: a fault has at most 6 words of values",
        ),
        (
            Form::Structured,
            "return",
            "invalid IR at `return`: not allowed in the structured form",
        ),
        (
            Form::Structured,
            "while (v3: u32 = v0) {\ntest v2\n}",
            "invalid IR at `while (v3: u32 = v0) {`: 0 next values, but 1 are needed",
        ),
        (
            Form::Structured,
            "while () {\ntest v3\nv3: bool = not v2\n}",
            "invalid IR at `while () {`: v3 is not defined here",
        ),
    ] {
        let function = parse(&function(body)).unwrap();
        assert_eq!(verify(&function, form).unwrap_err().to_string(), message);
    }
}

#[test]
fn assignment_on_every_path_that_arrives_is_enough() {
    for body in [
        "if v2 {\nset m0, v0\n} else {\nreturn\n}\nv3: u32 = get m0",
        "loop L0 {\nif v2 {\nset m0, v0\nbreak L0\n}\n}\nv3: u32 = get m0",
        "loop L0 {\nif v2 {\nset m0, v0\ncontinue L0\n}\nbreak L0\n} step {\nv3: u32 = get m0\n}",
    ] {
        verify(&parse(&function(body)).unwrap(), Form::Staged).unwrap();
    }
}

#[test]
fn a_thousand_early_returns_are_an_error_not_a_crash() {
    for (returns, fits) in [(200, true), (1000, false), (20_000, false)] {
        let mut function = parse(&function(&"if v2 {\nreturn\n}\n".repeat(returns))).unwrap();
        verify(&function, Form::Staged).unwrap();
        let image = compile(&function, &Target::FULL, &Options::default());
        assert_eq!(image.is_ok(), fits, "{returns}");
        let structured = vortex_kernel::opt::structurise(&mut function);
        assert_eq!(structured.is_ok(), fits, "{returns}");
        if let Err(error) = structured {
            let text = error.to_string();
            assert!(text.contains("nested too deeply"), "{text}");
            continue;
        }
        vortex_kernel::opt::ssa(&mut function);
        verify(&function, Form::Structured).unwrap();
        opt::run(&mut function, opt::Level::Full, &opt::Tuning::default()).unwrap();
    }
}
