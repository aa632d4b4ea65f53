//! `vortex inspect`.

use std::collections::HashSet;
use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use serde_json::{Map, Value};
use vortex::escape::{self, Escaped};
use vortex::meta::view::{self, ArgumentList, Carrier, Dump, Metadata, MetadataOp, Record, View};
use vortex::meta::{Access, Group, KernelInfo, ModuleInfo};
use vortex::tensor::Picture;

use crate::args::{Inspect, Mlir, On};
use crate::input::{Beside, Input};

pub(crate) fn run(args: &Inspect) -> Result<()> {
    let input = Input::read(&args.file)?;
    let plain = !(args.json || args.c_header || args.dump || args.mlir.is_some());
    let found = input.metadata();
    if found.is_empty() {
        if plain && args.kernel.is_none() {
            return crate::print_text(&program(&input));
        }
        return Err(anyhow!(
            "{}: this file has no metadata",
            args.file.display()
        ));
    }
    let mut modules = Vec::new();
    for (id, info) in found {
        modules.push((id, select(info, args.kernel.as_deref())?));
    }
    let text = match modules.as_slice() {
        [(Some(_), _), ..] if args.json => {
            let entries = modules.iter();
            let entries: Map<String, Value> = entries
                .map(|(id, info)| {
                    Ok((
                        id.unwrap_or_default().to_owned(),
                        serde_json::to_value(info)?,
                    ))
                })
                .collect::<Result<_>>()?;
            serde_json::to_string_pretty(&entries)? + "\n"
        }
        modules => {
            let mut text = program(&input);
            if !plain {
                text.clear();
            }
            for (index, (id, info)) in modules.iter().enumerate() {
                if let (Some(id), true) = (id, plain) {
                    let before = if index > 0 { "\n" } else { "" };
                    _ = write!(text, "{before}entry {}: ", Escaped(id));
                }
                text.push_str(&shown(info, args)?);
            }
            text
        }
    };
    match args.json {
        true => crate::print_bytes(escape::json(&text).as_bytes()),
        false => crate::print_text(&text),
    }
}

/// A module in the form that was asked for.
fn shown(info: &ModuleInfo, args: &Inspect) -> Result<String> {
    Ok(if args.json {
        serde_json::to_string_pretty(info)? + "\n"
    } else if args.c_header {
        view::c_header(info)
    } else if args.dump {
        each::<Dump>(info)
    } else {
        match args.mlir {
            Some(view) => mlir(info, view, args),
            None => table(info),
        }
    })
}

/// Each kernel as MLIR.
fn mlir(info: &ModuleInfo, view: Mlir, args: &Inspect) -> String {
    let carrier = match args.on {
        On::GpuFunction => Carrier::GpuFunction,
        On::Function => Carrier::Function,
        On::Launch => Carrier::GpuLaunch,
    };
    let one = |kernel: &KernelInfo| match view {
        Mlir::Record => spelled(&Record::of(kernel), args.generic),
        Mlir::Attribute => spelled(&Metadata::of(kernel), args.generic),
        Mlir::Op => spelled(&MetadataOp::of(kernel), args.generic),
        Mlir::List => spelled(&ArgumentList::of(kernel).on(carrier), args.generic),
    };
    let all: Vec<_> = info.kernels.iter().map(one).collect();
    all.join("\n") + "\n"
}

/// A view as people or as `mlir-opt` spell it.
fn spelled(view: &impl view::Mlir, generic: bool) -> String {
    match generic {
        true => view.generic(),
        false => view.to_string(),
    }
}

/// The module with only the kernel that was asked for.
fn select(info: &ModuleInfo, kernel: Option<&str>) -> Result<ModuleInfo> {
    let mut info = info.clone();
    if let Some(name) = kernel {
        no_such_kernel(&info, name)?;
        info.kernels.retain(|kernel| kernel.name == name);
        only_of(&mut info, name);
    }
    Ok(info)
}

/// Drops what is not of the kernel `name`.
fn only_of(info: &mut ModuleInfo, name: &str) {
    let facts = info.kernels.iter().map(|kernel| &kernel.facts);
    let calls = facts.clone().flat_map(|facts| &facts.function_calls);
    let called: HashSet<&String> = calls.flatten().collect();
    info.functions
        .retain(|function| called.contains(&function.name));
    let used: HashSet<&String> = facts.flat_map(|facts| &facts.globals).flatten().collect();
    let table = format!("{name}.");
    info.globals.retain(|global| match global.is_global {
        true => used.contains(&global.name),
        false => global.name.starts_with(&table),
    });
    if let Some(statistics) = &mut info.statistics {
        let records = &mut statistics.records;
        records.retain(|record| record.function.as_deref().is_none_or(|of| of == name));
    }
}

/// An error if there is no kernel of this name.
pub(crate) fn no_such_kernel(info: &ModuleInfo, name: &str) -> Result<()> {
    if info.kernel(name).is_some() {
        return Ok(());
    }
    let names: Vec<_> = info
        .kernels
        .iter()
        .map(|kernel| Escaped(&kernel.name).to_string())
        .collect();
    Err(match names.as_slice() {
        [] => anyhow!("there is no kernel `{name}`, and no other either"),
        names => anyhow!(
            "there is no kernel `{name}`; the kernels are: {}",
            names.join(", ")
        ),
    })
}

fn each<V: View>(info: &ModuleInfo) -> String {
    let views: Vec<_> = info
        .kernels
        .iter()
        .map(|kernel| V::of(kernel).to_string())
        .collect();
    views.join("\n") + "\n"
}

/// What is known about an executable without metadata.
fn program(input: &Input) -> String {
    let Input::Program {
        kind,
        entry,
        segments,
        size,
        found,
        beside,
    } = input
    else {
        return String::new();
    };
    let mut text = format!("{kind}: execution starts at {entry:#010x}, {size} bytes of memory\n");
    for (address, bytes) in segments {
        let end = u64::from(*address) + bytes.len() as u64;
        _ = writeln!(
            text,
            "  {address:#010x}..{end:#010x}  {} bytes from the file",
            bytes.len()
        );
    }
    if matches!(beside, Beside::Nothing) {
        group(&mut text, "  ", &found.values);
        for kernel in &found.kernels {
            group(&mut text, "  ", &kernel.facts);
        }
    }
    text
}

/// All of a module, for people.
fn table(info: &ModuleInfo) -> String {
    let mut text = format!("module {}\n", Escaped(&info.name));
    group(&mut text, "  ", &info.values);
    for kernel in &info.kernels {
        text.push('\n');
        describe(&mut text, kernel);
    }
    if !info.functions.is_empty() {
        text.push_str("\ndevice functions\n");
    }
    for function in &info.functions {
        let callers = function.callers.join(", ");
        _ = writeln!(
            text,
            "  {}::{} at {}, called by {}",
            Escaped(&function.module),
            Escaped(&function.name),
            function.location,
            Escaped(&callers)
        );
    }
    if !info.globals.is_empty() {
        text.push_str("\nglobals\n");
    }
    for global in &info.globals {
        let kind = match global.is_const {
            true => "constant",
            false => "variable",
        };
        let whose = match global.is_extern {
            true => " of another program",
            false => "",
        };
        _ = writeln!(
            text,
            "  {:#06x} {} : {kind}{whose}, {}",
            global.address,
            Escaped(&global.name),
            crate::counted(global.size, "byte")
        );
    }
    if let Some(statistics) = &info.statistics {
        _ = write!(text, "\n{statistics}");
    }
    text
}

fn describe(text: &mut String, kernel: &KernelInfo) {
    _ = writeln!(text, "{}", Dump::of(kernel));
    _ = writeln!(
        text,
        "  declared at {} in {}",
        kernel.location,
        Escaped(&kernel.module)
    );
    for line in kernel.doc.iter().flat_map(|doc| doc.lines()) {
        _ = writeln!(text, "  | {line}");
    }
    group(text, "  ", &kernel.attributes);
    group(text, "  ", &kernel.facts);
    tensors(text, kernel);
    for alternative in &kernel.alternatives {
        let block = match alternative.block {
            Some([x, y, z]) => format!("groups of {x} x {y} x {z}"),
            None => "groups of any size".to_owned(),
        };
        _ = writeln!(text, "  image for {block}: {} bytes", alternative.code_size);
    }
}

/// How the tensors are laid out.
fn tensors(text: &mut String, kernel: &KernelInfo) {
    if kernel.tensors.is_empty() {
        return;
    }
    let is_written = |name: &str| {
        let arg = kernel.args.iter().find(|arg| arg.name == name);
        arg.is_some_and(|arg| matches!(arg.access, Access::ReadWrite | Access::WriteOnly))
    };
    let tensors = kernel.tensors.tensors().iter();
    let written: Vec<_> = tensors.map(|tensor| is_written(&tensor.name)).collect();
    let picture = Picture {
        records: &kernel.tensors,
        written: &written,
    };
    _ = write!(text, "{picture}");
}

/// A line for each value of a group.
fn group<G: Group>(text: &mut String, indent: &str, group: &G) {
    for (name, value) in group.printed() {
        _ = writeln!(text, "{indent}{name:<26} {value}");
    }
}
