//! The register file of a warp: one row per register, with a word of each lane, and the lanes of masks.

/// The most lanes a warp can have.
pub(crate) const LANES: usize = 32;
/// The lanes that are worked on together: one vector of a current machine.
pub(crate) type Octet = [u32; 8];
/// A register of all lanes. Lanes that the warp does not have hold rubbish.
pub(crate) type Row = [Octet; LANES / 8];
/// Float register n is row `FLOAT_ROWS + n`.
pub(crate) const FLOAT_ROWS: u8 = 32;
/// Where results for `x0` go.
pub(crate) const SINK: u8 = 64;
/// Where an instruction may put what is not a register's.
pub(crate) const SPARE: u8 = 65;
/// Rows of a register file: a power of two, so that no row number is out of range.
const ROWS: usize = 128;

/// Eight lanes, by their numbers.
///
/// As `std::array::from_fn`, but that calls functions which are inlined or not as it happens. Those that are not are
/// not compiled for the vectors that the loop around them is compiled for: the device was up to ten times slower.
#[inline(always)]
pub(crate) fn octet_of(lane: impl Fn(usize) -> u32) -> Octet {
    let mut octet = [0; 8];
    for (n, value) in octet.iter_mut().enumerate() {
        *value = lane(n);
    }
    octet
}

/// What becomes of each lane of a row. As `map` of arrays, with the difference that [`octet_of`] has.
#[inline(always)]
pub(crate) fn row_of(row: &Row, lane: impl Fn(u32) -> u32) -> Row {
    let mut result = *row;
    for octet in &mut result {
        for value in octet {
            *value = lane(*value);
        }
    }
    result
}

/// One lane of a row.
#[inline(always)]
pub(crate) fn lane(row: &Row, lane: u32) -> u32 {
    row[lane as usize / 8 % 4][lane as usize % 8]
}

/// One lane of a row, to be written.
#[inline(always)]
pub(crate) fn lane_mut(row: &mut Row, lane: u32) -> &mut u32 {
    &mut row[lane as usize / 8 % 4][lane as usize % 8]
}

/// The lanes of a mask, lowest first.
#[inline]
pub(crate) fn lanes_of(mask: u32) -> impl Iterator<Item = u32> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = (left != 0).then(|| left.trailing_zeros())?;
        left &= left - 1;
        Some(lane)
    })
}

/// The register file of a warp.
#[derive(Clone)]
pub(crate) struct Registers(Box<[Row; ROWS]>);

impl Registers {
    /// How much host memory it takes.
    pub(crate) const BYTES: usize = size_of::<[Row; ROWS]>();

    #[inline(always)]
    pub(crate) fn row(&self, index: u8) -> &Row {
        &self.0[usize::from(index) % ROWS]
    }

    #[inline(always)]
    pub(crate) fn row_mut(&mut self, index: u8) -> &mut Row {
        &mut self.0[usize::from(index) % ROWS]
    }

    pub(crate) fn new() -> Registers {
        Registers(Box::new([[[0; 8]; LANES / 8]; ROWS]))
    }

    /// Fills everything but x0 with rubbish.
    pub(crate) fn scramble(&mut self, rubbish: Rubbish, octets: usize) {
        let lanes = rubbish.lanes();
        // A sum for each register, which is all that a launch of many warps has time for.
        let rows = (0u32..).zip(self.0.iter_mut().take(usize::from(SINK)));
        for (index, row) in rows {
            let sum = Rubbish::sum(index);
            for at in 0..octets.min(LANES / 8) {
                row[at] = octet_of(|n| lanes[at][n].wrapping_add(sum));
            }
        }
        self.0[0] = [[0; 8]; 4];
    }
}

/// Numbers that no program can make use of, always the same, for a register file.
#[derive(Clone, Copy)]
pub(crate) struct Rubbish(pub(crate) u32);

impl Rubbish {
    fn lanes(self) -> Row {
        let mut lanes: Row = [[0; 8]; LANES / 8];
        for (number, lane) in (self.0..).zip(lanes.as_flattened_mut()) {
            let mixed = (number ^ number >> 7).wrapping_mul(0x9e37_79b1);
            *lane = mixed ^ mixed >> 15;
        }
        lanes
    }

    /// What is added to that for a register.
    fn sum(register: u32) -> u32 {
        register.wrapping_mul(0x85eb_ca6b)
    }

    /// Those of a register other than x0.
    pub(crate) fn row(self, register: u8) -> Row {
        let sum = Rubbish::sum(register.into());
        row_of(&self.lanes(), |lane| lane.wrapping_add(sum))
    }
}
