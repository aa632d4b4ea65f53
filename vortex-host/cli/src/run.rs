//! `vortex run`.

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context as _, Error, Result, anyhow, bail};
use vortex::meta::{ArgInfo, ArgKind, KernelInfo, bf16, f16};
use vortex::{Buffer, Device, Module, ModuleLaunch};

use crate::args::Run;
use crate::image::Image;
use crate::input::{self, Input};
use crate::inspect::no_such_kernel;
use crate::raw::{self, zeros};
use crate::tensor::Matrix;
use crate::{npy, progress};

pub(crate) fn run(args: &Run) -> Result<()> {
    if !args.raw.is_empty() {
        return raw::run(args);
    }
    launched(args, |launch, device| {
        let report = match args.quiet {
            true => launch.launch(device)?,
            false => progress::shown(device, || launch.launch(device).map_err(Error::from))?,
        };
        Ok(report.to_string())
    })
}

/// Prepares a launch, runs it by `run`, writes what is asked for to files, and prints what `run` has to say.
pub(crate) fn launched(
    args: &Run,
    run: impl FnOnce(ModuleLaunch<'_>, &Device) -> Result<String>,
) -> Result<()> {
    launched_on(&Device::open()?, args, run)
}

/// The same on a device that is there.
pub(crate) fn launched_on(
    device: &Device,
    args: &Run,
    run: impl FnOnce(ModuleLaunch<'_>, &Device) -> Result<String>,
) -> Result<()> {
    if args.over.is_none() && args.grid.is_none() {
        bail!("the following required arguments were not provided: --over <ITEMS>");
    }
    let module = Input::read(&args.file)?.into_module(&args.file, device)?;
    let kernel = kernel(&module, args.kernel.as_deref())?;
    let mut given = by_name(&args.args, "--arg", kernel)?;
    let outs = by_name(&args.outs, "--out", kernel)?;

    let mut memory: HashMap<&str, Buffer<u8>> = HashMap::new();
    let mut images: HashMap<&str, Image> = HashMap::new();
    let mut matrices: HashMap<&str, Matrix> = HashMap::new();
    let mut scalars = Vec::new();
    let mut values = Vec::new();
    for arg in &kernel.args {
        let value = given.remove(arg.name.as_str()).ok_or_else(|| {
            anyhow!(
                "the argument `{0}` ({1}) is missing: add `--arg {0}={2}`",
                arg.name,
                arg.rust_type,
                example(arg.kind)
            )
        })?;
        match arg.kind {
            ArgKind::Scalar | ArgKind::LocalSize => scalars.push((arg, value)),
            ArgKind::Slice | ArgKind::Pointer => {
                let bytes = contents(arg, value)?;
                memory.insert(&arg.name, device.upload(&bytes)?);
            }
            ArgKind::Struct | ArgKind::ByRef => values.push((arg, bytes(arg, value)?)),
            ArgKind::Image => {
                images.insert(&arg.name, Image::read(device, arg, value)?);
            }
            ArgKind::Tensor => {
                matrices.insert(&arg.name, Matrix::read(device, kernel, arg, value)?);
            }
            kind => bail!(
                "`{}` is of kind {kind}, which cannot be given here",
                arg.name
            ),
        }
    }
    let is_memory = |name: &str| {
        memory.contains_key(name) || images.contains_key(name) || matrices.contains_key(name)
    };
    if let Some(name) = outs.keys().find(|name| !is_memory(name)) {
        bail!("`{name}` is no memory, so there is nothing to write to a file");
    }

    let mut launch = module.launch(&kernel.name)?;
    for (arg, value) in scalars {
        launch = scalar(launch, arg, value)?;
    }
    for (arg, bytes) in &values {
        launch = launch.value_bytes(&arg.name, bytes)?;
    }
    for (name, buffer) in &mut memory {
        launch = launch.bytes(name, buffer)?;
    }
    for (name, image) in &mut images {
        launch = image.give(launch, name)?;
    }
    for (name, matrix) in &mut matrices {
        launch = matrix.give(launch, name)?;
    }
    if let Some(over) = &args.over {
        launch = launch.over(extent(over)?);
    }
    if let Some(grid) = &args.grid {
        launch = launch.grid(extent(grid)?);
    }
    if let Some(block) = &args.block {
        launch = launch.block(extent(block)?);
    }
    let report = run(launch, device)?;
    for (name, path) in outs {
        let path = Path::new(path);
        if let Some(buffer) = memory.get(name) {
            write(kernel, name, path, &buffer.download()?)?;
        } else if let Some(image) = images.get(name) {
            image.write(path)?;
        } else if let Some(matrix) = matrices.get(name) {
            matrix.write(path)?;
        }
    }
    if !args.quiet {
        crate::print_text(&format!("{report}\n"))?;
    }
    Ok(())
}

/// What the value of an argument looks like.
fn example(kind: ArgKind) -> &'static str {
    match kind {
        ArgKind::Slice | ArgKind::Pointer => "FILE` or `zeros:N",
        ArgKind::Struct | ArgKind::ByRef => "FILE` or `hex:BYTES",
        ArgKind::Image => "FILE` or `zeros:WxH",
        ArgKind::Tensor => "FILE.npy` or `zeros:MxN",
        _ => "..",
    }
}

/// The kernel that was asked for, or the only one.
fn kernel<'a>(module: &'a Module, name: Option<&str>) -> Result<&'a KernelInfo> {
    if let Some(name) = name {
        no_such_kernel(module.info(), name)?;
        return Ok(module.kernel(name).unwrap_or(&module.kernels()[0]));
    }
    match module.kernels() {
        [one] => Ok(one),
        [] => bail!("there are no kernels in this file"),
        kernels => {
            let names: Vec<_> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            bail!(
                "say which kernel to run with --kernel: {}",
                names.join(", ")
            )
        }
    }
}

/// Options of the form `NAME=VALUE`, for parameters of the kernel.
fn by_name<'a>(
    options: &'a [String],
    option: &str,
    kernel: &KernelInfo,
) -> Result<HashMap<&'a str, &'a str>> {
    let mut all = HashMap::new();
    for text in options {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| anyhow!("`{option} {text}` has no `=`: write `{option} NAME=..`"))?;
        if !kernel.args.iter().any(|arg| arg.name == name) {
            let names: Vec<_> = kernel.args.iter().map(|arg| arg.name.as_str()).collect();
            let has = match names.as_slice() {
                [] => "it has none".to_owned(),
                names => format!("it has: {}", names.join(", ")),
            };
            bail!("kernel {} has no argument `{name}`; {has}", kernel.name);
        }
        if all.insert(name, value).is_some() {
            bail!("`{option} {name}=..` is given twice");
        }
    }
    Ok(all)
}

fn parse<T: FromStr>(arg: &ArgInfo, value: &str) -> Result<T> {
    value.parse().map_err(|_| {
        anyhow!(
            "`{value}` is not a value for `{}`, which is {}",
            arg.name,
            arg.rust_type
        )
    })
}

fn scalar<'a>(launch: ModuleLaunch<'a>, arg: &ArgInfo, value: &str) -> Result<ModuleLaunch<'a>> {
    let name = &arg.name;
    if arg.kind == ArgKind::LocalSize {
        return Ok(launch.local(name, parse::<usize>(arg, value)?)?);
    }
    let launch = match arg.rust_type.as_str() {
        "bool" => launch.scalar::<bool>(name, parse(arg, value)?),
        "i8" => launch.scalar::<i8>(name, parse(arg, value)?),
        "i16" => launch.scalar::<i16>(name, parse(arg, value)?),
        "i32" => launch.scalar::<i32>(name, parse(arg, value)?),
        "u8" => launch.scalar::<u8>(name, parse(arg, value)?),
        "u16" => launch.scalar::<u16>(name, parse(arg, value)?),
        "u32" => launch.scalar::<u32>(name, parse(arg, value)?),
        "i64" => launch.scalar::<i64>(name, parse(arg, value)?),
        "u64" => launch.scalar::<u64>(name, parse(arg, value)?),
        "f16" => launch.scalar::<f16>(name, parse(arg, value)?),
        "bf16" => launch.scalar::<bf16>(name, parse(arg, value)?),
        "f32" => launch.scalar::<f32>(name, parse(arg, value)?),
        "usize" => launch.scalar::<usize>(name, parse(arg, value)?),
        "isize" => launch.scalar::<isize>(name, parse(arg, value)?),
        other => bail!("values of type `{other}` cannot be given here: `{name}`"),
    };
    Ok(launch?)
}

/// The name of the elements of memory: `f32` for `&mut [f32]`.
fn element(arg: &ArgInfo) -> &str {
    let ty = arg.rust_type.trim_end_matches(']');
    ["&mut [", "&[", "*const ", "*mut "]
        .iter()
        .find_map(|prefix| ty.strip_prefix(prefix))
        .unwrap_or(ty)
}

/// The bytes of `hex:00ff`, or of a file.
fn bytes(arg: &ArgInfo, value: &str) -> Result<Vec<u8>> {
    match value.strip_prefix("hex:") {
        Some(digits) => raw::hex(digits),
        None => input::bytes_of_value(value, || expected(arg, "`hex:BYTES`")),
    }
}

/// What to write for an argument that is not a number.
fn expected(arg: &ArgInfo, other: &str) -> String {
    format!(
        "`{}` is {}: its value is the name of a file, or {other}",
        arg.name, arg.rust_type
    )
}

/// What memory holds at first.
fn contents(arg: &ArgInfo, value: &str) -> Result<Vec<u8>> {
    if let Some(zeros) = zeros(&arg.name, arg.element_size, value) {
        return zeros;
    }
    let file = input::bytes_of_value(value, || expected(arg, "`zeros:N` for N elements"))?;
    let path = Path::new(value.strip_prefix('@').unwrap_or(value));
    if path.extension().is_none_or(|extension| extension != "npy") {
        return Ok(file);
    }
    let array = npy::read(&file).with_context(|| path.display().to_string())?;
    if let Some(expected) = npy::descr(element(arg))
        && expected != array.descr
    {
        bail!(
            "{}: the elements are `{}`, and `{}` is {}, which takes `{expected}`",
            path.display(),
            array.descr,
            arg.name,
            arg.rust_type
        );
    }
    Ok(array.bytes.to_vec())
}

fn write(kernel: &KernelInfo, name: &str, path: &Path, bytes: &[u8]) -> Result<()> {
    let arg = kernel.args.iter().find(|arg| arg.name == name);
    let is_npy = path.extension().is_some_and(|extension| extension == "npy");
    let file = match arg.filter(|_| is_npy) {
        None => bytes.to_vec(),
        Some(arg) => {
            let descr = npy::descr(element(arg));
            let descr = descr
                .ok_or_else(|| anyhow!("NumPy has no type for elements of {}", arg.rust_type))?;
            npy::write(
                descr,
                &[bytes.len() / arg.element_size.max(1) as usize],
                bytes,
            )
        }
    };
    std::fs::write(path, file).with_context(|| path.display().to_string())
}

/// `N`, `WxH` or `WxHxD`.
pub(crate) fn extent(text: &str) -> Result<(usize, usize, usize)> {
    let axes: Option<Vec<usize>> = text
        .split(['x', ','])
        .map(|axis| axis.trim().parse().ok())
        .collect();
    match axes.as_deref() {
        Some(&[x]) => Ok((x, 1, 1)),
        Some(&[x, y]) => Ok((x, y, 1)),
        Some(&[x, y, z]) => Ok((x, y, z)),
        _ => bail!("`{text}` is not a size: write N, WxH or WxHxD"),
    }
}
