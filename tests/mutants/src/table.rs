//! Mistakes in the rows of the instruction table, one entry of one row at a time: each bit of the 30 that tell
//! instructions apart, another name, each other format, register file, class and extension.
//!
//! The table is a macro, and `Opcode::info` reads it when the crate is compiled; here it reads a copy, made when it is
//! first asked, with the mistake in it.

use crate::{List, about, read, write};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use std::fmt::Write as _;
use std::path::Path;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, File, Item, parse_quote};

/// How the path of the table ends.
pub(super) const FILE: &str = "isa/src/table.rs";

/// The fields of `Info` that the four operands of a row are in.
const OPERANDS: [&str; 4] = ["rd", "rs[0]", "rs[1]", "rs[2]"];

/// A row, `NAME "name" FORMAT BITS [RD RS1 RS2 RS3] CLASS EXTENSION;`: the number of its line, and its words without
/// brackets.
struct Row {
    line: usize,
    words: [String; 10],
}

fn rows(text: &str) -> Result<Vec<Row>, String> {
    let lines = text.lines().zip(1..);
    lines
        .filter(|(text, _)| text.contains("\" ") && text.contains(" 0x") && text.ends_with(';'))
        .map(|(text, line)| {
            let words = text
                .split([' ', '[', ']', ';'])
                .filter(|word| !word.is_empty());
            let words: Vec<_> = words.map(str::to_owned).collect();
            let words = words.try_into().map_err(|words: Vec<_>| {
                format!("line {line} has {} words, not 10", words.len())
            })?;
            Ok(Row { line, words })
        })
        .collect()
}

/// The names of an enum's variants.
fn variants(file: &File, name: &str) -> Vec<String> {
    let found = file.items.iter().find_map(|item| match item {
        Item::Enum(item) if item.ident == name => Some(item),
        _ => None,
    });
    let variants = found.into_iter().flat_map(|item| &item.variants);
    variants.map(|variant| variant.ident.to_string()).collect()
}

fn register_file(word: &str) -> &'static str {
    match word {
        "X" => "Some(RegFile::Integer)",
        "F" => "Some(RegFile::Float)",
        _ => "None",
    }
}

/// Makes everything that reads the table when it is compiled do so when it runs.
struct Late;

/// Whether there is a call of `info` in it, or of what calls that.
fn asks(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => asks(group.stream()),
        TokenTree::Ident(ident) => ident == "info" || ident == "TABLE",
        _ => false,
    })
}

impl VisitMut for Late {
    fn visit_impl_item_fn_mut(&mut self, item: &mut syn::ImplItemFn) {
        if asks(item.block.to_token_stream()) {
            item.sig.constness = None;
        }
        visit_mut::visit_impl_item_fn_mut(self, item);
    }

    fn visit_item_static_mut(&mut self, item: &mut syn::ItemStatic) {
        if asks(item.expr.to_token_stream()) {
            let (ty, made): (_, &Expr) = (&item.ty, &item.expr);
            let made = parse_quote!(std::sync::LazyLock::new(|| #made));
            *item.ty = parse_quote!(std::sync::LazyLock<#ty>);
            *item.expr = made;
        }
    }

    fn visit_item_const_mut(&mut self, item: &mut syn::ItemConst) {
        if item.ident == "TABLE" {
            *item.expr = parse_quote!(&INFO);
        }
    }
}

/// What turns one of them on, in the crate's first file.
fn switch(rows: &[Row], crate_root: &File, list: &mut List) -> String {
    let [formats, classes, extensions] =
        ["Format", "Class", "Extension"].map(|name| variants(crate_root, name));
    let mut arms = String::new();
    for (at, row) in rows.iter().enumerate() {
        let [
            name,
            mnemonic,
            format,
            _,
            rd,
            rs1,
            rs2,
            rs3,
            class,
            extension,
        ] = &row.words;
        let mut add = |what: &str, does: &str| {
            let number = list.add(row.line, &format!("{name}: {what}"));
            let _ = writeln!(arms, "{number} => rows[{at}].{does},");
        };
        add(
            &format!("{mnemonic} => another name"),
            "mnemonic = \"other\"",
        );
        for bit in 2..32 {
            add(
                &format!("bit {bit} turned round"),
                &format!("bits ^= 1 << {bit}"),
            );
        }
        for (operand, word) in OPERANDS.iter().zip([rd, rs1, rs2, rs3]) {
            for other in ["X", "F", "_"].into_iter().filter(|other| other != word) {
                let does = format!("{operand} = {}", register_file(other));
                add(&format!("{operand} {word} => {other}"), &does);
            }
        }
        for (column, ty, word, all) in [
            ("format", "Format", format, &formats),
            ("class", "Class", class, &classes),
            ("extension", "Extension", extension, &extensions),
        ] {
            for other in all.iter().filter(|other| *other != word) {
                add(
                    &format!("{word} => {other}"),
                    &format!("{column} = {ty}::{other}"),
                );
            }
        }
    }
    let read: String = rows
        .iter()
        .map(|row| format!("Opcode::{},", row.words[0]))
        .collect();
    format!(
        "const _: () = {{
            const READ: &[Opcode] = &[{read}];
            assert!(READ.len() == Opcode::ALL.len(), \"not every row of the table was read\");
            let mut at = 0;
            while at < READ.len() {{
                assert!(READ[at] as usize == Opcode::ALL[at] as usize, \"rows were read in another order\");
                at += 1;
            }}
        }};
        static ROWS: std::sync::LazyLock<[Info; Opcode::ALL.len()]> = std::sync::LazyLock::new(|| {{
            let mut rows = INFO;
            match *crate::mutant::ON {{\n{arms}_ => {{}} }}
            rows
        }});
        fn row_of(opcode: Opcode) -> &'static Info {{ &ROWS[opcode as usize] }}
        impl Opcode {{
            pub(crate) const fn as_written(self) -> &'static Info {{
                const WRITTEN: &[Info; Opcode::ALL.len()] = &INFO;
                &WRITTEN[self as usize]
            }}
        }}\n"
    )
}

/// Puts them into the crate of this table.
pub(super) fn change(file: &Path, text: &str, list: &mut List) -> Result<(), String> {
    let rows = rows(text).map_err(|error| about(file, &error))?;
    let root = file.with_file_name("lib.rs");
    let parsed = syn::parse_file(&read(&root)?).map_err(|error| about(&root, &error))?;
    let added = switch(&rows, &parsed, list);
    for name in ["lib.rs", "encode.rs"] {
        let path = file.with_file_name(name);
        let mut tree = syn::parse_file(&read(&path)?).map_err(|error| about(&path, &error))?;
        Late.visit_file_mut(&mut tree);
        let mut text = tree.to_token_stream().to_string();
        if name == "lib.rs" {
            text = text.replace("& TABLE [self as usize]", "row_of(self)") + "\n" + &added;
        }
        write(&path, &text)?;
    }
    // Constants are made by these; of the table they ask the format, for the rounding mode that is meant without one.
    let build = file.with_file_name("build.rs");
    write(&build, &read(&build)?.replace(".info()", ".as_written()"))?;
    Ok(())
}
