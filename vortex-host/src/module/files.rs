//! Modules in files: written to a directory, read from files, found on a path.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::elf::IMAGES;
use super::load::{Checked, Finished, Origin, When};
use super::{Module, ModuleLaunch, Variant};
use crate::device::Device;
use crate::dump::{DEFAULT_BASE, file_name};
use crate::error::{Error, LookupError, ModuleError, Result};
use crate::image::sidecar::sidecar;
use crate::name::Name;
use crate::registry::registry;
use vortex_kernel::codegen;
use vortex_sim::Elf;

/// The directories in which [`Device::kernel`] looks for files.
const PATH: &str = "VORTEX_KERNEL_PATH";

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|cause| Error::File {
        path: path.to_owned(),
        cause,
    })
}

fn in_file(path: &Path, cause: Box<ModuleError>) -> Error {
    Error::InFile {
        path: path.to_owned(),
        cause,
    }
}

impl Module {
    /// Writes each kernel to files of its own, named after it: `NAME.vxbin`, its first image, for Vortex's own loader;
    /// `NAME.vxmeta`, what is known about it, for [`Module::from_image`]; `NAME.elf`, both, with symbols and all of its
    /// images. Returns the files.
    ///
    /// # Errors
    /// If the directory cannot be made or written, or files of two kernels would have the same name.
    pub fn write_dir(&self, directory: impl AsRef<Path>) -> Result<Vec<PathBuf>> {
        let directory = directory.as_ref();
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |cause| Error::File { path, cause }
        };
        let names: Vec<_> = (self.kernels().iter())
            .map(|kernel| file_name(&kernel.name))
            .collect();
        for (second, name) in names.iter().enumerate() {
            if let Some(first) = names[..second].iter().position(|other| other == name) {
                return Err(ModuleError::SameFile {
                    first: Name::from(&self.kernels()[first].name),
                    second: Name::from(&self.kernels()[second].name),
                    file: name.clone(),
                }
                .into());
            }
        }
        fs::create_dir_all(directory).map_err(failed(directory))?;
        let mut files = Vec::new();
        for (index, kernel) in self.kernels().iter().enumerate() {
            let one = self.filter(|other| other.name == kernel.name);
            let Variant { block, image, .. } = &self.images[index][0];
            for (extension, bytes) in [
                ("vxbin", image.to_vxbin(DEFAULT_BASE)),
                ("vxmeta", sidecar(one.info(), *block, image)),
                ("elf", one.to_elf()),
            ] {
                let path = directory.join(format!("{}.{extension}", names[index]));
                fs::write(&path, bytes).map_err(failed(&path))?;
                files.push(path);
            }
        }
        Ok(files)
    }
}

impl Module {
    /// All kernels as one `.vxbin` file for Vortex's own runtime, which finds them by name: the first image of each.
    /// The metadata describes their groups, local memory and arguments. Only for modules that were built for Vortex 3.
    ///
    /// # Errors
    /// If the module is for Vortex 2, whose files hold one program.
    pub fn to_vxbin(&self) -> std::result::Result<Vec<u8>, ModuleError> {
        let kernels: Vec<(&str, &codegen::Image)> = self
            .kernels()
            .iter()
            .zip(self.images.iter())
            .filter_map(|(kernel, images)| Some((kernel.name.as_str(), &*images.first()?.image)))
            .collect();
        codegen::Image::vxbin_of_many(DEFAULT_BASE, &kernels).ok_or(ModuleError::OneProgram)
    }
}

/// Modules that were found by the name of a kernel, which a device keeps.
#[derive(Default)]
struct FilesByName(HashMap<PathBuf, Module>);

impl Device {
    /// Reads a module for this device: an ELF file that [`Module::to_elf`] wrote, or a [`Bundle`](crate::Bundle).
    ///
    /// # Errors
    /// If the bytes are anything else, or a bundle with nothing for this device.
    pub fn module_from_bytes(&self, file: &[u8]) -> Result<Module> {
        let module = self.module(file, When::Now)?;
        module.enlist();
        Ok(module)
    }

    fn module(&self, file: &[u8], when: When) -> Result<Module> {
        let checked = match Checked::read_when(file, when) {
            Err(ModuleError::Image(_)) if !Elf::is_elf(file) => {
                return Err(ModuleError::Foreign.into());
            }
            checked => checked?,
        };
        self.kernels_of(checked)
    }

    /// The last two steps of finalisation, with a file that is to hold kernels of this library.
    fn kernels_of(&self, checked: Checked<'_>) -> Result<Module> {
        let (origin, analysed) = (checked.origin(), checked.analyse());
        if analysed.is_program() {
            return Err(match origin {
                Origin::Elf => ModuleError::NoSection(IMAGES),
                _ => ModuleError::Foreign,
            }
            .into());
        }
        match analysed.for_device(self)? {
            Finished::Module(module) => Ok(module),
            Finished::Program(_) => Err(ModuleError::Foreign.into()),
        }
    }

    /// Reads a module for this device from a file: one that [`Device::module_from_bytes`] accepts, or a `.vxbin` file
    /// next to the `.vxmeta` file that [`Module::write_dir`] wrote with it, or a launch under `VORTEX_DUMP`.
    ///
    /// What the file says about itself is read at once; the code of a kernel is checked when the kernel is used first,
    /// and what is wrong with it is an error of that use. On a device opened with `VORTEX_LAZY_JIT=0` all code is
    /// checked now.
    ///
    /// # Errors
    /// If there is no such file, or it is anything else.
    pub fn module_from_file(&self, path: impl AsRef<Path>) -> Result<Module> {
        let path = path.as_ref();
        let file = read(path)?;
        let when = match self.is_eager() {
            true => When::Now,
            false => When::AtFirstUse,
        };
        let module = match path.extension() {
            Some(extension) if extension == "vxbin" => self.module_beside(path, &file, when),
            _ => self.module(&file, when),
        };
        let mut module = module.map_err(|error| match error {
            Error::Module(cause) => in_file(path, cause),
            Error::Image(cause) => in_file(path, Box::new(cause.into())),
            other => other,
        })?;
        // Nothing else uses it yet.
        if let Some(owner) = Arc::get_mut(&mut module.owner) {
            owner.is_from(path);
        }
        module.enlist();
        Ok(module)
    }

    /// The module of a `.vxbin` file.
    fn module_beside(&self, path: &Path, image: &[u8], when: When) -> Result<Module> {
        let beside = path.with_extension("vxmeta");
        if !beside.is_file() {
            let beside = beside.display().to_string();
            return Err(ModuleError::Alone { beside }.into());
        }
        self.kernels_of(Checked::read_pair_when(image, &read(&beside)?, when)?)
    }

    /// Begins a call of a kernel by its name: one of this program, found as by
    /// [`Registry::find`](crate::Registry::find), or else one in a file `NAME.vxbin` in a directory of
    /// `VORTEX_KERNEL_PATH`, which is read once.
    ///
    /// # Errors
    /// If there is no such kernel, or the name fits several of this program, or its file cannot be read.
    pub fn kernel<'a>(&self, name: &str) -> Result<ModuleLaunch<'a>> {
        let kernels = match registry().find(name) {
            Ok(kernel) => return Ok(ModuleLaunch::of_program(kernel)),
            Err(Error::Lookup(LookupError::UnknownKernel { kernels, .. })) => kernels,
            Err(other) => return Err(other),
        };
        let name_of_file = format!("{}.vxbin", file_name(name));
        let path = env::var_os(PATH).unwrap_or_default();
        let mut searched = Vec::new();
        for directory in env::split_paths(&path).filter(|path| !path.as_os_str().is_empty()) {
            let file = directory.join(&name_of_file);
            if file.is_file() {
                return self.module_once(&file)?.launch(name);
            }
            searched.push(directory.display().to_string());
        }
        Err(Error::Lookup(LookupError::NoFile {
            kernel: name.to_owned(),
            kernels,
            file: name_of_file,
            searched: match searched.as_slice() {
                [] => format!("because {PATH} names no directory to look in"),
                some => format!("in {}", some.join(", ")),
            },
        }))
    }

    /// The module in a file, which is read once.
    fn module_once(&self, file: &Path) -> Result<Module> {
        let known = self.kept(|files: &mut FilesByName| files.0.get(file).cloned());
        if let Some(module) = known {
            return Ok(module);
        }
        let module = self.module_from_file(file)?;
        Ok(self.kept(|files: &mut FilesByName| {
            let first = files.0.entry(file.to_owned()).or_insert(module);
            first.clone()
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::Device;

    /// These tests are a program without kernels.
    #[test]
    fn a_program_without_kernels_does_not_list_them() {
        let device = Device::open().unwrap();
        assert_eq!(
            device.kernel("saxpy").unwrap_err().to_string(),
            "there is no kernel `saxpy` in this program, and no file `saxpy.vxbin` because VORTEX_KERNEL_PATH names no \
             directory to look in"
        );
    }
}
