//! Programs as files that gdb can read, and as the list of what is loaded where.

use gdbstub::target::ext::host_io::{
    FsKind, HostIo, HostIoClose, HostIoCloseOps, HostIoErrno, HostIoError, HostIoFstat,
    HostIoFstatOps, HostIoOpen, HostIoOpenFlags, HostIoOpenMode, HostIoOpenOps, HostIoPread,
    HostIoPreadOps, HostIoResult, HostIoSetfs, HostIoSetfsOps, HostIoStat,
};

use crate::explain::Program;
use crate::target::Debugged;

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

    fn opened(&self, number: u32) -> Option<&Program> {
        self.programs.get(number.checked_sub(1)? as usize)
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

impl HostIo for Debugged {
    fn support_open(&mut self) -> Option<HostIoOpenOps<'_, Self>> {
        Some(self)
    }

    fn support_close(&mut self) -> Option<HostIoCloseOps<'_, Self>> {
        Some(self)
    }

    fn support_pread(&mut self) -> Option<HostIoPreadOps<'_, Self>> {
        Some(self)
    }

    fn support_fstat(&mut self) -> Option<HostIoFstatOps<'_, Self>> {
        Some(self)
    }

    fn support_setfs(&mut self) -> Option<HostIoSetfsOps<'_, Self>> {
        Some(self)
    }
}

impl HostIoSetfs for Debugged {
    fn setfs(&mut self, _: FsKind) -> HostIoResult<(), Self> {
        Ok(())
    }
}

impl HostIoOpen for Debugged {
    fn open(
        &mut self,
        name: &[u8],
        _: HostIoOpenFlags,
        _: HostIoOpenMode,
    ) -> HostIoResult<u32, Self> {
        let mut programs = self.files.programs.iter();
        let found = programs.position(|program| path(program).as_bytes() == name);
        let number = found.ok_or(HostIoError::Errno(HostIoErrno::ENOENT))?;
        Ok(number as u32 + 1)
    }
}

impl HostIoClose for Debugged {
    fn close(&mut self, _: u32) -> HostIoResult<(), Self> {
        Ok(())
    }
}

impl HostIoPread for Debugged {
    fn pread(
        &mut self,
        file: u32,
        count: usize,
        offset: u64,
        buf: &mut [u8],
    ) -> HostIoResult<usize, Self> {
        let program = self.files.opened(file);
        let program = program.ok_or(HostIoError::Errno(HostIoErrno::EBADF))?;
        let part = program.file.get(offset as usize..).unwrap_or_default();
        let count = count.min(part.len()).min(buf.len());
        buf[..count].copy_from_slice(&part[..count]);
        Ok(count)
    }
}

impl HostIoFstat for Debugged {
    fn fstat(&mut self, file: u32) -> HostIoResult<HostIoStat, Self> {
        let program = self.files.opened(file);
        let program = program.ok_or(HostIoError::Errno(HostIoErrno::EBADF))?;
        let size = program.file.len() as u64;
        Ok(HostIoStat {
            st_dev: 0,
            st_ino: file,
            st_mode: HostIoOpenMode::S_IFREG | HostIoOpenMode::S_IRUSR,
            st_nlink: 1,
            st_uid: 0,
            st_gid: 0,
            st_rdev: 0,
            st_size: size,
            st_blksize: 512,
            st_blocks: size.div_ceil(512),
            st_atime: 0,
            st_mtime: 0,
            st_ctime: 0,
        })
    }
}
