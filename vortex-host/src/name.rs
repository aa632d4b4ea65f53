//! Names of kernels, of their parameters and of types.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use vortex_kernel::escape::Escaped;

/// The name of a kernel, of one of its parameters, or of a type: a string that is cheap to clone.
///
/// It may come from a file, and then it can be any text. So what a terminal would obey is escaped when it is printed;
/// what it is compared with is the text itself.
///
/// ```
/// use vortex_host::Name;
///
/// let name = Name::from("saxpy");
/// assert_eq!(name, "saxpy");
/// assert_eq!(name.len(), 5);
/// assert_eq!(Name::from("\u{1b}c".to_owned()).to_string(), r"\u{1b}c");
/// ```
#[derive(Clone)]
pub struct Name(Text);

/// Names of this program cost nothing to hand on, as a launch does with each; those from files are freed with the
/// last who has them.
#[derive(Clone)]
enum Text {
    Program(&'static str),
    /// By one word, so that a name takes no more than a `&str` does: errors have many.
    Shared(Arc<String>),
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Text::Program(name) => name,
            Text::Shared(name) => name,
        }
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self
    }
}

impl From<&'static str> for Name {
    fn from(name: &'static str) -> Self {
        Self(Text::Program(name))
    }
}

impl From<Arc<str>> for Name {
    fn from(name: Arc<str>) -> Self {
        Self::from(String::from(&*name))
    }
}

impl From<String> for Name {
    fn from(name: String) -> Self {
        Self(Text::Shared(Arc::new(name)))
    }
}

impl From<&String> for Name {
    fn from(name: &String) -> Self {
        Self(Text::Shared(Arc::new(name.clone())))
    }
}

impl From<&Name> for Name {
    fn from(name: &Name) -> Self {
        name.clone()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Escaped(self), f)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Name {}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl PartialEq<Name> for &str {
    fn eq(&self, other: &Name) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_as_they_are_and_printed_safely() {
        let name = Name::from("evil\u{1b}[2J\n".to_owned());
        assert_eq!(name, "evil\u{1b}[2J\n");
        assert_eq!(name, name.clone());
        assert_ne!(name, Name::from("evil"));
        assert_eq!(format!("`{name:<18}`"), r"`evil\u{1b}[2J\n   `");
        assert!(!format!("{name:?}").contains('\u{1b}'));
        assert_eq!(size_of::<Name>(), size_of::<&str>());
    }
}
