//! Programs linked for Vortex, as linkers write them: ELF files.

use super::image::{Image, ImageError, Segment};
use super::protection::Access;
use object::LittleEndian;
use object::elf::{
    EF_RISCV_RVC, ELFCLASS32, ELFDATA2LSB, EM_RISCV, ET_EXEC, FileHeader32, PF_W, PT_LOAD,
};
use object::read::elf::{FileHeader as _, ProgramHeader as _};

/// What an ELF file starts with.
const MAGIC: &[u8] = b"\x7fELF";
/// Where the class (32 or 64 bits) and the byte order are.
const CLASS: usize = 4;
const DATA: usize = 5;

/// An ELF executable for RV32 as an [`Image`]: its `PT_LOAD` segments that take up memory, writable or not as their
/// flags say. Sections are not looked at.
///
/// ```
/// use vortex_sim::{Elf, ImageError};
/// assert_eq!(Elf::parse(b"no executable").unwrap_err(), ImageError::NoElf);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elf<'a>(Image<'a>);

impl<'a> Elf<'a> {
    /// Whether a file begins as ELF files do, with `\x7fELF`. The rest of it may be anything.
    #[must_use]
    pub fn is_elf(file: &[u8]) -> bool {
        file.starts_with(MAGIC)
    }

    /// The header of an ELF file for RV32, of whatever type (`e_type`): where [`Elf::parse`] takes executables alone.
    ///
    /// # Errors
    /// [`ImageError::NoElf`] if it does not begin as ELF files do, [`ImageError::Foreign`] if it is for 64 bits,
    /// big-endian or not for RISC-V, [`ImageError::Damaged`] if it ends within its header.
    pub fn header(file: &'a [u8]) -> Result<&'a FileHeader32<LittleEndian>, ImageError> {
        if !Elf::is_elf(file) {
            return Err(ImageError::NoElf);
        }
        if (file.get(CLASS), file.get(DATA)) != (Some(&ELFCLASS32.0), Some(&ELFDATA2LSB.0)) {
            return Err(ImageError::Foreign(
                "not for a little-endian 32-bit machine",
            ));
        }
        let header = FileHeader32::<LittleEndian>::parse(file)
            .map_err(|error| ImageError::Damaged(error.to_string()))?;
        match header.e_machine(LittleEndian) {
            EM_RISCV => Ok(header),
            _ => Err(ImageError::Foreign("not for RISC-V")),
        }
    }

    /// Reads the headers of an executable that is linked to fixed addresses (`ET_EXEC`). Its segments borrow their
    /// bytes from the file.
    ///
    /// # Errors
    /// As [`Elf::header`], and those of [`Image::new`]; [`ImageError::Foreign`] for any other type of file, or if it
    /// has compressed instructions (`EF_RISCV_RVC`), which Vortex lacks by default; [`ImageError::Damaged`] if its
    /// program headers or a segment are not in the file.
    pub fn parse(file: &'a [u8]) -> Result<Elf<'a>, ImageError> {
        let header = Elf::header(file)?;
        let damaged = |error: object::Error| ImageError::Damaged(error.to_string());
        let order = LittleEndian;
        if header.e_type(order) != ET_EXEC {
            return Err(ImageError::Foreign(
                "not an executable linked to fixed addresses",
            ));
        }
        if header.e_flags(order) & EF_RISCV_RVC == EF_RISCV_RVC {
            return Err(ImageError::Foreign(
                "with compressed instructions, which Vortex lacks",
            ));
        }
        let mut segments = Vec::new();
        for program in header.program_headers(order, file).map_err(damaged)? {
            let size = program.p_memsz(order);
            if program.p_type(order) != PT_LOAD || size == 0 {
                continue;
            }
            let writable = program.p_flags(order) & PF_W == PF_W;
            segments.push(Segment {
                address: program.p_vaddr(order),
                size,
                bytes: program
                    .data(order, file)
                    .map_err(|()| ImageError::Damaged("a segment is not in the file".to_owned()))?,
                access: if writable {
                    Access::ReadWrite
                } else {
                    Access::Read
                },
            });
        }
        Image::new(header.e_entry(order), segments).map(Elf)
    }
}

impl<'a> From<&Elf<'a>> for Image<'a> {
    fn from(elf: &Elf<'a>) -> Image<'a> {
        elf.0.clone()
    }
}
