//! `vortex disasm`.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use vortex::codegen::Image;
use vortex::escape::Escaped;
use vortex::isa::Inst;
use vortex::{Module, SourceFiles};

use crate::args::Disasm;
use crate::input::{Beside, Input};
use crate::inspect::no_such_kernel;

pub(crate) fn run(args: &Disasm) -> Result<()> {
    let mut text = String::new();
    match Input::read(&args.file)? {
        Input::Metadata(_) => bail!(
            "{}: this file has metadata and no instructions",
            args.file.display()
        ),
        Input::Bundle(bundle) => {
            for (id, module) in bundle.entries() {
                _ = writeln!(text, "; entry {}", Escaped(id));
                module_text(&mut text, module, args.kernel.as_deref())?;
            }
        }
        Input::Module(module)
        | Input::Program {
            beside: Beside::Module(module),
            ..
        } => module_text(&mut text, &module, args.kernel.as_deref())?,
        Input::Program {
            segments, entry, ..
        } => {
            if args.kernel.is_some() {
                bail!(
                    "{}: this file does not say which kernels it has",
                    args.file.display()
                );
            }
            for (address, bytes) in segments {
                for (index, word) in words(&bytes).enumerate() {
                    let pc = address.wrapping_add(index as u32 * 4);
                    if pc == entry {
                        text.push_str("entry:\n");
                    }
                    instruction(&mut text, pc, word);
                }
            }
        }
    }
    crate::print_text(&text)
}

/// The images of a module, or of one kernel in it.
fn module_text(text: &mut String, module: &Module, only: Option<&str>) -> Result<()> {
    if let Some(name) = only {
        no_such_kernel(module.info(), name)?;
    }
    let kernels = module.kernels().iter();
    for kernel in kernels.filter(|kernel| only.is_none_or(|name| name == kernel.name)) {
        for (block, image) in module.images(&kernel.name) {
            match block {
                None => _ = writeln!(text, "{}:", Escaped(&kernel.name)),
                Some([x, y, z]) => {
                    _ = writeln!(
                        text,
                        "{}: ; for groups of {x} x {y} x {z}",
                        Escaped(&kernel.name)
                    );
                }
            }
            image_text(text, image);
        }
    }
    Ok(())
}

/// An image with the source lines that it comes from, and the constant tables after its code.
fn image_text(text: &mut String, image: &Image) {
    let constants = image.facts.constants.unwrap_or(0) as usize;
    let code = image.bytes.len().saturating_sub(constants);
    let mut lines = image.lines.iter().peekable();
    let mut sources = SourceFiles::of_files();
    for (index, word) in words(&image.bytes).enumerate() {
        let offset = index as u32 * 4;
        if index * 4 >= code {
            _ = writeln!(text, "{offset:8x}:  {word:08x}  .word {word:#010x}");
            continue;
        }
        while let Some(line) = lines.next_if(|line| line.offset <= offset) {
            match &line.loc {
                Some(loc) => {
                    let source = sources.line(&loc.file, loc.line).unwrap_or_default();
                    let space = if source.is_empty() { "" } else { "  " };
                    _ = writeln!(text, "; {loc}{space}{source}");
                }
                None => text.push_str("; (added by the compiler)\n"),
            }
        }
        instruction(text, offset, word);
    }
}

fn instruction(text: &mut String, pc: u32, word: u32) {
    match Inst::decode(word) {
        Some(inst) => _ = writeln!(text, "{pc:8x}:  {word:08x}  {}", inst.at(pc)),
        None => _ = writeln!(text, "{pc:8x}:  {word:08x}  .word {word:#010x}"),
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    let words = bytes.chunks_exact(4);
    words.map(|word| {
        word.iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u32::from(byte))
    })
}
