//! What gdb needs to know about a kernel: an ELF file with its code at its device address, and DWARF.

mod dwarf;
mod scopes;
mod types;

use gimli::LittleEndian;
use gimli::write::{EndianVec, Sections};
use vortex_kernel::codegen::{Image, ImageLocal};
use vortex_kernel::ir::SourceLoc;
use vortex_kernel::isa::{Inst, Opcode, x};
use vortex_sim::Executable;

/// A kernel on a device, as far as gdb is to know about it.
#[derive(Clone, Debug)]
pub struct Symbols<'a> {
    /// Its name, without the modules it is in.
    pub name: &'a str,
    /// The modules it is in: `my_crate::filters`.
    pub module: &'a str,
    /// Where it is declared, if that is known.
    pub declared: Option<SourceLoc>,
    /// Its locals, as [`Image::locals`] has them; those that are not kept have no place.
    pub locals: &'a [ImageLocal],
    /// Its code, with the lines it comes from.
    pub image: &'a Image,
    /// Device address of its first byte, a multiple of 4.
    pub address: u32,
    /// The directory that paths of its source begin in, if they are not absolute ones.
    pub directory: &'a str,
}

/// What the routine is called that each failing item comes by.
const FAULT: &str = "vortex_fault";

impl Symbols<'_> {
    /// Where the routine begins for failures, from the start of the image: if it has one, the only one that is called.
    fn fault(&self) -> Option<u32> {
        let words = self
            .image
            .bytes
            .as_chunks::<4>()
            .0
            .iter()
            .zip((0..).step_by(4));
        let call = |(word, offset): (&[u8; 4], u32)| {
            let inst = Inst::decode(u32::from_le_bytes(*word))?;
            let calls = inst.opcode == Opcode::Jal && inst.rd == x::TP;
            calls.then(|| offset.wrapping_add_signed(inst.imm))
        };
        let mut calls = words.filter_map(call);
        calls.find(|to| (*to as usize) < self.image.bytes.len())
    }
}

/// An ELF file with the code of a kernel at its address, its symbols, and DWARF on its lines, locals and types.
///
/// # Errors
/// If something does not fit into a file, in the words of its writer, which is a mistake of this library.
pub fn symbols(of: &Symbols<'_>) -> Result<Vec<u8>, String> {
    let debug = dwarf::sections(of).map_err(|error| error.to_string())?;
    write(of, &debug)
}

/// Alignment of code.
const ALIGN: u64 = 4;

fn write(of: &Symbols<'_>, debug: &Sections<EndianVec<LittleEndian>>) -> Result<Vec<u8>, String> {
    let code = &of.image.bytes;
    let mut sections: Vec<(&str, &[u8], u64)> = Vec::new();
    // Nothing in there can fail.
    let _ = debug.for_each(|id, data| -> Result<(), ()> {
        if !data.slice().is_empty() {
            sections.push((id.name(), data.slice(), 1));
        }
        Ok(())
    });
    let size = code.len() as u32;
    let fault = of.fault().map(|start| (FAULT, start, size - start));
    let kernel = (of.name, 0, fault.map_or(size, |(_, start, _)| start));
    let executable = Executable {
        address: of.address,
        code,
        align: ALIGN,
        sections,
        symbols: [kernel].into_iter().chain(fault).collect(),
    };
    executable.to_elf()
}
