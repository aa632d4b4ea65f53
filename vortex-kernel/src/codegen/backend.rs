//! Cranelift, set up once.

use super::CompileError;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::SourceLoc;
use cranelift_codegen::isa::{self, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, LabelValueLoc, RegClass};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::OnceLock;

/// What Cranelift made of a function: RV64 words, in terms of the rewrites of `narrow`.
#[derive(Debug)]
pub(super) struct MachineCode {
    /// The code, without its prologue.
    pub(super) words: Vec<u32>,
    /// Word ranges by tag, ascending.
    pub(super) spans: Vec<(Range<usize>, SourceLoc)>,
    /// Where a register holds the value that `lower` has labelled: words, and the register.
    pub(super) item_counters: Vec<(Range<usize>, u8)>,
    /// Bytes below sp that the code uses.
    pub(super) frame: u32,
}

fn build() -> Result<OwnedTargetIsa, String> {
    let mut shared = settings::builder();
    let verifier = if cfg!(debug_assertions) {
        "true"
    } else {
        "false"
    };
    for (name, value) in [
        // Cranelift's own optimiser would fold constants with their 64-bit meaning.
        ("opt_level", "none"),
        ("unwind_info", "false"),
        ("enable_probestack", "false"),
        ("machine_code_cfg_info", "true"),
        ("enable_verifier", verifier),
    ] {
        shared.set(name, value).map_err(|e| e.to_string())?;
    }
    isa::lookup_by_name("riscv64")
        .map_err(|e| e.to_string())?
        .finish(settings::Flags::new(shared))
        .map_err(|e| e.to_string())
}

/// The backend. Extensions beyond RV64G stay off: what a target has of them is said by carriers.
fn isa() -> Result<&'static OwnedTargetIsa, CompileError> {
    static ISA: OnceLock<Result<OwnedTargetIsa, String>> = OnceLock::new();
    ISA.get_or_init(build)
        .as_ref()
        .map_err(|e| CompileError::internal(format!("Cranelift's RISC-V backend: {e}")))
}

thread_local! {
    static CONTEXT: RefCell<Context> = RefCell::new(Context::new());
}

/// Runs `body` with this thread's compilation context, emptied; its allocations are reused.
pub(super) fn with_context<R>(body: impl FnOnce(&mut Context) -> R) -> R {
    CONTEXT.with_borrow_mut(|context| {
        context.clear();
        body(context)
    })
}

/// Compiles the function in `context`.
pub(super) fn emit(context: &mut Context) -> Result<MachineCode, CompileError> {
    let compiled = context
        .compile(isa()?.as_ref(), &mut ControlPlane::default())
        .map_err(|e| CompileError::internal(format!("Cranelift: {:?}", e.inner)))?;
    let buffer = &compiled.buffer;
    if !buffer.relocs().is_empty() {
        return Err(CompileError::internal("Cranelift asked for a relocation"));
    }
    let words: Vec<u32> = buffer
        .data()
        .chunks(4)
        .map(|word| word.iter().rev().fold(0, |acc, &b| acc << 8 | u32::from(b)))
        .collect();
    // The hand-written entry sets sp; nobody's registers are to be saved.
    let prologue = compiled.bb_starts.first().map_or(0, |&at| at as usize / 4);
    let frame = buffer
        .frame_layout()
        .map_or(0, |layout| layout.frame_to_fp_offset);
    let spans = buffer
        .get_srclocs_sorted()
        .iter()
        .filter(|span| span.end as usize / 4 > prologue)
        .map(|span| {
            let start = (span.start as usize / 4).max(prologue) - prologue;
            (start..span.end as usize / 4 - prologue, span.loc)
        })
        .collect();
    let labelled = compiled.value_labels_ranges.values().flatten();
    let item_counters = labelled
        .filter_map(|range| {
            let register = match range.loc {
                LabelValueLoc::Reg(register) => register.to_real_reg()?,
                LabelValueLoc::CFAOffset(_) => return None,
            };
            let word = |offset: u32| (offset as usize / 4).saturating_sub(prologue);
            (register.class() == RegClass::Int)
                .then(|| (word(range.start)..word(range.end), register.hw_enc()))
        })
        .collect();
    Ok(MachineCode {
        item_counters,
        words: words[prologue..].to_vec(),
        spans,
        frame,
    })
}
