//! The IR's text form: text is IR or an error, IR prints as text that reads the same, and what the verifier accepts can
//! be interpreted and compiled, or is refused.

use vortex_kernel::codegen::{Options, Target, compile};
use vortex_kernel::ir::interp::{Grid, Memory, run_grid};
use vortex_kernel::ir::{Form, parse, verify};
use vortex_kernel::opt::{Level, Tuning};

/// Operations that a work item may execute.
const BUDGET: u64 = 2_000;
/// Bytes of arguments; a kernel may want others.
const ARGUMENTS: usize = 256;
/// Larger texts take long to compile, and have nothing that smaller ones lack.
const MOST_COMPILED: usize = 3_000;

/// Reads the function that the bytes are.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else {
        return false;
    };
    // Filetests have a line with what is done, and what comes of it.
    let text = text.split(";;; output").next().unwrap_or_default();
    let Ok(function) = parse(text) else {
        return false;
    };
    let printed = function.to_string();
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error}:\n{printed}"));
    assert_eq!(again.to_string(), printed);
    if text.len() > MOST_COMPILED {
        return true;
    }
    for form in [Form::Staged, Form::Structured] {
        if verify(&function, form).is_err() {
            continue;
        }
        let mut memory = Memory::default();
        memory.map(0, vec![0; 1 << 12]);
        let grid = Grid {
            groups: [1; 3],
            block: [4, 1, 1],
            lanes: 4,
        };
        let _ = run_grid(&function, &[0; ARGUMENTS], grid, &mut memory, BUDGET);
        match form {
            Form::Structured => {
                let mut function = function.clone();
                if vortex_kernel::opt::run(&mut function, Level::Full, &Tuning::default()).is_ok() {
                    let verdict = verify(&function, form);
                    verdict.unwrap_or_else(|error| panic!("{error}:\n{function}"));
                }
            }
            _ => {
                let image = compile(&function, &Target::FULL, &Options::default());
                if let Err(error) = image {
                    let text = error.to_string();
                    assert!(!text.contains("internal error"), "{text}");
                }
            }
        }
    }
    true
}
