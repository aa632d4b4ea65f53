//! Files of a package import each other in no circle, but for a file and what lies in the folder of its name. A name
//! counts as from the file that defines it, whichever file hands it on: `use crate::ir::Op` is about `ir/op.rs`.

#![allow(clippy::unwrap_used)]

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

mod sources;
use sources::sources;

/// Names from a crate's root, or from wherever they stand.
type Names = Vec<String>;

/// Of each file, those that it names something of, each with a path that does.
type Edges<'f> = BTreeMap<&'f Path, BTreeMap<&'f Path, Names>>;

/// What stands in a module.
#[derive(Default)]
struct Module {
    /// One file may have several: one within the other.
    file: PathBuf,
    defined: BTreeSet<String>,
    /// What names stand for that are defined elsewhere.
    imported: BTreeMap<String, Names>,
    globs: Vec<Names>,
    tokens: Vec<TokenTree>,
}

#[derive(Default)]
struct Package {
    modules: BTreeMap<Names, Module>,
}

fn ident(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(name)) => Some(name.to_string()),
        _ => None,
    }
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

fn group(token: Option<&TokenTree>, wanted: Delimiter) -> Option<Vec<TokenTree>> {
    match token {
        Some(TokenTree::Group(group)) if group.delimiter() == wanted => {
            Some(group.stream().into_iter().collect())
        }
        _ => None,
    }
}

/// The tokens without items and statements for tests.
fn without_tests(tokens: TokenStream) -> Vec<TokenTree> {
    let tokens = tokens.into_iter().collect::<Vec<_>>();
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let attribute =
            group(tokens.get(at + 1), Delimiter::Bracket).filter(|_| is_punct(tokens.get(at), '#'));
        let is_test = attribute.is_some_and(|inside| {
            let condition = group(inside.get(1), Delimiter::Parenthesis);
            ident(inside.first()).as_deref() == Some("cfg")
                && condition
                    .is_some_and(|condition| ident(condition.first()).as_deref() == Some("test"))
        });
        if is_test {
            let end = (at..tokens.len()).find(|&end| {
                is_punct(tokens.get(end), ';') || group(tokens.get(end), Delimiter::Brace).is_some()
            });
            at = end.unwrap_or(tokens.len()) + 1;
            continue;
        }
        kept.push(match &tokens[at] {
            TokenTree::Group(group) => {
                let inside = without_tests(group.stream()).into_iter().collect();
                TokenTree::Group(proc_macro2::Group::new(group.delimiter(), inside))
            }
            other => other.clone(),
        });
        at += 1;
    }
    kept
}

/// That of a file.
fn code(file: &Path) -> Vec<TokenTree> {
    let text = fs::read_to_string(file).unwrap();
    without_tests(text.parse().unwrap())
}

/// The paths that begin at a token, each with the name that an import gives it; and where they end.
fn paths(
    tokens: &[TokenTree],
    mut at: usize,
    before: &Names,
    found: &mut Vec<(Names, String)>,
) -> usize {
    let mut path = before.clone();
    loop {
        if let Some(name) = ident(tokens.get(at)) {
            at += 1;
            if name != "self" || path.is_empty() {
                path.push(name);
            }
        } else if let Some(inside) =
            group(tokens.get(at), Delimiter::Brace).filter(|_| path.len() > before.len())
        {
            let mut each = 0;
            while each < inside.len() {
                each = paths(&inside, each, &path, found) + 1;
            }
            return at + 1;
        } else if is_punct(tokens.get(at), '*') && path.len() > before.len() {
            found.push((path, "*".to_owned()));
            return at + 1;
        } else {
            // Something else, such as the `<` of `Vec::<T>`.
            break;
        }
        if !(is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')) {
            break;
        }
        at += 2;
    }
    let mut name = path.last().cloned().unwrap_or_default();
    if ident(tokens.get(at)).as_deref() == Some("as") {
        name = ident(tokens.get(at + 1)).unwrap_or(name);
        at += 2;
    }
    if !path.is_empty() {
        found.push((path, name));
    }
    at
}

impl Package {
    fn read(&mut self, name: &Names, file: &Path, folder: &Path, tokens: Vec<TokenTree>) {
        let mut module = Module {
            file: file.to_owned(),
            ..Module::default()
        };
        self.items(name, &mut module, folder, &tokens);
        module.tokens = tokens;
        self.modules.insert(name.clone(), module);
    }

    /// Notes what a module defines and imports, also in arguments of macros, and reads the modules within.
    fn items(&mut self, name: &Names, module: &mut Module, folder: &Path, tokens: &[TokenTree]) {
        for at in 0..tokens.len() {
            let Some(word) = ident(tokens.get(at)) else {
                continue;
            };
            let next = ident(tokens.get(at + 1));
            match (&*word, next) {
                ("mod", Some(child)) => {
                    let child_name = [&name[..], std::slice::from_ref(&child)].concat();
                    let child_folder = folder.join(&child);
                    if let Some(inside) = group(tokens.get(at + 2), Delimiter::Brace) {
                        self.read(&child_name, &module.file, &child_folder, inside);
                    } else {
                        let files = [
                            child_folder.with_extension("rs"),
                            child_folder.join("mod.rs"),
                        ];
                        // What `#[path]` names is another package's.
                        if let Some(file) = files.iter().find(|file| file.is_file()) {
                            self.read(&child_name, file, &child_folder, code(file));
                        }
                    }
                    module.defined.remove(&child);
                }
                ("use", _) => {
                    let mut found = Vec::new();
                    let start = at + 1 + 2 * usize::from(is_punct(tokens.get(at + 1), ':'));
                    paths(tokens, start, &Names::new(), &mut found);
                    for (path, name) in found {
                        match &*name {
                            "*" => module.globs.push(path),
                            _ => drop(module.imported.insert(name, path)),
                        }
                    }
                }
                (
                    "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static",
                    Some(next),
                ) => {
                    module.defined.insert(next);
                }
                ("macro_rules", _) => module.defined.extend(ident(tokens.get(at + 2))),
                _ if is_punct(tokens.get(at + 1), '!') => {
                    let inside = group(tokens.get(at + 2), Delimiter::Brace);
                    self.items(name, module, folder, &inside.unwrap_or_default());
                }
                _ => {}
            }
        }
    }

    /// The file that defines what a path names in a module, if this package does.
    fn file_of(&self, module: &Names, path: &[String], depth: usize) -> Option<&Path> {
        let (first, rest) = path.split_first()?;
        match &**first {
            "crate" => self.below(&Names::new(), rest, depth),
            "self" => self.below(module, rest, depth),
            "super" => self.below(
                &module[..module.len().checked_sub(1)?].to_vec(),
                rest,
                depth,
            ),
            _ => self.named(module, path, depth),
        }
    }

    /// The same for what follows the name of a module.
    fn below(&self, module: &Names, path: &[String], depth: usize) -> Option<&Path> {
        match path.first().map(|first| &**first) {
            Some("super" | "self") => self.file_of(module, path, depth),
            // What no item defines is what a macro makes there.
            _ => {
                (self.named(module, path, depth)).or_else(|| Some(&*self.modules.get(module)?.file))
            }
        }
    }

    fn named(&self, module: &Names, path: &[String], depth: usize) -> Option<&Path> {
        // Names that two modules import from each other.
        let depth = depth.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        let within = self.modules.get(module)?;
        let child = [&module[..], std::slice::from_ref(first)].concat();
        if within.defined.contains(first) {
            return Some(&within.file);
        }
        if self.modules.contains_key(&child) {
            return self.below(&child, rest, depth);
        }
        if let Some(imported) = within
            .imported
            .get(first)
            .filter(|imported| *imported != path)
        {
            return self.file_of(module, &[&imported[..], rest].concat(), depth);
        }
        let mut through = within.globs.iter();
        through.find_map(|glob| {
            let glob = self.module_of(module, glob, depth)?;
            self.named(&glob, path, depth)
        })
    }

    /// The module that a path names.
    fn module_of(&self, module: &Names, path: &[String], depth: usize) -> Option<Names> {
        let depth = depth.checked_sub(1)?;
        let mut at = module.clone();
        for (index, name) in path.iter().enumerate() {
            match &**name {
                "crate" => at = Names::new(),
                "self" => {}
                "super" => drop(at.pop()?),
                _ => {
                    let child = [&at[..], std::slice::from_ref(name)].concat();
                    if self.modules.contains_key(&child) {
                        at = child;
                        continue;
                    }
                    let imported = self.modules.get(&at)?.imported.get(name)?;
                    let path = [&imported[..], &path[index + 1..]].concat();
                    return self.module_of(&at, &path, depth);
                }
            }
        }
        Some(at)
    }

    /// What each file names of others.
    fn edges(&self) -> Edges<'_> {
        let mut edges = Edges::new();
        for (name, module) in &self.modules {
            let mut found = Vec::new();
            all_paths(&module.tokens, &mut found);
            for path in found {
                if let Some(file) = self
                    .file_of(name, &path, 32)
                    .filter(|file| *file != module.file)
                {
                    edges
                        .entry(&*module.file)
                        .or_default()
                        .entry(file)
                        .or_insert(path);
                }
            }
        }
        edges
    }
}

/// All paths in code, but those in modules within, which are read for themselves.
fn all_paths(tokens: &[TokenTree], found: &mut Vec<Names>) {
    let mut at = 0;
    while at < tokens.len() {
        if ident(tokens.get(at)).as_deref() == Some("mod") {
            at += 3;
        } else if ident(tokens.get(at)).is_some()
            && !at
                .checked_sub(1)
                .is_some_and(|b| is_punct(tokens.get(b), '.'))
        {
            let mut some = Vec::new();
            at = paths(tokens, at, &Names::new(), &mut some);
            found.extend(some.into_iter().map(|(path, _)| path));
        } else {
            if let TokenTree::Group(group) = &tokens[at] {
                let inside = group.stream().into_iter().collect::<Vec<_>>();
                all_paths(&inside, found);
            }
            at += 1;
        }
    }
}

/// What lies in the folder of a file's name, or of a `mod.rs`.
fn folder(file: &Path) -> PathBuf {
    match file.file_name().and_then(|name| name.to_str()) {
        Some("lib.rs" | "main.rs" | "mod.rs") => file.with_file_name(""),
        _ => file.with_extension(""),
    }
}

fn are_kin(one: &Path, other: &Path) -> bool {
    let (one, other) = (folder(one), folder(other));
    one.starts_with(&other) || other.starts_with(&one)
}

/// The files on the way from one to another and no further, so that a circle is shown without what leads to it.
fn circle<'f>(edges: &Edges<'f>, start: &'f Path) -> Option<Vec<&'f Path>> {
    let mut from = BTreeMap::new();
    let mut next = VecDeque::from([start]);
    while let Some(file) = next.pop_front() {
        for &other in edges.get(file).into_iter().flat_map(BTreeMap::keys) {
            if are_kin(file, other) {
                continue;
            }
            if other == start {
                let back = std::iter::successors(Some(file), |file| from.get(file).copied());
                return Some(back.collect());
            }
            if let Entry::Vacant(place) = from.entry(other) {
                place.insert(file);
                next.push_back(other);
            }
        }
    }
    None
}

#[test]
fn files_import_each_other_in_no_circle() {
    let (mut found, mut circles, mut seen) = (Vec::new(), BTreeSet::new(), 0);
    sources(Path::new(env!("CARGO_MANIFEST_DIR")), &mut found);
    let roots = found
        .iter()
        .flat_map(|src| ["lib.rs", "main.rs"].map(|root| (src, src.join(root))));
    for (src, root) in roots.filter(|(_, root)| root.is_file()) {
        let mut package = Package::default();
        package.read(&Names::new(), &root, src, code(&root));
        let edges = package.edges();
        seen += edges.values().map(BTreeMap::len).sum::<usize>();
        if let Some(of_ops) = edges.get(&*src.join("ir/print.rs")) {
            let handed_on = &of_ops[&*src.join("ir/op.rs")];
            assert_eq!(handed_on, &["super", "Op"], "what `ir/mod.rs` hands on");
        }
        for &start in edges.keys() {
            let Some(circle) = circle(&edges, start) else {
                continue;
            };
            let mut lines = Vec::new();
            for (&to, &from) in circle.iter().zip(circle.iter().cycle().skip(1)) {
                let named = edges[from][to].join("::");
                lines.push(format!(
                    "{} names {} as `{named}`",
                    from.display(),
                    to.display()
                ));
            }
            lines.sort();
            circles.insert(lines.join("\n"));
        }
    }
    let circles = circles.into_iter().collect::<Vec<_>>();
    assert!(circles.is_empty(), "{}", circles.join("\n\n"));
    assert!(seen > 4000, "only {seen} imports were found");
}
