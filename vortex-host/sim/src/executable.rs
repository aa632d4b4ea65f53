//! Writes executables for Vortex as ELF files.

use object::elf::{
    EM_RISCV, ET_EXEC, FileFlags, PF_R, PF_X, PT_LOAD, SHF_ALLOC, SHF_EXECINSTR, SHT_PROGBITS,
    STB_GLOBAL, STT_FUNC, SectionFlags, SymbolInfo, SymbolOther, SymbolSection,
};
use object::endian::Endianness;
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, Sym, Writer};

/// An executable for RV32 to be written: one segment of code, functions in it, and sections that are not loaded.
#[derive(Clone, Debug)]
pub struct Executable<'a> {
    /// Address of the first byte of the code, and of its first instruction.
    pub address: u32,
    /// The code as it is to lie in memory, which can be read and executed there.
    pub code: &'a [u8],
    /// What the code's place in the file and in memory is a multiple of: bytes, a power of two.
    pub align: u64,
    /// Name, contents and alignment (in bytes, a power of two) of each of the other sections. Here and in
    /// [`Executable::symbols`], names have no zero bytes, which end them in the file.
    pub sections: Vec<(&'a str, &'a [u8], u64)>,
    /// Name of each function, where it begins in the code as an offset in bytes, and its size in bytes.
    pub symbols: Vec<(&'a str, u32, u32)>,
}

impl Executable<'_> {
    /// The file: little-endian ELF for 32 bits, of type `ET_EXEC`, with symbols.
    ///
    /// # Errors
    /// If the names are too long for a string table, whose offsets have 32 bits; the message is that of the writer.
    pub fn to_elf(&self) -> Result<Vec<u8>, String> {
        self.write().map_err(|error| error.to_string())
    }

    fn write(&self) -> Result<Vec<u8>, object::write::Error> {
        let mut file = Vec::new();
        let mut elf = Writer::new(Endianness::Little, false, &mut file);
        elf.reserve_file_header();
        elf.reserve_program_headers(1);
        elf.reserve_null_section_index();
        let code_name = elf.add_section_name(b".text");
        let code = elf.reserve_section_index();
        let code_offset = elf.reserve(self.code.len() as u64, self.align);
        let mut placed = vec![(code_name, self.code, self.align, code_offset)];
        for (name, bytes, align) in &self.sections {
            let name = elf.add_section_name(name.as_bytes());
            elf.reserve_section_index();
            let offset = elf.reserve(bytes.len() as u64, *align);
            placed.push((name, bytes, *align, offset));
        }
        elf.reserve_null_symbol_index();
        let mut names = Vec::new();
        for (name, ..) in &self.symbols {
            names.push(elf.add_string(name.as_bytes()));
            elf.reserve_symbol_index(Some(code));
        }
        elf.reserve_symtab_section_index();
        elf.reserve_symtab();
        elf.reserve_strtab_section_index();
        elf.reserve_strtab()?;
        elf.reserve_shstrtab_section_index();
        elf.reserve_shstrtab()?;
        elf.reserve_section_headers();

        let address = u64::from(self.address);
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
            p_offset: code_offset,
            p_vaddr: address,
            p_paddr: address,
            p_filesz: self.code.len() as u64,
            p_memsz: self.code.len() as u64,
            p_align: self.align,
        });
        for (_, bytes, align, _) in &placed {
            elf.write_align(*align);
            elf.write(bytes);
        }
        elf.write_null_symbol();
        for (name, (_, offset, size)) in names.iter().zip(&self.symbols) {
            elf.write_symbol(&Sym {
                st_name: elf.string_offset(Some(*name)),
                section: Some(code.0),
                st_info: SymbolInfo::new(STB_GLOBAL, STT_FUNC),
                st_other: SymbolOther(0),
                st_shndx: SymbolSection(0),
                st_value: address + u64::from(*offset),
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
}
