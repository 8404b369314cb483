//! Quantities over time that change by jumps: bytes of state, live keys.

/// N quantities whose jumps at instants are summed up to step functions; exact while the instants are
/// few, on a coarser clock beyond that.
///
/// Up to a stated number of distinct instants are kept as they are. More are rounded up to multiples
/// of a grain that doubles until their span fits: then the peak is that of the function sampled at
/// multiples of the grain. Merging two gives what pushing all their jumps into one would, up to the
/// grain; the integral over time is kept apart and always exact.
#[derive(Clone, Debug)]
pub struct Staircase<const N: usize = 1> {
    exact: usize,
    /// In the order of noting; the first `settled` ones in order of time.
    jumps: Vec<(u64, [i64; N])>,
    settled: usize,
    /// Sums of the jumps in cells of one grain each, once the clock is coarse.
    cells: Vec<[i64; N]>,
    /// The number of the first cell: the jumps in cell k are those in ((k − 1)·grain, k·grain].
    first: u64,
    grain_log2: u32,
    integral: [i128; N],
}

impl<const N: usize> Default for Staircase<N> {
    fn default() -> Self {
        Self::keeping(Self::EXACT)
    }
}

impl<const N: usize> Staircase<N> {
    /// Distinct instants that the step functions of a whole run keep exactly.
    pub const EXACT: usize = 1 << 16;

    /// Step functions that are 0 throughout and keep this many distinct instants exactly.
    pub const fn keeping(exact: usize) -> Self {
        Self {
            exact,
            jumps: Vec::new(),
            settled: 0,
            cells: Vec::new(),
            first: 0,
            grain_log2: 0,
            integral: [0; N],
        }
    }

    /// From `at` on, `deltas` more (or less). Changes beyond `end` do not count.
    pub fn jump(&mut self, at: u64, deltas: [i64; N], end: u64) {
        if at > end {
            return;
        }
        let rest = i128::from(end - at);
        for (integral, delta) in self.integral.iter_mut().zip(deltas) {
            *integral += i128::from(delta) * rest;
        }
        self.add(at, deltas);
    }

    fn add(&mut self, at: u64, deltas: [i64; N]) {
        if self.is_coarse() {
            let cell = self.cell(at);
            let place = usize::try_from(cell.wrapping_sub(self.first)).unwrap_or(usize::MAX);
            match self.cells.get_mut(place) {
                Some(sums) => join(sums, &deltas),
                None => self.add_to_cell(cell, deltas),
            }
            return;
        }
        self.jumps.push((at, deltas));
        if self.jumps.len() >= self.settled + self.exact {
            self.settle();
        }
    }

    const fn is_coarse(&self) -> bool {
        !self.cells.is_empty()
    }

    /// The number of the cell that `at` falls into.
    const fn cell(&self, at: u64) -> u64 {
        let rest = at & ((1 << self.grain_log2) - 1);
        (at >> self.grain_log2) + (rest > 0) as u64
    }

    /// The instant that the jumps of a cell are rounded up to.
    fn instant(&self, cell: u64) -> u64 {
        cell.saturating_mul(1 << self.grain_log2)
    }

    /// Adds to a cell that may lie beyond the present ones, on either side.
    fn add_to_cell(&mut self, mut cell: u64, deltas: [i64; N]) {
        while self.reach(cell).is_none() {
            self.double();
            cell = cell.div_ceil(2);
        }
        let index = usize::try_from(cell - self.first).expect("within reach");
        join(&mut self.cells[index], &deltas);
    }

    /// Makes room for a cell; `None` where that would be more cells than are kept.
    fn reach(&mut self, cell: u64) -> Option<()> {
        let first = self.first.min(cell);
        let last = cell.max(self.first + self.cells.len() as u64 - 1);
        let count = usize::try_from(last - first + 1).ok()?;
        if count > self.exact.max(2) {
            return None;
        }
        if first < self.first {
            let before = usize::try_from(self.first - first).expect("fewer than are kept");
            self.cells.splice(0..0, std::iter::repeat_n([0; N], before));
            self.first = first;
        }
        if count > self.cells.len() {
            self.cells.resize(count, [0; N]);
        }
        Some(())
    }

    /// Makes cells twice as wide.
    fn double(&mut self) {
        let first = self.first.div_ceil(2);
        let mut joined: Vec<[i64; N]> = Vec::with_capacity(self.cells.len() / 2 + 1);
        for (number, cell) in (self.first..).zip(&self.cells) {
            let index = usize::try_from(number.div_ceil(2) - first).expect("among the cells");
            if index == joined.len() {
                joined.push(*cell);
            } else {
                join(&mut joined[index], cell);
            }
        }
        self.cells = joined;
        self.first = first;
        self.grain_log2 += 1;
    }

    /// Sorts the jumps and joins those at one instant; where they are too many, goes over to cells.
    fn settle(&mut self) {
        self.jumps.sort_unstable_by_key(|(at, _)| *at);
        self.jumps.dedup_by(|(at, deltas), (kept, sums)| {
            let same = at == kept;
            if same {
                join(sums, deltas);
            }
            same
        });
        self.settled = self.jumps.len();
        if self.settled > self.exact {
            self.coarsen();
        }
    }

    /// Goes over to cells, of the finest grain that they fit.
    fn coarsen(&mut self) {
        let jumps = std::mem::take(&mut self.jumps);
        self.settled = 0;
        if let Some((at, _)) = jumps.first() {
            self.first = self.cell(*at);
        }
        self.cells.push([0; N]);
        for (at, deltas) in jumps {
            let cell = self.cell(at);
            self.add_to_cell(cell, deltas);
        }
    }

    /// Adds another's jumps.
    pub fn merge(&mut self, other: &Self) {
        for (integral, more) in self.integral.iter_mut().zip(other.integral) {
            *integral += more;
        }
        if other.is_coarse() {
            if !self.is_coarse() {
                self.coarsen();
            }
            while self.grain_log2 < other.grain_log2 {
                self.double();
            }
        }
        for (at, deltas) in &other.jumps {
            self.add(*at, *deltas);
        }
        for (number, deltas) in (other.first..).zip(&other.cells) {
            self.add(other.instant(number), *deltas);
        }
    }

    /// The steps: from each instant on, the values.
    fn values(&self) -> Vec<(u64, [i64; N])> {
        let mut settled = self.clone();
        settled.settle();
        let cells = (settled.first..)
            .zip(&settled.cells)
            .map(|(number, deltas)| (settled.instant(number), *deltas));
        let mut values = [0; N];
        let jumps = settled.jumps.iter().copied().chain(cells);
        jumps
            .map(|(at, deltas)| {
                join(&mut values, &deltas);
                (at, values)
            })
            .collect()
    }

    /// Each quantity by itself.
    pub fn split(&self) -> [Staircase; N] {
        std::array::from_fn(|which| Staircase {
            exact: self.exact,
            jumps: self
                .jumps
                .iter()
                .map(|(at, deltas)| (*at, [deltas[which]]))
                .collect(),
            settled: self.settled,
            cells: self.cells.iter().map(|deltas| [deltas[which]]).collect(),
            first: self.first,
            grain_log2: self.grain_log2,
            integral: [self.integral[which]],
        })
    }
}

/// Adds jumps up.
fn join<const N: usize>(sums: &mut [i64; N], deltas: &[i64; N]) {
    for (sum, delta) in sums.iter_mut().zip(deltas) {
        *sum += delta;
    }
}

impl Staircase {
    /// The steps: from each instant on, the value.
    pub fn steps(&self) -> Vec<(u64, i64)> {
        let mut steps: Vec<_> = self
            .values()
            .into_iter()
            .map(|(at, [value])| (at, value))
            .collect();
        let mut last = 0;
        steps.retain(|(_, value)| std::mem::replace(&mut last, *value) != *value);
        steps
    }

    /// The highest value.
    pub fn peak(&self) -> i64 {
        let values = self.values().into_iter();
        values.map(|(_, [value])| value).max().unwrap_or(0).max(0)
    }

    /// The integral over time up to the end, in nanoseconds; the mean is this over the run's length.
    pub const fn integral(&self) -> i128 {
        self.integral[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn jumps_add_up_in_time_order_and_integrate_exactly() {
        let mut stairs: Staircase = Staircase::default();
        for (at, delta) in [(10, 16), (30, -16), (20, 16), (50, -16), (200, 99)] {
            stairs.jump(at, [delta], 100);
        }
        assert_eq!(stairs.steps(), [(10, 16), (20, 32), (30, 16), (50, 0)]);
        assert_eq!(stairs.peak(), 32);
        assert_eq!(stairs.integral(), 16 * 20 + 16 * 30);
    }

    #[test]
    fn many_jumps_are_kept_on_a_coarser_clock_with_an_exact_integral() {
        let end = 1_000_000;
        let mut stairs: Staircase = Staircase::default();
        for at in 0..end {
            stairs.jump(at, [1], end);
            stairs.jump(at + 10, [-1], end);
        }
        assert!(stairs.steps().len() <= Staircase::<1>::EXACT);
        // Ten alive at any time but for the first ten instants and at the very end.
        assert!((10..=10 + 16).contains(&stairs.peak()), "{}", stairs.peak());
        assert_eq!(stairs.integral(), 10 * i128::from(end) - 45);
    }

    proptest! {
        /// On a clock of grain g the value at each multiple of g is that of the exact function.
        #[test]
        fn coarse_clocks_sample_the_exact_function(
            jumps in prop::collection::vec((0u64..5_000, -3i64..4), 1..200),
            parts in 1usize..4,
            exact in 2usize..40,
        ) {
            let mut whole: Staircase = Staircase::keeping(exact);
            let mut shards = vec![Staircase::<1>::keeping(exact); parts];
            for (index, (at, delta)) in jumps.iter().enumerate() {
                shards[index % parts].jump(*at, [*delta], 4_000);
            }
            for shard in &shards {
                whole.merge(shard);
            }
            let counted = || jumps.iter().filter(|(at, _)| *at <= 4_000);
            let integral: i128 = counted().map(|(at, delta)| i128::from(*delta) * i128::from(4_000 - at)).sum();
            prop_assert_eq!(whole.integral(), integral);
            let grain = 1u64 << whole.grain_log2;
            for (at, value) in whole.values() {
                let sum: i64 = counted().filter(|(when, _)| *when <= at).map(|(_, delta)| *delta).sum();
                prop_assert_eq!(value, [sum], "at {} of grain {}", at, grain);
            }
            prop_assert!(!whole.is_coarse() || whole.cells.len() <= exact);
        }
    }
}
