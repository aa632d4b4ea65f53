//! Linking modules: merging several, and filtering one.

use std::collections::HashSet;

use vortex_kernel::meta::{GlobalInfo, KernelInfo, ModuleInfo, Statistics};

use super::{Module, Variant};
use crate::error::ModuleError;
use crate::name::Name;

impl Module {
    /// One module of several. Kernels keep their names; one that is the same in several modules is taken once.
    ///
    /// # Errors
    /// If two different kernels have the same name, or if the modules are made for different targets.
    pub fn merge<'a>(
        name: impl Into<String>,
        modules: impl IntoIterator<Item = &'a Module>,
    ) -> Result<Module, ModuleError> {
        let mut info = ModuleInfo::named(name);
        let mut images: Vec<Vec<Variant>> = Vec::new();
        let mut sources: Vec<&Module> = Vec::new();
        let mut kernels = Vec::new();
        let mut first_module: Option<&Module> = None;
        for module in modules {
            match first_module {
                None => info.values = module.info.values.clone(),
                Some(first) if first.info.values.isa_flags != module.info.values.isa_flags => {
                    return Err(ModuleError::Targets {
                        first: Name::from(&first.info.name),
                        second: Name::from(&module.info.name),
                    });
                }
                Some(_) => {}
            }
            first_module.get_or_insert(module);
            let all = module.kernels().iter().zip(&*module.images);
            for (number, (kernel, variants)) in all.enumerate() {
                match info
                    .kernels
                    .iter()
                    .position(|other| other.name == kernel.name)
                {
                    None => {
                        info.kernels.push(kernel.clone());
                        images.push(variants.clone());
                        sources.push(module);
                        kernels.push(module.owner.kernel(number).again());
                    }
                    Some(index) if same(&info.kernels[index], &images[index], kernel, variants) => {
                    }
                    Some(index) => {
                        return Err(ModuleError::Collision {
                            kernel: Name::from(&kernel.name),
                            first: Name::from(&sources[index].info.name),
                            first_at: info.kernels[index].location.to_string(),
                            second: Name::from(&module.info.name),
                            second_at: kernel.location.to_string(),
                        });
                    }
                }
            }
            merge_rest(&mut info, &module.info);
        }
        Ok(Module::of_checked(info, images, kernels))
    }

    /// The same without the kernels that `keep` refuses, and without what only they need.
    #[must_use]
    pub fn filter(&self, keep: impl Fn(&KernelInfo) -> bool) -> Module {
        let mut info = ModuleInfo::clone(&self.info);
        let mut images = Vec::new();
        let mut kernels = Vec::new();
        info.kernels.clear();
        for (number, (kernel, variants)) in self.kernels().iter().zip(&*self.images).enumerate() {
            if keep(kernel) {
                info.kernels.push(kernel.clone());
                images.push(variants.clone());
                kernels.push(self.owner.kernel(number).again());
            }
        }
        let facts = || info.kernels.iter().map(|kernel| &kernel.facts);
        let calls = facts().flat_map(|facts| facts.function_calls.iter().flatten());
        let called: HashSet<String> = calls.cloned().collect();
        let globals = facts().flat_map(|facts| facts.globals.iter().flatten());
        let used: HashSet<String> = globals.cloned().collect();
        info.functions
            .retain(|function| called.contains(&function.name));
        let kept: HashSet<String> = (info.kernels.iter())
            .map(|kernel| kernel.name.clone())
            .collect();
        let mut globals = std::mem::take(&mut info.globals);
        globals.retain(|global| match global.is_global {
            true => used.contains(&global.name),
            false => owner(self.kernels(), &global.name).is_some_and(|owner| kept.contains(owner)),
        });
        info.globals = globals;
        info.values.globals_size = Some(size_of_globals(&info.globals));
        if let Some(statistics) = &mut info.statistics {
            let kept = |name: &String| kept.contains(name);
            statistics
                .records
                .retain(|record| record.function.as_ref().is_none_or(kept));
        }
        Module::of_checked(info, images, kernels)
    }
}

/// Bytes of all of them, as far as a word says that: files can say anything of them.
fn size_of_globals(globals: &[GlobalInfo]) -> u32 {
    let sizes = globals.iter().map(|global| global.size);
    sizes.fold(0, u32::saturating_add)
}

/// The kernel that a table belongs to, `a.b` for `a.b.TABLE` even if there is also a kernel `a`.
fn owner<'a>(kernels: &'a [KernelInfo], table: &str) -> Option<&'a str> {
    let names = kernels.iter().map(|kernel| kernel.name.as_str());
    let owners = names.filter(|name| {
        let rest = table.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('.'))
    });
    owners.max_by_key(|name| name.len())
}

/// Whether two kernels are the same kernel.
fn same(kernel: &KernelInfo, images: &[Variant], other: &KernelInfo, variants: &[Variant]) -> bool {
    let bytes = |variants: &[Variant]| -> Vec<_> {
        let each = variants
            .iter()
            .map(|variant| (variant.block, variant.image.bytes.clone()));
        each.collect()
    };
    kernel == other && bytes(images) == bytes(variants)
}

/// Adds functions, globals, features and statistics.
fn merge_rest(info: &mut ModuleInfo, other: &ModuleInfo) {
    for function in &other.functions {
        let same = info
            .functions
            .iter_mut()
            .find(|known| known.name == function.name && known.module == function.module);
        match same {
            None => info.functions.push(function.clone()),
            Some(known) => {
                for caller in &function.callers {
                    if !known.callers.contains(caller) {
                        known.callers.push(caller.clone());
                    }
                }
            }
        }
    }
    for global in &other.globals {
        // Those of a kernel that is in both.
        if !info.globals.contains(global) {
            info.globals.push(global.clone());
        }
    }
    info.values.globals_size = Some(size_of_globals(&info.globals));
    if let Some(features) = &other.values.features {
        let all = info.values.features.get_or_insert_default();
        for feature in features {
            if !all.contains(feature) {
                all.push(feature.clone());
            }
        }
    }
    if let Some(statistics) = &other.statistics {
        let all = info.statistics.get_or_insert_with(Statistics::default);
        all.merge(statistics);
    }
}
