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

/// The standard normal distribution's quantile: z²/2 is a gamma variable of shape 1/2.
pub(super) fn normal_quantile(p: f64) -> f64 {
    let z = (2.0 * gamma_quantile(0.5, (2.0 * p - 1.0).abs())).sqrt();
    if p < 0.5 { -z } else { z }
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
