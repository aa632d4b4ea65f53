//! Launches under a debugger: what it is told of the kernel and its work items.

use std::borrow::Cow;
use std::path::Path;

use vortex_gdb::{Explain, Item, Program, Symbols, symbols};
use vortex_kernel::abi::LaunchHeader;
use vortex_kernel::codegen::{ImageLocal, ImagePlace};
use vortex_kernel::ir::{NamedLocal, Shape, SourceLoc};
use vortex_kernel::isa::Generation;
use vortex_kernel::meta::{KernelInfo, ScalarType};
use vortex_sim::Trap;
use vortex_sim::debug::WordLocation;
use vortex_sim::stepping::{LaneState, Stepper, WarpId};

use super::shape::{Coarse, Extent, Stopped};
use super::whereabouts::{Lanes, Whereabouts};
use crate::driver::{Caps, HardwareThread};
use crate::error::{DeviceError, Error, Result};
use crate::fault::{TrapReport, WorkItem};
use crate::image::Loaded;
use crate::name::Name;

/// A launch, for whoever looks at it while it runs.
pub(super) struct Work<'a> {
    pub(super) kernel: &'a Name,
    pub(super) extent: &'a Extent,
    pub(super) header: &'a LaunchHeader,
    pub(super) caps: &'a Caps,
    pub(super) loaded: &'a Loaded,
    pub(super) whereabouts: Whereabouts<'a>,
}

/// The kernel with its symbols.
pub(super) fn program(info: &KernelInfo, kernel: &Name, loaded: &Loaded) -> Result<Program> {
    let location = &info.location;
    let declared = SourceLoc {
        file: location.file.clone(),
        line: location.line,
        column: location.column,
    };
    let mut locs = loaded
        .image
        .lines
        .iter()
        .filter_map(|line| line.loc.as_ref());
    let declared = match declared.file.is_empty() {
        true => locs.next().cloned(),
        false => Some(declared),
    };
    let file = declared.as_ref().map_or("", |loc| &loc.file);
    let locals = match &loaded.image.locals {
        Some(locals) => Cow::Borrowed(locals),
        None => Cow::Owned(parameters(info, declared.as_ref())),
    };
    let file = symbols(&Symbols {
        name: kernel,
        module: &info.module,
        declared: declared.clone(),
        locals: &locals,
        image: &loaded.image,
        address: loaded.addr,
        directory: &directory(file),
    });
    let file = file.map_err(|error| {
        let message = format!("internal error: symbols of {kernel}: {error}; please report it");
        Error::Device(DeviceError::Driver { message })
    })?;
    Ok(Program {
        name: kernel.to_string(),
        address: loaded.addr,
        size: loaded.image.bytes.len() as u32,
        file,
    })
}

/// The parameters of a kernel whose image was not made for a debugger: they are where they are in any.
fn parameters(info: &KernelInfo, declared: Option<&SourceLoc>) -> Vec<ImageLocal> {
    let Some(declared) = declared else {
        return Vec::new();
    };
    let parameters = info.args.iter().map(|arg| ImageLocal {
        local: NamedLocal {
            name: arg.name.clone(),
            shape: shape(&arg.rust_type, arg.element_size),
            after: declared.clone(),
            until: declared.clone(),
            is_param: true,
            place: None,
        },
        place: Some(ImagePlace::LaunchBlock(arg.offset)),
    });
    parameters.collect()
}

/// What a type is that is spelled like this, of which bytes are known, or those of what it refers to.
fn shape(spelled: &str, bytes: u32) -> Shape {
    let inside = |prefix: &str, suffix: &str| {
        let inner = spelled.strip_prefix(prefix)?.strip_suffix(suffix)?;
        Some(Box::new(shape(inner, bytes)))
    };
    if let Some(scalar) = ScalarType::ALL
        .iter()
        .find(|scalar| scalar.name() == spelled)
    {
        return scalar.shape();
    }
    for (prefix, is_mut) in [("&[", false), ("&mut [", true)] {
        if let Some(element) = inside(prefix, "]") {
            return Shape::Slice { element, is_mut };
        }
    }
    for sigil in ["*const ", "*mut "] {
        if let Some(to) = inside(sigil, "") {
            return Shape::Pointer { sigil, to };
        }
    }
    Shape::Bytes {
        name: spelled.to_owned(),
        size: bytes,
    }
}

/// The directory that a path of the source begins at: that in which there is such a file, of those around the one the
/// program was started in. rustc is started in a workspace's, programs elsewhere.
fn directory(file: &str) -> String {
    let Ok(here) = std::env::current_dir() else {
        return String::new();
    };
    let mut around = here.ancestors();
    let found = around.find(|directory| directory.join(file).is_file());
    let found: &Path = found.unwrap_or(&here);
    found.to_string_lossy().into_owned()
}

impl Lanes for Stepper<'_> {
    fn held(&self, at: HardwareThread, place: WordLocation) -> Option<u32> {
        let HardwareThread { core, warp, lane } = at;
        Stepper::held(self, WarpId { core, warp }, lane, place)
    }

    fn handed(&self, core: u32, warp: u32) -> Option<(u32, u32)> {
        // Grids are rows here.
        let ([group, ..], rank) = Stepper::handed(self, WarpId { core, warp })?;
        Some((group, rank))
    }

    fn first_lane(&self, core: u32, warp: u32) -> Option<u32> {
        self.active_lanes(WarpId { core, warp }).next()
    }
}

impl Work<'_> {
    fn place(&self, stopped: Stopped) -> Option<WorkItem> {
        let groups = self.loaded.image.groups;
        // Under a debugger, lanes do one item after the other.
        self.extent
            .place(self.header, self.caps, groups, Coarse::default(), stopped)
    }

    /// An item in words: its number, and coordinates if there are several axes.
    fn text(&self, item: &WorkItem) -> String {
        let [_, height, depth] = self.extent.size;
        let coordinates = |[x, y, z]: [u32; 3], flat: bool| match (flat, depth > 1) {
            (true, _) => format!("{x}"),
            (_, false) => format!("({x}, {y})"),
            (_, true) => format!("({x}, {y}, {z})"),
        };
        let is_flat = height <= 1 && depth <= 1;
        let mut text = format!("item {}", item.item);
        if !is_flat {
            text += &format!(" {}", coordinates(item.coordinates, false));
        }
        if let Some(group) = item.group {
            text += &format!(", group {}", coordinates(group, is_flat));
        }
        text
    }
}

impl Explain for Work<'_> {
    fn has_work(&self, WarpId { core, warp }: WarpId, lane: u32) -> bool {
        if self.loaded.image.generation() != Generation::V2 {
            // The hardware decides.
            return true;
        }
        let stopped = Stopped {
            at: HardwareThread { core, warp, lane },
            handed: None,
            number: None,
            block_item: None,
        };
        warp < self.header.warps && self.place(stopped).is_some()
    }

    fn item(&self, stepper: &Stepper<'_>, id: WarpId, lane: u32) -> Option<Item> {
        let pc = match stepper.lane(id, lane) {
            LaneState::Active => stepper.pc(id),
            LaneState::Parked(pc) => pc,
            LaneState::Off => return None,
        };
        let WarpId { core, warp } = id;
        let at = HardwareThread { core, warp, lane };
        let item = self.place(self.whereabouts.at(stepper, at, pc)?)?;
        Some(Item {
            number: item.item,
            group: item.group.map(|group| self.extent.group_number(group)),
            text: self.text(&item),
        })
    }

    fn trap(&self, stepper: &Stepper<'_>, trap: &Trap) -> String {
        let involved = self.whereabouts.involved(stepper, trap);
        let involved = involved.map(|stopped| self.place(stopped));
        let report = TrapReport::new(self.kernel.clone(), trap.clone(), self.loaded, involved);
        report.to_string()
    }
}
