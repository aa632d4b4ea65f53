//! `vortex explain`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use vortex::meta::{KernelInfo, ModuleInfo};
use vortex::{Device, Explanation};

use crate::args::Explain;
use crate::input;
use crate::run::extent;

/// How names of files with a kernel's IR end.
const STAGED: &str = ".staged.vir";

pub(crate) fn run(args: &Explain) -> Result<()> {
    let kernel = args.kernel.as_deref();
    let dumped = match args.file.is_dir() {
        true => one_of(&args.file, kernel)?,
        false => Dumped::new(args.file.clone())?,
    };
    let shown = || dumped.path.display().to_string();
    let bytes = input::bytes(&dumped.path)?;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) if !bytes.starts_with(b"\x7fELF") => text,
        _ => bail!(
            "{}: this is no IR of a kernel, and modules have none either: run the program that launches the kernel with \
             `VORTEX_DUMP=DIR`, and give that directory",
            shown()
        ),
    };
    let block = match &args.block {
        Some(block) => Some(items(extent(block)?)?),
        None => None,
    };
    let device = Device::open()?;
    let attributes = dumped.info.map(|info| info.attributes).unwrap_or_default();
    let explanation =
        Explanation::of_staged(text, &attributes, &device, block).with_context(shown)?;
    if let Some(kernel) = kernel.filter(|kernel| *kernel != explanation.kernel()) {
        bail!(
            "{}: there is no kernel `{kernel}`; the kernel is {}",
            shown(),
            explanation.kernel().escape_debug()
        );
    }
    crate::print_text(&format!("{explanation}\n"))?;
    if args.stages {
        crate::print_text(&explanation.stages_to_text())?;
    }
    match &args.output {
        Some(path) => explanation
            .write(path)
            .with_context(|| path.display().to_string()),
        None => Ok(()),
    }
}

/// Items of a group.
fn items((x, y, z): (usize, usize, usize)) -> Result<[u32; 3]> {
    let items = |n: usize| u32::try_from(n).context("groups are not as large as that");
    Ok([items(x)?, items(y)?, items(z)?])
}

/// The IR of a kernel that was launched.
struct Dumped {
    path: PathBuf,
    /// What is next to it.
    info: Option<KernelInfo>,
}

impl Dumped {
    fn new(path: PathBuf) -> Result<Self> {
        let name = path.file_name().and_then(|name| name.to_str());
        let stem = name.and_then(|name| name.strip_suffix(STAGED));
        let beside = stem.map(|stem| path.with_file_name(format!("{stem}.vxmeta")));
        let info = match beside.filter(|beside| beside.is_file()) {
            Some(beside) => {
                let (info, _) = ModuleInfo::read_bytes(&input::bytes(&beside)?)
                    .with_context(|| beside.display().to_string())?;
                info.kernels.into_iter().next()
            }
            None => None,
        };
        Ok(Self { path, info })
    }
}

/// The last launch of a kernel that `VORTEX_DUMP` left in a directory.
fn one_of(directory: &Path, kernel: Option<&str>) -> Result<Dumped> {
    let shown = directory.display();
    let mut files = Vec::new();
    for entry in directory.read_dir().with_context(|| shown.to_string())? {
        let path = entry.with_context(|| shown.to_string())?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| name.ends_with(STAGED)) {
            files.push(path);
        }
    }
    files.sort();
    let mut kernels: BTreeMap<String, Dumped> = BTreeMap::new();
    for path in files {
        let dumped = Dumped::new(path)?;
        if let Some(info) = &dumped.info {
            kernels.insert(info.name.clone(), dumped);
        }
    }
    let names: Vec<String> = kernels
        .keys()
        .map(|name| name.escape_debug().to_string())
        .collect();
    let names = names.join(", ");
    let only = kernels
        .keys()
        .next()
        .filter(|_| kernels.len() == 1)
        .cloned();
    let wanted = kernel.map(str::to_owned).or(only);
    match wanted {
        _ if kernels.is_empty() => bail!(
            "{shown}: no kernel was left here: run the program that launches it with `VORTEX_DUMP={shown}`"
        ),
        None => bail!("{shown}: there are several kernels; add `--kernel` with one of: {names}"),
        Some(name) => kernels.remove(&name).with_context(|| {
            format!("{shown}: there is no kernel `{name}`; the kernels are: {names}")
        }),
    }
}
