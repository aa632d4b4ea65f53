//! Records of results in a file: the subset of TOML that this module writes, a line for each value.
//!
//! ```toml
//! [[record]]
//! kernel = "my_crate::sgemm"
//! device = "Vortex 2, 1x8x8"
//! size = "items 2^12, a 2^14, b 2^14, c 2^14"
//! choice = "TILE = 8"
//! cycles = 123456
//! model = "cycle"
//! version = "0.1.0"
//! code = "0123456789abcdef"
//!
//! [record.candidates]
//! "TILE = 4" = "more than 131235 cycles"
//! "TILE = 8" = 123456
//! ```
//!
//! Records are sorted, so two files with the same records are identical, and one more record is a few lines of diff.
//! Unknown keys are skipped: a later version may have more.

use std::fmt::{self, Write as _};

use super::setting::Setting;

/// The compiler's version: another one makes other code of a kernel.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What begins a file.
const HEAD: &str = "# The best choices of kernels with `#[tune(..)]`, by kernel, device and size. Check it in: launches use it.\n\
                    # `VORTEX_TUNE=1` adds what is missing, and replaces what no longer fits its kernel.\n";

/// The best choice for a setting, and where that is known from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) setting: Setting,
    pub(super) choice: String,
    pub(super) cycles: u64,
    /// The model that was measured on.
    pub(super) model: String,
    /// The compiler's version.
    pub(super) version: String,
    /// A hash of what the kernel records with this choice.
    pub(super) code: String,
    /// All candidates, and what became of each.
    pub(super) candidates: Vec<(String, EntryValue)>,
}

/// What a file says about a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EntryValue {
    /// How many cycles it takes.
    Cycles(u64),
    /// Why that is not known.
    Words(String),
}

impl EntryValue {
    /// The cycles that the candidate takes, if they are known.
    pub(super) fn cycles(&self) -> Option<u64> {
        match self {
            Self::Cycles(cycles) => Some(*cycles),
            Self::Words(_) => None,
        }
    }
}

impl Record {
    /// Whether these are the candidates that it chooses from.
    pub(super) fn is_of(&self, candidates: &[String]) -> bool {
        let known = self.candidates.iter().map(|(candidate, _)| candidate);
        known.eq(candidates)
    }

    /// Why it says nothing of the kernel as it is now, if so.
    pub(super) fn why_stale(&self, code: &str) -> Option<&'static str> {
        if self.version != VERSION {
            return Some("it was made with another version of vortex");
        }
        (self.code != code).then_some("the kernel was changed since")
    }
}

/// What is wrong with a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    /// From 1 on.
    pub(super) line: usize,
    pub(super) what: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, what } = self;
        write!(f, "line {line}: {what}")
    }
}

/// Records as the text of a file.
pub(super) fn write(records: &[Record]) -> String {
    let mut sorted: Vec<&Record> = records.iter().collect();
    sorted.sort_by(|a, b| a.setting.cmp(&b.setting));
    let mut text = HEAD.to_owned();
    for record in sorted {
        let Record {
            setting,
            choice,
            cycles,
            model,
            version,
            code,
            candidates,
        } = record;
        text += "\n[[record]]\n";
        let cycles = cycles.to_string();
        let lines = [
            ("kernel", quoted(&setting.kernel)),
            ("device", quoted(&setting.device)),
            ("size", quoted(&setting.size)),
            ("choice", quoted(choice)),
            ("cycles", cycles),
            ("model", quoted(model)),
            ("version", quoted(version)),
            ("code", quoted(code)),
        ];
        for (name, value) in lines {
            text += &format!("{name} = {value}\n");
        }
        text += "\n[record.candidates]\n";
        for (candidate, said) in candidates {
            let said = match said {
                EntryValue::Cycles(cycles) => cycles.to_string(),
                EntryValue::Words(words) => quoted(words),
            };
            text += &format!("{} = {said}\n", quoted(candidate));
        }
    }
    text
}

/// The text of a file as it is written again, if it can be read. For fuzzing.
#[doc(hidden)]
#[must_use]
pub fn rewritten_records(text: &str) -> Option<String> {
    let records = read(text).ok()?;
    Some(write(&records))
}

/// A text as TOML's basic strings have it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // Writing to a string cannot fail.
            char if char.is_control() => _ = write!(out, "\\u{:04X}", u32::from(char)),
            char => out.push(char),
        }
    }
    out.push('"');
    out
}

/// A record that is being read.
#[derive(Default)]
struct Draft {
    line: usize,
    texts: Vec<(String, String)>,
    cycles: Option<u64>,
    candidates: Vec<(String, EntryValue)>,
}

/// The records of a file.
pub(super) fn read(text: &str) -> Result<Vec<Record>, Malformed> {
    let mut records = Vec::new();
    let mut draft: Option<Draft> = None;
    let mut in_candidates = false;
    for (line, text) in (1..).zip(text.lines()) {
        let wrong = |what: &str| Malformed {
            line,
            what: what.to_owned(),
        };
        let text = text.trim();
        match text {
            "" => {}
            comment if comment.starts_with('#') => {}
            "[[record]]" => {
                let next = Draft {
                    line,
                    ..Draft::default()
                };
                records.extend(draft.replace(next).map(Draft::finish).transpose()?);
                in_candidates = false;
            }
            "[record.candidates]" if draft.is_some() => in_candidates = true,
            table if table.starts_with('[') => {
                return Err(wrong(
                    "expected `[[record]]`, or `[record.candidates]` inside of one",
                ));
            }
            entry => {
                let Some(draft) = &mut draft else {
                    return Err(wrong("expected `[[record]]` before anything else"));
                };
                let (name, said) = entry_of(entry).ok_or_else(|| {
                    wrong("expected `name = \"text\"` or `name = number`, in one line")
                })?;
                match (in_candidates, said) {
                    (true, said) => draft.candidates.push((name, said)),
                    (false, EntryValue::Cycles(number)) if name == "cycles" => {
                        draft.cycles = Some(number);
                    }
                    (false, EntryValue::Words(text)) => draft.texts.push((name, text)),
                    (false, EntryValue::Cycles(_)) => {}
                }
            }
        }
    }
    records.extend(draft.map(Draft::finish).transpose()?);
    Ok(records)
}

impl Draft {
    fn finish(mut self) -> Result<Record, Malformed> {
        let mut text = |wanted: &str| {
            let place = self.texts.iter().position(|(name, _)| name == wanted);
            let place = place.ok_or_else(|| Malformed {
                line: self.line,
                what: format!("the record has no `{wanted} = \"..\"`"),
            })?;
            Ok(self.texts.swap_remove(place).1)
        };
        Ok(Record {
            setting: Setting {
                kernel: text("kernel")?,
                device: text("device")?,
                size: text("size")?,
            },
            choice: text("choice")?,
            model: text("model")?,
            version: text("version")?,
            code: text("code")?,
            cycles: self.cycles.ok_or_else(|| Malformed {
                line: self.line,
                what: "the record has no `cycles = number`".to_owned(),
            })?,
            candidates: self.candidates,
        })
    }
}

/// `name = value`, with a comment after it.
fn entry_of(text: &str) -> Option<(String, EntryValue)> {
    let (name, rest) = match text.starts_with('"') {
        true => string_of(text)?,
        false => {
            let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))?;
            (text[..end].to_owned(), &text[end..])
        }
    };
    let value = rest.trim_start().strip_prefix('=')?.trim_start();
    let (said, rest) = match value.starts_with('"') {
        true => {
            let (words, rest) = string_of(value)?;
            (EntryValue::Words(words), rest)
        }
        false => {
            let end = value.find(|c: char| !(c.is_ascii_digit() || c == '_'));
            let (number, rest) = value.split_at(end.unwrap_or(value.len()));
            (
                EntryValue::Cycles(number.replace('_', "").parse().ok()?),
                rest,
            )
        }
    };
    let rest = rest.trim_start();
    let is_all = rest.is_empty() || rest.starts_with('#');
    (is_all && !name.is_empty()).then_some((name, said))
}

/// A basic string, and what follows it.
fn string_of(text: &str) -> Option<(String, &str)> {
    let mut chars = text.strip_prefix('"')?.chars();
    let mut out = String::new();
    loop {
        match chars.next()? {
            '"' => return Some((out, chars.as_str())),
            '\\' => out.push(match chars.next()? {
                '"' => '"',
                '\\' => '\\',
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'u' => code_point(&mut chars, 4)?,
                'U' => code_point(&mut chars, 8)?,
                _ => return None,
            }),
            char => out.push(char),
        }
    }
}

/// A character by this many digits.
fn code_point(chars: &mut std::str::Chars<'_>, digits: u32) -> Option<char> {
    let mut number = 0;
    for _ in 0..digits {
        number = number * 16 + chars.next()?.to_digit(16)?;
    }
    char::from_u32(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kernel: &str) -> Record {
        Record {
            setting: Setting {
                kernel: kernel.to_owned(),
                device: "Vortex 2, 1x4x4".to_owned(),
                size: "items 2^12".to_owned(),
            },
            choice: "TILE = 4".to_owned(),
            cycles: 1234,
            model: "cycle".to_owned(),
            version: VERSION.to_owned(),
            code: "00ff".to_owned(),
            candidates: vec![
                ("TILE = 4".to_owned(), EntryValue::Cycles(1234)),
                (
                    "TILE = 8".to_owned(),
                    EntryValue::Words("does not fit: \"a\\b\"\u{1b}\n\u{fffd}".to_owned()),
                ),
            ],
        }
    }

    #[test]
    fn what_is_written_reads_back_sorted() {
        let (a, b) = (record("a::k<f32, 3>"), record("b::k"));
        let text = write(&[b.clone(), a.clone()]);
        assert_eq!(read(&text).unwrap(), [a.clone(), b.clone()]);
        assert_eq!(write(&[a, b]), text);
    }

    #[test]
    fn it_is_toml() {
        let text = write(&[record("a"), record("b")]);
        let table: toml::Table = text.parse().unwrap();
        let records = table["record"].as_array().unwrap();
        for (found, expected) in records.iter().zip(["a", "b"]) {
            let expected = record(expected);
            assert_eq!(found["kernel"].as_str(), Some(&*expected.setting.kernel));
            assert_eq!(found["cycles"].as_integer(), Some(1234));
            let said = found["candidates"].as_table().unwrap();
            assert_eq!(said.len(), 2);
            assert_eq!(said["TILE = 4"].as_integer(), Some(1234));
            let words = said["TILE = 8"].as_str().unwrap();
            assert_eq!(
                expected.candidates[1].1,
                EntryValue::Words(words.to_owned())
            );
        }
        assert_eq!(records.len(), 2);
    }

    #[test]
    fn comments_and_what_is_not_known_are_passed_over() {
        let text = write(&[record("a")]).replace(
            "cycles = 1234\n",
            "cycles = 1_234 # measured\nby = \"someone\"\nday = 3\n",
        );
        assert_eq!(read(&text).unwrap(), [record("a")]);
    }

    #[test]
    fn what_is_wrong_is_said_by_its_line() {
        let good = write(&[record("a")]);
        let said = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(
            said(&format!("<<<<<<< ours\n{good}")),
            "line 1: expected `[[record]]` before anything else"
        );
        assert_eq!(
            said(&good.replace("cycles = 1234\n", "")),
            "line 4: the record has no `cycles = number`"
        );
        assert_eq!(
            said(&good.replace("choice = ", "choise = ")),
            "line 4: the record has no `choice = \"..\"`"
        );
        assert_eq!(
            said(&good.replace("\"cycle\"", "\"cycle")),
            "line 10: expected `name = \"text\"` or `name = number`, in one line"
        );
        assert_eq!(
            said("[package]\n"),
            "line 1: expected `[[record]]`, or `[record.candidates]` inside of one"
        );
    }
}
