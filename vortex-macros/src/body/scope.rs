//! Which names of a body are locals, and of what kind.

use proc_macro2::{Ident, Span};

/// A name that the kernel declares.
#[derive(Clone)]
pub(crate) struct Binding {
    pub(crate) name: Ident,
    pub(crate) declared: Declared,
    /// Declared with `mut`, and hence a handle to read and write through.
    pub(crate) mutable: bool,
    /// Declared with `mut`, whether anything is made of that or not.
    pub(crate) may_change: bool,
    /// A `&mut [T]` by its declaration, so that a `for` over it can assign to the elements.
    pub(crate) elements_mut: bool,
    /// Of a type that does not depend on what becomes of it.
    pub(crate) has_a_type: bool,
    /// Surely of a device type, which need not be inferred from what becomes of it.
    pub(crate) is_value: bool,
    /// Perhaps a reference for the user, who writes `*name`.
    pub(crate) refers: bool,
    /// Counts declarations, in the order of the source.
    pub(crate) id: usize,
}

/// Where a name is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declared {
    /// In the signature, as this parameter.
    Param(usize),
    /// With `#[comptime]`, or for what a `comptime!` gives: a value of the host, while the kernel is recorded.
    Comptime,
    /// By `let`.
    Local,
    /// By `let`, for memory of the work group.
    Memory,
    /// By `for`.
    Loop,
    /// As a parameter of a device function, by value.
    Argument,
    /// As a parameter of a device function: `&mut A`.
    Exclusive,
    /// As a parameter of a device function: `&A`.
    Shared,
}

/// The names visible at a point of the body, innermost last.
#[derive(Default)]
pub(crate) struct Scope {
    visible: Vec<Binding>,
    declarations: usize,
    /// How many of these somebody has asked for.
    asked: usize,
}

impl Scope {
    /// To hand to [`Self::leave`].
    pub(crate) fn enter(&self) -> usize {
        self.visible.len()
    }

    /// Forgets what was declared since.
    pub(crate) fn leave(&mut self, mark: usize) {
        self.visible.truncate(mark);
    }

    /// The number the next declaration will have.
    pub(crate) fn next_id(&self) -> usize {
        self.declarations
    }

    pub(crate) fn declare(&mut self, name: &Ident, declared: Declared, mutable: bool) {
        let id = self.declarations;
        self.declarations += 1;
        self.visible.push(Binding {
            name: name.clone(),
            declared,
            mutable,
            may_change: mutable,
            elements_mut: false,
            has_a_type: matches!(
                declared,
                Declared::Param(_) | Declared::Argument | Declared::Loop
            ),
            is_value: false,
            refers: false,
            id,
        });
    }

    /// The visible names that were declared since this was asked last.
    pub(crate) fn fresh(&mut self) -> Vec<Binding> {
        let asked = std::mem::replace(&mut self.asked, self.declarations);
        let fresh = self.visible.iter().filter(|binding| binding.id >= asked);
        fresh.cloned().collect()
    }

    /// Says that the latest declaration has a `mut`.
    pub(crate) fn may_change(&mut self) {
        if let Some(last) = self.visible.last_mut() {
            last.may_change = true;
        }
    }

    /// The visible locals that may change and are as asked for.
    pub(crate) fn changing(&self, is_wanted: impl Fn(&Binding) -> bool) -> Vec<Binding> {
        let is_innermost = |local: &Binding| {
            self.find(&local.name)
                .is_some_and(|found| found.id == local.id)
        };
        let found = self
            .visible
            .iter()
            .filter(|local| local.may_change && is_wanted(local) && is_innermost(local));
        found.cloned().collect()
    }

    /// Says that the latest declaration is of a `&mut [T]`.
    pub(crate) fn is_slice_mut(&mut self) {
        if let Some(last) = self.visible.last_mut() {
            last.elements_mut = true;
        }
    }

    /// Says that the type of the latest declaration does not depend on what becomes of it.
    pub(crate) fn has_a_type(&mut self) {
        if let Some(last) = self.visible.last_mut() {
            last.has_a_type = true;
        }
    }

    /// Says that the latest declarations are of values of device types.
    pub(crate) fn are_values(&mut self, count: usize) {
        for last in self.visible.iter_mut().rev().take(count) {
            last.has_a_type = true;
            last.is_value = true;
        }
    }

    /// Says that the latest declaration of a name surely is a value.
    pub(crate) fn is_a_value(&mut self, name: &Ident) -> Option<usize> {
        let mut latest = self.visible.iter_mut().rev();
        let binding = latest.find(|binding| binding.name == *name)?;
        binding.has_a_type = true;
        binding.is_value = true;
        Some(binding.id)
    }

    /// Says that the declarations from this one on may be of references.
    pub(crate) fn refer(&mut self, from: usize) {
        let latest = self.visible.iter_mut().rev();
        for binding in latest.take_while(|binding| binding.id >= from) {
            binding.refers = true;
        }
    }

    /// Says that the latest declaration is of memory of the work group.
    pub(crate) fn is_memory(&mut self) {
        if let Some(last) = self.visible.last_mut() {
            last.declared = Declared::Memory;
        }
    }

    /// Whether some name is visible, wherever it comes from.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.visible.iter().any(|binding| binding.name == name)
    }

    /// What a name stands for, if it is a local.
    ///
    /// Names written by different macros are different even if they read the same, and the one with
    /// the same hygiene is meant. If there is none, the hygiene may still be transparent (tokens of
    /// another procedural macro), so the name decides.
    pub(crate) fn find(&self, name: &Ident) -> Option<&Binding> {
        let same_name = || {
            self.visible
                .iter()
                .rev()
                .filter(|binding| binding.name == *name)
        };
        let hygiene = hygiene(name.span());
        same_name()
            .find(|binding| self::hygiene(binding.name.span()) == hygiene)
            .or_else(|| same_name().next())
    }
}

/// The syntax context of a span. Stable Rust has no other way to tell two of them apart; where the
/// text has another form than expected, all compare equal.
fn hygiene(span: Span) -> Option<String> {
    let text = format!("{span:?}");
    let (context, _) = text.strip_prefix('#')?.split_once(' ')?;
    Some(context.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ident(name: &str) -> Ident {
        Ident::new(name, Span::call_site())
    }

    #[test]
    fn the_innermost_declaration_is_found() {
        let mut scope = Scope::default();
        scope.declare(&ident("x"), Declared::Param(0), false);
        let outer = scope.enter();
        scope.declare(&ident("x"), Declared::Local, true);
        assert!(
            scope
                .find(&ident("x"))
                .is_some_and(|binding| binding.mutable)
        );
        scope.leave(outer);
        assert!(
            scope
                .find(&ident("x"))
                .is_some_and(|binding| binding.declared == Declared::Param(0))
        );
        assert!(scope.find(&ident("y")).is_none());
    }
}
