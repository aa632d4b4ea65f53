//! The kernels of the program, and their images.

mod cache;
mod listed;

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use vortex_kernel::codegen::{Image, Options, Target};
use vortex_kernel::ir::{Function, GlobalVariable, SourceLoc};
use vortex_kernel::lang::{ComptimeValue, Instance, Kernel, StageError, stage_as};
use vortex_kernel::meta::{KernelInfo, KernelMeta};
use vortex_kernel::opt;

use crate::cached::{CacheStats, Cached, EntryId};
use crate::device::Device;
use crate::error::{Error, LookupError, Result};
use crate::globals;
use crate::hazards::AccessRange;
use crate::name::Name;
use cache::Cache;

pub(crate) use listed::KernelList;
pub use listed::{KernelOrigin, ListedKernel};

/// A kernel of the program.
#[derive(Clone)]
pub struct KernelEntry {
    id: EntryId,
    meta: fn() -> KernelMeta,
    stage: fn(Option<&Instance>) -> Result<Function, StageError>,
    /// The values of `#[comptime]` parameters.
    instance: Option<Arc<Instance>>,
}

inventory::collect!(KernelEntry);

/// How many images a cache has: of all kernels of the program for two kinds of devices, or of as many instances.
pub(crate) fn most_images() -> usize {
    const LEAST: usize = 512;
    LEAST.max(2 * inventory::iter::<KernelEntry>().count())
}

/// What is known about a kernel from its source, by the name of the instance if it is generic.
pub(crate) fn meta_of<K: Kernel>() -> KernelMeta {
    let mut meta = K::META;
    meta.name = K::name();
    meta
}

impl KernelEntry {
    /// The kernel by its own item, whether or not it is in the registry.
    #[must_use]
    pub const fn of<K: Kernel>() -> Self {
        Self {
            id: (TypeId::of::<K>(), 0),
            meta: meta_of::<K>,
            stage: stage_as::<K>,
            instance: None,
        }
    }

    /// The kernel for these values of its `#[comptime]` parameters, and itself if it has none.
    pub(crate) fn for_values(
        self,
        values: &[ComptimeValue],
        instance: fn(&[ComptimeValue]) -> Arc<Instance>,
    ) -> Self {
        if values.is_empty() {
            return self;
        }
        let instance = instance(values);
        Self {
            id: (self.id.0, instance.number),
            instance: Some(instance),
            ..self
        }
    }

    /// What is known about it from its source. Kernels with `#[comptime]` parameters have one source for all values;
    /// [`KernelEntry::name`] has the values.
    #[must_use]
    pub fn meta(&self) -> KernelMeta {
        (self.meta)()
    }

    /// The same by the name that it is known by, as files have it.
    pub(crate) fn info(&self) -> KernelInfo {
        KernelInfo {
            name: self.name().to_owned(),
            ..KernelInfo::from(&self.meta())
        }
    }

    /// Its name, without modules: `saxpy`, or `scale<f32, 4>` for an instance of a generic kernel or of one with
    /// `#[comptime]` parameters.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.instance {
            Some(instance) => &instance.name,
            None => self.meta().name,
        }
    }

    /// The same, to keep.
    pub(crate) fn shared_name(&self) -> Name {
        match &self.instance {
            Some(instance) => Name::from(Arc::clone(&instance.name)),
            None => Name::from(self.meta().name),
        }
    }

    /// Its name with the modules it is in: `my_crate::filters::saxpy`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}::{}", self.meta().module, self.name())
    }

    /// Where it is declared.
    #[must_use]
    pub fn location(&self) -> SourceLoc {
        let meta = self.meta();
        SourceLoc {
            file: meta.file.into(),
            line: meta.line,
            column: meta.column,
        }
    }

    /// Compiles it for usual launches on a device, unless that has been done. For others, whose sizes and arguments do
    /// not resolve its checks before it runs, or whose rows have too few items for a lane to do several at once, it is
    /// compiled at the first of them.
    ///
    /// # Errors
    /// If it cannot be compiled.
    pub fn compile(&self, device: &Device) -> Result<()> {
        let options = device.options(&self.meta().attributes);
        registry().image(self, device.target(), options)?;
        Ok(())
    }

    /// How often it has been compiled and launched, on all devices.
    #[must_use]
    pub fn cache(&self) -> CacheStats {
        REGISTRY.cache.stats_of(self.id)
    }

    pub(crate) const fn id(&self) -> EntryId {
        self.id
    }

    /// Records its body.
    pub(crate) fn stage(&self) -> Result<Function, StageError> {
        (self.stage)(self.instance.as_deref())
    }

    /// By which kernels are sorted.
    fn place(&self) -> (&str, &str, u32, u32, EntryId) {
        let meta = self.meta();
        (meta.module, self.name(), meta.line, meta.column, self.id)
    }

    /// Whether a name, with or without modules in front, is this kernel's.
    fn is_called(&self, name: &str) -> bool {
        let path = self.path();
        path.strip_suffix(name)
            .is_some_and(|before| before.is_empty() || before.ends_with("::"))
    }
}

impl fmt::Debug for KernelEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.path(), self.location())
    }
}

/// Every kernel of the program: [`registry`] returns it.
#[derive(Debug)]
pub struct Registry {
    /// Kernels that were added while the program ran.
    instances: Mutex<Vec<KernelEntry>>,
    cache: Cache,
    /// The variables that kernels use, for kernels where this was needed before there was an image.
    accessed: Mutex<Option<HashMap<EntryId, Vec<AccessRange>>>>,
    /// Kernels that have been read, while anything refers to them.
    loaded: Mutex<Vec<Weak<dyn KernelList>>>,
}

static REGISTRY: Registry = Registry {
    instances: Mutex::new(Vec::new()),
    cache: Cache::new(),
    accessed: Mutex::new(None),
    loaded: Mutex::new(Vec::new()),
};

/// Every kernel of the program.
#[must_use]
pub fn registry() -> &'static Registry {
    &REGISTRY
}

impl Registry {
    fn instances(&self) -> MutexGuard<'_, Vec<KernelEntry>> {
        self.instances
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The kernels, sorted by path and location. Instances of generic kernels are among them once they have been
    /// registered or compiled.
    #[must_use]
    pub fn kernels(&self) -> Vec<KernelEntry> {
        let mut all: Vec<KernelEntry> = inventory::iter::<KernelEntry>().cloned().collect();
        all.extend(self.instances().iter().cloned());
        // Those with a place of their own in the program may have been registered by hand as well.
        all.sort_by(|a, b| a.place().cmp(&b.place()));
        all.dedup_by_key(|kernel| kernel.id);
        all
    }

    /// Adds a kernel, unless it is there already: for example an instance of a generic kernel, to find it by its name
    /// before it has been launched.
    pub fn register<K: Kernel>(&self) -> KernelEntry {
        let kernel = const { KernelEntry::of::<K>() };
        self.add(&kernel);
        kernel
    }

    /// Forgets an instance for values of `#[comptime]` parameters. Others are part of the program.
    fn drop_instance(&self, kernel: EntryId) {
        if kernel.1 != 0 {
            self.instances().retain(|known| known.id != kernel);
            let mut accessed = self.accessed.lock().unwrap_or_else(PoisonError::into_inner);
            accessed.get_or_insert_default().remove(&kernel);
        }
    }

    fn add(&self, kernel: &KernelEntry) {
        let mut instances = self.instances();
        if !instances.iter().any(|known| known.id == kernel.id) {
            instances.push(kernel.clone());
        }
    }

    /// The kernel of this name, preceded by as much of its path as is needed: `saxpy`, `filters::saxpy`,
    /// `my_crate::filters::saxpy`.
    ///
    /// # Errors
    /// If there is none, or more than one.
    pub fn find(&self, name: &str) -> Result<KernelEntry> {
        let all = self.kernels();
        let mut found = all.iter().filter(|kernel| kernel.is_called(name));
        match (found.next(), found.next()) {
            (Some(kernel), None) => Ok(kernel.clone()),
            (Some(first), Some(second)) => Err(Error::Lookup(LookupError::AmbiguousKernel {
                kernel: name.to_owned(),
                first: format!("{first:?}"),
                second: format!("{second:?}"),
            })),
            (None, _) => Err(Error::Lookup(LookupError::UnknownKernel {
                kernel: name.to_owned(),
                kernels: names(&all),
            })),
        }
    }

    /// Compiles every kernel for usual launches on a device, and returns how many there are.
    ///
    /// # Errors
    /// Of the first kernel that cannot be compiled.
    pub fn compile_all(&self, device: &Device) -> Result<usize> {
        let all = self.kernels();
        for kernel in &all {
            kernel.compile(device)?;
        }
        Ok(all.len())
    }

    /// How many images have been made and used, of all kernels and on all devices.
    #[must_use]
    pub fn cache(&self) -> CacheStats {
        self.cache.stats()
    }

    /// The program's variables and those of images that have been read, sorted by path.
    #[must_use]
    pub fn globals(&self) -> Vec<GlobalVariable> {
        globals::all()
    }

    /// What a kernel accesses of the program's variables. One that cannot be recorded accesses nothing: its launch
    /// fails.
    pub(crate) fn accessed(&self, kernel: &KernelEntry) -> Vec<AccessRange> {
        if !globals::are_any() {
            return Vec::new();
        }
        let known = || self.accessed.lock().unwrap_or_else(PoisonError::into_inner);
        let found = |map: &HashMap<EntryId, Vec<AccessRange>>| map.get(&kernel.id).cloned();
        if let Some(accesses) = known().as_ref().and_then(found) {
            return accesses;
        }
        let Ok(function) = kernel.stage() else {
            return Vec::new();
        };
        // Pointers in arguments are known without this; those in variables are not.
        let anything = opt::loads_pointers(&function).then_some(AccessRange::ANYTHING);
        let variables = function.globals.iter().map(globals::access);
        let accesses: Vec<AccessRange> = variables.chain(anything).collect();
        let mut known = known();
        let known = known.get_or_insert_default();
        // Instances that cannot be compiled are never forgotten one by one.
        if known.len() >= 2 * most_images() {
            known.clear();
        }
        known.insert(kernel.id, accesses.clone());
        accesses
    }

    /// Whether a kernel uses groups, as far as one of its images says so.
    pub(crate) fn uses_groups(&self, kernel: &KernelEntry) -> Option<bool> {
        self.cache.uses_groups(kernel.id())
    }

    /// The image of a kernel, made by the first who asks for it, and its place in the cache.
    pub(crate) fn image(
        &self,
        kernel: &KernelEntry,
        target: Target,
        options: Options,
    ) -> Result<(Arc<Image>, Arc<Cached>)> {
        self.image_of_staged(kernel, target, options, None)
    }

    /// As [`Registry::image`], of a kernel that has been staged already if there is something.
    pub(crate) fn image_of_staged(
        &self,
        kernel: &KernelEntry,
        target: Target,
        options: Options,
        staged: Option<Function>,
    ) -> Result<(Arc<Image>, Arc<Cached>)> {
        let image = self.cache.image(kernel, target, options, staged)?;
        if image.is_new {
            self.add(kernel);
        }
        if let Some(gone) = image.gone {
            self.drop_instance(gone);
        }
        Ok((image.image, image.cached))
    }
}

/// "`a`, `b`", shortened if there are many.
fn names(kernels: &[KernelEntry]) -> String {
    const MOST: usize = 12;
    let paths = kernels.iter().take(MOST);
    let mut text: Vec<String> = paths.map(|kernel| format!("`{}`", kernel.path())).collect();
    if let Some(more @ 1..) = kernels.len().checked_sub(MOST) {
        text.push(format!("and {more} more"));
    }
    text.join(", ")
}
