//! Lines, functions, locals and frames, as DWARF.

use std::collections::HashMap;
use std::ops::Range;

use gimli::constants::{
    DW_AT_comp_dir, DW_AT_decl_file, DW_AT_decl_line, DW_AT_external, DW_AT_frame_base,
    DW_AT_high_pc, DW_AT_language, DW_AT_location, DW_AT_low_pc, DW_AT_name, DW_AT_producer,
    DW_AT_ranges, DW_LANG_Rust, DW_TAG_formal_parameter, DW_TAG_lexical_block, DW_TAG_namespace,
    DW_TAG_subprogram, DW_TAG_variable,
};
use gimli::write::{
    Address, AttributeValue, CallFrameInstruction, CommonInformationEntry, Dwarf, EndianVec,
    Expression, FileId, FrameDescriptionEntry, FrameTable, LineProgram, LineString, Location,
    LocationList, Range as Interval, RangeList, Sections, Unit, UnitEntryId,
};
use gimli::{Encoding, Format, LineEncoding, LittleEndian, Register};
use vortex_kernel::codegen::{ImageLocal, ImagePlace};

use super::Symbols;
use super::scopes::{Run, Scope, code_of, runs, scopes};
use super::types::Types;
use crate::arch::WORK;
use crate::lane::WORK_ADDRESS;

/// Which DWARF: that which rustc writes, too.
const ENCODING: Encoding = Encoding {
    format: Format::Dwarf32,
    version: 4,
    address_size: 4,
};

const RA: Register = Register(1);
const SP: Register = Register(2);
const TP: Register = Register(4);
/// As gdb numbers CSRs.
const MSCRATCH: Register = Register(4096 + 0x340);

/// All sections.
pub(super) fn sections(
    of: &Symbols<'_>,
) -> gimli::write::Result<Sections<EndianVec<LittleEndian>>> {
    let runs = runs(of.image);
    let mut dwarf = Dwarf::new();
    let (lines, files) = lines(of, &runs, &mut dwarf);
    let unit = dwarf.units.add(Unit::new(ENCODING, lines));
    let unit = dwarf.units.get_mut(unit);
    let mut builder = Builder {
        of,
        runs: &runs,
        files,
        types: Types::new(unit, &mut dwarf.strings),
    };
    builder.unit();
    let mut sections = Sections::new(EndianVec::new(LittleEndian));
    dwarf.write(&mut sections)?;
    frames(of).write_debug_frame(&mut sections.debug_frame)?;
    Ok(sections)
}

/// Numbers of source files.
type Files = HashMap<String, FileId>;

/// Which code comes from which line.
fn lines(of: &Symbols<'_>, runs: &[Run<'_>], dwarf: &mut Dwarf) -> (LineProgram, Files) {
    let declared = of.declared.as_ref();
    let first = runs.iter().find_map(|run| run.loc);
    let main = declared.or(first).map_or("", |loc| loc.file.as_str());
    let encoding = LineEncoding {
        minimum_instruction_length: 4,
        ..LineEncoding::default()
    };
    let mut text = |text: &str| {
        // Neither directory nor name may be empty.
        let text = if text.is_empty() { "." } else { text };
        LineString::new(text, ENCODING, &mut dwarf.line_strings)
    };
    let (directory, name) = (text(of.directory), text(main));
    let mut program = LineProgram::new(ENCODING, encoding, directory, None, name, None);
    let directory = program.default_directory();
    let mut files = Files::new();
    let mut file = |program: &mut LineProgram, name: &str| {
        *files.entry(name.to_owned()).or_insert_with(|| {
            let text = LineString::new(name, ENCODING, &mut dwarf.line_strings);
            program.add_file(text, directory, None)
        })
    };
    if let Some(declared) = declared {
        file(&mut program, &declared.file);
    }
    program.begin_sequence(Some(Address::Constant(u64::from(of.address))));
    let mut last = None;
    for run in runs {
        // What comes before the body is the function's first line.
        let Some(loc) = run.loc.or(declared) else {
            continue;
        };
        let file = file(&mut program, &loc.file);
        // gdb takes a second row of a line for the end of what a function begins with.
        let is_again = last.replace((file, loc.line)) == Some((file, loc.line));
        if is_again && !run.is_apart {
            continue;
        }
        let row = program.row();
        row.address_offset = u64::from(run.code.start);
        row.file = file;
        row.line = u64::from(loc.line);
        row.column = u64::from(loc.column);
        program.generate_row();
    }
    program.end_sequence(u64::from(end(of, runs)));
    (program, files)
}

/// Bytes of the kernel's own code.
fn end(of: &Symbols<'_>, runs: &[Run<'_>]) -> u32 {
    let last = runs.last().map(|run| run.code.end);
    let end = last.unwrap_or(of.image.bytes.len() as u32);
    of.fault().map_or(end, |fault| fault.min(end))
}

/// Nobody has called a kernel; a kernel calls its routine for failures, which finds in a register of its own where it
/// goes back to, and has no frame.
fn frames(of: &Symbols<'_>) -> FrameTable {
    let mut frames = FrameTable::default();
    let mut add = |code: Range<u32>, link: Register, is_called: bool| {
        let mut common = CommonInformationEntry::new(ENCODING, 4, -4, link);
        common.add_instruction(CallFrameInstruction::Cfa(SP, 0));
        let rule = match is_called {
            true => CallFrameInstruction::SameValue(link),
            false => CallFrameInstruction::Undefined(link),
        };
        common.add_instruction(rule);
        let common = frames.add_cie(common);
        let start = Address::Constant(u64::from(of.address + code.start));
        let entry = FrameDescriptionEntry::new(start, code.end - code.start);
        frames.add_fde(common, entry);
    };
    let end = of.image.bytes.len() as u32;
    let fault = of.fault();
    add(0..fault.unwrap_or(end), RA, false);
    if let Some(start) = fault {
        add(start..end, TP, true);
    }
    frames
}

struct Builder<'a, 'u> {
    of: &'a Symbols<'a>,
    runs: &'a [Run<'a>],
    files: Files,
    types: Types<'u>,
}

impl Builder<'_, '_> {
    fn unit(&mut self) {
        let root = self.types.unit.root();
        let of = self.of;
        let code = 0..end(of, self.runs);
        let name = of.declared.as_ref().map_or(of.name, |loc| &loc.file);
        for (attribute, text) in [
            (DW_AT_producer, "vortex"),
            (DW_AT_name, name),
            (DW_AT_comp_dir, of.directory),
        ] {
            let text = self.types.strings.add(text);
            let entry = self.types.unit.get_mut(root);
            entry.set(attribute, AttributeValue::StringRef(text));
        }
        let entry = self.types.unit.get_mut(root);
        entry.set(DW_AT_language, AttributeValue::Language(DW_LANG_Rust));
        self.set_code(root, code.clone());
        let mut module = root;
        for name in of.module.split("::").filter(|name| !name.is_empty()) {
            module = self.types.named(module, DW_TAG_namespace, name);
        }
        self.work(module);
        self.function(module, code);
    }

    /// An address of an offset into the code.
    fn address(&self, offset: u32) -> Address {
        Address::Constant(u64::from(self.of.address + offset))
    }

    fn set_code(&mut self, of: UnitEntryId, code: Range<u32>) {
        let start = self.address(code.start);
        let entry = self.types.unit.get_mut(of);
        entry.set(DW_AT_low_pc, AttributeValue::Address(start));
        let size = u64::from(code.end - code.start);
        entry.set(DW_AT_high_pc, AttributeValue::Udata(size));
    }

    /// The numbers that each lane has, as variables next to the kernel.
    fn work(&mut self, module: UnitEntryId) {
        for (name, address) in WORK.into_iter().zip((WORK_ADDRESS..).step_by(4)) {
            let id = self.number(module, name, address);
            let entry = self.types.unit.get_mut(id);
            entry.set(DW_AT_external, AttributeValue::Flag(true));
        }
    }

    /// A number at a fixed address.
    fn number(&mut self, parent: UnitEntryId, name: &str, address: u32) -> UnitEntryId {
        let ty = self.types.usize();
        let id = self.types.named(parent, DW_TAG_variable, name);
        self.types.set_type(id, ty);
        let mut place = Expression::new();
        place.op_addr(Address::Constant(u64::from(address)));
        let entry = self.types.unit.get_mut(id);
        entry.set(DW_AT_location, AttributeValue::Exprloc(place));
        id
    }

    fn function(&mut self, module: UnitEntryId, code: Range<u32>) {
        let of = self.of;
        let id = self.types.named(module, DW_TAG_subprogram, of.name);
        self.set_code(id, code);
        let mut frame = Expression::new();
        frame.op_breg(SP, 0);
        let entry = self.types.unit.get_mut(id);
        entry.set(DW_AT_frame_base, AttributeValue::Exprloc(frame));
        entry.set(DW_AT_external, AttributeValue::Flag(true));
        if let Some(loc) = &of.declared {
            let file = self.files.get(&loc.file).copied();
            entry.set(DW_AT_decl_file, AttributeValue::FileIndex(file));
            let line = AttributeValue::Udata(u64::from(loc.line));
            entry.set(DW_AT_decl_line, line);
        }
        for scope in scopes(of.locals, self.runs) {
            self.scope(id, &scope);
        }
        if of.image.locals.is_none() {
            self.copies(id);
        }
    }

    /// Optimised code may have several copies of a line, of which gdb stops at all if each is in a block of its own;
    /// and it knows blocks if there is something in them.
    fn copies(&mut self, function: UnitEntryId) {
        for run in self.runs.iter().filter(|run| run.loc.is_some()) {
            let block = self.types.unit.add(function, DW_TAG_lexical_block);
            self.set_code(block, run.code.clone());
            self.number(block, WORK[0], WORK_ADDRESS);
        }
    }

    fn scope(&mut self, parent: UnitEntryId, scope: &Scope<'_>) {
        let (params, locals): (Vec<_>, Vec<_>) =
            (scope.locals.iter()).partition(|local| local.local.is_param);
        for param in params {
            self.local(parent, DW_TAG_formal_parameter, param);
        }
        let mut block = parent;
        if !locals.is_empty() && !scope.code.is_empty() {
            block = self.types.unit.add(parent, DW_TAG_lexical_block);
            let base = Interval::BaseAddress {
                address: self.address(0),
            };
            let code = scope.code.iter().map(|code| Interval::OffsetPair {
                begin: u64::from(code.start),
                end: u64::from(code.end),
            });
            let code = RangeList([base].into_iter().chain(code).collect());
            let code = self.types.unit.ranges.add(code);
            let entry = self.types.unit.get_mut(block);
            entry.set(DW_AT_ranges, AttributeValue::RangeListRef(code));
            for local in locals {
                self.local(block, DW_TAG_variable, local);
            }
        }
        for inner in &scope.inner {
            self.scope(block, inner);
        }
    }

    fn local(&mut self, parent: UnitEntryId, tag: gimli::DwTag, local: &ImageLocal) {
        let id = self.types.named(parent, tag, &local.local.name);
        let ty = self.types.of(&local.local.shape);
        self.types.set_type(id, ty);
        let mut place = Expression::new();
        match local.place {
            Some(ImagePlace::Frame(offset)) => place.op_fbreg(i64::from(offset)),
            Some(ImagePlace::LaunchBlock(offset)) => place.op_breg(MSCRATCH, i64::from(offset)),
            // gdb says that it is optimised out.
            None => return,
        }
        if tag == DW_TAG_variable || matches!(local.place, Some(ImagePlace::LaunchBlock(_))) {
            let entry = self.types.unit.get_mut(id);
            entry.set(DW_AT_location, AttributeValue::Exprloc(place));
            return;
        }
        // A parameter belongs to all of the function, but is there only once its copy has been made.
        let base = Location::BaseAddress {
            address: self.address(0),
        };
        let code = code_of(local, self.runs).into_iter();
        let places = code.map(|code| Location::OffsetPair {
            begin: u64::from(code.start),
            end: u64::from(code.end),
            data: place.clone(),
        });
        let places = LocationList([base].into_iter().chain(places).collect());
        let places = self.types.unit.locations.add(places);
        let entry = self.types.unit.get_mut(id);
        entry.set(DW_AT_location, AttributeValue::LocationListRef(places));
    }
}
