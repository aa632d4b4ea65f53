//! The three steps from an image to what a device runs.

use vortex::isa::{Inst, Opcode, csr, x};
use vortex::load::{Checked, Finished, Origin};
use vortex::prelude::*;
use vortex::{Bundle, Error, Module, ModuleError};

#[vortex::kernel]
fn ballots(out: &mut [u32]) {
    out.atomic(0).fetch_add(warp::reduce_add(1), Relaxed);
}

const STEPS: [u32; 4] = [1, 10, 100, 1000];

#[vortex::kernel]
fn stepped(out: &mut [u32]) {
    let i = global_id();
    out[i] = STEPS[i % 4];
}

fn module() -> Module {
    let builder = Module::builder("load").kernel::<stepped>();
    builder.kernel::<ballots>().build().unwrap()
}

#[test]
fn what_is_compiled_and_what_is_read_is_described_alike() {
    let module = module();
    let file = module.to_elf();
    let checked = Checked::read(&file).unwrap();
    assert_eq!(checked.origin(), Origin::Elf);
    let analysed = checked.analyse();
    assert!(!analysed.is_program());
    let parts: Vec<_> = analysed.parts().collect();
    assert_eq!(parts, [("", module.info())]);
    let device = Device::builder().threads(4).open().unwrap();
    let Finished::Module(finished) = analysed.for_device(&device).unwrap() else {
        panic!("kernels are no program");
    };
    let mut out = device.alloc::<u32>(8).unwrap();
    let launch = finished.launch("stepped").unwrap().args((&mut out,));
    launch.unwrap().over(8).launch(&device).unwrap();
    assert_eq!(
        out.download().unwrap(),
        [1, 10, 100, 1000, 1, 10, 100, 1000]
    );
}

#[test]
fn the_code_says_what_it_needs_and_not_the_file() {
    let module = module();
    let features = module.values().features.clone().unwrap();
    assert_eq!(features, ["atomics", "warp operations"]);
    // As a file would have it that was changed.
    let mut file = module.to_elf();
    let at = file
        .windows(7)
        .position(|bytes| bytes == b"atomics")
        .unwrap();
    file[at..at + 7].copy_from_slice(b"nothing");
    let analysed = Checked::read(&file).unwrap().analyse();
    let (_, info) = analysed.parts().next().unwrap();
    assert_eq!(info.values.features.as_ref(), Some(&features));
}

#[test]
fn a_part_of_a_bundle_is_chosen_for_the_device() {
    let device = Device::builder().released().open().unwrap();
    let plain = Module::builder("plain").kernel::<stepped>();
    let plain = plain.device(&device).build().unwrap();
    let bundle = Bundle::new().with("full", &module()).unwrap();
    let file = bundle.with("plain", &plain).unwrap().to_bytes();
    let checked = Checked::read(&file).unwrap();
    assert_eq!(checked.origin(), Origin::Bundle);
    let analysed = checked.analyse();
    let ids: Vec<_> = analysed.parts().map(|(id, _)| id).collect();
    assert_eq!(ids, ["full", "plain"]);
    let Finished::Module(finished) = analysed.for_device(&device).unwrap() else {
        panic!("kernels are no program");
    };
    assert_eq!(finished.info(), plain.info());
    let none = Bundle::new().with("full", &module()).unwrap().to_bytes();
    let error = Checked::read(&none).unwrap().analyse().for_device(&device);
    assert!(
        matches!(error, Err(Error::Module(cause)) if matches!(*cause, ModuleError::NoEntry { .. }))
    );
}

#[test]
fn a_program_is_described_by_its_code() {
    let program = [
        Inst::csrr(x::A0, csr::MSCRATCH),
        Inst::i(Opcode::Lw, x::A1, x::A0, 0),
        Inst::r(Opcode::AmoaddW, x::ZERO, x::A1, x::A0),
        Inst::simt(Opcode::Tmc, x::ZERO, 0),
    ];
    let mut file = [0x8000_0000u64, 0x8000_0110].map(u64::to_le_bytes).concat();
    file.extend(program.iter().flat_map(|inst| inst.encode().to_le_bytes()));
    let checked = Checked::read(&file).unwrap();
    assert_eq!(checked.origin(), Origin::Direct);
    let analysed = checked.analyse();
    let (_, info) = analysed.parts().next().unwrap();
    let facts = info.kernels[0].facts();
    assert_eq!(facts.uses_atomics, Some(true));
    assert_eq!(
        (facts.uses_barrier, facts.code_size),
        (Some(false), Some(16))
    );
    assert_eq!(
        info.values.features.as_deref(),
        Some(&["atomics".to_owned()][..])
    );
    assert_eq!(info.values.globals_size, Some(256));
    // Nobody says where the addresses of such a program come from.
    assert_eq!(facts.no_indirect_global_access, Some(false));
    let device = Device::builder().cores(1).open().unwrap();
    let Finished::Program(image) = analysed.for_device(&device).unwrap() else {
        panic!("a program is no module");
    };
    let cell = device.upload(&[0u32]).unwrap();
    image.launch(&cell.as_ptr().addr().to_le_bytes()).unwrap();
    assert_ne!(cell.download().unwrap(), [0]);
}

#[test]
fn what_is_damaged_goes_no_further() {
    let module = module();
    let mut file = module.to_elf();
    let code = &module.images("stepped")[0].1.bytes[..16];
    let at = file.windows(16).position(|bytes| bytes == code).unwrap();
    file[at + 4..at + 8].copy_from_slice(&[0xff; 4]);
    let error = Checked::read(&file).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the image of kernel `stepped` is damaged: there is no instruction at its byte 4"
    );
    let device = Device::builder().released().open().unwrap();
    let error = device.module_from_bytes(&file).unwrap_err();
    assert!(matches!(error, Error::Module(_)), "{error}");
    for length in (0..file.len()).step_by(97) {
        let _ = Checked::read(&file[..length]).map(Checked::analyse);
    }
    assert!(matches!(
        Checked::read(b"neither"),
        Err(ModuleError::Image(_))
    ));
}
