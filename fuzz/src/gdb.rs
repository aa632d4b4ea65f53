//! What a debugger may say: a launch that somebody drives by any packets comes to its end, and so does the
//! conversation; the next debugger is served as if nothing had happened.

use std::cell::RefCell;
use std::io::{Read as _, Result, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;
use vortex_gdb::{Debugger, Explain, Item, Program, Session};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::debug::Terms;
use vortex_sim::stepping::{Drive, Stepper, WarpId};
use vortex_sim::{Access, Config, Machine, Trap};

const CODE: u32 = 0x8000_0000;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Of both warps, each lane counts to some number and keeps it in memory.
fn code() -> Vec<u8> {
    let code = [
        Inst::csrr(x::T0, csr::NUM_WARPS),
        Inst::u(Opcode::Auipc, x::T1, 0),
        Inst::i(Opcode::Addi, x::T1, x::T1, 12),
        Inst::simt(Opcode::Wspawn, x::T0, x::T1),
        Inst::i(Opcode::Addi, x::T0, x::ZERO, -1),
        Inst::simt(Opcode::Tmc, x::T0, x::ZERO),
        Inst::csrr(x::A0, csr::MSCRATCH),
        Inst::csrr(x::A1, csr::MHARTID),
        Inst::i(Opcode::Slli, x::A1, x::A1, 2),
        Inst::r(Opcode::Add, x::A0, x::A0, x::A1),
        Inst::i(Opcode::Addi, x::A2, x::ZERO, 20),
        // From here on, once more each time.
        Inst::i(Opcode::Addi, x::A2, x::A2, -1),
        Inst::s(Opcode::Sw, x::A2, x::A0, 0),
        Inst::b(Opcode::Bne, x::A2, x::ZERO, -8),
        Inst::simt(Opcode::Tmc, x::ZERO, x::ZERO),
    ];
    let words = code.iter().map(Inst::encode);
    words.flat_map(u32::to_le_bytes).collect()
}

thread_local! {
    /// Opened once: a device has tables of a mebibyte.
    static DEVICE: RefCell<(Machine, u32)> = RefCell::new({
        let mut machine = Machine::new(Config::with_shape(1, 2, 2)).expect("it is possible");
        let reserved = machine.reserve(CODE, code().len() as u64, Access::ReadWrite);
        reserved.expect("there is room for a program");
        let buffer = machine.alloc(64, Access::ReadWrite);
        (machine, buffer.expect("there is room for a buffer"))
    });
}

struct Numbers;

impl Explain for Numbers {
    fn has_work(&self, _: WarpId, lane: u32) -> bool {
        lane == 0
    }

    fn item(&self, _: &Stepper<'_>, warp: WarpId, lane: u32) -> Option<Item> {
        let number = 2 * warp.warp + lane;
        Some(Item {
            number,
            group: None,
            text: number.to_string(),
        })
    }

    fn trap(&self, _: &Stepper<'_>, trap: &Trap) -> String {
        trap.to_string()
    }
}

/// A launch that ends when the debugger has left it: a changed program may go on for ever.
struct Brief<'a>(Session<'a>);

impl Drive for Brief<'_> {
    fn drive(&mut self, stepper: &mut Stepper<'_>) -> std::result::Result<(), Box<Trap>> {
        self.0.drive(stepper)?;
        Err(stepper.ended())
    }
}

/// Bytes as gdb sends them: lines are packets, but those that begin with `!` are whatever follows it.
fn conversation(bytes: &[u8]) -> Vec<u8> {
    let mut sent = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        match line.strip_prefix(b"!") {
            Some(raw) => sent.extend_from_slice(raw),
            None => {
                let sum = line.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
                sent.push(b'$');
                sent.extend_from_slice(line);
                sent.extend_from_slice(format!("#{sum:02x}").as_bytes());
            }
        }
    }
    sent
}

/// Says something, and what comes back until the other side hangs up.
fn talk(mut stream: TcpStream, said: &[u8]) -> Result<Vec<u8>> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut heard = Vec::new();
    let mut writer = stream.try_clone()?;
    thread::scope(|scope| {
        scope.spawn(move || {
            // The other side may hang up before it has heard all.
            let _ = writer.write_all(said);
            let _ = writer.shutdown(Shutdown::Write);
        });
        match stream.read_to_end(&mut heard) {
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => Ok(0),
            result => result,
        }
    })?;
    Ok(heard)
}

/// Runs the program with a debugger that says this. Returns what it hears.
fn debugged(debugger: &mut Debugger, address: SocketAddr, said: Vec<u8>) -> Result<Vec<u8>> {
    let stream = TcpStream::connect(address)?;
    let client = thread::spawn(move || talk(stream, &said));
    DEVICE.with_borrow_mut(|(machine, buffer)| {
        let code = code();
        machine.write(CODE, &code).expect("it is reserved");
        let program = Program {
            name: "counting".to_owned(),
            address: CODE,
            size: code.len() as u32,
            file: code,
        };
        let mut session = Brief(debugger.session(program, &Numbers));
        let mut nothing = std::iter::empty();
        let terms = Terms::of(&mut nothing, &|_| {}).driven(&mut session);
        let _ = machine.run_on(CODE, *buffer, terms);
    });
    client.join().expect("it has not panicked")
}

/// Has a debugger say what the bytes are.
pub fn run(bytes: &[u8]) -> bool {
    let mut debugger = Debugger::listen(":0").expect("there is a port");
    let address = debugger.address();
    let heard = debugged(&mut debugger, address, conversation(bytes));
    let heard = heard.expect("the conversation comes to an end");
    let next = debugged(&mut debugger, address, conversation(b"?\nD"));
    let next = next.expect("the next one, too");
    let next = String::from_utf8_lossy(&next);
    assert!(next.contains("#") && next.contains("$OK#"), "{next}");
    heard.windows(4).any(|part| part == b"$OK#")
}
