//! Files, whatever they are.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use vortex::Module;
use vortex::meta::ModuleInfo;
use vortex::sim::{Image, VxBin};

/// The most that is read: files of kernels are far smaller.
const MOST: u64 = 1 << 30;

/// What a file turned out to be.
pub(crate) enum Input {
    /// Kernels with their metadata.
    Module(Box<Module>),
    /// Metadata alone.
    Metadata(Box<ModuleInfo>),
    /// An executable, its memory, and metadata beside it.
    Program {
        kind: &'static str,
        entry: u32,
        segments: Vec<(u32, Vec<u8>)>,
        size: u64,
        metadata: Option<Box<ModuleInfo>>,
    },
}

impl Input {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = bytes(path)?;
        let shown = path.display();
        if Module::is_module(&bytes) {
            let module = Module::from_elf(&bytes).with_context(|| shown.to_string())?;
            return Ok(Self::Module(Box::new(module)));
        }
        if let Some(metadata) = metadata(&bytes).with_context(|| shown.to_string())? {
            return Ok(Self::Metadata(metadata));
        }
        let is_elf = bytes.starts_with(b"\x7fELF");
        let image = Image::parse(&bytes).map_err(|error| match is_elf {
            true => anyhow!("{shown}: {error}"),
            false => {
                anyhow!("{shown}: this is no ELF file, no metadata, and no .vxbin file: {error}")
            }
        })?;
        let segments = if is_elf {
            image
                .contents()
                .map(|(address, bytes)| (address, bytes.to_vec()))
                .collect()
        } else {
            let file = VxBin::parse(&bytes).with_context(|| shown.to_string())?;
            vec![(file.base, file.bytes.to_vec())]
        };
        Ok(Self::Program {
            kind: if is_elf {
                "ELF executable"
            } else {
                ".vxbin image"
            },
            entry: image.entry(),
            segments,
            size: image.size(),
            metadata: sidecar(path)?,
        })
    }

    /// The metadata, if there is any.
    pub(crate) fn metadata(&self) -> Option<&ModuleInfo> {
        match self {
            Self::Module(module) => Some(module.info()),
            Self::Metadata(metadata) => Some(metadata),
            Self::Program { metadata, .. } => metadata.as_deref(),
        }
    }
}

/// The contents of a file.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>> {
    let shown = path.display();
    let about = std::fs::metadata(path).with_context(|| shown.to_string())?;
    if about.is_dir() {
        bail!("{shown}: this is a directory");
    }
    if about.len() > MOST {
        bail!("{shown}: this file is too large ({} bytes)", about.len());
    }
    std::fs::read(path).with_context(|| shown.to_string())
}

/// Metadata, if bytes look like it.
fn metadata(bytes: &[u8]) -> Result<Option<Box<ModuleInfo>>> {
    if ModuleInfo::is_metadata(bytes) {
        return Ok(Some(Box::new(ModuleInfo::from_bytes(bytes)?)));
    }
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if first != Some(&b'{') {
        return Ok(None);
    }
    let info = serde_json::from_slice(bytes).context("this JSON is no metadata")?;
    Ok(Some(Box::new(info)))
}

/// Metadata in a file beside an image.
fn sidecar(path: &Path) -> Result<Option<Box<ModuleInfo>>> {
    for extension in ["vxmeta", "json"] {
        let beside = path.with_extension(extension);
        if beside != path && beside.is_file() {
            return metadata(&bytes(&beside)?).with_context(|| beside.display().to_string());
        }
    }
    Ok(None)
}
