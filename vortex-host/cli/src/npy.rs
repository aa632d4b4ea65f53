//! NumPy's `.npy` files: one array, little endian, version 1 to 3.

use anyhow::{Result, anyhow, bail};

const MAGIC: &[u8] = b"\x93NUMPY";

/// An array: the type of its elements as NumPy writes it, its shape and its bytes.
#[derive(Debug, PartialEq)]
pub(crate) struct Array<'a> {
    pub(crate) descr: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) bytes: &'a [u8],
}

/// NumPy's name of a scalar type.
pub(crate) fn descr(rust: &str) -> Option<&'static str> {
    Some(match rust {
        "bool" => "|b1",
        "i8" => "|i1",
        "u8" => "|u1",
        "i16" => "<i2",
        "u16" => "<u2",
        "i32" | "isize" => "<i4",
        "u32" | "usize" => "<u4",
        "i64" => "<i8",
        "u64" => "<u8",
        "f16" => "<f2",
        "f32" => "<f4",
        _ => return None,
    })
}

pub(crate) fn read(file: &[u8]) -> Result<Array<'_>> {
    let damaged = || anyhow!("this .npy file is damaged");
    let rest = file
        .strip_prefix(MAGIC)
        .ok_or_else(|| anyhow!("this is no .npy file"))?;
    let (&[major, _], rest) = rest.split_first_chunk::<2>().ok_or_else(damaged)?;
    let (length, rest) = match major {
        1 => {
            let (length, rest) = rest.split_first_chunk::<2>().ok_or_else(damaged)?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        2 | 3 => {
            let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
        other => bail!("this .npy file has version {other}, and versions 1 to 3 are known"),
    };
    let (header, bytes) = rest.split_at_checked(length).ok_or_else(damaged)?;
    let header = str::from_utf8(header).map_err(|_| damaged())?;
    let descr = value(header, "descr").ok_or_else(damaged)?;
    let descr = descr.trim_matches(['\'', '"']).to_owned();
    let shape = value(header, "shape").ok_or_else(damaged)?;
    let shape = shape.trim_matches(['(', ')']).split(',');
    let shape: Vec<usize> = shape
        .map(str::trim)
        .filter(|axis| !axis.is_empty())
        .map(|axis| axis.parse().map_err(|_| damaged()))
        .collect::<Result<_>>()?;
    if value(header, "fortran_order").ok_or_else(damaged)? == "True" && shape.len() > 1 {
        bail!("this array is stored by columns; save `numpy.ascontiguousarray(array)`");
    }
    let size = descr.get(2..).and_then(|size| size.parse::<usize>().ok());
    let size = size.ok_or_else(|| anyhow!("elements of type `{descr}` are not supported"))?;
    let expected = shape
        .iter()
        .try_fold(size, |all, &axis| all.checked_mul(axis));
    if expected != Some(bytes.len()) {
        return Err(damaged());
    }
    Ok(Array {
        descr,
        shape,
        bytes,
    })
}

/// The text of an entry of the header, which is a Python dictionary.
fn value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let at = header.find(&format!("'{key}'"))?;
    let rest = header[at..].split_once(':')?.1.trim_start();
    let end = match rest.strip_prefix('(') {
        Some(tuple) => tuple.find(')')? + 2,
        None => rest.find([',', '}'])?,
    };
    Some(rest[..end].trim())
}

/// A file with an array of these elements.
pub(crate) fn write(descr: &str, shape: &[usize], bytes: &[u8]) -> Vec<u8> {
    let axes: Vec<_> = shape.iter().map(|axis| format!("{axis},")).collect();
    let header = format!(
        "{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}), }}",
        axes.join(" ")
    );
    // Magic, version, length, header and a line's end fill a multiple of 64 bytes.
    let prefix = MAGIC.len() + 4;
    let length = (prefix + header.len() + 1).next_multiple_of(64) - prefix;
    let mut file = [MAGIC, &[1, 0]].concat();
    // Headers are far shorter than 64 KiB: arrays here have a few axes.
    file.extend((length as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.resize(prefix + length - 1, b' ');
    file.push(b'\n');
    file.extend(bytes);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_read_as_they_were_written() {
        let bytes: Vec<u8> = (0..24).collect();
        for (descr, shape) in [("<f4", vec![6]), ("|u1", vec![24]), ("<u2", vec![3, 4])] {
            let file = write(descr, &shape, &bytes);
            assert_eq!((file.len() - bytes.len()) % 64, 0);
            let array = read(&file).unwrap();
            assert_eq!(
                (array.descr.as_str(), array.shape, array.bytes),
                (descr, shape, &bytes[..])
            );
        }
    }

    #[test]
    fn damaged_files_are_errors() {
        let file = write("<f4", &[2], &[0; 8]);
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err());
        }
        for at in 0..file.len() - 8 {
            let mut file = file.clone();
            file[at] = file[at].wrapping_add(1);
            _ = read(&file);
        }
        let columns =
            String::from_utf8_lossy(&write("<f4", &[2, 1], &[0; 8])[10..120]).into_owned();
        assert!(columns.contains("False"));
    }
}
