//! The division of a number of units into a portion for each device, without memory.

use std::ops::Range;

use super::Devices;
use crate::error::{DevicesError, Result};

impl Devices {
    /// Describes how this many units are divided among the devices. A unit is indivisible: an element by default, a
    /// row, or the work of a group of work items.
    ///
    /// Portions are of equal size where possible (they differ by one unit, or by one
    /// [granule](SplitBuilder::granularity)), in the order of the devices, and each unit is in one of them. If there
    /// are more devices than units, the last ones have empty portions.
    ///
    /// ```
    /// # fn main() -> vortex_host::Result<()> {
    /// # use vortex_host::{Device, Devices};
    /// let devices = Devices::embedded(3, Device::builder())?;
    /// // 100 rows of 640 pixels.
    /// let split = devices.split(100).unit(640).build()?;
    /// let rows: Vec<_> = split.portions().iter().map(|portion| portion.range()).collect();
    /// assert_eq!(rows, [0..34, 34..67, 67..100]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn split(&self, units: usize) -> SplitBuilder {
        SplitBuilder {
            devices: self.clone(),
            units,
            unit: 1,
            granularity: 1,
            halo: 0,
            weights: None,
        }
    }
}

/// Describes how units will be divided; made by [`Devices::split`].
#[derive(Clone, Debug)]
#[must_use = "a description does nothing until `.build()`"]
pub struct SplitBuilder {
    devices: Devices,
    units: usize,
    unit: usize,
    granularity: usize,
    halo: usize,
    weights: Option<Vec<f64>>,
}

/// A number of units, divided into a portion for each device.
#[derive(Clone, Debug)]
pub struct Split {
    devices: Devices,
    units: usize,
    unit: usize,
    portions: Vec<Portion>,
}

/// One device's portion of a split whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portion {
    device: usize,
    unit: usize,
    own: Range<usize>,
    with_halo: Range<usize>,
}

/// Where share `number` of this many begins: the first ones have one more, where it does not come out even.
fn even(whole: usize, number: usize, shares: usize) -> usize {
    number * (whole / shares) + number.min(whole % shares)
}

impl SplitBuilder {
    /// How many elements of a buffer a unit has: 1 by default. With rows as units, as many as a row has.
    pub fn unit(mut self, elements: usize) -> Self {
        self.unit = elements;
        self
    }

    /// Makes portions start at multiples of this many units: 1 by default. If units are elements that groups of work
    /// items process together, use the size of a group; if they are rows, the number of rows of a group.
    pub fn granularity(mut self, units: usize) -> Self {
        self.granularity = units;
        self
    }

    /// Makes each device keep a copy of this many units before its portion, and of as many after it, where they exist:
    /// 0 by default. A device whose portion is empty has no halo either.
    ///
    /// A halo may be larger than the portions next to it, and then comes from several devices.
    pub fn halo(mut self, units: usize) -> Self {
        self.halo = units;
        self
    }

    /// Each device's share of the work, in proportion to the others: equal by default.
    pub fn weights(mut self, weights: &[f64]) -> Self {
        self.weights = Some(weights.to_vec());
        self
    }

    /// Divides the units.
    ///
    /// # Errors
    /// If the granularity is 0, if there are not as many weights as devices, if they are negative, infinite or all
    /// 0, or if there are more elements than can be counted.
    pub fn build(self) -> Result<Split> {
        if self.granularity == 0 {
            return Err(DevicesError::ZeroGranularity.into());
        }
        check_unit(self.units, self.unit)?;
        let granules = self.units.div_ceil(self.granularity);
        let bounds = match &self.weights {
            None => {
                let count = self.devices.len();
                (0..=count)
                    .map(|number| even(granules, number, count))
                    .collect()
            }
            Some(weights) => weighted(granules, weights, self.devices.len())?,
        };
        let bound = |granules: usize| granules.saturating_mul(self.granularity).min(self.units);
        let own = bounds.windows(2).map(|ends| match ends {
            &[start, end] => bound(start)..bound(end),
            _ => 0..0,
        });
        let portions = own.enumerate().map(|(device, own)| Portion {
            device,
            unit: self.unit,
            with_halo: halo(&own, self.halo, self.units),
            own,
        });
        Ok(Split {
            portions: portions.collect(),
            devices: self.devices,
            units: self.units,
            unit: self.unit,
        })
    }
}

fn check_unit(units: usize, unit: usize) -> Result<()> {
    match units.checked_mul(unit) {
        Some(_) => Ok(()),
        None => Err(DevicesError::TooLarge { units, unit }.into()),
    }
}

/// Where portions of these weights begin and end.
fn weighted(granules: usize, weights: &[f64], devices: usize) -> Result<Vec<usize>> {
    if weights.len() != devices {
        let weights = weights.len();
        return Err(DevicesError::WeightCount { weights, devices }.into());
    }
    let is_weight = |weight: f64| weight >= 0.0 && weight.is_finite();
    let all = weights.iter().copied().enumerate();
    if let Some((device, weight)) = all.clone().find(|&(_, weight)| !is_weight(weight)) {
        return Err(DevicesError::Weight { device, weight }.into());
    }
    let sum: f64 = weights.iter().sum();
    if sum == 0.0 || !sum.is_finite() {
        return Err(DevicesError::WeightSum { sum }.into());
    }
    // Sums of weights grow, so these bounds do; what rounding leaves over is the last one's that has a weight.
    let last = weights.iter().rposition(|&weight| weight > 0.0);
    let mut before = 0.0;
    let ends = all.map(|(device, weight)| {
        before += weight;
        let end = (granules as f64 * (before / sum)).round() as usize;
        match Some(device) >= last {
            true => granules,
            false => end.min(granules),
        }
    });
    Ok(std::iter::once(0).chain(ends).collect())
}

/// A portion with its halo.
fn halo(own: &Range<usize>, halo: usize, units: usize) -> Range<usize> {
    match own.is_empty() {
        true => own.clone(),
        false => own.start.saturating_sub(halo)..own.end.saturating_add(halo).min(units),
    }
}

impl Split {
    /// The devices that it is a split for.
    #[must_use]
    pub fn devices(&self) -> &Devices {
        &self.devices
    }

    /// The portions, one for each device in their order.
    #[must_use]
    pub fn portions(&self) -> &[Portion] {
        &self.portions
    }

    /// How many units there are in all.
    #[must_use]
    pub fn units(&self) -> usize {
        self.units
    }

    /// How many elements a unit has.
    #[must_use]
    pub fn unit(&self) -> usize {
        self.unit
    }

    /// How many elements there are in all.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.units * self.unit
    }

    /// The same portions, for buffers that have another number of elements for each unit: where each group adds up 64
    /// elements, those have 64 of them, and the sums one.
    ///
    /// # Errors
    /// If there are more elements than can be counted.
    pub fn with_unit(&self, elements: usize) -> Result<Self> {
        check_unit(self.units, elements)?;
        let mut split = self.clone();
        split.unit = elements;
        for portion in &mut split.portions {
            portion.unit = elements;
        }
        Ok(split)
    }

    /// The same portions with another halo, of this many units; 0 for no halo.
    #[must_use]
    pub fn with_halo(&self, units: usize) -> Self {
        let mut split = self.clone();
        for portion in &mut split.portions {
            portion.with_halo = halo(&portion.own, units, self.units);
        }
        split
    }
}

impl Portion {
    /// The number of its device, from 0.
    #[must_use]
    pub fn device(&self) -> usize {
        self.device
    }

    /// Its first unit. Ids of work items start at 0 on each device: a kernel that must know which part of the whole it
    /// works on is given this as an argument.
    #[must_use]
    pub fn start(&self) -> usize {
        self.own.start
    }

    /// The unit after its last one.
    #[must_use]
    pub fn end(&self) -> usize {
        self.own.end
    }

    /// How many units it has, without the halo.
    #[must_use]
    pub fn len(&self) -> usize {
        self.own.len()
    }

    /// Whether it has no units: there are more devices than units, or the device has a weight of 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Its units, without the halo.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.own.clone()
    }

    /// Its units, with the halo.
    #[must_use]
    pub fn with_halo(&self) -> Range<usize> {
        self.with_halo.clone()
    }

    /// How many units of halo come before its own: none at the beginning of the whole.
    #[must_use]
    pub fn halo_before(&self) -> usize {
        self.own.start - self.with_halo.start
    }

    /// How many units of halo come after its own: none at the end of the whole.
    #[must_use]
    pub fn halo_after(&self) -> usize {
        self.with_halo.end - self.own.end
    }

    /// Which elements of the whole these units are.
    pub(super) fn elements(&self, units: &Range<usize>) -> Range<usize> {
        units.start * self.unit..units.end * self.unit
    }

    /// Which elements these units are of what the device has, in which they lie.
    pub(super) fn elements_here(&self, units: &Range<usize>) -> Range<usize> {
        let first = self.with_halo.start;
        (units.start - first) * self.unit..(units.end - first) * self.unit
    }

    /// The units before its own and those after them, which others own.
    pub(super) fn halos(&self) -> [Range<usize>; 2] {
        [
            self.with_halo.start..self.own.start,
            self.own.end..self.with_halo.end,
        ]
    }
}
