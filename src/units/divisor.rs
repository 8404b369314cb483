//! Division by a number that stays the same, without a division.

/// A divisor with its reciprocal: two multiplications in place of a division.
///
/// With m = ⌊2^64/d⌋ the estimate ⌊x·m/2^64⌋ of ⌊x/d⌋ is right or one too small, for every x below
/// 2^64, since x/d − x·m/2^64 < x/2^64 < 1; one comparison puts it right. Source: Barrett,
/// Implementing the RSA public key encryption algorithm, CRYPTO 1986.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divisor {
    divisor: u64,
    reciprocal: u64,
}

impl Divisor {
    /// A divisor of at least 1.
    #[allow(clippy::cast_possible_truncation)]
    pub const fn new(divisor: u64) -> Self {
        // For 1 the reciprocal does not fit; one less is the same but for the comparison.
        let reciprocal = match divisor {
            1 => u64::MAX,
            _ => ((1u128 << 64) / divisor as u128) as u64,
        };
        Self {
            divisor,
            reciprocal,
        }
    }

    /// The divisor.
    pub const fn get(self) -> u64 {
        self.divisor
    }

    /// The quotient and the rest.
    #[inline]
    pub const fn divide(self, number: u64) -> (u64, u64) {
        let estimate = ((number as u128 * self.reciprocal as u128) >> 64) as u64;
        let rest = number - estimate * self.divisor;
        if rest >= self.divisor {
            (estimate + 1, rest - self.divisor)
        } else {
            (estimate, rest)
        }
    }

    /// The rest of the division.
    #[inline]
    pub const fn rest(self, number: u64) -> u64 {
        self.divide(number).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(number: u64, divisor: u64) {
        let expected = (number / divisor, number % divisor);
        assert_eq!(Divisor::new(divisor).divide(number), expected);
    }

    #[test]
    fn the_ends_of_the_range_divide_like_all_numbers() {
        let ends = [
            1,
            2,
            3,
            (1 << 32) - 1,
            1 << 32,
            1 << 63,
            u64::MAX - 1,
            u64::MAX,
        ];
        for divisor in ends {
            for number in ends.into_iter().chain([0]) {
                check(number, divisor);
            }
            check(divisor.wrapping_mul(7).wrapping_sub(1), divisor);
        }
    }

    proptest! {
        #[test]
        fn every_number_divides_as_it_should(number: u64, divisor in 1u64.., shift in 0u32..64, more in 0u32..64) {
            check(number >> more, (divisor >> shift).max(1));
            let multiple = (number >> more) / (divisor >> shift).max(1) * (divisor >> shift).max(1);
            check(multiple, (divisor >> shift).max(1));
            check(multiple.saturating_sub(1), (divisor >> shift).max(1));
        }
    }
}
