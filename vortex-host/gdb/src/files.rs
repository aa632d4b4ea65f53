//! Programs as files that gdb can read, and as the list of what is loaded where.

use crate::explain::Program;

/// What gdb can read. These files are nowhere but here.
#[derive(Debug, Default)]
pub(crate) struct Files {
    programs: Vec<Program>,
    /// The path of what is gdb's main file: it looks for others only if there is one.
    main: String,
}

impl Files {
    /// Adds a program, in place of those whose memory it has. Whether it was not there already.
    pub(crate) fn add(&mut self, program: Program) -> bool {
        if self.programs.contains(&program) {
            return false;
        }
        let overlaps = |other: &Program| {
            other.address < program.address.saturating_add(program.size)
                && program.address < other.address.saturating_add(other.size)
        };
        self.programs.retain(|other| !overlaps(other));
        self.programs.push(program);
        true
    }

    /// A debugger has come: what was added last is its main file.
    pub(crate) fn begin(&mut self) {
        self.main = self.programs.last().map(path).unwrap_or_default();
    }

    /// The path of the main file.
    pub(crate) fn main(&self) -> &str {
        &self.main
    }

    /// The other files with the addresses of their first bytes, as gdb wants to have them.
    pub(crate) fn list(&self) -> String {
        let mut list = String::from("<library-list>\n");
        for program in &self.programs {
            let (path, address) = (path(program), program.address);
            if path == self.main {
                continue;
            }
            list += &format!(
                "<library name=\"{path}\"><segment address=\"{address:#x}\"/></library>\n"
            );
        }
        list + "</library-list>\n"
    }

    /// The number of the file of this name, from 1.
    pub(crate) fn open(&self, name: &[u8]) -> Option<u32> {
        let mut programs = self.programs.iter();
        let found = programs.position(|program| path(program).as_bytes() == name)?;
        Some(found as u32 + 1)
    }

    /// What is in the file of this number.
    pub(crate) fn opened(&self, number: u32) -> Option<&[u8]> {
        let program = self.programs.get(number.checked_sub(1)? as usize)?;
        Some(&program.file)
    }
}

/// The name of a program's file: of two with the same name, each has its own.
fn path(program: &Program) -> String {
    let letter = |c: char| match c.is_ascii_alphanumeric() || "_-".contains(c) {
        true => c,
        false => '_',
    };
    let name: String = program.name.chars().map(letter).collect();
    format!("/vortex/{:x}/{name}.elf", program.address)
}
