//! Special functions that parameters are solved with: the gamma function, its incomplete form and
//! the quantiles that follow from it. They run once per distribution, when a scenario is read.

use std::f64::consts::PI;

/// ln Γ(x) for x > 0, by Lanczos' series with g = 7 and nine terms (error below 10^−14).
pub(super) fn ln_gamma(x: f64) -> f64 {
    const FIRST: f64 = 0.999_999_999_999_809_9;
    const REST: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        return (PI / (PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let terms = REST.iter().zip(0u32..);
    let sum = terms.fold(FIRST, |sum, (c, i)| sum + c / (x + f64::from(i)));
    let t = x + 6.5;
    0.5 * (2.0 * PI).ln() + (x - 0.5) * t.ln() - t + sum.ln()
}

/// P(a, x), the regularised lower incomplete gamma function: the probability that a gamma variable
/// of shape a and scale 1 is at most x. By its series below a + 1, else by its continued fraction
/// (Abramowitz and Stegun 6.5.29 and 6.5.31, the latter evaluated by Lentz' method).
pub(super) fn gamma_p(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-17 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return front * sum;
    }
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (f64::MAX, 1.0 / b);
    let mut fraction = d;
    for i in 1..100_000u32 {
        let i = f64::from(i);
        let step = -i * (i - a);
        b += 2.0;
        d = 1.0 / (step * d + b);
        c = b + step / c;
        fraction *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    1.0 - front * fraction
}

/// The x with P(a, x) = p, by bisection; 0 where it lies below what a float can hold.
pub(super) fn gamma_quantile(a: f64, p: f64) -> f64 {
    if p <= 0.0 {
        return 0.0;
    }
    let mut high = a + 1.0;
    while gamma_p(a, high) < p {
        high *= 2.0;
    }
    let mut low = high;
    while gamma_p(a, low) >= p {
        high = low;
        low /= 2.0;
        if low == 0.0 {
            return 0.0;
        }
    }
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return high;
        }
        if gamma_p(a, middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The standard normal distribution's quantile, for p within 0 to 1, to about one part in 10^16: the
/// rational approximations of Wichura (Algorithm AS 241: The percentage points of the normal
/// distribution, Applied Statistics 37, 1988; routine PPND16).
pub(in crate::workload) fn normal_quantile(p: f64) -> f64 {
    let from_middle = p - 0.5;
    if from_middle.abs() <= 0.425 {
        let r = 0.180_625 - from_middle * from_middle;
        return from_middle * ratio(&NEAR_MIDDLE, r);
    }
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let size = if r <= 5.0 {
        ratio(&NEAR_TAIL, r - 1.6)
    } else {
        ratio(&FAR_TAIL, r - 5.0)
    };
    size.copysign(from_middle)
}

/// Coefficients of a rational function from the highest power down: numerator, denominator. They have
/// the digits that the paper prints.
type Rational = [[f64; 8]; 2];

#[allow(clippy::excessive_precision)]
const NEAR_MIDDLE: Rational = [
    [
        2.509_080_928_730_122_672_7e3,
        3.343_057_558_358_812_810_5e4,
        6.726_577_092_700_870_085_3e4,
        4.592_195_393_154_987_145_7e4,
        1.373_169_376_550_946_112_5e4,
        1.971_590_950_306_551_442_7e3,
        1.331_416_678_917_843_774_5e2,
        3.387_132_872_796_366_608,
    ],
    [
        5.226_495_278_852_854_561e3,
        2.872_908_573_572_194_267_4e4,
        3.930_789_580_009_271_061e4,
        2.121_379_430_158_659_586_7e4,
        5.394_196_021_424_751_107_7e3,
        6.871_870_074_920_579_083e2,
        4.231_333_070_160_091_125_2e1,
        1.0,
    ],
];

#[allow(clippy::excessive_precision)]
const NEAR_TAIL: Rational = [
    [
        7.745_450_142_783_414_076_4e-4,
        2.272_384_498_926_918_458_33e-2,
        2.417_807_251_774_506_117_7e-1,
        1.270_458_252_452_368_382_58,
        3.647_848_324_763_204_605_04,
        5.769_497_221_460_691_405_5,
        4.630_337_846_156_545_295_9,
        1.423_437_110_749_683_577_34,
    ],
    [
        1.050_750_071_644_416_843_24e-9,
        5.475_938_084_995_344_946e-4,
        1.519_866_656_361_645_719_66e-2,
        1.481_039_764_274_800_745_9e-1,
        6.897_673_349_851_000_045_5e-1,
        1.676_384_830_183_803_849_4,
        2.053_191_626_637_758_821_87,
        1.0,
    ],
];

#[allow(clippy::excessive_precision)]
const FAR_TAIL: Rational = [
    [
        2.010_334_399_292_288_132_65e-7,
        2.711_555_568_743_487_578_15e-5,
        1.242_660_947_388_078_438_6e-3,
        2.653_218_952_657_612_309_3e-2,
        2.965_605_718_285_048_912_3e-1,
        1.784_826_539_917_291_335_8,
        5.463_784_911_164_114_369_9,
        6.657_904_643_501_103_777_2,
    ],
    [
        2.044_263_103_389_939_785_64e-15,
        1.421_511_758_316_445_888_7e-7,
        1.846_318_317_510_054_681_8e-5,
        7.868_691_311_456_132_591e-4,
        1.487_536_129_085_061_485_25e-2,
        1.369_298_809_227_358_053_1e-1,
        5.998_322_065_558_879_376_9e-1,
        1.0,
    ],
];

/// A rational function at x, by Horner's rule.
fn ratio(coefficients: &Rational, x: f64) -> f64 {
    let [above, below] =
        coefficients.map(|powers| powers.into_iter().fold(0.0, |sum, c| sum * x + c));
    above / below
}

/// The probability that a standard normal variable is at most x.
pub(super) fn normal_cdf(x: f64) -> f64 {
    let half = gamma_p(0.5, x * x / 2.0) / 2.0;
    if x < 0.0 { 0.5 - half } else { 0.5 + half }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, relative: f64) {
        assert!(
            (found - expected).abs() <= relative * expected.abs(),
            "{found} for {expected}"
        );
    }

    /// Γ(n) = (n − 1)!, Γ(1/2) = √π, Γ(1/4) = 3.62560990822190831.
    #[test]
    fn the_gamma_function_is_the_factorial_between_whole_numbers() {
        close(ln_gamma(5.0), 24f64.ln(), 1e-13);
        close(ln_gamma(11.0), 3_628_800f64.ln(), 1e-13);
        close(ln_gamma(0.5), PI.sqrt().ln(), 1e-13);
        close(ln_gamma(0.25), 3.625_609_908_221_908_f64.ln(), 1e-13);
    }

    /// What Wichura's paper gives to check a transcription by: one value from each of its three ranges.
    #[test]
    fn normal_quantiles_are_those_that_their_author_gives() {
        close(normal_quantile(0.25), -0.674_489_750_196_081_7, 1e-15);
        close(normal_quantile(0.001), -3.090_232_306_167_814, 1e-15);
        close(normal_quantile(1e-20), -9.262_340_089_798_408, 1e-15);
        close(normal_quantile(0.999), 3.090_232_306_167_814, 1e-14);
        assert!(normal_quantile(0.5).abs() < f64::MIN_POSITIVE);
    }

    /// Tables of the normal distribution, and of χ² with k degrees of freedom, which is twice a
    /// gamma variable of shape k/2 (Abramowitz and Stegun, tables 26.1 and 26.8).
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (p, z) in [
            (0.5, 0.0),
            (0.9, 1.281_551_565_544_6),
            (0.95, 1.644_853_626_951_5),
            (0.99, 2.326_347_874_040_8),
            (0.999, 3.090_232_306_167_8),
            (0.25, -0.674_489_750_196_1),
        ] {
            assert!((normal_quantile(p) - z).abs() < 1e-12, "{p}");
            assert!((normal_cdf(z) - p).abs() < 1e-12, "{p}");
        }
        for (degrees, p, chi) in [
            (1.0, 0.95, 3.841_46),
            (2.0, 0.99, 9.210_34),
            (5.0, 0.5, 4.351_46),
            (10.0, 0.99, 23.209_3),
            (100.0, 0.95, 124.342),
        ] {
            close(2.0 * gamma_quantile(degrees / 2.0, p), chi, 3e-6);
        }
    }
}
