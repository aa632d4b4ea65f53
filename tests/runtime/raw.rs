//! Images of which nothing is known but their code.

use crate::said::said;
use vortex::isa::{Inst, Opcode, csr, x};
use vortex::{Error, MemoryError, Module, StreamError};

use vortex::{Device, Generation, LookupError};

use super::{add, device, libvortex, nothing};

const BASE: u32 = 0x8000_0000;

/// Zeros after the code, which it can write.
const ZEROS: u32 = 8;

fn vxbin(base: u32, program: &[Inst]) -> Vec<u8> {
    let code: Vec<u8> = (program.iter())
        .flat_map(|inst| inst.encode().to_le_bytes())
        .collect();
    let end = base + code.len() as u32 + ZEROS;
    let mut file = u64::from(base).to_le_bytes().to_vec();
    file.extend(u64::from(end).to_le_bytes());
    file.extend(code);
    file
}

/// Adds the second word of its argument to the word that the first one is the address of, by way of its own memory.
pub(crate) fn program(base: u32) -> Vec<u8> {
    const LENGTH: i32 = 14;
    let program = [
        Inst::csrr(x::A0, csr::MSCRATCH),
        Inst::i(Opcode::Lw, x::A1, x::A0, 0),
        Inst::i(Opcode::Lw, x::A2, x::A0, 4),
        Inst::u(Opcode::Auipc, x::T0, 0),
        Inst::i(Opcode::Lw, x::A3, x::A1, 0),
        Inst::r(Opcode::Add, x::A3, x::A3, x::A2),
        Inst::s(Opcode::Sw, x::A3, x::T0, 4 * (LENGTH - 3)),
        Inst::i(Opcode::Lw, x::A4, x::T0, 4 * (LENGTH - 3)),
        Inst::s(Opcode::Sw, x::A4, x::A1, 0),
        Inst::i(Opcode::Addi, x::T1, x::ZERO, 42),
        Inst::s(Opcode::Sw, x::T1, x::ZERO, 0x88),
        Inst::s(Opcode::Sw, x::ZERO, x::ZERO, 0x8c),
        Inst::of(Opcode::Fence),
        Inst::simt(Opcode::Tmc, x::ZERO, 0),
    ];
    assert_eq!(program.len(), LENGTH as usize);
    vxbin(base, &program)
}

/// What [`program`] leaves as its exit code, where a runtime has one.
fn exit_code() -> Option<u32> {
    (!libvortex::is_version_3()).then_some(42)
}

#[test]
fn an_image_is_launched_with_bytes() {
    let device = device();
    let image = device.raw_image(&program(BASE)).unwrap();
    assert_eq!((image.entry(), image.memory()), (BASE, (BASE, 56 + ZEROS)));
    let cell = device.upload(&[100u32, 7]).unwrap();
    for turn in 1..4 {
        let words = [cell.as_ptr().addr(), 11];
        let bytes = words.map(u32::to_le_bytes).concat();
        let report = image.launch(&bytes).unwrap();
        assert_eq!(report.exit_code(), exit_code());
        assert!(report.lane_instructions() > Some(0) || libvortex::is_in_use());
        assert_eq!(cell.download().unwrap(), [100 + 11 * turn, 7]);
    }
    // Kernels of this library run beside it, and report no such code.
    let (x, mut y) = (device.upload(&[1]).unwrap(), device.alloc(1).unwrap());
    let report = add(2, &x, &mut y).over(1).launch(&device).unwrap();
    assert_eq!((y.download().unwrap(), report.exit_code()), (vec![3], None));
}

#[test]
fn its_addresses_are_its_own_until_it_is_dropped() {
    let device = device();
    let used = device.memory_used();
    let image = device.raw_image(&program(BASE)).unwrap();
    let error = device.raw_image(&program(BASE + 16)).unwrap_err();
    assert!(
        matches!(error, Error::Memory(MemoryError::ImageAddresses { .. })),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.contains("from 0x80000010 to 0x80000050"), "{text}");
    let other = device.raw_image(&program(0x8002_0000)).unwrap();
    drop(image);
    device.raw_image(&program(BASE + 16)).unwrap();
    drop(other);
    assert_eq!(device.memory_used(), used);
}

#[test]
fn what_is_no_image_is_an_error() {
    let device = device();
    for file in [&b"no image"[..], b"", b"\x7fELF and nothing more"] {
        let error = device.raw_image(file).unwrap_err();
        assert!(matches!(error, Error::Image(_)), "{error}");
    }
    // Where the device has no memory for users.
    let error = device.raw_image(&program(0x1000)).unwrap_err();
    assert!(
        matches!(error, Error::Memory(MemoryError::ImageAddresses { .. })),
        "{error}"
    );
}

#[test]
fn a_program_that_is_stopped_leaves_the_device_usable() {
    if libvortex::is_version_3() {
        // Nothing stops it: a store to code happens.
        return;
    }
    let device = device();
    // A store to its own code.
    let program = [
        Inst::u(Opcode::Auipc, x::T0, 0),
        Inst::s(Opcode::Sw, x::T0, x::T0, 0),
        Inst::simt(Opcode::Tmc, x::ZERO, 0),
    ];
    let image = device.raw_image(&vxbin(BASE, &program)).unwrap();
    let error = image.launch(&[]).unwrap_err();
    if !libvortex::is_in_use() {
        assert!(matches!(error, Error::Trap(_)), "{error}");
        assert!(error.to_string().contains("0x80000000"), "{error}");
    }
    let (x, mut y) = (device.upload(&[1]).unwrap(), device.alloc(1).unwrap());
    add(2, &x, &mut y).over(1).launch(&device).unwrap();
    assert_eq!(y.download().unwrap(), [3]);
}

#[test]
fn executables_are_images_too() {
    let device = device();
    let module = Module::builder("empty").kernel::<nothing>();
    let elf = module.device(&device).build().unwrap().to_elf();
    // A launch of no work items.
    let image = device.raw_image(&elf).unwrap();
    image.launch(&[0; 256]).unwrap();
    assert_eq!(image.entry(), BASE);
}

#[test]
fn a_vxbin_file_alone_says_how_it_can_be_launched() {
    let directory = std::env::temp_dir().join(format!("vortex-raw-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("alone.vxbin");
    std::fs::write(&path, program(BASE)).unwrap();
    let error = device().module_from_file(&path).unwrap_err().to_string();
    std::fs::remove_dir_all(&directory).unwrap();
    assert!(error.contains("`device.raw_image(..)`"), "{error}");
}

#[test]
fn images_are_launched_on_streams() {
    let device = device();
    let used = device.memory_used();
    let mut cell = device.upload(&[0u32]).unwrap();
    let image = device.raw_image(&program(BASE)).unwrap();
    let arguments = [cell.as_ptr().addr(), 11].map(u32::to_le_bytes).concat();
    let [first, second] = [(); 2].map(|()| device.stream().unwrap());
    // In order on a stream, and, as it may reach any memory, in order with all other streams.
    first.enqueue_write(&mut cell, [100]).detach();
    let one = first.launch(image.call(&arguments));
    let read = second.enqueue_read(&cell);
    let other = second.launch(image.call(&arguments));
    assert_eq!(read.wait().unwrap(), [111]);
    assert_eq!(one.wait().unwrap().exit_code(), exit_code());
    // Its addresses are its own for as long as launches are pending.
    drop(image);
    other.wait().unwrap();
    assert_eq!(first.enqueue_read(&cell).wait().unwrap(), [122]);
    drop((first, second, cell));
    assert_eq!(device.memory_used(), used);

    // What stops a program stops the stream.
    let nothing = [Inst::s(Opcode::Sw, x::T0, x::ZERO, 2)];
    let stream = device.stream().unwrap();
    let image = device.raw_image(&vxbin(BASE, &nothing)).unwrap();
    if !libvortex::is_in_use() {
        assert!(matches!(
            stream.launch(image.call(&[])).wait(),
            Err(Error::Trap(_))
        ));
        let skipped = stream.launch(image.call(&[])).wait();
        assert!(matches!(
            skipped,
            Err(Error::Stream(StreamError::Skipped { .. }))
        ));
        stream.wait().unwrap();
    }

    // An image is of one device.
    if libvortex::is_version_3() {
        return;
    }
    let other = super::device().stream().unwrap();
    let error = other.launch(image.call(&[])).wait().unwrap_err();
    assert!(
        matches!(error, Error::Stream(StreamError::ForeignStream)),
        "{error}"
    );
}

/// A file for Vortex 3 with two kernels: `number` stores each item's number, `group` that of its group, to the words
/// that the first word of the argument is the address of.
fn named_kernels() -> Vec<u8> {
    // The window, and the way from it to the kernel.
    let window = [
        Inst::csrr(x::T0, csr::CTA_ENTRY),
        Inst::i(Opcode::Jalr, x::ZERO, x::T0, 0),
        Inst::nop(),
        Inst::of(Opcode::Wsync),
        Inst::simt(Opcode::Tmc, x::ZERO, 0),
    ];
    let kernel = |what: u16, back: i32| {
        [
            Inst::csrr(x::A0, csr::MSCRATCH),
            Inst::i(Opcode::Lw, x::A0, x::A0, 0),
            Inst::csrr(x::A1, csr::CTA_BLOCK_ID_X),
            Inst::csrr(x::A2, csr::CTA_BLOCK_DIM_X),
            Inst::r(Opcode::Mul, x::A1, x::A1, x::A2),
            Inst::csrr(x::A2, csr::CTA_THREAD_ID_X),
            Inst::r(Opcode::Add, x::A1, x::A1, x::A2),
            Inst::i(Opcode::Slli, x::A2, x::A1, 2),
            Inst::r(Opcode::Add, x::A0, x::A0, x::A2),
            Inst::csrr(x::A1, what),
            Inst::s(Opcode::Sw, x::A1, x::A0, 0),
            Inst::jal(x::ZERO, back),
        ]
    };
    let (first, second) = (window.len() as i32, window.len() as i32 + 12);
    let program: Vec<Inst> = window
        .into_iter()
        .chain(kernel(csr::CTA_THREAD_ID_X, 4 * (3 - (first + 11))))
        .chain(kernel(csr::CTA_BLOCK_ID_X, 4 * (3 - (second + 11))))
        .collect();
    let mut file = vxbin(BASE, &program);
    file.extend(b"numbergroup");
    for (start, length, at) in [(0u32, 6u16, first), (6, 5, second)] {
        file.extend(start.to_le_bytes());
        file.extend(length.to_le_bytes());
        file.extend([0; 2]);
        file.extend((u64::from(BASE) + 4 * at as u64).to_le_bytes());
    }
    file.extend(2u32.to_le_bytes());
    file.extend(b"VXSYMTAB");
    file
}

#[test]
fn kernels_of_a_file_are_launched_by_name() {
    let new = Device::builder().generation(Generation::V3);
    let device = new.cores(2).warps(4).threads(4).open().unwrap();
    let image = device.raw_image(&named_kernels()).unwrap();
    assert_eq!(image.kernels().collect::<Vec<_>>(), ["number", "group"]);
    let mut y = device.upload(&[9u32; 60]).unwrap();
    let arguments = y.as_ptr().addr().to_le_bytes();
    let report = image
        .kernel("number")
        .unwrap()
        .grid(7)
        .block(8)
        .launch(&arguments)
        .unwrap();
    assert_eq!(report.kernel(), "number");
    let numbers = |item: u32| if item < 56 { item % 8 } else { 9 };
    assert_eq!(
        y.download().unwrap(),
        (0..60).map(numbers).collect::<Vec<_>>()
    );
    // On a stream, too.
    let stream = device.stream().unwrap();
    let group = image.kernel("group").unwrap().grid(15).block(4);
    stream.launch(group.call(&arguments)).wait().unwrap();
    assert_eq!(
        y.download().unwrap(),
        (0..60).map(|n| n / 4).collect::<Vec<_>>()
    );
    y.write(&[0; 60]).unwrap();

    let Err(Error::Lookup(error)) = image.kernel("sum") else {
        panic!("there is no such kernel");
    };
    assert!(matches!(error, LookupError::NoKernel { .. }));
    let text = "there is no kernel `sum` in this module; its kernels are number, group";
    assert_eq!(error.to_string(), text);
    let error = image
        .kernel("group")
        .unwrap()
        .block(17)
        .launch(&arguments)
        .unwrap_err();
    assert_eq!(
        said(&error),
        "kernel group: a group of 17x1x1 work items is not possible: a core has 16 threads for it"
    );
    let old = Device::builder().open().unwrap();
    let image = old.raw_image(&named_kernels()).unwrap();
    let error = image.kernel("group").unwrap().launch(&[]).unwrap_err();
    assert_eq!(
        said(&error),
        "kernel group: Vortex 2 has no hardware that hands out work groups; Vortex 3 has"
    );
}

#[test]
fn a_module_is_one_file_on_vortex_3() {
    let new = Device::builder().generation(Generation::V3).open().unwrap();
    let build = |device: &Device| {
        Module::builder("m")
            .device(device)
            .kernel::<add>()
            .kernel::<nothing>()
            .build()
            .unwrap()
    };
    let module = build(&new);
    let file = module.to_vxbin().unwrap();
    let image = new.raw_image(&file).unwrap();
    assert_eq!(image.kernels().collect::<Vec<_>>(), ["add", "nothing"]);
    // Kernels for Vortex 3 need what Vortex 2 does not have.
    let old = Device::builder().open().unwrap();
    let error = build(&old).to_vxbin().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("a .vxbin file holds several kernels on Vortex 3 only")
    );
    let loaded = old.module_from_bytes(&module.to_elf());
    let refused = loaded.and_then(|module| module.launch("nothing")?.over(1).launch(&old));
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("Vortex 3"), "{said}");
    // The other way round they run.
    let module = new.module_from_bytes(&build(&old).to_elf()).unwrap();
    module
        .launch("nothing")
        .unwrap()
        .over(100)
        .launch(&new)
        .unwrap();
}
