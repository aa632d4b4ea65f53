//! What kernels print: collected on the device, put into words here when the launch has ended.

use vortex_kernel::abi::PrintHeader;
use vortex_kernel::codegen::Image;
use vortex_kernel::ir::Message;

use crate::device::{PrintArea, State};
use crate::driver::{Access, Caps};
use crate::error::Result;
use crate::printed::Printed;

/// Room for what all harts print in one launch, in bytes; but no hart gets less than [`LEAST_ROOM`].
const ROOM: u32 = 8 << 20;
const LEAST_ROOM: u32 = 1 << 10;

/// Text that is made of what a launch prints, in bytes: of a few words from the device a message can make a lot of it.
const MOST_TEXT: usize = 16 << 20;

impl PrintArea {
    /// The device's, allocated for the first kernel that prints.
    pub(super) fn of(state: &mut State, caps: &Caps) -> Result<Self> {
        if let Some(area) = state.prints {
            return Ok(area);
        }
        let harts = caps.harts();
        let room = (ROOM / harts).max(LEAST_ROOM) & !3;
        let header_bytes = harts * size_of::<PrintHeader>() as u32;
        let at = |headers| Self {
            headers,
            records: headers + header_bytes,
            room,
            harts,
        };
        let headers = state.alloc_with(
            header_bytes + harts * room,
            Access::ReadWrite,
            |state, headers| at(headers).clear(state),
        )?;
        let area = at(headers);
        state.prints = Some(area);
        Ok(area)
    }

    fn clear(&self, state: &mut State) -> Result<()> {
        let zeros = vec![PrintHeader::default(); self.harts as usize];
        state.write(self.headers, bytemuck::cast_slice(&zeros))
    }

    /// Takes what has been printed, and leaves the area clear.
    pub(super) fn take(&self, state: &mut State) -> Result<Records> {
        let mut headers = vec![PrintHeader::default(); self.harts as usize];
        state.read(self.headers, bytemuck::cast_slice_mut(&mut headers))?;
        let mut records = Records::default();
        for (hart, header) in (0..).zip(&headers) {
            records.lost += u64::from(header.lost);
            // A kernel with stray pointers can have written anything.
            let mut words = vec![0u32; header.used.min(self.room) as usize / 4];
            if words.is_empty() {
                continue;
            }
            let addr = self.records + hart * self.room;
            state.read(addr, bytemuck::cast_slice_mut(&mut words))?;
            records.of_harts.push(words);
        }
        if records != Records::default() {
            self.clear(state)?;
        }
        Ok(records)
    }
}

/// What a launch printed, as it was on the device.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Records {
    of_harts: Vec<Vec<u32>>,
    lost: u64,
}

impl Records {
    /// Puts it into words, which calls the user's code: not while the device is locked. `item` tells an item's number
    /// in the launch from the one in a record.
    pub(super) fn text(&self, image: &Image, item: impl Fn(u32) -> u32) -> Printed {
        let mut said = Vec::new();
        let (mut lost, mut bytes) = (self.lost, 0);
        for words in &self.of_harts {
            decode(
                words,
                image.messages.as_values_slice(),
                |number, message, values| {
                    if bytes >= MOST_TEXT {
                        lost += 1;
                        return;
                    }
                    let text = message.render.text(values);
                    bytes += text.len();
                    said.push((item(number), message.stream, text));
                },
            );
        }
        // One hart runs an item from start to end, so what an item says is in order already.
        Printed {
            lost,
            ..Printed::of_items(said)
        }
    }
}

/// Calls `each` with item, message and values of every record.
fn decode<'a>(
    mut words: &'a [u32],
    messages: &'a [Message],
    mut each: impl FnMut(u32, &'a Message, &'a [u32]),
) {
    while let [message, item, rest @ ..] = words
        && let Some(message) = messages.get(*message as usize)
        && let Some((values, rest)) = rest.split_at_checked(message.words as usize)
    {
        each(*item, message, values);
        words = rest;
    }
}
