//! What gdb is to know of a kernel: an ELF file with its code where it is on the device, and DWARF.

mod dwarf;
mod scopes;
mod types;

use gimli::LittleEndian;
use gimli::write::{EndianVec, Sections};
use object::elf::{
    EM_RISCV, ET_EXEC, FileFlags, PF_R, PF_X, PT_LOAD, SHF_ALLOC, SHF_EXECINSTR, SHT_PROGBITS,
    STB_GLOBAL, STT_FUNC, SectionFlags, SymbolInfo, SymbolOther, SymbolSection,
};
use object::endian::Endianness;
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, Sym, Writer};
use vortex_kernel::codegen::{Image, ImageLocal};
use vortex_kernel::ir::SourceLoc;
use vortex_kernel::isa::{Inst, Opcode, x};

/// A kernel on a device.
#[derive(Clone, Debug)]
pub struct Symbols<'a> {
    /// Its name, without the modules it is in.
    pub name: &'a str,
    /// The modules it is in: `my_crate::filters`.
    pub module: &'a str,
    /// Where it is declared, if that is known.
    pub declared: Option<SourceLoc>,
    /// Its locals, as far as they can be found.
    pub locals: &'a [ImageLocal],
    /// Its code, with the lines it comes from.
    pub image: &'a Image,
    /// Where that is on the device.
    pub address: u32,
    /// Where the paths of its source begin, if they are no absolute ones.
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

/// What a kernel's file holds.
///
/// # Errors
/// If something does not fit into a file, which is a mistake of this library.
pub fn symbols(of: &Symbols<'_>) -> Result<Vec<u8>, String> {
    let debug = dwarf::sections(of).map_err(|error| error.to_string())?;
    write(of, &debug).map_err(|error| error.to_string())
}

/// Alignment of code.
const ALIGN: u64 = 4;

fn write(
    of: &Symbols<'_>,
    debug: &Sections<EndianVec<LittleEndian>>,
) -> Result<Vec<u8>, object::write::Error> {
    let text = &of.image.bytes;
    let mut sections: Vec<(&str, &[u8], u64)> = vec![(".text", text, ALIGN)];
    // Nothing in there can fail.
    let _ = debug.for_each(|id, data| -> Result<(), ()> {
        if !data.slice().is_empty() {
            sections.push((id.name(), data.slice(), 1));
        }
        Ok(())
    });
    let mut file = Vec::new();
    let mut elf = Writer::new(Endianness::Little, false, &mut file);
    elf.reserve_file_header();
    elf.reserve_program_headers(1);
    elf.reserve_null_section_index();
    let mut placed = Vec::new();
    let mut code = None;
    for (name, bytes, align) in sections {
        let name = elf.add_section_name(name.as_bytes());
        let section = elf.reserve_section_index();
        code.get_or_insert(section);
        let offset = elf.reserve(bytes.len() as u64, align);
        placed.push((name, bytes, align, offset));
    }
    elf.reserve_null_symbol_index();
    let size = text.len() as u32;
    let fault = of.fault().map(|start| (FAULT, start, size - start));
    let kernel = (of.name, 0, fault.map_or(size, |(_, start, _)| start));
    let symbols: Vec<_> = [kernel].into_iter().chain(fault).collect();
    let names: Vec<_> = (symbols.iter())
        .map(|(name, ..)| {
            elf.reserve_symbol_index(code);
            elf.add_string(name.as_bytes())
        })
        .collect();
    elf.reserve_symtab_section_index();
    elf.reserve_symtab();
    elf.reserve_strtab_section_index();
    elf.reserve_strtab()?;
    elf.reserve_shstrtab_section_index();
    elf.reserve_shstrtab()?;
    elf.reserve_section_headers();

    let address = u64::from(of.address);
    elf.write_file_header(&FileHeader {
        os_abi: object::elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: ET_EXEC,
        e_machine: EM_RISCV,
        e_entry: address,
        e_flags: FileFlags(0),
    })?;
    elf.write_align_program_headers();
    elf.write_program_header(&ProgramHeader {
        p_type: PT_LOAD,
        p_flags: PF_R | PF_X,
        p_offset: placed[0].3,
        p_vaddr: address,
        p_paddr: address,
        p_filesz: text.len() as u64,
        p_memsz: text.len() as u64,
        p_align: ALIGN,
    });
    for (_, bytes, align, _) in &placed {
        elf.write_align(*align);
        elf.write(bytes);
    }
    elf.write_null_symbol();
    for (name, (_, start, size)) in names.iter().zip(&symbols) {
        elf.write_symbol(&Sym {
            st_name: elf.string_offset(Some(*name)),
            section: code.map(|section| section.0),
            st_info: SymbolInfo::new(STB_GLOBAL, STT_FUNC),
            st_other: SymbolOther(0),
            st_shndx: SymbolSection(0),
            st_value: address + u64::from(*start),
            st_size: u64::from(*size),
        });
    }
    elf.write_strtab();
    elf.write_shstrtab();
    elf.write_null_section_header();
    for (index, (name, bytes, align, offset)) in placed.iter().enumerate() {
        let is_code = index == 0;
        elf.write_section_header(&SectionHeader {
            sh_name: elf.section_name_offset(Some(*name)),
            sh_type: SHT_PROGBITS,
            sh_flags: match is_code {
                true => SHF_ALLOC | SHF_EXECINSTR,
                false => SectionFlags(0),
            },
            sh_addr: if is_code { address } else { 0 },
            sh_offset: *offset,
            sh_size: bytes.len() as u64,
            sh_link: 0,
            sh_info: 0,
            sh_addralign: *align,
            sh_entsize: 0,
        });
    }
    elf.write_symtab_section_header(1);
    elf.write_strtab_section_header();
    elf.write_shstrtab_section_header();
    Ok(file)
}
