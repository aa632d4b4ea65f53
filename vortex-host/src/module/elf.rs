//! Modules as ELF files: one segment with all images, a symbol for each, and what is known of them in two sections.
//!
//! The file is an executable like any other for Vortex: its entry is the first image. Images are
//! position-independent, so that a loader can also take one of them and put it anywhere.

use object::LittleEndian;
use object::elf::{
    EM_RISCV, ET_EXEC, FileFlags, PF_R, PF_X, PT_LOAD, SHF_ALLOC, SHF_EXECINSTR, SHT_PROGBITS,
    STB_GLOBAL, STT_FUNC, SectionFlags, SymbolInfo, SymbolOther, SymbolSection,
};
use object::elf::{FileHeader32, SectionHeader32};
use object::endian::Endianness;
use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, Sym, Writer};
use vortex_kernel::meta::{ModuleInfo, SECTION};

use super::load::When;
use super::{Module, ModuleError, Variant, limits};
use crate::image::record::{Record, written};

/// The section that says what the host needs to run the images.
pub(super) const IMAGES: &str = ".vortex.images";

/// Where executables for Vortex are loaded.
const BASE: u32 = 0x8000_0000;

/// Images begin at cache lines.
const ALIGN: usize = 64;

impl Module {
    /// The module as an ELF file, with its metadata in the section `.vortex.metadata`.
    #[must_use]
    pub fn to_elf(&self) -> Vec<u8> {
        let mut text: Vec<u8> = Vec::new();
        let mut records = Vec::new();
        let mut symbols = Vec::new();
        for (kernel, (info, variants)) in self.kernels().iter().zip(&*self.images).enumerate() {
            for Variant { block, image, .. } in variants {
                text.resize(text.len().next_multiple_of(ALIGN), 0);
                let offset = text.len() as u32;
                text.extend(&image.bytes);
                symbols.push((symbol(&info.name, *block), offset, image.bytes.len() as u32));
                records.push(Record::new(kernel as u32, *block, offset, image));
            }
        }
        let images = written("the images", postcard::to_stdvec(&records));
        let file = write(&text, &self.info.to_bytes(), &images, &symbols);
        written("an ELF file", file)
    }

    /// Reads a file that [`Module::to_elf`] wrote. docs/registry.md has the limits of what it may ask for.
    ///
    /// # Errors
    /// If the file is anything else.
    pub fn from_elf(file: &[u8]) -> Result<Module, ModuleError> {
        vortex_sim::Elf::header(file)?;
        let damaged = |error: object::Error| ModuleError::Damaged(error.to_string());
        let section = |name: &'static str| {
            let section = section(file, name).map_err(damaged)?;
            section.ok_or(ModuleError::NoSection(name))
        };
        let info = ModuleInfo::from_bytes(section(SECTION)?)?;
        let text = section(".text")?;
        let records: Vec<Record> =
            postcard::from_bytes(section(IMAGES)?).map_err(|_| ModuleError::Images)?;
        limits::check(&info, &records)?;
        let mut images: Vec<Vec<Variant>> = info.kernels.iter().map(|_| Vec::new()).collect();
        for record in records {
            let variants = images
                .get_mut(record.kernel() as usize)
                .ok_or(ModuleError::Images)?;
            let start = record.offset();
            let bytes = text.get(start..start.saturating_add(record.size()));
            let bytes = bytes.filter(|bytes| !bytes.is_empty() && bytes.len().is_multiple_of(4));
            let bytes = bytes.ok_or(ModuleError::Images)?.to_vec();
            variants.push(Variant::read(record, bytes));
        }
        Module::new(info, images, When::AtFirstUse)
    }

    /// Whether a file is one that [`Module::from_elf`] can read.
    #[must_use]
    pub fn is_module(file: &[u8]) -> bool {
        section(file, IMAGES).is_ok_and(|section| section.is_some())
    }
}

/// A section of an ELF file. Of the names in the file only so much is looked at as the one that is asked for has:
/// there may be many, and long ones.
fn section<'a>(file: &'a [u8], name: &str) -> Result<Option<&'a [u8]>, object::Error> {
    let order = LittleEndian;
    let header = FileHeader32::<LittleEndian>::parse(file)?;
    if !header.is_class_32() || !header.is_little_endian() {
        return Ok(None);
    }
    let sections = header.section_headers(order, file)?;
    let Some(strings) = sections.get(header.shstrndx(order, file)? as usize) else {
        return Ok(None);
    };
    let strings = strings.data(order, file)?;
    let is_called = |section: &&SectionHeader32<LittleEndian>| {
        let rest = strings.get(section.sh_name(order) as usize..);
        let rest = rest.and_then(|rest| rest.strip_prefix(name.as_bytes()));
        rest.is_some_and(|rest| rest.first() == Some(&0))
    };
    let section = sections.iter().find(is_called);
    section.map(|section| section.data(order, file)).transpose()
}

/// The name of an image: the kernel's, and the groups it relies on.
pub(super) fn symbol(kernel: &str, block: Option<[u32; 3]>) -> String {
    match block {
        None => kernel.to_owned(),
        Some([x, y, z]) => format!("{kernel}.block_{x}_{y}_{z}"),
    }
}

fn write(
    text: &[u8],
    metadata: &[u8],
    images: &[u8],
    symbols: &[(String, u32, u32)],
) -> Result<Vec<u8>, object::write::Error> {
    let mut buffer = Vec::new();
    let mut elf = Writer::new(Endianness::Little, false, &mut buffer);
    elf.reserve_file_header();
    elf.reserve_program_headers(1);
    elf.reserve_null_section_index();
    let sections = [
        (".text", text, ALIGN as u64),
        (SECTION, metadata, 4),
        (IMAGES, images, 4),
    ];
    let mut placed = Vec::new();
    let mut text_section = None;
    for (name, bytes, align) in sections {
        let name_id = elf.add_section_name(name.as_bytes());
        let section = elf.reserve_section_index();
        text_section.get_or_insert(section);
        let offset = elf.reserve(bytes.len() as u64, align);
        placed.push((name_id, bytes, align, offset));
    }
    elf.reserve_null_symbol_index();
    let mut names = Vec::new();
    for (name, ..) in symbols {
        names.push(elf.add_string(name.as_bytes()));
        elf.reserve_symbol_index(text_section);
    }
    elf.reserve_symtab_section_index();
    elf.reserve_symtab();
    elf.reserve_strtab_section_index();
    elf.reserve_strtab()?;
    elf.reserve_shstrtab_section_index();
    elf.reserve_shstrtab()?;
    elf.reserve_section_headers();

    elf.write_file_header(&FileHeader {
        os_abi: object::elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: ET_EXEC,
        e_machine: EM_RISCV,
        e_entry: u64::from(BASE),
        e_flags: FileFlags(0),
    })?;
    elf.write_align_program_headers();
    elf.write_program_header(&ProgramHeader {
        p_type: PT_LOAD,
        p_flags: PF_R | PF_X,
        p_offset: placed[0].3,
        p_vaddr: u64::from(BASE),
        p_paddr: u64::from(BASE),
        p_filesz: text.len() as u64,
        p_memsz: text.len() as u64,
        p_align: ALIGN as u64,
    });
    for (_, bytes, align, _) in &placed {
        elf.write_align(*align);
        elf.write(bytes);
    }
    elf.write_null_symbol();
    for (name, (_, offset, size)) in names.iter().zip(symbols) {
        elf.write_symbol(&Sym {
            st_name: elf.string_offset(Some(*name)),
            section: text_section.map(|section| section.0),
            st_info: SymbolInfo::new(STB_GLOBAL, STT_FUNC),
            st_other: SymbolOther(0),
            st_shndx: SymbolSection(0),
            st_value: u64::from(BASE + offset),
            st_size: u64::from(*size),
        });
    }
    elf.write_strtab();
    elf.write_shstrtab();
    elf.write_null_section_header();
    for (index, (name, bytes, align, offset)) in placed.iter().enumerate() {
        let is_text = index == 0;
        elf.write_section_header(&SectionHeader {
            sh_name: elf.section_name_offset(Some(*name)),
            sh_type: SHT_PROGBITS,
            sh_flags: if is_text {
                SHF_ALLOC | SHF_EXECINSTR
            } else {
                SectionFlags(0)
            },
            sh_addr: if is_text { u64::from(BASE) } else { 0 },
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
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;
    use vortex_kernel::codegen::{FaultSite, Image, ItemCounterEntry, LineEntry, Table};
    use vortex_kernel::ir::{FaultKind, GlobalVariable, Message, SourceLoc, Stream};
    use vortex_kernel::meta::{Facts, FunctionInfo, GlobalInfo, KernelInfo};

    /// Bytes in memory for each byte in a file, of a thing that takes as little there as can be.
    fn ratio<T: Serialize>(least: &T) -> usize {
        size_of::<T>().div_ceil(postcard::to_stdvec(least).unwrap().len())
    }

    /// Lists are what makes a file grow in memory, each up to twice the size that it needs.
    #[test]
    fn nothing_in_a_file_takes_much_more_in_memory() {
        let loc = SourceLoc {
            file: String::new(),
            line: 0,
            column: 0,
        };
        let global = GlobalVariable {
            name: String::new(),
            module: String::new(),
            loc: loc.clone(),
            ty: String::new(),
            size: 0,
            align: 0,
            is_const: false,
            first: Vec::new(),
        };
        let image = Image {
            bytes: Vec::new(),
            groups: None,
            fault_sites: Vec::new(),
            prints: false,
            messages: vortex_kernel::ir::PrimaryMap::new(),
            lines: Vec::new(),
            item_counters: Vec::new(),
            block_items: Vec::new(),
            updates: Vec::new(),
            own: Default::default(),
            globals: Vec::new(),
            tables: Vec::new(),
            facts: Facts::default(),
            callees: Vec::new(),
            locals: None,
            listing: None,
        };
        // A message comes with a function to put it into words.
        let message: Message = postcard::from_bytes(&[0, 0, 0]).unwrap();
        let ratios = [
            ratio(&String::new()),
            ratio(&FaultSite {
                kind: FaultKind::Index,
                message: None,
                loc,
            }),
            ratio(&LineEntry {
                offset: 0,
                loc: None,
            }),
            ratio(&ItemCounterEntry {
                offset: 0,
                end: 0,
                register: 0,
            }),
            ratio(&Table {
                name: String::new(),
                offset: 0,
                size: 0,
            }),
            ratio(&message) + size_of::<String>() * 2,
            ratio(&global),
            // Once as a record, and once more as an image.
            ratio(&Record::new(0, None, 0, &image)) * 2,
            ratio(&KernelInfo::default()),
            ratio(&FunctionInfo::default()),
            ratio(&GlobalInfo::default()),
        ];
        assert_eq!(message.stream, Stream::Out);
        let most = ratios.into_iter().max().unwrap();
        assert!(2 * most <= limits::MOST_GROWTH, "{ratios:?}");
    }
}
