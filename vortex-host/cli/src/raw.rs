//! `vortex run --raw`: programs of which only the code is known.

use std::path::Path;

use anyhow::{Context as _, Error, Result, anyhow, bail};
use vortex::meta::{bf16, f16};
use vortex::{Buffer, Device};

use crate::args::Run;
use crate::input::{self, Beside, Input};
use crate::{npy, progress};

pub(crate) fn run(args: &Run) -> Result<()> {
    let shown = || args.file.display().to_string();
    let known = match Input::read(&args.file)? {
        Input::Program { beside, .. } => matches!(beside, Beside::Module(_)),
        Input::Metadata(_) => bail!("{}: this file has metadata and no instructions", shown()),
        Input::Module(_) | Input::Bundle(_) => true,
    };
    if known {
        bail!(
            "{}: what arguments this file's kernels take is known: give each with `--arg NAME=..`",
            shown()
        );
    }
    let device = Device::open()?;
    // Before anything else gets its addresses.
    let image = device.raw_image(&input::bytes(&args.file)?);
    let image = image.with_context(shown)?;
    let mut memory: Vec<(&str, Buffer<u8>)> = Vec::new();
    let mut arguments = Vec::new();
    for piece in &args.raw {
        match part(piece)? {
            Part::Bytes(bytes) => arguments.extend(bytes),
            Part::Memory { name, contents } => {
                if memory.iter().any(|(other, _)| *other == name) {
                    bail!("`--raw memory:{name}=..` is given twice");
                }
                let buffer = device.upload(&contents)?;
                arguments.extend(buffer.as_ptr().addr().to_le_bytes());
                memory.push((name, buffer));
            }
        }
    }
    let mut outs = Vec::new();
    for out in &args.outs {
        let (name, path) = out
            .split_once('=')
            .ok_or_else(|| anyhow!("`--out {out}` has no `=`: write `--out NAME=..`"))?;
        let found = memory.iter().find(|(other, _)| *other == name);
        let (_, buffer) = found.ok_or_else(|| {
            anyhow!("there is no `--raw memory:{name}=..`, so there is nothing to write to a file")
        })?;
        outs.push((buffer, path));
    }

    let report = if args.quiet {
        image.launch(&arguments)?
    } else {
        progress::shown(&device, || image.launch(&arguments).map_err(Error::from))?
    };
    for (buffer, path) in outs {
        std::fs::write(path, buffer.download()?).with_context(|| path.to_owned())?;
    }
    if !args.quiet {
        crate::print_text(&format!("{report}\n"))?;
    }
    match report.exit_code() {
        None | Some(0) => Ok(()),
        Some(code) => bail!("{}: the program ended with exit code {code}", shown()),
    }
}

/// What a piece stands for.
enum Part<'a> {
    Bytes(Vec<u8>),
    Memory { name: &'a str, contents: Vec<u8> },
}

fn part(piece: &str) -> Result<Part<'_>> {
    let (kind, value) = piece.split_once(':').ok_or_else(|| {
        anyhow!(
            "`--raw {piece}`: write TYPE:NUMBER, hex:BYTES, file:PATH, memory:NAME=FILE or memory:NAME=zeros:BYTES"
        )
    })?;
    let bytes = match kind {
        "hex" => hex(value)?,
        "file" => input::bytes_of_value(value, || "write file:PATH, or hex:BYTES".to_owned())?,
        "memory" => return memory(value),
        ty => scalar(ty, value)?,
    };
    Ok(Part::Bytes(bytes))
}

fn memory(text: &str) -> Result<Part<'_>> {
    let (name, value) = text.split_once('=').ok_or_else(|| {
        anyhow!(
            "`--raw memory:{text}` has no `=`: write memory:NAME=FILE or memory:NAME=zeros:BYTES"
        )
    })?;
    if let Some(zeros) = zeros(name, 1, value) {
        let contents = zeros?;
        return Ok(Part::Memory { name, contents });
    }
    let file = input::bytes_of_value(value, || {
        format!("write memory:{name}=FILE, or memory:{name}=zeros:N for N bytes")
    })?;
    let path = Path::new(value.strip_prefix('@').unwrap_or(value));
    let contents = match path.extension().is_some_and(|extension| extension == "npy") {
        true => {
            let array = npy::read(&file).with_context(|| path.display().to_string())?;
            array.bytes.to_vec()
        }
        false => file,
    };
    Ok(Part::Memory { name, contents })
}

/// The bytes of `00ff`.
pub(crate) fn hex(digits: &str) -> Result<Vec<u8>> {
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let is_hex = digits.len().is_multiple_of(2) && digits.bytes().all(|c| c.is_ascii_hexdigit());
    let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
    bytes
        .filter(|_| is_hex)
        .ok_or_else(|| anyhow!("`hex:{digits}`: write two digits from 0 to f for each byte"))
}

/// A number as the device stores it.
fn scalar(ty: &str, value: &str) -> Result<Vec<u8>> {
    macro_rules! number {
        ($($name:literal: $number:ty),*) => {
            match ty {
                "bool" => value.parse::<bool>().ok().map(|value| vec![u8::from(value)]),
                $($name => value.parse::<$number>().ok().map(|value| value.to_le_bytes().to_vec()),)*
                _ => bail!("`--raw {ty}:{value}`: there is no type `{ty}`; write u32:NUMBER or f32:NUMBER, hex:BYTES, file:PATH or memory:NAME=.."),
            }
        };
    }
    let bytes = number! {
        "i8": i8, "i16": i16, "i32": i32, "i64": i64, "isize": i32,
        "u8": u8, "u16": u16, "u32": u32, "u64": u64, "usize": u32,
        "f16": f16, "bf16": bf16, "f32": f32
    };
    bytes.ok_or_else(|| anyhow!("`--raw {ty}:{value}`: `{value}` is not a value of type {ty}"))
}

/// What `zeros:N` means, for elements of this many bytes.
pub(crate) fn zeros(name: &str, element_size: u32, value: &str) -> Option<Result<Vec<u8>>> {
    /// As much as a device can address.
    const MOST: usize = 1 << 32;
    let count = value.strip_prefix("zeros:")?;
    let Ok(elements) = count.parse::<usize>() else {
        return Some(Err(anyhow!(
            "`{name}={value}`: `{count}` is not a number of elements"
        )));
    };
    let bytes = elements.checked_mul(element_size.max(1) as usize);
    Some(match bytes {
        Some(bytes @ ..MOST) => Ok(vec![0; bytes]),
        _ => Err(anyhow!(
            "`{name}`: {elements} elements are more than a device can hold"
        )),
    })
}
