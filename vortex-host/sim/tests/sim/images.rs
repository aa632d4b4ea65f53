//! Images as Vortex's own tools make them.

use crate::harness::{Asm, bytes, words};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{Access, Config, ImageError, Machine, TrapKind, VxBin};

/// A program in the manner of Vortex's start-up code: all warps run a kernel, then warp 0 dumps the counters.
fn program() -> Asm {
    let mut program = Asm::new();
    program.all_warps().i(Opcode::Lw, x::S0, x::A0, 0);
    program
        .csrr(x::A1, csr::MHARTID)
        .i(Opcode::Slli, x::A2, x::A1, 2)
        .r(Opcode::Add, x::A2, x::A2, x::S0);
    program
        .i(Opcode::Lw, x::A3, x::A2, 0)
        .r(Opcode::Add, x::A3, x::A3, x::A1)
        .store(Opcode::Sw, x::A3, x::A2, 0);
    program
        .csrr(x::T0, csr::WARP_ID)
        .branch(Opcode::Beq, x::T0, x::ZERO, "dump")
        .end();
    program
        .label("dump")
        .li(x::T0, 1)
        .simt(Opcode::Tmc, x::T0, 0)
        .simt(Opcode::Wspawn, x::T0, x::T0);
    program
        .csrr(x::T1, csr::CORE_ID)
        .i(Opcode::Slli, x::T1, x::T1, 8)
        .i(Opcode::Addi, x::T1, x::T1, 0x80);
    program
        .store(Opcode::Sw, x::ZERO, x::T1, 8)
        .csrr(x::T0, csr::MINSTRET)
        .store(Opcode::Sw, x::T0, x::T1, 16);
    program
        .csrr(x::T0, csr::MINSTRETH)
        .store(Opcode::Sw, x::T0, x::T1, 20)
        .emit(Inst::of(Opcode::Fence))
        .end();
    program
}

fn vxbin(base: u64, code: &[u8], bss: u64) -> Vec<u8> {
    let mut file = base.to_le_bytes().to_vec();
    file.extend((base + code.len() as u64 + bss).to_le_bytes());
    file.extend(code);
    file
}

#[test]
fn an_image_runs_and_counts() {
    for (cores, warps, threads) in [(1, 4, 4), (1, 8, 8), (2, 8, 8)] {
        let file = vxbin(0x8000_0000, &program().bytes(), 4096);
        let mut machine = Machine::new(Config::with_shape(cores, warps, threads)).unwrap();
        let harts = cores * warps * threads;
        let data = machine
            .alloc(u64::from(harts) * 4, Access::ReadWrite)
            .unwrap();
        machine
            .write(data, &bytes(&vec![1000; harts as usize]))
            .unwrap();
        let entry = machine.load(&VxBin::parse(&file).unwrap()).unwrap();
        let arguments = machine.alloc(16, Access::Read).unwrap();
        machine.write(arguments, &bytes(&[data, 0, 0, 0])).unwrap();
        let stats = machine.run(entry, arguments).unwrap();
        let mut result = vec![0; harts as usize * 4];
        machine.read(data, &mut result).unwrap();
        assert_eq!(words(&result), (1000..1000 + harts).collect::<Vec<_>>());

        // Per core: wspawn and what is before it; li and tmc of each warp; 12 of each lane; what ends each warp or
        // dumps.
        let per_core =
            4 + 2 * warps + 12 * warps * threads + (warps - 1) * threads + 2 * threads + 1 + 4;
        assert_eq!(machine.dumped(cores - 1, 2), Some(per_core.into()));
        // From there on: the counter's own read, a store, a read, a store, the fence, the end.
        assert_eq!(stats.lane_instructions, u64::from(cores * (per_core + 6)));
        assert_eq!(stats.exit_code, Some(0));
    }
}

#[test]
fn the_bytes_are_read_only_and_the_tail_is_zero() {
    // An odd length: the word across the border can be read.
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .i(Opcode::Lw, x::A1, x::A0, 0)
        .i(Opcode::Lw, x::A2, x::A0, 4);
    program
        .store(Opcode::Sw, x::A0, x::A0, 4)
        .label("fault")
        .store(Opcode::Sw, x::A0, x::A0, 0)
        .end();
    let mut code = program.bytes();
    code.extend([1, 2]);
    let file = vxbin(0x9000_0040, &code, 30);
    let mut machine = Machine::new(Config::bare()).unwrap();
    let image = VxBin::parse(&file).unwrap();
    let entry = machine.load(&image).unwrap();
    let mut tail = [9; 32];
    machine
        .read(entry + code.len() as u32 - 2, &mut tail)
        .unwrap();
    assert_eq!((&tail[..2], &tail[2..]), (&[1, 2][..], &[0; 30][..]));
    let trap = machine
        .run(entry, entry + code.len() as u32 - 2)
        .unwrap_err();
    assert!(matches!(trap.kind, TrapKind::AccessDenied { .. }), "{trap}");
    assert_eq!(
        trap.pc - entry,
        program.address("fault") - crate::harness::CODE
    );
    // Twice in the same place is once too often.
    assert!(machine.load(&image).is_err());
}

/// A file with names of kernels at its end: each with where it begins among `text`, its length, and an address.
fn named(code: &[u8], text: &str, kernels: &[(u32, u16, u64)]) -> Vec<u8> {
    let mut file = vxbin(0x8000_0000, code, 0);
    file.extend(text.as_bytes());
    for (start, length, address) in kernels {
        file.extend(start.to_le_bytes());
        file.extend(length.to_le_bytes());
        file.extend([0; 2]);
        file.extend(address.to_le_bytes());
    }
    file.extend((kernels.len() as u32).to_le_bytes());
    file.extend(b"VXSYMTAB");
    file
}

#[test]
fn names_of_kernels_follow_the_code() {
    let kernels = |file: &[u8]| {
        let image = VxBin::parse(file)?;
        assert_eq!(image.bytes(), [1; 16]);
        Ok::<_, ImageError>(
            image
                .kernels()
                .map(|(name, at)| (name.to_owned(), at))
                .collect::<Vec<_>>(),
        )
    };
    let main = |at| ("main".to_owned(), at);
    let base = 0x8000_0000_u32;
    let plain = vxbin(base.into(), &[1; 16], 0);
    assert_eq!(kernels(&plain), Ok(vec![main(base)]));
    let names = |kernels: &[(u32, u16, u64)]| named(&[1; 16], "addmul", kernels);
    let (add, mul) = ((0, 3, 0x8000_0004), (3, 3, 0x8000_0008));
    let both = vec![("add".to_owned(), base + 4), ("mul".to_owned(), base + 8)];
    assert_eq!(kernels(&names(&[add, mul])), Ok(both));
    // A single one is `main`, too, where the file starts.
    let one = vec![("addmul".to_owned(), base + 4), main(base)];
    assert_eq!(kernels(&names(&[(0, 6, 0x8000_0004)])), Ok(one));
    let file = named(&[1; 16], "main", &[(0, 4, 0x8000_0004)]);
    assert_eq!(kernels(&file), Ok(vec![main(base + 4)]));
    let file = named(&[1; 16], "", &[]);
    assert_eq!(kernels(&file), Ok(vec![main(base)]));

    for wrong in [(3, 3, 0x8000_0010), (3, 3, 0x8000_0002), (3, 3, 1 << 33)] {
        let error = kernels(&names(&[add, wrong])).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("address is none of the image's"),
            "{error}"
        );
    }
    let error = kernels(&names(&[(u32::MAX, 3, 0x8000_0004)])).unwrap_err();
    assert!(
        error.to_string().ends_with("longer than the file"),
        "{error}"
    );
    let file = named(&[1; 16], "né", &[(0, 2, 0x8000_0004), (2, 1, 0x8000_0004)]);
    let error = kernels(&file).unwrap_err();
    assert!(error.to_string().ends_with("within a character"), "{error}");
    let mut file = names(&[add]);
    let count = file.len() - 12;
    file[count..count + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let error = kernels(&file).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("not as many entries as it says"),
        "{error}"
    );
}

#[test]
fn files_that_are_no_images() {
    let parse = |file: &[u8]| VxBin::parse(file).map(|image| image.base());
    assert_eq!(parse(&[]), Err(ImageError::Truncated(0)));
    assert_eq!(
        parse(&vxbin(0x8000_0000, &[1, 2, 3], 0)),
        Err(ImageError::Truncated(19))
    );
    assert_eq!(parse(&vxbin(0x8000_0000, &[0; 4], 0)), Ok(0x8000_0000));
    assert_eq!(
        parse(&vxbin(0x8000_0002, &[0; 4], 0)),
        Err(ImageError::Misaligned(0x8000_0002))
    );
    assert!(matches!(
        parse(&vxbin(1 << 33, &[0; 4], 0)),
        Err(ImageError::Addresses { .. })
    ));
    assert!(matches!(
        parse(&vxbin(0xffff_fff0, &[0; 32], 0)),
        Err(ImageError::Addresses { .. })
    ));
    let mut backwards = vxbin(0x8000_0000, &[0; 4], 0);
    backwards[8..16].copy_from_slice(&0x7000_0000u64.to_le_bytes());
    assert!(matches!(
        parse(&backwards),
        Err(ImageError::Addresses { .. })
    ));
    let mut long = vxbin(0x8000_0000, &[0; 8], 0);
    long[8..16].copy_from_slice(&0x8000_0004u64.to_le_bytes());
    assert_eq!(parse(&long), Err(ImageError::TooLong { bytes: 8, size: 4 }));
}
