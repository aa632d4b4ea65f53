//! Tensors of `vortex run`: from files, in the layout that the kernel says, and to files.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use vortex::meta::{ArgInfo, KernelInfo, bf16, f16};
use vortex::tensor::{TensorElement, TensorLayout};
use vortex::{Device, ModuleLaunch, Tensor};

use crate::held::Held;
use crate::{input, npy};

/// A tensor that a kernel takes.
pub(crate) struct Matrix {
    held: Box<dyn Held>,
    dtype: &'static str,
    extents: [usize; 2],
    mutable: bool,
}

impl<T: TensorElement> Held for Tensor<T> {
    fn give<'a>(
        &'a mut self,
        launch: ModuleLaunch<'a>,
        name: &str,
        mutable: bool,
    ) -> vortex::Result<ModuleLaunch<'a>> {
        match mutable {
            true => launch.tensor_mut(name, self),
            false => launch.tensor(name, self),
        }
    }

    fn bytes(&self) -> vortex::Result<Vec<u8>> {
        Ok(T::bytes_of(&self.download()?).into_owned())
    }
}

/// A tensor of these elements, which are given row by row.
fn held<T: TensorElement>(
    device: &Device,
    layout: TensorLayout,
    [rows, cols]: [usize; 2],
    bytes: &[u8],
) -> Result<Box<dyn Held>> {
    let elements = bytes.chunks_exact(size_of::<T>()).map(T::from_bytes);
    let elements: Option<Vec<T>> = elements.collect();
    let elements = elements.context("these are no elements")?;
    let tensor: Tensor<T> = device.upload_tensor(&(&elements[..], rows, cols), layout)?;
    Ok(Box::new(tensor))
}

impl Matrix {
    /// What `a.npy`, `zeros:16x32` or `a.bin` stands for, on a device.
    pub(crate) fn read(
        device: &Device,
        kernel: &KernelInfo,
        arg: &ArgInfo,
        value: &str,
    ) -> Result<Self> {
        let record = kernel.tensors.tensor(&arg.name);
        let buffer = record.and_then(|record| record.buffer).ok_or_else(|| {
            anyhow!(
                "`{}`: the metadata of the kernel does not say how this tensor is laid out",
                arg.name
            )
        })?;
        let dtype = buffer.dtype.name();
        let of_type = arg
            .tensor_extents()
            .map(|extents| extents.map(|n| n as usize));
        let content = Content::read(arg, dtype, of_type, value)?;
        let make = match dtype {
            "bf16" => held::<bf16>,
            "f16" => held::<f16>,
            "f32" => held::<f32>,
            "i8" => held::<i8>,
            _ => held::<i32>,
        };
        let held = make(device, buffer.layout(), content.extents, &content.bytes);
        Ok(Self {
            held: held.with_context(|| format!("`{}={value}`", arg.name))?,
            dtype,
            extents: content.extents,
            mutable: arg.rust_type.starts_with("&mut "),
        })
    }

    /// Gives it to a launch.
    pub(crate) fn give<'a>(
        &'a mut self,
        launch: ModuleLaunch<'a>,
        name: &str,
    ) -> Result<ModuleLaunch<'a>> {
        Ok(self.held.give(launch, name, self.mutable)?)
    }

    /// Writes its elements to a file, row by row: a NumPy array, or bytes, by the end of its name.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let bytes = self.held.bytes()?;
        let is_npy = path.extension().is_some_and(|extension| extension == "npy");
        let file = match is_npy {
            true => {
                let descr = npy::descr(self.dtype).unwrap_or(BF16);
                npy::write(descr, &self.extents, &bytes)
            }
            false => bytes,
        };
        std::fs::write(path, file).with_context(|| path.display().to_string())
    }
}

/// What NumPy calls elements of two bytes of which it knows no more; packages that know `bf16` write them like this.
const BF16: &str = "<V2";

/// Whether NumPy's name stands for elements of this type.
fn are(dtype: &str, descr: &str) -> bool {
    match npy::descr(dtype) {
        Some(expected) => descr == expected,
        None => [BF16, "|V2", "<u2"].contains(&descr),
    }
}

/// What a tensor holds at first.
struct Content {
    extents: [usize; 2],
    /// The elements, row by row.
    bytes: Vec<u8>,
}

impl Content {
    fn read(arg: &ArgInfo, dtype: &str, of_type: Option<[usize; 2]>, value: &str) -> Result<Self> {
        let size = arg.element_size.max(1) as usize;
        if value == "zeros" || value.starts_with("zeros:") {
            return Self::zeros(arg, size, of_type, value);
        }
        let expected = || {
            format!(
                "`{}` is {}: its value is the name of an array (.npy), of a file of its elements row by row, or \
                 `zeros:{}`",
                arg.name,
                arg.rust_type,
                size_of_zeros(of_type)
            )
        };
        let file = input::bytes_of_value(value, expected)?;
        let path = Path::new(value.strip_prefix('@').unwrap_or(value));
        let shown = path.display();
        if path.extension().is_none_or(|extension| extension != "npy") {
            let Some([rows, cols]) = of_type else {
                bail!(
                    "{shown}: nothing says how many rows and columns `{}` has, which is {}; give it a `.npy` file",
                    arg.name,
                    arg.rust_type
                );
            };
            let all = rows.saturating_mul(cols).saturating_mul(size);
            if file.len() != all {
                bail!(
                    "{shown}: `{}` is {}, which has {all} bytes, and the file {}",
                    arg.name,
                    arg.rust_type,
                    file.len()
                );
            }
            return Ok(Self {
                extents: [rows, cols],
                bytes: file,
            });
        }
        let array = npy::read(&file).with_context(|| shown.to_string())?;
        if !are(dtype, &array.descr) {
            let expected = npy::descr(dtype).unwrap_or(BF16);
            bail!(
                "{shown}: the elements are `{}`, and `{}` is {}, which takes `{expected}`",
                array.descr,
                arg.name,
                arg.rust_type
            );
        }
        match *array.shape {
            [rows, cols] if of_type.is_none_or(|extents| extents == [rows, cols]) => Ok(Self {
                extents: [rows, cols],
                bytes: array.bytes.to_vec(),
            }),
            _ => bail!(
                "{shown}: the array's shape is {:?}, and `{}` is {}, with rows and columns",
                array.shape,
                arg.name,
                arg.rust_type
            ),
        }
    }

    /// Of `zeros:16x32`, or of `zeros` if the type says how many.
    fn zeros(arg: &ArgInfo, size: usize, of_type: Option<[usize; 2]>, value: &str) -> Result<Self> {
        let extents = match value.strip_prefix("zeros:") {
            None => of_type,
            Some(given) => {
                let axes: Option<Vec<usize>> =
                    given.split('x').map(|axis| axis.parse().ok()).collect();
                axes.and_then(|axes| <[usize; 2]>::try_from(axes).ok())
                    .filter(|given| of_type.is_none_or(|extents| extents == *given))
            }
        };
        let Some([rows, cols]) = extents else {
            bail!(
                "`{}={value}`: it is {}: write its rows and columns as zeros:{}",
                arg.name,
                arg.rust_type,
                size_of_zeros(of_type)
            );
        };
        let bytes = rows
            .checked_mul(cols)
            .and_then(|count| count.checked_mul(size));
        let bytes = bytes.filter(|bytes| *bytes < 1 << 32).ok_or_else(|| {
            anyhow!(
                "`{}={value}`: this is more than a device can hold",
                arg.name
            )
        })?;
        Ok(Self {
            extents: [rows, cols],
            bytes: vec![0; bytes],
        })
    }
}

/// How rows and columns of zeros are written.
fn size_of_zeros(of_type: Option<[usize; 2]>) -> String {
    of_type.map_or_else(|| "MxN".to_owned(), |[rows, cols]| format!("{rows}x{cols}"))
}
