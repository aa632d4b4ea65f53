//! Modules as ELF files: one segment with all images, a symbol for each, and what is known about them in two sections.
//!
//! The file is an ordinary executable for Vortex: its entry is the first image. Images are position-independent, so a
//! loader can also take one of them and put it anywhere.

use object::LittleEndian;
use object::elf::{FileHeader32, SectionHeader32};
use object::read::elf::{FileHeader as _, SectionHeader as _};
use vortex_kernel::meta::{ModuleInfo, SECTION};
use vortex_sim::Executable;

use super::load::When;
use super::{Module, Variant, limits};
use crate::error::ModuleError;
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
        let metadata = self.info.to_bytes();
        let executable = Executable {
            address: BASE,
            code: &text,
            align: ALIGN as u64,
            sections: vec![(SECTION, &metadata, 4), (IMAGES, &images, 4)],
            symbols: symbols
                .iter()
                .map(|(name, offset, size)| (name.as_str(), *offset, *size))
                .collect(),
        };
        written("an ELF file", executable.to_elf())
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;
    use vortex_kernel::codegen::{FaultSite, Image, ItemCounterEntry, LineEntry, Table};
    use vortex_kernel::ir::{FaultKind, GlobalVariable, Message, SourceLoc, Stream};
    use vortex_kernel::meta::{FunctionInfo, GlobalInfo, KernelInfo};

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
            ratio(&Record::new(0, None, 0, &Image::default())) * 2,
            ratio(&KernelInfo::default()),
            ratio(&FunctionInfo::default()),
            ratio(&GlobalInfo::default()),
        ];
        assert_eq!(message.stream, Stream::Out);
        let most = ratios.into_iter().max().unwrap();
        assert!(2 * most <= limits::MOST_GROWTH, "{ratios:?}");
    }
}
