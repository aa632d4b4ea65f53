//! How gdb reads the files of [`Files`](crate::files::Files).

use gdbstub::target::ext::host_io::{
    FsKind, HostIo, HostIoClose, HostIoCloseOps, HostIoErrno, HostIoError, HostIoFstat,
    HostIoFstatOps, HostIoOpen, HostIoOpenFlags, HostIoOpenMode, HostIoOpenOps, HostIoPread,
    HostIoPreadOps, HostIoResult, HostIoSetfs, HostIoSetfsOps, HostIoStat,
};

use crate::target::Debugged;

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
        let number = self.files.open(name);
        number.ok_or(HostIoError::Errno(HostIoErrno::ENOENT))
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
        let file = self.files.opened(file);
        let file = file.ok_or(HostIoError::Errno(HostIoErrno::EBADF))?;
        let part = file.get(offset as usize..).unwrap_or_default();
        let count = count.min(part.len()).min(buf.len());
        buf[..count].copy_from_slice(&part[..count]);
        Ok(count)
    }
}

impl HostIoFstat for Debugged {
    fn fstat(&mut self, file: u32) -> HostIoResult<HostIoStat, Self> {
        let contents = self.files.opened(file);
        let contents = contents.ok_or(HostIoError::Errno(HostIoErrno::EBADF))?;
        let size = contents.len() as u64;
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
