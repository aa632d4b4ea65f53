//! Files, whatever they are.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use vortex::load::Checked;
use vortex::meta::ModuleInfo;
use vortex::sim::{Image, ImageError, VxBin};
use vortex::{Bundle, Device, Module};

use crate::whole;

/// The most that is read: files of kernels are far smaller.
const MOST: u64 = 1 << 30;

/// What a file turned out to be.
pub(crate) enum Input {
    /// Kernels with their metadata.
    Module(Box<Module>),
    /// Several modules, each with an id.
    Bundle(Bundle),
    /// Metadata alone.
    Metadata(Box<ModuleInfo>),
    /// An executable, its memory, and what was found next to it.
    Program {
        kind: &'static str,
        entry: u32,
        segments: Vec<(u32, Vec<u8>)>,
        size: u64,
        /// What its instructions say about it.
        found: Box<ModuleInfo>,
        beside: Beside,
    },
}

/// What there is next to an executable.
pub(crate) enum Beside {
    Nothing,
    Metadata(Box<ModuleInfo>),
    /// Metadata and all that is needed to run the executable.
    Module(Box<Module>),
}

impl Input {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = bytes(path)?;
        let shown = path.display();
        if Module::is_module(&bytes) {
            let module = Module::from_elf(&bytes).with_context(|| shown.to_string())?;
            return Ok(Self::Module(Box::new(module)));
        }
        if Bundle::is_bundle(&bytes) {
            let bundle = Bundle::from_bytes(&bytes).with_context(|| shown.to_string())?;
            return Ok(Self::Bundle(bundle));
        }
        if let Some(metadata) = metadata(&bytes).with_context(|| shown.to_string())? {
            return Ok(Self::Metadata(metadata));
        }
        let is_elf = bytes.starts_with(b"\x7fELF");
        let is_named_vxbin = path
            .extension()
            .is_some_and(|extension| extension == "vxbin");
        let image = Image::parse(&bytes).map_err(|error| match error {
            error if is_elf || is_named_vxbin => anyhow!("{shown}: {error}"),
            ImageError::Addresses { .. } => anyhow!(
                "{shown}: this is no ELF file, no metadata, and no .vxbin file, which begins with the addresses of its image's first byte and its end"
            ),
            error => anyhow!("{shown}: this is no ELF file, no metadata, and no .vxbin file: {error}"),
        })?;
        let segments = if is_elf {
            image
                .contents()
                .map(|(address, bytes)| (address, bytes.to_vec()))
                .collect()
        } else {
            let file = VxBin::parse(&bytes).with_context(|| shown.to_string())?;
            if let Some(cut_off) = whole::cut_off(file.base(), file.bytes()) {
                bail!("{shown}: {cut_off}");
            }
            vec![(file.base(), file.bytes().to_vec())]
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
            found: found(&bytes)?,
            beside: beside(path, &bytes, is_elf)?,
        })
    }

    /// The metadata there is: of each entry of a bundle, by its id, or else at most one.
    pub(crate) fn metadata(&self) -> Vec<(Option<&str>, &ModuleInfo)> {
        let one = match self {
            Self::Bundle(bundle) => {
                let entries = bundle.entries();
                return entries
                    .map(|(id, module)| (Some(id), module.info()))
                    .collect();
            }
            Self::Module(module) => Some(module.info()),
            Self::Metadata(metadata) => Some(&**metadata),
            Self::Program { beside, .. } => match beside {
                Beside::Nothing => None,
                Beside::Metadata(metadata) => Some(&**metadata),
                Beside::Module(module) => Some(module.info()),
            },
        };
        one.map(|info| (None, info)).into_iter().collect()
    }

    /// The kernels that can be run on a device.
    pub(crate) fn into_module(self, path: &Path, device: &Device) -> Result<Box<Module>> {
        let shown = path.display();
        match self {
            Self::Bundle(bundle) => {
                let module = bundle.choose(device).with_context(|| shown.to_string())?;
                Ok(Box::new(module.clone()))
            }
            Self::Module(module)
            | Self::Program {
                beside: Beside::Module(module),
                ..
            } => Ok(module),
            Self::Program {
                beside: Beside::Metadata(_),
                ..
            } => bail!(
                "{shown}: the metadata beside this file does not say how to run it; `Module::write_dir` writes both; `--raw` gives arguments as bytes"
            ),
            Self::Program { .. } => bail!(
                "{shown}: what arguments this program takes is not known: there is no metadata beside it ({}); \
                 `Module::write_dir` writes both; a program of other origin is given its arguments as bytes, with `--raw`",
                path.with_extension("vxmeta").display()
            ),
            Self::Metadata(_) => bail!("{shown}: this file has metadata and no instructions"),
        }
    }
}

/// What can be determined about a program from its code.
fn found(file: &[u8]) -> Result<Box<ModuleInfo>> {
    let analysed = Checked::program(file)?.analyse();
    let mut parts = analysed.parts();
    let (_, info) = parts.next().context("there is nothing in it")?;
    Ok(Box::new(info.clone()))
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

/// The contents of a file that a value names; `expected` says what values there are besides.
pub(crate) fn bytes_of_value(value: &str, expected: impl FnOnce() -> String) -> Result<Vec<u8>> {
    let path = Path::new(value.strip_prefix('@').unwrap_or(value));
    match path.exists() {
        true => bytes(path),
        false => bail!("there is no file `{}`; {}", path.display(), expected()),
    }
}

/// Metadata, if bytes look like it.
fn metadata(bytes: &[u8]) -> Result<Option<Box<ModuleInfo>>> {
    if ModuleInfo::is_metadata(bytes) {
        // After it may be what is needed to run an image.
        return Ok(Some(Box::new(ModuleInfo::read_bytes(bytes)?.0)));
    }
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if first != Some(&b'{') {
        return Ok(None);
    }
    let info = serde_json::from_slice(bytes).context("this JSON is no metadata")?;
    Ok(Some(Box::new(info)))
}

/// What is in a file next to an executable.
fn beside(path: &Path, executable: &[u8], is_elf: bool) -> Result<Beside> {
    for extension in ["vxmeta", "json"] {
        let file = path.with_extension(extension);
        if file == path || !file.is_file() {
            continue;
        }
        let content = bytes(&file)?;
        let shown = || file.display().to_string();
        let complete =
            ModuleInfo::read_bytes(&content).is_ok_and(|(_, image)| !image.is_empty() && !is_elf);
        if complete {
            let module = Module::from_image(executable, &content).with_context(shown)?;
            return Ok(Beside::Module(Box::new(module)));
        }
        let metadata = metadata(&content).with_context(shown)?;
        return Ok(metadata.map_or(Beside::Nothing, Beside::Metadata));
    }
    Ok(Beside::Nothing)
}
