//! Bundles: one file with the same kernels for several kinds of devices.

use serde::{Deserialize, Serialize};
use vortex_kernel::escape::Escaped;
use vortex_kernel::meta::ModuleInfo;

use super::{Module, limits};
use crate::device::Device;
use crate::error::ModuleError;
use crate::image::describe::isa;
use crate::image::record::written;

/// What a bundle's file begins with: a name and the version of what follows.
const MAGIC: [u8; 8] = *b"VXBNDL\0\x01";

/// Modules for several kinds of devices, each with an id, in one file. Which one a device gets is chosen when it is
/// loaded.
///
/// ```
/// # use vortex_host::{Bundle, Device, Module};
/// # fn example(small: &Module, large: &Module, device: &Device) -> vortex_host::Result<()> {
/// let file = Bundle::new().with("small", small)?.with("large", large)?.to_bytes();
/// let module = Bundle::from_bytes(&file)?.choose(device)?.clone();
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    entries: Vec<(String, Module)>,
}

/// An entry in a file.
#[derive(Serialize, Deserialize)]
struct Record {
    id: String,
    elf: Vec<u8>,
}

impl Bundle {
    /// A bundle without entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a module under an id, after those that are there.
    ///
    /// # Errors
    /// If there is an entry of that id already.
    pub fn with(mut self, id: impl Into<String>, module: &Module) -> Result<Self, ModuleError> {
        let id = id.into();
        if self.get(&id).is_some() {
            return Err(ModuleError::Id { id: id.into() });
        }
        self.entries.push((id, module.clone()));
        Ok(self)
    }

    /// The entries, each an id with its module, in the order in which they were added.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Module)> {
        self.entries.iter().map(|(id, module)| (&**id, module))
    }

    /// The module of this id; none if there is no such entry.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Module> {
        let mut entries = self.entries();
        entries
            .find(|(other, _)| *other == id)
            .map(|(_, module)| module)
    }

    /// The entry for a device: of those that need no more extensions than it has, the one that is made for its shape,
    /// or else the one that makes use of the most extensions; the first of several.
    ///
    /// # Errors
    /// If there is none.
    pub fn choose(&self, device: &Device) -> Result<&Module, ModuleError> {
        let index = best(
            self.entries().map(|(id, module)| (id, module.info())),
            device,
        )?;
        Ok(&self.entries[index].1)
    }

    /// The entries by themselves.
    pub(super) fn into_entries(self) -> impl Iterator<Item = (String, Module)> {
        self.entries.into_iter()
    }

    /// The bundle as the bytes of a file, which [`Device::module_from_bytes`] reads, too.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let records = self.entries().map(|(id, module)| Record {
            id: id.to_owned(),
            elf: module.to_elf(),
        });
        let records: Vec<Record> = records.collect();
        let mut file = MAGIC.to_vec();
        file.extend(written("a bundle", postcard::to_stdvec(&records)));
        file
    }

    /// Reads a file that [`Bundle::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the file is anything else.
    pub fn from_bytes(file: &[u8]) -> Result<Self, ModuleError> {
        let rest = file.strip_prefix(&MAGIC).ok_or(ModuleError::Foreign)?;
        let (records, rest): (Vec<Record>, _) =
            postcard::take_from_bytes(rest).map_err(|_| ModuleError::Bundle)?;
        if !rest.is_empty() {
            return Err(ModuleError::Bundle);
        }
        if records.len() > limits::MOST_ITEMS {
            return Err(ModuleError::TooMany {
                what: "entries",
                count: records.len(),
                most: limits::MOST_ITEMS,
            });
        }
        let mut bundle = Self::new();
        for record in records {
            bundle = bundle.with(record.id, &Module::from_elf(&record.elf)?)?;
        }
        Ok(bundle)
    }

    /// Whether a file is one that [`Bundle::from_bytes`] might read.
    #[must_use]
    pub fn is_bundle(file: &[u8]) -> bool {
        file.starts_with(&MAGIC)
    }
}

/// The number of the entry for a device, of those that a bundle has.
pub(super) fn best<'a>(
    entries: impl Iterator<Item = (&'a str, &'a ModuleInfo)>,
    device: &Device,
) -> Result<usize, ModuleError> {
    let caps = device.caps();
    let shape = (caps.cores, caps.warps, caps.threads);
    let (has, _) = isa(device.target());
    let entries: Vec<_> = entries.collect();
    let usable = entries.iter().enumerate().filter(|(_, (_, info))| {
        let mut needs = info.values.isa.iter().flatten();
        needs.all(|name| has.contains(name))
    });
    // `max_by_key` answers the last of several.
    let best = usable.rev().max_by_key(|(_, (_, info))| {
        let made_for_it = info.values.shape == Some(shape);
        (made_for_it, info.values.isa.iter().flatten().count())
    });
    best.map(|(index, _)| index)
        .ok_or_else(|| ModuleError::NoEntry {
            device: has.join(", "),
            entries: needs(&entries),
        })
}

/// What each entry is made for.
fn needs(entries: &[(&str, &ModuleInfo)]) -> String {
    let each = entries.iter().map(|(id, info)| {
        let names: Vec<&str> = info.values.isa.iter().flatten().map(|s| &**s).collect();
        format!("`{}` needs {}", Escaped(id), Escaped(&names.join(", ")))
    });
    match entries {
        [] => "it has no entries".to_owned(),
        _ => each.collect::<Vec<_>>().join("; "),
    }
}
