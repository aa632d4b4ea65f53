//! Builds the book of `docs/` with mdBook, and looks at every link in it.
//!
//! ```sh
//! cargo run --manifest-path docs/book/Cargo.toml      # writes target/book/index.html
//! ```
//!
//! A page that the contents (`SUMMARY.md`) leave out, and a link that leads nowhere, are errors.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use mdbook_driver::MDBook;
use mdbook_driver::book::{Book, BookItem};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

/// Pages beside `docs/`, and the chapters that include them.
const OUTSIDE: [(&str, &str); 7] = [
    ("README.md", "introduction.md"),
    ("ARCHITECTURE.md", "architecture.md"),
    ("CONTRIBUTING.md", "contributing.md"),
    ("CHANGELOG.md", "changelog.md"),
    ("SECURITY.md", "security.md"),
    ("examples/README.md", "gallery.md"),
    ("fuzz/README.md", "fuzzing.md"),
];

fn main() -> ExitCode {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    match build(&docs) {
        Ok(told) => {
            println!("{told}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn build(docs: &Path) -> Result<String> {
    let mut book = MDBook::load(docs)?;
    nothing_left_out(docs, &book)?;
    book.with_preprocessor(Outside {
        examples: file_names(&examples(), "rs")?,
    });
    book.build()?;
    let target = book.build_dir_for("html");
    for (folder, kind) in [("", "rs"), ("pictures", "png")] {
        let (from, to) = (
            examples().join(folder),
            target.join("examples").join(folder),
        );
        fs::create_dir_all(&to)?;
        for name in file_names(&from, kind)? {
            fs::copy(from.join(&name), to.join(&name))?;
        }
    }
    let (pages, links) = check_links(&target)?;
    let index = target.join("index.html").canonicalize()?;
    Ok(format!("{pages} pages, {links} links: {}", index.display()))
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The files of a folder with this extension.
fn file_names(folder: &Path, extension: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if Path::new(&name)
            .extension()
            .is_some_and(|its| its == extension)
        {
            names.push(name);
        }
    }
    Ok(names)
}

/// Every page in `docs/` is a chapter, and its examples are tests.
fn nothing_left_out(docs: &Path, book: &MDBook) -> Result<()> {
    let chapters: BTreeSet<PathBuf> = book
        .iter()
        .filter_map(|item| match item {
            BookItem::Chapter(chapter) => chapter.source_path.clone(),
            _ => None,
        })
        .collect();
    // The second has those of the page on MPI, without which the first is built.
    let tests = fs::read_to_string(docs.join("../src/lib.rs"))?
        + &fs::read_to_string(docs.join("../vortex-host/mpi/src/lib.rs"))?;
    for folder in ["", "inside"] {
        for entry in fs::read_dir(docs.join(folder))? {
            let page = Path::new(folder).join(entry?.file_name());
            let is_page = page.extension().is_some_and(|extension| extension == "md");
            if !is_page || page == Path::new("SUMMARY.md") {
                continue;
            }
            if !chapters.contains(&page) {
                bail!("docs/SUMMARY.md does not name {}", page.display());
            }
            let is_outside = OUTSIDE.iter().any(|(_, here)| page == Path::new(here));
            if !is_outside && !tests.contains(&format!("../docs/{}\"", page.display())) {
                bail!(
                    "src/lib.rs does not have the examples of {} as tests",
                    page.display()
                );
            }
        }
    }
    Ok(())
}

/// Pages from outside of `docs/` are chapters here, so links to and from them are others.
struct Outside {
    /// Files that the gallery links to.
    examples: Vec<String>,
}

impl Preprocessor for Outside {
    fn name(&self) -> &str {
        "outside"
    }

    fn run(&self, _: &PreprocessorContext, mut book: Book) -> Result<Book> {
        book.for_each_chapter_mut(|chapter| {
            let path = chapter.path.clone().unwrap_or_default();
            let up = "../".repeat(path.components().count().saturating_sub(1));
            let mut text = chapter.content.replace("](docs/", "](");
            for (page, here) in OUTSIDE {
                for from in [
                    format!("../../{page}"),
                    format!("../{page}"),
                    page.to_owned(),
                ] {
                    for end in [')', '#'] {
                        text =
                            text.replace(&format!("]({from}{end}"), &format!("]({up}{here}{end}"));
                    }
                }
            }
            if path == Path::new("gallery.md") {
                text = text.replace("](pictures/", "](examples/pictures/");
                for name in &self.examples {
                    text = text.replace(&format!("]({name})"), &format!("](examples/{name})"));
                }
            }
            chapter.content = text;
        });
        Ok(book)
    }
}

/// Follows all links from page to page, and answers how many there are of both.
fn check_links(target: &Path) -> Result<(usize, usize)> {
    let mut pages = HashMap::new();
    for folder in [target.to_owned(), target.join("inside")] {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "html")
            {
                let text = fs::read_to_string(&path)?;
                pages.insert(path.canonicalize()?, text);
            }
        }
    }
    let mut links = 0;
    let mut broken = Vec::new();
    for (path, text) in &pages {
        let is_frame = ["toc.html", "print.html", "404.html"].map(Path::new);
        if is_frame.contains(&Path::new(path.file_name().unwrap_or_default())) {
            continue;
        }
        // What the page says itself; the frame around it is mdBook's.
        let main = text.split_once("<main>").context("a page without text")?.1;
        let main = main.split("</main>").next().unwrap_or(main);
        for link in attributes(main, "href=\"").chain(attributes(main, "src=\"")) {
            if link.contains(':') {
                continue;
            }
            links += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let folder = path.parent().context("a page without a folder")?;
            let to = match file {
                "" => Ok(path.clone()),
                file => folder.join(file).canonicalize(),
            };
            let is_there = to.is_ok_and(|to| match pages.get(&to) {
                Some(page) => anchor.is_empty() || page.contains(&format!("id=\"{anchor}\"")),
                None => true,
            });
            if !is_there {
                let page = path.strip_prefix(target.canonicalize()?)?;
                broken.push(format!("{} has a link to {link}", page.display()));
            }
        }
    }
    broken.sort();
    if !broken.is_empty() {
        bail!("links that lead nowhere:\n{}", broken.join("\n"));
    }
    Ok((pages.len(), links))
}

/// The values of an attribute, by how it begins.
fn attributes<'a>(html: &'a str, begins: &'a str) -> impl Iterator<Item = &'a str> {
    html.split(begins)
        .skip(1)
        .filter_map(|rest| rest.split_once('"').map(|(value, _)| value))
}
