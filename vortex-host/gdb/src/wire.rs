//! The connection to gdb, and what the `gdbstub` crate does not know about gdb's protocol: conditions that are sent
//! with breakpoints, and text for gdb's console while a program runs.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gdbstub::conn::Connection;

/// Bytes of gdb's packets at most.
pub(crate) const PACKET: usize = 16 << 10;

/// Of each address with a breakpoint, the conditions of which one must hold; none where it always stops.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions(Arc<Mutex<HashMap<u32, Vec<Condition>>>>);

impl Conditions {
    fn set(&self, address: u32, conditions: Vec<Condition>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(address, conditions);
    }

    /// Those that came with the breakpoint at an address.
    pub(crate) fn of(&self, address: u32) -> Vec<Condition> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&address).cloned().unwrap_or_default()
    }
}

/// A connection to gdb.
pub(crate) struct Wire {
    stream: TcpStream,
    /// Bytes from gdb that have not been looked at.
    received: Vec<u8>,
    /// Bytes for the stub, the next one last.
    ready: Vec<u8>,
    /// What the stub has written since it last flushed.
    written: Vec<u8>,
    conditions: Conditions,
}

/// What is known about the first bytes that have been received.
enum Prefix {
    /// A packet, or a byte by itself.
    Whole(usize),
    /// There is more to come.
    Part,
}

/// How many bytes the first packet has.
fn first_packet(bytes: &[u8]) -> Prefix {
    match bytes.first() {
        None => Prefix::Part,
        Some(b'$') => match bytes.iter().position(|byte| *byte == b'#') {
            Some(end) if end + 3 <= bytes.len() => Prefix::Whole(end + 3),
            _ => Prefix::Part,
        },
        Some(_) => Prefix::Whole(1),
    }
}

/// A packet with this body.
fn packet(body: &[u8]) -> Vec<u8> {
    let sum = body.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    let mut packet = Vec::with_capacity(body.len() + 4);
    packet.push(b'$');
    packet.extend_from_slice(body);
    packet.extend_from_slice(format!("#{sum:02x}").as_bytes());
    packet
}

/// A condition in gdb's byte code.
type Condition = Vec<u8>;

/// Takes the conditions out of a packet `Z0,address,kind;X length,code ..`, and the commands that gdb does not send
/// unless asked to. Returns the address, the conditions, and what is left.
fn split_conditions(body: &[u8]) -> Option<(u32, Vec<Condition>, &[u8])> {
    let rest = body.strip_prefix(b"Z0,")?;
    let end = rest.iter().position(|byte| *byte == b',')?;
    let address = std::str::from_utf8(&rest[..end]).ok()?;
    let address = u32::from_str_radix(address, 16).ok()?;
    let mut parts = body.split(|byte| *byte == b';');
    let basic = parts.next()?;
    let list: Vec<u8> = parts.flatten().copied().collect();
    let mut conditions = Vec::new();
    for condition in list.split(|byte| *byte == b'X').skip(1) {
        let code = condition.splitn(2, |byte| *byte == b',').nth(1)?;
        conditions.push(bytes_of_hex(code)?);
    }
    Some((address, conditions, basic))
}

fn bytes_of_hex(text: &[u8]) -> Option<Vec<u8>> {
    let (pairs, []) = text.as_chunks::<2>() else {
        return None;
    };
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.iter().map(byte).collect()
}

impl Wire {
    pub(crate) fn new(stream: TcpStream, conditions: Conditions) -> io::Result<Wire> {
        stream.set_nodelay(true)?;
        Ok(Wire {
            stream,
            received: Vec::new(),
            ready: Vec::new(),
            written: Vec::new(),
            conditions,
        })
    }

    /// The next byte for the stub, if there is one within this time; for ever, if none is given.
    pub(crate) fn next(&mut self, within: Option<Duration>) -> io::Result<Option<u8>> {
        loop {
            if let Some(byte) = self.ready.pop() {
                return Ok(Some(byte));
            }
            if let Prefix::Whole(length) = first_packet(&self.received) {
                let first: Vec<u8> = self.received.drain(..length).collect();
                self.ready = self.for_the_stub(first);
                self.ready.reverse();
                continue;
            }
            // What is not part of a packet's body: a dollar sign, a number sign and two digits.
            if self.received.len() >= PACKET + 4 {
                return Err(io::Error::new(
                    ErrorKind::InvalidData,
                    format!("it has sent a packet of more than {PACKET} bytes"),
                ));
            }
            if !self.receive(within)? {
                return Ok(None);
            }
        }
    }

    /// What the stub is given for a packet.
    fn for_the_stub(&self, packet: Vec<u8>) -> Vec<u8> {
        let end = packet.len().saturating_sub(3);
        let Some(body) = packet.get(1..end).filter(|_| packet.starts_with(b"$Z")) else {
            return packet;
        };
        match split_conditions(body) {
            Some((address, conditions, basic)) => {
                self.conditions.set(address, conditions);
                self::packet(basic)
            }
            None => packet,
        }
    }

    /// Waits for bytes from gdb; whether some came in time.
    fn receive(&mut self, within: Option<Duration>) -> io::Result<bool> {
        let mut bytes = [0; 4096];
        // Timeouts are as long as the system's clock ticks, at least.
        let is_now = within == Some(Duration::ZERO);
        self.stream.set_nonblocking(is_now)?;
        if !is_now {
            self.stream.set_read_timeout(within)?;
        }
        let read = self.stream.read(&mut bytes);
        if is_now {
            self.stream.set_nonblocking(false)?;
        }
        match read {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.received.extend_from_slice(&bytes[..count]);
                Ok(true)
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Ok(false)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Tells gdb that something has been done of which the stub says nothing.
    pub(crate) fn confirm(&mut self) -> io::Result<()> {
        Write::write_all(&mut self.stream, &packet(b"OK"))
    }

    /// Shows a text in gdb, which waits for a program to stop.
    pub(crate) fn say(&mut self, text: &str) -> io::Result<()> {
        // As long as a packet may be.
        for part in text.as_bytes().chunks(1000) {
            let hex: String = part.iter().map(|byte| format!("{byte:02x}")).collect();
            Write::write_all(&mut self.stream, &packet(format!("O{hex}").as_bytes()))?;
        }
        Ok(())
    }
}

/// What the stub says about itself, with what it does not know that it can.
fn announced(bytes: &[u8]) -> Option<Vec<u8>> {
    let start = bytes.iter().position(|byte| *byte == b'$')?;
    let end = bytes.iter().rposition(|byte| *byte == b'#')?;
    let body = bytes.get(start + 1..end)?;
    if !body.starts_with(b"PacketSize=") {
        return None;
    }
    let body = [body, b";ConditionalBreakpoints+"].concat();
    Some([&bytes[..start], &packet(&body)].concat())
}

impl Connection for Wire {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.written.push(byte);
        Ok(())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = std::mem::take(&mut self.written);
        let announced = announced(&written);
        Write::write_all(&mut self.stream, &announced.unwrap_or(written))?;
        Write::flush(&mut self.stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    #[test]
    fn packets_have_an_end() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let gdb = thread::spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            Write::write_all(&mut stream, &packet(&[b'm'; PACKET])).unwrap();
            // The other side hangs up in between.
            let _ = Write::write_all(&mut stream, &[b'$'; 1 << 20]);
        });
        let (stream, _) = listener.accept().unwrap();
        let mut wire = Wire::new(stream, Conditions::default()).unwrap();
        for _ in 0..PACKET + 4 {
            assert!(wire.next(None).unwrap().is_some());
        }
        let error = wire.next(None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "it has sent a packet of more than 16384 bytes"
        );
        assert!(wire.received.len() < 2 * PACKET);
        drop(wire);
        gdb.join().unwrap();
    }

    #[test]
    fn conditions_are_taken_out() {
        let split = split_conditions(b"Z0,80000040,4;X5,2210191327X2,2227");
        let conditions = vec![vec![0x22, 0x10, 0x19, 0x13, 0x27], vec![0x22, 0x27]];
        assert_eq!(
            split,
            Some((0x8000_0040, conditions, &b"Z0,80000040,4"[..]))
        );
        let plain = split_conditions(b"Z0,44,4");
        assert_eq!(plain, Some((0x44, Vec::new(), &b"Z0,44,4"[..])));
        for other in [
            &b"z0,44,4"[..],
            b"Z2,44,4",
            b"Z0,xyz,4",
            b"Z0",
            b"m44,4",
            b"Z0,44,4;X1,2",
        ] {
            assert_eq!(split_conditions(other), None);
        }
    }

    #[test]
    fn packets_are_told_apart() {
        let whole = |bytes| match first_packet(bytes) {
            Prefix::Whole(length) => Some(length),
            Prefix::Part => None,
        };
        assert_eq!(whole(b"$g#67"), Some(5));
        assert_eq!(whole(b"+$g#67"), Some(1));
        assert_eq!(whole(b"\x03"), Some(1));
        assert_eq!(whole(b"$g#6"), None);
        assert_eq!(whole(b"$g"), None);
        assert_eq!(whole(b""), None);
        assert_eq!(packet(b"g"), b"$g#67");
    }

    #[test]
    fn conditions_are_announced() {
        let said = announced(b"+$PacketSize=1000;swbreak+#00").unwrap_or_default();
        let said = String::from_utf8_lossy(&said).into_owned();
        let expected = "+$PacketSize=1000;swbreak+;ConditionalBreakpoints+#";
        assert!(said.starts_with(expected), "{said}");
        assert_eq!(announced(b"$OK#9a"), None);
    }
}
