//! A quantity over time that changes by jumps: bytes of state, live keys.

/// Jumps at instants, summed up to a step function; exact while the instants are few, on a coarser
/// clock beyond that.
///
/// Up to a stated number of distinct instants are kept as they are. More are rounded up to multiples
/// of a grain that doubles until they fit: then the peak is that of the function sampled at multiples
/// of the grain. Merging two gives what pushing all their jumps into one would, up to the grain; the
/// integral over time is kept apart and always exact.
#[derive(Clone, Debug)]
pub struct Staircase {
    exact: usize,
    jumps: Vec<(u64, i64)>,
    grain_log2: u32,
    settled: usize,
    integral: i128,
}

impl Default for Staircase {
    fn default() -> Self {
        Self::keeping(Self::EXACT)
    }
}

impl Staircase {
    /// Distinct instants that the step function of a whole run keeps exactly.
    pub const EXACT: usize = 1 << 16;

    /// A step function that is 0 throughout and keeps this many distinct instants exactly.
    pub const fn keeping(exact: usize) -> Self {
        Self {
            exact,
            jumps: Vec::new(),
            grain_log2: 0,
            settled: 0,
            integral: 0,
        }
    }

    /// From `at` on, `delta` more (or less). Changes beyond `end` do not count.
    pub fn jump(&mut self, at: u64, delta: i64, end: u64) {
        if delta == 0 || at > end {
            return;
        }
        self.integral += i128::from(delta) * i128::from(end - at);
        let mask = (1u64 << self.grain_log2) - 1;
        let cell = at.checked_add(mask).map_or(u64::MAX, |sum| sum & !mask);
        self.jumps.push((cell, delta));
        if self.jumps.len() >= self.settled + self.exact {
            self.settle();
        }
    }

    /// Sorts the jumps, joins those at one instant, and coarsens until they fit.
    fn settle(&mut self) {
        loop {
            let mask = (1u64 << self.grain_log2) - 1;
            for (at, _) in &mut self.jumps {
                *at = at.checked_add(mask).map_or(u64::MAX, |sum| sum & !mask);
            }
            self.jumps.sort_unstable_by_key(|(at, _)| *at);
            self.jumps.dedup_by(|(at, delta), (kept, sum)| {
                let same = at == kept;
                *sum += if same { *delta } else { 0 };
                same
            });
            self.settled = self.jumps.len();
            if self.settled <= self.exact {
                return;
            }
            self.grain_log2 += 1;
        }
    }

    /// Adds another's jumps.
    pub fn merge(&mut self, other: &Self) {
        self.grain_log2 = self.grain_log2.max(other.grain_log2);
        self.integral += other.integral;
        self.jumps.extend_from_slice(&other.jumps);
        if self.jumps.len() >= self.settled + self.exact {
            self.settle();
        }
    }

    /// The steps: from each instant on, the value. Call after the last jump.
    pub fn steps(&self) -> Vec<(u64, i64)> {
        let mut settled = self.clone();
        settled.settle();
        let mut value = 0;
        settled
            .jumps
            .iter()
            .map(|(at, delta)| {
                value += delta;
                (*at, value)
            })
            .collect()
    }

    /// The highest value.
    pub fn peak(&self) -> i64 {
        self.steps()
            .iter()
            .map(|(_, value)| *value)
            .max()
            .unwrap_or(0)
            .max(0)
    }

    /// The integral over time up to the end, in nanoseconds; the mean is this over the run's length.
    pub fn integral(&self) -> i128 {
        self.integral
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_add_up_in_time_order_and_integrate_exactly() {
        let mut stairs = Staircase::default();
        for (at, delta) in [(10, 16), (30, -16), (20, 16), (50, -16), (200, 99)] {
            stairs.jump(at, delta, 100);
        }
        assert_eq!(stairs.steps(), [(10, 16), (20, 32), (30, 16), (50, 0)]);
        assert_eq!(stairs.peak(), 32);
        assert_eq!(stairs.integral(), 16 * 20 + 16 * 30);
    }

    #[test]
    fn many_jumps_are_kept_on_a_coarser_clock_with_an_exact_integral() {
        let end = 1_000_000;
        let mut stairs = Staircase::default();
        for at in 0..end {
            stairs.jump(at, 1, end);
            stairs.jump(at + 10, -1, end);
        }
        assert!(stairs.steps().len() <= Staircase::EXACT);
        // Ten alive at any time but for the first ten instants and at the very end.
        assert!((10..=10 + 16).contains(&stairs.peak()), "{}", stairs.peak());
        assert_eq!(stairs.integral(), 10 * i128::from(end) - 45);
    }
}
